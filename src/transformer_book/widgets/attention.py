"""AttentionExplorer: self-attention on a few tokens, with scaling, masks and heads to toggle."""

import numpy as np
import traitlets

from ..equations import attention, causal_mask, queries_keys_values, worked_example
from .explorer import Explorer
from .fallback import matrix_table
from .traits import MOST_TOKENS, Matrix, Tokens

_EXAMPLE = worked_example()


class AttentionExplorer(Explorer):
    """X → Q, K, V → scores → weights → output, every entry in sight (equations 12.1, 12.3, 12.5, 12.8).

    tokens: N strings; X: (D, N), one token per column;
    Omega_q, Omega_k: (D_q, D); Omega_v: (D_v, D), split by rows among `heads`, H, which divides D_q and D_v;
    Omega_c: (D, D_v), the projection of equation 12.8, or [] for none; head: 1 … H, or 0 for all of them;
    scaled: divide the scores by the square root of a head's query size;
    mask: "none", "causal", "padding" (the last `padding` tokens are no keys) or "window" (a query sees its
    own token and the `window` - 1 before it);
    query: the query that is followed, 1 … N.
    Starts with the worked example of section 2. Raises TraitError for values that do not fit together;
    to change several at once, set them within `explorer.hold_trait_notifications()`.
    """

    kind = "attention"
    state_names = (
        "tokens", "X", "Omega_q", "Omega_k", "Omega_v", "Omega_c",
        "heads", "head", "scaled", "mask", "window", "padding", "query",
    )  # fmt: skip

    tokens = Tokens(["dog", "cat", "fell"]).tag(sync=True)
    X = Matrix(_EXAMPLE.X).tag(sync=True)
    Omega_q = Matrix(_EXAMPLE.Omega_q).tag(sync=True)
    Omega_k = Matrix(_EXAMPLE.Omega_k).tag(sync=True)
    Omega_v = Matrix(_EXAMPLE.Omega_v).tag(sync=True)
    Omega_c = Matrix([], optional=True).tag(sync=True)
    heads = traitlets.Int(1, min=1).tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)
    mask = traitlets.Enum(("none", "causal", "padding", "window"), "none").tag(sync=True)
    window = traitlets.Int(2, min=1, max=MOST_TOKENS).tag(sync=True)
    padding = traitlets.Int(1, min=0, max=MOST_TOKENS - 1).tag(sync=True)
    query = traitlets.Int(1, min=1, max=MOST_TOKENS).tag(sync=True)

    @traitlets.validate(*state_names)
    def _check_fit(self, proposal):
        state = {**self.state(), proposal.trait.name: proposal.value}
        # While several traits change together each is checked against the others' new values.
        problem = misfit(**state)
        if problem:
            raise traitlets.TraitError(problem)
        return proposal.value

    @property
    def allowed(self) -> np.ndarray:
        """The mask as booleans (N, N), rows keys, columns queries: True where a query may attend."""
        N = len(self.tokens)
        position = np.arange(N)
        allowed = np.ones((N, N), dtype=bool)
        if self.mask in ("causal", "window"):
            allowed &= causal_mask(N)
        if self.mask == "window":
            allowed &= position[None, :] - position[:, None] < self.window
        if self.mask == "padding":
            allowed &= (position < N - self.padding)[:, None]
        return allowed

    @property
    def steps(self) -> list:
        """`equations.Attention` of each head in view: all H of them, or the one chosen."""
        Q, K, V = queries_keys_values(*map(np.array, (self.X, self.Omega_q, self.Omega_k, self.Omega_v)))
        split = [np.split(matrix, self.heads) for matrix in (Q, K, V)]
        chosen = range(self.heads) if self.head == 0 else [self.head - 1]
        mask = None if self.mask == "none" else self.allowed
        return [attention(*(m[h] for m in split), mask=mask, scaled=self.scaled) for h in chosen]

    @property
    def scores(self) -> np.ndarray:
        """Scores before the mask, scaled if asked for: (N, N), or (H, N, N) for all of several heads."""
        return self._per_head("scores")

    @property
    def weights(self) -> np.ndarray:
        """Attention weights, rows keys, columns queries: (N, N), or (H, N, N) for all of several heads."""
        return self._per_head("weights")

    @property
    def output(self) -> np.ndarray:
        """Output, one token per column: of one head, or of all heads stacked and mixed by Omega_c."""
        stacked = np.concatenate([step.output for step in self.steps])
        return np.array(self.Omega_c) @ stacked if self.head == 0 and self.Omega_c else stacked

    def _per_head(self, name: str) -> np.ndarray:
        found = [getattr(step, name) for step in self.steps]
        return found[0] if len(found) == 1 else np.stack(found)

    def add_token(self, token: str, column) -> None:
        """Append a token with its column of X (D numbers): the scores get a row and a column."""
        column = np.asarray(column, dtype=float)
        if column.shape != (len(self.X),):
            raise ValueError(f"column must hold D = {len(self.X)} numbers; got shape {column.shape}.")
        with self.hold_trait_notifications():
            self.tokens = [*self.tokens, token]
            self.X = np.column_stack([self.X, column])

    def reorder(self, order) -> None:
        """Put the tokens into another order: order lists their present positions, 1 … N."""
        N = len(self.tokens)
        if sorted(order) != list(range(1, N + 1)):
            raise ValueError(f"order must be a permutation of 1 … {N}; got {order!r}.")
        with self.hold_trait_notifications():
            self.tokens = [self.tokens[n - 1] for n in order]
            self.X = np.array(self.X)[:, [n - 1 for n in order]]
            self.query = list(order).index(self.query) + 1

    def fallback(self) -> str:
        """X, the scores, the weights and the output as tables."""
        tables = [matrix_table("X", self.X, columns=self.tokens)]
        factor = f" / √{len(self.Omega_q) // self.heads}" if self.scaled else ""
        for step, number in zip(self.steps, self._numbers(), strict=True):
            masked = np.where(self.allowed, step.scores, -np.inf)
            tables.append(
                matrix_table(f"S{number} = Kᵀ Q{factor}", masked, rows=self.tokens, columns=self.tokens)
            )
            tables.append(matrix_table(f"A{number}", step.weights, rows=self.tokens, columns=self.tokens))
        tables.append(matrix_table("V A", self.output, columns=self.tokens))
        return "\n".join(tables)

    def _numbers(self) -> list[str]:
        if self.heads == 1:
            return [""]
        return [f"<sub>{h}</sub>" for h in (range(1, self.heads + 1) if self.head == 0 else [self.head])]


def misfit(
    *, tokens, X, Omega_q, Omega_k, Omega_v, Omega_c, heads, head, mask, padding, query, **others
) -> str:
    """One sentence on what does not fit in a state of the explorer, or an empty string."""
    N, D, D_q, D_v = len(tokens), len(X), len(Omega_q), len(Omega_v)
    if len(X[0]) != N:
        return f"X must have a column a token, {N}; got {len(X[0])}: set both together, or use add_token."
    for name, Omega in (("Omega_q", Omega_q), ("Omega_k", Omega_k), ("Omega_v", Omega_v)):
        if len(Omega[0]) != D:
            return f"{name} must have D = {D} columns, as X has rows; got {len(Omega[0])}."
        if len(Omega) % heads:
            return f"heads must divide the {len(Omega)} rows of {name}; got {heads}."
    if len(Omega_k) != D_q:
        return f"Omega_k must have as many rows as Omega_q, {D_q}; got {len(Omega_k)}."
    if Omega_c and len(Omega_c[0]) != D_v:
        return f"Omega_c must have {D_v} columns, as Omega_v has rows; got {len(Omega_c[0])}."
    if head > heads:
        return f"head must be 0 (all) or 1 … {heads}; got {head}."
    if mask == "padding" and padding >= N:
        return f"padding must leave a real token: at most {N - 1}; got {padding}."
    if query > N:
        return f"query must be 1 … {N}; got {query}."
    return ""
