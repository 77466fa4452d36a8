// A score is a product of two lengths: the query's, and that of the key's shadow on it.

function computeVectors({ q, K }) {
  const keys = transpose(K);
  const length = Math.hypot(...q);
  const scores = keys.map((k) => k[0] * q[0] + k[1] * q[1]);
  return {
    keys, length, scores, weights: softmax(scores),
    shadows: scores.map((score) => (length === 0 ? 0 : score / length)),
    feet: scores.map((score) => q.map((x) => (length === 0 ? 0 : (score / length ** 2) * x))),
  };
}

function checkVectors({ q, K, key }) {
  if (q.length !== 2 || K.length !== 2 || K[0].length < 1 || K[0].length > 6) throw new Problem("shapes");
  if (Math.max(...[q, ...K].flat().map(Math.abs)) > REACH) throw new Problem("outside", `[−${REACH}, ${REACH}]`);
  if (key > K[0].length) throw new Problem("outside", `m ${key} ∉ [1, ${K[0].length}]`);
}

const REACH = 4; // largest entry: what the picture shows
