// CircuitExplorer: delete heads and watch a model forget how to copy (section 6).

class CircuitView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.loader = new LoaderPanel(host);
    const names = Object.keys(host.store.state.catalogue);
    this.model = choiceControl(text.model, names.map((name) => [name, text.models[name]]), (model) => host.set({ model, deleted: [] }));
    this.ablation = choiceControl(text.ablation, [["zero", text.zero], ["mean", text.mean]], (ablation) => host.set({ ablation }));
    this.grid = new HeadGrid(text, (name) => this.toggle(name));
    this.partners = h("span", {}, text.partners);
    this.names = h("p", { class: "names" });
    this.summary = h("dl", {}, ...["loss", "score"].map((key) => h("div", {}, h("dt", {}, text[key]), h("dd", {}))));
    this.rows = h("tbody", {});
    const halves = () => ["whole", "without"].map((key) => h("th", { scope: "col" }, text[key]));
    const table = h("table", { class: "texts" },
      h("thead", {}, h("tr", {}, h("td"), ...["loss", "score"].map((key) => h("th", { scope: "colgroup", colSpan: 2 }, text[key]))),
        h("tr", {}, h("th", { scope: "col" }, text.text), ...halves(), ...halves())), this.rows);
    this.uniform = h("p", { class: "hint" });
    this.maps = h("ol", { class: "maps" });
    this.mapCard = h("div", { class: "card" }, h("p", { class: "hint" }, text.maps), this.maps);
    this.element = h("div", {},
      h("div", { class: "toolbar" }, this.model.element, this.ablation.element), this.loader.element,
      h("div", { class: "sides" },
        h("div", { class: "card grid-card" }, this.grid.element, h("p", { class: "hint" }, text.numbers, this.partners)),
        h("div", { class: "right" }, h("div", { class: "card now" }, this.names, this.summary),
          h("div", { class: "card" }, scrollFrame(text.loss, table), this.uniform))),
      this.mapCard);
  }

  toggle(name) {
    const { host } = this;
    const { deleted } = host.store.state;
    const next = inOrder(deleted.includes(name) ? deleted.filter((other) => other !== name) : [...deleted, name]);
    if (isKnown(host.values, next)) return host.set({ deleted: next });
    host.set({ deleted: [name] });
    return host.note(host.text.alone(name));
  }

  update(state, values) {
    const { text } = this.host;
    const { known, live, whole, changed, uniform, watched } = values;
    this.model.update(state.model);
    this.ablation.update(state.ablation);
    this.loader.element.hidden = !live;
    this.partners.hidden = live;
    this.grid.update(values, state.deleted);
    const said = state.deleted.length ? text.deleted(state.deleted) : text.nothing;
    setText(this.names, known ? said : live ? text.waiting : text.loading);
    setText(this.uniform, text.uniform(formatFixed(uniform, 1)) + text.scored(watched.map(headName)));
    const moves = ["loss", "score"].map((key) =>
      (known ? [whole, changed].map((one) => formatFixed(average(one[key]), 2)).join(" → ") : "—"));
    moves.forEach((words, i) => setText(this.summary.children[i].lastElementChild, words));
    if (known) this.host.say(`${said} ${text.loss} ${moves[0]}, ${text.score} ${moves[1]}`);
    this.showTexts(values);
    this.showMaps(state, values);
  }

  // A row a text, and their mean.
  showTexts({ known, whole, changed, uniform, texts }) {
    const columns = known ? [whole.loss, changed.loss, whole.score, changed.score] : null;
    const count = known ? whole.loss.length : texts?.length ?? 5;
    const limits = known ? [0, 0, 1, 1].map((one) => one || Math.max(uniform, ...whole.loss, ...changed.loss)) : null;
    keepChildren(this.rows, count + 1, () => h("tr", {}, h("th", { scope: "row" }), ...range(4).map(() => h("td"))));
    [...this.rows.children].forEach((row, i) => {
      setText(row.cells[0], i < count ? String(i + 1) : this.host.text.mean5);
      range(4).forEach((column) => {
        const value = known ? (i < count ? columns[column][i] : average(columns[column])) : NaN;
        setText(row.cells[column + 1], known ? formatFixed(value, 2) : "");
        row.cells[column + 1].style.setProperty("--share", known ? Math.min(1, Math.max(0, value / limits[column])) : 0);
      });
    });
  }

  showMaps({ deleted }, { live, known, layers, heads, maps, scores, previous }) {
    this.mapCard.hidden = !live;
    if (!live) return;
    const { text } = this.host;
    this.maps.style.setProperty("--heads", heads);
    keepChildren(this.maps, layers * heads, () => h("li", {}, h("canvas", { "aria-hidden": "true" }), h("b", {}), h("small", {})));
    [...this.maps.children].forEach((item, i) => {
      const place = [Math.floor(i / heads), i % heads];
      const [canvas, name, score] = item.children;
      setText(name, headName(place));
      const say = (numbers) => (known ? formatFixed(numbers[place[0]][place[1]], 2) : "—");
      setText(score, `${text.copies(say(scores))} ${text.before(say(previous))}`);
      setClass(item, deleted.includes(headName(place)) ? "gone" : "");
      if (!known) return;
      const map = maps[place[0]][place[1]];
      paint(canvas, map.length, map.length, (m, n) => map[m][n]);
    });
  }
}

const circuitKind = {
  name: "circuit",
  styles: circuitStyles,
  fields: { catalogue: givenField(), model: textField(), ablation: choiceField("zero", "mean"), deleted: headsField() },
  labels: circuitLabels,
  connect: (data) => {
    const connected = connectEngine(data);
    return { ...connected, onArrival: (callback) => [connected, data].map((source) => source.onArrival(callback))[1] };
  },
  check: checkCircuit,
  compute: computeCircuit,
  view: (host) => new CircuitView(host),
};
