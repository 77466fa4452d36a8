// Equation 12.6.

const SIZES = [2, 4, 8, 16];

// PE of one position: sin and cos of p · ω_i, pair by pair.
const encode = (position, omegas) => omegas.flatMap((omega) => [Math.sin(omega * position), Math.cos(omega * position)]);

function computePosition({ size }) {
  const omegas = frequencies(size);
  return { omegas, encoding: transpose(range(LAST_POSITION + 1).map((p) => encode(p, omegas))) };
}

function checkPosition({ size }) {
  if (!SIZES.includes(size)) throw new Problem("unknown", size);
}
