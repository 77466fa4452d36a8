// A tensor is its shape and its numbers in one typed array, last index fastest: { shape: [N, D], data }.
// Weights are float32 as PyTorch's are; what is computed from them is float64.

const zeros = (...shape) => ({ shape, data: new Float64Array(shape.reduce((product, size) => product * size, 1)) });

const rowsOf = (x) => x.shape[0];

// Rows first … last - 1 of a matrix.
function rowSlice({ shape: [, columns], data }, first, last) {
  return { shape: [last - first, columns], data: data.slice(first * columns, last * columns) };
}

// Matrices of the same width, one below the other.
function stackRows(above, below) {
  const stacked = zeros(rowsOf(above) + rowsOf(below), above.shape[1]);
  stacked.data.set(above.data);
  stacked.data.set(below.data, above.data.length);
  return stacked;
}

function add(x, y) {
  const sum = zeros(...x.shape);
  for (let i = 0; i < sum.data.length; i += 1) sum.data[i] = x.data[i] + y.data[i];
  return sum;
}

// Every number by f, in place.
function mapNumbers(x, f) {
  for (let i = 0; i < x.data.length; i += 1) x.data[i] = f(x.data[i]);
  return x;
}

// Some rows of a matrix of 8 bits, from `first`, into `rows`: code · scale, rounded to float32 as by Python.
function dequantiseRows({ shape: [, columns], data, scales }, first, count, rows) {
  for (let r = 0; r < count; r += 1) {
    const from = (first + r) * columns;
    for (let i = 0; i < columns; i += 1) rows[r * columns + i] = data[from + i] * scales[first + r];
  }
}

// Σ x[a + i] y[b + i], in four sums at once: a processor adds them side by side.
function dotProduct(x, a, y, b, length) {
  let [s, t, u, v] = [0, 0, 0, 0];
  const whole = length - (length % 4);
  for (let i = 0; i < whole; i += 4) {
    s += x[a + i] * y[b + i];
    t += x[a + i + 1] * y[b + i + 1];
    u += x[a + i + 2] * y[b + i + 2];
    v += x[a + i + 3] * y[b + i + 3];
  }
  for (let i = whole; i < length; i += 1) s += x[a + i] * y[b + i];
  return s + t + (u + v);
}

// Add to y, from row n and column o on, the dot products of `rows` rows of x (1 or 2) and `outputs` rows of w (1 to 4), whose
// numbers begin at `from`. Eight sums at once read each number once for all of them; sums in variables of their own are fast.
function addProducts({ shape: [, inner], data: x }, n, rows, w, from, outputs, { shape: [, outer], data: y }, o) {
  const [a, at] = [n * inner, n * outer + o];
  if (outputs === 4) (rows === 2 ? addTwoByFour : addOneByFour)(x, a, w, from, inner, y, at, outer);
  else {
    for (let r = 0; r < rows; r += 1) {
      for (let c = 0; c < outputs; c += 1) y[at + r * outer + c] += dotProduct(x, a + r * inner, w, from + c * inner, inner);
    }
  }
}

function addOneByFour(x, a, w, from, inner, y, at) {
  const [p, q, r] = [from + inner, from + 2 * inner, from + 3 * inner];
  let [s, t, u, v] = [0, 0, 0, 0];
  for (let i = 0; i < inner; i += 1) {
    const k = x[a + i];
    s += k * w[from + i];
    t += k * w[p + i];
    u += k * w[q + i];
    v += k * w[r + i];
  }
  y[at] += s;
  y[at + 1] += t;
  y[at + 2] += u;
  y[at + 3] += v;
}

function addTwoByFour(x, a, w, from, inner, y, at, outer) {
  const [b, p, q, r] = [a + inner, from + inner, from + 2 * inner, from + 3 * inner];
  let [s, t, u, v, s2, t2, u2, v2] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < inner; i += 1) {
    const k = x[a + i];
    const l = x[b + i];
    const e = w[from + i];
    const f = w[p + i];
    const g = w[q + i];
    const h = w[r + i];
    s += k * e;
    t += k * f;
    u += k * g;
    v += k * h;
    s2 += l * e;
    t2 += l * f;
    u2 += l * g;
    v2 += l * h;
  }
  y[at] += s;
  y[at + 1] += t;
  y[at + 2] += u;
  y[at + 3] += v;
  y[at + outer] += s2;
  y[at + outer + 1] += t2;
  y[at + outer + 2] += u2;
  y[at + outer + 3] += v2;
}
