"""Random text for the tokenizers: words, blanks, digits, Chinese, accents, emoji, controls, in any order."""

import random

import pytest

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789²½Ⅷ٣",
    "     \n\t\r\u00a0\u3000\u2009",
    "'.,;:!?()[]{}<>@#$%^&*-_=+/\\|`~\"",
    "的一是不了人我在有他这中大来上国春眠觉晓處聞啼鳥",
    "éèüñçßøÅİıſÆžЖдΩλאبहिไทย한국日本カナ",
    "🙂😀👩‍👩‍👧🇨🇳❤️🏽",
    "，。！？「」《》—…·",
    "\u0301\u0308\u200b\u200d\ufeff\u00ad\x00\x07\x7f",
)
WORDS = ("the", "cat", "that", "chased", "finally", "fell", "I'm", "you're", "it'LL", "don't", "unbelievable")


def random_text(rng: random.Random) -> str:
    """A line of up to 30 runs, each a word or a handful of characters of one kind."""
    runs = []
    for _ in range(rng.randint(1, 30)):
        if rng.random() < 0.4:
            runs.append(rng.choice(["", " ", "  "]) + rng.choice(WORDS))
        else:
            alphabet = rng.choice(ALPHABETS)
            runs.append("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 6))))
    return "".join(runs)


@pytest.fixture(scope="session")
def random_lines() -> list[str]:
    """3,000 lines, the same on every run."""
    rng = random.Random(20240612)
    return [random_text(rng) for _ in range(3000)]
