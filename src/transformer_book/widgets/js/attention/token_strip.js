// The tokens in a row: renamed, added, removed, dragged or moved by key into another order.

class TokenStrip {
  constructor(text, { onRename, onMove, onRemove, onAdd }) {
    Object.assign(this, { text, onRename, onMove, onRemove, onAdd, tokens: [] });
    this.list = h("ol", { class: "token-list" });
    this.add = buttonControl("+", onAdd, { class: "action add", "aria-label": text.addToken, title: text.addToken });
    this.element = h("div", { class: "tokens" }, this.list, this.add);
  }

  update(tokens, fixed) {
    keepChildren(this.list, tokens.length, () => this.makeToken(), firstDifference(this.tokens, tokens));
    this.tokens = tokens;
    [...this.list.children].forEach((item, n) => {
      const [grip, input, remove] = item.children;
      remove.disabled = tokens.length === 1;
      input.ariaLabel = `${this.text.token} ${n + 1}`;
      if (input.dataset.valid === tokens[n] && (input.value === tokens[n] || input.matches(":focus"))) return;
      input.value = tokens[n];
      input.dataset.valid = tokens[n];
      input.size = Math.max(2, [...tokens[n]].length);
      grip.setAttribute("aria-label", `${this.text.move} ${tokens[n]}`);
      remove.setAttribute("aria-label", `${this.text.remove} ${tokens[n]}`);
    });
    this.add.disabled = tokens.length >= MOST_TOKENS || fixed;
  }

  makeToken() {
    const place = () => [...this.list.children].indexOf(item);
    const grip = h("button", { type: "button", class: "grip", title: this.text.moveHint,
      on: {
        pointerdown: (event) => this.startDrag(event, place(), grip),
        keydown: (event) => {
          const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          const n = place();
          this.move(n, n + step);
          this.list.children[Math.max(0, Math.min(this.tokens.length - 1, n + step))].firstElementChild.focus();
        },
      } }, "⠿");
    const input = h("input", { type: "text", autocomplete: "off", spellcheck: false,
      on: {
        change: () => input.value !== input.dataset.valid && this.onRename(place(), input.value),
        keydown: (event) => event.key === "Escape" && (input.value = input.dataset.valid),
      } });
    const remove = h("button", { type: "button", class: "remove", on: { click: () => this.remove(place()) } }, "×");
    const item = h("li", {}, grip, input, remove);
    return item;
  }

  move(from, to) {
    if (to >= 0 && to < this.tokens.length && from !== to) this.onMove(from, to);
  }

  // The focus stays in the row: on the next token's button, or on the last token that cannot be removed.
  remove(n) {
    this.onRemove(n);
    const [, input, remove] = this.list.children[Math.min(n, this.tokens.length - 1)].children;
    (remove.disabled ? input : remove).focus();
  }

  // The grip keeps the pointer while the token walks along the row under it.
  startDrag(event, n, grip) {
    if (event.button !== 0) return;
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    let at = n;
    this.list.children[at].classList.add("dragged");
    const drag = (moved) => {
      const to = this.nearest(moved.clientX, moved.clientY);
      if (to === at) return;
      this.list.children[at].classList.remove("dragged");
      this.move(at, to);
      at = to;
      this.list.children[at].classList.add("dragged");
    };
    const end = () => {
      grip.removeEventListener("pointermove", drag);
      grip.removeEventListener("lostpointercapture", end);
      this.list.children[at].classList.remove("dragged");
      this.list.children[at].firstElementChild.focus();
    };
    grip.addEventListener("pointermove", drag);
    grip.addEventListener("lostpointercapture", end);
  }

  nearest(x, y) {
    const distances = [...this.list.children].map((item) => {
      const box = item.getBoundingClientRect();
      return Math.hypot(x - (box.left + box.right) / 2, 3 * (y - (box.top + box.bottom) / 2));
    });
    return distances.indexOf(Math.min(...distances));
  }
}
