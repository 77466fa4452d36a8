// Puts one explorer on a page. A kind says what it is:
//   name, styles, fields, check(state), compute(state, data) -> values, labels, view(host) -> { element, update(state,
//   values) }, and connect(data) -> data where it needs more than the page has, such as models
// and the page says where its state comes from and goes to.

const sheets = new Map(); // each kind's rules, read once

function explorerSheet({ name, styles }) {
  if (!sheets.has(name)) {
    sheets.set(name, new CSSStyleSheet());
    sheets.get(name).replaceSync(CORE_STYLES + styles + shadeRules());
  }
  return sheets.get(name);
}

class Host {
  constructor(kind, element, { store, live = false, urlKey = null, language = "", data }) {
    Object.assign(this, { kind, element, store, urlKey, data: kind.connect?.(data) ?? data });
    this.language = ["zh", "en"].includes(language) ? language : pageLanguage(element, live);
    this.text = { ...COMMON_LABELS[this.language], ...kind.labels[this.language] };
    this.shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    this.shadow.adoptedStyleSheets = [explorerSheet(kind)];
    this.complaint = h("p", { class: "complaint", role: "alert" });
    this.status = h("p", { class: "spoken", role: "status" });
    this.view = kind.view(this);
    this.root = h("div", { class: `explorer ${kind.name}`, role: "group", lang: this.language === "zh" ? "zh-CN" : "en",
      "aria-label": this.text.title }, this.view.element, this.footer(), this.status);
    this.shadow.replaceChildren(this.root);
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
    const reset = buttonControl(this.text.reset, () => this.set(this.store.initial));
    const link = this.urlKey ? buttonControl(this.text.link, () => this.copyLink()) : null;
    return h("div", { class: "footer" }, reset, link, this.complaint);
  }

  update() {
    this.values = this.kind.compute(this.store.state, this.data);
    this.view.update(this.store.state, this.values);
  }

  // A reader's change. Says what is wrong with it and returns false, or makes it.
  set(change) {
    try {
      this.store.set(change);
      this.note("");
      return true;
    } catch (problem) {
      this.complain(problem);
      return false;
    }
  }

  complain(problem) {
    if (!(problem instanceof Problem)) throw problem;
    const sentence = this.text.problems[problem.code](problem.given);
    this.note(`${sentence} ${this.text.kept}`, "problem");
  }

  // A sentence beside the buttons: a problem, or only news.
  note(text, kind = "news") {
    setText(this.complaint, text);
    setClass(this.complaint, `complaint ${kind}`);
  }

  say(text) {
    setText(this.status, text);
  }

  async copyLink() {
    const url = urlWithState(this.urlKey, encodeState(this.store));
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
