// Tokens linked by lines whose strength is the weight: queries on the left, keys on the right.

const LINE_HEIGHT = 34;
const LEAST_DRAWN = 0.02;
const FAINT_STEPS = 16;

class Links {
  constructor(text, onPoint, onPick) {
    this.text = text;
    this.queries = h("ol", { class: "queries", "aria-label": text.queries });
    this.keys = h("ol", { class: "keys", "aria-label": text.keys });
    this.faint = h("g", {});
    this.strong = h("g", {});
    this.svg = h("svg", { "aria-hidden": "true", preserveAspectRatio: "none" }, this.faint, this.strong);
    this.element = h("div", { class: "links" }, this.queries, this.svg, this.keys);
    const place = (event) => event.target.closest("button")?.dataset.n;
    const point = (event) => place(event) !== undefined && onPoint(Number(place(event)));
    this.queries.addEventListener("pointerover", (event) => event.pointerType === "mouse" && point(event));
    this.queries.addEventListener("focusin", point);
    this.queries.addEventListener("pointerleave", () => onPoint(-1));
    this.queries.addEventListener("focusout", () => onPoint(-1));
    this.queries.addEventListener("click", (event) => place(event) !== undefined && onPick(Number(place(event))));
  }

  update(tokens, weights, query, pinned) {
    const count = tokens.length;
    keepChildren(this.queries, count, (n) => h("li", {}, h("button", { type: "button", "data-n": n })));
    keepChildren(this.keys, count, () => h("li", {}, h("span", { class: "token" }), h("span", { class: "weight" })));
    this.svg.style.height = `${count * LINE_HEIGHT}px`;
    this.svg.setAttribute("viewBox", `0 0 100 ${count * LINE_HEIGHT}`);
    const most = weights ? Math.max(...column(weights, query)) : 1;
    tokens.forEach((token, n) => {
      const button = this.queries.children[n].firstElementChild;
      setText(button, visibleToken(token));
      button.setAttribute("aria-pressed", String(n === pinned));
      setClass(button, n === query ? "traced" : "");
      const [name, weight] = this.keys.children[n].children;
      setText(name, visibleToken(token));
      setText(weight, !weights || weights[n][query] < 0.0005 ? "" : formatFixed(weights[n][query], 3));
      weight.style.setProperty("--share", weights ? weights[n][query] / most : 0);
    });
    this.drawLines(weights, query, count);
  }

  // All weights faintly, drawn when they change, and those of the query in view strongly above them.
  drawLines(weights, query, count) {
    const middle = (n) => (n + 0.5) * LINE_HEIGHT;
    const line = (m, n) => `M 0 ${middle(n)} C 40 ${middle(n)} 60 ${middle(m)} 100 ${middle(m)}`;
    const draw = (group, name, paths) => {
      group.innerHTML = paths.map(([d, weight, opacity]) =>
        `<path d="${d}" class="${name}" stroke-width="${(1 + 7 * weight).toFixed(1)}" stroke-opacity="${opacity.toFixed(3)}"/>`).join("");
    };
    if (this.drawn !== weights) {
      const shares = range(FAINT_STEPS).map(() => []); // thousands of lines in few paths
      range(weights ? count : 0).forEach((n) => weights.forEach((row, m) => {
        if (row[n] >= LEAST_DRAWN) shares[Math.min(FAINT_STEPS - 1, Math.floor(row[n] * FAINT_STEPS))].push(line(m, n));
      }));
      const middleOf = (step) => (step + 0.5) / FAINT_STEPS;
      draw(this.faint, "faint", shares.map((lines, step) => [lines.join(""), middleOf(step), middleOf(step) * 0.22]).filter(([d]) => d));
      this.drawn = weights;
    }
    const drawn = range(weights ? count : 0).filter((m) => weights[m][query] >= LEAST_DRAWN);
    draw(this.strong, "strong", drawn.map((m) => [line(m, query), weights[m][query], weights[m][query]]));
  }
}

// A leading blank belongs to a token; ␣ shows it.
const visibleToken = (token) => token.replaceAll(" ", "␣").replaceAll("\n", "⏎");
