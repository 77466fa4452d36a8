// What the explorer says, by language.

const headsLabels = withModelLabels({
  zh: {
    title: "注意力头探索器", model: "模型", sentence: "句子", layer: "层 L", head: "头 H", overview: "所有层和头的小图；用方向键选一个",
    axes: "每列一层，每行一个头；编号从 0 起", queries: "查询", keys: "键",
    loading: "正在载入权重……", missing: "权重没有载入。", ask: "换一个句子", read: "读", asking: "模型正在读……",
    precision: "权重存成 16 位，误差不超过 0.000008。", refused: { model: "没有装模型：运行 make models。", text: "句子要有 2 到 48 个词元。" },
    loader: { ...MODEL_LABELS.zh, offer: (size) => `要读自己写的句子，先载入 MiniLM：${size}，点了才下载。` },
    empty: "请先写一句话。", first: "先载入模型，接着就读这句话。", waiting: "载入模型之后，MiniLM 在网页里读这句话。",
    absent: "这个网站没有带 MiniLM 的权重，不能读别的句子。", tooLong: (count) => `句子最多 48 个词元，这句有 ${count} 个。`,
    anySentence: "让 MiniLM 读任意一句英文", lacks: (words) => `MiniLM 的词表里没有${words.map((word) => `“${word}”`).join("")}，都读成 [UNK]。`,
    presets: { previous: "看前一个词元", induction: "归纳", subject: "找主语" },
    eightBits: "模型的权重压缩成 8 位：注意力权重与 32 位的模型相比，平均差 0.002，个别差到 0.1。",
  },
  en: {
    title: "Head explorer", model: "Model", sentence: "Sentence", layer: "Layer L", head: "Head H",
    overview: "All layers and heads as small maps; choose one with the arrow keys",
    axes: "a column a layer, a row a head; counted from 0", queries: "Queries", keys: "Keys",
    loading: "Loading the weights …", missing: "The weights did not load.", ask: "Another sentence", read: "Read",
    asking: "The model is reading …", precision: "Weights are stored in 16 bits, to within 0.000008.",
    refused: { model: "The model is not installed: run make models.", text: "The sentence must have 2 to 48 tokens." },
    loader: { ...MODEL_LABELS.en, offer: (size) => `To read a sentence of yours, load MiniLM: ${size}, downloaded only if you ask.` },
    empty: "Write a sentence first.", first: "Load the model first; it then reads this sentence.",
    waiting: "Once the model is loaded, MiniLM reads this sentence in the page.",
    absent: "This site comes without the weights of MiniLM and cannot read other sentences.",
    tooLong: (count) => `A sentence has at most 48 tokens; this one has ${count}.`, anySentence: "Let MiniLM read any sentence",
    lacks: (words) => `The vocabulary of MiniLM lacks ${words.map((word) => `“${word}”`).join(", ")}, read as [UNK].`,
    presets: { previous: "Previous token", induction: "Induction", subject: "Subject" },
    eightBits: "The model's weights have 8 bits: attention weights differ from the 32-bit model's by 0.002 on average, some by up to 0.1.",
  },
});
