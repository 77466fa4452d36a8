// The weights of every head on one text, as small maps: keys down, queries across. A dashed line marks the keys that an
// induction head looks at, a dotted one the token before.

class HeadPatterns {
  constructor(text, { layers, heads, count }) {
    Object.assign(this, { text, heads, count });
    const period = count / 2;
    const mark = (name, from, back) => h("line", { class: name, x1: from + 0.5, y1: from - back + 0.5, x2: count - 0.5, y2: count - 0.5 - back });
    this.figures = range(layers * heads).map((i) => {
      const canvas = h("canvas", { width: count, height: count, role: "img" });
      const marks = h("svg", { viewBox: `0 0 ${count} ${count}`, "aria-hidden": "true" }, mark("before", 1, 1), mark("copy", period, period - 1));
      const name = `${text.layer} ${Math.floor(i / heads)}, ${text.head} ${i % heads}`;
      const words = h("figcaption", {}, h("b", {}, name), h("span", {}), h("span", {}));
      return { canvas, name, words, element: h("figure", {}, h("div", { class: "map" }, canvas, marks), words) };
    });
    this.element = h("div", { class: "maps" }, ...this.figures.map(({ element }) => element));
  }

  update(seen) {
    this.figures.forEach(({ canvas, name, words }, i) => {
      const [layer, head] = [Math.floor(i / this.heads), i % this.heads];
      const say = (scores) => (seen ? formatFixed(scores[layer][head], 2) : "–");
      const lines = [this.text.copies(say(seen?.induction)), this.text.before(say(seen?.previous))];
      lines.forEach((line, k) => setText(words.children[k + 1], line));
      canvas.setAttribute("aria-label", [name, ...lines].join(", "));
      const weights = seen?.weights[layer];
      paint(canvas, this.count, this.count, (m, n) => (weights ? weights[(head * this.count + n) * this.count + m] : 0));
    });
  }
}
