// The line that says what a model costs before it is loaded, how far loading is, and what went wrong.

const withModelLabels = ({ zh, en }) => ({ zh: { loader: MODEL_LABELS.zh, ...zh }, en: { loader: MODEL_LABELS.en, ...en } });

const sizeText = (bytes) => (!bytes ? "" : bytes < 1e5 ? `${formatFixed(bytes / 1e3, 0)} kB` : `${formatFixed(bytes / 1e6, 1)} MB`);

class LoaderPanel {
  constructor({ data: { engine }, text: { loader } }) {
    Object.assign(this, { engine, text: loader });
    this.words = h("span", { role: "status" });
    this.share = h("b", { "aria-hidden": "true" }); // seen, but not read out at every step
    this.bar = h("progress", { max: 1, "aria-label": loader.loading() });
    this.button = buttonControl(loader.load, () => engine.load(), { class: "action main load" });
    this.element = h("div", { class: "card loader", tabIndex: -1 }, this.words, this.share, this.bar, this.button);
    engine.subscribe(() => this.update());
    this.update();
  }

  update() {
    const { text, engine: { status, reason, progress, bytes } } = this;
    const size = sizeText(bytes);
    const words = {
      idle: () => text.offer(size), loading: text.loading,
      ready: () => text.ready(size), failed: () => text.failed[reason],
    };
    setText(this.words, words[status]());
    setClass(this.words, status === "failed" ? "problem" : "");
    setText(this.share, status === "loading" && bytes && progress ? formatFixed(progress * 100, 0) + "%" : "");
    this.bar.hidden = status !== "loading";
    if (bytes && progress) this.bar.value = progress;
    else this.bar.removeAttribute("value");
    const held = this.button.matches(":focus");
    this.button.hidden = status === "loading" || status === "ready";
    if (held && this.button.hidden) this.element.focus(); // a reader at the keyboard stays where they were
    setText(this.button, status === "failed" ? text.again : text.load);
  }
}
