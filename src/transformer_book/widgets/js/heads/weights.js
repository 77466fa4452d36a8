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

// Any sentence, by the model that runs in the page: { tokens, weights }, { count } where it is too long, or null: not yet.
const READER = "minilm";
const MOST_PIECES = 48; // of a sentence, [CLS] and [SEP] among them
const LONGEST_TEXT = 600; // characters

const askSentence = ({ engine }, text) => engine?.ask(READER, "sentence", { text, longest: MOST_PIECES }) ?? null;

const arranged = new WeakMap(); // answer -> its maps, one a head, rows keys, columns queries

function sentenceMaps(answer) {
  const { tokens: { length: count }, weights } = answer;
  const map = (layer, first) => {
    const matrix = range(count).map(() => new Array(count));
    for (let n = 0, at = first; n < count; n += 1) for (let m = 0; m < count; m += 1, at += 1) matrix[m][n] = layer[at];
    return matrix;
  };
  if (!arranged.has(answer)) {
    arranged.set(answer, weights.flatMap((layer) => range(layer.length / count ** 2).map((h) => map(layer, h * count ** 2))));
  }
  return arranged.get(answer);
}

function computeHeads(state, data) {
  const { model, sentence, own, layer, head, query, catalogue } = state;
  const entry = catalogue[model];
  const shown = (tokens, maps) => ({ ...entry, tokens, maps, known: Boolean(maps), query: Math.min(query, tokens.length),
    weights: maps && maps[layer * entry.heads + head] });
  if (own) {
    const answer = askSentence(data, own);
    if (!answer?.tokens) return { ...shown([], null), waits: true, count: answer?.count };
    return { ...shown(answer.tokens, sentenceMaps(answer)), unknown: answer.unknown };
  }
  const { tokens, unknown } = entry.sentences[sentence];
  const pack = data.pack(`heads-${model}`);
  const maps = pack?.[sentence] === undefined ? null : sentenceWeights(pack, sentence, entry, tokens.length);
  return { ...shown(tokens, maps), unknown };
}

// The recorded weights, and a model where the site has it; in a notebook Python reads what is not recorded.
function connectHeads(data) {
  if (!data.element?.dataset.files?.includes(READER)) return data;
  const { engine } = connectEngine(data);
  const onArrival = (callback) => {
    engine.subscribe(callback);
    return data.onArrival(callback);
  };
  return { ...data, engine, onArrival };
}

function checkHeads({ catalogue, model, sentence, own, layer, head, query }) {
  const entry = catalogue[model];
  if (!entry) throw new Problem("unknown", model);
  const inside = (value, count, name) => {
    if (!(value >= 0 && value < count)) throw new Problem("outside", `${name} ${value} ∉ [0, ${count - 1}]`);
  };
  inside(sentence, entry.sentences.length, "sentence");
  inside(layer, entry.layers, "L");
  inside(head, entry.heads, "H");
  if (own && model !== READER) throw new Problem("unknown", model);
  if (own) inside(own.length, LONGEST_TEXT + 1, "own");
  inside(query - 1, own ? MOST_PIECES : entry.sentences[sentence].tokens.length, "n");
}
