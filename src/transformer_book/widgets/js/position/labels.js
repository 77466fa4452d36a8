// What the explorer says, by language.

const positionLabels = {
  zh: {
    title: "位置探索器", size: "维数 <i>D</i>", position: "位置 <i>p</i>", play: "播放", pause: "暂停",
    heat: "行是编码的元素，列是位置；点一列就到那个位置",
  },
  en: {
    title: "Position explorer", size: "Size <i>D</i>", position: "Position <i>p</i>", play: "Play", pause: "Pause",
    heat: "Rows are entries of the code, columns are positions; click a column to go there",
  },
};
