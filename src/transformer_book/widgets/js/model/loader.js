// The line that says what a model costs before it is loaded, how far loading is, and what went wrong.

const MODEL_LABELS = {
  zh: {
    offer: (size) => `模型还没有载入${size ? `：${size}，点了才下载` : ""}。`, load: "载入模型", again: "再试一次",
    loading: () => "正在载入模型……", ready: (size) => `模型已载入${size ? `（${size}）` : ""}，就在这个网页里计算。`,
    failed: {
      missing: "模型没有下载成功：文件不在，或者网络断了。页面的其余部分照常可用。",
      broken: "模型文件是坏的，没有载入。页面的其余部分照常可用。",
      lost: "计算模型的后台程序停了。页面的其余部分照常可用。",
    },
  },
  en: {
    offer: (size) => `The model is not loaded yet${size ? `: ${size}, downloaded only if you ask` : ""}.`,
    load: "Load the model", again: "Try again", loading: () => "Loading the model …",
    ready: (size) => `The model is loaded${size ? ` (${size})` : ""} and computes in this page.`,
    failed: {
      missing: "The model could not be downloaded: the file is missing, or the network is down. The rest of the page works.",
      broken: "The model's file is broken and was not loaded. The rest of the page works.",
      lost: "The model's worker has stopped. The rest of the page works.",
    },
  },
};

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
