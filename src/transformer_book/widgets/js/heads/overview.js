// Every head of a model as a small map, a column a layer and a row a head; one of them is chosen.

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
          onStep(...step);
        },
      } }, this.stage);
    this.stage.addEventListener("click", (event) => onPick(...this.at(event)));
    this.stage.addEventListener("pointermove", (event) => this.nameHead(event));
    this.stage.addEventListener("pointerleave", () => (this.hovered.hidden = true));
  }

  // Layer and head of the map under the pointer.
  at({ clientX, clientY }) {
    const box = this.stage.getBoundingClientRect();
    const part = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    return [part((clientX - box.left) / box.width, this.layers), part((clientY - box.top) / box.height, this.heads)];
  }

  nameHead(event) {
    const [layer, head] = this.at(event);
    setText(this.hovered, `L${layer}H${head}`);
    this.hovered.style.left = `min(${(100 * layer) / this.layers}%, 100% - 66px)`;
    this.hovered.style.top = head > 0 ? "" : `${100 / this.heads}%`;
    this.hovered.style.bottom = head > 0 ? `${100 - (100 * head) / this.heads}%` : "";
    this.hovered.hidden = event.pointerType !== "mouse";
  }

  update({ layers, heads, maps, tokens }, layer, head, theme) {
    Object.assign(this, { layers, heads });
    this.stage.style.setProperty("--columns", layers);
    this.stage.style.setProperty("--rows", heads);
    this.frame.style.translate = `${100 * layer}% ${100 * head}%`;
    if (this.drawn !== maps || this.theme !== theme) this.draw(maps, tokens.length + 1);
    this.drawn = maps;
    this.theme = theme;
  }

  // A line of pixels between maps stays clear.
  draw(maps, cell) {
    const mapAt = (y, x) => maps?.[Math.floor(x / cell) * this.heads + Math.floor(y / cell)];
    paint(this.canvas, this.heads * cell, this.layers * cell, (y, x) => mapAt(y, x)?.[y % cell]?.[x % cell]);
  }
}
