// Heads taken out of a decoder, and what becomes of its copying (section 6): the library's `head_ablation`.

const each = (count, f) => Array.from({ length: count }, (_, i) => f(i));
const meanOf = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

// What stands in place of deleted heads, [layer, head] pairs: nothing, or what each gives on average in the whole model.
function replacements(whole, deleted, ablation, headDim) {
  const replaced = {};
  for (const [layer, head] of deleted) {
    const { shape: [count, width], data } = whole.attention[layer].heads;
    const mean = (d) => meanOf(each(count, (n) => data[n * width + head * headDim + d]));
    (replaced[layer] ??= {})[head] = Float64Array.from(each(headDim, (d) => (ablation === "mean" ? mean(d) : 0)));
  }
  return replaced;
}

// Mean loss in nats of what can be copied: the tokens after the first of the second round.
function copyingLoss(logits, tokens, period) {
  const loss = (n) => -Math.log(probabilitiesOf(rowSlice(logits, n, n + 1).data)[tokens[n + 1]]);
  return meanOf(each(tokens.length - 1 - period, (i) => loss(period + i)));
}

// Mean weight of each head on the token that followed the query's earlier copy.
function inductionScores({ shape: [heads, count], data }, period) {
  const follower = (h, n) => data[(h * count + n) * count + n - period + 1];
  return each(heads, (h) => meanOf(each(count - period, (i) => follower(h, period + i))));
}

// A text that repeats itself, read without the deleted heads: the loss of its second round, each layer's induction scores
// (H,) and weights (H, N, N).
function copying(model, { tokens, period, deleted, ablation }) {
  const { dim, num_heads: heads, head_dim: size } = model.config;
  let read = decoder(model, tokens);
  if (deleted.length) read = decoder(model, tokens, { replaced: replacements(read, deleted, ablation, size ?? dim / heads) });
  const weights = read.attention.map((layer) => layer.weights);
  return {
    loss: copyingLoss(read.logits, tokens, period),
    scores: weights.map((layer) => inductionScores(layer, period)),
    weights: weights.map((layer) => layer.data),
  };
}

// Several texts without the same heads: what `copying` gives of each.
const circuit = (model, { texts, ...options }) => texts.map((tokens) => copying(model, { ...options, tokens }));

// How much the loss rises when each head alone is deleted, [layer][head], mean over the texts.
function singleRises(model, { texts, ...options }) {
  const loss = (deleted) => meanOf(circuit(model, { ...options, texts, deleted }).map((text) => text.loss));
  const whole = loss([]);
  const { num_layers: layers, num_heads: heads } = model.config;
  return each(layers, (layer) => each(heads, (head) => loss([[layer, head]]) - whole));
}
