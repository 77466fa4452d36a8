// GenerationExplorer: the quatrain GPT chooses its next character, step by step (section 8).

const generationLabels = {
  zh: {
    title: "生成探索器", temperature: "温度", topK: "top-k", topP: "top-p", all: "全部", seed: "种子", draw: "抽一个字", drawAll: "抽到底",
    back: "退一步", restart: "重来", poem: "诗", end: "完", start: "起", next: "下一个字", model: "模型给的概率", used: "抽样用的概率",
    loading: "正在载入数据……", ended: "诗写完了。", choose: "选", asking: "模型正在算……", others: (n) => `其余 ${n} 个`,
    left: "离开了存下来的续写：这里没有模型的分数，网页不会编造。退一步，或在 Jupyter 里接着算。",
    precision: (error) => `网页存的是沿 11 条续写的分数，概率误差不超过 ${error}。`, cut: "截掉", here: "回到这里",
  },
  en: {
    title: "Generation explorer", temperature: "Temperature", topK: "top-k", topP: "top-p", all: "all", seed: "Seed",
    draw: "Draw a character", drawAll: "Draw to the end", back: "One back", restart: "Restart", poem: "Poem", end: "end",
    start: "start", next: "Next character", model: "Model's probability", used: "Probability drawn from",
    loading: "Loading the data …", ended: "The poem is complete.", choose: "Choose", asking: "The model is computing …",
    others: (n) => `${n} others`,
    left: "This leaves the stored continuations: the page has no logits of the model here and makes none up. Go back, or go on in Jupyter.",
    precision: (error) => `The page holds the logits along 11 continuations; probabilities are right to ${error}.`, cut: "cut off",
    here: "Back to here",
  },
};

const CANDIDATES = 12;
const TEMPERATURE_STEPS = 40; // of 0.05

class GenerationView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.temperature = sliderControl(`${text.temperature} <i>T</i>`, { min: 0, max: TEMPERATURE_STEPS, step: 1 },
      (step) => host.set({ temperature: step / 20 }));
    // Characters kept; 0, at the right end as with top-p, keeps all.
    this.counts = [1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 300, 0];
    this.topK = sliderControl(text.topK, { min: 0, max: this.counts.length - 1, step: 1 },
      (step) => host.set({ top_k: this.counts[step] }));
    this.topP = sliderControl(text.topP, { min: 1, max: 20, step: 1 }, (step) => host.set({ top_p: step / 20 }));
    // The stepper walks along the list of seeds.
    this.seed = stepperControl(text.seed, (place) => host.set({ seed: host.store.state.seeds[place] }));
    this.draw = buttonControl(text.draw, () => this.append(this.host.values.drawn), { class: "action main" });
    this.drawAll = buttonControl(text.drawAll, () => this.run());
    this.back = buttonControl(text.back, () => this.cut(this.host.store.state.ids.length - 1));
    this.restart = buttonControl(text.restart, () => this.cut(0));
    this.poem = h("ol", { class: "poem", "aria-label": text.poem });
    this.notice = h("p", { class: "notice" });
    this.body = h("tbody", {});
    this.table = h("table", { class: "bars candidates" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.next),
      h("th", { scope: "col", class: "one" }, text.model), h("th", { scope: "col", class: "two" }, text.used))), this.body);
    this.precision = h("p", { class: "hint" });
    keepChildren(this.body, CANDIDATES + 1, (i) => this.makeRow(i));
    this.element = h("div", {},
      h("div", { class: "card settings" }, this.temperature.element, this.topK.element, this.topP.element),
      h("div", { class: "card" }, this.poem,
        h("div", { class: "toolbar" }, this.draw, this.drawAll, this.back, this.restart, this.seed.element)),
      h("div", { class: "card odds" }, this.notice, this.table), this.precision);
  }

  makeRow(i) {
    const name = i < CANDIDATES
      ? h("button", { type: "button", class: "action", on: { click: () => this.append(this.host.values.order[i]) } })
      : h("span", {});
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}), h("td", {}));
  }

  append(id) {
    const { ids } = this.host.store.state;
    this.host.set({ ids: [...ids, id] });
  }

  cut(length) {
    this.running = false;
    this.host.set({ ids: this.host.store.state.ids.slice(0, Math.max(0, length)) });
  }

  // Draw until the poem ends or leaves what is known; in a notebook wait for each answer of the model.
  run() {
    this.running = true;
    this.continueRun();
  }

  continueRun() {
    while (this.running && this.host.values.known) this.append(this.host.values.drawn);
    if (this.host.values.ended) this.running = false;
  }

  token(id) {
    const { pack } = this.host.values;
    return id === pack.end ? this.host.text.end : pack.tokens[id];
  }

  update(state, values) {
    const { text, data } = this.host;
    this.updateSettings(state, values);
    this.notice.hidden = values.known;
    setClass(this.notice, values.loaded && !values.ended && !data.canAsk?.() ? "notice problem" : "notice");
    this.table.classList.toggle("unknown", !values.known);
    if (!values.loaded) return setText(this.notice, text.loading);
    if (!values.fits) return this.refuse(state.ids);
    this.showPoem(state, values);
    setText(this.precision, values.pack.contexts.length ? text.precision(values.pack.largest_error) : "");
    if (values.known) {
      this.showCandidates(values);
      if (this.running && !this.continuing) this.resume();
      return undefined;
    }
    const asked = !values.ended && data.canAsk?.();
    if (asked) data.ask({ ids: state.ids });
    else this.running = false;
    setText(this.notice, values.ended ? text.ended : asked ? text.asking : text.left);
    this.host.say(this.notice.textContent);
    return undefined;
  }

  // Only the data tell that the ids of an address are no poem.
  refuse(ids) {
    this.host.set({ ids: this.host.store.initial.ids });
    this.host.complain(new Problem("url", `ids:${ids.join(",")}`));
  }

  // An answer came while running: go on after this update, not within it.
  resume() {
    if (!this.host.data.canAsk?.()) return;
    this.continuing = true;
    queueMicrotask(() => {
      this.continuing = false;
      if (this.running && this.host.values.known) this.append(this.host.values.drawn);
    });
  }

  updateSettings(state, values) {
    const { text } = this.host;
    this.temperature.update(Math.round(state.temperature * 20), formatFixed(state.temperature, 2));
    const step = state.top_k === 0 ? -1 : this.counts.findIndex((count) => count >= state.top_k);
    this.topK.update(step < 0 ? this.counts.length - 1 : step, state.top_k === 0 ? text.all : String(state.top_k));
    this.topP.update(Math.round(state.top_p * 20), formatFixed(state.top_p, 2));
    this.seed.update(state.seeds.indexOf(state.seed), 0, state.seeds.length - 1, String(state.seed));
    this.draw.disabled = !values.known;
    this.drawAll.disabled = !values.known;
    this.back.disabled = state.ids.length === 0;
    this.restart.disabled = state.ids.length === 0;
  }

  showPoem({ ids }, values) {
    keepChildren(this.poem, ids.length + 1, (i) => h("li", {}, h("button", { type: "button", on: { click: () => this.cut(i) } })));
    [...this.poem.children].forEach((item, i) => {
      const button = item.firstElementChild;
      const last = i === ids.length;
      setText(button, last ? (values.ended ? "" : "?") : this.token(ids[i]));
      button.disabled = last;
      button.setAttribute("aria-label", last ? this.host.text.next : `${this.token(ids[i])}: ${this.host.text.here}`);
      setClass(item, last ? (values.ended ? "gone" : values.known ? "cursor" : "cursor lost") : "");
    });
  }

  showCandidates({ order, plain, probabilities, drawn, pack }) {
    const { text } = this.host;
    const shown = order.slice(0, CANDIDATES);
    shown.forEach((id, i) => {
      const row = this.body.rows[i];
      const button = row.cells[0].firstElementChild;
      setText(button, this.token(id));
      button.setAttribute("aria-label", `${text.choose} ${this.token(id)}`);
      setClass(row, probabilities[id] === 0 ? "cut" : id === drawn ? "drawn" : "");
      this.showPair(row, plain[id], probabilities[id]);
    });
    const rest = (list) => list.reduce((sum, p) => sum + p, 0) - shown.reduce((sum, id) => sum + list[id], 0);
    const row = this.body.rows[CANDIDATES];
    setText(row.cells[0].firstElementChild, text.others(pack.tokens.length - CANDIDATES));
    setClass(row, shown.includes(drawn) ? "" : "drawn");
    this.showPair(row, Math.max(0, rest(plain)), Math.max(0, rest(probabilities)));
  }

  showPair(row, plain, used) {
    [plain, used].forEach((value, i) => {
      const cell = row.cells[i + 1];
      setText(cell, formatFixed(value, 3));
      cell.style.setProperty("--share", value);
    });
  }
}

const generationKind = {
  name: "generation",
  fields: {
    temperature: numberField(0, 2), top_k: integerField(0, 65535), top_p: numberField(0.01, 1), seeds: givenField(), seed: integerField(0, 1e6),
    ids: {
      read(ids) {
        if (ids.length > 64 || ids.some((id) => !Number.isInteger(id) || id < 0)) throw new Problem("shapes");
        return [...ids];
      },
      encode: (ids) => ids.join(","),
      decode: (text) => (text === "" ? [] : text.split(",").map(Number)),
    },
  },
  labels: generationLabels,
  check: checkGeneration,
  compute: computeGeneration,
  view: (host) => new GenerationView(host),
};
