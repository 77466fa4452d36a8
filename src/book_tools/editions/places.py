"""Where the editions lie: the first in the book's folder, another in a folder below, called by its code."""

from book_tools.language import CHINESE, LANGUAGES
from book_tools.notebooks.files import BOOK

PAGES = ("*.ipynb", "*.md")


def folder_of(language, book=BOOK):
    """Return the folder of an edition's pages."""
    return book if language is CHINESE else book / language.code


def language_of(path):
    """Return the language of a page, by the folder that it lies in."""
    return LANGUAGES.get(path.resolve().parent.name, CHINESE)


def editions(book=BOOK):
    """List the languages in which the book has pages, the first edition's first."""
    return [
        language
        for language in LANGUAGES.values()
        if any(path for pattern in PAGES for path in folder_of(language, book).glob(pattern))
    ]


def others(book=BOOK):
    """List the languages of the editions beside the first."""
    return [language for language in editions(book) if language is not CHINESE]
