// Where a token stands: sinusoidal (12.6) and rotary (12.7) positions; learned ones are rows of a table.

const frequency = (pair, size, base) => base ** ((-2 * pair) / size);

// Add sin(pω) to features 2i and cos(pω) to features 2i + 1 of the token at position p.
function addSinusoidal(x, first) {
  const [count, size] = x.shape;
  for (let n = 0; n < count; n += 1) {
    for (let pair = 0; 2 * pair < size; pair += 1) {
      const angle = (first + n) * frequency(pair, size, 10000);
      x.data[n * size + 2 * pair] += Math.sin(angle);
      x.data[n * size + 2 * pair + 1] += Math.cos(angle);
    }
  }
}

// Turn (back, with direction -1) each pair of features of each head by position · frequency; pairs are neighbours or the two halves of a head.
function rotate(x, headDim, first, { rope_base: base, rope_pairing: pairing }, direction = 1) {
  const [count, size] = x.shape;
  const y = zeros(count, size);
  const half = headDim / 2;
  const speeds = Array.from({ length: half }, (_, pair) => direction * frequency(pair, headDim, base));
  for (let n = 0; n < count; n += 1) {
    for (let pair = 0; pair < half; pair += 1) {
      const angle = (first + n) * speeds[pair];
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (let head = n * size; head < (n + 1) * size; head += headDim) {
        const [i, j] = pairing === "halves" ? [head + pair, head + pair + half] : [head + 2 * pair, head + 2 * pair + 1];
        y.data[i] = x.data[i] * cos - x.data[j] * sin;
        y.data[j] = x.data[j] * cos + x.data[i] * sin;
      }
    }
  }
  return y;
}
