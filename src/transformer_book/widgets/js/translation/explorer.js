// TranslationExplorer: numerals into digits and back, character by character, with cross-attention as alignment (section 8).

const translationLabels = withModelLabels({
  zh: {
    title: "翻译探索器", source: "要翻译的数", translate: "翻译", play: "逐字播放", examples: "例子", choose: "选一个例子", layer: "层", head: "头", mean: "平均",
    end: "完", target: "译文", waiting: "载入模型之后，这里是译文。", right: (answer) => `对：${answer}`, wrong: (answer) => `不对，应该是 ${answer}。`,
    noAnswer: "这不是规范的数，没有标准答案；模型照样会写点什么。", longer: "训练时的数都小于 1000000：更长的数模型从没见过，常常只译出前几位。",
    unknown: (c) => `词表里没有“${c}”，只有零到九、十百千万和数字。`, empty: "请先写一个数。", tooLong: "最多 15 个字。", of: (text) => `“${text}”的译文`, still: (text) => `下面还是“${text}”的译文。`, keys: "键：原文", queries: "查询：要写的字",
    matrix: "交叉注意力", hint: "每一列：写这个字的时候，模型看原文的哪些字。", chance: "把握",
  },
  en: {
    title: "Translation explorer", source: "Number to translate", translate: "Translate", play: "Play it back", examples: "Examples",
    choose: "Choose an example", layer: "Layer", head: "Head", mean: "mean", end: "end", target: "Translation",
    waiting: "Once the model is loaded, the translation stands here.", right: (answer) => `Right: ${answer}`, wrong: (answer) => `Wrong, it should be ${answer}.`,
    noAnswer: "This is no well-formed number, so there is no right answer; the model writes something all the same.",
    longer: "All training numbers were below 1000000: the model has never seen a longer one, and often translates the first digits alone.",
    unknown: (c) => `The vocabulary lacks “${c}”: it has the numerals' characters and the digits.`, empty: "Write a number first.",
    tooLong: "At most 15 characters.", of: (text) => `Translation of “${text}”`, still: (text) => `Below still stands the translation of “${text}”.`, keys: "Keys: source", queries: "Queries: characters to write", matrix: "Cross-attention",
    hint: "Each column: which characters of the source the model looks at while it writes this one.", chance: "Chance",
  },
});

const TRANSLATOR = "numerals";
const LONGEST_NUMBER = 15;
const EXAMPLES = ["三万零二百零五", "30205", "十万", "999999", "1234567", "123456789"];
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
