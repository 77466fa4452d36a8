// Query and keys as arrows from one point. A tip is dragged by mouse or finger; the table beside does the same by key.

const UNIT = 40;

class ArrowPicture {
  // onMove(place, [x, y]): place 0 is the query, then the keys.
  constructor(onMove) {
    this.onMove = onMove;
    this.ray = h("line", { class: "ray" });
    this.drop = h("line", { class: "drop" });
    this.shadow = h("line", { class: "shadow" });
    this.arrows = h("g", {});
    const grid = range(2 * REACH + 1).flatMap((i) => {
      const at = (i - REACH) * UNIT;
      const end = REACH * UNIT;
      const line = (ends) => h("line", { class: "grid", ...ends });
      return [line({ x1: at, x2: at, y1: -end, y2: end }), line({ y1: at, y2: at, x1: -end, x2: end })];
    });
    const half = REACH * UNIT + 24;
    this.svg = h("svg", { viewBox: `${-half} ${-half} ${2 * half} ${2 * half}`, "aria-hidden": "true" },
      ...grid, this.ray, this.drop, this.shadow, this.arrows);
    this.element = h("div", { class: "picture" }, this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.take(event));
  }

  take(event) {
    const held = event.target.closest("[data-place]");
    if (!held) return;
    event.preventDefault();
    const place = Number(held.dataset.place);
    const move = (moved) => this.onMove(place, this.pointAt(moved));
    this.svg.setPointerCapture(event.pointerId);
    this.svg.addEventListener("pointermove", move);
    for (const end of ["pointerup", "pointercancel"]) {
      this.svg.addEventListener(end, () => this.svg.removeEventListener("pointermove", move), { once: true });
    }
  }

  // In steps of a quarter, so that numbers stay readable.
  pointAt({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, -y].map((value) => Math.max(-REACH, Math.min(REACH, Math.round((4 * value) / UNIT) / 4)) + 0);
  }

  update({ keys, feet, weights }, q, chosen) {
    keepChildren(this.arrows, keys.length + 1, (i) => h("g", { "data-place": i },
      h("line", { class: "hand" }), h("circle", { class: "grip", r: 18 }), h("circle", { class: "tip" }), h("text", {})));
    [q, ...keys].forEach((vector, i) => this.drawArrow(this.arrows.children[i], vector, i, i === 0 ? 1 : weights[i - 1], i === chosen));
    const far = Math.hypot(...q) === 0 ? [0, 0] : q.map((x) => (x / Math.max(...q.map(Math.abs))) * REACH);
    this.line(this.ray, far.map((x) => -x), far);
    this.line(this.drop, keys[chosen - 1], feet[chosen - 1]);
    this.line(this.shadow, [0, 0], feet[chosen - 1]);
  }

  drawArrow(group, vector, i, weight, chosen) {
    group.setAttribute("class", i === 0 ? "query" : chosen ? "key chosen" : "key");
    const [hand, grip, tip, name] = group.children;
    this.line(hand, [0, 0], vector);
    hand.setAttribute("stroke-width", (2 + 6 * weight).toFixed(2));
    const [x, y] = [vector[0] * UNIT, -vector[1] * UNIT];
    for (const circle of [grip, tip]) {
      circle.setAttribute("cx", x);
      circle.setAttribute("cy", y);
    }
    name.setAttribute("x", i === 0 ? x - 24 : x + 11);
    name.setAttribute("y", y - 9);
    tip.setAttribute("r", i === 0 ? 10 : 7); // a key on the same place leaves a ring of it
    setText(name, i === 0 ? "q" : `k${subscript(i)}`);
  }

  line(element, [x1, y1], [x2, y2]) {
    for (const [name, value] of Object.entries({ x1, y1: -y1, x2, y2: -y2 })) element.setAttribute(name, (value * UNIT).toFixed(2));
  }
}
