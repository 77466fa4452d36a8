"""Measuring the site: pages are sent as hosts send them, and a missing tool is named."""

import gzip
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from benchmarks.site import lighthouse
from benchmarks.site.server import body, serve


def test_text_is_sent_compressed_and_fonts_as_they_are(tmp_path):
    (tmp_path / "a.html").write_text("<p>" + "长" * 500, encoding="utf-8")
    (tmp_path / "a.woff2").write_bytes(b"font" * 50)
    with serve(tmp_path) as address:
        with urlopen(f"{address}/a.html?v=1") as page:
            assert page.headers["Content-Encoding"] == "gzip"
            sent = page.read()
        with urlopen(f"{address}/a.woff2") as font:
            assert font.headers["Content-Encoding"] is None
            assert font.read() == b"font" * 50
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{address}/b.html")
    assert gzip.decompress(sent) == (tmp_path / "a.html").read_bytes()
    assert len(sent) == len(body(tmp_path / "a.html")) < 200


def test_without_lighthouse_one_is_told_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(lighthouse, "PROGRAM", tmp_path / "site" / "node_modules" / ".bin" / "lighthouse")
    with pytest.raises(lighthouse.NoLighthouseError, match=r"npm ci --prefix .*site$"):
        lighthouse.scores("http://127.0.0.1", 1)


def test_scores_are_medians(tmp_path, monkeypatch):
    monkeypatch.setattr(lighthouse, "PROGRAM", tmp_path)
    reports = iter([{"performance": 90.0}, {"performance": 10.0}, {"performance": 95.0}])
    monkeypatch.setattr(lighthouse, "_report", lambda url: next(reports))
    assert lighthouse.scores("http://127.0.0.1", 3) == {"performance": 90.0}
