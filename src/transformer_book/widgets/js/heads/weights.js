// Attention weights of a whole model on one sentence, unpacked from 16-bit numbers in steps of 1/65,535.
// Order: layer, head, query, key; a causal model stores the keys 0 … query alone.

const unpacked = new WeakMap(); // list of a pack -> its sentences, unpacked once

function sentenceWeights(pack, sentence, { layers, heads, causal }, count) {
  if (!unpacked.has(pack)) unpacked.set(pack, []);
  const known = unpacked.get(pack);
  known[sentence] ??= unpack(bytesOf(pack[sentence]), layers * heads, count, causal);
  return known[sentence];
}

// One matrix for each head: rows are keys, columns queries.
function unpack(bytes, maps, count, causal) {
  const numbers = new DataView(bytes.buffer);
  let at = 0;
  return range(maps).map(() => {
    const matrix = range(count).map(() => new Array(count).fill(0));
    for (let n = 0; n < count; n += 1) {
      for (let m = 0; m < (causal ? n + 1 : count); m += 1, at += 2) {
        matrix[m][n] = numbers.getUint16(at, true) / 65535;
      }
    }
    return matrix;
  });
}

function computeHeads(state, data) {
  const { model, sentence, layer, head, catalogue } = state;
  const entry = catalogue[model];
  const { tokens } = entry.sentences[sentence];
  const pack = data.pack(`heads-${model}`);
  if (!pack || pack[sentence] === undefined) return { ...entry, tokens, maps: null, weights: null };
  const maps = sentenceWeights(pack, sentence, entry, tokens.length);
  return { ...entry, tokens, maps, weights: maps[layer * entry.heads + head] };
}

function checkHeads({ catalogue, model, sentence, layer, head, query }) {
  const entry = catalogue[model];
  if (!entry) throw new Problem("unknown", model);
  const inside = (value, count, name) => {
    if (!(value >= 0 && value < count)) throw new Problem("outside", `${name} ${value} ∉ [0, ${count - 1}]`);
  };
  inside(sentence, entry.sentences.length, "sentence");
  inside(layer, entry.layers, "L");
  inside(head, entry.heads, "H");
  inside(query - 1, entry.sentences[sentence].tokens.length, "n");
}
