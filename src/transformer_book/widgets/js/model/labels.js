// What explorers that load a model say about it, by language.

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
