"""What differs between the editions of the book: a `Language` each, and no edition's words anywhere else.

`language` says what a language has to tell; `chinese` and `english` tell it. A third language is a file
beside them, a line in `LANGUAGES`, a table of words in `not_numbers`, and a folder of pages, `book/CODE`.
"""

from book_tools.language.chinese import CHINESE
from book_tools.language.english import ENGLISH
from book_tools.language.language import Language
from transformer_book.checks.messages import must_be

LANGUAGES = {language.code: language for language in (CHINESE, ENGLISH)}  # the book's own first


def named(code: str) -> Language:
    """Return the language with this code, such as "en"; ValueError for another."""
    if code not in LANGUAGES:
        raise ValueError(must_be("the language", f"one of {', '.join(LANGUAGES)}", repr(code)))
    return LANGUAGES[code]


def spoken_by(app) -> Language:
    """Return the language of the site that a Sphinx application, or a part of it with a config, builds."""
    return next((known for known in LANGUAGES.values() if known.sphinx == app.config.language), CHINESE)


def spoken_in(soup) -> Language:
    """Return the language that a finished page declares."""
    declared = soup.html.get("lang") if soup.html else None
    return next((known for known in LANGUAGES.values() if known.html == declared), CHINESE)
