// What the explorer says, by language.

const attentionLabels = {
  zh: {
    title: "注意力探索器", scaled: "缩放 <i>÷√D<sub>q</sub></i>", mask: "掩码", window: "窗口", paddingCount: "填充",
    masks: { none: "无", causal: "因果", padding: "填充", window: "滑动窗口" },
    head: "头", all: "全部", token: "词元", addToken: "加一个词元", remove: "删去", move: "移动",
    moveHint: "拖动，或用方向键移动", trace: "跟踪一个查询", between: "中间的步骤：查询、键、值和分数",
    hint: "指着任一列，跟踪这个查询；点一下就固定它。带虚线的数可以改。",
    problems: { ...COMMON_LABELS.zh.problems, padding: (given) => `填充太多：${given}，至少要留一个真词元。` },
  },
  en: {
    title: "Attention explorer", scaled: "Scaling <i>÷√D<sub>q</sub></i>", mask: "Mask", window: "Window",
    paddingCount: "Padding",
    masks: { none: "None", causal: "Causal", padding: "Padding", window: "Sliding window" },
    head: "Head", all: "All", token: "Token", addToken: "Add a token", remove: "Remove", move: "Move",
    moveHint: "Drag, or use the arrow keys", trace: "Follow one query", between: "The steps between: queries, keys, values and scores",
    hint: "Point at a column to follow its query; click to pin it. Numbers on a dashed line can be changed.",
    problems: {
      ...COMMON_LABELS.en.problems, padding: (given) => `Too much padding: ${given}; one real token has to stay.`,
    },
  },
};
