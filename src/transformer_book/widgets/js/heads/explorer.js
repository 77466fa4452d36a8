// HeadExplorer: a real model's attention on a sentence, every layer and head (sections 6 and 10).

// Heads that section 6 finds: sentence, layer, head and the query that shows it, counted as the state counts them.
const PRESETS = {
  smollm2: { previous: [0, 16, 0, 12], induction: [5, 17, 4, 8], subject: [0, 13, 8, 10] },
  minilm: { previous: [0, 0, 2, 14] },
};

class HeadsView {
  constructor(host) {
    const { text } = host;
    const { catalogue } = host.store.state;
    this.host = host;
    this.pointed = -1;
    this.model = choiceControl(text.model, Object.entries(catalogue).map(([key, entry]) => [key, entry.title]), (model) => this.setModel(model));
    this.sentence = h("select", { class: "sentence", "aria-label": text.sentence,
      on: { change: () => this.setSentence(Number(this.sentence.value)) } });
    this.layer = stepperControl(text.layer, (layer) => host.set({ layer }));
    this.head = stepperControl(text.head, (head) => host.set({ head }));
    this.overview = new Overview(text, (layer, head) => host.set({ layer, head }), (dx, dy) => this.step(dx, dy));
    this.links = new Links(text, (n) => this.point(n), (n) => host.set({ query: n + 1 }));
    this.matrix = new MatrixView({ name: "A", title: "", hint: text.mapKeys, onPoint: (n) => this.point(n), onPick: (n) => host.set({ query: n + 1 }), blank: true });
    this.presets = h("div", { class: "presets" }, ...Object.keys(text.presets).map((name) =>
      buttonControl(text.presets[name], () => this.showPreset(name), { "data-name": name })));
    this.name = h("p", { class: "panel-title name" });
    this.precision = h("p", { class: "hint" });
    this.notice = h("p", { class: "card" });
    this.lacks = h("p", { class: "problem", role: "status" });
    this.shown = h("div", {},
      h("div", { class: "card" }, this.overview.element, h("p", { class: "hint" }, text.axes)),
      h("div", { class: "toolbar choose" }, this.layer.element, this.head.element, this.name, this.presets),
      h("div", { class: "card" }, this.links.element),
      h("div", { class: "card" }, this.matrix.element, this.precision));
    this.element = h("div", {}, h("div", { class: "toolbar" }, this.model.element, this.sentence, this.asking(host)), this.lacks,
      host.data.engine ? new LoaderPanel(host).element : null, this.notice, this.shown);
  }

  // Any sentence: in a live notebook with the models installed Python reads it, on a page MiniLM where the site has it.
  asking({ data, text }) {
    if (!data.engine && !data.canAsk?.()) return null;
    const name = data.engine ? text.anySentence : text.ask;
    const input = h("input", { type: "text", class: "question", "aria-label": name, placeholder: name, maxLength: LONGEST_TEXT });
    const ask = (event) => {
      event.preventDefault();
      const words = input.value.trim();
      if (words === "") return this.host.note(text.empty, "problem");
      if (data.engine) return this.read(words);
      this.host.note(text.asking);
      return data.ask({ model: this.host.store.state.model, text: words });
    };
    data.onRefusal?.((why) => this.host.note(text.refused[why], "problem"));
    return h("form", { class: "ask", on: { submit: ask } }, input, h("button", { class: "action", type: "submit" }, text.read));
  }

  // Have the page's model read a sentence. Until it has, the one in view stays.
  read(words) {
    const { data, text } = this.host;
    this.wanted = words;
    this.host.note(data.engine.status === "ready" ? text.asking : text.first);
    this.take();
  }

  take() {
    const { data, text, store: { state } } = this.host;
    const answer = this.wanted ? askSentence(data, this.wanted) : null;
    if (!answer) return;
    const own = this.wanted;
    this.wanted = "";
    const { layers, heads } = state.catalogue[READER];
    if (!answer.tokens) this.host.note(text.tooLong(answer.count), "problem");
    else this.host.set({ model: READER, own, layer: Math.min(state.layer, layers - 1), head: Math.min(state.head, heads - 1), query: answer.count });
  }

  setModel(model) {
    const { layers, heads, sentences } = this.host.store.state.catalogue[model];
    const { layer, head, sentence } = this.host.store.state;
    const chosen = Math.min(sentence, sentences.length - 1);
    this.host.set({ model, sentence: chosen, own: "", layer: Math.min(layer, layers - 1), head: Math.min(head, heads - 1),
      query: sentences[chosen].tokens.length });
  }

  setSentence(sentence) {
    const { catalogue, model } = this.host.store.state;
    this.host.set({ sentence, own: "", query: catalogue[model].sentences[sentence].tokens.length });
  }

  showPreset(name) {
    const [sentence, layer, head, query] = PRESETS[this.host.store.state.model][name];
    this.host.set({ sentence, own: "", layer, head, query });
  }

  step(dx, dy) {
    const { layer, head } = this.host.store.state;
    this.host.set({ layer: layer + dx, head: head + dy });
  }

  point(n) {
    this.pointed = n;
    this.follow();
  }

  follow() {
    const { state } = this.host.store;
    const { tokens, weights, query: chosen } = this.host.values;
    const query = this.pointed >= 0 && this.pointed < tokens.length ? this.pointed : chosen - 1;
    this.links.update(tokens, weights, query, chosen - 1);
    this.matrix.mark(query);
    if (!weights) return;
    const strongest = range(tokens.length).sort((a, b) => weights[b][query] - weights[a][query]).slice(0, 3);
    this.host.say(`L${state.layer}H${state.head} ${tokens[query]}: `
      + strongest.map((m) => `${tokens[m]} ${formatFixed(weights[m][query], 3)}`).join(", "));
  }

  update(state, values) {
    const { text, theme, data } = this.host;
    const { tokens, layers, heads, weights, sentences } = values;
    this.model.update(state.model);
    this.model.element.hidden = Object.keys(state.catalogue).length === 1;
    const texts = [...sentences.map((entry) => entry.text), ...(state.own ? [state.own] : [])];
    keepChildren(this.sentence, texts.length, (i) => h("option", { value: String(i) }));
    texts.forEach((words, i) => setText(this.sentence.children[i], words));
    setText(this.lacks, values.unknown?.length ? text.lacks(values.unknown) : "");
    this.sentence.value = String(state.own ? sentences.length : state.sentence);
    const lost = !weights && !values.waits && Boolean(data.isLost?.(`heads-${state.model}`));
    this.shown.hidden = Boolean(values.waits) || lost;
    this.notice.hidden = !this.shown.hidden;
    this.host.table.hidden = !lost || !same(state, this.host.store.initial);
    if (lost) return setText(this.notice, text.missing);
    if (values.waits) {
      const waiting = data.engine?.status === "ready" ? text.asking : text.waiting;
      setText(this.notice, values.count ? text.tooLong(values.count) : data.engine ? waiting : text.absent);
      return this.take();
    }
    setText(this.precision, state.own ? text.eightBits : text.precision);
    for (const button of this.presets.children) button.hidden = !(button.dataset.name in (PRESETS[state.model] ?? {}));
    this.shown.classList.toggle("lazy", tokens.length > MOST_WRITTEN);
    this.layer.update(state.layer, 0, layers - 1);
    this.head.update(state.head, 0, heads - 1);
    this.overview.update(values, state.layer, state.head, theme ?? "light");
    setText(this.name, weights ? `L${state.layer}H${state.head}` : text.loading);
    this.matrix.update({ values: weights ?? tokens.map(() => tokens.map(() => 0)), rows: tokens.map(visibleToken),
      columns: tokens.map(visibleToken), limit: 1, corner: "m ↓ n →", title: `<b>A</b> &nbsp;L${state.layer}H${state.head}` });
    for (const element of [this.matrix.element, this.precision]) element.style.visibility = weights ? "visible" : "hidden";
    this.follow();
    return this.take();
  }
}

const headsKind = {
  name: "heads",
  styles: headsStyles,
  fields: {
    catalogue: givenField(), model: textField(), sentence: integerField(0, 999), own: textField(), layer: integerField(0, 999),
    head: integerField(0, 999), query: integerField(1, 999),
  },
  labels: headsLabels,
  connect: connectHeads,
  check: checkHeads,
  compute: computeHeads,
  view: (host) => new HeadsView(host),
};
