// What the explorer says, by language.

const translationLabels = withModelLabels({
  zh: {
    title: "翻译探索器", source: "要翻译的数", translate: "翻译", play: "逐字播放", examples: "例子", choose: "选一个例子", layer: "层", head: "头", mean: "平均",
    end: "完", target: "译文", waiting: "载入模型之后，这里是译文。", right: (answer) => `对：${answer}`, wrong: (answer) => `不对，应该是 ${answer}。`,
    noAnswer: "这不是规范的数，没有标准答案；模型照样会写点什么。", longer: "训练时的数都小于 1000000：更长的数模型从没见过，常常只译出前几位。",
    unknown: (c) => `词表里没有“${c}”，只有零到九、十百千万和数字。`, empty: "请先写一个数。", tooLong: "最多 15 个字。",
    of: (text) => `“${text}”的译文`, still: (text) => `下面还是“${text}”的译文。`, keys: "键：原文", queries: "查询：要写的字",
    matrix: "交叉注意力", hint: "每一列：写这个字的时候，模型看原文的哪些字。", chance: "把握",
  },
  en: {
    title: "Translation explorer", source: "Number to translate", translate: "Translate", play: "Play it back", examples: "Examples",
    choose: "Choose an example", layer: "Layer", head: "Head", mean: "mean", end: "end", target: "Translation",
    waiting: "Once the model is loaded, the translation stands here.", right: (answer) => `Right: ${answer}`, wrong: (answer) => `Wrong, it should be ${answer}.`,
    noAnswer: "This is no well-formed number, so there is no right answer; the model writes something all the same.",
    longer: "All training numbers were below 1000000: the model has never seen a longer one, and often translates the first digits alone.",
    unknown: (c) => `The vocabulary lacks “${c}”: it has the numerals' characters and the digits.`, empty: "Write a number first.",
    tooLong: "At most 15 characters.", of: (text) => `Translation of “${text}”`, still: (text) => `Below still stands the translation of “${text}”.`, keys: "Keys: source", queries: "Queries: characters to write", matrix: "Cross-attention",
    hint: "Each column: which characters of the source the model looks at while it writes this one.", chance: "Chance",
  },
});
