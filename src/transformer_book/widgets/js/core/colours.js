// One scale for every matrix: blue for positive, orange for negative, paper for zero. Blue and orange stay apart for
// every common form of colour blindness, and the number stands in the cell as well.

const SHADES = 24;

const SCALES = {
  light: { zero: [255, 255, 255], positive: [13, 92, 171], negative: [201, 90, 10] },
  dark: { zero: [27, 31, 38], positive: [104, 178, 255], negative: [255, 160, 84] },
};

const stepOf = (value, limit) => (limit > 0 ? Math.min(SHADES, Math.round((Math.abs(value) / limit) * SHADES)) : 0);

// Class of a value on a scale that reaches `limit`: p0 … p24 or n1 … n24.
function shade(value, limit) {
  if (!Number.isFinite(value)) return "masked";
  const step = stepOf(value, limit);
  return (value < 0 && step > 0 ? "n" : "p") + step;
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Colour of one step on a side of a theme's scale, as [red, green, blue].
function shadeColour(theme, side, step) {
  const { zero, [side]: full } = SCALES[theme];
  const share = (step / SHADES) ** 0.8 * 0.92;
  return zero.map((from, i) => Math.round(from + share * (full[i] - from)));
}

// A theme's colours as pixels, by side and step.
const pixelsOf = (theme) => ["positive", "negative"].map((side) => Uint32Array.from({ length: SHADES + 1 }, (_, step) => {
  const [red, green, blue] = shadeColour(theme, side, step);
  return 0xff000000 + blue * 0x10000 + green * 0x100 + red; // bytes red, green, blue, opacity
}));
const PIXELS = { light: pixelsOf("light"), dark: pixelsOf("dark") };

// A pixel a number, which the browser enlarges without smoothing. What is no finite number stays clear.
function paint(canvas, rows, columns, valueAt, limit = 1) {
  const [positive, negative] = PIXELS[canvas.closest(".dark") ? "dark" : "light"];
  if (canvas.width !== columns) canvas.width = columns; // a new size makes the browser begin anew
  if (canvas.height !== rows) canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let m = 0, at = 0; m < rows; m += 1) {
    for (let n = 0; n < columns; n += 1, at += 1) {
      const value = valueAt(m, n);
      if (Number.isFinite(value)) pixels[at] = (value < 0 ? negative : positive)[stepOf(value, limit)];
    }
  }
  context.putImageData(image, 0, 0);
}

function shadeRules() {
  const rules = [];
  for (const theme of Object.keys(SCALES)) {
    for (const side of ["positive", "negative"]) {
      for (let step = 0; step <= SHADES; step += 1) {
        const rgb = shadeColour(theme, side, step);
        // Black has the better contrast exactly above this luminance; the better of the two is always above 4.5.
        const ink = luminance(rgb) > 0.179 ? "#000" : "#fff";
        rules.push(`.${theme} .${side[0]}${step}{background-color:rgb(${rgb});color:${ink}}`);
      }
    }
  }
  return rules.join("\n");
}
