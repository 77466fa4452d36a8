// The parts of a layer, one equation a function. Tokens are rows, as in the Python library's modules.

// x Wᵀ + b: (N, in) to (N, out), weight (out, in).
function linear(x, { weight, bias }) {
  const [outer, inner] = weight.shape;
  const count = rowsOf(x);
  const y = zeros(count, outer);
  if (bias) for (let n = 0; n < count; n += 1) for (let o = 0; o < outer; o += 1) y.data[n * outer + o] = bias.data[o];
  const block = weight.scales ? new Float32Array(4 * inner) : null; // of 8 bits: a few rows at a time are read
  for (let o = 0; o < outer; o += 4) {
    const outputs = Math.min(4, outer - o);
    if (block) dequantiseRows(weight, o, outputs, block);
    const [numbers, from] = block ? [block, 0] : [weight.data, o * inner];
    for (let n = 0; n < count; n += 2) addProducts(x, n, Math.min(2, count - n), numbers, from, outputs, y, o);
  }
  return y;
}

// Each row by itself, (x - mean) / √(variance + ε) · weight + bias; "rms" divides by the root mean square alone.
function norm(x, { weight, bias }, kind, epsilon) {
  const [count, size] = x.shape;
  const y = zeros(count, size);
  for (let n = 0; n < count; n += 1) {
    const first = n * size;
    let [sum, squares] = [0, 0];
    if (kind !== "rms") for (let d = 0; d < size; d += 1) sum += x.data[first + d];
    const mean = sum / size;
    for (let d = 0; d < size; d += 1) squares += (x.data[first + d] - mean) ** 2;
    const factor = 1 / Math.sqrt(squares / size + epsilon);
    for (let d = 0; d < size; d += 1) {
      y.data[first + d] = (x.data[first + d] - mean) * factor * weight.data[d] + (bias ? bias.data[d] : 0);
    }
  }
  return y;
}

// erf x = 2/√π · e^(-x²) · Σ 2ᵏ x^(2k+1) / (1 · 3 ⋯ (2k+1)): all terms have one sign, so nothing cancels.
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  const square = x * x;
  let term = 1;
  let sum = 1; // without the factor x
  for (let odd = 3; term > 1e-17 * sum; odd += 2) {
    term *= (2 * square) / odd;
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-square) * x * sum;
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
