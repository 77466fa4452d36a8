"""The pictures of the READMEs: drawn by a command, small, and the ones that the READMEs show."""

import io
import re

import pytest
from PIL import Image

from book_tools.notebooks.files import ROOT
from book_tools.site.portraits import FOLDER, LARGEST, PORTRAITS, draw

NAMES = [portrait.file for portrait in PORTRAITS]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_a_readme_shows_what_the_command_draws(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    shown = re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", text)
    assert [address for _, address in shown] == [f"{FOLDER.name}/{name}" for name in NAMES]
    assert all(len(words) > 10 for words, _ in shown), "a picture without words for who does not see it"


@pytest.mark.parametrize("portrait", PORTRAITS, ids=NAMES)
def test_a_picture_is_small_and_what_the_site_shows(portrait, site, browser):
    content = (FOLDER / portrait.file).read_bytes()
    assert len(content) <= LARGEST
    kept, drawn = (Image.open(io.BytesIO(data)) for data in (content, draw(browser, site, portrait)))
    assert kept.size[0] == drawn.size[0], "python -m book_tools.site.portraits has not been run since"
