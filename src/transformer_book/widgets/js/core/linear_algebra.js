// Matrices are arrays of rows, in the book's notation: one token a column.

const column = (matrix, n) => matrix.map((row) => row[n]);

const transpose = (matrix) => matrix[0].map((_, n) => column(matrix, n));

const range = (count) => Array.from({ length: count }, (_, index) => index);

function multiply(left, right) {
  const columns = right[0].length;
  return left.map((row) => {
    const result = new Array(columns).fill(0);
    for (let k = 0; k < row.length; k += 1) {
      const factor = row[k];
      const other = right[k];
      for (let n = 0; n < columns; n += 1) result[n] += factor * other[n];
    }
    return result;
  });
}

function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

// Softmax over the keys: each column on its own.
const softmaxColumns = (scores) => transpose(transpose(scores).map(softmax));

const largestSize = (matrix) =>
  matrix.reduce((most, row) => row.reduce((m, x) => (Number.isFinite(x) ? Math.max(m, Math.abs(x)) : m), most), 0);
