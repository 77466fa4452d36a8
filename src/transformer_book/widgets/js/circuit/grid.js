// Every head as a button, a row a layer. One of them takes the keyboard's focus; arrow keys move it.

class HeadGrid {
  constructor(text, onToggle) {
    Object.assign(this, { text, onToggle, at: [0, 0] });
    this.head = h("tr", {});
    this.body = h("tbody", {});
    this.element = scrollFrame(text.grid, h("table", { class: "grid", "aria-label": text.grid }, h("thead", {}, this.head), this.body));
    this.element.addEventListener("keydown", (event) => this.move(event));
    this.element.addEventListener("focusin", ({ target }) => target.matches("button") && this.hold(placeOf(target.dataset.place)));
    this.element.addEventListener("click", ({ target }) => target.matches("button") && onToggle(target.dataset.place));
  }

  // The one button that the tab key reaches.
  hold(place) {
    this.button(this.at).tabIndex = -1;
    this.at = place;
    this.button(place).tabIndex = 0;
  }

  button([layer, head]) {
    return this.body.rows[layer].cells[head + 1].firstElementChild;
  }

  move(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || !event.target.matches("button")) return;
    event.preventDefault();
    const sizes = [this.body.rows.length, this.head.cells.length - 1];
    this.button(this.at.map((x, i) => Math.max(0, Math.min(sizes[i] - 1, x + step[i])))).focus();
  }

  update({ layers, heads, rises, paired }, deleted) {
    this.resize(layers, heads);
    this.body.classList.toggle("few", heads < 5);
    const partners = new Set((paired ?? []).map(headName));
    const limit = rises ? largestSize(rises) : 1;
    for (const layer of range(layers)) {
      for (const head of range(heads)) {
        const button = this.button([layer, head]);
        const name = headName([layer, head]);
        const rise = rises?.[layer][head];
        setText(button, rises ? formatFixed(Math.abs(rise) < 0.05 ? 0 : rise, 1) : ""); // no −0.0
        button.setAttribute("aria-pressed", String(deleted.includes(name)));
        button.setAttribute("aria-label", rises ? `${name}, ${formatFixed(rise, 2)}` : name);
        setClass(button, (rises ? shade(rise, limit) : "") + (partners.has(name) ? " partner" : ""));
      }
    }
  }

  resize(layers, heads) {
    if (this.body.rows.length === layers && this.head.cells.length === heads + 1) return;
    keepChildren(this.head, heads + 1, (n) => (n ? h("th", { scope: "col" }, `H${n - 1}`) : h("td")));
    keepChildren(this.body, layers, (layer) => h("tr", {}, h("th", { scope: "row" }, `L${layer}`)));
    [...this.body.rows].forEach((row, layer) => keepChildren(row, heads + 1, (n) =>
      h("td", {}, h("button", { type: "button", tabIndex: -1, "data-place": headName([layer, n - 1]) }))));
    this.at = [0, 0];
    this.hold(this.at);
  }
}
