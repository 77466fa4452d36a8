// VectorExplorer: a query and keys as arrows; score = the query's length times the key's shadow, softmax beside (section 2).

class VectorsView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.picture = new ArrowPicture((place, vector) => this.move(place, vector));
    this.table = new MatrixView({ name: text.vectors, title: "<b>q</b>, <b>K</b>", onEdit: (row, place, entry) => this.edit(row, place, entry) });
    this.key = stepperControl(text.chosen, (key) => host.set({ key }));
    this.sentence = h("output", { class: "sentence" });
    this.shadow = h("p", { class: "hint" });
    this.body = h("tbody", {});
    this.bars = h("table", { class: "bars" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.key),
      h("th", { scope: "col", class: "one" }, text.score), h("th", { scope: "col", class: "two" }, text.weight))), this.body);
    this.add = buttonControl(text.add, () => this.resize(1));
    this.remove = buttonControl(text.remove, () => this.resize(-1));
    this.element = h("div", {}, h("p", { class: "hint" }, text.drag),
      h("div", { class: "panels" }, h("div", { class: "card" }, this.picture.element),
        h("div", { class: "card side" }, this.table.element,
          h("div", { class: "toolbar" }, this.add, this.remove, this.key.element), this.sentence, this.shadow, this.bars)));
  }

  move(place, vector) {
    const { K } = this.host.store.state;
    if (place === 0) return this.host.set({ q: vector });
    return this.host.set({ K: K.map((row, d) => row.with(place - 1, vector[d])), key: place });
  }

  edit(row, place, entry) {
    const { q, K } = this.host.store.state;
    if (place === 0) return this.host.set({ q: q.with(row, entry) });
    return this.host.set({ K: K.map((values, d) => (d === row ? values.with(place - 1, entry) : values)) });
  }

  resize(step) {
    const { K, key } = this.host.store.state;
    const changed = K.map((row) => (step > 0 ? [...row, 1] : row.slice(0, -1)));
    this.host.set({ K: changed, key: Math.min(key, changed[0].length) });
  }

  update({ q, K, key }, values) {
    const { text } = this.host;
    const count = K[0].length;
    const names = ["q", ...range(count).map((m) => `k${subscript(m + 1)}`)];
    this.table.update({ values: K.map((row, d) => [q[d], ...row]), rows: ["1", "2"], columns: names, limit: REACH });
    this.picture.update(values, q, key);
    this.key.update(key, 1, count);
    this.add.disabled = count === 6;
    this.remove.disabled = count === 1;
    const number = (x) => formatFixed(x, 3);
    setText(this.sentence, text.says(subscript(key), ...[values.length, values.shadows[key - 1], values.scores[key - 1]].map(number)));
    const length = Math.hypot(...values.keys[key - 1]);
    const cosine = length * values.length > 0 ? number(values.shadows[key - 1] / length) : "–"; // a zero vector has no direction
    setText(this.shadow, text.shadow(subscript(key), number(values.shadows[key - 1]), number(length), cosine));
    keepChildren(this.body, count, () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {})));
    const largest = Math.max(1e-9, ...values.scores.map(Math.abs));
    range(count).forEach((m) => {
      const [name, score, weight] = this.body.rows[m].cells;
      setText(name, names[m + 1]);
      setText(score, number(values.scores[m]));
      score.style.setProperty("--share", Math.max(0, values.scores[m]) / largest);
      setText(weight, number(values.weights[m]));
      weight.style.setProperty("--share", values.weights[m]);
      setClass(this.body.rows[m], m === key - 1 ? "chosen" : "");
    });
    this.host.say(`${this.sentence.textContent}; ${text.weight} ${values.weights.map(number).join(", ")}`);
  }
}

const vectorsKind = {
  name: "vectors",
  styles: vectorsStyles,
  fields: { q: vectorField(), K: matrixField(), key: integerField(1, 6) },
  labels: vectorsLabels,
  check: checkVectors,
  compute: computeVectors,
  view: (host) => new VectorsView(host),
};
