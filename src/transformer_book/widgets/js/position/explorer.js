// PositionExplorer: sinusoidal codes as clock hands and heat map; rotary scores that depend on the offset alone.

// Codes of all positions; point at a column to stand there.
class CodeMap {
  constructor(text, onPick) {
    this.canvas = h("canvas", { role: "img", "aria-label": text.heat });
    this.here = h("i", {});
    this.grid = h("div", { class: "code-grid" }, this.canvas, this.here);
    this.element = h("div", { class: "code-map" }, this.grid, h("p", { class: "hint", "aria-hidden": "true" }, text.heat));
    const pick = ({ type, buttons, offsetX }) => {
      const place = Math.floor((offsetX / this.grid.clientWidth) * (LAST_POSITION + 1));
      if ((type === "click" || buttons) && place >= 0 && place <= LAST_POSITION && place !== this.position) onPick(place);
    };
    for (const name of ["click", "pointermove"]) this.grid.addEventListener(name, pick);
  }

  update(encoding, position) {
    this.position = position;
    this.grid.style.setProperty("--rows", encoding.length);
    this.here.style.translate = `${100 * position}% 0`;
    paint(this.canvas, encoding.length, LAST_POSITION + 1, (d, p) => encoding[d][p]);
  }
}

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
    this.zero = h("line", { class: "grid", x1: 20, x2: 346 });
    this.svg = h("svg", { viewBox: "0 0 366 282", role: "img", "aria-label": text.curve },
      this.zero, h("line", { class: "grid", x1: this.x(0), x2: this.x(0), y1: 10, y2: 260 }), ...marks,
      this.line, this.dot, this.label);
    this.element = h("div", { class: "chart" }, this.svg);
  }

  x(offset) {
    return 183 + 2.55 * offset;
  }

  update({ scores, offsets, score }, offset) {
    const limit = Math.max(1e-9, ...scores.map(Math.abs), Math.abs(score));
    const y = (value) => 135 - (100 * value) / limit;
    this.line.setAttribute("points", offsets.map((o, i) => `${this.x(o).toFixed(1)},${y(scores[i]).toFixed(1)}`).join(" "));
    this.zero.setAttribute("y1", y(0));
    this.zero.setAttribute("y2", y(0));
    this.dot.setAttribute("cx", this.x(offset));
    this.dot.setAttribute("cy", y(score));
    this.label.setAttribute("x", Math.max(40, Math.min(326, this.x(offset))));
    this.label.setAttribute("y", y(score) + (score < 0 ? 22 : -11));
    setText(this.label, formatFixed(score, 3));
  }
}

class PositionView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    const slider = (name, label) => sliderControl(label, { min: 0, max: LAST_POSITION, step: 1 }, (value) => host.set({ [name]: value }));
    this.size = choiceControl(text.size, SIZES.map((d) => [d, String(d)]), (size) => host.set({ size }));
    this.position = slider("position", text.position);
    this.codes = new DialRow(["code"]);
    this.map = new CodeMap(text, (position) => host.set({ position }));
    this.code = h("output", { class: "code" });
    this.n = slider("n", text.queryAt);
    this.m = slider("m", text.keyAt);
    this.back = buttonControl("−1", () => this.shift(-1), { "aria-label": text.back, class: "action main" });
    this.forward = buttonControl("+1", () => this.shift(1), { "aria-label": text.forward, class: "action main" });
    this.turned = new DialRow(["query", "key"]);
    this.vectors = new MatrixView({ name: text.vectors, title: "<b>q</b>, <b>k</b>", onEdit: (row, which, entry) => this.edit(row, which, entry) });
    this.chart = new OffsetChart(text);
    this.score = h("output", { class: "score" });
    this.element = h("div", {}, this.sinusoidalPart(text), this.ropePart(text));
  }

  sinusoidalPart(text) {
    return h("div", { class: "card" }, h("p", { class: "panel-title" }, text.sinusoidal),
      h("div", { class: "toolbar" }, this.size.element, this.position.element),
      this.code, this.codes.element, this.map.element);
  }

  ropePart(text) {
    return h("div", { class: "card rope" }, h("p", { class: "panel-title" }, text.rope),
      h("div", { class: "toolbar" }, this.n.element, this.m.element,
        h("div", { class: "shift", role: "group", "aria-label": text.together }, h("span", {}, text.together), this.back, this.forward)),
      h("p", { class: "score-line" }, this.score, h("span", { class: "key-of query", html: "<b>q</b>" }), h("span", { class: "key-of key", html: "<b>k</b>" })),
      h("div", { class: "panels" }, h("div", {}, this.turned.element, this.vectors.element),
        h("div", {}, h("p", { class: "hint" }, text.curve), this.chart.element)));
  }

  shift(step) {
    const { n, m } = this.host.store.state;
    this.host.set({ n: n + step, m: m + step });
  }

  edit(row, which, entry) {
    const name = which === 0 ? "q" : "k";
    return this.host.set({ [name]: this.host.store.state[name].with(row, entry) });
  }

  update(state, values) {
    const { size, position, q, k, n, m } = state;
    this.size.update(size);
    this.position.update(position);
    this.n.update(n);
    this.m.update(m);
    this.back.disabled = Math.min(n, m) === 0;
    this.forward.disabled = Math.max(n, m) === LAST_POSITION;
    const code = column(values.encoding, position);
    setText(this.code, `PE${subscript(position)} = ${formatVector(code)}`);
    this.codes.update(size / 2, (i) => [[[code[2 * i + 1], code[2 * i]]], `<i>ω</i> = ${formatFixed(values.omegas[i], 4)}`,
      `${formatFixed(code[2 * i], 3)}  ${formatFixed(code[2 * i + 1], 3)}`]);
    this.map.update(values.encoding, position);
    const pair = (vector, i) => [vector[2 * i], vector[2 * i + 1]];
    const reach = Math.max(1, largestSize([q, k]));
    const drawn = (vector, i) => pair(vector, i).map((x) => x / reach);
    this.turned.update(q.length / 2, (i) => [[drawn(values.turnedQuery, i), drawn(values.turnedKey, i)],
      `<i>θ</i> = ${formatFixed(values.thetas[i], 4)}`,
      `s${subscript(i + 1)} = ${formatFixed(dot(pair(values.turnedKey, i), pair(values.turnedQuery, i)), 3)}`]);
    this.vectors.update({ values: transpose([q, k]), rows: range(q.length).map((d) => String(d + 1)), columns: ["q", "k"] });
    this.chart.update(values, n - m);
    setText(this.score, `n − m = ${String(n - m).replace("-", "−")}    s = ${formatFixed(values.score, 3)}`);
    this.host.say(`n − m = ${n - m}, s = ${formatFixed(values.score, 3)}; PE ${position}: ${formatVector(code)}`);
  }
}

const positionKind = {
  name: "position",
  styles: positionStyles,
  fields: {
    size: integerField(2, 16), position: integerField(0, LAST_POSITION), q: vectorField(), k: vectorField(),
    n: integerField(0, LAST_POSITION), m: integerField(0, LAST_POSITION),
  },
  labels: positionLabels,
  check: checkPosition,
  compute: computePosition,
  view: (host) => new PositionView(host),
};
