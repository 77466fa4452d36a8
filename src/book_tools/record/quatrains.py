"""The quatrain GPT and the masked language model on the same poems (section 8)."""

from __future__ import annotations

from dataclasses import replace

import torch

from book_tools.record.outcome import Outcome, Training, train_and_measure
from transformer_book.data import load_quatrains
from transformer_book.experiments import quatrains as poems
from transformer_book.models import Decoder, Encoder
from transformer_book.training import TrainingSettings, masked_token_loss, next_token_loss

GPT_SETTINGS = TrainingSettings(steps=900, learning_rate=3e-3, warmup=50)
BERT_SETTINGS = TrainingSettings(steps=1000, learning_rate=2e-3, warmup=100)
TEMPERATURES = (0.5, 0.8, 1.0, 1.2)


def gpt_training(seed: int) -> Training:
    """The GPT on the training poems."""
    torch.manual_seed(seed)
    batches = poems.poem_batches(load_quatrains().train)
    return Training(Decoder(poems.QUATRAIN_GPT), batches, next_token_loss, replace(GPT_SETTINGS, seed=seed))


def gpt(seed: int) -> Outcome:
    """Train the GPT; its loss beside uniform guess and bigrams, and how many samples have the form."""
    return train_and_measure("quatrain_gpt", gpt_training(seed), gpt_values)


def gpt_values(model: Decoder) -> dict:
    """Measure a trained GPT; sampled from a CPU generator, 100 poems at each temperature."""
    data = load_quatrains()
    lines = {line for poem in data.train for line in poems.lines_of(poem)}
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "loss_validation": poems.gpt_loss(model, data.validation),
        "loss_train": poems.gpt_loss(model, data.train[: len(data.validation)]),
        "loss_uniform": poems.uniform_loss(),
        "loss_bigram": poems.bigram_loss(),
        "samples": 100,
    }
    for temperature in TEMPERATURES:
        texts = poems.sample_poems(model, 100, temperature=temperature, seed=0)
        formed = [text for text in texts if poems.has_form(text)]
        copied = sum(line in lines for text in formed for line in poems.lines_of(text))
        values[f"form_{temperature}"] = len(formed)
        values[f"copied_lines_{temperature}"] = copied / max(1, 4 * len(formed))
    return values


def bert_training(seed: int) -> Training:
    """The masked language model: 15 % of the characters, of which 80 % masked, 10 % random, 10 % kept."""
    torch.manual_seed(seed)
    batches = poems.masked_batches(load_quatrains().train)
    return Training(
        Encoder(poems.QUATRAIN_BERT), batches, masked_token_loss, replace(BERT_SETTINGS, seed=seed)
    )


def bert(seed: int) -> Outcome:
    """Train the masked language model; its loss and accuracy on the validation poems."""
    return train_and_measure("quatrain_bert", bert_training(seed), bert_values)


def bert_values(model: Encoder) -> dict:
    """Measure a trained masked language model on the validation poems, masked with seed 0."""
    scores = poems.bert_scores(model, load_quatrains().validation)
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "loss_uniform": poems.uniform_loss(),
        **scores,
    }
