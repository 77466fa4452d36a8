"""Decoding with few calls: the same decoder, its weights laid out for one new token at a time.

A step for one token does little arithmetic: it reads every weight once, and each call into torch costs
microseconds. So queries, keys and values become one map, as do gate and expansion, and every map is stored as
(in, out), which a vector times a matrix reads fastest. `Decoder` stays the form to read; this one is tested
to give the same logits.
"""

import torch
import torch.nn.functional as F

from transformer_book.attention import DecoderCache
from transformer_book.attention.inputs import scale_factor
from transformer_book.models import Decoder, DecoderOutput
from transformer_book.positions import Rotation, rotate, rotation


class FastDecoder:
    """A decoder for generation: called like the `Decoder` it is made from, in inference only.

    One new token without padding takes the short way; a prompt or a padded batch goes through the model
    itself. The maps are copied, so the model takes its memory twice, and training it further needs a new
    FastDecoder.
    Raises ValueError for a model whose layers it does not cover: pre-norm, learned or rotary positions, no
    window.
    """

    def __init__(self, model: Decoder):
        config = model.config
        if config.norm_placement != "pre" or config.positions == "sinusoidal" or config.window is not None:
            raise ValueError(
                f"model has {config.norm_placement}-norm, {config.positions} positions and "
                f"window = {config.window}; FastDecoder covers pre-norm, learned or rotary positions, no window"
            )
        self.model, self.config, self.training = model, config, False
        with torch.no_grad():
            self._layers = [_FastLayer(layer, config) for layer in model.layers]
            self._output = model.output_weight.T.contiguous()  # (D, V)
            weight = model.output_weight
            self._rotation = None
            if config.positions == "rotary":
                places = torch.arange(config.context_length, device=weight.device)
                base, pairing = config.rope_base, config.rope_pairing
                self._rotation = rotation(
                    places, config.size_of_head, base=base, pairing=pairing, dtype=weight.dtype
                )

    def new_cache(self, capacity: int | None = None) -> DecoderCache:
        return self.model.new_cache(capacity)

    @torch.no_grad()
    def __call__(
        self,
        tokens: torch.Tensor,
        *,
        mask: torch.Tensor | None = None,
        cache: DecoderCache | None = None,
        logits_at: str = "all",
    ) -> DecoderOutput:
        """Predict the token after each of tokens (B, N), as `Decoder.forward` does."""
        padded = mask is not None or (cache is not None and cache.real is not None)
        if cache is None or padded or tokens.shape[1] != 1:
            return self.model(tokens, mask=mask, cache=cache, logits_at=logits_at)
        return self._step(tokens[:, 0], cache, logits_at)

    def _step(self, tokens, cache, logits_at):
        embedding, place = self.model.embedding, cache.length
        self.model.check_length(place + 1)
        x = F.embedding(tokens, embedding.tokens.weight)  # (B, D)
        if self.config.embedding_scale:
            x = x * self.config.dim**0.5
        if embedding.positions is not None:
            x = x + embedding.positions.weight[place]
        turn = None
        if self._rotation is not None:
            cos, sin = self._rotation.cos[place], self._rotation.sin[place]
            turn = Rotation(cos, sin, self._rotation.pairing)
        for layer, layer_cache in zip(self._layers, cache.layers, strict=True):
            x = layer.step(x, layer_cache, turn)
        final = self.model.final_norm(x)
        logits = None if logits_at == "none" else torch.mm(final, self._output)[:, None]  # (B, 1, V)
        return DecoderOutput(logits, final[:, None])


class _FastLayer:
    """One layer's weights in the layout of a step."""

    def __init__(self, layer, config):
        attention, mlp = layer.attention, layer.mlp
        self.heads, self.kv_heads, self.head_dim = config.num_heads, config.kv_heads, config.size_of_head
        self.scale = scale_factor(config.scale, config.size_of_head)
        self.attention_norm, self.mlp_norm = layer.attention_norm, layer.mlp_norm
        self.into_heads = _joined(attention.query, attention.key, attention.value)
        self.out_of_heads = _joined(attention.output)
        self.gated = config.mlp == "swiglu"
        self.expand = _joined(mlp.gate, mlp.expand) if self.gated else _joined(mlp.expand)
        self.contract = _joined(mlp.contract)
        self.activation = None if self.gated else mlp.activate

    def step(self, x, cache, turn):
        """One token of each text through the layer: x (B, D)."""
        batch, heads, kv_heads = len(x), self.heads, self.kv_heads
        joined = _apply(self.into_heads, self.attention_norm(x))
        joined = joined.view(batch, heads + 2 * kv_heads, self.head_dim)  # queries, keys, values
        if turn is None:
            query, pair = joined[:, :heads], joined[:, heads:]
        else:
            turned = rotate(joined[:, : heads + kv_heads], turn)
            query = turned[:, :heads]
            pair = torch.cat([turned[:, heads:], joined[:, heads + kv_heads :]], dim=1)
        pair = pair.view(batch, 2, kv_heads, self.head_dim).transpose(0, 1)  # (2, B, H_kv, D_h)
        keys, values = cache.append_pair(pair)
        query = query.reshape(batch, kv_heads, heads // kv_heads, self.head_dim)
        mixed = F.scaled_dot_product_attention(query, keys, values, scale=self.scale)
        x = x + _apply(self.out_of_heads, mixed.reshape(batch, -1))
        units = _apply(self.expand, self.mlp_norm(x))
        if self.gated:
            gate, units = units.chunk(2, dim=-1)
            units = F.silu(gate) * units
        else:
            units = self.activation(units)
        return x + _apply(self.contract, units)


def _joined(*maps):
    """Several maps of the same input as one: weight (in, out) and bias (out,) or None."""
    weight = torch.cat([linear.weight for linear in maps]).T.contiguous()
    bias = None if maps[0].bias is None else torch.cat([linear.bias for linear in maps])
    return weight, bias


def _apply(joined, x):
    weight, bias = joined
    return torch.mm(x, weight) if bias is None else torch.addmm(bias, x, weight)
