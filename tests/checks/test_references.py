"""Works are numbered in the order in which the book first cites them."""

import pytest

from book_tools import references

BIBLIOGRAPHY = "@book{{{},\n  year = {{2001}}\n}}\n"


def write_book(folder, keys, texts):
    (folder / "references.bib").write_text("\n".join(map(BIBLIOGRAPHY.format, keys)), encoding="utf-8")
    files = [folder / f"{number}.ipynb" for number in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return files


def order(folder):
    return list(references.works(folder))


def test_the_file_takes_the_order_of_the_first_citations_and_the_pages_its_numbers(tmp_path):
    texts = ("see [[1]](references.md#c-d), [[2]](references.md#a)", "[[9]](references.md#c-d) and [[1]](x)")
    files = write_book(tmp_path, ["never", "a", "c-d"], texts)
    references.renumber(tmp_path, files)
    assert order(tmp_path) == ["c-d", "a", "never"], "first cited first; a work that nobody cites last"
    assert [path.read_text(encoding="utf-8") for path in files] == [
        "see [[1]](references.md#c-d), [[2]](references.md#a)",
        "[[1]](references.md#c-d) and [[1]](x)",
    ]
    once = (tmp_path / "references.bib").read_text(encoding="utf-8")
    references.renumber(tmp_path, files)
    assert (tmp_path / "references.bib").read_text(encoding="utf-8") == once, "twice is as good as once"


def test_a_citation_of_an_unknown_work_is_named_and_nothing_written(tmp_path):
    files = write_book(tmp_path, ["b", "a"], ["[[2]](references.md#a) [[3]](references.md#c)"])
    with pytest.raises(ValueError, match=r"must be in references.bib; got c\."):
        references.renumber(tmp_path, files)
    assert order(tmp_path) == ["b", "a"]


def test_each_work_of_the_book_names_its_authors_title_year_where_it_appeared_and_an_address():
    venues = ("booktitle", "journal", "publisher", "institution", "note")
    incomplete = [
        key
        for key, work in references.works().items()
        if not work.persons.get("author")
        or not {"title", "year", "url"} <= set(work.fields)
        or not any(venue in work.fields for venue in venues)
        or not work.fields["url"].startswith("https://")
    ]
    assert not incomplete
