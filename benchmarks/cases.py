"""The cases of `python -m benchmarks`: forward, training, decoding and attention on the CPU."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from benchmarks import limits
from benchmarks.case import Aim, Case
from benchmarks.peers import TorchGPT2, transformers_generate, transformers_gpt2
from transformer_book.accounting import multiply_adds, peak_memory
from transformer_book.attention import FORMS
from transformer_book.generation import FastDecoder, generate
from transformer_book.models import GPT2_SMALL, Decoder, DecoderConfig, chunked_cross_entropy

TINY = DecoderConfig(vocabulary_size=3000, context_length=128, dim=128, num_layers=4, num_heads=4)


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
    """One step of a small GPT: 4 layers, D = 128, N = 128, batch 32, 3,000 tokens; all with fused AdamW."""
    batch = torch.randint(TINY.vocabulary_size, (32, 129))
    inputs, labels = batch[:, :-1], batch[:, 1:]
    models = {"ours": Decoder(TINY), "ours, loss in chunks": Decoder(TINY), "torch modules": TorchGPT2(TINY)}
    models |= {f"transformers {kind}": transformers_gpt2(TINY, kind) for kind in ("sdpa", "eager")}

    def step(name):
        model = models[name].train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

        def loss():
            if name == "ours, loss in chunks":
                final = model(inputs, logits_at="none").final
                return chunked_cross_entropy(final, model.output_weight, labels) / labels.numel()
            if name.startswith("transformers"):
                logits = model(inputs, use_cache=False).logits
            else:
                logits = model(inputs).logits if name == "ours" else model(inputs)
            return F.cross_entropy(logits.flatten(0, 1), labels.flatten())

        def run():
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()

        return run

    candidates = {name: step(name) for name in models}
    # Forward once, backward twice: each product has two gradients.
    candidates["GEMM"] = limits.gemm(3 * 32 * multiply_adds(TINY, 128).total)
    peers = tuple(name for name in models if not name.startswith("ours"))
    aims = (Aim("ours, loss in chunks", peers, 1.15), Aim("ours", peers, 1.0))
    return Case("Training step, L4 D128 N128 B32 V3000", candidates, aims, unit="step", limits=("GEMM",))


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
