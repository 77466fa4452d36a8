// DigitsExplorer: draw a digit, and two Vision Transformers of the book read it, one of them without positions (section 9).

const PLACES = { rows: ["1", "2", "3", "4"], columns: ["1", "2", "3", "4"] }; // of the patches
const largestPlace = (numbers) => numbers.indexOf(Math.max(...numbers));

class DigitsView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.loader = new LoaderPanel(host);
    this.board = new Board(text, (at) => this.paint(at), (row, column, ink) => host.say(`${row}, ${column}: ${ink}`));
    this.erase = switchControl(text.erase, (on) => (this.erasing = on));
    this.clear = buttonControl(text.clear, () => host.set({ pixels: new Array(SIDE * SIDE).fill(0) }));
    this.sample = stepperControl(text.sample, (sample) => this.showSample(sample));
    this.seen = h("div", { class: "board small", role: "img", "aria-label": text.seen }, ...range(SIDE * SIDE).map(() => h("i", {})));
    this.shuffled = switchControl(text.shuffled, (shuffled) => host.set({ shuffled }));
    this.layer = choiceControl(text.layer, [[0, "0"], [1, "1"]], (layer) => host.set({ layer }));
    this.head = choiceControl(text.head, [[-1, text.mean], ...range(4).map((i) => [i, String(i)])], (head) => host.set({ head }));
    this.query = stepperControl(text.query, (query) => host.set({ query }));
    this.attention = new MatrixView({ name: text.attention, title: text.attention });
    this.rest = h("p", { class: "hint" });
    this.element = h("div", {}, this.loader.element, h("div", { class: "panels" }, this.drawing(text), this.reading(text)));
  }

  drawing(text) {
    const ink = (pixels) => pixels.reduce((sum, x) => sum + x, 0);
    const shift = (down, right) => {
      const { pixels } = this.host.store.state;
      const moved = shifted(pixels, down, right);
      this.host.set({ pixels: moved });
      if (ink(moved) < ink(pixels)) this.host.note(text.lost);
    };
    const move = (sign, name, ...step) => buttonControl(sign, () => shift(...step), { "aria-label": name });
    return h("div", { class: "card" }, this.board.element,
      h("div", { class: "toolbar" }, this.erase.element, this.clear, this.sample.element),
      h("div", { class: "toolbar" }, move("←", text.left, 0, -1), move("→", text.right, 0, 1), move("↑", text.up, -1, 0), move("↓", text.down, 1, 0)),
      h("div", { class: "toolbar" }, this.shuffled.element), h("p", { class: "hint" }, text.seen), this.seen,
      h("p", { class: "hint" }, text.hint));
  }

  reading(text) {
    this.notice = h("p", { class: "notice" }, text.waiting);
    const row = (digit) => h("tr", {}, h("th", { scope: "row" }, String(digit)), h("td", {}), h("td", {}));
    this.body = h("tbody", {}, ...range(10).map(row));
    this.bars = h("table", { class: "bars" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.digit),
      h("th", { scope: "col", class: "two" }, text.withPositions), h("th", { scope: "col", class: "one" }, text.without))), this.body);
    return h("div", { class: "card" }, h("div", { class: "odds" }, this.notice, this.bars),
      h("div", { class: "toolbar" }, this.layer.element, this.head.element, this.query.element),
      this.attention.element, this.rest);
  }

  paint(at) {
    this.host.set({ pixels: painted(this.host.store.state.pixels, at, this.erasing) });
  }

  showSample(sample) {
    const { samples } = this.host.store.state;
    this.host.set({ sample, pixels: pixelsField().decode(samples[sample]) });
  }

  update(state, values) {
    const { text } = this.host;
    this.board.update(state.pixels);
    this.sample.update(state.sample, 0, state.samples.length - 1);
    this.shuffled.update(state.shuffled);
    this.layer.update(state.layer);
    this.head.update(state.head);
    this.query.update(state.query, 0, PATCHES, state.query === 0 ? text.classToken : text.patch(state.query));
    [...this.seen.children].forEach((cell, at) => cell.style.setProperty("--ink", values.seen[at] / INK));
    if (values.known) this.show(values);
    else if (!this.drawnOnce) this.showNothing();
  }

  showNothing() {
    this.attention.update({ values: range(4).map(() => [0, 0, 0, 0]), ...PLACES, limit: 1 });
    this.bars.classList.add("unknown");
    setText(this.rest, this.host.text.rest("–"));
  }

  show({ probabilities, patchWeights, classWeight }) {
    const { text } = this.host;
    this.drawnOnce = true;
    this.notice.hidden = true;
    this.bars.classList.remove("unknown");
    const best = probabilities.map(largestPlace);
    const most = largestSize(probabilities);
    [...this.body.rows].forEach((row, digit) => {
      probabilities.forEach((chances, i) => {
        setText(row.cells[i + 1], formatFixed(chances[digit], 3));
        row.cells[i + 1].style.setProperty("--share", chances[digit] / most);
        setClass(row.cells[i + 1], best[i] === digit ? "best" : "");
      });
    });
    this.attention.update({ values: patchWeights, ...PLACES, limit: Math.max(...patchWeights.flat()) });
    setText(this.rest, text.rest(formatFixed(classWeight, 3)));
    this.host.say(text.says(...best));
  }
}

const digitsKind = {
  name: "digits",
  styles: digitsStyles,
  fields: {
    pixels: pixelsField(), sample: integerField(0, 99), shuffled: booleanField(), layer: integerField(0, 1), head: integerField(-1, 3),
    query: integerField(0, PATCHES), samples: givenField(), order: givenField(),
  },
  labels: digitsLabels,
  connect: connectEngine,
  check: ({ sample, samples }) => {
    if (sample >= samples.length) throw new Problem("unknown", sample);
  },
  compute: computeDigits,
  view: (host) => new DigitsView(host),
};
