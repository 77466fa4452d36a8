"""The book that both files are made of: plain chapters, the answers at the end, title and edition."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from book_tools.edition import LICENCES, edition
from book_tools.print.answers import move_answers
from book_tools.print.chapters import Chapter, name_headings, read_chapters
from book_tools.print.plain import make_plain


@dataclass
class Book:
    """A book to print: its chapters, the site that has their pictures and styles, title, author, edition."""

    chapters: list[Chapter]
    site: Path
    title: str
    author: str
    version: str
    date: str
    rights: str = LICENCES


def read_book(site: Path, toc: Path, config: Path) -> Book:
    """Read the built ``site`` as one book; FileNotFoundError names a page that has not been built."""
    chapters = read_chapters(site, toc)
    title = chapters[0].title
    answers = move_answers(chapters)
    if answers.body.select(".answer"):
        chapters.append(answers)
    for chapter in chapters:
        make_plain(chapter)
    name_headings(chapters)
    author = yaml.safe_load(config.read_text(encoding="utf-8"))["author"]
    return Book(chapters, site, title, author, **edition())
