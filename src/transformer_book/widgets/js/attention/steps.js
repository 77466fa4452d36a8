// The steps between the input and the output: the three maps and the scores, folded until a reader asks for them.

const card = (name, ...children) => h("div", { class: `card ${name}` }, ...children);
const arrow = (html) => h("div", { class: "arrow", "aria-hidden": "true", html });
const entries = (matrix) => range(matrix.length).map((d) => String(d + 1));

// Which head a matrix is of, where there are several.
const headMark = ({ heads }, values, i) =>
  values.heads.length > 1 || heads > 1 ? `<sup>(${values.shown[i] + 1})</sup>` : "";

// A matrix for each of the heads in view, side by side.
class MatrixOfEachHead {
  constructor(make) {
    this.make = make;
    this.matrices = [];
    this.element = h("div", { class: "row-of-maps" });
  }

  update(heads, contentOf) {
    while (this.matrices.length > heads.length) this.matrices.pop().element.remove();
    while (this.matrices.length < heads.length) {
      this.matrices.push(this.make(this.matrices.length + 1));
      this.element.append(this.matrices.at(-1).element);
    }
    heads.forEach((head, i) => this.matrices[i].update(contentOf(head, i)));
  }

  mark(n) {
    for (const matrix of this.matrices) matrix.mark(n);
  }
}

class Steps {
  constructor(title, make, editor, following) {
    this.maps = ["q", "k", "v"].map((i) => make(`Omega ${i}`, `<b>Ω</b><sub>${i}</sub>`, { onEdit: editor(`Omega_${i}`) }));
    this.mapped = ["Q", "K", "V"].map((name, i) =>
      make(name, `<b>${name}</b> = <b>Ω</b><sub>${"qkv"[i]}</sub><b>X</b>`, name === "Q" ? following : {}));
    this.scores = new MatrixOfEachHead((name) => make(`S ${name}`, "", following));
    const columns = range(3).map((i) => card(`map map-${"qkv"[i]}`, this.maps[i].element, arrow("↓"), this.mapped[i].element));
    this.element = h("details", { class: "between" }, h("summary", {}, title),
      h("div", { class: "maps" }, ...columns), card("scores", this.scores.element));
    // A click comes before the reader sees what unfolds; the browser's own search unfolds without one.
    this.element.firstChild.addEventListener("click", () => this.fill());
    this.element.addEventListener("toggle", () => this.element.open && this.fill());
    this.marked = -1;
    this.onPrint = () => this.fill(); // on paper everything is unfolded
    addEventListener("beforeprint", this.onPrint);
  }

  // What is folded is filled when it unfolds: half of all numbers of the explorer.
  update(state, values) {
    this.shown = [state, values];
    if (this.element.open) this.fill();
  }

  fill() {
    const [state, values] = this.shown;
    const columns = state.tokens;
    ["Omega_q", "Omega_k", "Omega_v"].forEach((name, i) =>
      this.maps[i].update({ values: state[name], rows: entries(state[name]), columns: entries(state[name][0]) }));
    ["Q", "K", "V"].forEach((name, i) =>
      this.mapped[i].update({ values: values[name], rows: entries(values[name]), columns }));
    const limit = Math.max(...values.heads.map(({ scores }) => largestSize(scores)));
    this.scores.update(values.heads, ({ masked }, i) => {
      const mark = headMark(state, values, i);
      return { values: masked, rows: columns, columns, limit, corner: "m ↓ n →",
        title: `<b>S</b>${mark} = <b>K</b>${mark}<sup>⊤</sup><b>Q</b>${mark}${state.scaled ? " / √<i>D</i><sub>q</sub>" : ""}` };
    });
    this.mark(this.marked);
  }

  mark(n) {
    this.marked = n;
    if (this.scores.matrices.length === 0) return;
    this.mapped[0].mark(n);
    this.scores.mark(n);
  }

  destroy() {
    removeEventListener("beforeprint", this.onPrint);
  }
}
