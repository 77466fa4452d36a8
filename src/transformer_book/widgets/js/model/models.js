// The book's models. `parts` are a file's tensors by name, `config` the library's own of the same class.

// Tokens that stand at positions first, first + 1, … as vectors (N, D): rows of tables, added up.
function embed(tokens, part, config, first = 0) {
  const { dim } = config;
  const x = zeros(tokens.length, dim);
  const entry = new Float32Array(dim);
  const addRow = (n, table, row, factor = 1) => {
    if (!table) return;
    if (table.weight.scales) dequantiseRows(table.weight, row, 1, entry);
    else entry.set(table.weight.data.subarray(row * dim, (row + 1) * dim));
    for (let d = 0; d < dim; d += 1) x.data[n * dim + d] += factor * entry[d];
  };
  tokens.forEach((token, n) => {
    addRow(n, part.tokens, token, config.embedding_scale ? Math.sqrt(dim) : 1);
    addRow(n, part.token_types, 0);
    addRow(n, part.positions, first + n);
  });
  if (config.positions === "sinusoidal") addSinusoidal(x, first);
  return part.norm ? norm(x, part.norm, "layer", config.norm_epsilon) : x;
}

const lastNorm = (x, part, config) => (config.norm_placement === "pre" ? norm(x, part, config.norm, config.norm_epsilon) : x);

// A decoder predicts the token after each of `tokens`; cache: of earlier positions, extended by these. replaced: vectors
// in place of heads, by layer and head.
function decoder({ parts, config, notes }, tokens, { cache = [], replaced = {} } = {}) {
  const x = embed(tokens, parts.embedding, config, cachedLength(cache));
  const stack = runLayers(x, parts.layers, config, { causal: notes.causal ?? true, cache, replaced });
  const final = lastNorm(stack.output, parts.final_norm, config);
  return { ...stack, final, logits: linear(final, parts.output ?? parts.embedding.tokens) };
}

// An encoder: every token sees every real one. real: booleans, by default all true.
function encoder({ parts, config }, tokens, { real = null } = {}) {
  const stack = runLayers(embed(tokens, parts.embedding, config), parts.layers, config, { real });
  const final = lastNorm(stack.output, parts.final_norm, config);
  const pooled = parts.pooler ? mapNumbers(linear(rowSlice(final, 0, 1), parts.pooler), Math.tanh) : null;
  return { ...stack, final, pooled, logits: parts.masked_lm_head ? maskedLogits(final, parts, config) : null };
}

// BERT's head: a map, GELU, a norm, then the tied embedding and biases.
function maskedLogits(final, { masked_lm_head: head, embedding }, config) {
  const units = mapNumbers(linear(final, head.transform), ACTIVATIONS.gelu);
  return linear(norm(units, head.norm, "layer", config.norm_epsilon), { weight: embedding.tokens.weight, bias: head.bias });
}

// The encoder half of an encoder-decoder: memory (M, D), read by the decoder half.
function encodeSource({ parts, config }, source, { real = null } = {}) {
  const stack = runLayers(embed(source, parts.embedding, config), parts.encoder_layers, config, { real });
  return { ...stack, memory: lastNorm(stack.output, parts.encoder_norm, config) };
}

function decodeTarget({ parts, config }, target, memory, { cache = [], contextReal = null } = {}) {
  const embedding = parts.target_embedding ?? parts.embedding;
  const x = embed(target, embedding, config, cachedLength(cache));
  const stack = runLayers(x, parts.decoder_layers, config, { causal: true, context: memory, contextReal, cache });
  const final = lastNorm(stack.output, parts.decoder_norm, config);
  return { ...stack, final, logits: linear(final, embedding.tokens) };
}

function encoderDecoder(model, source, target, { real = null } = {}) {
  const { memory, attention } = encodeSource(model, source, { real });
  return { ...decodeTarget(model, target, memory, { contextReal: real }), memory, encoderAttention: attention };
}

// Pixels (channels, side, side) as square patches, row by row: (patches, channels · patch_size²).
function imagePatches(pixels, { channels, image_size: side, patch_size: size }) {
  const grid = side / size;
  const patches = zeros(grid * grid, channels * size * size);
  let at = 0;
  for (let patch = 0; patch < grid * grid; patch += 1) {
    const [top, left] = [Math.floor(patch / grid) * size, (patch % grid) * size];
    for (let channel = 0; channel < channels; channel += 1) {
      for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1, at += 1) {
          patches.data[at] = pixels[(channel * side + top + row) * side + left + column];
        }
      }
    }
  }
  return patches;
}

// A Vision Transformer: the class token, then a token for each patch.
function visionTransformer({ parts, config }, pixels) {
  const first = { shape: [1, config.dim], data: parts.class_token.data };
  const tokens = stackRows(first, linear(imagePatches(pixels, config), parts.patches));
  const stack = runLayers(add(tokens, parts.positions.weight), parts.layers, config);
  const final = lastNorm(stack.output, parts.final_norm, config);
  return { ...stack, final, logits: parts.head ? linear(rowSlice(final, 0, 1), parts.head) : null };
}

// The review classifier of section 10: an encoder, additive attention that mixes its vectors into one, and a map.
function reviewClassifier({ parts, config }, tokens, { real = null } = {}) {
  const { final: vectors, ...stack } = encoder({ parts: parts.encoder, config }, tokens, { real });
  const scores = linear(mapNumbers(linear(vectors, parts.hidden), Math.tanh), parts.score);
  if (real) real.forEach((kept, n) => { if (!kept) scores.data[n] = -Infinity; });
  const weights = zeros(1, tokens.length);
  softmaxRow(scores.data, weights.data, 0, tokens.length);
  const mixed = zeros(1, config.dim);
  weights.data.forEach((weight, n) => {
    for (let d = 0; d < config.dim; d += 1) mixed.data[d] += weight * vectors.data[n * config.dim + d];
  });
  return { ...stack, vectors, weights, logits: linear(mixed, parts.answer) };
}

// A model from the bytes of its file, whose notes say what it is.
function openModel(buffer) {
  const { tensors, notes } = readSafetensors(buffer);
  if (!notes.model) throw new BrokenFile("the notes do not say which model this is");
  const { config, ...rest } = JSON.parse(notes.model);
  return { parts: nest(tensors), config, notes: rest };
}
