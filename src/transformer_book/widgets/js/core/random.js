// Standard normal numbers that Python draws as well: a counter, hashed to 32 bits, then Box and Muller.
// A number depends only on its place (seed, index), so any draw can be made again without those before it.

function hash32(n) {
  let x = n >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

const uniform = (seed, index) => (hash32(hash32(index) + Math.imul(seed, 0x9e3779b9)) + 0.5) / 4294967296;

// Numbers 2i and 2i + 1 of a stream are one pair.
function fillNormals(target, seed, start) {
  for (let i = 0; i < target.length; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform(seed, start + i)));
    const angle = 2 * Math.PI * uniform(seed, start + i + 1);
    target[i] = radius * Math.cos(angle);
    target[i + 1] = radius * Math.sin(angle);
  }
}
