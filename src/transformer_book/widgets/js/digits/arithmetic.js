// A drawing of 8 × 8 pixels of 0 (paper) to 16 (ink), as the digits of scikit-learn have them.

const SIDE = 8;
const INK = 16;
const PATCH = 2;
const PATCHES = 16;

// The brush: full ink at one pixel, some of it at its neighbours.
function painted(pixels, at, erase) {
  const changed = [...pixels];
  const [row, column] = [Math.floor(at / SIDE), at % SIDE];
  if (erase) {
    changed[at] = 0;
    return changed;
  }
  for (const [down, right] of [[0, 0], [0, 1], [1, 0], [0, -1], [-1, 0]]) {
    const [r, c] = [row + down, column + right];
    if (r < 0 || c < 0 || r >= SIDE || c >= SIDE) continue;
    const place = r * SIDE + c;
    changed[place] = Math.max(changed[place], down === 0 && right === 0 ? INK : Math.min(8, changed[place] + 4));
  }
  return changed;
}

// The drawing moved by whole pixels; what leaves the picture is lost.
const shifted = (pixels, down, right) => pixels.map((_, at) => {
  const [row, column] = [Math.floor(at / SIDE) - down, (at % SIDE) - right];
  return row < 0 || column < 0 || row >= SIDE || column >= SIDE ? 0 : pixels[row * SIDE + column];
});

// Patch n of the result is patch order[n] of the drawing.
function withPatchesMoved(pixels, order) {
  const grid = SIDE / PATCH;
  return pixels.map((_, at) => {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    const from = order[Math.floor(row / PATCH) * grid + Math.floor(column / PATCH)];
    return pixels[(Math.floor(from / grid) * PATCH + (row % PATCH)) * SIDE + (from % grid) * PATCH + (column % PATCH)];
  });
}

const READERS = ["digits_vit", "digits_vit_no_positions"];

function computeDigits({ pixels, shuffled, layer, head, query, order }, { engine }) {
  const seen = shuffled ? withPatchesMoved(pixels, order) : pixels;
  const input = { pixels: seen.map((ink) => ink / INK) };
  const answers = READERS.map((name) => engine.ask(name, "classification", input));
  if (!answers.every(Boolean)) return { known: false, seen };
  const heads = engine.notes[READERS[0]].config.num_heads;
  const count = PATCHES + 1;
  const chosen = head < 0 ? range(heads) : [head];
  const row = range(count).map((m) =>
    chosen.reduce((sum, h) => sum + answers[0].weights[layer][(h * count + query) * count + m], 0) / chosen.length);
  return {
    known: true, seen, probabilities: answers.map((answer) => [...answer.probabilities]),
    classWeight: row[0], patchWeights: range(4).map((i) => row.slice(1 + 4 * i, 5 + 4 * i)),
  };
}

const pixelsField = () => ({
  read(value) {
    if (value.length !== SIDE * SIDE || value.some((ink) => !Number.isInteger(ink) || ink < 0 || ink > INK)) throw new Problem("shapes");
    return [...value];
  },
  encode: (pixels) => pixels.map((ink) => ink.toString(INK + 1)).join(""),
  decode: (text) => [...text].map((sign) => parseInt(sign, INK + 1)),
});
