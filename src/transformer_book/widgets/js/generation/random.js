// The numbers that torch.Generator().manual_seed(seed) draws: the Mersenne Twister (Matsumoto and Nishimura, 1998), 53
// bits of two of its words for one double.

const TWISTER_SIZE = 624;

function twisterState(seed) {
  const state = new Uint32Array(TWISTER_SIZE);
  state[0] = seed;
  for (let i = 1; i < TWISTER_SIZE; i += 1) {
    state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
  }
  return state;
}

function twist(state) {
  for (let i = 0; i < TWISTER_SIZE; i += 1) {
    const joined = (state[i] & 0x80000000) | (state[(i + 1) % TWISTER_SIZE] & 0x7fffffff);
    state[i] = state[(i + 397) % TWISTER_SIZE] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
  }
}

function temper(word) {
  let x = word;
  x ^= x >>> 11;
  x ^= (x << 7) & 0x9d2c5680;
  x ^= (x << 15) & 0xefc60000;
  return (x ^ (x >>> 18)) >>> 0;
}

// The first `count` uniform numbers of a seed, at most 312.
function uniformNumbers(seed, count) {
  const state = twisterState(seed);
  twist(state);
  return range(count).map((i) => (temper(state[2 * i]) % 2 ** 21 * 2 ** 32 + temper(state[2 * i + 1])) * 2 ** -53);
}
