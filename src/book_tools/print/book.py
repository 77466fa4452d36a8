"""The book that both files are made of: plain chapters, the answers at the end, title and edition."""

from dataclasses import dataclass
from pathlib import Path

import yaml
from bs4 import BeautifulSoup

from book_tools.edition import edition
from book_tools.language import Language, spoken_in
from book_tools.print.answers import move_answers
from book_tools.print.chapters import Chapter, name_headings, read_chapters
from book_tools.print.plain import make_plain


@dataclass
class Book:
    """A book to print: chapters, their site with pictures and styles, title, author, edition, language."""

    chapters: list[Chapter]
    site: Path
    title: str
    author: str
    version: str
    date: str
    language: Language

    @property
    def rights(self) -> str:
        """The licences, in a line."""
        return self.language.site.licences


def read_book(site: Path, toc: Path, config: Path) -> Book:
    """Read the built ``site`` as one book; FileNotFoundError names a page that has not been built."""
    chapters = read_chapters(site, toc)
    title = chapters[0].title
    index = (site / "index.html").read_text(encoding="utf-8")
    language = spoken_in(BeautifulSoup(index, "html.parser"))
    answers = move_answers(chapters, language)
    if answers.body.select(".answer"):
        chapters.append(answers)
    for chapter in chapters:
        make_plain(chapter)
    name_headings(chapters)
    author = yaml.safe_load(config.read_text(encoding="utf-8"))["author"]
    return Book(chapters, site, title, author, **edition(), language=language)
