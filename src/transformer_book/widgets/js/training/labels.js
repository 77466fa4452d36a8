// What the explorer says, by language.

const trainingLabels = withModelLabels({
  zh: {
    title: "训练探索器", mask: "因果掩码", scale: "缩放 √<i>D<sub>h</sub></i>", positions: "位置（RoPE）", seed: "种子", start: "开始训练", pause: "暂停",
    goOn: "继续", again: "从头再来", loss: "损失", induction: "最高归纳得分", guess: "ln 16", steps: (n) => `${n} 步`, layer: "层", head: "头",
    copies: (score) => `归纳 ${score}`, before: (score) => `前一个 ${score}`, idle: "模型还没有训练，权重是随机的。",
    at: (step, steps) => `第 ${step} 步，共 ${steps} 步`,
    said: (step, loss, score) => `第 ${step} 步，损失 ${loss}，最高归纳得分 ${score}`,
    hint: "每张图是一个头的注意力权重：横向是查询，竖向是键。虚线：抄写要看的键；点线：前一个词元。", text: "图中的文本",
  },
  en: {
    title: "Training explorer", mask: "Causal mask", scale: "Scale √<i>D<sub>h</sub></i>", positions: "Positions (RoPE)", seed: "Seed", start: "Train",
    pause: "Pause", goOn: "Go on", again: "Start again", loss: "Loss", induction: "Highest induction score", guess: "ln 16",
    steps: (n) => `${n} steps`, layer: "Layer", head: "head", copies: (score) => `induction ${score}`, before: (score) => `one before ${score}`,
    idle: "The model is not trained yet; its weights are random.", at: (step, steps) => `Step ${step} of ${steps}`,
    said: (step, loss, score) => `Step ${step}, loss ${loss}, highest induction score ${score}`,
    hint: "Each map shows a head's attention weights: queries across, keys down. Dashed: the keys to copy from; dotted: the token before.",
    text: "Text of the maps",
  },
});
