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

function mapNumbers(x, f) {
  const result = zeros(...x.shape);
  for (let i = 0; i < result.data.length; i += 1) result.data[i] = f(x.data[i]);
  return result;
}

// Row o of a matrix of 8 bits: code · scale, rounded to float32 by the row as by Python.
function dequantiseRow({ shape: [, columns], data, scales }, o, row) {
  for (let i = 0; i < columns; i += 1) row[i] = data[o * columns + i] * scales[o];
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
