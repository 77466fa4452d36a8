"""The Vision Transformer gives the logits of transformers' ViT."""

import pytest
import torch
import transformers

from transformer_book.models import VIT_B16, VisionConfig, VisionTransformer, image_patches

CONFIG = VisionConfig(
    image_size=12,
    patch_size=4,
    channels=3,
    num_classes=7,
    dim=24,
    num_layers=2,
    num_heads=4,
    mlp_dim=40,
    norm_epsilon=1e-12,
)
NAMES = {
    "patches": "vit.embeddings.patch_embeddings.projection",
    "final_norm": "vit.layernorm",
    "head": "classifier",
    "attention_norm": "layernorm_before",
    "attention.query": "attention.q_proj",
    "attention.key": "attention.k_proj",
    "attention.value": "attention.v_proj",
    "attention.output": "attention.o_proj",
    "mlp_norm": "layernorm_after",
    "mlp.expand": "mlp.fc1",
    "mlp.contract": "mlp.fc2",
}
SHAPES = {
    "vit.embeddings.cls_token": (1, 1, 24),
    "vit.embeddings.position_embeddings": (1, 10, 24),
    "vit.embeddings.patch_embeddings.projection.weight": (24, 3, 4, 4),
}


def reference(dtype):
    config = transformers.ViTConfig(
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=40,
        image_size=12,
        patch_size=4,
        num_labels=7,
        layer_norm_eps=1e-12,
    )
    return transformers.ViTForImageClassification(config).to(dtype).eval()


def its_name(name):
    if name == "class_token":
        return "vit.embeddings.cls_token"
    if name == "positions.weight":
        return "vit.embeddings.position_embeddings"
    module, leaf = name.rsplit(".", 1)
    pieces = module.split(".")
    if pieces[0] == "layers":
        return f"vit.layers.{pieces[1]}.{NAMES['.'.join(pieces[2:])]}.{leaf}"
    return f"{NAMES[module]}.{leaf}"


def test_logits_equal_the_reference(dtype, device, randomise, assert_same):
    ours, theirs = randomise(VisionTransformer(CONFIG).to(dtype)), reference(dtype)
    state = {its_name(name): tensor for name, tensor in ours.state_dict().items()}
    theirs.load_state_dict({name: t.reshape(SHAPES.get(name, t.shape)) for name, t in state.items()})
    images = torch.randn(3, 3, 12, 12, dtype=dtype, device=device)
    logits = ours.to(device)(images).logits
    likely = "order of numbers in a patch, class token last, or positions shifted by one"
    assert_same(logits, theirs.to(device)(images).logits, likely)


def test_patches_go_row_by_row():
    images = torch.arange(2 * 4 * 6).reshape(1, 2, 4, 6)  # 2 channels, 4 rows, 6 columns
    patches = image_patches(images, 2)
    assert patches.shape == (1, 6, 8)
    assert patches[0, 0].tolist() == [0, 1, 6, 7, 24, 25, 30, 31], "channel, row, column inside a patch"
    assert patches[0, 1].tolist() == [2, 3, 8, 9, 26, 27, 32, 33], "the next patch lies to the right"


def test_the_published_model_reads_197_tokens():
    with torch.device("meta"):
        model = VisionTransformer(VIT_B16)
        seen = model(torch.empty(1, 3, 224, 224))
    assert (VIT_B16.num_patches, VIT_B16.patch_dim) == (196, 768)
    assert seen.final.shape == (1, 197, 768)
    assert seen.logits.shape == (1, 1000)


def test_a_model_without_a_head():
    config = VisionConfig(image_size=8, patch_size=4, num_classes=0, dim=6, num_layers=1, num_heads=2)
    assert VisionTransformer(config)(torch.ones(2, 3, 8, 8)).logits is None


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        (lambda: VisionTransformer(CONFIG)(torch.ones(1, 3, 12, 11)), ValueError, r"\(B, 3, 12, 12\); got"),
        (lambda: VisionTransformer(CONFIG)(torch.ones(1, 3, 12, 12).half()), ValueError, "like the weights"),
        (lambda: image_patches([[0.0]], 2), TypeError, "images must be a torch tensor"),
        (lambda: image_patches(torch.ones(1, 3, 12, 12), 0), ValueError, "patch_size must be"),
        (lambda: image_patches(torch.ones(1, 3, 12, 10), 3), ValueError, "width .* a multiple"),
        (lambda: VisionConfig(**{**CONFIG.__dict__, "patch_size": 5}), ValueError, "image_size must"),
    ],
)
def test_images_that_do_not_fit_are_named(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()
