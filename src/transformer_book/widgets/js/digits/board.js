// The board to draw on: by mouse and finger, or with the arrow keys and the space bar.

class Board {
  // onPaint(at): paint there. onStep(row, column, ink): the cursor stands there now.
  constructor(text, onPaint, onStep) {
    Object.assign(this, { onPaint, onStep });
    this.cursor = 3 * SIDE + 3;
    this.cells = range(SIDE * SIDE).map((i) => h("i", { "data-at": i }));
    const properties = { class: "board", tabIndex: 0, role: "application", "aria-label": text.board };
    this.element = h("div", { ...properties, on: { keydown: (event) => this.key(event) } }, ...this.cells);
    this.element.addEventListener("pointerdown", (event) => this.take(event));
  }

  take(event) {
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    const paint = ({ clientX, clientY }) => {
      const box = this.element.getBoundingClientRect();
      const [column, row] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height].map((share) => Math.floor(share * SIDE));
      const at = row * SIDE + column;
      if (Math.min(row, column) < 0 || Math.max(row, column) >= SIDE || at === this.last) return;
      this.last = at;
      this.cursor = at;
      this.onPaint(at);
    };
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener("pointermove", paint);
    const end = () => {
      this.element.removeEventListener("pointermove", paint);
      this.last = -1;
    };
    for (const name of ["pointerup", "pointercancel"]) this.element.addEventListener(name, end, { once: true });
    paint(event);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -SIDE, ArrowDown: SIDE }[event.key];
    if (step === undefined && event.key !== " ") return;
    event.preventDefault();
    if (event.key === " ") return this.onPaint(this.cursor);
    const moved = this.cursor + step;
    const sameLine = Math.abs(step) > 1 || Math.floor(moved / SIDE) === Math.floor(this.cursor / SIDE);
    if (moved >= 0 && moved < SIDE * SIDE && sameLine) this.cursor = moved;
    this.onStep(Math.floor(this.cursor / SIDE) + 1, (this.cursor % SIDE) + 1, this.pixels[this.cursor]);
    return this.show();
  }

  update(pixels) {
    this.pixels = pixels;
    this.show();
  }

  show() {
    this.cells.forEach((cell, at) => {
      cell.style.setProperty("--ink", this.pixels[at] / INK);
      setClass(cell, at === this.cursor ? "here" : "");
    });
  }
}
