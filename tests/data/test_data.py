"""The data sets: sizes, form, splits without overlap, notices, and broken files."""

import hashlib
import importlib.util
import lzma
import re
from collections import Counter

import numpy as np
import pytest

from transformer_book import data
from transformer_book.data.numerals import DIGIT_CHARACTERS, NUMERAL_CHARACTERS
from transformer_book.storage.data_folder import read_rows
from transformer_book.storage.files import CorruptFileError


def test_quatrains_have_four_lines_of_five_or_seven():
    quatrains = data.load_quatrains()
    poems = quatrains.train + quatrains.validation
    assert len(poems) == len(set(poems)) == 8563
    assert len(quatrains.validation) == 857
    form = re.compile(r"(?:(?:[㐀-鿿]{5}，[㐀-鿿]{5}。){2}|(?:[㐀-鿿]{7}，[㐀-鿿]{7}。){2})")
    assert all(form.fullmatch(poem) for poem in poems)
    assert "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。" in poems


def test_no_validation_poem_is_a_near_copy_of_a_training_poem():
    quatrains = data.load_quatrains()
    lines = {line for poem in quatrains.train for line in re.split("[，。]", poem)[:4]}
    shared = [sum(line in lines for line in re.split("[，。]", poem)[:4]) for poem in quatrains.validation]
    assert max(shared) < 2, (
        "two lines of a validation poem stand in the training poems: the model has seen it"
    )


def test_quatrain_vocabulary_knows_every_character():
    vocabulary = data.quatrain_vocabulary()
    assert len(vocabulary) == 2494 + 4
    assert vocabulary.special == {"<pad>": 0, "<start>": 1, "<end>": 2, "<mask>": 3}
    for poem in data.load_quatrains().validation:
        assert vocabulary.decode(vocabulary.encode(poem)) == poem


def test_every_quatrain_character_occurs_in_five_poems():
    count = Counter(character for poem in read_rows("quatrains.txt.xz") for character in set(poem))
    assert min(count.values()) >= 5


def test_reviews_are_balanced_and_split():
    reviews = data.load_reviews()
    assert len(reviews.train) == len(reviews.train_labels) == 5664
    assert len(reviews.test) == len(reviews.test_labels) == 630
    assert sum(reviews.train_labels) * 2 == len(reviews.train)
    assert sum(reviews.test_labels) * 2 == len(reviews.test)
    assert not set(reviews.train) & set(reviews.test)
    assert not any(re.search(r"\d{5}", sentence) for sentence in reviews.train + reviews.test)


def test_numerals_are_disjoint_seeded_and_spelled_in_the_known_characters():
    numerals = data.load_numerals(size=2000)
    again = data.load_numerals(size=2000)
    assert numerals == again
    assert numerals != data.load_numerals(size=2000, seed=1)
    assert (len(numerals.train), len(numerals.validation)) == (2000, 500)
    assert not {digits for _, digits in numerals.train} & {digits for _, digits in numerals.validation}
    for chinese, digits in numerals.train:
        assert set(chinese) <= set(NUMERAL_CHARACTERS), chinese
        assert set(digits) <= set(DIGIT_CHARACTERS), digits
        assert not digits.startswith("0") or digits == "0"
    assert ("九十九", "99") in numerals.train


@pytest.mark.parametrize(
    ("arguments", "digest"),
    [
        ((), "8857a878532965d60706189821b9eeeb1980ab8a9fffb06b3e5ed4bee8e4b4f2"),
        ((1000, 10_000, 3), "2afd48ccd605446f7b9f83693cb40c7a4f00b3932f4e971c801a43f70757f341"),
    ],
)
def test_numerals_are_those_of_the_recorded_runs(arguments, digest):
    """The pairs that the checkpoints were trained on, once written by the package cn2an 0.5.24."""
    numerals = data.load_numerals(*arguments)
    lines = [f"{chinese} {digits}" for chinese, digits in numerals.train + numerals.validation]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == digest


def test_digit_images():
    digits = data.load_digit_images()
    assert digits.train.shape == (1437, 8, 8)
    assert digits.test.shape == (360, 8, 8)
    assert digits.train.dtype == np.float32
    assert (digits.train.min(), digits.train.max()) == (0, 1)
    assert set(digits.test_labels) == set(range(10))
    images = np.concatenate([digits.train, digits.test]).reshape(1797, -1)
    assert len(np.unique(images, axis=0)) == 1797, "an image stands on both sides of the split"


def test_photograph():
    photograph = data.load_photograph()
    assert photograph.shape == (224, 224, 3)
    assert photograph.dtype == np.float32
    assert 0 <= photograph.min() < 0.05
    assert 0.95 < photograph.max() <= 1


@pytest.mark.parametrize("name", ["gpt2_merges", "level_tones", "quatrains", "reviews"])
def test_every_text_has_its_notice(name):
    notice = (data.data_folder() / f"{name}.NOTICE.txt").read_text(encoding="utf-8")
    assert "MIT License" in notice
    assert f"python -m book_tools.record.datasets {name}" in notice
    assert f"Rows: {len(read_rows(f'{name}.txt.xz'))}\n" in notice


def test_level_tones():
    level = data.load_level_tones()
    assert set("春眠闻啼鸣来风声花多") <= level
    assert not set("不晓处鸟夜雨落少") & level, "an oblique character is read as level"
    assert level < set(data.quatrain_vocabulary().characters)


def test_folder_named_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    assert data.data_folder() == tmp_path
    with pytest.raises(FileNotFoundError, match=r"lacks the file quatrains\.txt\.xz"):
        data.load_quatrains()
    (tmp_path / "quatrains.txt.xz").write_bytes(lzma.compress(b"abc")[:-9])
    with pytest.raises(CorruptFileError, match=r"quatrains\.txt\.xz must be text packed with xz"):
        data.load_quatrains()
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path / "none"))
    with pytest.raises(
        FileNotFoundError, match=r"TRANSFORMER_BOOK_DATA must be the name of a folder; got .*none"
    ):
        data.data_folder()


def test_deriving_quatrains_again(tmp_path, monkeypatch):
    """On an archive made up here: four equal lines stay, near-copies and rare characters go."""
    if importlib.util.find_spec("opencc") is None:
        pytest.skip("deriving the quatrains needs OpenCC, which readers do not")
    import io
    import json
    import tarfile

    from book_tools.record.datasets import main

    good = ["一二三四五，六七八九十。", "百千萬億兆，山水雲風月。"]
    copies = [["天天天天天，地地地地地。", "人人人人人，日日日日日。"]]
    copies += [[good[0], "天地人日月，山水風雲雨。"]]  # two lines in common with the first: a near-copy
    rare = [["龘龘龘龘龘，地天人日天。", "天人日地天，人日地天人。"]]
    letters = "甲乙丙丁戊"
    common = [
        [f"{x}{y}天地人，{y}{x}人日地。", f"日{x}{y}天人，人{y}{x}日地。"]
        for x in letters
        for y in letters
        if x != y
    ]
    poems = [{"paragraphs": p} for p in [*common, *copies, *rare, ["短。"]]]
    archive = tmp_path / "poems.tgz"
    files = {
        "package/dist/quantangshi/json/poet.tang.0.json": json.dumps(poems).encode(),
        "package/dist/quantangshi/json/poet.song.0.json": json.dumps([{"paragraphs": good}] * 9).encode(),
        "package/LICENSE": b"The MIT License (MIT)",
    }
    with tarfile.open(archive, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    main(["quatrains", str(archive)])
    rows = read_rows("quatrains.txt.xz")
    assert set(rows) == {"".join(p) for p in [*common, copies[0]]}


@pytest.mark.parametrize("name", ["missing.tgz", "folder", "text.tgz", "other.tgz"])
def test_an_archive_that_is_another_is_named(tmp_path, monkeypatch, capsys, name):
    import tarfile

    from book_tools.record.datasets import main

    (tmp_path / "folder").mkdir()
    (tmp_path / "text.tgz").write_text("no archive", encoding="utf-8")
    with tarfile.open(tmp_path / "other.tgz", "w:gz") as tar:
        tar.add(tmp_path / "text.tgz", "something/else")
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path / "folder"))
    with pytest.raises(SystemExit):
        main(["reviews", str(tmp_path / name)])
    assert "is not the archive that reviews comes from" in capsys.readouterr().err
    assert not list((tmp_path / "folder").iterdir()), "half a data set was written"


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        (lambda: data.load_digit_images(-1), "seed must be a whole number of at least 0; got -1"),
        (lambda: data.load_photograph(1.5), r"size must be a whole number of at least 1; got 1\.5"),
        (lambda: data.load_photograph(428), "size must be 1 to 427, the photograph's height; got 428"),
        (lambda: data.load_numerals(size=1.5), r"size must be a whole number .* got 1\.5"),
        (lambda: data.load_numerals(limit=1e5), r"limit must be a whole number .* got 100000\.0"),
        (lambda: data.load_numerals(seed="a"), "seed must be a whole number .* got 'a'"),
        (lambda: data.load_numerals(limit=100), "limit must be 10,000 to 1,000,000; got 100"),
        (lambda: data.load_numerals(9999, 10_000), "size must be 1 to a quarter of limit = 10000; got 9999"),
    ],
)
def test_the_argument_that_is_wrong_is_named(load, sentence):
    with pytest.raises(ValueError, match=sentence):
        load()


@pytest.mark.parametrize("row", ["no tab", "3\tlabel"])
def test_reviews_of_another_form_are_named(tmp_path, monkeypatch, row):
    (tmp_path / "reviews.txt.xz").write_bytes(lzma.compress(f"{row}\n".encode()))
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    with pytest.raises(CorruptFileError, match=r"reviews\.txt\.xz must be rows of a label 0 or 1, a tab"):
        data.load_reviews()
