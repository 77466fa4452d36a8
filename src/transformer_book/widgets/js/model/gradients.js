// Gradients of the parts of a decoder without MLPs, a function each: from dy, the loss's gradient by what the part returned,
// to dx, that by what it was given. Weights add up theirs in `gradient`.

function transposed({ shape: [rows, columns], data }) {
  const turned = zeros(columns, rows);
  for (let r = 0; r < rows; r += 1) for (let c = 0; c < columns; c += 1) turned.data[c * rows + r] = data[r * columns + c];
  return turned;
}

// dx = dy W and dW = dyᵀ x.
function linearGradient(dy, x, { weight }) {
  const dWeight = linear(transposed(dy), { weight: transposed(x) });
  for (let i = 0; i < dWeight.data.length; i += 1) weight.gradient[i] += dWeight.data[i];
  return linear(dy, { weight: transposed(weight) });
}

// Of LayerNorm. With x̂ = (x - mean) / σ and g = dy · weight: dx = (g - mean of g - x̂ · mean of g x̂) / σ.
function normGradient(dy, x, { weight, bias }, epsilon) {
  const [count, size] = x.shape;
  const dx = zeros(count, size);
  for (let n = 0; n < count; n += 1) {
    const row = x.data.subarray(n * size, (n + 1) * size);
    const mean = row.reduce((sum, value) => sum + value, 0) / size;
    const deviation = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / size + epsilon);
    let [ofG, ofProduct] = [0, 0];
    row.forEach((value, d) => {
      const [dOut, normed] = [dy.data[n * size + d], (value - mean) / deviation];
      weight.gradient[d] += dOut * normed;
      bias.gradient[d] += dOut;
      ofG += (dOut * weight.data[d]) / size;
      ofProduct += (dOut * weight.data[d] * normed) / size;
    });
    row.forEach((value, d) => {
      const g = dy.data[n * size + d] * weight.data[d];
      dx.data[n * size + d] = (g - ofG - ((value - mean) / deviation) * ofProduct) / deviation;
    });
  }
  return dx;
}

// Of `attend`, with as many heads of keys as of queries: dA = dy Vᵀ, dS = A ∘ (dA - Σ A dA), and from there to all three.
function attendGradient(dy, { query, key, value, weights }, heads, scale) {
  const [count, width] = query.shape;
  const headDim = width / heads;
  const [dQuery, dKey, dValue] = [query, key, value].map(({ shape }) => zeros(...shape));
  const dWeights = new Float64Array(count);
  for (let h = 0; h < heads; h += 1) {
    for (let n = 0; n < count; n += 1) {
      const [q, row] = [n * width + h * headDim, weights.data.subarray((h * count + n) * count, (h * count + n + 1) * count)];
      let total = 0;
      for (let m = 0; m < count; m += 1) {
        if (row[m] === 0) continue;
        dWeights[m] = dotProduct(dy.data, q, value.data, m * width + h * headDim, headDim);
        total += row[m] * dWeights[m];
      }
      for (let m = 0; m < count; m += 1) {
        if (row[m] === 0) continue;
        const [k, dScore] = [m * width + h * headDim, scale * row[m] * (dWeights[m] - total)];
        for (let d = 0; d < headDim; d += 1) {
          dValue.data[k + d] += row[m] * dy.data[q + d];
          dQuery.data[q + d] += dScore * key.data[k + d];
          dKey.data[k + d] += dScore * query.data[q + d];
        }
      }
    }
  }
  return { dQuery, dKey, dValue };
}

function embedGradient(dx, tokens, { tokens: { weight } }) {
  const [, dim] = dx.shape;
  tokens.forEach((token, n) => {
    for (let d = 0; d < dim; d += 1) weight.gradient[token * dim + d] += dx.data[n * dim + d];
  });
}

// Σ -log p(label) over the rows that count, and its gradient by the logits, p - 1 at the label and p elsewhere, times `share`.
function crossEntropy(logits, labels, counts, share) {
  const [, size] = logits.shape;
  const gradient = zeros(...logits.shape);
  let loss = 0;
  labels.forEach((label, n) => {
    if (!counts[n]) return;
    const [row, p] = [n * size, gradient.data.subarray(n * size, (n + 1) * size)];
    softmaxRow(logits.data.subarray(row, row + size), p, 0, size);
    loss -= Math.log(p[label]);
    p[label] -= 1;
    for (let v = 0; v < size; v += 1) p[v] *= share;
  });
  return { loss, gradient };
}

// A pre-norm layer of attention alone, with everything its gradient needs.
function attentionLayer(x, part, config, causal) {
  const { num_heads: heads, dim } = config;
  const headDim = dim / heads;
  const turn = (y) => (config.positions === "rotary" ? rotate(y, headDim, 0, config) : y);
  const normed = norm(x, part.attention_norm, "layer", config.norm_epsilon);
  const { query, key, value, output } = part.attention;
  const [q, k, v] = [turn(linear(normed, query)), turn(linear(normed, key)), linear(normed, value)];
  const sees = causal ? causalMask(rowsOf(x), rowsOf(x), null) : () => true;
  const seen = attend(q, k, v, { heads, headDim, scale: scaleFactor(config.scale, headDim), sees });
  return { x, part, normed, query: q, key: k, value: v, weights: seen.weights, mixed: seen.output, output: add(x, linear(seen.output, output)) };
}

function attentionLayerGradient(dy, kept, config) {
  const headDim = config.dim / config.num_heads;
  const turnBack = (d) => (config.positions === "rotary" ? rotate(d, headDim, 0, config, -1) : d);
  const { query, key, value, output } = kept.part.attention;
  const dMixed = linearGradient(dy, kept.mixed, output);
  const { dQuery, dKey, dValue } = attendGradient(dMixed, kept, config.num_heads, scaleFactor(config.scale, headDim));
  const dNormed = [[turnBack(dQuery), query], [turnBack(dKey), key], [dValue, value]]
    .map(([d, map]) => linearGradient(d, kept.normed, map)).reduce(add);
  return add(dy, normGradient(dNormed, kept.x, kept.part.attention_norm, config.norm_epsilon));
}

// The summed loss of one text, whose gradients, times `share`, are added to every weight's. counts: which tokens are learnt.
function learnText({ parts, config, notes: { causal } }, tokens, counts, share) {
  const inputs = tokens.slice(0, -1);
  let x = embed(inputs, parts.embedding, config);
  const layers = Object.values(parts.layers).map((part) => {
    const kept = attentionLayer(x, part, config, causal);
    x = kept.output;
    return kept;
  });
  const final = lastNorm(x, parts.final_norm, config);
  const { loss, gradient } = crossEntropy(linear(final, parts.output), tokens.slice(1), counts.slice(1), share);
  let dx = normGradient(linearGradient(gradient, final, parts.output), x, parts.final_norm, config.norm_epsilon);
  for (const kept of layers.reverse()) dx = attentionLayerGradient(dx, kept, config);
  embedGradient(dx, inputs, parts.embedding);
  return loss;
}
