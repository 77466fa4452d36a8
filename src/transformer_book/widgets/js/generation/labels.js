// What the explorer says, by language.

const generationLabels = withModelLabels({
  zh: {
    title: "生成探索器", temperature: "温度", topK: "top-k", topP: "top-p", all: "全部", seed: "种子", draw: "抽一个字", drawAll: "抽到底",
    stop: "停", back: "退一步", restart: "重来", poem: "诗", start: "起", end: "完", next: "下一个字", model: "模型给的概率",
    used: "抽样用的概率", ended: "诗写完了。", choose: "选", others: (n) => `其余 ${n} 个`, here: "回到这里",
    waiting: "载入模型之后，这里是下一个字的概率。", computing: "模型正在算……", kept: (n, all) => `能抽到的字：${n} / ${all}`,
    begin: "开头", example: "开头：明月", beginUse: "用这个开头", unknown: (c) => `词表里没有“${c}”。`, tooLong: "诗最多 33 个字，连标点在内。",
    layer: "层", head: "头", attention: "每个字下面的数，是写下一个字的位置给它的注意力权重。", keep: "留作对照", swap: "换过来", beside: "对照",
    right: "字数对", wrong: "字数不对", rhymes: (a, b, group) => `第二句“${a}”与第四句“${b}”押韵（${group}）。`,
    clashes: (a, b) => `第二句“${a}”与第四句“${b}”不押韵。`, noRhymeYet: "写完四句再看押韵。", mandarin: "按今天的普通话。",
  },
  en: {
    title: "Generation explorer", temperature: "Temperature", topK: "top-k", topP: "top-p", all: "all", seed: "Seed",
    draw: "Draw a character", drawAll: "Draw to the end", stop: "Stop", back: "One back", restart: "Restart", poem: "Poem",
    start: "start", end: "end", next: "Next character", model: "Model's probability", used: "Probability drawn from",
    ended: "The poem is complete.", choose: "Choose", others: (n) => `${n} others`, here: "Back to here",
    waiting: "Once the model is loaded, the next character's probabilities stand here.", computing: "The model is computing …",
    kept: (n, all) => `Characters that can be drawn: ${n} / ${all}`, begin: "Beginning", example: "Beginning: 明月", beginUse: "Begin like this",
    unknown: (c) => `The vocabulary lacks “${c}”.`, tooLong: "A poem has at most 33 characters, punctuation included.",
    layer: "Layer", head: "Head", attention: "Below each character: the attention weight that the next character's position gives it.",
    keep: "Keep beside", swap: "Swap", beside: "Beside", right: "length fits", wrong: "length does not fit",
    rhymes: (a, b, group) => `Lines 2 (${a}) and 4 (${b}) rhyme (${group}).`, clashes: (a, b) => `Lines 2 (${a}) and 4 (${b}) do not rhyme.`,
    noRhymeYet: "Rhyme is looked at after four lines.", mandarin: "In today's Mandarin.",
  },
});
