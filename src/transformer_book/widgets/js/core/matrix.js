// A matrix as a table: every entry a number and a colour, rows and columns named. A wider one is drawn in colours alone.

const MOST_WRITTEN = 12; // columns; a change in a table of 64 costs the browser a fifth of a second, of 16 a frame

class MatrixView {
  // title: HTML of the heading; name: how a screen reader calls the matrix; hint: what keys do on one in colours.
  // onEdit(row, column, text): entries become inputs. onPoint(column, row) and onPick(column): follow a column.
  // blank: what would read as zero is left out.
  constructor({ title, name, hint = "", onEdit = null, onPoint = null, onPick = null, buttons = false, blank = false }) {
    Object.assign(this, { name, hint, onEdit, onPoint, onPick, buttons, blank });
    this.cells = [];
    this.marked = -1;
    this.head = h("tr", {});
    this.body = h("tbody", {});
    this.foot = h("tr", { class: "sums" });
    this.caption = h("caption", { html: title });
    this.table = h("table", { class: "matrix" }, this.caption,
      h("thead", {}, this.head), this.body, h("tfoot", {}, this.foot));
    this.element = scrollFrame(name, this.table);
    if (onPoint) this.follow(onPoint);
  }

  follow(onPoint) {
    const at = (event) => event.target.closest("[data-column]")?.dataset;
    const point = (event) => {
      const place = at(event);
      if (place) onPoint(Number(place.column), Number(place.row ?? -1));
    };
    this.table.addEventListener("pointerover", (event) => event.pointerType === "mouse" && point(event));
    this.table.addEventListener("pointerleave", () => onPoint(-1, -1));
    this.table.addEventListener("focusin", point);
    this.table.addEventListener("focusout", () => onPoint(-1, -1));
    this.table.addEventListener("click", (event) => {
      const place = at(event);
      if (place && this.onPick) this.onPick(Number(place.column));
    });
  }

  // rows, columns: texts of the heads; limit: value of the strongest colour; sums: a line below.
  update({ values, rows, columns, limit = largestSize(values), corner = "", sums = null, title = null }) {
    const wide = columns.length > MOST_WRITTEN;
    this.table.hidden = wide;
    if (this.map) this.map.element.hidden = !wide;
    if (title !== null) setHtml(this.caption, title);
    if (wide) return this.colours().update({ values, rows, columns, limit, title: this.caption.innerHTML });
    this.resize(values.length, values[0].length);
    setText(this.head.firstElementChild, corner);
    columns.forEach((text, n) => this.nameColumn(n, text));
    const whole = this.onEdit || isWhole(values.map((row) => row.filter(Number.isFinite)));
    values.forEach((row, m) => {
      setText(this.body.rows[m].cells[0], rows[m]);
      row.forEach((value, n) => this.show(m, n, value, limit, whole));
    });
    this.foot.hidden = sums === null;
    if (sums) {
      keepChildren(this.foot, sums.length + 1, (n) => h(n ? "td" : "th", n ? {} : { scope: "row" }));
      setText(this.foot.cells[0], "Σ");
      sums.forEach((sum, n) => setText(this.foot.cells[n + 1], formatFixed(sum, 3)));
    }
    return undefined;
  }

  colours() {
    if (!this.map) {
      this.map = new ColourMap(this);
      this.element.append(this.map.element);
      frameWatcher.observe(this.map.element);
      this.map.mark(this.marked);
    }
    return this.map;
  }

  nameColumn(n, text) {
    const head = this.head.cells[n + 1];
    setText(this.buttons ? head.firstElementChild : head, text);
  }

  // What a cell holds is remembered: asking the document for it would cost more than the arithmetic.
  show(m, n, value, limit, whole) {
    const cell = this.cells[m][n];
    const text = this.blank && Math.abs(value) < 0.0005 ? "" : formatEntry(value, whole);
    if (this.onEdit) {
      const input = cell.firstElementChild;
      const changed = this.texts[m][n] !== text;
      if (input.value !== text && (changed || !input.matches(":focus"))) input.value = text;
      if (changed) input.dataset.valid = text;
    } else if (this.texts[m][n] !== text) cell.firstChild.data = text;
    const name = shade(value, limit);
    if (this.shades[m][n] !== name) cell.className = n === this.marked ? `${name} traced` : name;
    this.texts[m][n] = text;
    this.shades[m][n] = name;
  }

  resize(rows, columns) {
    if (this.cells.length === rows && this.cells[0]?.length === columns) return;
    this.mark(-1);
    keepChildren(this.head, columns + 1, (n) => (n ? this.makeHead(n - 1) : h("td", { class: "corner" })));
    keepChildren(this.body, rows, () => h("tr", {}, h("th", { scope: "row" })));
    [...this.body.rows].forEach((row, m) => keepChildren(row, columns + 1, (n) => this.makeCell(m, n - 1)));
    this.cells = [...this.body.rows].map((row) => [...row.cells].slice(1));
    this.texts = this.cells.map(() => []);
    this.shades = this.cells.map(() => []);
    this.table.classList.toggle("small", columns > 8);
  }

  makeHead(n) {
    const head = h("th", { scope: "col", "data-column": n });
    if (this.buttons) head.append(h("button", { type: "button", "aria-pressed": "false" }));
    return head;
  }

  makeCell(m, n) {
    const cell = h("td", { "data-row": m, "data-column": n });
    cell.append(this.onEdit ? this.makeInput(m, n) : "");
    return cell;
  }

  makeInput(m, n) {
    const commit = () => {
      // What is refused stays, to be mended.
      if (input.value === input.dataset.valid || this.onEdit(m, n, input.value)) input.value = input.dataset.valid;
    };
    const nudge = { ArrowUp: 1, ArrowDown: -1 };
    const input = h("input", {
      type: "text", autocomplete: "off", spellcheck: false,
      "aria-label": `${this.name} ${m + 1}, ${n + 1}`,
      on: {
        change: commit,
        focus: () => input.select(),
        keydown: (event) => {
          if (event.key === "Escape") input.value = input.dataset.valid;
          if (event.key in nudge) {
            event.preventDefault();
            const step = nudge[event.key] * (event.shiftKey ? 0.1 : 1);
            this.onEdit(m, n, String(Math.round((Number(input.dataset.valid) + step) * 1e6) / 1e6));
          }
        },
      },
    });
    return input;
  }

  // Follow one column, or none (-1).
  mark(n) {
    if (this.marked === n) return;
    this.map?.mark(n);
    for (const [index, on] of [[this.marked, false], [n, true]]) {
      for (const row of this.cells) row[index]?.classList.toggle("traced", on);
      this.head.cells[index + 1]?.classList.toggle("traced", on && index >= 0);
    }
    this.marked = n;
  }

  press(n) {
    [...this.head.cells].slice(1).forEach((head, index) =>
      head.firstElementChild.setAttribute("aria-pressed", String(index === n)));
  }
}
