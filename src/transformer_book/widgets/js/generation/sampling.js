// From logits to probabilities to one draw, as transformer_book.generation does it.

function nextProbabilities(logits, { temperature, top_k, top_p }) {
  const order = range(logits.length).sort((a, b) => logits[b] - logits[a] || a - b);
  const probabilities = new Float64Array(logits.length);
  if (temperature === 0) {
    probabilities[order[0]] = 1;
    return { probabilities, order };
  }
  const kept = top_k > 0 ? order.slice(0, top_k) : order;
  const weights = softmax(kept.map((id) => logits[id] / temperature));
  // top_p keeps the fewest whose probabilities reach p.
  let before = 0;
  let total = 0;
  kept.forEach((id, i) => {
    if (top_p < 1 && before >= top_p) return;
    before += weights[i];
    total += weights[i];
    probabilities[id] = weights[i];
  });
  if (top_p < 1) for (const id of kept) probabilities[id] /= total;
  return { probabilities, order };
}

// The token that owns a level between 0 and 1 in the cumulative sum.
function drawAt(probabilities, level) {
  const cumulative = [];
  let total = 0;
  for (const probability of probabilities) cumulative.push((total += probability));
  const goal = level * total;
  const found = cumulative.findIndex((sum) => sum > goal);
  return found >= 0 ? found : cumulative.findIndex((sum) => sum === total);
}

function computeGeneration(state, data) {
  const pack = data.pack("quatrains");
  if (!pack) return { loaded: false, known: false, ended: false };
  const { ids, seed } = state;
  const last = ids.length - 1;
  const fits = last < pack.longest && ids.every((id, i) => id < pack.tokens.length && (id !== pack.end || i === last));
  if (!fits) return { loaded: true, pack, fits, known: false, ended: false };
  const ended = ids.at(-1) === pack.end || ids.length >= pack.longest;
  const logits = ended ? null : storedLogits(pack, ids) ?? liveLogits(data, ids);
  const values = { loaded: true, pack, fits, ended, known: logits !== null };
  if (!logits) return values;
  const plain = nextProbabilities(logits, { temperature: 1, top_k: 0, top_p: 1 }).probabilities;
  const { probabilities, order } = nextProbabilities(logits, state);
  const level = pack.levels[pack.seeds.indexOf(seed)][ids.length];
  return { ...values, logits, plain, probabilities, order, drawn: drawAt(probabilities, level) };
}

function checkGeneration({ seeds, seed }) {
  if (!seeds.includes(seed)) throw new Problem("unknown", seed);
}
