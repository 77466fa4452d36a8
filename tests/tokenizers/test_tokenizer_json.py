"""Published tokenizer.json files: the ids of the package tokenizers, and what this library does not read."""

import json

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers, trainers

from transformer_book.storage.files import CorruptFileError
from transformer_book.tokenizers import load_tokenizer_json

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
KINDS = {
    "gpt2": BYTES,
    "smollm2": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), BYTES]),
    "digits": pre_tokenizers.Sequence([pre_tokenizers.Digits(), BYTES]),
    "llama3": pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    ),
}


def reference(lines, pre_tokenizer) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False)
    )
    tokenizer.add_special_tokens([AddedToken("<|end|>", special=True)])
    return tokenizer


@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_ids(kind, tmp_path, random_lines):
    lines = random_lines[:600]
    judge = reference(lines, KINDS[kind])
    judge.save(str(tmp_path / "tokenizer.json"))
    ours = load_tokenizer_json(tmp_path / "tokenizer.json")
    assert len(ours) == judge.get_vocab_size()
    for line in [*lines, "one<|end|> two<|end|>"]:
        assert ours.encode(line, special=True) == judge.encode(line).ids, line
        assert ours.decode(ours.encode(line)) == line


def test_whole_words_before_merges(tmp_path):
    """Llama 3's ignore_merges: a word that is a piece is taken, even where merges would not reach it."""
    judge = reference(["ab ab abc"], BYTES)
    content = json.loads(judge.to_str())
    content["model"] |= {"ignore_merges": True, "merges": []}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    ours, judge = load_tokenizer_json(tmp_path / "tokenizer.json"), Tokenizer.from_str(json.dumps(content))
    for text in ("ab abc cab", " ab"):
        assert ours.encode(text) == judge.encode(text).ids
    assert len(ours.encode("ab")) == 1


SPLIT = {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}


def _change(content, path, value):
    *rooms, last = path
    for room in rooms:
        content = content[room]
    content[last] = value


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["model", "type"], "WordPiece", "model.type must be 'BPE'; got 'WordPiece'"),
        (["model", "byte_fallback"], True, "byte_fallback must be None; got True"),
        (["normalizer"], {"type": "NFC"}, "normalizer must be None"),
        (["pre_tokenizer"], None, "pre_tokenizer must be 'ByteLevel'; got None"),
        (["pre_tokenizer", "add_prefix_space"], True, "add_prefix_space must be False"),
        (["added_tokens", 0, "lstrip"], True, r"lstrip of <\|end\|> must be False"),
        (["model"], {}, r"tokenizer\.json must be a tokenizer's JSON; got KeyError"),
        (["pre_tokenizer"], "ByteLevel", r"tokenizer\.json must be .*; got AttributeError"),
        (
            ["pre_tokenizer"],
            {"type": "Sequence", "pretokenizers": []},
            r"tokenizer\.json must be .*; got IndexError",
        ),
        (
            ["pre_tokenizer"],
            {"type": "Sequence", "pretokenizers": [SPLIT, {"type": "ByteLevel", "add_prefix_space": False}]},
            r"tokenizer\.json must be .*; got error\('missing \)",
        ),
        (["model", "merges"], [7], "a merge must be two pieces with a space between them; got '7'"),
        (["added_tokens", 0, "id"], "7", "the ids of pieces and special must be whole numbers; got '7'"),
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(tmp_path, path, value, sentence):
    content = json.loads(reference(["a b a b"], BYTES).to_str())
    _change(content, path, value)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        load_tokenizer_json(tmp_path / "tokenizer.json")


def test_a_file_that_is_no_json_is_named(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(CorruptFileError, match=r"tokenizer\.json must be a tokenizer's JSON"):
        load_tokenizer_json(tmp_path / "tokenizer.json")
