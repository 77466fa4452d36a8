// What the explorer says, by language.

const vectorsLabels = {
  zh: {
    title: "向量探索器", drag: "拖动箭头的尖端，或在表里改数（方向键也行）。", vectors: "查询与键", chosen: "看哪个键", score: "分数 s", weight: "权重 a",
    add: "加一个键", remove: "减一个键", key: "键",
    says: (m, length, shadow, score) => `s${m} = |q| × 影子 = ${length} × ${shadow} = ${score}`,
    shadow: (m, shadow, length, cosine) => `影子 = |k${m}| × 夹角的余弦 = ${length} × ${cosine} = ${shadow}`,
  },
  en: {
    title: "Vector explorer", drag: "Drag the tips of the arrows, or change the numbers (arrow keys work too).", vectors: "Query and keys",
    chosen: "Key in view", score: "Score s", weight: "Weight a", add: "Add a key", remove: "Remove a key", key: "Key",
    says: (m, length, shadow, score) => `s${m} = |q| × shadow = ${length} × ${shadow} = ${score}`,
    shadow: (m, shadow, length, cosine) => `shadow = |k${m}| × cosine of the angle = ${length} × ${cosine} = ${shadow}`,
  },
};
