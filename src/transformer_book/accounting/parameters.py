"""Parameters of each part of a model: by formula from its config, and counted from its tensors."""

from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.models import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    TransformerConfig,
    VisionConfig,
)


def count_parameters(module: nn.Module) -> int:
    """Numbers in all parameters of a module; a tensor used in two places (tied weights) counts once."""
    return sum(parameter.numel() for parameter in module.parameters())


def parameter_table(config: TransformerConfig) -> dict[str, int]:
    """Parameters of each part by formula, without making the model.

    Keys: layer.attention, layer.mlp, layer.norms and layer (one of them), layers (all), the embeddings,
    final_norm, heads as the kind has them, total. An encoder-decoder has encoder_layer and decoder_layer
    instead.
    """
    for kind, formula in _TABLES.items():
        if isinstance(config, kind):
            parts = formula(config)
            parts["total"] = sum(count for part, count in parts.items() if not _inside_layer(part))
            return parts
    names = ", ".join(kind.__name__ for kind in _TABLES)
    raise TypeError(must_be("config", f"one of {names}", f"a {type(config).__name__}"))


def counted_parameter_table(model: nn.Module) -> dict[str, int]:
    """The table of `parameter_table`, counted from the tensors of a model (on any device, `meta` too)."""
    parts: dict[str, int] = {}
    for name, module in model.named_children():
        if name.endswith("layers"):
            layer = name.removesuffix("s")
            parts |= _counted_layer(layer, module[0])
            parts[name] = count_parameters(module)
        elif name in ("embedding", "target_embedding"):
            parts |= _counted_embedding(name.removesuffix("embedding"), module)
        else:
            parts[name] = count_parameters(module)
    for name, parameter in model.named_parameters(recurse=False):
        parts[name] = parameter.numel()
    parts = {part: count for part, count in parts.items() if count}
    parts["total"] = count_parameters(model)
    return parts


def attention_parameters(config: TransformerConfig) -> int:
    """4D² + 4D when every head has its own keys and values and D_h = D / H (section 6)."""
    queries = config.num_heads * config.size_of_head
    keys = config.kv_heads * config.size_of_head
    weights = config.dim * (2 * queries + 2 * keys)
    return weights + config.attention_bias * (queries + 2 * keys + config.dim)


def mlp_parameters(config: TransformerConfig) -> int:
    """8D² + 5D for two maps with biases and 4D units (section 7); a gated one has three maps, "none" has 0."""
    if config.mlp == "none":
        return 0
    units, gates = config.size_of_mlp, config.mlp == "swiglu"
    weights = config.dim * units * (2 + gates)
    return weights + config.mlp_bias * (units * (1 + gates) + config.dim)


def norm_parameters(config: TransformerConfig) -> int:
    """2D for LayerNorm, D for RMSNorm."""
    return config.dim * (2 if config.norm == "layer" else 1)


def _layer(config, name, cross_attention=False):
    parts = {
        f"{name}.attention": attention_parameters(config),
        f"{name}.cross_attention": attention_parameters(config) * cross_attention,
        f"{name}.mlp": mlp_parameters(config),
        f"{name}.norms": norm_parameters(config) * (1 + cross_attention + (config.mlp != "none")),
    }
    parts = {part: count for part, count in parts.items() if count}
    parts[name] = sum(parts.values())
    parts[f"{name}s"] = config.num_layers * parts[name]
    return parts


def _embedding(config, vocabulary_size, prefix=""):
    learned = config.positions == "learned"
    return {
        f"{prefix}token_embedding": vocabulary_size * config.dim,
        f"{prefix}position_embedding": config.context_length * config.dim * learned,
        f"{prefix}token_type_embedding": getattr(config, "token_types", 0) * config.dim,
        f"{prefix}embedding_norm": 2 * config.dim * getattr(config, "embedding_norm", False),
    }


def _final_norm(config, name="final_norm"):
    return {name: norm_parameters(config) * (config.norm_placement == "pre")}


def _decoder(config):
    output = {"output": config.vocabulary_size * config.dim * (not config.tie_output)}
    return _nonzero(
        _embedding(config, config.vocabulary_size), _layer(config, "layer"), _final_norm(config), output
    )


def _encoder(config):
    dim, vocabulary = config.dim, config.vocabulary_size
    heads = {
        "pooler": (dim**2 + dim) * config.pooler,
        "masked_lm_head": (dim**2 + dim + 2 * dim + vocabulary) * config.masked_lm_head,
    }
    return _nonzero(_embedding(config, vocabulary), _layer(config, "layer"), _final_norm(config), heads)


def _encoder_decoder(config):
    own = config.target_vocabulary_size
    return _nonzero(
        _embedding(config, config.vocabulary_size),
        {} if own is None else _embedding(config, own, "target_"),
        _layer(config, "encoder_layer"),
        _layer(config, "decoder_layer", cross_attention=True),
        _final_norm(config, "encoder_norm"),
        _final_norm(config, "decoder_norm"),
    )


def _vision(config):
    dim, classes = config.dim, config.num_classes
    before = {
        "patches": config.patch_dim * dim + dim,
        "class_token": dim,
        "positions": (1 + config.num_patches) * dim,
    }
    head = {"head": (dim * classes + classes) if classes else 0}
    return _nonzero(before, _layer(config, "layer"), _final_norm(config), head)


_TABLES = {
    DecoderConfig: _decoder,
    EncoderConfig: _encoder,
    EncoderDecoderConfig: _encoder_decoder,
    VisionConfig: _vision,
}


def _nonzero(*tables):
    return {part: count for table in tables for part, count in table.items() if count}


def _inside_layer(part):
    return part.split(".")[0].endswith("layer")


def _counted_layer(name, layer):
    parts = {
        f"{name}.attention": count_parameters(layer.attention),
        f"{name}.cross_attention": 0
        if layer.cross_attention is None
        else count_parameters(layer.cross_attention),
        f"{name}.mlp": 0 if layer.mlp is None else count_parameters(layer.mlp),
        f"{name}.norms": sum(count_parameters(m) for child, m in layer.named_children() if "norm" in child),
    }
    parts[name] = count_parameters(layer)
    return parts


def _counted_embedding(prefix, embedding):
    names = {
        "token_embedding": embedding.tokens,
        "position_embedding": embedding.positions,
        "token_type_embedding": embedding.token_types,
        "embedding_norm": embedding.norm,
    }
    return {
        f"{prefix}{name}": count_parameters(module) for name, module in names.items() if module is not None
    }
