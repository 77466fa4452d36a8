// What the explorer says, by language.

const weightsLabels = withModelLabels({
  zh: {
    title: "权重探索器", sentence: "一句评论", read: "读", own: "模型自己的权重", present: "现在的权重", vote: "这个字的意见", character: "字", positive: "好评的概率，用现在的权重",
    ownChance: "好评的概率，用模型自己的权重", change: "变化", divergence: "与自己的权重的散度（最大 0.693）", find: "找最远的一组", shuffle: "打乱权重", equal: "平均分配", back: "用回自己的",
    waiting: "载入模型之后，这里是每个字的权重。", hint: "拖动滑块改一个字的权重，其余的按比例让出来。意见为正的字偏向好评，为负的偏向差评；答案是意见的加权平均。“找最远的一组”不改变答案；“打乱权重”把现在的权重随手换给别的字。",
    empty: "请先写一句话。", tooLong: "最多 40 个字。", lacks: (signs) => `词表里没有${signs.map((c) => `“${c}”`).join("")}，都读成同一个生字。`,
  },
  en: {
    title: "Weights explorer", sentence: "A review in Chinese", read: "Read", own: "The model's own", present: "Present weight", vote: "Its vote",
    character: "Character", positive: "P(positive), present weights", ownChance: "P(positive), the model's own weights", change: "Change",
    divergence: "Divergence from its own weights (at most 0.693)", find: "Find the farthest", shuffle: "Shuffle", equal: "All alike", back: "Its own again",
    waiting: "Once the model is loaded, each character's weight stands here.",
    hint: "Drag a slider to change one weight; the others make room in proportion. A positive vote speaks for a good review, a negative one against it; the answer is the weighted mean of the votes. The farthest weights leave the answer as it is; shuffling hands the present weights to other characters.",
    empty: "Write a sentence first.", tooLong: "At most 40 characters.",
    lacks: (signs) => `The vocabulary lacks ${signs.map((c) => `“${c}”`).join(", ")}, read as one and the same unknown sign.`,
  },
});
