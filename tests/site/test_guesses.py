"""A guess hides its answer until the reader commits, tells how far off it was, and never locks anyone out."""

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from book_tools.site.guesses import parts_of_answer

NUMBER, CHOICE = "#guess-cell-0", "#guess-cell-3"


@pytest.fixture
def open_page(small_site, read):
    def start(fragment="", **options):
        reader = read(**options)
        return reader, reader.open(f"{small_site.as_uri()}/02_second.html{fragment}")

    return start


def answers(page, form):
    """The parts that answer a guess: how many there are, and how many of them are out of sight."""
    found = page.locator(f"guess-answer[data-guess='{form[1:]}']")
    hidden = found.evaluate_all("nodes => nodes.filter(node => node.hidden).length")
    return found.count(), hidden


def result(page, form):
    """What the form tells, once it tells anything: a key may be answered after the call that presses it."""
    found = page.locator(f"{form} .guess-result")
    expect(found).not_to_be_empty()
    return found.inner_text()


def test_outputs_and_the_text_behind_them_are_hidden_and_code_is_not(open_page):
    _, page = open_page()
    assert answers(page, NUMBER) == (4, 4), "the output, then text, figure and cell up to the heading"
    assert answers(page, CHOICE) == (2, 2), "the output and the text"
    assert page.get_by_text("没有藏起来。").is_visible()
    assert page.locator("article .cell_input").first.is_visible()
    assert page.locator("article details").first.is_visible(), "text of the guess itself stays"


@pytest.mark.parametrize(
    ("texts", "hidden"),
    [
        ("<p>答案。</p><p>试一试。</p>", ["答案。"]),
        ("<p>答案。</p>", ["答案。"]),
        ("<p>答案。</p><p>还有。</p><section><b data-state=''></b></section>", ["答案。", "还有。"]),
    ],
    ids=["introduced", "answer alone", "the next heading's explorer"],
)
def test_an_explorer_and_its_introduction_stay_and_the_answer_does_not(texts, hidden):
    explorer = '<div class="cell"><b data-state="">探索</b></div>'
    page = (
        f"<section><guess-form></guess-form><div class='cell'></div>{texts}{explorer}<p>后文。</p></section>"
    )
    parts = parts_of_answer(BeautifulSoup(page, "html.parser").find("guess-form"))
    after = [] if "section" in texts else ["后文。"]
    assert [part.get_text() for part in parts] == [*hidden, *after]


def test_the_question_of_the_next_choice_is_no_answer_to_this_guess():
    options = "<ul><li><data class='option' value='1 > 0'>是</data></li></ul>"
    texts = f"<p>答案。</p><p>再猜？</p>{options}"
    page = f"<section><guess-form></guess-form><div class='cell'></div>{texts}</section>"
    parts = parts_of_answer(BeautifulSoup(page, "html.parser").find("guess-form"))
    assert [part.get_text() for part in parts] == ["答案。"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("5", "答案是 5。你猜的是 5，正好。"),
        ("１０", "答案是 5。你猜的是 10，多了 5，是答案的 2 倍。"),
        (" 2.50 ", "答案是 5。你猜的是 2.5，少了 2.5，是答案的 0.5 倍。"),
        ("1/2", "答案是 5。你猜的是 0.5，少了 4.5，是答案的 0.1 倍。"),
        ("1,000", "答案是 5。你猜的是 1,000，多了 995，是答案的 200 倍。"),
        ("2万", "答案是 5。你猜的是 20,000，多了 20,000，是答案的 4,000 倍。"),
        ("50%", "答案是 5。你猜的是 0.5，少了 4.5，是答案的 0.1 倍。"),
        ("-5", "答案是 5。你猜的是 -5，少了 10。"),
    ],
)
def test_a_number_is_told_how_far_off_it_is(open_page, typed, told):
    _, page = open_page()
    page.locator(f"{NUMBER} input").fill(typed)
    page.locator(f"{NUMBER} input").press("Enter")
    assert result(page, NUMBER) == told
    assert answers(page, NUMBER) == (4, 0)
    assert answers(page, CHOICE) == (2, 2), "the other guess was opened too"


@pytest.mark.parametrize("typed", ["", "三五", "1/2/3", "abc"])
def test_what_is_no_number_opens_nothing(open_page, typed):
    _, page = open_page()
    page.locator(f"{NUMBER} input").fill(typed)
    page.locator(f"{NUMBER} button[type=submit]").click()
    assert result(page, NUMBER) == "请写一个数。"
    assert page.locator(f"{NUMBER} input").get_attribute("aria-invalid") == "true"
    assert answers(page, NUMBER) == (4, 4)


@pytest.mark.parametrize(("place", "told"), [(1, "对了。"), (0, "不对，答案是第 2 项。")])
def test_a_choice_is_right_or_wrong(open_page, place, told):
    _, page = open_page()
    page.locator(f"{CHOICE} button[type=submit]").click()
    assert result(page, CHOICE) == "先选一项。"
    page.locator(f"{CHOICE} input").nth(place).check()
    page.locator(f"{CHOICE} button[type=submit]").click()
    assert result(page, CHOICE) == told
    assert answers(page, CHOICE) == (2, 0)
    assert page.locator(f"{CHOICE} .guess-right").inner_text().endswith("大")


def test_the_keyboard_alone_will_do(open_page):
    _, page = open_page()
    page.locator(f"{CHOICE} input").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert result(page, CHOICE) == "对了。"
    assert page.evaluate("document.activeElement.className") == "guess-result", "the focus is lost"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.className") == "guess-again"
    page.keyboard.press("Enter")
    assert answers(page, CHOICE) == (2, 2)
    assert page.evaluate("document.activeElement.type") == "radio"


def test_a_reader_may_look_and_may_guess_again(open_page):
    _, page = open_page()
    page.locator(f"{NUMBER} .guess-skip").click()
    assert result(page, NUMBER) == "答案是 5。"
    assert answers(page, NUMBER) == (4, 0)
    page.locator(f"{NUMBER} .guess-again").click()
    assert answers(page, NUMBER) == (4, 4)
    expect(page.locator(f"{NUMBER} .guess-result")).to_be_empty()


def test_a_guess_is_remembered_and_nothing_moves_when_it_is(open_page):
    reader, page = open_page()
    page.locator(f"{NUMBER} input").fill("4")
    page.locator(f"{NUMBER} input").press("Enter")
    told = result(page, NUMBER)
    assert told.startswith("答案是 5。你猜的是 4，少了 1")
    reader.page.add_init_script(
        """window.shifts = 0;
        new PerformanceObserver(list => list.getEntries().forEach(entry => window.shifts += entry.value))
          .observe({ type: "layout-shift", buffered: true });"""
    )
    page.reload()
    assert result(page, NUMBER) == told
    assert answers(page, NUMBER) == (4, 0)
    reader.settle()
    assert page.evaluate("window.shifts") < 0.01


def test_it_works_where_storage_is_refused(open_page):
    reader, page = open_page()
    reader.page.add_init_script(
        """Object.defineProperty(window, "localStorage", { get() { throw new Error("refused"); } })"""
    )
    # The theme itself needs storage; its errors are not the subject.
    page.reload()
    page.locator(f"{NUMBER} .guess-skip").click()
    assert answers(page, NUMBER) == (4, 0)
    reader.problems.clear()


@pytest.mark.parametrize("fragment", ["#hidden-place"])
def test_a_link_into_a_hidden_part_opens_it(open_page, fragment):
    _, page = open_page(fragment)
    assert answers(page, CHOICE) == (2, 0)
    assert answers(page, NUMBER) == (4, 4)
    expect(page.locator("#hidden-place")).to_be_in_viewport()
    page.goto(page.url.partition("#")[0] + "?again")
    assert answers(page, CHOICE) == (2, 2), "to follow a link is not to guess"


def test_a_link_on_the_page_opens_it(open_page):
    _, page = open_page()
    page.evaluate("location.hash = 'hidden-place'")
    expect(page.locator("#hidden-place")).to_be_in_viewport()
    assert answers(page, CHOICE) == (2, 0)


def test_the_browsers_own_search_can_open_it(open_page):
    _, page = open_page()
    hidden = page.locator("guess-answer").first
    assert hidden.get_attribute("hidden") == "until-found"
    hidden.evaluate("node => node.dispatchEvent(new Event('beforematch', { bubbles: true }))")
    assert answers(page, NUMBER) == (4, 0)


def test_a_browser_without_such_a_search_hides_it_too(open_page):
    reader, page = open_page()
    reader.page.add_init_script("delete Document.prototype.onbeforematch")
    reader.page.add_init_script("delete HTMLElement.prototype.onbeforematch")
    page.reload()
    assert page.locator("guess-answer").first.get_attribute("hidden") == ""
    assert not page.locator("guess-answer").first.is_visible()
    page.locator(f"{NUMBER} .guess-skip").click()
    assert page.locator("guess-answer").first.is_visible()


def test_without_a_script_all_is_shown_and_options_are_a_list(open_page):
    _, page = open_page(java_script_enabled=False)
    assert page.locator("article guess-answer").evaluate_all("nodes => nodes.every(n => n.offsetHeight)")
    assert not page.locator(f"{NUMBER}").is_visible()
    assert page.locator(f"{CHOICE} li").first.is_visible()
    assert not page.locator(f"{CHOICE} input").first.is_visible()
    assert not page.locator(f"{CHOICE} button").first.is_visible()


def test_paper_shows_every_answer(open_page):
    _, page = open_page()
    page.emulate_media(media="print")
    heights = page.locator("guess-answer").evaluate_all("nodes => nodes.map(node => node.offsetHeight)")
    assert min(heights) > 10, heights
    assert not page.locator(NUMBER).is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("answered", [False, True])
def test_has_no_accessibility_violation(open_page, barriers, scheme, answered):
    page = open_page(color_scheme=scheme, width=390)[1]
    if answered:
        for form in (NUMBER, CHOICE):
            page.locator(f"{form} .guess-skip").click()
    assert not barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_no_handler_stands_in_the_text(small_site):
    page = BeautifulSoup((small_site / "02_second.html").read_text(encoding="utf-8"), "html.parser")
    handlers = [name for tag in page.article.find_all(True) for name in tag.attrs if name.startswith("on")]
    assert not handlers, "a strict security policy would stop these"


def test_the_script_is_loaded_where_there_is_a_guess(small_site):
    assert "guesses.js" in (small_site / "02_second.html").read_text(encoding="utf-8")
    assert "guesses.js" not in (small_site / "01_first.html").read_text(encoding="utf-8")
