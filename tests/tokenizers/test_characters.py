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


def test_unknown_character_is_named():
    with pytest.raises(ValueError, match="'猫', which the vocabulary lacks"):
        CharacterVocabulary("ab").encode("a猫")


def test_bad_vocabularies():
    with pytest.raises(ValueError, match="an entry twice"):
        CharacterVocabulary("aba")
    with pytest.raises(ValueError, match="'bc', expected single characters"):
        CharacterVocabulary(["a", "bc"])
    with pytest.raises(ValueError, match="lone surrogate"):
        CharacterVocabulary("\ud800")
    with pytest.raises(TypeError, match="special is the str '<pad>', expected names in a list"):
        CharacterVocabulary("ab", special="<pad>")
    with pytest.raises(ValueError, match="special holds an empty name"):
        CharacterVocabulary("ab", special=[""])
    with pytest.raises(ValueError, match=r"ids\[0\] is 5"):
        CharacterVocabulary("ab").decode([5])
