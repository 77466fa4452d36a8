// What the explorers ask a model. Answers hold numbers and typed arrays alone, so that they can leave the worker.

// Weights of the last query in every layer and head: an array a layer of (H, M), flat.
const lastRows = (attention) => attention.map(({ weights: { shape: [heads, count, keys], data } }) => {
  const rows = new Float64Array(heads * keys);
  for (let h = 0; h < heads; h += 1) rows.set(data.subarray((h * count + count - 1) * keys, (h * count + count) * keys), h * keys);
  return rows;
});

const argmax = (numbers) => numbers.reduce((best, x, i) => (x > numbers[best] ? i : best), 0);

function probabilitiesOf(logits) {
  const probabilities = new Float64Array(logits.length);
  softmaxRow(logits, probabilities, 0, logits.length);
  return probabilities;
}

// How many items two lists have in common at their beginnings.
function commonLength(a, b) {
  const first = a.findIndex((x, i) => x !== b[i]);
  return first < 0 ? a.length : first;
}

// Logits of the next token after a text, and what its last position attends to. The cache of the last text is kept, and
// what both texts begin with is not computed again.
function continuation(model, { tokens }) {
  const known = (model.known ??= { tokens: [], cache: [], rows: [] });
  const kept = Math.min(commonLength(known.tokens, tokens), tokens.length - 1);
  if (known.cache.length) shorten(known.cache, kept);
  const { logits, attention } = decoder(model, tokens.slice(kept), { cache: known.cache });
  known.tokens = [...tokens];
  const last = rowSlice(logits, rowsOf(logits) - 1, rowsOf(logits));
  return { logits: last.data, weights: lastRows(attention) };
}

// Translate greedily: the target's tokens, the chance of each when it was chosen, and the cross-attention of every
// layer and head from which it was predicted: one array a step and layer, (H, M).
function translation(model, { source, start, end, longest }) {
  const { memory } = encodeSource(model, source);
  const cache = [];
  const [tokens, chances, weights] = [[], [], []];
  for (let token = start; tokens.length < longest && token !== end;) {
    const { logits, crossAttention } = decodeTarget(model, [token], memory, { cache });
    token = argmax(logits.data);
    tokens.push(token);
    chances.push(probabilitiesOf(logits.data)[token]);
    weights.push(lastRows(crossAttention));
  }
  return { tokens, chances, weights };
}

// Class probabilities of an image, and the weights of every layer: (H, N, N), the class token first.
function classification(model, { pixels }) {
  const { logits, attention } = visionTransformer(model, pixels);
  return { probabilities: probabilitiesOf(logits.data), weights: attention.map(({ weights }) => weights.data) };
}

// What the review classifier makes of a sentence: the weights of its pooling, and what each position says by itself.
// The difference of the two logits is Σ weights · votes + bias, whatever the weights.
function review(model, { tokens }) {
  const { vectors, weights } = reviewClassifier(model, tokens);
  const { weight, bias } = model.parts.answer;
  const [, dim] = weight.shape;
  const difference = weight.data.subarray(dim).map((x, d) => x - weight.data[d]);
  const votes = Float64Array.from(tokens, (_, n) => dotProduct(vectors.data, n * dim, difference, 0, dim));
  return { weights: weights.data, votes, bias: bias.data[1] - bias.data[0] };
}

// A sentence as pieces, its words that the vocabulary lacks, and what every head attends to: an array a layer of
// (H, N, N), rows queries. One with more pieces than `longest` is not read: how many it has is all that comes back.
function sentence(model, { text, longest }) {
  const ids = (model.ids ??= new Map(model.notes.pieces.split("\n").map((piece, i) => [piece, i])));
  const tokens = wordPieces(text, ids);
  if (tokens.length > longest) return { count: tokens.length };
  const { attention } = encoder(model, tokens.map((piece) => ids.get(piece)));
  const unknown = unknownWords(text, ids);
  return { count: tokens.length, tokens, unknown, weights: attention.map(({ weights }) => weights.data) };
}
