// PositionExplorer: sinusoidal codes as clock hands and as a heat map.

// Codes of all positions; point at a column to stand there.
class CodeMap {
  constructor(text, onPick) {
    this.canvas = h("canvas", {});
    this.here = h("i", {});
    this.grid = h("div", { class: "code-grid" }, this.canvas, this.here);
    const at = (p) => h("span", { style: `left: ${((100 * (p + 0.5)) / (LAST_POSITION + 1)).toFixed(2)}%` }, String(p));
    const steps = range(9).map((i) => h("i", { class: shade((i - 4) / 4, 1) }));
    this.element = h("div", { class: "code-map", "aria-hidden": "true" }, this.grid,
      h("p", { class: "positions" }, ...[0, 16, 32, 48, LAST_POSITION].map(at)),
      h("p", { class: "colours" }, "−1", ...steps, "1"), h("p", { class: "hint" }, text.heat));
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

class PositionView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.size = choiceControl(text.size, SIZES.map((d) => [d, String(d)]), (size) => host.set({ size }));
    this.position = sliderControl(text.position, { min: 0, max: LAST_POSITION, step: 1 }, (position) => host.set({ position }));
    this.player = new Player(text, () => this.walk());
    this.codes = new DialRow(["code"]);
    this.map = new CodeMap(text, (position) => host.set({ position }));
    this.code = h("output", { class: "code" });
    this.element = h("div", {}, h("div", { class: "toolbar" }, this.size.element, this.position.element, this.player.button),
      h("div", { class: "card" }, this.code, this.codes.element, this.map.element));
  }

  // One position on; from the last one back to the first.
  walk() {
    const position = (this.host.store.state.position + 1) % (LAST_POSITION + 1);
    this.host.set({ position });
    return position < LAST_POSITION;
  }

  update(state, values) {
    const { size, position } = state;
    this.size.update(size);
    this.position.update(position);
    const code = column(values.encoding, position);
    setText(this.code, `PE${subscript(position)} = ${formatVector(code)}`);
    this.codes.update(size / 2, (i) => [[[code[2 * i + 1], code[2 * i]]], `<i>ω</i> = ${formatFixed(values.omegas[i], 4)}`,
      `${formatFixed(code[2 * i], 3)}  ${formatFixed(code[2 * i + 1], 3)}`]);
    this.map.update(values.encoding, position);
    if (!this.player.timer) this.host.say(`PE ${position}: ${formatVector(code)}`);
  }

  destroy() {
    this.player.stop();
  }
}

const positionKind = {
  name: "position",
  styles: dialsStyles + positionStyles,
  fields: { size: integerField(2, 16), position: integerField(0, LAST_POSITION) },
  labels: positionLabels,
  check: checkPosition,
  compute: computePosition,
  view: (host) => new PositionView(host),
};
