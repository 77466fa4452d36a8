// Equation 12.7.

// Turn each pair (2i, 2i + 1) by position · θ_i.
function rotatePairs(vector, position, thetas) {
  return thetas.flatMap((theta, i) => {
    const [cos, sin] = [Math.cos(theta * position), Math.sin(theta * position)];
    const [x, y] = [vector[2 * i], vector[2 * i + 1]];
    return [cos * x - sin * y, sin * x + cos * y];
  });
}

const dot = (a, b) => a.reduce((total, x, i) => total + x * b[i], 0);

function computeRotary({ q, k, n, m }) {
  const thetas = frequencies(q.length);
  const turnedQuery = rotatePairs(q, n, thetas);
  const turnedKey = rotatePairs(k, m, thetas);
  const offsets = range(2 * LAST_POSITION + 1).map((i) => i - LAST_POSITION);
  return { thetas, turnedQuery, turnedKey, score: dot(turnedKey, turnedQuery), offsets,
    scores: offsets.map((offset) => dot(k, rotatePairs(q, offset, thetas))) };
}

function checkRotary({ q, k }) {
  if (q.length !== k.length || q.length % 2 || q.length < 2 || q.length > 8) throw new Problem("shapes");
}
