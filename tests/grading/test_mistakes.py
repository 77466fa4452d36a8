"""Each usual mistake gets its own sentence, and the points that it deserves."""

import pytest

from book_grading import marking
from book_grading.source_notebooks import read_submission

S = "e = np.exp(S - S.max(axis=0)); return e / e.sum(axis=0)"
ROWS = "def softmax(S):\n    e = np.exp(S); return e / e.sum(axis=1, keepdims=True)"
ATTENTION = (
    "def self_attention(X, Oq, Ok, Ov, bq, bk, bv):\n"
    "    Q, K, V = Oq @ X + bq[:, None], Ok @ X + bk[:, None], Ov @ X + bv[:, None]\n    "
)
SCALED = "def scaled_attention(Q, K, V):\n    w = softmax({}); return V @ w, w"
CAUSAL = "def causal_weights(S):\n    m, n = np.arange(len(S))[:, None], np.arange(len(S))\n    "
CODES = (
    "def sinusoidal(D, N):\n    f = 10000.0 ** (-2 * np.arange(D // 2) / D); p = np.arange(N)\n"
    "    s, c = np.sin(f[:, None] * p), np.cos(f[:, None] * p)\n    "
)
ROPE = (
    "def rope(Q):\n    D, N = Q.shape; f = 10000.0 ** (-2 * np.arange(D // 2) / D); n = np.arange(N){}\n"
    "    c, s = np.cos(f[:, None] * n), {}np.sin(f[:, None] * n)\n    a, b = {}\n"
    "    return np.{}([c * a - s * b, s * a + c * b]{}).reshape(D, N)"
)
HEADS = (
    "def multi_head(X, Oq, Ok, Ov, Oc, bc, H):\n"
    "    D = len(X); Q, K, V = (np.split(O @ X, H) for O in (Oq, Ok, Ov))\n"
    "    heads = np.concatenate([V[h] @ softmax(K[h].T @ Q[h] / {}) for h in range(H)])\n    return {}"
)
CACHE = (
    "def cached_step(x, cache, Oq, Ok, Ov):\n"
    "    K, V = np.column_stack([cache['K'], Ok @ x]), np.column_stack([cache['V'], Ov @ x])\n    {}\n"
    "    return {}, {{'K': K, 'V': V}}"
)
STEP = CACHE.replace("{{", "{").replace("}}", "}").split("    {}")[0] + (
    "    w = softmax(K.T @ (Oq @ x)[:, None] / np.sqrt(len(K))); out = (V @ w)[:, 0]\n    "
)
KEPT = (  # the inputs seen so far in a list of the student's own, emptied where the cache is
    "seen = []\ndef cached_step(x, cache, Oq, Ok, Ov):\n"
    "    if cache['K'].shape[1] == 0: seen.clear()\n"
    "    seen.append(x); X = np.stack(seen, axis=1) if cache['K'].shape[1] + 1 == len(seen) else x[:, None]\n"
    "    K, V = Ok @ X, Ov @ X; w = softmax(K.T @ (Oq @ x)[:, None] / np.sqrt(len(K)))\n"
    "    return (V @ w)[:, 0], {'K': K, 'V': V}"
)
COUNT = "def count_parameters(V, D, L, N):\n    return V * D + N * D + L * (12 * D**2 + 13 * D) + 2 * D {}"

CODE = [
    ("softmax", ROWS, 0, "沿着行"),
    ("softmax", "def softmax(S):\n    e = np.exp(S); return e / e.sum()", 0, "整个矩阵"),
    ("softmax", "def softmax(S):\n    e = np.exp(S); return e / e.sum(axis=0)", 3, "溢出"),
    ("softmax", "def softmax(S):\n    return np.exp(S)", 0, "除以和"),
    ("attention", ATTENTION + "return V @ softmax((K.T @ Q).T).T", 0, "沿着行"),
    ("attention", ATTENTION + "return V @ softmax(Q.T @ K)", 0, "用反了"),
    ("attention", ATTENTION + "return V @ softmax(K.T @ Q / np.sqrt(len(Q)))", 0, "不除以"),
    ("attention", ATTENTION + "V = Ov @ X; return V @ softmax(K.T @ Q)", 1, "漏了值的偏置"),
    ("attention", ATTENTION + "return (V @ softmax(K.T @ Q)).T", 0, "形状应当是"),
    ("scaled", SCALED.format("K.T @ Q"), 0, "没有缩放"),
    ("scaled", SCALED.format("K.T @ Q / len(Q)"), 0, "平方根"),
    ("scaled", SCALED.format("K.T @ Q / np.sqrt(len(V))"), 1, "值的维数"),
    ("scaled", SCALED.format("K.T @ Q / np.sqrt(K.shape[1])"), 0, "词元数"),
    ("scaled", SCALED.format("K.T @ Q / np.sqrt(len(Q))").replace("V @ w, w", "V @ w.T, w"), 2, "输出"),
    ("causal", CAUSAL + "return softmax(S) * (m <= n)", 0, "softmax 之前"),
    ("causal", CAUSAL + "return softmax(np.where(m >= n, S, -np.inf))", 0, "方向反了"),
    ("causal", CAUSAL + "return softmax(np.where(m <= n + 1, S, -np.inf))", 0, "看到了 n + 1"),
    ("causal", CAUSAL + "w = softmax(np.where(m < n, S, -1e30)); return w * (m < n)", 0, "它自己"),
    ("causal", CAUSAL + "return softmax(S * (m <= n))", 0, "−∞"),
    ("causal", CAUSAL + "return softmax(S)", 0, "没有施加掩码"),
    (
        "sinusoidal",
        CODES.replace("arange(N)", "arange(1, N + 1)") + "return np.stack([s, c], 1).reshape(D, N)",
        0,
        "差了一个位置",
    ),
    ("sinusoidal", CODES + "return np.concatenate([s, c])", 0, "交错排列"),
    ("sinusoidal", CODES + "return np.stack([c, s], 1).reshape(D, N)", 0, "次序反了"),
    ("sinusoidal", CODES.replace("-2 *", "-1 *") + "return np.stack([s, c], 1).reshape(D, N)", 0, "i/D"),
    ("sinusoidal", CODES + "return np.stack([s, c], 1).reshape(D, N).T", 0, "转置"),
    ("rope", ROPE.format(" + 1", "", "Q[0::2], Q[1::2]", "stack", ", 1"), 1, "差了一个位置"),
    ("rope", ROPE.format("", "-", "Q[0::2], Q[1::2]", "stack", ", 1"), 1, "方向反了"),
    ("rope", ROPE.format("", "", "Q[: D // 2], Q[D // 2 :]", "concatenate", ""), 2, "前一半"),
    ("rope", "def rope(Q):\n    return Q", 1, "没有旋转"),
    ("heads", HEADS.format("np.sqrt(D)", "Oc @ heads + bc[:, None]"), 1, "√D"),
    ("heads", HEADS.format("1", "Oc @ heads + bc[:, None]"), 1, "没有缩放"),
    ("heads", HEADS.format("np.sqrt(D / H)", "heads + bc[:, None]"), 1, "输出投影"),
    ("heads", HEADS.format("np.sqrt(D / H)", "Oc @ heads"), 1, "β_c"),
    ("count", COUNT.format("+ V * D"), 0, "复用词嵌入"),
    ("count", COUNT.format("- N * D"), 0, "位置嵌入"),
    ("count", COUNT.format("- 2 * D"), 0, "最后的层归一化"),
    ("count", COUNT.format("- L * 9 * D"), 0, "偏置"),
    (
        "cache",
        CACHE.format(
            "s = K[:, :-1].T @ (Oq @ x)[:, None] / np.sqrt(len(K)); w = softmax(s) if len(s) else s",
            "(V[:, :-1] @ w)[:, 0]",
        ),
        2,
        "它自己",
    ),
    ("cache", CACHE.format("w = softmax(K.T @ (Oq @ x)[:, None])", "(V @ w)[:, 0]"), 2, "没有缩放"),
    ("cache", CACHE.format("", "V[:, -1]"), 2, "只关注了它自己"),
    ("cache", STEP + "cache['K'], cache['V'] = K, V\n    return out, cache", 4, "你改动了传进来的缓存"),
    ("cache", KEPT, 4, "没有用传进来的缓存"),
    ("cache", STEP + "return out", 0, "应当返回一对"),
    ("cache", STEP + "return {'K': K, 'V': V}, out", 0, "第二个返回值应当是新的缓存"),
    ("softmax", "def softmax(S):\n    e = np.exp(S - S.max(axis=0)); e / e.sum(axis=0)", 0, "漏了 return"),
    (
        "softmax",
        "def softmax(S):\n    S = S - S.max(axis=0); return S - np.log(np.exp(S).sum(axis=0))",
        0,
        "softmax 的对数",
    ),
    (
        "softmax",
        "def softmax(S):\n    e = np.exp(S - S.max(axis=1, keepdims=True)); return e / e.sum(axis=0)",
        1,
        "每一行的最大值",
    ),
    ("scaled", SCALED.format("K.T @ Q / np.sqrt(len(Q))").replace("V @ w, w", "V @ w"), 0, "应当返回一对"),
    ("scaled", SCALED.format("K.T @ Q / np.sqrt(len(Q))").replace("V @ w, w", "w, V @ w"), 0, "次序反了"),
    (
        "causal",
        CAUSAL + "return softmax(np.where(np.triu(np.ones_like(S), k=1) > 0, S, -1e9))",
        0,
        "差了一个",
    ),
    ("causal", CAUSAL + "return softmax(S - 1e9 * np.tril(np.ones_like(S)))", 0, "差了一个位置"),
    (
        "sinusoidal",
        "def sinusoidal(D, N):\n    d, p = np.arange(D)[:, None], np.arange(N)\n"
        "    return np.where(d % 2, np.cos(p / 10000 ** (d / D)), np.sin(p / 10000 ** (d / D)))",
        0,
        "你用了 d/D",
    ),
    (
        "rope",
        "def rope(Q):\n    D, N = Q.shape; f = 10000.0 ** (-2 * np.arange(D // 2) / D); n = np.arange(N)\n"
        "    c, s = np.cos(f[:, None] * n), np.sin(f[:, None] * n)\n"
        "    Q[0::2] = c * Q[0::2] - s * Q[1::2]; Q[1::2] = s * Q[0::2] + c * Q[1::2]; return Q",
        0,
        "原地改 Q",
    ),
    ("count", COUNT.format("- L * 5 * D"), 0, "MLP 的偏置"),
    ("count", COUNT.format("- L * 4 * D"), 0, "两个层归一化"),
]

HAND = [
    ("1", "scores_2, weights_2, output_2 = (2, 2, 4), (0.107, 0.107, 0.787), (0.893, 0.893)", 1, "第 2 行"),
    ("1", "scores_2, weights_2, output_2 = (0, 2, 2), (0, 0.5, 0.5), (0.5, 1)", 2, "取指数"),
    ("1", "scores_2, weights_2, output_2 = (0, 2, 2), (0.108, 0.446, 0.446), (0.554, 0.892)", 2, "不除以"),
    ("1", "scores_2, weights_2, output_2 = (0, 2, 2), (0.063, 0.468, 0.468), (0.531, 0.936)", 4, ""),
    ("2", "parameters_2, growth_2 = 327680, 2", 0, "偏置"),
    ("2", "parameters_2, growth_2 = 98496, 1", 1, "值的维数"),
    ("2", "parameters_2, growth_2 = ..., 1", 1, "还没有作答"),
    ("2", "parameters_2, growth_2 = {328320}, 1", 1, "parameters_2：TypeError"),
    ("3", "before_3, after_3 = 128, 1", 1, "方差"),
    ("3", "before_3, after_3 = 11.3, 0.088", 1, "不是 D_q"),
    (
        "5",
        "causal_2, causal_3, changed_3 = (0.063, 0.468, 0), (0.013, 0.265, 0.721), False",
        2,
        "softmax 之前",
    ),
    ("5", "causal_2, causal_3, changed_3 = (1, 0, 0), (0.018, 0.982, 0), True", 0, "差了一个位置"),
    ("5", "causal_2, causal_3, changed_3 = [0.119, 0.881, 0], [0.013, 0.265, 0.721], False", 4, ""),
    ("6", "parameters_6 = 12_596_224", 0, "层数"),
    ("6", "parameters_6 = 24 * 12 * 1024**2", 0, "13D"),
    ("7", "tokens_7, growth_7 = 256, 1.306", 1, "平方"),
    ("7", "tokens_7, growth_7 = 16, 1.71", 2, "一条边"),
    ("8", "code_8 = (0.0175, 0.9998, 0.0002, 1)", 0, "弧度"),
    ("8", "code_8 = (0.841, 0.540, 0.0998, 0.995)", 1, "2i/D"),
    ("8", "code_8 = (0.841, 0.010, 0.540, 1.000)", 0, "交错"),
    ("9", "maps_9, scores_9, mixing_9, growth_9 = 3 * 256 * 64**2, 65536, 65536, 2", 1, "N²"),
    ("10", "cache_10, step_10 = 18874368, 18432", 0, "键和值都要保存"),
]

FORWARD = (
    "def forward(tokens, parameters):\n"
    "    q, k = tokens[:, -1] @ parameters['W_q'], tokens[:, :-1] @ parameters['W_k']\n"
    "    v = tokens[:, :-1] @ parameters['W_v']\n"
    "    w = (torch.einsum('bd,bnd->bn', q, k) / q.shape[1] ** 0.5).softmax(1)\n    "
)

PROJECT = [
    (
        "loss",
        "def loss(logits, targets):\n"
        "    return torch.nn.functional.cross_entropy(logits, targets, reduction='sum')",
        0,
        "求了和",
    ),
    (
        "loss",
        "def loss(logits, targets):\n    p = logits.exp() / logits.exp().sum(1, keepdim=True)\n"
        "    return -p[torch.arange(len(p)), targets].log().mean()",
        2,
        "溢出",
    ),
    (
        "loss",
        "def loss(logits, targets):\n"
        "    return torch.nn.functional.cross_entropy(logits.softmax(1), targets)",
        1,
        "两遍",
    ),
    (
        "probe",
        "def probe(tokens, places, parameters):\n"
        "    return forward(tokens, parameters)[1].max(dim=1).values.mean()",
        1,
        "最大的权重",
    ),
    (
        "uniform",
        "def uniform_accuracy(tokens, targets, parameters):\n"
        "    return (forward(tokens, parameters)[0].argmax(1) == targets).float().mean()",
        1,
        "没有换成",
    ),
    (
        "train",
        "def train(tokens, targets):\n    torch.manual_seed(0); F = KEYS + VALUES\n"
        "    return {'W_q': torch.randn(F, 4), 'W_k': torch.randn(F, 4), 'W_v': torch.zeros(F, VALUES)}",
        0,
        "乱猜",
    ),
    (
        "train",
        "def train(tokens, targets):\n    keys = 20 * torch.eye(KEYS + VALUES)[:, :KEYS]\n"
        "    return {'W_q': keys, 'W_k': keys, 'W_v': torch.eye(KEYS + VALUES)[:, KEYS:]}",
        0,
        "乱猜",
    ),
    ("forward", FORWARD + "return torch.einsum('bn,bnv->bv', w, v)", 0, "应当返回一对"),
    ("forward", FORWARD + "return w, torch.einsum('bn,bnv->bv', w, v)", 0, "次序反了"),
]


def judged(makers, in_process, name, item, source):
    """Mark one answer of an otherwise perfect submission and return its row."""
    maker = makers[name]
    submission = read_submission(maker.data({f"answer-{item}": source}))
    result = marking.mark(maker.assignment, submission, in_process)
    return next(row for row in result["items"] if row["id"] == f"test-{item}")


@pytest.mark.parametrize(
    ("name", "item", "source", "points", "said"),
    [(name, *row) for name, rows in (("code", CODE), ("hand", HAND), ("project", PROJECT)) for row in rows],
)
def test_a_usual_mistake_is_named(makers, in_process, name, item, source, points, said):
    row = judged(makers, in_process, name, item, source)
    assert said in " ".join(row["messages"]), f"the feedback does not name the mistake: {row}"
    assert row["points"] == points, row


@pytest.mark.parametrize("name", ["hand", "code", "project"])
def test_the_blank_student_version_gets_nothing(makers, in_process, name):
    maker = makers[name]
    result = marking.mark(maker.assignment, read_submission(maker.data(solved=False)), in_process)
    assert {row["points"] for row in result["items"]} == {0}
    assert {row["state"] for row in result["items"]} == {"blank"}, (
        "an untouched paper must not look like a wrong one"
    )
    assert {row["text"] for row in result["derivations"]} <= {""}, "the stub is no derivation"
