// A matrix too wide for numbers, as colours: a canvas. The number under the pointer, or where the arrow keys went, stands
// beside the title and is spoken. Of one that can be edited a cell is chosen, and its number is a field.

class ColourMap {
  // view: the MatrixView that it stands in for. Names are lines of one text: elements would cost the browser more.
  constructor(view) {
    const { name, hint, onEdit, onPoint, onPick } = view;
    Object.assign(this, { view, onEdit, onPoint, onPick, at: onEdit ? [0, 0] : null, marked: -1, rows: [], columns: [] });
    const names = (side) => h("div", { class: side, "aria-hidden": "true" });
    const part = (side) => h("i", { class: side, hidden: true });
    Object.assign(this, {
      title: h("p", {}), number: h("output", {}), field: h("span", { class: "field" }), columnNames: names("columns"), rowNames: names("rows"),
      canvas: h("canvas", {}), column: part("column"), cell: part("cell"),
    });
    this.stage = h("div", { class: "map-stage", tabIndex: 0, role: "group", "aria-label": `${name}: ${hint}`,
      on: {
        pointermove: (event) => event.pointerType === "mouse" && !onEdit && this.point(this.placeOf(event)),
        pointerleave: () => this.stage.matches(":focus") || this.leave(),
        focus: () => this.point(this.at ?? [0, Math.max(0, this.marked)]),
        blur: () => this.leave(),
        click: (event) => {
          this.point(this.placeOf(event));
          this.pick();
        },
        keydown: (event) => this.key(event),
      } }, this.canvas, this.column, this.cell);
    this.element = h("div", { class: "colour-map" }, this.title, h("div", { class: "number" }, this.number, this.field), this.columnNames, this.rowNames, this.stage);
  }

  placeOf({ offsetX, offsetY }) {
    const part = (offset, size, count) => Math.max(0, Math.min(count - 1, Math.floor((offset / size) * count)));
    return [part(offsetY, this.stage.clientHeight, this.rows.length), part(offsetX, this.stage.clientWidth, this.columns.length)];
  }

  key(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const picks = ["Enter", " "].includes(event.key);
    if (!this.at || !(step || picks)) return;
    event.preventDefault();
    if (picks) return this.pick();
    this.point(this.inside(this.at.map((x, i) => x + step[i])));
    return this.cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  pick() {
    this.onPick?.(this.at[1]);
    this.field.firstElementChild?.focus();
  }

  leave() {
    if (this.onEdit) this.onPoint?.(-1, -1);
    else this.point(null);
  }

  inside([row, column]) {
    return [[row, this.rows], [column, this.columns]].map(([x, names]) => Math.max(0, Math.min(names.length - 1, x)));
  }

  // The cell in view, or none (null).
  point(place) {
    if (!this.onEdit && same(place, this.at)) return;
    this.at = place;
    this.show();
    this.onPoint?.(...(place ? [place[1], place[0]] : [-1, -1]));
  }

  show() {
    this.cell.hidden = !this.at;
    if (!this.at) return setText(this.number, "");
    const [m, n] = this.at;
    this.cell.style.translate = `${100 * n}% ${100 * m}%`;
    const text = formatEntry(this.values[m][n], this.whole);
    if (this.onEdit) this.showField(m, n, text);
    return setText(this.number, `(${m + 1}, ${n + 1})  ${this.rows[m]}, ${this.columns[n]}: ${text}`);
  }

  showField(m, n, text) {
    if (!same(this.edited, this.at)) this.field.replaceChildren(this.view.makeInput(m, n));
    this.edited = this.at;
    const input = this.field.firstElementChild;
    if (input.dataset.valid !== text || !input.matches(":focus")) input.value = text;
    input.dataset.valid = text;
  }

  update({ values, rows, columns, limit, title }) {
    const whole = this.onEdit || isWhole(values.map((row) => row.filter(Number.isFinite)));
    setHtml(this.title, title);
    const cell = Math.max(12, Math.min(600 / columns.length, 26)); // pixels
    this.element.style.setProperty("--cell", `${cell}px`);
    this.stage.style.width = `${columns.length * cell}px`;
    this.stage.style.height = `${rows.length * cell}px`;
    setText(this.rowNames, rows.join("\n"));
    setText(this.columnNames, columns.join("\n"));
    Object.assign(this, { values, rows, columns, whole });
    paint(this.canvas, rows.length, columns.length, (m, n) => values[m][n], limit);
    if (this.at) this.at = this.inside(this.at);
    this.show();
  }

  mark(n) {
    this.marked = n;
    this.column.hidden = n < 0;
    this.column.style.translate = `${100 * n}% 0`;
  }
}
