// The course of a training: the loss above, the highest induction score below, over the updates.

const CHART = { left: 40, right: 356, top: [24, 164], height: 104 };

class CourseChart {
  constructor(text, { steps, guess }) {
    this.steps = steps;
    this.panels = [
      this.panel(0, "one", text.loss, [0, 1, 2, 3, 4], [guess, text.guess]), this.panel(1, "two", text.induction, [0, 0.5, 1], [0.5, ""]),
    ];
    const last = h("text", { class: "axis", x: CHART.right, y: 290, "text-anchor": "end" });
    last.textContent = text.steps(steps);
    const parts = this.panels.flatMap(({ fixed, line, value }) => [...fixed, line, value]);
    this.svg = h("svg", { viewBox: "0 0 366 298", role: "img" }, ...parts, last);
    this.element = h("div", { class: "chart" }, this.svg);
  }

  panel(place, name, title, marks, [level, word]) {
    const [top, most] = [CHART.top[place], marks.at(-1)];
    const y = (value) => top + CHART.height * (1 - Math.min(value, most) / most);
    const write = (words, x, at, options = {}) => {
      const label = h("text", { class: "axis", x, y: at, ...options });
      label.textContent = words;
      return label;
    };
    const across = (value, kind) => h("line", { class: kind, x1: CHART.left, x2: CHART.right, y1: y(value), y2: y(value) });
    const fixed = [...marks.map((mark) => across(mark, "grid")), across(level, "uniform"),
      ...marks.map((mark) => write(String(mark), CHART.left - 6, y(mark) + 4, { "text-anchor": "end" })),
      write(word, CHART.left + 4, y(level) - 4), write(title, CHART.left, top - 4, { class: name })];
    return { y, fixed, line: h("polyline", { class: name, fill: "none" }), value: write("", CHART.right, top - 4, { class: name, "text-anchor": "end" }) };
  }

  // points: [step, loss, score] of each look.
  update(points, spoken) {
    this.svg.setAttribute("aria-label", spoken);
    this.panels.forEach(({ y, line, value }, i) => {
      const x = (step) => CHART.left + ((CHART.right - CHART.left) * step) / this.steps;
      line.setAttribute("points", points.map((point) => `${x(point[0]).toFixed(1)},${y(point[i + 1]).toFixed(1)}`).join(" "));
      setText(value, points.length ? formatFixed(points.at(-1)[i + 1], 2) : "");
    });
  }
}
