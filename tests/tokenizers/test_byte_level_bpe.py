"""Byte-level BPE: training, round trips, readable pieces, and bad input."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from transformer_book.tokenizers import ByteLevelBPE

SMALL = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"


def trained_by_tokenizers(lines: list[str], vocab_size: int) -> Tokenizer:
    reference = Tokenizer(models.BPE())
    reference.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    reference.train_from_iterator(lines, trainer)
    return reference


def test_training_gives_the_ids_of_the_reference_trainer(random_lines):
    ours = ByteLevelBPE.train(random_lines, 1024)
    reference = trained_by_tokenizers(random_lines, 1024)
    assert len(ours) == reference.get_vocab_size() == 1024
    for line in random_lines:
        assert ours.encode(line) == reference.encode(line).ids, (
            "Other merges than the reference: check the tie-break (lowest ids) and the recount after a merge."
        )


def test_first_merges_by_hand():
    # es and st stand nine times each; e has the lower id, so es goes first.
    merges = ByteLevelBPE.train(SMALL, 259).merges
    assert merges == [(b"e", b"s"), (b"es", b"t"), (b"l", b"o")], (
        "the most frequent pair goes first; among equals the pair with the lowest ids"
    )


def test_training_twice_gives_the_same_merges(random_lines):
    first, second = (ByteLevelBPE.train(random_lines[:200], 400).merges for _ in range(2))
    assert first == second, "Training depends on something besides the text, such as the order of a set."


def test_training_counts_words_over_several_texts():
    parts = SMALL.split(" ")
    spaced = [parts[0]] + [" " + part for part in parts[1:]]
    assert ByteLevelBPE.train(spaced, 270).merges == ByteLevelBPE.train(SMALL, 270).merges


def test_training_stops_when_no_pair_repeats():
    assert len(ByteLevelBPE.train("abcd", 500)) == 256, "a pair that occurs once is not worth a merge"
    assert len(ByteLevelBPE.train("abcd", 500, min_count=1)) == 259


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_makes_the_round_trip(text):
    tokenizer = ByteLevelBPE.train(SMALL, 262)
    assert tokenizer.decode(tokenizer.encode(text), errors="strict") == text


def test_merge_steps_end_in_the_tokens():
    tokenizer = ByteLevelBPE.train(SMALL, 300)
    first, *_, last = tokenizer.merge_steps("lowest")
    assert first == [b"l", b"o", b"w", b"e", b"s", b"t"]
    assert [piece.decode() for piece in last] == tokenizer.tokens("lowest") == ["low", "est"]


def test_merges_never_cross_words():
    tokenizer = ByteLevelBPE.train("a b a b a b a b", 400)
    assert " b a" not in {tokenizer.piece(i) for i in range(len(tokenizer))}
    assert tokenizer.tokens("a b a") == ["a", " b", " a"]


def test_unfinished_characters_are_shown_as_bytes():
    tokenizer = ByteLevelBPE([])
    assert tokenizer.tokens("é中") == ["<C3>", "<A9>", "<E4>", "<B8>", "<AD>"]


def test_decoding_half_a_character():
    tokenizer = ByteLevelBPE([])
    half = tokenizer.encode("中")[:2]
    assert tokenizer.decode(half) == "\ufffd"
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode(half, errors="strict")


def test_special_tokens_only_when_asked():
    tokenizer = ByteLevelBPE([], special={"<|end|>": 256})
    assert tokenizer.encode("a<|end|>", special=True) == [*tokenizer.encode("a"), 256]
    assert 256 not in tokenizer.encode("a<|end|>"), "text typed by a user must not end the document"
    assert tokenizer.decode([256]) == "<|end|>"


@pytest.mark.parametrize("text", ["\ud83d", "ab\ude00c", "\ude42\ud83d"])
def test_lone_surrogate_is_an_error_that_names_it(text):
    tokenizer = ByteLevelBPE([])
    broken = next(c for c in text if 0xD800 <= ord(c) <= 0xDFFF)
    message = rf"lone surrogate U\+{ord(broken):04X} at position {text.index(broken)}"
    for use in (tokenizer.encode, tokenizer.tokens, lambda t: ByteLevelBPE.train(t, 300)):
        with pytest.raises(ValueError, match=message):
            use(text)


def test_bad_arguments():
    with pytest.raises(ValueError, match="vocab_size is 255, expected a whole number of at least 256"):
        ByteLevelBPE.train("a", 255)
    with pytest.raises(ValueError, match="min_count is 0"):
        ByteLevelBPE.train("a", 300, min_count=0)
    for wrong in (b"a", 3):
        with pytest.raises(TypeError, match=f"text must be a str, got {type(wrong).__name__}"):
            ByteLevelBPE.train(wrong, 300)
    with pytest.raises(TypeError, match="text must be a str, got bytes"):
        ByteLevelBPE([]).encode(b"a")
    for wrong in (3, "a", [1.5], [[1]]):
        with pytest.raises(TypeError, match=r"ids is .*, expected a row of whole numbers"):
            ByteLevelBPE([]).decode(wrong)
    with pytest.raises(ValueError, match=r"ids\[1\] is 256, expected an id from 0 to 255"):
        ByteLevelBPE([]).decode([1, 256])
    with pytest.raises(ValueError, match="without a gap"):
        ByteLevelBPE([], special={"<|end|>": 300})
    with pytest.raises(ValueError, match="without a gap"):
        ByteLevelBPE([], {0: b"a"}, {"<|end|>": 0})  # the piece would be lost
    with pytest.raises(ValueError, match="pieces holds a piece twice"):
        ByteLevelBPE([], {0: b"a", 1: b"a"})
    with pytest.raises(ValueError, match=r"merges holds .*, expected pairs of byte strings"):
        ByteLevelBPE([("a", "b")])
    with pytest.raises(ValueError, match="not among the pieces"):
        ByteLevelBPE([(b"a", b"b")], pieces={0: b"a", 1: b"b"})


def test_importing_needs_no_torch():
    code = "import transformer_book.tokenizers, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0, (
        "tokenizers imports torch"
    )
