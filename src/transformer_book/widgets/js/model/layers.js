// The parts of a layer, one equation a function. Tokens are rows, as in the Python library's modules.

// x Wᵀ + b: (N, in) to (N, out), weight (out, in).
function linear(x, { weight, bias }) {
  const [outer, inner] = weight.shape;
  const count = rowsOf(x);
  const y = zeros(count, outer);
  const whole = count - (count % 4);
  const row = weight.scales ? new Float32Array(inner) : null; // of 8 bits: one row at a time is read
  for (let o = 0; o < outer; o += 1) {
    const start = bias ? bias.data[o] : 0;
    if (row) dequantiseRow(weight, o, row);
    const [numbers, from] = row ? [row, 0] : [weight.data, o * inner];
    for (let n = 0; n < whole; n += 4) fourDotProducts(x.data, n, numbers, from, o, inner, y.data, outer, start);
    for (let n = whole; n < count; n += 1) {
      y.data[n * outer + o] = start + dotProduct(x.data, n * inner, numbers, from, inner);
    }
  }
  return y;
}

// Rows n … n + 3 of x times row o of the weight, which begins at `from`: each weight is read once for all four.
function fourDotProducts(x, n, weight, from, o, inner, y, outer, start) {
  const [a, b, c, d] = [n * inner, (n + 1) * inner, (n + 2) * inner, (n + 3) * inner];
  let [s, t, u, v] = [start, start, start, start];
  for (let i = 0; i < inner; i += 1) {
    const w = weight[from + i];
    s += w * x[a + i];
    t += w * x[b + i];
    u += w * x[c + i];
    v += w * x[d + i];
  }
  y[n * outer + o] = s;
  y[(n + 1) * outer + o] = t;
  y[(n + 2) * outer + o] = u;
  y[(n + 3) * outer + o] = v;
}

// Each row by itself, (x - mean) / √(variance + ε) · weight + bias; "rms" divides by the root mean square alone.
function norm(x, { weight, bias }, kind, epsilon) {
  const [count, size] = x.shape;
  const y = zeros(count, size);
  for (let n = 0; n < count; n += 1) {
    const row = x.data.subarray(n * size, (n + 1) * size);
    const mean = kind === "rms" ? 0 : row.reduce((sum, value) => sum + value, 0) / size;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / size;
    const factor = 1 / Math.sqrt(variance + epsilon);
    for (let d = 0; d < size; d += 1) {
      y.data[n * size + d] = (row[d] - mean) * factor * weight.data[d] + (bias ? bias.data[d] : 0);
    }
  }
  return y;
}

// erf x = 2/√π · e^(-x²) · Σ 2ᵏ x^(2k+1) / (1 · 3 ⋯ (2k+1)): all terms have one sign, so nothing cancels.
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k += 1) {
    term *= (2 * x * x) / (2 * k + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const silu = (x) => x / (1 + Math.exp(-x));

const ACTIVATIONS = {
  gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
  gelu_tanh: (x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2,
  relu: (x) => Math.max(0, x),
};

// D features to mlp_dim units, an activation, and back; SwiGLU gates one map's units by another's.
function mlp(x, part, kind) {
  const units = linear(x, part.expand);
  if (kind !== "swiglu") return linear(mapNumbers(units, ACTIVATIONS[kind]), part.contract);
  const gates = mapNumbers(linear(x, part.gate), silu);
  for (let i = 0; i < units.data.length; i += 1) units.data[i] *= gates.data[i];
  return linear(units, part.contract);
}
