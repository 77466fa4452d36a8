// Logits over the whole vocabulary, stored along a few continuations: a product of two thin matrices, and the largest
// ones of each context exactly. What is not stored is not known here.

const contextKey = (ids) => ids.join(",");
const read = new WeakMap(); // pack -> its numbers, decoded once

function decodedPack(pack) {
  if (read.has(pack)) return read.get(pack);
  const floats = (text) => new Float32Array(bytesOf(text).buffer);
  const contexts = []; // each is an earlier one and a token more
  for (const [before, token] of pack.contexts) contexts.push(before < 0 ? [] : [...contexts[before], token]);
  const numbers = {
    places: new Map(contexts.map((ids, place) => [contextKey(ids), place])),
    basis: new Int8Array(bytesOf(pack.basis).buffer), // (rank, V), in steps of `steps`
    steps: floats(pack.steps), // (rank,)
    scales: floats(pack.scales), // (contexts,)
    coefficients: new Int16Array(bytesOf(pack.coefficients).buffer), // (contexts, rank), in units of `scales`
    exactIds: new Uint16Array(bytesOf(pack.exact_ids).buffer), // (contexts, exact)
    exactLogits: floats(pack.exact_logits),
  };
  read.set(pack, numbers);
  return numbers;
}

// Logits of one context, or null.
function storedLogits(pack, ids) {
  const numbers = decodedPack(pack);
  const place = numbers.places.get(contextKey(ids));
  if (place === undefined) return null;
  const { rank, exact } = pack;
  const size = pack.tokens.length;
  const logits = new Float64Array(size);
  for (let r = 0; r < rank; r += 1) {
    const factor = numbers.scales[place] * numbers.coefficients[place * rank + r] * numbers.steps[r];
    for (let i = 0; i < size; i += 1) logits[i] += factor * numbers.basis[r * size + i];
  }
  // What stands between the tokens that were drawn here weighs, together, what the model gave it.
  const drawn = pack.drawn[place];
  pack.shifts[place].forEach((shift, k) => {
    for (let i = k > 0 ? drawn[k - 1] + 1 : 0; i < (drawn[k] ?? size); i += 1) logits[i] += shift;
  });
  for (let j = place * exact; j < (place + 1) * exact; j += 1) logits[numbers.exactIds[j]] = numbers.exactLogits[j];
  return logits;
}

// In a live notebook the model itself answers, one context at a time.
const answers = new Map();

function liveLogits(data, ids) {
  const answer = data.pack("answer");
  if (answer) answers.set(contextKey(answer.ids), new Float64Array(bytesOf(answer.logits).buffer));
  return answers.get(contextKey(ids)) ?? null;
}
