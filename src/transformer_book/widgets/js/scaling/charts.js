// Charts of the ScalingExplorer: the 16 weights side by side, and running means over the draws.

// Pairs of bars, sorted by the unscaled weight. Each bar also carries its number.
class WeightBars {
  constructor(text) {
    this.body = h("tbody", {});
    this.element = scrollFrame(text.weights, h("table", { class: "bars" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", html: "<i>m</i>" }),
        h("th", { scope: "col", class: "one", html: `<i>a<sub>m</sub></i> &nbsp;${text.unscaled}` }),
        h("th", { scope: "col", class: "two", html: `<i>a<sub>m</sub></i> &nbsp;${text.scaled}` }))), this.body));
    keepChildren(this.body, KEYS, () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {})));
  }

  update({ unscaled, scaled }) {
    const order = range(KEYS).sort((a, b) => unscaled[b] - unscaled[a]);
    order.forEach((m, i) => {
      const [name, one, two] = this.body.rows[i].cells;
      setText(name, String(m + 1));
      [[one, unscaled[m]], [two, scaled[m]]].forEach(([cell, weight]) => {
        setText(cell, formatFixed(weight, 3));
        cell.style.setProperty("--share", weight);
      });
    });
  }
}

// Lines of running means, between 0 and 1, over 1 … draws.
class RunningChart {
  constructor(text) {
    this.lines = ["one", "two"].map((name) => h("polyline", { class: name, fill: "none" }));
    this.dots = ["one", "two"].map((name) => h("circle", { class: name, r: 4 }));
    this.texts = ["one", "two"].map((name) => h("text", { class: name, "text-anchor": "end" }));
    this.last = h("text", { class: "axis", x: 356, y: 344, "text-anchor": "end" });
    const grid = [0, 0.25, 0.5, 0.75, 1].map((y) => h("line", { class: "grid", x1: 34, x2: 356, y1: this.y(y), y2: this.y(y) }));
    const marks = [0, 0.5, 1].map((y) => {
      const label = h("text", { class: "axis", x: 28, y: this.y(y) + 4, "text-anchor": "end" });
      label.textContent = String(y);
      return label;
    });
    const uniform = h("line", { class: "uniform", x1: 34, x2: 356, y1: this.y(1 / 16), y2: this.y(1 / 16) });
    const sixteenth = h("text", { class: "axis", x: 36, y: this.y(1 / 16) - 4 });
    sixteenth.textContent = "1/16";
    const first = h("text", { class: "axis", x: 34, y: 344 });
    first.textContent = "1";
    this.svg = h("svg", { viewBox: "0 0 366 350", role: "img", "aria-label": text.running },
      ...grid, uniform, sixteenth, ...marks, first, this.last, ...this.lines, ...this.dots, ...this.texts);
    this.element = h("div", { class: "chart" }, this.svg);
  }

  y(value) {
    return 328 - 318 * value;
  }

  update({ runningUnscaled, runningScaled }) {
    const count = runningUnscaled.length;
    const x = (i) => 34 + (count === 1 ? 322 : (322 * i) / (count - 1));
    [runningUnscaled, runningScaled].forEach((means, which) => {
      const last = means.at(-1);
      this.lines[which].setAttribute("points", means.map((v, i) => `${x(i).toFixed(1)},${this.y(v).toFixed(1)}`).join(" "));
      this.dots[which].setAttribute("cx", x(count - 1));
      this.dots[which].setAttribute("cy", this.y(last));
      this.texts[which].setAttribute("x", 350);
      this.texts[which].setAttribute("y", this.y(last) + (last > 0.85 ? 18 : -9));
      setText(this.texts[which], formatFixed(last, 3));
    });
    setText(this.last, String(count));
  }
}
