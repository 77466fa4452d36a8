// CircuitExplorer: delete heads and watch a model forget how to copy (section 6).

const circuitLabels = withModelLabels({
  zh: {
    title: "消融探索器", model: "模型", models: { smollm2: "SmolLM2（记录）", copying: "两层模型（现场算）" },
    ablation: "做法", zero: "零消融", mean: "均值消融", grid: "每行一层，每列一个头：点一下删去，再点放回",
    numbers: "数字：只删这一个头时，损失变多少。", partners: "带点的头两两同删也有记录。",
    loss: "第二遍的损失", score: "归纳得分", mean5: "平均", text: "文本", whole: "完整", without: "删后",
    uniform: (loss) => `均匀地猜，损失是 ${loss}。`, nothing: "什么也没有删。", deleted: (names) => `删去了 ${names.join("、")}。`,
    alone: (name) => `没有记录，现在只删 ${name}。`, loading: "正在载入记录……", waiting: "载入以后，这里是结果。",
    maps: "注意力，左右是查询，上下是键；下面是归纳得分，和给前一个词元的平均权重。",
    copies: (score) => `归纳 ${score}`, before: (score) => `前一个 ${score}`,
    scored: (names) => `归纳得分是 ${names.join("、")} 的平均。`,
  },
  en: {
    title: "Circuit explorer", model: "Model", models: { smollm2: "SmolLM2 (recorded)", copying: "two layers (live)" },
    ablation: "Ablation", zero: "zero", mean: "mean", grid: "A row a layer, a column a head: press to delete or put back",
    numbers: "Numbers: change of the loss when this head alone is deleted.",
    partners: " Pairs of heads with a dot are recorded too.",
    loss: "Loss of the second round", score: "Induction score", mean5: "mean", text: "Text", whole: "whole", without: "without",
    uniform: (loss) => `A uniform guess has a loss of ${loss}.`, nothing: "Nothing is deleted.", deleted: (names) => `Deleted: ${names.join(", ")}.`,
    alone: (name) => `Not recorded; now ${name} alone is deleted.`, loading: "Loading the record …",
    waiting: "The results will stand here.",
    maps: "Attention, queries left to right, keys top to bottom; below, induction score and mean weight on the token before.",
    copies: (score) => `induction ${score}`, before: (score) => `one before ${score}`,
    scored: (names) => ` The induction score is the mean of ${names.join(", ")}.`,
  },
});

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
