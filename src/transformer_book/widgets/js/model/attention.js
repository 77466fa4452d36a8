// Scaled dot-product attention (12.5) in every head (12.8), with scores and weights kept for looking at.

// sees(n, m): may query n look at key m? Queries stand at the last positions, so that a cache's keys come before them.
const causalMask = (queries, keys, window) => (n, m) => {
  const distance = n + keys - queries - m;
  return distance >= 0 && (window === null || distance < window);
};

// Softmax over the keys that may be seen; a query without any has weights of zero.
function softmaxRow(scores, weights, start, count) {
  let largest = -Infinity;
  for (let m = start; m < start + count; m += 1) largest = Math.max(largest, scores[m]);
  if (largest === -Infinity) return;
  let total = 0;
  for (let m = start; m < start + count; m += 1) total += weights[m] = Math.exp(scores[m] - largest);
  for (let m = start; m < start + count; m += 1) weights[m] /= total;
}

// query (N, H·D_h), key and value (M, H_kv·D_h) to output (N, H·D_h), scores and weights (H, N, M).
function attend(query, key, value, { heads, headDim, scale, sees }) {
  const [count, width] = query.shape;
  const [keys, keyWidth] = key.shape;
  const perGroup = width / keyWidth; // query heads that share one head of keys and values
  const [scores, weights, output] = [zeros(heads, count, keys), zeros(heads, count, keys), zeros(count, width)];
  for (let h = 0; h < heads; h += 1) {
    const from = Math.floor(h / perGroup) * headDim;
    for (let n = 0; n < count; n += 1) {
      const row = (h * count + n) * keys;
      for (let m = 0; m < keys; m += 1) {
        scores.data[row + m] = sees(n, m)
          ? scale * dotProduct(query.data, n * width + h * headDim, key.data, m * keyWidth + from, headDim) : -Infinity;
      }
      softmaxRow(scores.data, weights.data, row, keys);
      for (let m = 0; m < keys; m += 1) {
        const weight = weights.data[row + m];
        if (weight === 0) continue;
        for (let d = 0; d < headDim; d += 1) {
          output.data[n * width + h * headDim + d] += weight * value.data[m * keyWidth + from + d];
        }
      }
    }
  }
  return { output, scores, weights };
}

// Attend from x (N, D) to itself, or to context (M, D). cache: keys and values of earlier positions, extended by these;
// the context's are computed once. real: which keys are no padding. replaced: vectors (D_h) that take the place of what
// a head gives, by its number; `heads` (N, H·D_h) is what the heads gave before.
function multiHeadAttention(x, part, config, { context = null, causal = false, cache = {}, real = null, replaced = {} } = {}) {
  const headDim = config.head_dim ?? config.dim / config.num_heads;
  const earlier = context === null && cache.keys ? rowsOf(cache.keys) : 0;
  const turned = context === null && config.positions === "rotary";
  const place = (projected) => (turned ? rotate(projected, headDim, earlier, config) : projected);
  const query = place(linear(x, part.query));
  if (context === null || !cache.keys) {
    const source = context ?? x;
    const [keys, values] = [place(linear(source, part.key)), linear(source, part.value)];
    cache.keys = earlier ? stackRows(cache.keys, keys) : keys;
    cache.values = earlier ? stackRows(cache.values, values) : values;
  }
  const ordered = causal ? causalMask(rowsOf(x), rowsOf(cache.keys), config.window ?? null) : () => true;
  const seen = attend(query, cache.keys, cache.values, {
    heads: config.num_heads,
    headDim,
    scale: scaleFactor(config.scale, headDim),
    sees: (n, m) => ordered(n, m) && (real === null || real[m]),
  });
  return { ...seen, heads: seen.output, output: linear(withReplaced(seen.output, replaced, headDim), part.output) };
}

function withReplaced(heads, replaced, headDim) {
  const numbers = Object.keys(replaced);
  if (numbers.length === 0) return heads;
  const [count, width] = heads.shape;
  const changed = { shape: heads.shape, data: heads.data.slice() };
  for (const h of numbers) {
    for (let n = 0; n < count; n += 1) changed.data.set(replaced[h], n * width + h * headDim);
  }
  return changed;
}

const scaleFactor = (scale, headDim) => (scale === true ? 1 / Math.sqrt(headDim) : scale === false ? 1 : scale);
