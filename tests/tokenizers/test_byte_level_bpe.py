"""Byte-level BPE: training, round trips, readable pieces, and bad input."""

import heapq
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from transformer_book.tokenizers import ByteLevelBPE, load_gpt2_tokenizer, train_bpe
from transformer_book.tokenizers.merge_queue import merge_word

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
    message = rf"whole characters; got a lone surrogate U\+{ord(broken):04X} at position {text.index(broken)}"
    for use in (tokenizer.encode, tokenizer.tokens, lambda t: ByteLevelBPE.train(t, 300)):
        with pytest.raises(ValueError, match=message):
            use(text)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: ByteLevelBPE.train("a", 255), ValueError, "vocab_size must .* at least 256"),
        (lambda: ByteLevelBPE.train("a", 300, min_count=0), ValueError, "min_count must be"),
        (lambda: ByteLevelBPE.train(3, 300), TypeError, "text must be a str; got a int"),
        (lambda: ByteLevelBPE([]).encode(b"a"), TypeError, "text must be a str; got a bytes"),
        (lambda: ByteLevelBPE([]).decode([[1]]), TypeError, "ids must be a row of whole numbers"),
        (lambda: ByteLevelBPE([]).decode([1, 256]), ValueError, r"ids\[1\] must be an id from 0 to 255"),
        (lambda: ByteLevelBPE([], special={"<|end|>": 300}), ValueError, "ids of pieces and special must be"),
        (lambda: ByteLevelBPE([], {0: b"a"}, {"<|end|>": 0}), ValueError, "must be the ids 0 to 1"),
        (lambda: ByteLevelBPE([], {0: b"a", 1: b"a"}), ValueError, "pieces must be different byte strings"),
        (lambda: ByteLevelBPE([("a", "b")]), ValueError, "merges must be pairs of byte strings"),
        (lambda: ByteLevelBPE([(b"a", b"b")], {0: b"a", 1: b"b"}), ValueError, "must be one of the pieces"),
    ],
)
def test_the_argument_that_is_wrong_is_named(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


parts = st.text("abc", min_size=1, max_size=4).map(str.encode)


@settings(deadline=None)  # a busy machine takes longer now and then
@given(st.lists(st.tuples(parts, parts), max_size=12, unique=True), st.text("abc", min_size=1, max_size=40))
def test_the_queue_gives_the_pieces_of_the_clear_form(merges, word):
    tokenizer = ByteLevelBPE(merges)
    *_, last = tokenizer.merge_steps(word)
    assert "".join(tokenizer.tokens(word)) == word
    assert merge_word([bytes([b]) for b in word.encode()], tokenizer._rank) == last, (
        "one merge is applied everywhere before the pairs that it makes are looked at"
    )


class CountedRanks(dict):
    """Ranks that count how often they are asked for a pair."""

    asked = 0

    def get(self, pair):
        self.asked += 1
        return super().get(pair)


@pytest.mark.parametrize("letters", ["a", "abcdefghijklmnopqrstuvwxyz", "床前明月光疑是地上霜"])
def test_merging_a_long_word_looks_at_each_pair_a_few_times(letters):
    """A merge changes two pairs; looking at the whole word after each is quadratic, 5 to 28 s for 8,000."""
    ranks = load_gpt2_tokenizer()._rank
    for size in (1000, 8000):
        word = "".join(random.Random(size).choices(letters, k=size)).encode()
        counted = CountedRanks(ranks)
        assert b"".join(merge_word([bytes([b]) for b in word], counted)) == word
        # One look at each pair of bytes, and at most two behind each of fewer than n merges.
        assert counted.asked <= 3 * len(word), f"{counted.asked} looks at a word of {len(word)} bytes"


def test_training_on_one_long_word_touches_each_place_a_few_times(monkeypatch):
    """Counting the whole word again after each merge is quadratic: 34 s for 8,000 letters."""
    pushed = []
    monkeypatch.setattr(
        train_bpe, "heappush", lambda queue, item: (pushed.append(item), heapq.heappush(queue, item))
    )
    for size in (1000, 8000):
        pushed.clear()
        word = "".join(random.Random(size).choices(string.ascii_lowercase, k=size)).encode()
        train_bpe.learn_merges([word], 700, min_count=2)
        # A join removes three pairs and adds two; fewer than n joins are possible in n bytes.
        assert len(pushed) <= 5 * size, f"{len(pushed)} entries for {size} letters"
