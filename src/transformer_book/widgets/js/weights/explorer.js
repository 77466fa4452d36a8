// WeightsExplorer: other attention weights, the same answer; and what shuffled weights change (section 10).

const STEPS = 1000; // of a slider

class WeightsView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.shuffles = 0;
    this.loader = new LoaderPanel(host);
    this.input = h("input", { type: "text", class: "question", "aria-label": text.sentence, maxLength: 60 });
    this.lacks = h("p", { class: "problem", role: "status" });
    const ask = (event) => {
      event.preventDefault();
      this.read(this.input.value.trim());
    };
    const act = (label, weights) => buttonControl(label, () => this.host.values.known && host.set({ weights: weights(this.host.values) }));
    this.buttons = [
      act(text.find, ({ own, votes }) => farthestWeights(own, votes)),
      act(text.shuffle, ({ present }) => shuffledWeights(present, (this.shuffles += 1))),
      act(text.equal, ({ own }) => own.map(() => 1 / own.length)),
      act(text.back, () => []),
    ];
    const facts = [text.ownChance, text.positive, text.change, text.divergence];
    this.summary = h("dl", {}, ...facts.flatMap((name) => [h("dt", {}, name), h("dd", {})]));
    this.notice = h("p", { class: "notice" }, text.waiting);
    this.body = h("tbody", {});
    const heads = [h("th", { scope: "col" }, text.character), h("th", { scope: "col", colSpan: 2 }, text.present),
      h("th", { scope: "col" }, text.own), h("th", { scope: "col" }, text.vote)];
    this.table = h("table", { class: "rows" }, h("thead", {}, h("tr", {}, ...heads)), this.body);
    this.element = h("div", {}, this.loader.element,
      h("form", { class: "toolbar", on: { submit: ask } }, this.input, h("button", { type: "submit", class: "action main" }, text.read)), this.lacks,
      h("div", { class: "card" }, this.summary, h("div", { class: "toolbar" }, ...this.buttons), h("p", { class: "hint" }, text.hint)),
      h("div", { class: "card table", role: "group", tabindex: "0", "aria-label": text.present }, this.notice, scrollFrame(text.present, this.table)));
  }

  read(text) {
    const { host } = this;
    if (text === "") return host.note(host.text.empty, "problem");
    if ([...text].length > LONGEST_REVIEW) return host.note(host.text.tooLong, "problem");
    return host.set({ text, weights: [] });
  }

  update(state, values) {
    const { text } = this.host;
    if (this.input.value !== state.text && !this.input.matches(":focus")) this.input.value = state.text;
    for (const button of this.buttons) button.disabled = !this.host.data.engine.notes[CLASSIFIER];
    this.notice.hidden = values.known;
    this.table.classList.toggle("unknown", !values.known);
    keepChildren(this.body, values.characters.length, (m) => this.makeRow(m));
    if (!values.known) return;
    const strange = [...new Set(values.characters.filter((_, m) => values.unknown[m]))];
    setText(this.lacks, strange.length ? text.lacks(strange) : "");
    const number = (x) => formatFixed(x, 3);
    const change = values.chance - values.ownChance;
    const signed = (change < 0 ? "−" : "+") + number(Math.abs(change));
    const facts = [number(values.ownChance), number(values.chance), signed, number(values.divergence)];
    facts.forEach((fact, i) => setText(this.summary.querySelectorAll("dd")[i], fact));
    values.characters.forEach((character, m) => this.showRow(this.body.rows[m], character, m, values));
    this.host.say(`${text.positive} ${facts[1]}, ${text.change} ${facts[2]}, ${text.divergence} ${facts[3]}`);
  }

  makeRow(m) {
    const drag = () => {
      const { known, present } = this.host.values;
      if (known) this.host.set({ weights: withWeight(present, m, Number(slider.value) / STEPS) });
    };
    const slider = h("input", { type: "range", min: 0, max: STEPS, step: 1, on: { input: drag } });
    return h("tr", {}, h("th", { scope: "row" }), h("td", {}, slider), h("td", {}), h("td", {}), h("td", {}));
  }

  showRow(row, character, m, { own, present, votes, unknown }) {
    const { text } = this.host;
    const [name, cell, weight, mine, vote] = row.cells;
    setText(name, character);
    setClass(name, unknown[m] ? "strange" : "");
    const slider = cell.firstElementChild;
    slider.value = String(Math.round(present[m] * STEPS));
    slider.setAttribute("aria-label", `${text.present} ${m + 1} ${character}`);
    slider.setAttribute("aria-valuetext", formatFixed(present[m], 3));
    for (const [target, value] of [[weight, present[m]], [mine, own[m]]]) {
      setText(target, formatFixed(value, 3));
      target.style.setProperty("--share", value);
    }
    setText(vote, (votes[m] < 0 ? "−" : "+") + formatFixed(Math.abs(votes[m]), 2));
    setClass(vote, shade(votes[m], Math.max(...votes.map(Math.abs))));
  }
}

const weightsField = () => ({
  read(value) {
    const numbers = value.map(readNumber);
    if (numbers.some((x) => x < 0) || (numbers.length && Math.abs(numbers.reduce((sum, x) => sum + x, 0) - 1) > 1e-6)) throw new Problem("shapes");
    return numbers;
  },
  encode: (weights) => weights.map((x) => Number(x.toFixed(9))).join(","),
  decode: (text) => (text === "" ? [] : text.split(",").map(Number)),
});

const weightsKind = {
  name: "weights",
  styles: weightsStyles,
  fields: { text: textField(), weights: weightsField() },
  labels: weightsLabels,
  connect: connectEngine,
  check: ({ text, weights }) => {
    const count = [...text].length;
    if (count < 1 || count > LONGEST_REVIEW) throw new Problem("url", text);
    if (weights.length && weights.length !== count) throw new Problem("shapes");
  },
  compute: computeWeights,
  view: (host) => new WeightsView(host),
};
