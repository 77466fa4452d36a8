// Every head of a model as a small map, layers along the longer side; one of them is chosen.

class Overview {
  constructor(text, onPick, onStep) {
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.frame = h("div", { class: "chosen" });
    this.hovered = h("span", { class: "hovered", "aria-hidden": "true", hidden: true });
    this.stage = h("div", { class: "stage" }, this.canvas, this.frame, this.hovered);
    this.element = h("div", { class: "overview", tabIndex: 0, role: "group", "aria-label": text.overview,
      on: {
        keydown: (event) => {
          const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
          if (!step) return;
          event.preventDefault();
          onStep(...(this.across ? step : [...step].reverse()));
        },
      } }, this.stage);
    this.stage.addEventListener("click", (event) => onPick(...this.at(event)));
    this.stage.addEventListener("pointermove", (event) => this.nameHead(event));
    this.stage.addEventListener("pointerleave", () => (this.hovered.hidden = true));
  }

  // Layer and head of the map under the pointer.
  at({ clientX, clientY }) {
    const box = this.stage.getBoundingClientRect();
    const place = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    const [x, y] = [place((clientX - box.left) / box.width, this.columns), place((clientY - box.top) / box.height, this.rows)];
    return this.across ? [x, y] : [y, x];
  }

  nameHead(event) {
    const [layer, head] = this.at(event);
    const [x, y] = this.across ? [layer, head] : [head, layer];
    setText(this.hovered, `L${layer}H${head}`);
    this.hovered.style.left = `min(${(100 * x) / this.columns}%, 100% - 66px)`;
    this.hovered.style[y > 0 ? "bottom" : "top"] = `${y > 0 ? 100 - (100 * y) / this.rows : 100 / this.rows}%`;
    this.hovered.style[y > 0 ? "top" : "bottom"] = "";
    this.hovered.hidden = event.pointerType !== "mouse";
  }

  update({ layers, heads, maps, tokens }, layer, head, theme) {
    this.across = layers >= heads; // layers from left to right
    [this.columns, this.rows] = this.across ? [layers, heads] : [heads, layers];
    this.stage.style.setProperty("--columns", this.columns);
    this.stage.style.setProperty("--rows", this.rows);
    const [x, y] = this.across ? [layer, head] : [head, layer];
    this.frame.style.left = `${(100 * x) / this.columns}%`;
    this.frame.style.top = `${(100 * y) / this.rows}%`;
    this.frame.style.width = `${100 / this.columns}%`;
    this.frame.style.height = `${100 / this.rows}%`;
    if (this.drawn !== maps || this.theme !== theme) this.draw(maps, tokens.length, heads, theme);
    this.drawn = maps;
    this.theme = theme;
  }

  // One pixel for each weight and one between maps; the browser enlarges it without smoothing.
  draw(maps, count, heads, theme) {
    const cell = count + 1;
    this.canvas.width = this.columns * cell;
    this.canvas.height = this.rows * cell;
    if (!maps) return;
    const palette = range(SHADES + 1).map((step) => shadeColour(theme, "positive", step));
    const context = this.canvas.getContext("2d");
    const image = context.createImageData(this.canvas.width, this.canvas.height);
    maps.forEach((matrix, index) => {
      const [layer, head] = [Math.floor(index / heads), index % heads];
      const [x, y] = this.across ? [layer, head] : [head, layer];
      matrix.forEach((row, m) => row.forEach((weight, n) => {
        const at = 4 * ((y * cell + m) * image.width + x * cell + n);
        image.data.set(palette[Math.round(weight * SHADES)], at);
        image.data[at + 3] = 255;
      }));
    });
    context.putImageData(image, 0, 0);
  }
}
