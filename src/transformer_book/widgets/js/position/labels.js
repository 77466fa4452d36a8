// What the explorer says, by language.

const positionLabels = {
  zh: {
    title: "位置探索器", sinusoidal: "正弦编码", size: "维数 <i>D</i>", position: "位置 <i>p</i>",
    heat: "行是编码的元素，列是位置 0 到 63；点一列就到那个位置", rope: "旋转位置嵌入（RoPE）", queryAt: "查询的位置 <i>n</i>", keyAt: "键的位置 <i>m</i>",
    together: "两个一起移动", back: "一起后退一位", forward: "一起前进一位", score: "分数", offset: "位置差", curve: "分数只随位置差变化",
    query: "查询 q", key: "键 k", vectors: "q 与 k",
  },
  en: {
    title: "Position explorer", sinusoidal: "Sinusoidal codes", size: "Size <i>D</i>", position: "Position <i>p</i>",
    heat: "Rows are entries of the code, columns are positions 0 to 63; click a column to go there", rope: "Rotary position embedding (RoPE)",
    queryAt: "Position of the query, <i>n</i>", keyAt: "Position of the key, <i>m</i>", together: "Move both",
    back: "Both one back", forward: "Both one forward", score: "Score", offset: "Offset",
    curve: "The score changes with the offset alone", query: "Query q", key: "Key k", vectors: "q and k",
  },
};
