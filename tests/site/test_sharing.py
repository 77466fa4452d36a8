"""Two editions on one site: what both hold lies there once, and each page finds it."""

from pathlib import Path

import pytest

from book_tools.site.sharing import publish

PAGE = '<html><link href="_static/book.css?v=1"/><img src="_images/a.webp"/>\n{}</html>'
SAME = (
    "_static/book.css",
    "_images/a.webp",
    "_static/models/gpt-1.safetensors",
    "_static/explorer-worker-1.js",
)
NOT_SHARED = {
    "_static/previews/01.js": "a script asks for it by the page's folder",
    "_static/icons.woff2": "Firefox refuses a font of a folder above to a page from file://",
}


def write(folder: Path, **pages: str) -> Path:
    for name in (*SAME, *NOT_SHARED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def first(tmp_path) -> Path:
    return write(tmp_path / "html", index=PAGE.format("一"))


@pytest.fixture
def second(tmp_path) -> Path:
    return write(tmp_path / "work", index=PAGE.format('<a href="_static/icons.woff2">one</a>'))


def test_what_both_hold_lies_in_the_first_and_pages_name_it_there(first, second):
    publish(second, first, "en", share=True)
    assert [name for name in SAME if (first / "en" / name).exists()] == []
    page = (first / "en" / "index.html").read_text(encoding="utf-8")
    assert 'href="../_static/book.css?v=1"' in page
    assert 'src="../_images/a.webp"' in page


@pytest.mark.parametrize(("name", "why"), NOT_SHARED.items())
def test_some_files_stay_beside_the_pages(first, second, name, why):
    publish(second, first, "en", share=True)
    assert (first / "en" / name).is_file(), why
    assert f'"../{name}"' not in (first / "en" / "index.html").read_text(encoding="utf-8"), why


def test_a_file_that_differs_is_each_edition_s_own(first, second):
    (second / "_static" / "book.css").write_text("p {}", encoding="utf-8")
    publish(second, first, "en", share=True)
    assert (first / "en" / "_static" / "book.css").read_text(encoding="utf-8") == "p {}"
    assert 'href="_static/book.css?v=1"' in (first / "en" / "index.html").read_text(encoding="utf-8")


def test_an_edition_built_alone_has_all_its_files(first, second):
    publish(second, first, "en", share=False)
    assert {path.relative_to(second) for path in second.rglob("*")} == {
        path.relative_to(first / "en") for path in (first / "en").rglob("*")
    }
    assert (first / "en" / "index.html").read_bytes() == (second / "index.html").read_bytes()


def test_the_page_for_missing_ones_names_shared_files_from_the_root(first, second):
    text = '<link href="/book/en/_static/book.css"/><a href="/book/en/index.html">start</a>'
    (second / "404.html").write_text(text, encoding="utf-8")
    publish(second, first, "en", share=True)
    moved = (first / "en" / "404.html").read_text(encoding="utf-8")
    assert moved == text.replace("/book/en/_static", "/book/_static")


def test_what_an_edition_no_longer_has_is_gone(first, second):
    for _ in range(2):
        publish(second, first, "en", share=True)
        (second / "_static" / "previews" / "01.js").unlink(missing_ok=True)
    assert not (first / "en" / "_static" / "previews" / "01.js").exists()
