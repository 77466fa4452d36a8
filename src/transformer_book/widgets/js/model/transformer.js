// The Transformer layer (12.9): attention between tokens, then an MLP in each, both in residual branches.

// config.norm_placement: "pre" normalises at the start of each branch, "post" after each addition.
function transformerLayer(x, part, config, { causal = false, cache = {}, real, replaced, context = null, contextReal } = {}) {
  const normed = (y, name) => norm(y, part[name], config.norm, config.norm_epsilon);
  const pre = config.norm_placement === "pre";
  const before = (y, name) => (pre ? normed(y, name) : y);
  const after = (y, branch, name) => (pre ? add(y, branch) : normed(add(y, branch), name));

  const attention = multiHeadAttention(before(x, "attention_norm"), part.attention, config,
    { causal, real, replaced, cache: (cache.self ??= {}) });
  x = after(x, attention.output, "attention_norm");
  let crossAttention = null;
  if (context !== null) {
    crossAttention = multiHeadAttention(before(x, "cross_attention_norm"), part.cross_attention, config,
      { context, real: contextReal, cache: (cache.cross ??= {}) });
    x = after(x, crossAttention.output, "cross_attention_norm");
  }
  if (part.mlp) x = after(x, mlp(before(x, "mlp_norm"), part.mlp, config.mlp), "mlp_norm");
  return { output: x, attention, crossAttention };
}

// Layer after layer; hidden begins with the embedding. cache: one for each layer. replaced: heads by layer.
function runLayers(x, layers, config, { cache = [], replaced = {}, ...options } = {}) {
  const hidden = [x];
  const attention = [];
  const crossAttention = [];
  for (const [number, part] of Object.entries(layers)) {
    const result = transformerLayer(hidden.at(-1), part, config,
      { ...options, replaced: replaced[number], cache: (cache[number] ??= {}) });
    hidden.push(result.output);
    attention.push(result.attention);
    crossAttention.push(result.crossAttention);
  }
  return { output: hidden.at(-1), hidden, attention, crossAttention };
}

// Forget all positions of a cache but the first `length`.
function shorten(cache, length) {
  for (const { self } of cache) {
    self.keys = rowSlice(self.keys, 0, length);
    self.values = rowSlice(self.values, 0, length);
  }
}

const cachedLength = (cache) => (cache.length ? rowsOf(cache[0].self.keys) : 0);
