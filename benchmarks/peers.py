"""The peers: the same models in transformers and out of torch's own modules, with random weights."""

import logging
import warnings

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.models import DecoderConfig

# transformers says at every generation that there is no attention mask, and why the cache is not compiled.
logging.getLogger("transformers").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", message=".*enable_nested_tensor.*")


def transformers_gpt2(config: DecoderConfig, implementation: str):
    """transformers' GPT-2 of the same sizes, attention "sdpa" or "eager"."""
    import transformers

    sizes = transformers.GPT2Config(
        vocab_size=config.vocabulary_size,
        n_positions=config.context_length,
        n_embd=config.dim,
        n_layer=config.num_layers,
        n_head=config.num_heads,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation=implementation,
    )
    return transformers.GPT2LMHeadModel(sizes).eval()


def transformers_generate(model, prompt: torch.Tensor, new_tokens: int, cache: str):
    """Greedy generation of exactly new_tokens tokens with the "dynamic" or the "static" cache."""
    options = {"cache_implementation": "static", "disable_compile": True} if cache == "static" else {}

    def run():
        return model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=new_tokens,
            min_new_tokens=new_tokens,
            do_sample=False,
            pad_token_id=0,
            **options,
        )

    return run


class TorchGPT2(nn.Module):
    """The same decoder out of torch's own encoder layers (pre-norm, causal mask), with its exact GELU."""

    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.tokens = nn.Embedding(config.vocabulary_size, config.dim)
        self.positions = nn.Embedding(config.context_length, config.dim)
        for table in (self.tokens, self.positions):
            # From N(0, 1) the scores grow so large that softmax leaves subnormal numbers, which are slow.
            nn.init.normal_(table.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(
            config.dim,
            config.num_heads,
            4 * config.dim,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(layer, config.num_layers, norm=nn.LayerNorm(config.dim))

    def forward(self, tokens):
        length = tokens.shape[1]
        x = self.tokens(tokens) + self.positions(torch.arange(length))
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        return F.linear(self.layers(x, mask=mask, is_causal=True), self.tokens.weight)
