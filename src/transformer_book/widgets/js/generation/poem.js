// The poem line by line: each character a button that goes back to it, with its attention weight below, and each
// finished line with its length.

class Poem {
  constructor(host, onCut) {
    Object.assign(this, { host, onCut });
    this.list = h("ol", { class: "poem", "aria-label": host.text.poem });
    this.marks = h("div", { class: "marks" });
    this.form = h("p", { class: "form" });
    this.element = h("div", {}, scrollFrame(host.text.poem, h("div", { class: "sheet" }, this.list, this.marks)), this.form);
  }

  // Places begin with the start token; the last one is where the next character will stand.
  update({ text: poem }, values) {
    const { text } = this.host;
    const characters = [...poem].map((c) => (c === "∎" ? text.end : c));
    const cells = [text.start, ...characters, values.ended ? "" : "?"];
    const makeCell = (i) => h("li", {}, h("button", { type: "button", on: { click: () => this.onCut(i - 1) } }), h("small", {}));
    keepChildren(this.list, cells.length, makeCell);
    let [row, column] = [1, 1];
    cells.forEach((sign, i) => {
      const item = this.list.children[i];
      const last = i === cells.length - 1;
      item.style.gridArea = `${row} / ${i === 0 ? 1 : (column += 1)}`;
      if (ENDS_OF_LINES.includes(sign) && sign !== "") [row, column] = [row + 1, 1];
      this.showCell(item, sign, last, values.weights?.[i] ?? null);
      setClass(item, last ? (values.ended ? "gone" : "cursor") : "");
    });
    this.showForm(values.form);
  }

  showCell(item, sign, last, weight) {
    const [button, number] = item.children;
    setText(button, sign);
    button.disabled = last;
    button.setAttribute("aria-label", last ? this.host.text.next : `${sign}: ${this.host.text.here}`);
    setText(number, weight === null ? "" : formatFixed(weight, 2).replace(/^0/, ""));
    item.style.setProperty("--share", weight ?? 0);
  }

  showForm(form) {
    const { text } = this.host;
    const right = form?.right ?? [];
    keepChildren(this.marks, right.length, () => h("span", {}));
    right.forEach((fits, i) => {
      const mark = this.marks.children[i];
      setText(mark, `${form.lines[i].length} ${fits ? "✓" : "✗"}`);
      setClass(mark, fits ? "" : "problem");
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", `${i + 1}: ${form.lines[i].length}, ${fits ? text.right : text.wrong}`);
    });
    if (!form || form.rhyme === null) return setText(this.form, text.noRhymeYet);
    const [a, b] = [form.lines[1].at(-1) ?? "", form.lines[3].at(-1) ?? ""];
    setText(this.form, `${form.rhyme ? text.rhymes(a, b, form.rhyme) : text.clashes(a, b)} ${text.mandarin}`);
    return undefined;
  }
}
