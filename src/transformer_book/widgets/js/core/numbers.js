// Numbers as text: the digits of Python's format(x, ".3f"), for every double.

// toFixed works on the exact value of x but rounds a tie up; Python rounds it to even. A tie at `digits` decimals is
// an odd multiple of 1 / 2^(digits + 1), and doubling is exact, so it can be recognised without rounding.
function formatFixed(x, digits = 3) {
  if (Number.isNaN(x)) return "nan";
  const sign = x < 0 || Object.is(x, -0) ? "-" : "";
  const size = Math.abs(x);
  if (size === Infinity) return sign + "inf";
  if (size >= 1e21) return sign + BigInt(size) + (digits ? "." + "0".repeat(digits) : "");
  const halves = size * 2 ** (digits + 1);
  if (halves % 2 !== 1) return sign + size.toFixed(digits);
  let units = (BigInt(halves) * 5n ** BigInt(digits) - 1n) / 2n;
  if (units % 2n === 1n) units += 1n;
  const text = String(units).padStart(digits + 1, "0");
  return sign + (digits ? text.slice(0, -digits) + "." + text.slice(-digits) : text);
}

const isWhole = (matrix) => matrix.every((row) => row.every(Number.isInteger));

// A matrix of whole numbers reads best without decimals. −∞ is a masked score.
const formatEntry = (x, whole) => (x === -Infinity ? "−∞" : whole ? String(x) : formatFixed(x, 3));

const formatVector = (vector) => {
  const whole = vector.every(Number.isInteger);
  return "(" + vector.map((x) => formatEntry(x, whole)).join(", ") + ")";
};

// A number as a person types it: no "0x10", no blank, no "Infinity", a comma is no decimal point.
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const subscript = (n) => [...String(n)].map((digit) => SUBSCRIPTS[digit]).join("");
