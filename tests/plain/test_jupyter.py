"""`make lab` as a reader meets it: a start page, no questions, answers folded, guesses first."""

import re
import subprocess
import threading

import pytest
from playwright.sync_api import expect

from book_tools.editions.places import others
from book_tools.lab.__main__ import command, environment
from book_tools.lab.copies import START, Copies

CURRENT = "globalThis.jupyterapp.shell.currentWidget.context.path"
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address that `make lab` opens, on copies of its own."""
    folder, places = tmp_path_factory.mktemp("my-book"), tmp_path_factory.mktemp("places")
    Copies(folder).prepare()
    server = subprocess.Popen(
        [
            *command(folder, browser=False),
            *("--port=0", "--ip=127.0.0.1", "--IdentityProvider.token=", "--expose-app-in-browser"),
        ],
        env=environment(folder)
        | {f"JUPYTER_{name}_DIR": str(places / name) for name in ("DATA", "RUNTIME")}
        | {"JUPYTERLAB_SETTINGS_DIR": str(places)},
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    try:
        addresses = (re.search(r"http://127\.0\.0\.1:\d+/lab\S*", line) for line in server.stderr)
        address = next(filter(None, addresses))[0]
        # From here on nobody reads what it says, and a full pipe would stop it.
        threading.Thread(target=server.stderr.read, daemon=True).start()
        yield address
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()


@pytest.fixture(scope="module")
def page(lab, browser, patience):
    page = browser.new_context(viewport={"width": 1280, "height": 1000}, locale="zh-CN").new_page()
    page.set_default_timeout(patience)
    page.goto(lab)
    page.locator(".jp-MarkdownViewer h1").first.wait_for()
    yield page
    page.context.close()


def open_page(page, name):
    page.evaluate(
        "name => globalThis.jupyterapp.commands.execute('docmanager:open', {path: name})"
        ".then(widget => widget.context.ready)",
        name,
    )
    page.wait_for_function(f"{CURRENT} === {name!r}")


def test_the_book_opens_at_its_start_page_and_asks_nothing(page, lab):
    assert lab.endswith(f"/lab/tree/{START}")
    page.locator(".jp-DirListing-itemText", has_text="teachers.md").wait_for()
    names = page.locator(".jp-DirListing-itemText").all_inner_texts()
    pages = names[len(others()) :]  # folders come first
    assert [pages[0], pages[1], pages[-2]] == [START, "01_tokens.ipynb", "references.md"], (
        "not in reading order"
    )
    assert page.locator(".jp-Dialog, .jp-Notification, .Toastify__toast").count() == 0, "a reader is asked"


def test_a_link_leads_to_its_page(page):
    page.locator(".jp-MarkdownViewer a", has_text="自注意力的矩阵形式").click()
    page.wait_for_function(f"{CURRENT} === '03_matrix_form.ipynb'")
    link = page.locator(f"{PANEL} .jp-RenderedMarkdown a", has_text="上一节").first
    link.click()
    page.wait_for_function(f"{CURRENT} === '02_self_attention.ipynb'")


def test_a_link_of_another_edition_leads_to_its_own_page(page):
    open_page(page, "en/03_matrix_form.ipynb")
    page.locator(f"{PANEL} .jp-RenderedMarkdown a", has_text="the previous section").first.click()
    page.wait_for_function(f"{CURRENT} === 'en/02_self_attention.ipynb'")


def test_a_notebook_shows_no_toolbar_of_teachers(page):
    open_page(page, "02_self_attention.ipynb")
    shown = page.locator(".lm-MenuBar, .jp-SideBar, .jp-NotebookPanel-toolbar").all_inner_texts()
    labels = page.locator(".jp-SideBar [title]").evaluate_all("tabs => tabs.map(tab => tab.title)")
    assert not re.search("nbgrader|assignment|formgrader", " ".join(shown + labels), re.IGNORECASE)


def test_answers_are_folded_and_guesses_come_first(page):
    open_page(page, "13_exercises.ipynb")
    panel = page.locator(PANEL)
    answer = panel.locator("details", has_text="练习 12.1 的解答").first
    answer.wait_for()
    assert answer.get_attribute("open") is None
    assert not answer.locator("p").first.is_visible()
    code = panel.locator(".jp-CodeCell", has_text="attended = equations").first
    expect(code.locator(".jp-InputPlaceholder"), "the answer's code stands open").to_be_visible()
    expect(code.locator(".jp-OutputArea"), "the answer's output stands open").to_be_hidden()
    open_page(page, "02_self_attention.ipynb")
    guessed = panel.locator(".jp-CodeCell", has_text="X, Omega_q, Omega_k, Omega_v = worked_example()").first
    guessed.wait_for()
    folded = guessed.locator(".jp-OutputPlaceholder")
    expect(folded, "the answer stands below the guess").to_be_visible()
    expect(folded.locator(".jp-PlaceholderText"), "the fold shows the answer's first line").to_be_hidden()


def test_headings_name_sections_and_exercises(page):
    open_page(page, "13_exercises.ipynb")
    titles = page.locator(f"{PANEL} h3").first
    titles.wait_for()
    assert titles.inner_text().startswith("练习 12.1 ★ 手算一列输出")
