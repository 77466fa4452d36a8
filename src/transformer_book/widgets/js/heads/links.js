// Tokens linked by lines whose strength is the weight: queries on the left, keys on the right.

const LINE_HEIGHT = 34;

class Links {
  constructor(text, onPoint, onPick) {
    this.text = text;
    this.queries = h("ol", { class: "queries", "aria-label": text.queries });
    this.keys = h("ol", { class: "keys", "aria-label": text.keys });
    this.svg = h("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
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

  // All weights faintly, those of the query in view strongly.
  drawLines(weights, query, count) {
    const middle = (n) => (n + 0.5) * LINE_HEIGHT;
    const lines = [];
    if (weights) {
      for (let n = 0; n < count; n += 1) {
        for (let m = 0; m < count; m += 1) {
          const weight = weights[m][n];
          if (weight < 0.02) continue;
          const strong = n === query;
          const line = `M 0 ${middle(n)} C 40 ${middle(n)} 60 ${middle(m)} 100 ${middle(m)}`;
          lines.push([strong, `<path d="${line}" class="${strong ? "strong" : "faint"}" `
            + `stroke-width="${(1 + 7 * weight).toFixed(1)}" stroke-opacity="${(strong ? weight : weight * 0.22).toFixed(3)}"/>`]);
        }
      }
    }
    this.svg.innerHTML = lines.sort((a, b) => a[0] - b[0]).map(([, line]) => line).join("");
  }
}

// A leading blank belongs to a token; ␣ shows it.
const visibleToken = (token) => token.replaceAll(" ", "␣").replaceAll("\n", "⏎");
