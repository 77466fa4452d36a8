"""The engine that runs the book's models in a page: equal to the library, and what it refuses."""

import base64
import functools
import json
from collections import defaultdict

import numpy as np
import pytest
import torch

from transformer_book.experiments import (
    copying,
    deep_stacks,
    digits,
    forgotten_mask,
    longer_texts,
    masked_poems,
    numerals,
    quatrains,
)
from transformer_book.experiments.head_ablation import ABLATIONS, HeadAblation
from transformer_book.experiments.reviews import PAD, ReviewClassifier
from transformer_book.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    VisionConfig,
    VisionTransformer,
)
from transformer_book.pretrained import MissingPackageError
from transformer_book.pretrained.minilm_8bit import load_minilm_8bit
from transformer_book.recorded import trained
from transformer_book.storage.data_folder import data_folder
from transformer_book.storage.eight_bit import eight_bit_tensors, whole_tensors
from transformer_book.storage.weights import assign_tensors, model_tensors
from transformer_book.widgets import bundle
from transformer_book.widgets.model_files import CHECKPOINTS, checkpoint_file, describe, model_file

PUBLISHED = 1e-5  # of the largest value: what the pages promise against the library in float32
EXACT = 2**-53 * 512 * 24  # of the largest value, both sides in float64: sums of 512 terms, 24 layers

largest_errors = defaultdict(float)  # of a test's values against each tolerance

# Runs a model on the input of its class, and gives every array back as base64 of float64.
RUN = """([file, run, input]) => {
  const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
  const model = openModel(bytes.buffer);
  const found = RUNS[run](model, ...input);
  const text = (x) => {
    const raw = new Uint8Array(Float64Array.from(x.data).buffer);
    let out = "";
    for (let i = 0; i < raw.length; i += 32768) out += String.fromCharCode(...raw.subarray(i, i + 32768));
    return { shape: x.shape, data: btoa(out) };
  };
  const pack = (value) => (value === null || typeof value !== "object" ? value : value.shape ? text(value)
    : Array.isArray(value) ? value.map(pack)
    : Object.fromEntries(Object.entries(value).map(([name, x]) => [name, pack(x)])));
  return pack(found);
}"""
RUNS = """const RUNS = {
  decoder, copying: (model, input) => (({ loss, scores }) => ({ loss, scores }))(copying(model, input)),
  encoder: (model, tokens, real) => encoder(model, tokens, { real }),
  encoderDecoder: (model, source, target, real) => encoderDecoder(model, source, target, { real }),
  vision: visionTransformer, reviews: (model, tokens, real) => reviewClassifier(model, tokens, { real }),
  cached: (model, tokens) => {
    const cache = [];
    const read = (from, to) => decoder(model, tokens.slice(from, to), { cache });
    const parts = [read(0, 3), read(3, 4), read(4)];
    shorten(cache, 5);
    parts.push(read(5));
    return parts;
  },
};"""


@pytest.fixture(autouse=True)
def errors_are_told(request):
    """Print the largest errors of a test, as `pytest -rP` shows them."""
    largest_errors.clear()
    yield
    if largest_errors:
        single, double = (largest_errors[tolerance] for tolerance in (PUBLISHED, EXACT))
        print(f"{request.node.name}: float32 {single:.1e}, float64 {double:.1e} of the largest value")


@pytest.fixture(scope="module")
def engine(browser, patience):
    """`engine(file, run, input)`: what the engine computes on a blank page, arrays as NumPy's."""
    page = browser.new_page()
    page.set_default_timeout(patience)
    tasks = "".join(bundle.source(f"js/model/{name}.js") for name in ("tasks", "circuit"))
    page.add_script_tag(content=bundle.engine_source() + tasks + RUNS)

    def run(file: bytes, name: str, *inputs):
        return unpacked(page.evaluate(RUN, [base64.b64encode(file).decode("ascii"), name, list(inputs)]))

    run.page = page
    yield run
    page.close()


def unpacked(value):
    if isinstance(value, list):
        return [unpacked(entry) for entry in value]
    if isinstance(value, dict) and "shape" in value:
        return np.frombuffer(base64.b64decode(value["data"])).reshape(value["shape"])
    return {name: unpacked(entry) for name, entry in value.items()} if isinstance(value, dict) else value


def assert_near(found, expected, tolerance, what):
    expected = expected.double().numpy()
    assert found.shape == expected.shape, what
    finite = np.isfinite(expected)
    assert (np.isneginf(found) == ~finite).all(), f"{what}: another mask?"
    error = np.abs(found[finite] - expected[finite]).max() / np.abs(expected[finite]).max()
    largest_errors[tolerance] = max(error, largest_errors[tolerance])
    assert error < tolerance, f"{what}: {error:.1e} of the largest value"


def assert_same(found, output, tolerance, attention="attention", theirs=None):
    """Final and hidden vectors, and the scores and weights of every head."""
    assert_near(found["final"], output.final[0], tolerance, "final")
    for number, expected in enumerate(output.hidden):
        assert_near(found["hidden"][number], expected[0], tolerance, f"hidden {number}")
    for number, expected in enumerate(getattr(output, theirs or attention)):
        for part in ("scores", "weights"):
            ours = found[attention][number][part]
            assert_near(ours, getattr(expected, part)[0], tolerance, f"layer {number}, {part}")


def in_both_types(model):
    yield model.float(), PUBLISHED
    yield model.double(), EXACT


SEEN = {"return_hidden": True, "return_weights": True}


def check_decoder(engine, file, model, length=37):
    tokens = torch.randint(model.config.vocabulary_size, (1, length), generator=generator(1))
    found = engine(file, "decoder", tokens[0].tolist())
    for library, tolerance in in_both_types(model):
        with torch.no_grad():
            output = library(tokens, **SEEN)
        assert_same(found, output, tolerance)
        assert_near(found["logits"], output.logits[0], tolerance, "logits")


def check_deep_decoder(engine, file, model):
    check_decoder(engine, file, model, length=model.config.context_length)


def check_encoder(engine, file, model, length=13):
    tokens = torch.randint(model.config.vocabulary_size, (1, length), generator=generator(2))
    real = torch.arange(length)[None] < length - 2
    found = engine(file, "encoder", tokens[0].tolist(), real[0].tolist())
    for library, tolerance in in_both_types(model):
        with torch.no_grad():
            output = library(tokens, padding=real, **SEEN)
        assert_same(found, output, tolerance)
        if output.logits is not None:
            assert_near(found["logits"], output.logits[0], tolerance, "logits")
        if output.pooled is not None:
            assert_near(found["pooled"], output.pooled, tolerance, "pooled")


def check_encoder_decoder(engine, file, model):
    sizes = model.config.vocabulary_size, len(model.output_weight)
    source, target = (
        torch.randint(size, (1, n), generator=generator(n)) for size, n in zip(sizes, (9, 6), strict=True)
    )
    real = torch.arange(9)[None] < 7
    found = engine(file, "encoderDecoder", source[0].tolist(), target[0].tolist(), real[0].tolist())
    for library, tolerance in in_both_types(model):
        with torch.no_grad():
            output = library(source, target, source_padding=real, **SEEN)
        assert_near(found["logits"], output.logits[0], tolerance, "logits")
        assert_near(found["memory"], output.memory[0], tolerance, "memory")
        for ours, theirs in (
            ("attention", "attention"),
            ("crossAttention", "cross_attention"),
            ("encoderAttention", "encoder_attention"),
        ):
            assert_same(found, output, tolerance, ours, theirs)


def check_vision(engine, file, model):
    config = model.config
    shape = (1, config.channels, config.image_size, config.image_size)
    images = torch.rand(shape, generator=generator(4))
    found = engine(file, "vision", images.flatten().tolist())
    for library, tolerance in in_both_types(model):
        with torch.no_grad():
            output = library(images.to(library.class_token.dtype), **SEEN)
        assert_same(found, output, tolerance)
        assert_near(found["logits"], output.logits, tolerance, "logits")


def generator(seed):
    return torch.Generator().manual_seed(seed)


MODELS = {
    "quatrain_gpt": (lambda: Decoder(quatrains.QUATRAIN_GPT), check_decoder, 34),
    "quatrain_bert": (lambda: Encoder(quatrains.QUATRAIN_BERT), check_encoder, 34),
    "numerals": (lambda: EncoderDecoder(numerals.NUMERAL_TRANSLATOR), check_encoder_decoder, None),
    "digits_vit": (lambda: digits.make_vit(0), check_vision, None),
    "digits_vit_no_positions": (lambda: digits.make_vit(0, positions=False), check_vision, None),
    **{
        f"positions_{kind}": (lambda kind=kind: Decoder(longer_texts.config_of(kind)), check_decoder, 70)
        for kind in longer_texts.KINDS
    },
    **{
        f"mask_{name}": (lambda name=name: forgotten_mask.decoder(name == "kept"), check_decoder, 34)
        for name in ("kept", "forgotten")
    },
    **{
        f"copying_{condition}": (
            functools.partial(copying.make_decoder, condition),
            check_decoder,
            copying.LENGTH,
        )
        for condition in copying.CHANGES
    },
    "masked_poems_continued": (
        lambda: masked_poems.two_way(Decoder(quatrains.QUATRAIN_GPT)),
        check_decoder,
        34,
    ),
}
GRIDS = ("positions", "copying", "masked_poems")  # runs of several conditions, a checkpoint each


@pytest.mark.parametrize("name", MODELS)
def test_every_checkpoint_computes_what_the_library_computes(engine, name):
    make, check, length = MODELS[name]
    options = {} if length is None else {"length": length}
    run = next((grid for grid in GRIDS if name.startswith(f"{grid}_")), name)
    condition = name.removeprefix(run).removeprefix("_") or None
    check(engine, checkpoint_file(name), trained(run, make(), condition), **options)


def test_no_checkpoint_is_left_out():
    stored = {path.stem for path in (data_folder() / "checkpoints").glob("*.safetensors")}
    assert MODELS.keys() | {"reviews"} == CHECKPOINTS.keys() == stored
    with pytest.raises(ValueError, match=r"name must be one of .*; got 'gpt5'"):
        checkpoint_file("gpt5")


def test_the_review_classifier_computes_what_the_library_computes(engine):
    model = trained("reviews", ReviewClassifier())
    tokens = torch.randint(2, 500, (1, 23), generator=generator(5))
    tokens[0, 19:] = PAD
    real = (tokens[0] != PAD).tolist()
    found = engine(checkpoint_file("reviews"), "reviews", tokens[0].tolist(), real)
    for library, tolerance in in_both_types(model):
        with torch.no_grad():
            output = library(tokens)
        for name in ("logits", "weights"):
            assert_near(found[name], getattr(output, name), tolerance, name)
        assert_near(found["vectors"], output.vectors[0], tolerance, "vectors")


SIZES = {"dim": 12, "num_layers": 2, "num_heads": 6, "mlp_dim": 20}
SMALL = {**SIZES, "vocabulary_size": 11, "context_length": 40}
FORMS = {
    "llama": (
        Decoder,
        DecoderConfig(
            **SMALL, mlp="swiglu", norm="rms", positions="rotary", num_kv_heads=2, mlp_bias=False,
            attention_bias=False, head_dim=4, tie_output=False, rope_pairing="halves", rope_base=500.0,
        ),
        check_decoder,
    ),
    "attention alone": (Decoder, DecoderConfig(**SMALL, mlp="none"), check_decoder),
    "window": (Decoder, DecoderConfig(**SMALL, window=5, mlp="relu", scale=False), check_decoder),
    "post-norm stack": (Decoder, deep_stacks.deep_decoder("post").config, check_deep_decoder),
    "bert": (Encoder, EncoderConfig(**SMALL, masked_lm_head=True), check_encoder),
    "translator": (
        EncoderDecoder,
        EncoderDecoderConfig(**SMALL, target_vocabulary_size=7, norm_placement="pre", scale=0.3),
        check_encoder_decoder,
    ),
    "vit": (
        VisionTransformer,
        VisionConfig(**SIZES, image_size=6, patch_size=2, num_classes=5, channels=3),
        check_vision,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_the_layer_computes_what_the_library_computes(engine, name):
    kind, config, check = FORMS[name]
    torch.manual_seed(6)
    model = kind(config).eval()
    for parameter in model.parameters():  # no weight is 1 and no bias 0, so that none can be forgotten
        torch.nn.init.normal_(parameter, std=0.6)
    file = model_file(model_tensors(model), describe(config))
    check(engine, file, model)


def test_weights_in_8_bits_compute_what_the_library_computes_with_them(engine):
    kind, config, _ = FORMS["bert"]
    torch.manual_seed(7)
    model = kind(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.6)
    stored = eight_bit_tensors(model_tensors(model))
    assign_tensors(model, whole_tensors(stored, "stored"), "stored")
    check_encoder(engine, model_file(stored, describe(config)), model)


def test_minilm_in_8_bits_computes_what_the_library_computes(engine, tmp_path):
    content = minilm_content()
    (tmp_path / "minilm.safetensors").write_bytes(content)
    model, _ = load_minilm_8bit(tmp_path / "minilm.safetensors")
    check_encoder(engine, content, model)


def minilm_content() -> bytes:
    try:
        return checkpoint_file("minilm")
    except MissingPackageError as error:
        pytest.skip(f"MiniLM is optional: {error}")


@pytest.mark.parametrize(
    "change",
    [lambda t: t.pop("a.weight.scales"), lambda t: t.update({"a.weight.scales": torch.ones(4)})],
    ids=["lost", "another number"],
)
def test_codes_without_their_scales_are_a_broken_file(engine, change):
    tensors = eight_bit_tensors({"a.weight": torch.ones(3, 2)})
    change(tensors)
    assert refusal(engine, model_file(tensors, {"config": {}})) == "BrokenFile"


def test_a_cache_in_parts_gives_the_same_and_can_be_shortened(engine):
    model = trained("positions", Decoder(longer_texts.config_of("rotary")), "rotary").double()
    tokens = torch.randint(model.config.vocabulary_size, (1, 9), generator=generator(7))
    parts = engine(checkpoint_file("positions_rotary"), "cached", tokens[0].tolist())
    with torch.no_grad():
        output = model(tokens, return_weights=True)
    assert_near(np.concatenate([p["logits"] for p in parts[:3]]), output.logits[0], EXACT, "in parts")
    assert_near(parts[3]["logits"], output.logits[0, 5:], EXACT, "after the cache was shortened to 5")
    weights = parts[3]["attention"][-1]["weights"]
    assert_near(weights, output.attention[-1].weights[0, :, 5:], EXACT, "weights with a cache")


@pytest.mark.parametrize("ablation", ABLATIONS)
@pytest.mark.parametrize("deleted", [[], [(1, 4)], [(0, 1), (0, 3), (1, 5)]])
def test_heads_are_deleted_as_in_the_library(engine, ablation, deleted):
    torch.manual_seed(8)
    model = Decoder(DecoderConfig(**SMALL, positions="rotary", num_kv_heads=2)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.6)
    file = model_file(model_tensors(model), describe(model.config))
    tokens, watched = [3, 1, 4, 7, 5] * 2, [(layer, head) for layer in range(2) for head in range(6)]
    library = HeadAblation(model.double(), tokens, period=5, watched=watched)
    expected = library.without_all(deleted)[ablation] if deleted else library.intact
    given = {"tokens": tokens, "period": 5, "deleted": deleted, "ablation": ablation}
    found = engine(file, "copying", given)
    assert found["loss"] == pytest.approx(expected.loss.item(), rel=EXACT), "another replacement"
    scores = np.array(found["scores"]).ravel()
    # The library keeps scores in float32.
    np.testing.assert_allclose(scores, expected.scores[0], rtol=0, atol=2**-23)


def test_every_float16_is_read(engine):
    half = np.arange(65536, dtype=np.uint16).view(np.float16)
    read = np.array(engine.page.evaluate("[...halves].map(String)"), dtype=float)
    np.testing.assert_array_equal(read, half.astype(float))


def broken(change) -> bytes:
    """A checkpoint's file with its header changed."""
    content = checkpoint_file("digits_vit")
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


WHOLE = checkpoint_file("digits_vit")
BROKEN = {
    "empty": b"",
    "cut in the header": WHOLE[:100],
    "cut in the numbers": WHOLE[:-1],
    "a page instead": b"<!doctype html><title>404</title>" + bytes(99),
    "not a number": WHOLE[:-2] + b"\x00\x7e",
    "another type": broken(lambda header: header["class_token"].update(dtype="I16")),
    "another shape": broken(lambda header: header["class_token"].update(shape=[47])),
    "no notes": broken(lambda header: header.pop("__metadata__")),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_refused(engine, what):
    assert refusal(engine, BROKEN[what]) == "BrokenFile"


def refusal(engine, content: bytes) -> str:
    return engine.page.evaluate(
        """(file) => {
          try { openModel(Uint8Array.from(atob(file), (c) => c.charCodeAt(0)).buffer); return "opened"; }
          catch (error) { return error.constructor.name; }
        }""",
        base64.b64encode(content).decode("ascii"),
    )


def test_the_page_draws_the_numbers_of_torch(read):
    page = read().page
    scripts = ("core/linear_algebra", "generation/random")
    page.add_script_tag(content="\n".join(bundle.source(f"js/{name}.js") for name in scripts))
    for seed in (0, 1, 7, 123_456, 2**32 - 1):
        numbers = generator(seed)
        expected = [torch.rand(1, 1, dtype=torch.float64, generator=numbers).item() for _ in range(40)]
        assert page.evaluate("seed => uniformNumbers(seed, 40)", seed) == expected, f"seed {seed}"
