// Equations 12.1, 12.3, 12.5 and 12.8 on the state of an AttentionExplorer.

// May query n attend to key m? Positions count from 0.
const MASKS = {
  none: () => true,
  causal: (m, n) => m <= n,
  padding: (m, n, { tokens, padding }) => m < tokens.length - padding,
  window: (m, n, { window }) => m <= n && n - m < window,
};

function attendOneHead(Q, K, V, state) {
  const factor = state.scaled ? Math.sqrt(Q.length) : 1;
  const scores = multiply(transpose(K), Q).map((row) => row.map((score) => score / factor));
  const allowed = MASKS[state.mask];
  const masked = scores.map((row, m) => row.map((score, n) => (allowed(m, n, state) ? score : -Infinity)));
  const weights = softmaxColumns(masked);
  return { Q, K, V, scores, masked, weights, output: multiply(V, weights) };
}

// The rows of `matrix` that belong to one of H heads.
const headRows = (matrix, head, heads) => {
  const size = matrix.length / heads;
  return matrix.slice(head * size, (head + 1) * size);
};

function computeAttention(state) {
  const { X, Omega_q, Omega_k, Omega_v, Omega_c, heads } = state;
  const [Q, K, V] = [Omega_q, Omega_k, Omega_v].map((Omega) => multiply(Omega, X));
  const shown = state.head === 0 ? range(heads) : [state.head - 1];
  const attended = shown.map((head) =>
    attendOneHead(...[Q, K, V].map((matrix) => headRows(matrix, head, heads)), state));
  const stacked = attended.flatMap(({ output }) => output);
  const mixed = state.head === 0 && Omega_c.length > 0;
  return { Q, K, V, shown, heads: attended, stacked, output: mixed ? multiply(Omega_c, stacked) : stacked };
}

// Do the matrices of a state fit together?
function checkAttention(state) {
  const { tokens, X, Omega_q, Omega_k, Omega_v, Omega_c, heads, head, padding, query } = state;
  const D = X.length;
  const N = tokens.length;
  const fits = X[0].length === N
    && [Omega_q, Omega_k, Omega_v].every((Omega) => Omega[0].length === D && Omega.length % heads === 0)
    && Omega_q.length === Omega_k.length
    && (Omega_c.length === 0 || Omega_c[0].length === Omega_v.length);
  if (!fits) throw new Problem("shapes");
  if (head > heads) throw new Problem("outside", `head ${head} ∉ [0, ${heads}]`);
  if (padding >= N && state.mask === "padding") throw new Problem("padding", `${padding} ≥ ${N}`);
  if (query > N) throw new Problem("outside", `n = ${query} ∉ [1, ${N}]`);
}
