// What the explorer says, by language.

const digitsLabels = withModelLabels({
  zh: {
    title: "手写数字探索器", board: "画板，8 行 8 列：方向键移动，空格键落笔", erase: "橡皮", clear: "清空", sample: "测试图像", left: "左移一格", right: "右移一格",
    up: "上移一格", down: "下移一格", shuffled: "打乱图像块", layer: "层", head: "头", mean: "平均", query: "查询", classToken: "类别词元", patch: (n) => `第 ${n} 块`,
    digit: "数字", withPositions: "有位置", without: "没有位置", seen: "模型看到的图", waiting: "载入模型之后，这里是每个数字的概率。", attention: "注意力权重（有位置的模型）",
    rest: (weight) => `给类别词元 ${weight}`, says: (a, b) => `有位置的模型读作 ${a}，没有位置的读作 ${b}。`,
    lost: "有笔画移出了画面，移回来也没有了。",
    hint: "两个模型只学过扫描的手写数字：自己画的，它们也会很有把握地读错。",
  },
  en: {
    title: "Digits explorer", board: "Board, 8 rows of 8: arrow keys move, the space bar paints", erase: "Eraser", clear: "Clear", sample: "Test image",
    left: "One left", right: "One right", up: "One up", down: "One down", shuffled: "Shuffle the patches", layer: "Layer", head: "Head",
    mean: "mean", query: "Query", classToken: "class token", patch: (n) => `patch ${n}`, digit: "Digit", withPositions: "With positions",
    without: "Without", seen: "What the models see", waiting: "Once the models are loaded, each digit's probability stands here.",
    attention: "Attention weights (model with positions)", rest: (weight) => `to the class token: ${weight}`,
    says: (a, b) => `The model with positions reads ${a}, the one without ${b}.`,
    lost: "Some ink left the picture; moving back does not bring it back.",
    hint: "Both models have learnt from scanned digits alone: what you draw they may misread, and be sure of it.",
  },
});
