// GenerationExplorer: the quatrain GPT chooses its next character, step by step, in the page itself (section 8).

const CANDIDATES = 12;
const LONGEST_POEM = 33;
const PACE = 140; // milliseconds between characters while drawing to the end

class GenerationView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.loader = new LoaderPanel(host);
    this.poem = new Poem(host, (length) => this.cut(length));
    this.odds = new Odds(text, (id) => this.append(id));
    this.draw = buttonControl(text.draw, () => this.append(host.values.drawn), { class: "action main" });
    this.drawAll = buttonControl(text.drawAll, () => this.run(!this.running));
    this.back = buttonControl(text.back, () => this.cut([...host.store.state.text].length - 1));
    this.restart = buttonControl(text.restart, () => this.cut(0));
    this.keep = buttonControl(text.keep, () => host.set({ beside: host.store.state.text }));
    this.swap = buttonControl(text.swap, () => host.set({ text: host.store.state.beside, beside: host.store.state.text }));
    this.beside = h("p", { class: "beside" });
    this.seed = stepperControl(text.seed, (seed) => host.set({ seed }));
    this.layer = stepperControl(text.layer, (layer) => host.set({ layer }));
    this.head = stepperControl(text.head, (head) => host.set({ head }));
    this.element = h("div", {}, this.loader.element, this.settings(text), this.beginning(text),
      h("div", { class: "card" }, this.poem.element,
        h("div", { class: "toolbar" }, this.draw, this.drawAll, this.back, this.restart, this.seed.element),
        h("div", { class: "toolbar" }, this.layer.element, this.head.element, this.keep, this.swap, this.beside),
        h("p", { class: "hint" }, text.attention)),
      this.odds.element);
  }

  settings(text) {
    const { host } = this;
    this.temperature = sliderControl(`${text.temperature} <i>T</i>`, { min: 0, max: 40, step: 1 }, (step) => host.set({ temperature: step / 20 }));
    // Characters kept; 0, at the right end as with top-p, keeps all.
    this.counts = [1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 300, 0];
    this.topK = sliderControl(text.topK, { min: 0, max: this.counts.length - 1, step: 1 }, (step) => host.set({ top_k: this.counts[step] }));
    this.topP = sliderControl(text.topP, { min: 1, max: 20, step: 1 }, (step) => host.set({ top_p: step / 20 }));
    return h("div", { class: "card settings" }, this.temperature.element, this.topK.element, this.topP.element);
  }

  // Any beginning in the vocabulary.
  beginning(text) {
    const input = h("input", { type: "text", class: "question", "aria-label": text.begin, placeholder: text.example, maxLength: 40 });
    const use = (event) => {
      event.preventDefault();
      this.begin([...input.value.trim()].map((c) => ({ ",": "，", ".": "。" })[c] ?? c));
    };
    return h("form", { class: "toolbar ask", on: { submit: use } }, input, h("button", { class: "action", type: "submit" }, text.beginUse));
  }

  begin(characters) {
    const { host } = this;
    const { notes, signs } = host.values;
    const strange = notes && characters.find((c) => !signs.includes(c));
    if (strange) return host.note(host.text.unknown(strange), "problem");
    if (characters.length > LONGEST_POEM) return host.note(host.text.tooLong, "problem");
    this.stop();
    return host.set({ text: characters.join("") });
  }

  append(id) {
    const { host } = this;
    if (!host.values.known) return;
    host.set({ text: host.store.state.text + host.values.signs[id] });
  }

  cut(length) {
    this.stop();
    this.host.set({ text: [...this.host.store.state.text].slice(0, Math.max(0, length)).join("") });
  }

  stop() {
    this.running = false;
  }

  // Draw until the poem ends: a step whenever the model has answered.
  run(on) {
    this.running = on;
    this.host.update();
  }

  continueRun(values) {
    if (values.ended) this.running = false;
    if (!this.running || !values.known || this.due) return;
    this.due = setTimeout(() => {
      this.due = null;
      if (this.running) this.append(this.host.values.drawn);
    }, reducedMotion() ? 0 : PACE);
  }

  update(state, values) {
    const { text } = this.host;
    if (!values.fits) return this.refuse(state.text);
    this.continueRun(values);
    this.updateSettings(state, values);
    this.poem.update(state, values);
    this.odds.update(values);
    setText(this.drawAll, this.running ? text.stop : text.drawAll);
    if (values.known || values.ended) this.speak(values);
    return undefined;
  }

  // Only the vocabulary tells that the text of an address is no poem.
  refuse(given) {
    this.host.set({ text: "" });
    this.host.complain(new Problem("url", `text:${given}`));
  }

  speak({ characters, signs, order, plain, ended }) {
    const { text } = this.host;
    const best = ended ? text.ended : order.slice(0, 3).map((id) => `${signs[id]} ${formatFixed(plain[id], 3)}`).join(", ");
    this.host.say(`${characters.join("")} ${best}`);
  }

  updateSettings(state, { known, ended, notes }) {
    const { text } = this.host;
    this.temperature.update(Math.round(state.temperature * 20), formatFixed(state.temperature, 2));
    const step = state.top_k === 0 ? -1 : this.counts.findIndex((count) => count >= state.top_k);
    this.topK.update(step < 0 ? this.counts.length - 1 : step, state.top_k === 0 ? text.all : String(state.top_k));
    this.topP.update(Math.round(state.top_p * 20), formatFixed(state.top_p, 2));
    this.seed.update(state.seed, 0, 999999);
    const { num_layers: layers, num_heads: heads } = notes?.config ?? { num_layers: 1, num_heads: 1 };
    this.layer.update(Math.min(state.layer, layers - 1), 0, layers - 1);
    this.head.update(Math.min(state.head, heads - 1), 0, heads - 1);
    // While an answer is on its way nothing is switched off: a button that has the focus would lose it.
    const idle = !notes || ended;
    this.draw.disabled = idle;
    this.drawAll.disabled = idle;
    this.back.disabled = state.text === "";
    this.restart.disabled = state.text === "";
    this.keep.disabled = state.text === "";
    this.swap.disabled = state.beside === "";
    this.compare(state, known);
  }

  // The poem kept beside, what both begin with in grey.
  compare({ text: poem, beside }) {
    const [ours, other] = [[...poem], [...beside]];
    let common = 0;
    while (common < other.length && ours[common] === other[common]) common += 1;
    this.beside.replaceChildren(...(beside === "" ? [] : [`${this.host.text.beside}：`, h("span", { class: "common" }, other.slice(0, common).join("")),
      h("b", {}, other.slice(common).join(""))]));
  }
}

const generationKind = {
  name: "generation",
  styles: generationStyles,
  fields: {
    text: textField(), beside: textField(), temperature: numberField(0, 2), top_k: integerField(0, 65535), top_p: numberField(0.01, 1),
    seed: integerField(0, 999999), layer: integerField(0, 99), head: integerField(0, 99),
  },
  labels: generationLabels,
  connect: connectEngine,
  check: ({ text, beside }) => {
    if (Math.max([...text].length, [...beside].length) > LONGEST_POEM) throw new Problem("url", text);
  },
  compute: computeGeneration,
  view: (host) => new GenerationView(host),
};
