// RotaryExplorer: a query and a key turned by their positions; the score depends on the offset alone.

// Score over offset n − m.
class OffsetChart {
  constructor(text) {
    this.line = h("polyline", { class: "two", fill: "none" });
    this.dot = h("circle", { class: "one", r: 6 });
    this.label = h("text", { class: "one", "text-anchor": "middle" });
    const marks = [-LAST_POSITION, 0, LAST_POSITION].map((offset) => {
      const mark = h("text", { class: "axis", x: this.x(offset), y: 276, "text-anchor": "middle" });
      mark.textContent = offset === 0 ? "n − m = 0" : String(offset).replace("-", "−");
      return mark;
    });
    this.zero = h("line", { class: "grid", x1: 42, x2: 356, y1: 135, y2: 135 });
    this.scale = [35, 135, 235].map((y) => h("text", { class: "axis", x: 36, y: y + 4, "text-anchor": "end" }));
    this.svg = h("svg", { viewBox: "0 0 366 282", role: "img", "aria-label": text.curve },
      this.zero, h("line", { class: "grid", x1: this.x(0), x2: this.x(0), y1: 10, y2: 260 }), ...marks, ...this.scale,
      this.line, this.dot, this.label);
    this.element = h("div", { class: "chart" }, this.svg);
  }

  x(offset) {
    return 200 + 2.45 * offset;
  }

  update({ scores, offsets, score }, offset) {
    const limit = Math.max(1e-9, ...scores.map(Math.abs), Math.abs(score));
    const y = (value) => 135 - (100 * value) / limit;
    this.line.setAttribute("points", offsets.map((o, i) => `${this.x(o).toFixed(1)},${y(scores[i]).toFixed(1)}`).join(" "));
    [limit, 0, -limit].forEach((value, i) => setText(this.scale[i], value === 0 ? "0" : formatFixed(value, 1).replace("-", "−")));
    this.dot.setAttribute("cx", this.x(offset));
    this.dot.setAttribute("cy", y(score));
    this.label.setAttribute("x", Math.max(62, Math.min(336, this.x(offset))));
    this.label.setAttribute("y", y(score) + (score < 0 ? 22 : -11));
    setText(this.label, formatFixed(score, 3));
  }
}

class RotaryView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    const slider = (name, label) => sliderControl(label, { min: 0, max: LAST_POSITION, step: 1 }, (value) => host.set({ [name]: value }));
    this.n = slider("n", text.queryAt);
    this.m = slider("m", text.keyAt);
    this.back = buttonControl("−1", () => this.shift(-1), { "aria-label": text.back });
    this.forward = buttonControl("+1", () => this.shift(1), { "aria-label": text.forward });
    this.player = new Player(text, () => this.walk());
    this.turned = new DialRow(["query", "key"]);
    this.vectors = new MatrixView({ name: text.vectors, title: "<b>q</b>, <b>k</b>", onEdit: (row, which, entry) => this.edit(row, which, entry) });
    this.chart = new OffsetChart(text);
    this.score = h("output", { class: "score" });
    this.element = h("div", {}, h("div", { class: "toolbar" }, this.n.element, this.m.element,
      h("div", { class: "shift", role: "group", "aria-label": text.together }, h("span", {}, text.together), this.back, this.forward, this.player.button)),
      h("p", { class: "score-line" }, this.score, h("span", { class: "key-of query", html: "<b>q</b>" }), h("span", { class: "key-of key", html: "<b>k</b>" })),
      h("div", { class: "panels" }, h("div", { class: "card" }, this.turned.element, this.vectors.element),
        h("div", { class: "card" }, h("p", { class: "hint" }, text.curve), this.chart.element)));
  }

  shift(step) {
    const { n, m } = this.host.store.state;
    this.host.set({ n: n + step, m: m + step });
  }

  // Both one position on; from the last one back to the first.
  walk() {
    const { n, m } = this.host.store.state;
    this.shift(Math.max(n, m) < LAST_POSITION ? 1 : -Math.min(n, m));
    const { state } = this.host.store;
    return Math.max(state.n, state.m) < LAST_POSITION;
  }

  edit(row, which, entry) {
    const name = which === 0 ? "q" : "k";
    return this.host.set({ [name]: this.host.store.state[name].with(row, entry) });
  }

  update({ q, k, n, m }, values) {
    this.n.update(n);
    this.m.update(m);
    this.back.disabled = Math.min(n, m) === 0;
    this.forward.disabled = Math.max(n, m) === LAST_POSITION;
    const pair = (vector, i) => [vector[2 * i], vector[2 * i + 1]];
    const reach = Math.max(1, largestSize([q, k]));
    const drawn = (vector, i) => pair(vector, i).map((x) => x / reach);
    this.turned.update(q.length / 2, (i) => [[drawn(values.turnedQuery, i), drawn(values.turnedKey, i)],
      `<i>θ</i> = ${formatFixed(values.thetas[i], 4)}`,
      `s${subscript(i + 1)} = ${formatFixed(dot(pair(values.turnedKey, i), pair(values.turnedQuery, i)), 3)}`]);
    this.vectors.update({ values: transpose([q, k]), rows: range(q.length).map((d) => String(d + 1)), columns: ["q", "k"] });
    this.chart.update(values, n - m);
    setText(this.score, `n − m = ${String(n - m).replace("-", "−")}    s = ${formatFixed(values.score, 3)}`);
    if (!this.player.timer) this.host.say(`n − m = ${n - m}, s = ${formatFixed(values.score, 3)}`);
  }

  destroy() {
    this.player.stop();
  }
}

const rotaryKind = {
  name: "rotary",
  styles: dialsStyles + rotaryStyles,
  fields: { q: vectorField(), k: vectorField(), n: integerField(0, LAST_POSITION), m: integerField(0, LAST_POSITION) },
  labels: rotaryLabels,
  check: checkRotary,
  compute: computeRotary,
  view: (host) => new RotaryView(host),
};
