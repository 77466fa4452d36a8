"""The site's pages as the chapters of one book, in the order of the contents, each id unique in the book."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from bs4 import BeautifulSoup, Tag


@dataclass
class Chapter:
    """A chapter: the name of its page, its title, and its article, in which every id begins with the name."""

    name: str
    title: str
    body: Tag


def names_in_order(toc: Path) -> list[str]:
    """Return the names of the pages in a Jupyter Book table of contents, the front page first."""
    contents = yaml.safe_load(toc.read_text(encoding="utf-8"))
    chapters = [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    return [contents["root"], *chapters]


def read_chapters(site: Path, toc: Path) -> list[Chapter]:
    """Read the built pages of the book; FileNotFoundError names a page that has not been built."""
    names = names_in_order(toc)
    chapters = [Chapter(name, "", read_article(site / f"{name}.html")) for name in names]
    for chapter in chapters:
        for link in chapter.body.select("a.headerlink"):
            link.decompose()
        chapter.title = shown_text(chapter.body.select_one("h1"))
        own_ids(chapter)
        own_links(chapter, set(names))
    return chapters


def read_article(path: Path) -> Tag:
    """Return the article of one built page."""
    if not path.is_file():
        raise FileNotFoundError(f"The page {path} must be built first: python -m book_tools.site")
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select_one("article")


def shown_text(heading: Tag) -> str:
    """Return a heading's text on one line, without the TeX that stands behind a formula."""
    hidden = {id(text) for source in heading.select("annotation") for text in source.strings}
    return " ".join("".join(text for text in heading.strings if id(text) not in hidden).split())


def own_ids(chapter: Chapter) -> None:
    """Begin each id with the chapter's name: in one file `id1` of two pages would be one."""
    for tag in chapter.body.find_all(id=True):
        if not tag.find_parent("svg"):  # a drawing refers to its parts, by ids that no other one has
            tag["id"] = f"{chapter.name}--{tag['id']}"
    chapter.body["id"] = chapter.name


def own_links(chapter: Chapter, names: set[str]) -> None:
    """Have links within the book name ids alone; what leads to another file of the site becomes text."""
    for link in list(chapter.body.find_all("a", href=True)):
        parts = urlsplit(link["href"])
        page = parts.path.removesuffix(".html") or chapter.name
        if parts.scheme or parts.netloc:
            continue
        if page in names:
            link["href"] = f"#{page}--{parts.fragment}" if parts.fragment else f"#{page}"
        else:
            link.unwrap()


def ids(chapter: Chapter) -> Iterator[str]:
    """Yield every id of a chapter, its own first."""
    yield chapter.body["id"]
    yield from (tag["id"] for tag in chapter.body.find_all(id=True))


def headings(chapter: Chapter) -> list[tuple[str, str]]:
    """Return (id, text) of the headings right below the chapter's title."""
    return [(heading["id"], shown_text(heading)) for heading in chapter.body.select("h2")]


def name_headings(chapters: list[Chapter]) -> None:
    """Give each heading an id, for contents to lead to: Sphinx has it on the section around."""
    for chapter in chapters:
        for number, heading in enumerate(chapter.body.select("h2"), start=1):
            heading["id"] = heading.get("id") or f"{chapter.name}--heading-{number}"
