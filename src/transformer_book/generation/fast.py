"""Decoding with few calls: the same decoder, its weights laid out for one new token at a time.

A step for one token does little arithmetic: it reads every weight once, and each call into torch costs
microseconds. So queries, keys and values become one map, as do gate and expansion, and every map is stored as
(in, out), which a vector times a matrix reads fastest. `Decoder` stays the form to read; this one is tested
to give the same logits.
"""

from functools import partial

import torch
import torch.nn.functional as F

from transformer_book.attention import DecoderCache
from transformer_book.attention.attention_checks import scale_factor
from transformer_book.models import Decoder, DecoderOutput
from transformer_book.models.model_checks import check_cache, check_length, check_logits_at, check_tokens
from transformer_book.positions import RotaryAngles, apply_rotary, rotary_angles
from transformer_book.table_rows import table_rows


class FastDecoder:
    """A decoder for generation: called like the `Decoder` it is made from, in inference only.

    One new token without padding takes the short way; a prompt or a padded batch goes through the model
    itself. The maps are copied, so the model takes its memory twice, and training it further needs a new
    FastDecoder.
    Raises TypeError for what is no `Decoder`, ValueError for one whose layers it does not cover: pre-norm,
    learned or rotary positions or none, no window.
    """

    def __init__(self, model: Decoder):
        if not isinstance(model, Decoder):
            raise TypeError(f"model is a {type(model).__name__}, expected a Decoder")
        config = model.config
        if config.norm_placement != "pre" or config.positions == "sinusoidal" or config.window is not None:
            raise ValueError(
                f"model has {config.norm_placement}-norm, {config.positions} positions and "
                f"window = {config.window}; FastDecoder covers pre-norm, other positions and no window"
            )
        self.model, self.config, self.training = model, config, False
        with torch.no_grad():
            self._layers = [_FastLayer(layer, config) for layer in model.layers]
            self._final_norm = _norm(model.final_norm)
            self._output = model.output_weight.T.contiguous()  # (D, V)
            weight = model.output_weight
            learned = model.embedding.positions
            self._tokens = model.embedding.tokens.weight
            self._positions = None if learned is None else learned.weight
            self._rotary = None
            if config.positions == "rotary":
                places = torch.arange(config.context_length, device=weight.device)
                base, pairing = config.rope_base, config.rope_pairing
                self._rotary = rotary_angles(
                    places, config.size_of_head, base=base, pairing=pairing, dtype=weight.dtype
                )

    def new_cache(self, capacity: int | None = None) -> DecoderCache:
        """An empty key-value cache, as `Decoder.new_cache` makes it."""
        return self.model.new_cache(capacity)

    @torch.no_grad()
    def __call__(
        self,
        tokens: torch.Tensor,
        *,
        padding: torch.Tensor | None = None,
        cache: DecoderCache | None = None,
        logits_at: str = "all",
    ) -> DecoderOutput:
        """Predict the token after each of tokens (B, N), as `Decoder.forward` does."""
        check_tokens(tokens, self._output)
        check_logits_at(logits_at)
        check_cache(cache, len(self._layers), tokens)
        padded = padding is not None or (cache is not None and cache.padding is not None)
        if cache is None or padded or tokens.shape[1] != 1:
            return self.model(tokens, padding=padding, cache=cache, logits_at=logits_at)
        return self._step(tokens[:, 0], cache, logits_at)

    def _step(self, tokens, cache, logits_at):
        place = cache.length
        check_length(place + 1, self.config)
        x = table_rows("tokens", tokens, self._tokens, "vocabulary")  # (B, D)
        if self.config.embedding_scale:
            x = x * self.config.dim**0.5
        if self._positions is not None:
            x = x + self._positions[place]
        angles = None
        if self._rotary is not None:
            cos, sin = self._rotary.cos[place], self._rotary.sin[place]
            angles = RotaryAngles(cos, sin, self._rotary.pairing)
        for layer, layer_cache in zip(self._layers, cache.layers, strict=True):
            x = layer.step(x, layer_cache, angles)
        final = self._final_norm(x)
        logits = None if logits_at == "none" else torch.mm(final, self._output)[:, None]  # (B, 1, V)
        return DecoderOutput(logits, final[:, None])


class _FastLayer:
    """One layer's weights in the layout of a step."""

    def __init__(self, layer, config):
        attention, mlp = layer.attention, layer.mlp
        self.heads, self.kv_heads, self.head_dim = config.num_heads, config.kv_heads, config.size_of_head
        self.scale = scale_factor(config.scale, config.size_of_head)
        self.attention_norm, self.mlp_norm = _norm(layer.attention_norm), _norm(layer.mlp_norm)
        self.into_heads = _joined(attention.query, attention.key, attention.value)
        self.out_of_heads = _joined(attention.output)
        self.gated = config.mlp == "swiglu"
        self.expand = _joined(mlp.gate, mlp.expand) if self.gated else _joined(mlp.expand)
        self.contract = _joined(mlp.contract)
        self.activate = None if self.gated else mlp.activate

    def step(self, x, cache, angles):
        """One token of each text through the layer: x (B, D)."""
        batch, heads, kv_heads = x.shape[0], self.heads, self.kv_heads
        joined = self.into_heads(self.attention_norm(x))
        joined = joined.view(batch, heads + 2 * kv_heads, self.head_dim)  # queries, keys, values
        query, pair = joined.split_with_sizes((heads, 2 * kv_heads), dim=1)
        if angles is not None:
            turned = apply_rotary(joined.narrow(1, 0, heads + kv_heads), angles)
            query, key = turned.split_with_sizes((heads, kv_heads), dim=1)
            pair = torch.cat([key, joined.narrow(1, heads + kv_heads, kv_heads)], dim=1)
        keys, values = cache.append_one(pair)
        # Heads that share keys are rows of one head, so that grouped queries need no copy of the cache.
        query = query.reshape(batch, kv_heads, heads // kv_heads, self.head_dim)
        mixed = F.scaled_dot_product_attention(query, keys, values, scale=self.scale)
        x = x + self.out_of_heads(mixed.reshape(batch, -1))
        units = self.expand(self.mlp_norm(x))
        if self.gated:
            gate, units = units.chunk(2, dim=-1)
            units = F.silu(gate) * units
        else:
            units = self.activate(units)
        return x + self.contract(units)


def _joined(*maps):
    """Several maps of the same input as one function, its weight stored as (in, out)."""
    weight = torch.cat([linear.weight for linear in maps]).T.contiguous()
    if maps[0].bias is None:
        return partial(_times, weight)
    return partial(_times_plus, weight, torch.cat([linear.bias for linear in maps]))


def _times(weight, x):
    return torch.mm(x, weight)


def _times_plus(weight, bias, x):
    return torch.addmm(bias, x, weight)


def _norm(norm):
    """A norm as a plain function: a module's call costs more than the norm of one vector."""
    shape, weight, epsilon = norm.normalized_shape, norm.weight, norm.eps
    if isinstance(norm, torch.nn.RMSNorm):
        return lambda x: torch.rms_norm(x, shape, weight, epsilon)
    bias = norm.bias
    return lambda x: torch.layer_norm(x, shape, weight, bias, epsilon)
