// TranslationExplorer: numerals into digits and back, character by character, with cross-attention as alignment (section 8).

const TRANSLATOR = "numerals";
const LONGEST_NUMBER = 15;
const WRITING_PACE = 500; // milliseconds between characters while they are played back

function computeTranslation({ text, layer, head }, { engine }) {
  const notes = engine.notes[TRANSLATOR];
  const source = [...text];
  const expected = rightAnswer(text);
  const digits = /^\d+$/.test(text) ? text : (expected ?? "");
  const base = { known: false, source, expected, longer: digits.length > 6, notes };
  if (!notes) return base;
  const signs = signsOf(notes);
  const ids = source.map((c) => signs.indexOf(c));
  const unknown = source[ids.findIndex((id) => id < 0)];
  if (unknown !== undefined) return { ...base, unknown };
  const answer = engine.ask(TRANSLATOR, "translation",
    { source: [...ids, notes.end], start: notes.start, end: notes.end, longest: notes.config.context_length - 1 });
  if (!answer) return base;
  const heads = notes.config.num_heads;
  const columns = answer.weights.map((layers) => headRow(layers[layer], heads, head)); // one a character written
  return {
    ...base, known: true, target: answer.tokens.map((id) => (id === notes.end ? null : signs[id])), chances: answer.chances,
    alignment: transpose(columns), translation: answer.tokens.filter((id) => id !== notes.end).map((id) => signs[id]).join(""),
  };
}

// The weights of one head, or the mean of all (-1), from (H, M) in one array.
function headRow(rows, heads, head) {
  const count = rows.length / heads;
  const chosen = head < 0 ? range(heads) : [head];
  return range(count).map((m) => chosen.reduce((sum, h) => sum + rows[h * count + m], 0) / chosen.length);
}

class TranslationView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.shown = Infinity; // characters of the translation played back so far
    this.loader = new LoaderPanel(host);
    this.input = h("input", { type: "text", class: "question", "aria-label": text.source, maxLength: 40 });
    this.examples = h("select", { class: "question examples", "aria-label": text.examples,
      on: { change: () => this.take(this.examples.value) } },
    h("option", { value: "" }, text.choose), ...EXAMPLES.map((example) => h("option", { value: example }, example)));
    this.layer = choiceControl(text.layer, [[0, "0"], [1, "1"]], (layer) => host.set({ layer }));
    this.head = choiceControl(text.head, [[-1, text.mean], ...range(4).map((i) => [i, String(i)])], (head) => host.set({ head }));
    this.play = buttonControl(text.play, () => this.playBack());
    this.heading = h("p", { class: "panel-title" });
    this.target = h("ol", { class: "target", "aria-label": text.target });
    this.verdict = h("p", { class: "verdict" });
    this.longer = h("p", { class: "hint" }, text.longer);
    this.matrix = new MatrixView({ name: text.matrix, title: text.matrix, hint: text.mapKeys, onPoint: (n) => this.matrix.mark(n) });
    const ask = (event) => {
      event.preventDefault();
      this.take(plainText(this.input.value));
    };
    this.element = h("div", {}, this.loader.element,
      h("form", { class: "toolbar", on: { submit: ask } }, this.input,
        h("button", { type: "submit", class: "action main" }, text.translate), this.examples),
      h("div", { class: "card" }, this.heading, this.target, this.verdict, this.longer,
        h("div", { class: "toolbar" }, this.play, this.layer.element, this.head.element), this.matrix.element, h("p", { class: "hint" }, text.hint)));
  }

  take(text) {
    const { host, host: { values: { notes, known }, store: { state } } } = this;
    const refuse = (why) => host.note(known ? `${why} ${host.text.still(state.text)}` : why, "problem");
    if (text === "") return refuse(host.text.empty);
    if ([...text].length > LONGEST_NUMBER) return refuse(host.text.tooLong);
    const strange = notes && [...text].find((c) => !notes.signs.includes(c));
    if (strange) return refuse(host.text.unknown(strange));
    this.stop();
    return host.set({ text });
  }

  stop() {
    clearTimeout(this.timer);
    this.shown = Infinity;
  }

  playBack() {
    this.stop();
    if (!this.host.values.known) return;
    const step = (shown) => {
      this.shown = shown;
      this.host.update();
      if (shown < this.host.values.target.length) this.timer = setTimeout(() => step(shown + 1), WRITING_PACE);
    };
    step(1);
  }

  update(state, values) {
    const { text } = this.host;
    if (this.input.value !== state.text && !this.input.matches(":focus")) this.input.value = state.text;
    this.examples.value = EXAMPLES.includes(state.text) ? state.text : "";
    this.layer.update(state.layer);
    this.head.update(state.head);
    this.longer.hidden = !values.longer;
    this.play.hidden = reducedMotion();
    if (values.unknown !== undefined) {
      this.host.set({ text: this.host.store.initial.text });
      return this.host.note(text.unknown(values.unknown), "problem");
    }
    const target = values.known ? values.target.map((c) => c ?? text.end) : [];
    setText(this.heading, text.of(state.text));
    this.showTarget(target, values);
    this.showVerdict(values);
    const rows = [...values.source, text.end];
    const hidden = (n) => n >= this.shown;
    const blank = rows.map(() => [0]);
    this.matrix.update({
      values: values.known ? values.alignment.map((row) => row.map((weight, n) => (hidden(n) ? 0 : weight))) : blank, rows,
      columns: values.known ? target.map((c, n) => (hidden(n) ? "·" : c)) : ["?"], limit: 1, corner: "m ↓ n →",
    });
    return undefined;
  }

  showTarget(target, { chances }) {
    keepChildren(this.target, Math.max(1, target.length), () => h("li", {}, h("b", {}), h("small", {})));
    [...this.target.children].forEach((item, n) => {
      const there = n < target.length && n < this.shown;
      setText(item.children[0], there ? target[n] : "·");
      setText(item.children[1], there ? formatFixed(chances[n], 2) : "");
    });
  }

  showVerdict({ known, expected, translation }) {
    const { text } = this.host;
    const judged = () => (translation === expected ? text.right(expected) : text.wrong(expected));
    const words = !known ? text.waiting : expected === null ? text.noAnswer : judged();
    setText(this.verdict, words);
    setClass(this.verdict, known && expected !== null && translation !== expected ? "verdict problem" : "verdict");
    if (known) this.host.say(`${translation}. ${words}`);
  }

  destroy() {
    clearTimeout(this.timer);
  }
}

const translationKind = {
  name: "translation",
  styles: translationStyles,
  fields: { text: textField(), layer: integerField(0, 1), head: integerField(-1, 3) },
  labels: translationLabels,
  connect: connectEngine,
  check: ({ text }) => {
    if (text === "" || [...text].length > LONGEST_NUMBER) throw new Problem("url", text);
  },
  compute: computeTranslation,
  view: (host) => new TranslationView(host),
};
