// AttentionExplorer: X → Q, K, V → scores → weights → output, with every number in sight.

class AttentionView {
  constructor(host) {
    this.host = host;
    this.text = host.text;
    this.pointed = -1;
    this.trace = new Trace(this.text);
    this.strip = new TokenStrip(this.text, {
      onRename: (n, token) => host.set({ tokens: host.store.state.tokens.with(n, token) }),
      onMove: (from, to) => this.moveToken(from, to),
      onRemove: (n) => this.removeToken(n),
      onAdd: () => this.addToken(),
    });
    this.makeMatrices();
    this.makeControls();
    this.element = h("div", {}, this.toolbar, this.flow());
    this.lightUpOnce();
  }

  makeControls() {
    const { host, text } = this;
    this.scaled = switchControl(text.scaled, (scaled) => host.set({ scaled }));
    this.mask = choiceControl(text.mask, Object.entries(text.masks), (mask) => this.setMask(mask));
    this.window = stepperControl(text.window, (window) => host.set({ window }));
    this.padding = stepperControl(text.paddingCount, (padding) => host.set({ padding }));
    this.head = this.headChoice(host.store.state.heads);
    this.toolbar = h("div", { class: "toolbar" }, this.scaled.element, this.mask.element,
      h("div", { class: "mask-size" }, this.window.element, this.padding.element), this.head.element);
  }

  headChoice(heads) {
    const choices = [...range(heads).map((i) => [i + 1, String(i + 1)]), [0, this.text.all]];
    const choice = choiceControl(this.text.head, choices, (head) => this.host.set({ head }));
    choice.element.hidden = heads === 1;
    return { ...choice, heads };
  }

  makeMatrices() {
    const editor = (name) => (row, column, text) => this.editEntry(name, row, column, text);
    const following = {
      onPoint: (n, m) => this.point(n, m),
      onPick: (n) => this.host.set({ query: n + 1 }),
    };
    const make = (name, title, options) => new MatrixView({ name, title, hint: this.text.mapKeys, ...options });
    this.X = make("X", symbolHtml("X"), { hint: this.text.mapEdits, onEdit: editor("X"), onPoint: following.onPoint });
    this.output = make("output", "", { ...following, buttons: true });
    this.weights = new MatrixOfEachHead((name) => make(`A ${name}`, "", following));
    this.steps = new Steps(this.text.between, make, editor, following);
  }

  // What goes in, how it is shared out and what comes out stand together; the steps between unfold.
  flow() {
    this.result = card("result", h("div", { class: "stage inputs" }, this.X.element), arrow("→"),
      h("div", { class: "stage" }, this.weights.element), arrow("→"), h("div", { class: "stage outputs" }, this.output.element));
    this.stages = h("div", { class: "flow" }, h("div", {}, this.strip.element), this.result, this.trace.element, this.steps.element,
      h("p", { class: "hint" }, this.text.hint));
    return this.stages;
  }

  // From X to the output one after the other, once, when a reader first sees it.
  lightUpOnce() {
    if (reducedMotion()) return;
    const watcher = new IntersectionObserver((seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      this.result.classList.add("lights-up");
    }, { threshold: 0.6 });
    watcher.observe(this.result);
  }

  setMask(mask) {
    const { padding, tokens } = this.host.store.state;
    return this.host.set({ mask, padding: mask === "padding" ? Math.min(padding, tokens.length - 1) : padding });
  }

  editEntry(name, row, column, text) {
    const matrix = this.host.store.state[name];
    return this.host.set({ [name]: matrix.with(row, matrix[row].with(column, text)) });
  }

  // A fourth token: a row and a column appear in the scores; the three maps stay as they are.
  addToken() {
    const { tokens, X } = this.host.store.state;
    const n = tokens.length;
    const entry = (d) => ((n * 3 + d * 2) % 5) - 1;
    const free = range(n + 1).map((i) => `x${subscript(i + 1)}`).filter((name) => !tokens.includes(name));
    this.host.set({ tokens: [...tokens, free.at(-1)], X: X.map((row, d) => [...row, entry(d)]) });
  }

  removeToken(n) {
    const { tokens, X, query, padding } = this.host.store.state;
    const left = tokens.length - 1;
    this.host.set({ tokens: tokens.toSpliced(n, 1), X: X.map((row) => row.toSpliced(n, 1)),
      query: Math.min(query > n + 1 ? query - 1 : query, left), padding: Math.min(padding, Math.max(0, left - 1)) });
  }

  // The outputs move as the tokens do: self-attention is equivariant.
  moveToken(from, to) {
    const { tokens, X, query } = this.host.store.state;
    const move = (list) => list.toSpliced(from, 1).toSpliced(to, 0, list[from]);
    const order = move(range(tokens.length));
    this.host.set({ tokens: move(tokens), X: X.map(move), query: order.indexOf(query - 1) + 1 });
  }

  point(n, m) {
    this.pointed = n;
    this.showTrace(m);
  }

  showTrace(m = -1) {
    const { state } = this.host.store;
    const { values } = this.host;
    const n = this.pointed >= 0 && this.pointed < state.tokens.length ? this.pointed : state.query - 1;
    for (const matrix of [this.X, this.steps, this.weights, this.output]) matrix.mark(n);
    this.trace.update(state, values, n, m);
    if (this.spokenQuery !== undefined && this.spokenQuery !== n) this.host.say(this.trace.spoken(state, values, n));
    this.spokenQuery = n;
  }

  update(state, values) {
    // From five tokens on, and with several heads, the matrices stand below each other.
    this.stages.classList.toggle("long", state.tokens.length > 4 || values.heads.length > 1);
    this.stages.classList.toggle("lazy", state.tokens.length > 8); // what is out of sight is drawn later
    this.updateControls(state);
    this.strip.update(state.tokens);
    const columns = state.tokens;
    this.X.update({ values: state.X, rows: entries(state.X), columns });
    this.updateWeights(state, values);
    this.steps.update(state, values);
    this.output.update({ values: values.output, rows: entries(values.output), columns,
      title: outputTitle(state) });
    this.output.press(state.query - 1);
    this.showTrace();
  }

  updateControls(state) {
    this.scaled.update(state.scaled);
    this.mask.update(state.mask);
    if (this.head.heads !== state.heads) {
      const choice = this.headChoice(state.heads);
      this.head.element.replaceWith(choice.element);
      this.head = choice;
    }
    this.head.update(state.head);
    this.window.element.hidden = state.mask !== "window";
    this.padding.element.hidden = state.mask !== "padding";
    this.window.update(state.window, 1, MOST_TOKENS);
    this.padding.update(state.padding, 0, state.tokens.length - 1);
  }

  updateWeights(state, values) {
    const columns = state.tokens;
    this.weights.update(values.heads, ({ weights }, i) => {
      const mark = headMark(state, values, i);
      return { values: weights, rows: columns, columns, limit: 1, corner: "m ↓ n →",
        title: `<b>A</b>${mark} = softmax(<b>S</b>${mark})`,
        sums: range(columns.length).map((n) => column(weights, n).reduce((a, b) => a + b, 0)) };
    });
  }

  destroy() {
    this.steps.destroy();
  }
}

function outputTitle({ heads, head, Omega_c }) {
  if (heads === 1 && Omega_c.length === 0) return "Sa(<b>X</b>) = <b>V A</b>";
  if (head > 0) return `Sa<sub>${head}</sub>(<b>X</b>)`;
  return Omega_c.length ? "MhSa(<b>X</b>) = <b>Ω</b><sub>c</sub> [Sa<sub>h</sub>(<b>X</b>)]" : "[Sa<sub>h</sub>(<b>X</b>)]";
}

const attentionKind = {
  name: "attention",
  styles: attentionStyles,
  fields: {
    tokens: tokensField(), X: matrixField(), Omega_q: matrixField(), Omega_k: matrixField(), Omega_v: matrixField(),
    Omega_c: matrixField(), heads: integerField(1, 64), head: integerField(0, 64), scaled: booleanField(),
    mask: choiceField("none", "causal", "padding", "window"), window: integerField(1, MOST_TOKENS),
    padding: integerField(0, MOST_TOKENS - 1), query: integerField(1, MOST_TOKENS),
  },
  labels: attentionLabels,
  check: checkAttention,
  compute: computeAttention,
  view: (host) => new AttentionView(host),
};
