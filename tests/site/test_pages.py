"""Every page of the book in a browser: no error, no request outside, readable by everyone, on a phone too."""

import contextlib
import re

import pytest
from bs4 import BeautifulSoup

from book_tools.language import CHINESE, ENGLISH
from book_tools.notebooks.files import ROOT, pages

PAGES = [path.stem for path in pages()]
ENGLISH_PAGES = [f"en/{path.stem}" for path in pages(folder=ROOT / "book" / "en")]

CUT = "nodes => nodes.filter(node => node.scrollWidth > node.clientWidth + 1).map(node => node.innerText)"

# What a page says around its text, labels included.
INTERFACE = """() => {
  const found = [];
  const content = "article pre, article a.bound-value, article a.reference, article [lang=en]";
  const read = "article, script, style, noscript, .page-toc, #jb-print-docs-body";
  for (const node of document.querySelectorAll("body *"))
    for (const name of ["title", "aria-label", "placeholder", "data-bs-title", "data-tooltip"])
      if (node.hasAttribute(name) && !node.closest(content))
        found.push(node.getAttribute(name));
  const interface_ = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (interface_.nextNode()) {
    const node = interface_.currentNode;
    if (!node.parentElement.closest(read))
      found.push(node.textContent.trim());
  }
  return found;
}"""

# Latin words that Chinese readers expect in the interface.
LATIN = {
    "Transformer",
    "ipynb",
    "pdf",
    "PDF",
    "epub",
    "EPUB",
    "zip",
    "md",
    "MB",
    "Ctrl",
    "K",
    "GPT",
    "BERT",
    "Vision",
}


# The rules that depend on colours: all that axe has to ask again when the theme changes.
COLOURS = ("color-contrast", "link-in-text-block")


@pytest.fixture(scope="module")
def seen(request, site, readers):
    """One page from a file, opened once for all tests that look at it; each leaves it as it was."""
    with readers() as read:
        yield read().open(f"{site.as_uri()}/{request.param}.html")


@pytest.fixture(scope="module")
def on_a_phone(request, site, serve, readers):
    """The same as ``seen``, from a server and on a phone."""
    with readers() as read:
        yield read(width=390, height=844).open(address(site, serve, "http", request.param))


EVERY_PAGE = [*PAGES, "search", "genindex"]
EVERY_PAGE_SEEN = pytest.mark.parametrize("seen", EVERY_PAGE, indirect=True)
EVERY_PAGE_ON_A_PHONE = pytest.mark.parametrize("on_a_phone", EVERY_PAGE, indirect=True)
PAGES_SEEN = pytest.mark.parametrize("seen", PAGES, indirect=True)


def address(site, serve, scheme: str, name: str) -> str:
    base = site.as_uri() if scheme == "file" else serve(site)
    return f"{base}/{name}.html"


@contextlib.contextmanager
def unfolded(page):
    """The page with all that folds in its article open, as long as it is looked at."""
    folded = page.locator("article details:not([open])")
    handles = folded.element_handles()
    for handle in handles:
        handle.evaluate("node => { node.open = true }")
    yield
    for handle in handles:
        handle.evaluate("node => { node.open = false }")


def assert_whole(page):
    """Formulas are drawn in their font, and every image is there; its reader notes errors and requests."""
    page.evaluate("document.fonts.ready.then(() => true)")
    formulas = page.locator("article .math").count()
    drawn = page.locator("article .math > math").count()
    assert drawn == formulas, f"{formulas - drawn} of {formulas} formulas are not drawn"
    fonts = page.evaluate("[...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)")
    assert not formulas or "Book Mathematics" in str(fonts), f"formulas lack their font; loaded: {fonts}"
    broken = page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
    assert not broken, f"images do not load: {broken}"


def assert_accessible(page, barriers, in_scheme, shown=contextlib.nullcontext):
    """Axe finds nothing in either theme; ``shown`` changes what of the page is seen in the first."""
    with shown(page):
        found = barriers(page)
    in_scheme(page, "dark")
    found += [f"in the dark: {fault}" for fault in barriers(page, rules=COLOURS)]
    in_scheme(page, "light")
    assert not found, "\n".join(found)


@EVERY_PAGE_ON_A_PHONE
def test_opens_from_a_server_without_error_or_outside_request(on_a_phone):
    assert_whole(on_a_phone)


@EVERY_PAGE_SEEN
def test_opens_from_a_file_without_error_or_outside_request(seen):
    assert_whole(seen)


@EVERY_PAGE_SEEN
def test_has_no_accessibility_violation(seen, barriers, in_scheme):
    assert_accessible(seen, barriers, in_scheme)


@EVERY_PAGE_ON_A_PHONE
def test_has_no_accessibility_violation_on_a_phone(on_a_phone, barriers, in_scheme):
    assert_accessible(on_a_phone, barriers, in_scheme, unfolded)


@EVERY_PAGE_ON_A_PHONE
def test_a_phone_never_scrolls_sideways(on_a_phone):
    page = on_a_phone
    with unfolded(page):
        wide = page.evaluate(
            """() => document.documentElement.scrollWidth <= innerWidth ? [] :
            [...document.querySelectorAll("article *")]
              .filter(node => node.getBoundingClientRect().right > innerWidth + 1)
              .map(node => node.tagName + "." + node.className).slice(0, 5)"""
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"too wide: {wide}"
        cut = page.locator("article pre").evaluate_all(CUT)
        assert not cut, f"code that a phone cuts off or scrolls: {cut}"


def test_a_browser_without_mathml_shows_the_tex(site, read):
    reader = read()
    reader.page.add_init_script("delete window.MathMLElement;")
    page = reader.open(f"{site.as_uri()}/03_matrix_form.html")
    assert page.locator("article math").count() == 0
    assert r"\mathbf" in page.locator("article div.math code").first.inner_text()


def test_formulas_on_their_own_line_stand_in_the_middle(site, serve, read):
    page = read(width=900, height=900).open(address(site, serve, "file", "03_matrix_form"))
    off = page.evaluate(
        """() => [...document.querySelectorAll("article div.math")].map(line => {
          const outer = line.getBoundingClientRect();
          const inner = line.querySelector("math > semantics > *").getBoundingClientRect();
          const number = line.querySelector(".eqno");
          const end = number ? number.getBoundingClientRect().left : outer.right;
          return Math.abs((inner.left + inner.right) / 2 - (outer.left + end) / 2);
        })"""
    )
    assert off, "the page has no formula of its own line"
    assert max(off) < 30, f"pixels off the middle: {off}; does the formula take the room of its line?"


def test_no_line_begins_with_a_mark_after_a_formula(site, serve, read):
    page = read(width=390, height=844).open(address(site, serve, "file", "13_exercises"))
    for details in page.locator("article details").all():
        details.evaluate("node => { node.open = true }")
    followed, parted = page.evaluate(
        """() => {
          const followed = [], parted = [];
          for (const formula of document.querySelectorAll("article span.math")) {
            const after = document.createRange();
            after.setStartAfter(formula);
            after.setEndAfter(formula.closest("p, li, td, figcaption") ?? formula.parentElement);
            const walker = document.createTreeWalker(after.cloneContents(), NodeFilter.SHOW_TEXT);
            const mark = walker.nextNode()?.textContent[0];
            if (!mark || !"，。、；：？！）”".includes(mark)) continue;
            const next = formula.nextSibling;
            const text = document.createRange();
            text.setStart(next, 0);
            text.setEnd(next, 1);
            followed.push(mark);
            if (text.getBoundingClientRect().left < formula.getBoundingClientRect().right - 2)
              parted.push(formula.closest("p, li, td, figcaption").textContent.slice(0, 30));
          }
          return [followed, parted];
        }"""
    )
    assert len(followed) > 10, "the page has too few formulas before a mark to tell anything"
    assert not parted, f"a mark begins a line in {parted}"


@PAGES_SEEN
def test_the_first_screen_is_text(seen):
    for width, height in ((390, 844), (1280, 900)):
        seen.set_viewport_size({"width": width, "height": height})
        code = seen.locator("article pre").evaluate_all(
            """nodes => nodes.filter(node => node.checkVisibility()
              && node.getBoundingClientRect().top + scrollY < innerHeight).map(node => node.innerText)"""
        )
        assert not code, f"a reader begins with code at {width} px; does its cell need the tag lesson?"


@pytest.mark.parametrize("name", PAGES)
def test_no_page_ends_with_code(site, name):
    article = BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser").article
    for cell in [cell for cell in article.select("div.cell") if not cell.find_parent("details")][-1:]:
        behind = cell.find_all_next(["p", "li", "figcaption"])
        assert any(article in text.parents for text in behind), f"{cell['id']} ends the page"


@PAGES_SEEN
def test_no_chinese_is_slanted(seen):
    slanted = seen.locator("article em, article i").evaluate_all(
        """nodes => nodes.filter(node => /[\\u4e00-\\u9fff]/.test(node.textContent)
          && getComputedStyle(node).fontStyle != "normal").map(node => node.textContent)"""
    )
    assert not slanted, f"slanted: {slanted}"


@EVERY_PAGE_SEEN
def test_the_interface_is_chinese(seen):
    labels = seen.evaluate(INTERFACE)
    english = sorted(
        {
            text
            for text in set(labels) - {ENGLISH.name, ENGLISH.site.other}
            if set(re.findall(r"[A-Za-z]{2,}", text)) - LATIN and not re.search(r"[\u4e00-\u9fff]", text)
        }
    )
    assert not english, f"English is left in the interface: {english}"


@PAGES_SEEN
def test_every_image_says_what_it_shows(seen):
    alternatives = seen.locator("article img, article svg.plot").evaluate_all(
        "images => images.map(image => image.alt ?? image.getAttribute('aria-label'))"
    )
    poor = [alt for alt in alternatives if not re.search(r"[\u4e00-\u9fff]", alt)]
    assert not poor, (
        f"alt texts that say nothing: {poor}; set mystnb: {{image: {{alt: …}}}} in the cell's metadata"
    )


@PAGES_SEEN
def test_images_have_their_room_before_they_load(seen):
    for width in (390, 1280):
        seen.set_viewport_size({"width": width, "height": 900})
        images = seen.locator("article img").evaluate_all(
            """images => images.map(i => [i.getAttribute("src"),
              [i.getAttribute("width"), i.getAttribute("height")].map(Number),
              [i.naturalWidth, i.naturalHeight], [i.clientWidth, i.clientHeight]])"""
        )
        for source, given, natural, shown in images:
            assert given == natural, f"no room for {source}"
            assert shown[1] == pytest.approx(shown[0] * natural[1] / natural[0], abs=1), (
                f"{source}: distorted"
            )


def test_the_book_has_images(site):
    articles = (
        (site / f"{name}.html").read_text(encoding="utf-8").partition("<article")[2] for name in PAGES
    )
    assert any("<img" in article for article in articles)


@PAGES_SEEN
def test_every_bound_number_of_the_book_has_a_source(seen):
    bare = seen.locator("article data[value]").evaluate_all(
        """all => all.filter(data => !data.closest("form") && !data.closest("a.bound-value")?.dataset.hint)
                     .map(data => data.getAttribute("value"))"""
    )
    assert not bare, f"no source shown for {bare}"
    nowhere = seen.locator("article a.bound-value[href^='#']").evaluate_all(
        "links => links.map(link => link.hash.slice(1)).filter(id => !document.getElementById(id))"
    )
    assert not nowhere, f"links to cells that the page does not have: {nowhere}"


@pytest.mark.parametrize("name", PAGES)
def test_can_be_read_without_javascript(site, read, name):
    reader = read(java_script_enabled=False)
    reader.page.goto(f"{site.as_uri()}/{name}.html")
    text = reader.page.locator("article").inner_text()
    assert len(text) > 50, "the article is empty without JavaScript"
    for details in reader.page.locator("article details").all()[:3]:
        before = details.get_attribute("open")
        details.locator("summary").first.click()
        assert details.get_attribute("open") != before, "an answer does not unfold without JavaScript"
    assert not re.search(r"\\[(\[]", text), "formulas show their TeX without JavaScript"
    hidden = reader.page.locator("article .cell_output:not(details *)").evaluate_all(
        "nodes => nodes.filter(node => !node.offsetHeight).length"
    )
    assert hidden == 0, f"{hidden} outputs are invisible without JavaScript"


@PAGES_SEEN
def test_prints_with_every_answer_unfolded(seen):
    seen.emulate_media(media="print")
    seen.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    folded = seen.evaluate("document.querySelectorAll('article details:not([open])').length")
    assert folded == 0, "paper hides an answer; an explorer's own folds, out of a selector's reach, may stay"
    visible = [
        name
        for name in (".bd-sidebar-primary", ".prev-next-footer", ".copybtn")
        if seen.locator(name).count() and seen.locator(name).first.is_visible()
    ]
    assert not visible, f"paper shows {visible}"
    assert not seen.locator("article pre").evaluate_all(CUT), "paper cuts code at the right"
    seen.evaluate("window.dispatchEvent(new Event('afterprint'))")
    seen.emulate_media(media="screen")


@pytest.mark.parametrize("name", [*ENGLISH_PAGES, "en/search"])
def test_an_english_page_is_as_whole_as_its_counterpart(site, serve, read, barriers, name):
    """No error, no request outside, all drawn, English around the text, fit for a phone and for everyone."""
    page = read(width=390, height=844, locale="en-GB").open(address(site, serve, "file", name))
    assert_whole(page)
    chinese = {text for text in page.evaluate(INTERFACE) if re.search(r"[\u4e00-\u9fff]", text)}
    assert chinese <= {CHINESE.name, CHINESE.site.other}, "Chinese is left in the interface"
    found = barriers(page)
    assert not found, "\n".join(found)
    with unfolded(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "too wide for a phone"


def test_every_page_has_an_english_counterpart():
    assert [name.removeprefix("en/") for name in ENGLISH_PAGES] == PAGES
