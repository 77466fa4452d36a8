// Puts one explorer on a page. A kind says what it is:
//   name, styles, fields, check(state), compute(state, data) -> values, labels, view(host) -> { element, update(state,
//   values) }, and connect(data) -> data where it needs more than the page has, such as models
// and the page says where its state comes from and goes to.

const sheets = new Map(); // the rules that all share and each kind's own, each read once

function sheetOf(name, rules) {
  if (!sheets.has(name)) {
    sheets.set(name, new CSSStyleSheet());
    sheets.get(name).replaceSync(rules());
  }
  return sheets.get(name);
}

class Host {
  constructor(kind, element, { store, live = false, urlKey = null, language = "", data }) {
    Object.assign(this, { kind, element, store, urlKey, live, data: kind.connect?.(data) ?? data });
    this.language = ["zh", "en"].includes(language) ? language : pageLanguage(element, live);
    this.text = { ...COMMON_LABELS[this.language], ...kind.labels[this.language] };
    this.shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const shared = sheetOf("core", () => CORE_STYLES + shadeRules());
    this.shadow.adoptedStyleSheets = [shared, sheetOf(kind.name, () => kind.styles)];
    this.complaint = h("p", { class: "complaint", id: "complaint", role: "alert" });
    this.past = []; // states to go back to
    this.status = h("p", { class: "spoken", role: "status" });
    this.table = h("slot", { hidden: true }); // the table of pages without scripts, below; on paper in place of all else
    this.view = kind.view(this);
    this.root = h("div", { class: `explorer ${kind.name}`, role: "group", lang: this.language === "zh" ? "zh-CN" : "en",
      "aria-label": this.text.title }, this.view.element, this.footer(), this.status);
    this.shadow.replaceChildren(this.root, this.table);
    for (const event of ["change", "click", "keydown", "submit"])
      this.root.addEventListener(event, ({ target, key }) => this.follow(target, key), { capture: true });
    this.stopWatching = watchTheme((dark) => {
      this.root.classList.toggle("dark", dark);
      this.root.classList.toggle("light", !dark);
      this.theme = dark ? "dark" : "light";
      if (this.values) this.view.update(this.store.state, this.values);
    });
    this.stopListening = this.data.onArrival?.(() => this.update());
    store.subscribe(() => this.update());
    this.update();
  }

  footer() {
    const reset = buttonControl(this.text.reset, () => {
      this.view.stop?.(); // what goes on by itself
      this.set(this.store.initial);
    });
    this.back = buttonControl(this.text.undo, () => this.undo(), { disabled: true });
    const link = this.urlKey ? buttonControl(this.text.link, () => this.copyLink()) : null;
    this.foot = h("div", { class: "footer" }, this.back, reset, link, this.complaint);
    return this.foot;
  }

  // What a reader works at: a complaint stands there.
  follow(target, key) {
    const field = target.matches("form") ? target.querySelector("input") : target;
    if (key === "Escape" && field.getAttribute("aria-invalid")) this.note("");
    this.edited = field;
  }

  update() {
    this.values = this.kind.compute(this.store.state, this.data);
    const unanswered = this.values.known === false && !this.values.ended;
    this.root.classList.toggle("unanswered", unanswered && !this.live); // a notebook has no table to print
    this.view.update(this.store.state, this.values);
  }

  // A reader's change. Says what is wrong with it and returns false, or makes it.
  set(change) {
    const before = this.store.state;
    try {
      this.store.set(change);
      this.remember(before, Object.keys(change).join());
      this.note("");
      return true;
    } catch (problem) {
      this.complain(problem);
      return false;
    }
  }

  // Changes of the same thing in quick succession, as in a drag, are undone together.
  remember(before, what) {
    const together = what === this.changed?.what && performance.now() - this.changed.time < 1000;
    this.changed = { what, time: performance.now() };
    if (together || same(before, this.store.state)) return;
    this.past = [...this.past.slice(-99), before];
    this.back.disabled = false;
  }

  undo() {
    this.view.stop?.();
    this.store.set(this.past.pop());
    this.changed = undefined;
    this.note("");
    this.back.disabled = this.past.length === 0;
  }

  complain(problem) {
    if (!(problem instanceof Problem)) throw problem;
    const sentence = this.text.problems[problem.code](problem.given);
    this.note(`${sentence} ${this.text.kept}`, "problem");
  }

  // A sentence: a problem at the field that has it, news beside the buttons.
  note(text, kind = "news") {
    this.invalid?.removeAttribute("aria-invalid");
    this.invalid?.removeAttribute("aria-describedby");
    this.invalid = kind === "problem" && this.edited?.isConnected && this.edited.matches("input[type=text]") ? this.edited : null;
    this.invalid?.setAttribute("aria-invalid", "true");
    this.invalid?.setAttribute("aria-describedby", this.complaint.id);
    this.placeComplaint();
    setText(this.complaint, text);
    setClass(this.complaint, `complaint ${kind}`);
  }

  // Below the table or the form that holds the field; where things stand side by side, below all of them.
  placeComplaint() {
    const box = this.invalid?.closest(".matrix-frame, .tokens, form, .toolbar");
    const row = box ? box.parentElement : this.foot;
    if (!box && this.complaint.parentElement === row) return;
    if (!box || ["flex", "grid"].includes(getComputedStyle(row).display)) row.append(this.complaint);
    else box.after(this.complaint);
  }

  say(text) {
    setText(this.status, text);
  }

  async copyLink() {
    const place = this.element.closest("[id]")?.id;
    const url = urlWithState(this.urlKey, encodeState(this.store), place ? `#${place}` : location.hash);
    history.replaceState(history.state, "", url);
    try {
      await navigator.clipboard.writeText(location.href);
      this.note(this.text.linked);
    } catch {
      // No clipboard on a page opened from a file, or not allowed: the address bar has it.
      this.note(this.text.linkShown);
    }
  }

  destroy() {
    this.stopWatching();
    this.stopListening?.();
    this.data.engine?.stop();
    this.view.destroy?.();
  }
}
