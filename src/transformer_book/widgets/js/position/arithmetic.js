// Equations 12.6 and 12.7.

const frequencies = (size) => range(size / 2).map((i) => 10000 ** ((-2 * i) / size));

// PE of one position: sin and cos of p · ω_i, pair by pair.
const encode = (position, omegas) => omegas.flatMap((omega) => [Math.sin(omega * position), Math.cos(omega * position)]);

// Turn each pair (2i, 2i + 1) by position · θ_i.
function rotatePairs(vector, position, thetas) {
  return thetas.flatMap((theta, i) => {
    const [cos, sin] = [Math.cos(theta * position), Math.sin(theta * position)];
    const [x, y] = [vector[2 * i], vector[2 * i + 1]];
    return [cos * x - sin * y, sin * x + cos * y];
  });
}

const dot = (a, b) => a.reduce((total, x, i) => total + x * b[i], 0);

const SIZES = [2, 4, 8, 16];
const LAST_POSITION = 63;

function computePosition({ size, q, k, n, m }) {
  const omegas = frequencies(size);
  const thetas = frequencies(q.length);
  const turnedQuery = rotatePairs(q, n, thetas);
  const turnedKey = rotatePairs(k, m, thetas);
  const offsets = range(2 * LAST_POSITION + 1).map((i) => i - LAST_POSITION);
  return {
    omegas,
    thetas,
    encoding: transpose(range(LAST_POSITION + 1).map((p) => encode(p, omegas))),
    turnedQuery,
    turnedKey,
    score: dot(turnedKey, turnedQuery),
    offsets,
    scores: offsets.map((offset) => dot(k, rotatePairs(q, offset, thetas))),
  };
}

function checkPosition({ size, q, k }) {
  if (!SIZES.includes(size)) throw new Problem("unknown", size);
  if (q.length !== k.length || q.length % 2 || q.length < 2 || q.length > 8) throw new Problem("shapes");
}
