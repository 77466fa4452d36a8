// A safetensors file: eight bytes with the length of a JSON header, the header, then the numbers of all tensors.

class BrokenFile extends Error {}

// Every float16, by its 16 bits: sign, five bits of exponent, ten of fraction.
const halves = new Float32Array(65536).map((_, bits) => {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024);
});

const READERS = {
  F16: [2, (buffer) => Float32Array.from(new Uint16Array(buffer), (bits) => halves[bits])],
  F32: [4, (buffer) => new Float32Array(buffer)],
  I8: [1, (buffer) => new Int8Array(buffer)], // codes of rows; their scales stand under the same name and .scales
};

// Tensors by name and the notes that were stored with them. Throws BrokenFile for anything else than a whole file.
function readSafetensors(buffer) {
  const length = buffer.byteLength < 8 ? Infinity : Number(new DataView(buffer).getBigUint64(0, true));
  if (8 + length > buffer.byteLength) throw new BrokenFile("the header is cut off");
  const { __metadata__: notes = {}, ...entries } = readHeader(new Uint8Array(buffer, 8, length));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(entries)) {
    const count = shape.reduce((product, size) => product * size, 1);
    const [size, decode] = READERS[dtype] ?? [0, null];
    if (end - start !== size * count || 8 + length + end > buffer.byteLength) throw new BrokenFile(name);
    const data = decode(buffer.slice(8 + length + start, 8 + length + end));
    if (dtype !== "I8" && !data.every(Number.isFinite)) throw new BrokenFile(name);
    tensors[name] = { shape, data };
  }
  return { tensors: withScales(tensors), notes };
}

// A matrix of 8 bits takes its scales, one a row, into itself: { shape, data, scales }.
function withScales(tensors) {
  for (const [name, tensor] of Object.entries(tensors)) {
    if (!(tensor.data instanceof Int8Array)) continue;
    const scales = tensors[`${name}.scales`];
    if (scales?.data.length !== tensor.shape[0]) throw new BrokenFile(name);
    tensor.scales = scales.data;
    delete tensors[`${name}.scales`];
  }
  return tensors;
}

function readHeader(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new BrokenFile("the header is not JSON");
  }
}

// { "layers.0.mlp.expand.weight": t } becomes { layers: { 0: { mlp: { expand: { weight: t } } } } }.
function nest(tensors) {
  const tree = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    const path = name.split(".");
    const last = path.pop();
    path.reduce((part, key) => (part[key] ??= {}), tree)[last] = tensor;
  }
  return tree;
}
