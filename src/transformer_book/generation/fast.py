"""Decoding with few calls: the same decoder, its weights laid out for one new token at a time.

A step for one token does little arithmetic: it reads every weight once, and each call into torch costs
microseconds. So queries, keys and values become one map, as do gate and expansion, and every map is stored as
(in, out), which a vector times a matrix reads fastest. `Decoder` stays the form to read; this one is tested
to give the same logits.
"""

import weakref
from functools import partial

import torch
import torch.nn.functional as F

from transformer_book.attention import DecoderCache
from transformer_book.attention.scores import scale_factor
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_choice
from transformer_book.layers.mlp import ACTIVATIONS
from transformer_book.models import Decoder, DecoderOutput
from transformer_book.models.model_checks import LOGITS_AT, check_cache, check_length, check_text
from transformer_book.positions import RotaryAngles
from transformer_book.table_rows import table_rows

POSITIONS = ("learned", "rotary", "none")  # those that a step below knows


class FastDecoder:
    """A decoder for generation: called like the `Decoder` it is made from, in inference only.

    One new token without padding takes the short way; a prompt or a padded batch goes through the model
    itself. The maps are copied, so the model takes its memory twice. A model that was trained on, loaded,
    moved or given other parts is copied again when the next text begins, most changes at the next token.
    Raises TypeError for a model that is not a `Decoder`, ValueError for one whose layers it does not cover
    (pre-norm, learned or rotary positions or none, no window), and in a call while the model drops units out.
    """

    def __init__(self, model: Decoder):
        if not isinstance(model, Decoder):
            raise TypeError(must_be("model", "a Decoder", f"a {type(model).__name__}"))
        config = model.config
        if config.norm_placement != "pre" or config.positions not in POSITIONS or config.window is not None:
            found = f"{config.norm_placement}-norm, {config.positions} positions, window = {config.window}"
            wanted = "of pre-norm, learned, rotary or no positions, and no window"
            raise ValueError(must_be("model", wanted, found))
        self.model = model
        self._last_cache = weakref.ref(model)  # no cache yet
        self._copy_weights()

    def __reduce__(self):
        return FastDecoder, (self.model,)  # the copies are made again

    @property
    def config(self):
        return self.model.config

    @property
    def training(self) -> bool:
        """Whether the model is in training mode; this decoder adds no mode of its own."""
        return self.model.training

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
        model, config = self.model, self.model.config
        if model.training and config.dropout:
            raise ValueError(must_be("the model", "in evaluation mode: call model.eval()", "dropout"))
        one_token = isinstance(tokens, torch.Tensor) and tokens.ndim == 2 and tokens.shape[1] == 1
        short = one_token and padding is None and isinstance(cache, DecoderCache) and cache.padding is None
        if not short:
            return model(tokens, padding=padding, cache=cache, logits_at=logits_at)
        self._follow_model(cache)
        check_text(tokens, None, self._output.device)
        check_choice("logits_at", logits_at, LOGITS_AT)
        check_cache(cache, model, config.num_layers, len(tokens))
        check_length(cache.length + 1, config.context_length)
        with cache.extended_by(model):
            return self._step(tokens[:, 0], cache, logits_at)

    def _follow_model(self, cache):
        """Copy the weights again if they changed since they were copied."""
        # torch's fused optimizers leave no trace on a tensor, so a new text is worth a look at numbers.
        new_text = cache.length == 0 or cache is not self._last_cache()
        if new_text:
            self._last_cache = weakref.ref(cache)
        if self._copied.written_to() or (new_text and self._copied.replaced_or_different()):
            self._copy_weights()

    def _copy_weights(self):
        model, config = self.model, self.model.config
        self._copied = _WeightState(model)
        with torch.no_grad():
            self._layers = [_FastLayer(layer, config) for layer in model.layers]
            self._final_norm = _norm(model.final_norm)
            self._output = model.output_weight.T.contiguous()  # (D, V)
            embedding, every = model.embedding, torch.arange(config.context_length)
            self._tokens = embedding.tokens.weight
            self._positions = None if embedding.positions is None else embedding.positions.weight
            self._rotary = embedding.rotary(every.to(self._tokens.device), self._tokens.dtype)

    def _step(self, tokens, cache, logits_at):
        # torch keeps no books in inference mode, a fifth of a small model's time; what is returned comes
        # from outside of it, for readers who compute on.
        with torch.inference_mode():
            x = self._through_layers(tokens, cache)
        final = self._final_norm(x)
        logits = None if logits_at == "none" else torch.mm(final, self._output)[:, None]  # (B, 1, V)
        return DecoderOutput(logits, final[:, None])

    def _through_layers(self, tokens, cache):
        place = cache.length
        x = table_rows("tokens", tokens, self._tokens)  # (B, D)
        if self.config.embedding_scale:
            x = x * self.config.dim**0.5
        if self._positions is not None:
            x = x + self._positions[place]
        angles = None
        if self._rotary is not None:
            angles = RotaryAngles(self._rotary.cos[place], self._rotary.sin[place], self._rotary.pairing)
        for layer, layer_cache in zip(self._layers, cache.layers, strict=True):
            x = layer.step(x, layer_cache, angles)
        return x


class _WeightState:
    """What a model's parameters were: which ones, where, how often written to, and some of their numbers."""

    def __init__(self, model):
        holders = [
            d for module in model.modules() for d in (vars(module)["_modules"], vars(module)["_parameters"])
        ]
        self.parts = [(holder, name, part) for holder in holders for name, part in holder.items()]
        self.parameters = list(model.parameters())
        self.places = [parameter.data_ptr() for parameter in self.parameters]
        self.versions = [parameter._version for parameter in self.parameters]
        self.views = [_some_numbers(parameter) for parameter in self.parameters]
        self.numbers = torch.cat(self.views)

    def written_to(self):
        """As far as every token has time to look: moved together, or written to by torch's operations."""
        if self.parameters[0].data_ptr() != self.places[0]:
            return True
        return [parameter._version for parameter in self.parameters] != self.versions

    def replaced_or_different(self):
        """The same for parts that were replaced, single parameters that were moved, and numbers."""
        if not all(holder.get(name) is part for holder, name, part in self.parts):
            return True
        moved = [parameter.data_ptr() for parameter in self.parameters] != self.places
        return moved or not torch.equal(torch.cat(self.views), self.numbers)


def _some_numbers(parameter):
    """A view of about 16 numbers of a parameter, from all over it."""
    numbers = parameter.detach()
    numbers = numbers.diagonal() if numbers.ndim == 2 else numbers
    return numbers[:: max(1, len(numbers) // 16)]


class _FastLayer:
    """One layer's weights in the layout of a step."""

    def __init__(self, layer, config):
        attention, mlp = layer.attention, layer.mlp
        self.heads, self.kv_heads, self.head_dim = config.num_heads, config.kv_heads, config.size_of_head
        self.scale = scale_factor(config.scale, config.size_of_head)
        self.attention_norm = _norm(layer.attention_norm)
        self.into_heads = _joined(attention.query, attention.key, attention.value)
        self.out_of_heads = _joined(attention.output)
        self.has_mlp, self.gated = mlp is not None, config.mlp == "swiglu"
        if not self.has_mlp:
            return
        self.mlp_norm = _norm(layer.mlp_norm)
        self.expand = _joined(mlp.gate, mlp.expand) if self.gated else _joined(mlp.expand)
        self.contract = _joined(mlp.contract)
        self.activate = None if self.gated else ACTIVATIONS[config.mlp]

    def step(self, x, cache, angles):
        """One token of each text through the layer: x (B, D)."""
        batch, heads, kv_heads = x.shape[0], self.heads, self.kv_heads
        joined = self.into_heads(self.attention_norm(x))
        joined = joined.view(batch, heads + 2 * kv_heads, self.head_dim)  # queries, keys, values
        query, pair = joined.split_with_sizes((heads, 2 * kv_heads), dim=1)
        if angles is not None:
            turned = angles.turn(joined.narrow(1, 0, heads + kv_heads))
            query, key = turned.split_with_sizes((heads, kv_heads), dim=1)
            pair = torch.cat([key, joined.narrow(1, heads + kv_heads, kv_heads)], dim=1)
        keys, values = cache.append_one(pair)
        # Heads that share keys are rows of one head, so that grouped queries need no copy of the cache.
        query = query.reshape(batch, kv_heads, heads // kv_heads, self.head_dim)
        mixed = F.scaled_dot_product_attention(query, keys, values, scale=self.scale)
        x = x + self.out_of_heads(mixed.reshape(batch, -1))
        if not self.has_mlp:
            return x
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
    """A norm as a plain function of x: a module's call costs more than the norm of one vector."""
    if isinstance(norm, torch.nn.RMSNorm):
        return partial(_rms_norm, norm.normalized_shape, norm.weight, norm.eps)
    return partial(_layer_norm, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _rms_norm(shape, weight, epsilon, x):
    return torch.rms_norm(x, shape, weight, epsilon)


def _layer_norm(shape, weight, bias, epsilon, x):
    return torch.layer_norm(x, shape, weight, bias, epsilon)
