"""Answers and hints stand at the end of the book; where they were, a link leads to them, and back."""

from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag

from book_tools.language import Language
from book_tools.print.chapters import Chapter, shown_text

NAME = "answers"


@dataclass
class Answer:
    """A folded hint or answer: its title, its place in the book, and the heading it stands under."""

    title: str
    fold: Tag
    heading: str


def answers_of(chapter: Chapter, language: Language) -> list[Answer]:
    """List the hints and answers of a chapter in their order."""
    found = []
    for fold in chapter.body.select("details"):
        summary = fold.find("summary", recursive=False).get_text().strip()
        if language.marks.folded.search(summary):
            heading = shown_text(fold.find_previous(["h1", "h2", "h3", "h4"]))
            found.append(Answer(full_title(fold, summary, language), fold, heading))
    return found


def full_title(fold: Tag, summary: str, language: Language) -> str:
    """Return the title of an answer that stands far from its question: with the question's number."""
    question = fold.find_previous_sibling()
    number = question and question.name == "p" and question.find("strong")
    if not number or summary != language.marks.answer:
        return summary
    bare = language.print.number_end.sub("", number.get_text())
    return language.print.numbered_answer.format(bare, summary)


def move_answers(chapters: list[Chapter], language: Language) -> Chapter:
    """Take hints and answers out of the chapters; return the chapter that holds them."""
    title = language.print.answers
    soup = BeautifulSoup(f'<article id="{NAME}"><h1>{title}</h1></article>', "html.parser")
    count = 0
    for chapter in chapters:
        heading = None
        for answer in answers_of(chapter, language):
            if heading is None:
                add(soup, "h2", chapter.title)
            if answer.heading != heading:
                heading = answer.heading
                add(soup, "h3", heading)
            count += 1
            _move(soup, answer, f"{NAME}--{count}")
    return Chapter(NAME, title, soup.article)


def add(soup: BeautifulSoup, name: str, text: str) -> None:
    """Append a heading to the chapter of answers."""
    heading = soup.new_tag(name)
    heading.string = text
    soup.article.append(heading)


def _move(soup: BeautifulSoup, answer: Answer, name: str) -> None:
    """Move one answer, and link its old place and its new one."""
    there, back = link_to(soup, name, answer.title), link_to(soup, f"{name}-question", answer.title)
    place = soup.new_tag("p", attrs={"class": "to-answer", "id": f"{name}-question"})
    place.extend(["→ ", there])
    answer.fold.replace_with(place)
    title = soup.new_tag("p", attrs={"class": "title"})
    title.append(back)
    block = soup.new_tag("div", attrs={"class": "answer", "id": name})
    answer.fold.find("summary", recursive=False).decompose()
    block.extend([title, *list(answer.fold.contents)])
    soup.article.append(block)


def link_to(soup: BeautifulSoup, name: str, text: str) -> Tag:
    """Return a link within the book."""
    link = soup.new_tag("a", href=f"#{name}")
    link.string = text
    return link
