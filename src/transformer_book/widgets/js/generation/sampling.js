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

const GPT = "quatrain_gpt";

// known: whether the model has answered for this poem; until then all else may be missing.
function computeGeneration(state, { engine }) {
  const notes = engine.notes[GPT];
  if (!notes) return { known: false, ended: false, fits: true, notes: null };
  const characters = [...state.text];
  const signs = signsOf(notes);
  const ids = characters.map((c) => signs.indexOf(c));
  const longest = notes.config.context_length - 1;
  const last = ids.length - 1;
  const fits = last < longest && ids.every((id, i) => id >= 0 && (id !== notes.end || i === last));
  const ended = fits && (ids[last] === notes.end || ids.length >= longest);
  const form = poemForm(characters.filter((c) => c !== signs[notes.end]), notes.rhymes);
  const base = { notes, signs, ids, characters, fits, ended, form, known: false };
  const answer = fits && !ended ? engine.ask(GPT, "continuation", { tokens: [notes.start, ...ids] }) : null;
  if (!answer) return base;
  const { logits } = answer;
  const plain = nextProbabilities(logits, { temperature: 1, top_k: 0, top_p: 1 }).probabilities;
  const { probabilities, order } = nextProbabilities(logits, state);
  const drawn = drawAt(probabilities, uniformNumbers(state.seed, ids.length + 1)[ids.length]);
  const { num_layers: layers, num_heads: heads } = notes.config;
  const rows = answer.weights[Math.min(state.layer, layers - 1)];
  const head = Math.min(state.head, heads - 1);
  const weights = rows.slice(head * (ids.length + 1), (head + 1) * (ids.length + 1));
  return { ...base, known: true, logits, plain, probabilities, order, drawn, weights };
}
