// What the explorer says, by language.

const circuitLabels = withModelLabels({
  zh: {
    title: "消融探索器", model: "模型", models: { smollm2: "SmolLM2（记录）", copying: "两层模型（现场算）" },
    ablation: "做法", zero: "零消融", mean: "均值消融", grid: "每行一层，每列一个头：点一下删去，再点放回",
    numbers: "数字：只删这一个头时，损失变多少。", partners: "带点的头两两同删也有记录。",
    loss: "第二遍的损失", score: "归纳得分", mean5: "平均", text: "文本", whole: "完整", without: "删后",
    uniform: (loss) => `均匀地猜，损失是 ${loss}。`, nothing: "什么也没有删。", deleted: (names) => `删去了 ${names.join("、")}。`,
    alone: (name) => `没有记录，现在只删 ${name}。`, loading: "正在载入记录……", waiting: "载入以后，这里是结果。",
    maps: "注意力，左右是查询，上下是键；下面是归纳得分，和给前一个词元的平均权重。",
    copies: (score) => `归纳 ${score}`, before: (score) => `前一个 ${score}`,
    scored: (names) => `归纳得分是 ${names.join("、")} 的平均。`,
  },
  en: {
    title: "Circuit explorer", model: "Model", models: { smollm2: "SmolLM2 (recorded)", copying: "two layers (live)" },
    ablation: "Ablation", zero: "zero", mean: "mean", grid: "A row a layer, a column a head: press to delete or put back",
    numbers: "Numbers: change of the loss when this head alone is deleted.",
    partners: " Pairs of heads with a dot are recorded too.",
    loss: "Loss of the second round", score: "Induction score", mean5: "mean", text: "Text", whole: "whole", without: "without",
    uniform: (loss) => `A uniform guess has a loss of ${loss}.`, nothing: "Nothing is deleted.", deleted: (names) => `Deleted: ${names.join(", ")}.`,
    alone: (name) => `Not recorded; now ${name} alone is deleted.`, loading: "Loading the record …",
    waiting: "The results will stand here.",
    maps: "Attention, queries left to right, keys top to bottom; below, induction score and mean weight on the token before.",
    copies: (score) => `induction ${score}`, before: (score) => `one before ${score}`,
    scored: (names) => ` The induction score is the mean of ${names.join(", ")}.`,
  },
});
