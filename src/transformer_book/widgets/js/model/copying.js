// The experiment of section 6: a small decoder learns to copy texts that repeat themselves. All draws come from one seed.

const FIRST_BATCH = 2 ** 20; // where batches begin among a seed's random numbers; the weights stand before
const MEASURED_SEED = 2 ** 16; // of the texts that scores are measured on

// { name: shape } to random tensors, in this order: matrices normal with the deviation of their kind; ones and zeros of norms.
function drawWeights(shapes, seed, deviations) {
  let start = 0;
  const tensors = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const data = new Float64Array(shape.reduce((product, size) => product * size, 1)).fill(name.endsWith("bias") ? 0 : 1);
    if (shape.length === 2) {
      fillNormals(data, seed, start);
      start += data.length;
      data.forEach((x, i) => (data[i] = x * deviations[name.split(".")[0]]));
    }
    tensors[name] = { shape, data };
  }
  return nest(tensors);
}

// Texts of `length` tokens that repeat themselves, `count` of them, drawn at places start, start + 1, … of a seed. The tokens
// of a round all differ; what the first round does not determine does not count.
function repeatedTexts(seed, start, count, [shortest, longest], size, length) {
  const texts = range(count).map((i) => {
    const first = start + i * (size + 1);
    const period = shortest + Math.floor(uniform(seed, first) * (longest - shortest + 1));
    const keys = range(size).map((v) => uniform(seed, first + 1 + v));
    const order = range(size).sort((a, b) => keys[a] - keys[b]);
    return { period, tokens: range(length).map((n) => order[n % period]) };
  });
  return { texts: texts.map(({ tokens }) => tokens), counts: texts.map(({ period }) => range(length).map((n) => n > period)) };
}

// Mean weights, over the queries that have one, on the key that stands `back` before: { weights (H, N, N) } to H numbers.
function scoresAt({ weights: { shape: [heads, count], data } }, back, first) {
  return range(heads).map((h) => {
    const queries = range(count).slice(first);
    return queries.reduce((sum, n) => sum + data[(h * count + n) * count + n - back], 0) / queries.length;
  });
}

let run = null; // the model in training

const COPYING_TASKS = {
  // what: { config, shapes, deviations, settings, periods, batch, measured, causal } from Python; seed: of all draws
  start: (_, { what, seed }) => {
    const { config, shapes, deviations, causal } = what;
    run = { what, seed, step: 0, model: { parts: drawWeights(shapes, seed, deviations), config, notes: { causal } } };
    return look([]);
  },
  // Some more updates: the loss before each, and what the heads do afterwards.
  train: (_, { steps }) => {
    const { what, seed, model } = run;
    const { config: { vocabulary_size: size, context_length: length }, batch } = what;
    const losses = range(steps).map(() => {
      const start = FIRST_BATCH + run.step * batch * (size + 1);
      const texts = repeatedTexts(seed, start, batch, what.periods, size, length + 1);
      const loss = trainStep(model, texts, run.step, what.settings);
      run.step += 1;
      return loss;
    });
    return look(losses);
  },
};

// Scores and weights of every head on texts of two rounds: arrays (L, H), and of the first text a (H, N, N) for each layer.
function look(losses) {
  const { model, step, what: { config: { vocabulary_size: size, context_length: length }, measured } } = run;
  const period = length / 2;
  const { texts } = repeatedTexts(MEASURED_SEED, 0, measured, [period, period], size, length);
  const seen = texts.map((tokens) => decoder(model, tokens).attention);
  const mean = (back, first) => seen[0].map((_, layer) => {
    const all = seen.map((attention) => scoresAt(attention[layer], back, first));
    return all[0].map((_, h) => all.reduce((sum, scores) => sum + scores[h], 0) / all.length);
  });
  return { step, losses, induction: mean(period - 1, period), previous: mean(1, 1), text: texts[0], weights: seen[0].map(({ weights }) => weights.data) };
}

Object.assign(TASKS, COPYING_TASKS);
