"""The generation loop: score the next token, choose it, append it, repeat (section 8)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.generation.sampling import as_generator, check_options, choose
from transformer_book.models import EncoderDecoder
from transformer_book.models.model_checks import check_length, check_text


@dataclass(frozen=True)
class Generation:
    """tokens (B, N + T), the prompt first; new_tokens (B, T); finished (B,), True where a stop token came.

    After its stop token a row is filled up with it. logits (B, T, V) are those each token was chosen from, or
    None.
    """

    tokens: torch.Tensor
    new_tokens: torch.Tensor
    finished: torch.Tensor
    logits: torch.Tensor | None = None


@dataclass(frozen=True)
class Step:
    """One step of the loop: token (B,), the logits (B, V) it was chosen from, finished (B,)."""

    token: torch.Tensor
    logits: torch.Tensor
    finished: torch.Tensor


def generate(
    model,
    prompt: torch.Tensor | Sequence[int],
    max_new_tokens: int,
    *,
    return_logits: bool = False,
    **options,
) -> Generation:
    """Append up to max_new_tokens tokens to a prompt, (N,) or (B, N).

    return_logits: keep the logits that each token was chosen from. Options and errors are those of `stream`.
    """
    prompt = as_batch(prompt)
    steps = list(stream(model, prompt, max_new_tokens, **options))
    new_tokens = torch.stack([step.token for step in steps], dim=1)  # (B, T)
    return Generation(
        torch.cat([prompt.to(new_tokens.device), new_tokens], dim=1),
        new_tokens,
        steps[-1].finished,
        torch.stack([step.logits for step in steps], dim=1) if return_logits else None,
    )


def stream(
    model,
    prompt: torch.Tensor | Sequence[int],
    max_new_tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop_tokens: Sequence[int] = (),
    generator: torch.Generator | int | None = None,
    padding: torch.Tensor | None = None,
    use_cache: bool = True,
) -> Iterator[Step]:
    """Yield one `Step` per generated token, as soon as it is chosen; end when every row met a stop token.

    model: a `Decoder`, a `FastDecoder`, or what `EncoderDecoder.condition` returns. temperature 0 is greedy.
    stop_tokens: ids that end a text. generator: a CPU generator or a seed. padding: boolean (B, N), True at
    real tokens, which end in the last column (`left_pad`).
    use_cache=False computes every position again at each step and gives the same logits.
    Raises ValueError when the text would pass the model's context length, the model drops units out, or an
    option makes no sense; TypeError for a model that generates no text.
    """
    prompt = as_batch(prompt)
    stops = check_call(model, prompt, padding, max_new_tokens, stop_tokens)
    check_options(temperature, top_k, top_p)
    generator = as_generator(generator)
    finished = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    cache = model.new_cache(prompt.shape[1] + max_new_tokens) if use_cache else None
    options = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "generator": generator}
    text, seen = prompt, padding  # what the model reads at the next step
    for _ in range(max_new_tokens):
        # A generator gives control back between steps: no_grad has to end before each yield.
        with torch.no_grad():
            logits = model(text, padding=seen, cache=cache, logits_at="last").logits[:, -1]
            chosen = choose(logits, **options)
            if len(stops):
                chosen = torch.where(finished, text[:, -1], chosen)
                finished = finished | torch.isin(chosen, stops)
        yield Step(chosen, logits, finished)
        if len(stops) and bool(finished.all()):
            return
        if use_cache:
            text, seen = chosen[:, None], None
        else:
            text = torch.cat([text, chosen[:, None]], dim=1)
            seen = None if seen is None else F.pad(seen, (0, 1), value=True)


def left_pad(texts: Sequence[Sequence[int]], pad_token: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Make one batch of texts of different lengths: tokens (B, N) and padding (B, N), True at real tokens.

    Padding goes to the left, so that every text ends in the last column, where the next token is predicted.
    pad_token: what stands at padding. Raises ValueError for an empty text, or one of other things
    than token numbers.
    """
    check_whole("pad_token", pad_token, least=0)
    if not isinstance(texts, Iterable):
        raise TypeError(must_be("texts", "a sequence of texts", f"a {type(texts).__name__}"))
    texts = [_as_text(text) for text in texts]
    if not texts or any(len(text) == 0 for text in texts):
        found = "no text" if not texts else "an empty text"
        raise ValueError(must_be("texts", "of at least 1 token each", found))
    longest = max(len(text) for text in texts)
    tokens = torch.full((len(texts), longest), pad_token)
    padding = torch.zeros(len(texts), longest, dtype=torch.bool)
    for row, text in enumerate(texts):
        tokens[row, longest - len(text) :] = text
        padding[row, longest - len(text) :] = True
    return tokens, padding


def _as_text(text):
    """One text as a tensor of token numbers (N,)."""
    try:
        numbers = torch.as_tensor(text)
    except (TypeError, ValueError, RuntimeError):
        numbers = None
    if (
        numbers is None
        or numbers.ndim != 1
        or (len(numbers) and numbers.dtype not in (torch.int64, torch.int32))
    ):
        wanted = "token numbers (encode a text with its tokenizer)"
        raise ValueError(must_be("each of texts", wanted, repr(text)))
    return numbers


def as_batch(prompt):
    try:
        prompt = torch.as_tensor(prompt)
    except (TypeError, ValueError, RuntimeError):
        wanted = (
            "token numbers, (N,) or (B, N) with rows of one length "
            "(encode a text with its tokenizer, pad texts of different lengths with left_pad)"
        )
        raise ValueError(must_be("prompt", wanted, repr(prompt))) from None
    return prompt[None] if prompt.ndim == 1 else prompt


def check_call(model, prompt, padding, max_new_tokens, stop_tokens):
    """Check a call before the first step; return the stop tokens as a tensor."""
    if not hasattr(model, "new_cache") or isinstance(model, EncoderDecoder):
        wanted = "a Decoder, a FastDecoder or what EncoderDecoder.condition returns"
        raise TypeError(must_be("model", wanted, f"a {type(model).__name__}"))
    check_whole("max_new_tokens", max_new_tokens)
    check_text(prompt, padding, prompt.device, "prompt")
    # The last token is chosen but never read.
    check_length(prompt.shape[1] + max_new_tokens - 1, model.config.context_length, "prompt and new tokens")
    if model.training and model.config.dropout:
        raise ValueError(must_be("the model", "in evaluation mode: call model.eval()", "dropout"))
    if padding is not None and not bool(padding[:, -1].all()):
        wanted = "True in the last column, which generation continues (pad on the left)"
        raise ValueError(must_be("padding", wanted, "padding there"))
    if not isinstance(stop_tokens, Iterable):
        raise TypeError(must_be("stop_tokens", "a sequence of token numbers", repr(stop_tokens)))
    stops = list(stop_tokens)
    for number in stops:
        check_whole("each of stop_tokens", number, least=0)
        if number > (most := torch.iinfo(prompt.dtype).max):
            raise ValueError(must_be("each of stop_tokens", f"at most {most} like {prompt.dtype}", number))
    return torch.tensor(stops, dtype=prompt.dtype, device=prompt.device)
