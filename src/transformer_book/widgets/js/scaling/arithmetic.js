// Equations 12.4 and 12.5 by sampling: one query against 16 keys, again and again.

const KEYS = 16;
const LARGEST_DIMENSION = 1024;
const MOST_DRAWS = 200;
const VECTOR = LARGEST_DIMENSION; // each vector owns 1,024 places in the stream, so more dimensions extend a draw
const DRAW = (KEYS + 1) * VECTOR;

const knownDraws = new Map(); // "seed/draw" -> scores for every dimension asked for
const vectorOf = (seed, start, size) => {
  const vector = new Float64Array(size + (size % 2));
  fillNormals(vector, seed, start);
  return vector;
};

// Scores k_m · q of one draw at dimension D_q; the first D_q entries of the draw's vectors.
function scoresOfDraw(seed, draw, dimension) {
  const name = `${seed}/${draw}/${dimension}`;
  if (knownDraws.has(name)) return knownDraws.get(name);
  const start = draw * DRAW;
  const q = vectorOf(seed, start, dimension);
  const scores = range(KEYS).map((m) => {
    const k = vectorOf(seed, start + (m + 1) * VECTOR, dimension);
    let score = 0;
    for (let i = 0; i < dimension; i += 1) score += k[i] * q[i];
    return score;
  });
  if (knownDraws.size > 4000) knownDraws.clear();
  knownDraws.set(name, scores);
  return scores;
}

const descending = (list) => [...list].sort((a, b) => b - a);
const mean = (list) => list.reduce((total, x) => total + x, 0) / list.length;

// Trace of ∂a/∂s = diag(a) − a aᵀ: Σ a_m (1 − a_m), near 0 once one weight has nearly everything.
const survivingGradient = (weights) => weights.reduce((total, a) => total + a * (1 - a), 0);

function computeScaling({ dimension, seed, draws }) {
  const factor = Math.sqrt(dimension);
  const all = range(draws).map((draw) => {
    const scores = scoresOfDraw(seed, draw, dimension);
    return { unscaled: softmax(scores), scaled: softmax(scores.map((score) => score / factor)), scores };
  });
  const last = all.at(-1);
  const running = (which) => {
    let total = 0;
    return all.map((draw, i) => (total += Math.max(...draw[which])) / (i + 1));
  };
  return {
    scores: last.scores,
    unscaled: last.unscaled,
    scaled: last.scaled,
    runningUnscaled: running("unscaled"),
    runningScaled: running("scaled"),
    gradientUnscaled: survivingGradient(last.unscaled),
    gradientScaled: survivingGradient(last.scaled),
    meanGradientUnscaled: mean(all.map((draw) => survivingGradient(draw.unscaled))),
    meanGradientScaled: mean(all.map((draw) => survivingGradient(draw.scaled))),
  };
}
