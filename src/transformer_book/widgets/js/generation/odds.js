// The likeliest next characters: what the model gives them, and what is left after temperature, top-k and top-p.

class Odds {
  constructor(text, onChoose) {
    Object.assign(this, { text, onChoose });
    this.notice = h("p", { class: "notice" });
    this.kept = h("p", { class: "hint" });
    this.body = h("tbody", {});
    this.table = h("table", { class: "bars candidates" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.next),
      h("th", { scope: "col", class: "one" }, text.model), h("th", { scope: "col", class: "two" }, text.used))), this.body);
    keepChildren(this.body, CANDIDATES + 1, (i) => this.makeRow(i));
    this.element = h("div", { class: "card odds" }, this.notice, this.table, this.kept);
  }

  makeRow(i) {
    const name = i < CANDIDATES
      ? h("button", { type: "button", class: "action", on: { click: () => this.shown && this.onChoose(this.shown[i]) } }) : h("span", {});
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}), h("td", {}));
  }

  // While the model computes, the last answer stays in sight.
  update(values) {
    const { known, ended, notes } = values;
    const nothing = !notes || ended || (!known && !this.shown);
    this.notice.hidden = !nothing;
    this.table.classList.toggle("unknown", nothing);
    this.kept.classList.toggle("unknown", nothing);
    this.table.setAttribute("aria-busy", String(!known && !nothing));
    setText(this.notice, !notes ? this.text.waiting : ended ? this.text.ended : this.text.computing);
    if (known) this.show(values);
  }

  show({ order, plain, probabilities, drawn, signs, notes }) {
    const { text } = this;
    this.shown = order.slice(0, CANDIDATES);
    const name = (id) => (id === notes.end ? text.end : signs[id]);
    this.shown.forEach((id, i) => {
      const row = this.body.rows[i];
      const button = row.cells[0].firstElementChild;
      setText(button, name(id));
      button.setAttribute("aria-label", `${text.choose} ${name(id)}`);
      setClass(row, probabilities[id] === 0 ? "cut" : id === drawn ? "drawn" : "");
      this.showPair(row, plain[id], probabilities[id]);
    });
    const rest = (list) => list.reduce((sum, p) => sum + p, 0) - this.shown.reduce((sum, id) => sum + list[id], 0);
    const row = this.body.rows[CANDIDATES];
    setText(row.cells[0].firstElementChild, text.others(signs.length - CANDIDATES));
    setClass(row, this.shown.includes(drawn) ? "" : "drawn");
    this.showPair(row, Math.max(0, rest(plain)), Math.max(0, rest(probabilities)));
    setText(this.kept, text.kept(probabilities.filter((p) => p > 0).length, signs.length));
  }

  showPair(row, plain, used) {
    [plain, used].forEach((value, i) => {
      const cell = row.cells[i + 1];
      setText(cell, formatFixed(value, 3));
      cell.style.setProperty("--share", value);
    });
  }
}
