"""`python -m benchmarks.cuda [--out file.json]`: what a CUDA machine should be asked, in under three minutes.

Correctness first (float32 with TF32 off, bfloat16, gradients, the cache), then the times and memory of
attention, of one training step of GPT-2 small in bfloat16, and of decoding, beside transformers' GPT-2 where
it is installed.
With `--device cpu` it rehearses all of that on small sizes.
"""

import argparse
import importlib.util
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

from benchmarks.peers import transformers_generate, transformers_gpt2
from transformer_book.accounting import multiply_adds
from transformer_book.attention import FORMS
from transformer_book.generation import FastDecoder, generate
from transformer_book.models import GPT2_SMALL, SMOLLM2_135M, Decoder, DecoderConfig, chunked_cross_entropy
from transformer_book.storage.files import write_atomically


@dataclass(frozen=True)
class Sizes:
    """How much work: the real sizes on CUDA, a rehearsal on the CPU."""

    model: DecoderConfig
    lengths: tuple[int, ...]
    batch: int
    tokens: int
    new_tokens: int
    repeats: int


CUDA_SIZES = Sizes(GPT2_SMALL, (4096, 8192), 16, 1024, 128, 10)
REHEARSAL = Sizes(
    DecoderConfig(vocabulary_size=307, context_length=64, dim=48, num_layers=2, num_heads=4),
    (96, 160),
    2,
    32,
    6,
    2,
)

HAS_TRANSFORMERS = importlib.util.find_spec("transformers") is not None


class Report:
    """Lines on the screen, numbers for a file, and whether every check held."""

    def __init__(self):
        self.numbers: dict[str, float] = {}
        self.failed: list[str] = []

    def number(self, key: str, value: float, unit: str):
        self.numbers[key] = value
        print(f"  {key:<52} {value:12.4g} {unit}", flush=True)

    def check(self, key: str, difference: float, limit: float):
        held = difference <= limit  # a NaN does not hold
        self.numbers[key] = difference
        print(f"  {key:<52} {difference:12.1e} limit {limit:.0e} {'ok' if held else 'FAILED'}", flush=True)
        if not held:
            self.failed.append(key)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, help="write the numbers as JSON")
    options = parser.parse_args()
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no CUDA device; --device cpu rehearses the script on small sizes")
    report, start = Report(), time.perf_counter()
    print(f"torch {torch.__version__}, {_name(device)}")
    run(device, report)
    report.number("seconds", time.perf_counter() - start, "s")
    if options.out:
        record = {"torch": torch.__version__, "device": _name(device), "numbers": report.numbers}
        write_atomically(options.out, (json.dumps(record, indent=1) + "\n").encode())
    if report.failed:
        raise SystemExit(f"failed: {', '.join(report.failed)}")


def run(device: torch.device, report: Report, sizes: Sizes | None = None):
    """All parts, on the sizes of the device unless given."""
    torch.manual_seed(0)
    torch.backends.fp32_precision = "ieee"
    sizes = sizes or (CUDA_SIZES if device.type == "cuda" else REHEARSAL)
    for part in (forms_agree, models_agree, time_attention, time_training, time_decoding):
        print(part.__doc__.splitlines()[0])
        part(device, report, sizes)
        if device.type == "cuda":
            torch.cuda.empty_cache()


def forms_agree(device, report, sizes):
    """Attention on the device against float64 on the CPU, forwards and backwards"""
    exact = [torch.randn(2, 4, 150, 32, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    real = torch.ones(2, 1, 1, 150, dtype=torch.bool)
    real[1, ..., :9] = False  # so that the first queries of one text see no key at all
    weight = torch.randn(2, 4, 150, 32, dtype=torch.float64)
    expected = FORMS["written_out"](*exact, mask=real, causal=True).output
    expected_grads = torch.autograd.grad((expected * weight).sum(), exact)
    for dtype, limit in ((torch.float32, 1e-5), (torch.bfloat16, 3e-2)):
        for form, attention in FORMS.items():
            inputs = [x.detach().to(device, dtype).requires_grad_() for x in exact]
            output = attention(*inputs, mask=real.to(device), causal=True).output
            grads = torch.autograd.grad((output * weight.to(device, dtype)).sum(), inputs)
            name = f"{form} {str(dtype).removeprefix('torch.')}"
            report.check(f"{name} output", _difference(output, expected), limit)
            worst = max(_difference(got, e) for got, e in zip(grads, expected_grads, strict=True))
            report.check(f"{name} gradients", worst, limit)


def models_agree(device, report, sizes):
    """Models on the device against float64 on the CPU, with and without the cache"""
    llama = DecoderConfig(
        vocabulary_size=211,
        context_length=64,
        dim=48,
        num_layers=3,
        num_heads=6,
        num_kv_heads=2,
        positions="rotary",
        norm="rms",
        mlp="swiglu",
        attention_bias=False,
        mlp_bias=False,
    )
    gpt2 = DecoderConfig(vocabulary_size=211, context_length=64, dim=48, num_layers=3, num_heads=6)
    for name, config in (("gpt2", gpt2), ("llama", llama)):
        model = Decoder(config).double().eval()
        tokens = torch.randint(config.vocabulary_size, (3, 40))
        expected = model(tokens).logits
        model = model.float().to(device)
        on_device = tokens.to(device)
        with torch.no_grad():
            report.check(f"{name} float32", _difference(model(on_device).logits, expected), 1e-5)
            for form in (model, FastDecoder(model)):
                cache, logits = model.new_cache(), []
                for part in (on_device[:, :30], *on_device[:, 30:].split(1, dim=1)):
                    logits.append(form(part, cache=cache).logits)
                got = torch.cat(logits, dim=1)
                report.check(f"{name} {type(form).__name__} with cache", _difference(got, expected), 1e-5)
            half = model.bfloat16()(on_device).logits
            report.check(f"{name} bfloat16", _difference(half, expected), 5e-2)


def time_attention(device, report, sizes):
    """Attention, 12 heads x 64, bfloat16: milliseconds, and memory beyond the inputs"""
    for length in sizes.lengths:
        inputs = [torch.randn(1, 12, length, 64, device=device, dtype=torch.bfloat16) for _ in range(3)]
        for causal in (False, True):
            label = f"N={length}{' causal' if causal else ''}"
            for form, attention in FORMS.items():

                @torch.no_grad()
                def work(attention=attention, inputs=inputs, causal=causal):
                    attention(*inputs, causal=causal)

                report.number(f"{form} {label}", 1000 * _seconds(device, work, sizes.repeats), "ms")
                if device.type == "cuda":
                    report.number(f"{form} {label} memory", _peak_bytes(work) / 2**20, "MiB")

            @torch.no_grad()
            def sdpa(inputs=inputs, causal=causal):
                F.scaled_dot_product_attention(*inputs, is_causal=causal)

            report.number(f"torch SDPA {label}", 1000 * _seconds(device, sdpa, sizes.repeats), "ms")


def time_training(device, report, sizes):
    """One training step of GPT-2 small: float32 weights, bfloat16 products, fused AdamW"""
    config = sizes.model
    batch = torch.randint(config.vocabulary_size, (sizes.batch, sizes.tokens + 1), device=device)
    inputs, labels = batch[:, :-1], batch[:, 1:]
    losses = {
        "loss from all logits": (Decoder, lambda model: _loss(model(inputs).logits, labels)),
        "loss in chunks": (Decoder, lambda model: _loss_in_chunks(model, inputs, labels)),
    }
    if HAS_TRANSFORMERS:
        losses["transformers sdpa"] = (
            lambda config: transformers_gpt2(config, "sdpa"),
            lambda model: _loss(model(inputs, use_cache=False).logits, labels),
        )
    for name, (build, loss_of) in losses.items():
        model = build(config).to(device).train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
        seen = []

        def step(model=model, optimizer=optimizer, loss_of=loss_of, seen=seen):
            optimizer.zero_grad()
            with torch.autocast(device.type, torch.bfloat16):
                loss = loss_of(model)
            loss.backward()
            optimizer.step()
            seen.append(loss.detach())

        seconds = _seconds(device, step, sizes.repeats)
        _finish(report, name, seconds, config, sizes)
        if device.type == "cuda":
            report.number(f"{name}: memory", _peak_bytes(step) / 2**30, "GiB")
        # On one batch over and over the loss has to fall.
        report.check(f"{name}: last loss / first loss", float(seen[-1] / seen[0]), 0.999)
        del model, optimizer, step


def _loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())


def _loss_in_chunks(model, inputs, labels):
    final = model(inputs, logits_at="none").final.bfloat16()
    total = chunked_cross_entropy(final, model.output_weight.bfloat16(), labels, tokens_at_once=4096)
    return total / labels.numel()


def _finish(report, name, seconds, config, sizes):
    tokens = sizes.batch * sizes.tokens
    operations = 6 * multiply_adds(config, sizes.tokens).total * sizes.batch  # forward 2, backward 4
    report.number(f"{name}: step", 1000 * seconds, "ms")
    report.number(f"{name}: tokens a second", tokens / seconds, "1/s")
    report.number(f"{name}: speed (full N x N counted)", operations / seconds / 1e12, "TFLOP/s")


def time_decoding(device, report, sizes):
    """Decoding, batch 1, bfloat16: milliseconds a token"""
    configs = {"gpt2": sizes.model} | ({"smollm2": SMOLLM2_135M} if device.type == "cuda" else {})
    for name, config in configs.items():
        model = Decoder(config).to(device, torch.bfloat16).eval()
        prompt = torch.zeros(1, 1, dtype=torch.long, device=device)
        for form in (model, FastDecoder(model)):

            def work(form=form, prompt=prompt):
                generate(form, prompt, sizes.new_tokens, temperature=0)

            seconds = _seconds(device, work, 3) / sizes.new_tokens
            report.number(f"{name} {type(form).__name__}", 1000 * seconds, "ms/token")
    if HAS_TRANSFORMERS:
        model = transformers_gpt2(sizes.model, "sdpa").to(device, torch.bfloat16)
        work = transformers_generate(model, prompt, sizes.new_tokens, "dynamic")
        seconds = _seconds(device, work, 3) / sizes.new_tokens
        report.number("gpt2 transformers, dynamic cache", 1000 * seconds, "ms/token")


def _difference(got, expected):
    expected = expected.detach()
    return float((got.detach().cpu().double() - expected).abs().max() / expected.abs().max())


def _seconds(device, work: Callable[[], object], repeats: int) -> float:
    """Median seconds of a call, the device waited for; two calls to warm up."""
    seconds = []
    for number in range(repeats + 2):
        _wait(device)
        start = time.perf_counter()
        work()
        _wait(device)
        if number >= 2:
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def _peak_bytes(work: Callable[[], object]) -> int:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    work()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def _wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _name(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


if __name__ == "__main__":
    main()
