// ScalingExplorer: what √D_q does to the softmax of 16 random scores (section 4).

class ScalingView {
  constructor(host) {
    const { text } = host;
    this.host = host;
    this.size = sliderControl(text.size, { min: 0, max: 40, step: 1 }, (step) =>
      host.set({ dimension: Math.round(2 ** (step / 4)) }));
    this.exact = h("input", { type: "text", class: "exact", inputMode: "numeric", autocomplete: "off", "aria-label": text.exact,
      on: { change: () => host.set({ dimension: this.exact.value }) } });
    const draw = (count) => () => this.draw(count);
    this.bars = new WeightBars(text);
    this.chart = new RunningChart(text);
    this.numbers = h("tbody", {});
    this.drawn = h("output", {});
    this.size.element.lastElementChild.replaceWith(this.exact);
    const panel = (title, ...children) => h("div", { class: "card" }, h("p", { class: "panel-title", html: title }), ...children);
    this.element = h("div", {},
      h("div", { class: "toolbar" }, this.size.element,
        buttonControl(text.redraw, draw(1), { class: "action main" }), buttonControl(text.redrawMany, draw(20)),
        h("span", { class: "drawn" }, `${text.draws} `, this.drawn)),
      h("div", { class: "panels" },
        panel(text.weights, this.bars.element),
        h("div", { class: "stack" }, panel(text.running, this.chart.element), panel(
          `${text.gradient} &nbsp;<span class="formula">Σ<sub>m</sub> <i>a<sub>m</sub></i>(1 − <i>a<sub>m</sub></i>)</span>`,
          h("table", { class: "bars gradient" }, h("thead", {}, h("tr", {}, h("td", {}),
            h("th", { scope: "col", class: "one" }, text.unscaled), h("th", { scope: "col", class: "two" }, text.scaled))), this.numbers)))));
    keepChildren(this.numbers, 2, () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {})));
  }

  draw(count) {
    const { draws } = this.host.store.state;
    if (draws === MOST_DRAWS) this.host.note(this.host.text.full);
    else this.host.set({ draws: Math.min(MOST_DRAWS, draws + count) });
  }

  update({ dimension, draws }, values) {
    const { text } = this.host;
    this.size.update(Math.round(4 * Math.log2(dimension)), String(dimension));
    this.exact.value = dimension;
    setText(this.drawn, String(draws));
    this.bars.update(values);
    this.chart.update(values);
    const rows = [
      [text.thisDraw, values.gradientUnscaled, values.gradientScaled],
      [text.meanOfDraws, values.meanGradientUnscaled, values.meanGradientScaled],
    ];
    rows.forEach(([name, ...numbers], i) => {
      const [head, ...cells] = this.numbers.rows[i].cells;
      setText(head, name);
      cells.forEach((cell, j) => {
        setText(cell, formatFixed(numbers[j], 3));
        cell.style.setProperty("--share", numbers[j]);
      });
    });
    const means = [values.runningUnscaled.at(-1), values.runningScaled.at(-1)].map((x) => formatFixed(x, 3));
    this.host.say(`Dq = ${dimension}: ${text.unscaled} ${means[0]}, ${text.scaled} ${means[1]}`);
  }
}

const scalingKind = {
  name: "scaling",
  styles: scalingStyles,
  fields: {
    dimension: integerField(1, LARGEST_DIMENSION), seed: integerField(0, 1e6), draws: integerField(1, MOST_DRAWS),
  },
  labels: scalingLabels,
  compute: computeScaling,
  view: (host) => new ScalingView(host),
};
