// The review classifier's answer is a weighted mean of votes, one a position: P = σ(Σ aₘ gₘ + b), whatever the weights.

const CLASSIFIER = "reviews";
const LONGEST_REVIEW = 40;

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

const weightedSum = (weights, votes) => votes.reduce((sum, vote, m) => sum + weights[m] * vote, 0);

// One position's share of the Jensen–Shannon divergence.
function divergenceShare(p, q) {
  const middle = (p + q) / 2;
  const part = (x) => (x > 0 ? (x / 2) * Math.log(x / middle) : 0);
  return part(p) + part(q);
}

// 0 for equal weights, ln 2 for weights without a position in common.
const jensenShannon = (p, q) => p.reduce((sum, x, m) => sum + divergenceShare(x, q[m]), 0);

// The farthest weights with exactly the same answer. Divergence is convex, and the weights with the same Σ a g form a
// polytope, so the farthest are at a corner; a corner has at most two positions with any weight.
function farthestWeights(own, votes) {
  const goal = weightedSum(own, votes);
  let best = { divergence: -1, weights: own };
  const untouched = own.map((p) => divergenceShare(p, 0));
  const total = untouched.reduce((sum, x) => sum + x, 0);
  for (let i = 0; i < own.length; i += 1) {
    for (let j = 0; j < own.length; j += 1) {
      if (votes[i] > goal || votes[j] <= goal) continue;
      const share = (votes[j] - goal) / (votes[j] - votes[i]); // of position i
      const divergence = total - untouched[i] - untouched[j] + divergenceShare(own[i], share) + divergenceShare(own[j], 1 - share);
      if (divergence > best.divergence) best = { divergence, weights: own.map((_, m) => (m === i ? share : m === j ? 1 - share : 0)) };
    }
  }
  return best.weights;
}

// One weight takes a value, the others share the rest as before.
function withWeight(weights, place, value) {
  const rest = 1 - weights[place];
  const others = weights.length - 1;
  return weights.map((w, m) => (m === place ? value : rest > 1e-12 ? (w * (1 - value)) / rest : (1 - value) / others));
}

// The weights in another order, by the draws of a seed (Fisher and Yates).
function shuffledWeights(weights, seed) {
  const mixed = [...weights];
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = Math.floor(uniform(seed, i) * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}

function computeWeights({ text, weights }, { engine }) {
  const notes = engine.notes[CLASSIFIER];
  const characters = [...text];
  if (!notes) return { known: false, characters };
  const signs = signsOf(notes);
  const tokens = characters.map((c) => (signs.includes(c) ? signs.indexOf(c) : notes.unknown));
  const answer = engine.ask(CLASSIFIER, "review", { tokens });
  if (!answer) return { known: false, characters };
  const [own, votes] = [[...answer.weights], [...answer.votes]];
  const present = weights.length === own.length ? weights : own;
  const chance = (a) => sigmoid(weightedSum(a, votes) + answer.bias);
  return {
    known: true, characters, unknown: tokens.map((token) => token === notes.unknown), own, votes, present,
    ownChance: chance(own), chance: chance(present), divergence: jensenShannon(own, present),
  };
}
