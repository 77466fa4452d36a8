// What the explorer says, by language.

const scalingLabels = {
  zh: {
    title: "缩放探索器", size: "维数 <i>D<sub>q</sub></i>", exact: "维数 D_q 的值", redraw: "再抽一次", redrawMany: "再抽 20 次",
    unscaled: "不缩放", scaled: "缩放", weights: "这一次抽样的 16 个权重", running: "最大权重的累计平均", draws: "抽样次数",
    gradient: "还剩多少梯度", thisDraw: "这一次", meanOfDraws: "平均", full: `最多抽 ${MOST_DRAWS} 次；复原可以重来。`,
  },
  en: {
    title: "Scaling explorer", size: "Dimension <i>D<sub>q</sub></i>", exact: "Value of the dimension D_q",
    redraw: "Draw again", redrawMany: "Draw 20 more", unscaled: "unscaled", scaled: "scaled",
    weights: "The 16 weights of this draw", running: "Running mean of the largest weight", draws: "Draws",
    gradient: "The gradient that survives", thisDraw: "this draw", meanOfDraws: "mean",
    full: `At most ${MOST_DRAWS} draws; reset to start again.`,
  },
};
