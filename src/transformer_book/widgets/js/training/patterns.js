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

  update(seen, theme) {
    this.figures.forEach(({ canvas, name, words }, i) => {
      const [layer, head] = [Math.floor(i / this.heads), i % this.heads];
      const say = (scores) => (seen ? formatFixed(scores[layer][head], 2) : "–");
      const lines = [this.text.copies(say(seen?.induction)), this.text.before(say(seen?.previous))];
      lines.forEach((line, k) => setText(words.children[k + 1], line));
      canvas.setAttribute("aria-label", [name, ...lines].join(", "));
      this.draw(canvas, seen && seen.weights[layer].subarray(head * this.count ** 2, (head + 1) * this.count ** 2), theme);
    });
  }

  draw(canvas, weights, theme) {
    const context = canvas.getContext("2d");
    const palette = range(SHADES + 1).map((step) => [...shadeColour(theme, "positive", step), 255]);
    const image = context.createImageData(this.count, this.count);
    for (let n = 0; n < this.count; n += 1) {
      for (let m = 0; m < this.count; m += 1) {
        const step = weights ? Math.round(weights[n * this.count + m] * SHADES) : 0;
        image.data.set(palette[step], 4 * (m * this.count + n));
      }
    }
    context.putImageData(image, 0, 0);
  }
}
