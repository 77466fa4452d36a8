// What the explorer says, by language.

const rotaryLabels = {
  zh: {
    title: "旋转探索器", queryAt: "查询的位置 <i>n</i>", keyAt: "键的位置 <i>m</i>", play: "一起播放", pause: "暂停",
    together: "两个一起移动", back: "一起后退一位", forward: "一起前进一位", curve: "分数只随位置差变化", vectors: "q 与 k",
  },
  en: {
    title: "Rotary explorer", queryAt: "Position of the query, <i>n</i>", keyAt: "Position of the key, <i>m</i>", play: "Play both", pause: "Pause",
    together: "Move both", back: "Both one back", forward: "Both one forward", curve: "The score changes with the offset alone",
    vectors: "q and k",
  },
};
