"""The numbers of citations follow the order in which the book cites its works."""

from book_tools import references

BIB = "".join(
    f"@misc{{{key},\n  author = {{Author, {key}}},\n  title = {{Title}},\n  year = {{2020}}\n}}\n\n"
    for key in ("old2020", "never2020", "new-2021", "mid2020")
)


def test_works_are_sorted_by_first_citation_and_numbered(tmp_path):
    (tmp_path / "references.bib").write_text(BIB, encoding="utf-8")
    (tmp_path / "references.md").write_text("[[9]](references.md#old2020)", encoding="utf-8")
    (tmp_path / "index.md").write_text("A [[1]](references.md#old2020) 1 [[1]](x.md#y)", encoding="utf-8")
    (tmp_path / "01_a.ipynb").write_text('"b [[11]](references.md#new-2021)\\n",', encoding="utf-8")
    (tmp_path / "02_a.ipynb").write_text(
        "[[4]](references.md#mid2020)[[1]](references.md#old2020)[[7]](references.md#missing)",
        encoding="utf-8",
    )
    references.number(tmp_path)
    assert list(references.works(tmp_path)) == ["old2020", "new-2021", "mid2020", "never2020"]
    pages = [
        (tmp_path / name).read_text(encoding="utf-8") for name in ("index.md", "01_a.ipynb", "02_a.ipynb")
    ]
    assert pages == [
        "A [[1]](references.md#old2020) 1 [[1]](x.md#y)",
        '"b [[2]](references.md#new-2021)\\n",',
        "[[3]](references.md#mid2020)[[1]](references.md#old2020)[[7]](references.md#missing)",
    ]
    assert (tmp_path / "references.md").read_text(encoding="utf-8") == "[[9]](references.md#old2020)"


def test_the_books_own_works_are_in_order(tmp_path):
    for path in references.BOOK.glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    references.number(tmp_path)
    for path in sorted(tmp_path.glob("*.*")):
        before = (references.BOOK / path.name).read_bytes()
        assert path.read_bytes() == before, f"{path.name}: run python -m book_tools.references --number"
