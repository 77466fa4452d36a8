"""Answers and hints stand at the end of the book; where they were, a link leads to them, and back."""

import re
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag

from book_tools.print.chapters import Chapter, shown_text

ANSWER = re.compile(r"答案|解答|提示|评分标准")
NAME, TITLE = "answers", "提示与答案"
UNNUMBERED = re.compile(r"[。：]$")


@dataclass
class Answer:
    """A folded hint or answer: its title, its place in the book, and the heading it stands under."""

    title: str
    fold: Tag
    heading: str


def answers_of(chapter: Chapter) -> list[Answer]:
    """List the hints and answers of a chapter in their order."""
    found = []
    for fold in chapter.body.select("details"):
        summary = fold.find("summary", recursive=False).get_text().strip()
        if ANSWER.search(summary):
            heading = shown_text(fold.find_previous(["h1", "h2", "h3", "h4"]))
            found.append(Answer(full_title(fold, summary), fold, heading))
    return found


def full_title(fold: Tag, summary: str) -> str:
    """Return the title of an answer that stands far from its question: with the question's number."""
    question = fold.find_previous_sibling()
    number = question and question.name == "p" and question.find("strong")
    return f"{UNNUMBERED.sub('', number.get_text())}　{summary}" if number and summary == "答案" else summary


def move_answers(chapters: list[Chapter]) -> Chapter:
    """Take hints and answers out of the chapters; return the chapter that holds them."""
    soup = BeautifulSoup(f'<article id="{NAME}"><h1>{TITLE}</h1></article>', "html.parser")
    count = 0
    for chapter in chapters:
        heading = None
        for answer in answers_of(chapter):
            if heading is None:
                add(soup, "h2", chapter.title)
            if answer.heading != heading:
                heading = answer.heading
                add(soup, "h3", heading)
            count += 1
            _move(soup, answer, f"{NAME}--{count}")
    return Chapter(NAME, TITLE, soup.article)


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
