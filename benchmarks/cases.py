"""The cases of `python -m benchmarks`: forward, training, decoding and attention on the CPU."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from benchmarks import limits
from benchmarks.case import Aim, Case
from benchmarks.peers import TorchGPT2, transformers_generate, transformers_gpt2
from transformer_book.accounting import multiply_adds, peak_memory
from transformer_book.attention import FORMS
from transformer_book.experiments.text_stream import window_batches
from transformer_book.generation import FastDecoder, generate
from transformer_book.models import GPT2_SMALL, Decoder, DecoderConfig
from transformer_book.training import TrainingSettings, chunked_next_token_loss, next_token_loss, train

TINY = DecoderConfig(vocabulary_size=3000, context_length=128, dim=128, num_layers=4, num_heads=4)
STEPS = 3  # of one training run in a round


def _quiet(run: Callable) -> Callable:
    return torch.no_grad()(run)


def forward() -> Case:
    """GPT-2 small, 256 tokens, the scores of all positions."""
    tokens = torch.randint(GPT2_SMALL.vocabulary_size, (1, 256))
    ours, torch_own = Decoder(GPT2_SMALL).eval(), TorchGPT2(GPT2_SMALL).eval()
    peers = {f"transformers {kind}": transformers_gpt2(GPT2_SMALL, kind) for kind in ("sdpa", "eager")}
    candidates = {
        "ours": _quiet(lambda: ours(tokens).logits),
        "torch modules": _quiet(lambda: torch_own(tokens)),
    }
    for name, model in peers.items():
        candidates[name] = _quiet(lambda model=model: model(tokens, use_cache=False).logits)
    candidates["GEMM"] = limits.gemm(multiply_adds(GPT2_SMALL, 256).total)
    return Case(
        "Forward, GPT-2 small, N = 256, all logits",
        candidates,
        (Aim("ours", ("torch modules", *peers), 1.10), Aim("ours", ("GEMM",), 0.85)),
        limits=("GEMM",),
    )


def training() -> Case:
    """Steps of a small GPT: 4 layers, D = 128, N = 128, batch 32, 3,000 tokens.

    Ours is `train` itself, optimizer and all; the peers take the steps of a script: a batch drawn, the
    loss, its gradient clipped, fused AdamW.
    """
    batches = window_batches(torch.randint(TINY.vocabulary_size, (100_000,)), 128, batch_size=32)
    settings = TrainingSettings(steps=STEPS, warmup=0, learning_rate=1e-4, progress=False)
    losses = {"ours, loss in chunks": chunked_next_token_loss, "ours": next_token_loss}
    models = {name: Decoder(TINY) for name in losses} | {"torch modules": TorchGPT2(TINY)}
    models |= {f"transformers {kind}": transformers_gpt2(TINY, kind) for kind in ("sdpa", "eager")}

    def script(name):
        model = models[name].train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        options = {"use_cache": False} if name.startswith("transformers") else {}

        def run():
            for step in range(STEPS):
                tokens = batches(torch.Generator().manual_seed(step))["tokens"]
                output = model(tokens[:, :-1], **options)
                logits = output.logits if options else output
                loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                loss.item()
                optimizer.step()

        return run

    candidates = {
        name: lambda name=name: train(models[name], batches, losses[name], settings) for name in losses
    }
    candidates |= {name: script(name) for name in models if name not in losses}
    # Forward once, backward twice: each product has two gradients.
    candidates["GEMM"] = limits.gemm(STEPS * 3 * 32 * multiply_adds(TINY, 128).total)
    peers = tuple(name for name in models if name not in losses)
    aims = (Aim("ours, loss in chunks", peers, 1.25), Aim("ours", peers, 1.0))
    title = "Training step by the loop itself, L4 D128 N128 B32 V3000"
    return Case(title, candidates, aims, unit="step", units=STEPS, limits=("GEMM",))


def _decoding(title, config, prompt_length, new_tokens, aims, limit):
    prompt = torch.randint(config.vocabulary_size, (1, prompt_length))
    model = Decoder(config).eval()
    theirs = transformers_gpt2(config, "sdpa")
    candidates = {}
    for name, form in (("ours", model), ("ours, FastDecoder", FastDecoder(model))):
        candidates[name] = lambda form=form: generate(form, prompt, new_tokens, temperature=0)
    for cache in ("dynamic", "static"):
        candidates[f"transformers {cache} cache"] = transformers_generate(theirs, prompt, new_tokens, cache)
    if limit:
        candidates["read"] = limits.read(sum(p.numel() for p in model.parameters()), new_tokens)
    return Case(title, candidates, aims, unit="token", units=new_tokens, limits=("read",) if limit else ())


def decode() -> Case:
    """GPT-2 small, batch 1: one prompt token, so that every step is a decoding step."""
    fast, dynamic = "ours, FastDecoder", ("transformers dynamic cache",)
    aims = (Aim(fast, dynamic, 1.4), Aim(fast, ("read",), 0.60))
    return _decoding("Decode, GPT-2 small, batch 1", GPT2_SMALL, 1, 16, aims, limit=True)


def decode_tiny() -> Case:
    """A GPT with 4 layers of 128 features, batch 1, 32 tokens: calls cost more than arithmetic."""
    peers = ("transformers dynamic cache", "transformers static cache")
    return _decoding(
        "Decode, L4 D128, 32 tokens", TINY, 1, 32, (Aim("ours, FastDecoder", peers, 3.5),), limit=False
    )


def attention() -> Case:
    """The library's fused attention beside the torch function that it calls: 12 heads x 64, causal."""
    inputs = [torch.randn(1, 12, 1024, 64) for _ in range(3)]
    candidates = {
        "ours, fused": _quiet(lambda: FORMS["fused"](*inputs, causal=True).output),
        "torch SDPA": _quiet(lambda: F.scaled_dot_product_attention(*inputs, is_causal=True)),
    }
    return Case(
        "Attention, 12 x 64, N = 1024, causal", candidates, (Aim("ours, fused", ("torch SDPA",), 0.98),)
    )


def _tiled(length):
    inputs = [torch.randn(1, 12, length, 64) for _ in range(3)]
    runs = {form: _quiet(lambda form=form: FORMS[form](*inputs).output) for form in ("tiled", "written_out")}
    runs["torch SDPA"] = _quiet(lambda: F.scaled_dot_product_attention(*inputs))
    memory = {name: peak_memory(run) for name, run in runs.items()}
    output = inputs[0].numel() * inputs[0].element_size()
    return Case(
        f"Tiled attention, 12 x 64, N = {length}",
        runs,
        (Aim("tiled", ("written_out",), 2.5), Aim("tiled", ("torch SDPA",), 0.5)),
        memory=memory,
        memory_aims={"tiled": 2 * output},
    )


def tiled_4096() -> Case:
    """Tiled attention beside the written-out form and SDPA at 4,096 tokens."""
    return _tiled(4096)


def tiled_8192() -> Case:
    """The same at 8,192 tokens; written out it takes 10 GiB."""
    return _tiled(8192)


CASES = {
    "forward": forward,
    "training": training,
    "decode": decode,
    "decode-tiny": decode_tiny,
    "attention": attention,
    "tiled-4096": tiled_4096,
    "tiled-8192": tiled_8192,
}
