"""One id a character."""

import pytest

from transformer_book.tokenizers import CharacterVocabulary


def test_round_trip_and_order():
    vocabulary = CharacterVocabulary.of("春眠不觉晓", special=["<pad>", "<end>"])
    assert len(vocabulary) == 7
    assert vocabulary.special == {"<pad>": 0, "<end>": 1}
    ids = vocabulary.encode("不觉春")
    assert vocabulary.decode([0, *ids, 1]) == "不觉春", "special tokens are left out of the text"
    assert vocabulary.tokens("不觉") == ["不", "觉"]
    assert [vocabulary.piece(i) for i in range(2, 7)] == sorted("春眠不觉晓")


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: CharacterVocabulary("ab").encode("a猫"), ValueError, "characters of this vocabulary"),
        (lambda: CharacterVocabulary("aba"), ValueError, "must be different entries; got 'a' twice"),
        (lambda: CharacterVocabulary(["a", "bc"]), ValueError, "must be single characters; got 'bc'"),
        (lambda: CharacterVocabulary("\ud800"), ValueError, "lone surrogate"),
        (lambda: CharacterVocabulary("ab", special="<pad>"), TypeError, "special must be names in a list"),
        (lambda: CharacterVocabulary("ab", special=[""]), ValueError, "special must be names such as <pad>"),
        (lambda: CharacterVocabulary("ab").decode([5]), ValueError, r"ids\[0\] must be an id from 0 to 1"),
    ],
)
def test_the_argument_that_is_wrong_is_named(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()
