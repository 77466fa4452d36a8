// One query followed through equation 12.1 in numbers: its scores, its weights and the weighted sum.

class Trace {
  constructor(text) {
    this.text = text;
    this.tokens = [];
    this.head = h("tr", {});
    this.body = h("tbody", {});
    this.foot = h("tr", {});
    this.query = h("p", { class: "trace-query" });
    this.table = h("table", { class: "trace" }, h("thead", {}, this.head), this.body, h("tfoot", {}, this.foot));
    this.element = h("div", { class: "trace-frame" }, this.query, scrollFrame(text.trace, this.table));
  }

  update(state, values, n, m = -1) {
    const query = column(values.Q, n);
    setText(this.query, `q${subscript(n + 1)} = ${formatVector(query)}    ${state.tokens[n]}`);
    const headed = values.heads.length > 1 ? values.shown.map((head) => `⁽${superscript(head + 1)}⁾`) : [""];
    const scaled = state.scaled ? " / √Dq" : "";
    this.headLine(["m", "km", ...headed.map((mark) => `s${mark}mn${scaled}`), ...headed.map((mark) => `a${mark}mn`),
      ...headed.map((mark) => `a${mark}mn v${mark}m`)]);
    keepChildren(this.body, state.tokens.length, () => h("tr", {}), firstDifference(this.tokens, state.tokens));
    this.tokens = state.tokens;
    [...this.body.rows].forEach((row, key) => {
      this.keyLine(row, state, values, key, n);
      row.classList.toggle("pointed", key === m);
    });
    const blanks = 1 + 2 * headed.length;
    this.line(this.foot, [`sa${subscript(n + 1)}`, ...range(blanks).map(() => ""),
      ...values.heads.map(({ output }) => formatVector(column(output, n)))], "th");
    if (values.heads.length > 1) {
      setText(this.query, this.query.textContent + `    →    ${formatVector(column(values.output, n))}`);
    }
  }

  keyLine(row, state, values, m, n) {
    this.line(row, [
      `${m + 1} ${state.tokens[m]}`,
      formatVector(column(values.K, m)),
      ...values.heads.map(({ masked }) => formatEntry(masked[m][n], Number.isInteger(masked[m][n]))),
      ...values.heads.map(({ weights }) => formatFixed(weights[m][n], 3)),
      ...values.heads.map(({ weights, V }) => `${formatFixed(weights[m][n], 3)} ${formatVector(column(V, m))}`),
    ], "th");
    values.heads.forEach(({ weights }, i) => {
      const cell = row.cells[2 + values.heads.length + i];
      cell.className = "bar";
      cell.style.setProperty("--share", weights[m][n]);
    });
  }

  headLine(texts) {
    keepChildren(this.head, texts.length, () => h("th", { scope: "col" }));
    texts.forEach((text, i) => setHtml(this.head.cells[i], symbolHtml(text)));
  }

  line(row, texts, first) {
    keepChildren(row, texts.length, (i) => (i ? h("td", {}) : h(first, { scope: "row" })));
    texts.forEach((text, i) => setText(row.cells[i], text));
  }

  // The same in one sentence, for a screen reader; of many weights the largest alone.
  spoken(state, values, n) {
    const weights = column(values.heads[0].weights, n);
    const keys = range(weights.length);
    const told = keys.length > MOST_WRITTEN ? keys.sort((a, b) => weights[b] - weights[a]).slice(0, 3) : keys;
    const terms = told.map((m) => `${formatFixed(weights[m], 3)} ${state.tokens[m]}`);
    return `${state.tokens[n]}: ${terms.join(", ")}; ${formatVector(column(values.output, n))}`;
  }
}
