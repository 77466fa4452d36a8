// A dial: hands on a circle, counter-clockwise from the right, as R(θ) turns.

class Dial {
  // hands: classes of the hands, drawn in this order.
  constructor(hands) {
    this.hands = hands.map((name) => ({
      line: h("line", { class: `hand ${name}`, x1: 0, y1: 0 }), tip: h("circle", { class: `tip ${name}`, r: 5 }),
    }));
    this.arc = h("path", { class: "arc" });
    const svg = h("svg", { viewBox: "-56 -56 112 112", "aria-hidden": "true" },
      h("circle", { class: "rim", r: 50 }), h("line", { class: "grid", x1: -50, x2: 50, y1: 0, y2: 0 }),
      h("line", { class: "grid", y1: -50, y2: 50, x1: 0, x2: 0 }), this.arc,
      ...this.hands.flatMap(({ line, tip }) => [line, tip]));
    this.name = h("p", { class: "dial-name" });
    this.numbers = h("p", { class: "dial-numbers" });
    this.element = h("div", { class: "dial" }, this.name, svg, this.numbers);
  }

  // points: [x, y] of each hand in units of the rim; longer vectors are drawn up to the rim.
  update(points, name, numbers) {
    points.forEach(([x, y], i) => {
      const stretch = 50 / Math.max(1, Math.hypot(x, y));
      const { line, tip } = this.hands[i];
      for (const [element, a, b] of [[line, "x2", "y2"], [tip, "cx", "cy"]]) {
        element.setAttribute(a, (x * stretch).toFixed(2));
        element.setAttribute(b, (-y * stretch).toFixed(2));
      }
    });
    if (points.length === 2) this.between(points);
    setHtml(this.name, name);
    setText(this.numbers, numbers);
  }

  // The angle between two hands, which a common shift leaves alone.
  between([[ax, ay], [bx, by]]) {
    const [from, to] = [Math.atan2(ay, ax), Math.atan2(by, bx)];
    const turn = Math.atan2(Math.sin(to - from), Math.cos(to - from));
    const at = (angle) => `${(22 * Math.cos(angle)).toFixed(2)} ${(-22 * Math.sin(angle)).toFixed(2)}`;
    this.arc.setAttribute("d", `M ${at(from)} A 22 22 0 0 ${turn > 0 ? 0 : 1} ${at(to)}`);
  }
}

// A row of dials, as many as there are pairs.
class DialRow {
  constructor(hands) {
    this.hands = hands;
    this.dials = [];
    this.element = h("div", { class: "dials" });
  }

  update(count, describe) {
    while (this.dials.length > count) this.dials.pop().element.remove();
    while (this.dials.length < count) {
      this.dials.push(new Dial(this.hands));
      this.element.append(this.dials.at(-1).element);
    }
    this.dials.forEach((dial, i) => dial.update(...describe(i)));
  }
}
