"""What surrounds the explorers: scripts, size, addresses, languages, themes, readers without scripts."""

import gzip
import importlib.util
import re

import pytest
from playwright.sync_api import expect

from book_tools.site.explorers import shorten
from transformer_book.widgets import bundle

KINDS = tuple(bundle.KINDS)
NARROW = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


def scripts_of(site, name: str) -> list[str]:
    return re.findall(r'src="_static/(explorer[^"?]*)', (site / f"{name}.html").read_text(encoding="utf-8"))


def test_pages_load_their_own_explorers_and_no_others(explorer_site):
    assert scripts_of(explorer_site, "plain") == []
    assert scripts_of(explorer_site, "attention") == ["explorers.js", "explorer-attention.js"]
    assert scripts_of(explorer_site, "heads") == [
        "explorers.js",
        "explorer-model.js",
        "explorer-heads.js",
        "explorers-heads-smollm2.js",
        "explorers-heads-minilm.js",
    ]
    assert scripts_of(explorer_site, "generation") == [
        "explorers.js",
        "explorer-model.js",
        "explorer-generation.js",
    ]


@pytest.mark.skipif(
    importlib.util.find_spec("minify") is None, reason="no minifier here: requirements-test.txt"
)
def test_the_code_is_small(monkeypatch):
    monkeypatch.setattr(bundle, "_styles", lambda name, sheet: f'const {name} = "";')  # sheets are no scripts
    scripts = bundle.page_scripts(KINDS, shorten) | bundle.later_scripts(KINDS, shorten)
    code = sum(len(gzip.compress(text.encode())) for text in scripts.values())
    assert code < 70_000, f"{code} bytes of compressed code for all explorers"


def test_the_data_are_small(explorer_site):
    for name in KINDS:
        packs = [script for script in scripts_of(explorer_site, name) if script.startswith("explorers-")]
        data = sum((explorer_site / "_static" / pack).stat().st_size for pack in packs)
        assert data < 600_000, f"{data} bytes of data on the page of the {name} explorer"


@pytest.mark.parametrize("kind", KINDS)
def test_an_explorer_s_rules_are_its_own(kind):
    """Each explorer loads its own rules alone, so what another one needs has to stand in core.css."""
    rules = re.findall(r"^(?!@|[ }])(.*?) \{", bundle.source(f"css/{kind}.css"), re.MULTILINE)
    strangers = [part for rule in rules for part in rule.split(", ") if not part.startswith(f".{kind} ")]
    assert not strangers


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_moves_and_nothing_sticks_out(read, explorer_site, wait_until, kind):
    for options in ({"width": 1280}, NARROW):
        reader = read(**options)
        reader.page.add_init_script(
            "window.moved = 0; const add = (entries) => entries.forEach((e) => (window.moved += e.value));"
            "window.movements = new PerformanceObserver((list) => add(list.getEntries()));"
            "window.movements.observe({ type: 'layout-shift', buffered: true });"
            "window.allMoved = () => { add(window.movements.takeRecords()); return window.moved; };"
        )
        page = reader.open(f"{explorer_site.as_uri()}/{kind}.html")
        if kind == "heads":
            wait_until(page.locator("heads-explorer").first, "e.values.weights")
        reader.settle()  # by now every movement has been reported
        assert page.evaluate("window.allMoved()") < 0.01, f"the page moves while loading, {options}"
        assert page.evaluate("document.documentElement.scrollWidth") <= options["width"]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(read, explorer_site, opened, barriers, in_scheme, kind):
    page = read(color_scheme="dark", reduced_motion="reduce").open(f"{explorer_site.as_uri()}/{kind}.html")
    explorer = page.locator(f"{kind}-explorer").first
    explorer.wait_for()
    if kind == "attention":
        explorer.get_by_role("radio", name="因果").check()
    if kind in bundle.RUN_MODELS:
        opened(page, kind).load_model()
    for scheme in ("dark", "light"):
        in_scheme(page, scheme)
        assert (scheme == "dark") == explorer.evaluate("e => e.host.root.classList.contains('dark')")
        found = barriers(page, f"{kind}-explorer")
        assert not found, f"{scheme}:\n" + "\n".join(found)


@pytest.fixture(scope="module")
def without_scripts(request, explorer_site, readers):
    """A kind of explorer and its page without scripts, opened once for all tests that look at it."""
    with readers() as read:
        yield (
            request.param,
            read(java_script_enabled=False).open(f"{explorer_site.as_uri()}/{request.param}.html"),
        )


@pytest.mark.parametrize("without_scripts", KINDS, indirect=True)
def test_without_scripts_a_table_stands_in(without_scripts):
    kind, page = without_scripts
    table = page.locator(f"{kind}-explorer table").first
    assert table.is_visible()
    expected = {
        "attention": "0.665",
        "scaling": "1/16",
        "position": "0.841",
        "rotary": "n - m = 2",
        "heads": "0.919",
        "generation": "江",
        "translation": "0.615",
        "digits": "0.566",
        "weights": "0.266",
        "vectors": "0.665",
        "training": "0.904",
        "circuit": "8.793",
    }
    text = page.locator(f"{kind}-explorer").first.inner_text()
    if kind != "scaling":
        assert expected[kind] in text
    prose = re.findall(r"[\u4e00-\u9fff]{2,}", text)
    assert not prose, f"stored outputs hold no prose: {prose}"


@pytest.mark.parametrize("without_scripts", KINDS, indirect=True)
def test_numbers_of_the_table_stand_apart(without_scripts):
    kind, page = without_scripts
    gaps = page.locator(f"{kind}-explorer table").evaluate_all(
        "tables => tables.map(table => parseFloat(getComputedStyle(table).borderSpacing))"
    )
    assert min(gaps) >= 8, f"pixels between the cells: {gaps}"


def test_the_table_gives_way_to_the_explorer(explore_once):
    explorer = explore_once("attention")
    assert not explorer.page.locator("attention-explorer > table").first.is_visible()


@pytest.mark.parametrize("kind", ["attention", "heads"])
def test_paper_is_white_and_shows_colours(read, explorer_site, kind):
    page = read(color_scheme="dark").open(f"{explorer_site.as_uri()}/{kind}.html")
    page.emulate_media(media="print")
    root = page.locator(f"{kind}-explorer .explorer").first
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(root).to_contain_class("light")
    assert root.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact", (
        "white digits on white paper"
    )
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(root).to_contain_class("dark")


@pytest.mark.parametrize(("kind", "known"), [("attention", True), ("generation", False)])
def test_paper_has_the_table_of_what_nobody_has_called_for(read, explorer_site, kind, known):
    page = read().open(f"{explorer_site.as_uri()}/{kind}.html")
    found = page.locator(f"{kind}-explorer").first
    root, table = found.locator(".explorer"), found.locator("xpath=./table").first
    expect(root).to_be_visible()
    expect(table).not_to_be_visible()
    page.emulate_media(media="print")
    expect(root).to_be_visible(visible=known)
    expect(table).to_be_visible(visible=not known)


@pytest.mark.parametrize("kind", KINDS)
def test_labels_follow_the_language_of_the_page(read, explorer_site, kind):
    chinese = explorer_site / f"bare-{kind}.html"
    english = chinese.with_name(f"english-{kind}.html")
    english.write_text(
        chinese.read_text(encoding="utf-8").replace('lang="zh-CN"', 'lang="en"', 1), encoding="utf-8"
    )
    words, reader = {}, read(locale="de-DE")
    for name in (chinese, english):
        page = reader.open(name.as_uri())
        explorer = page.locator(f"{kind}-explorer").first
        words[name] = explorer.evaluate("e => e.host.root.getAttribute('aria-label') + e.host.root.innerText")
    numeral = "[零一二三四五六七八九十百千万]"  # what the translator translates is no label
    words = {
        name: re.findall(r"[\u4e00-\u9fff]{2,}", re.sub(numeral, "", text)) for name, text in words.items()
    }
    assert words[chinese]
    assert not words[english]


def test_a_setting_travels_in_the_address(explore):
    explorer = explore("attention", 1)
    explorer.radio("滑动窗口")
    explorer.element.get_by_role("switch").check()
    explorer.element.get_by_label("X 1, 2", exact=True).fill("0.25")
    explorer.element.get_by_label("X 1, 2", exact=True).press("Enter")
    explorer.element.get_by_label("词元 2", exact=True).fill("a,b;c:猫&d")
    explorer.element.get_by_label("词元 2", exact=True).press("Enter")
    expect(explorer.page).to_have_url(re.compile("attention-2=.*tokens:.*%E7%8C%AB"))
    address = explorer.page.url
    names = ("scaled", "mask", "X", "tokens", "Omega_q")
    kept = [explorer.state(name) for name in names]
    explorer.page.goto("about:blank")
    explorer.page.goto(address)
    explorer.page.wait_for_load_state("load")
    explorer.element.wait_for()
    assert [explorer.state(name) for name in names] == kept
    explorer.element.get_by_role("button", name="复原").click()
    expect(explorer.page).to_have_url(re.compile(r"html(\?(?!.*attention).*)?$"))


def test_a_drag_is_written_in_the_address_once(explore_once):
    explorer = explore_once("scaling")
    explorer.page.evaluate(
        """() => {
          globalThis.writings = 0;
          const { replaceState } = history;
          history.replaceState = (...given) => { writings += 1; return replaceState.apply(history, given); };
        }"""
    )
    explorer.element.evaluate("e => { for (let draws = 1; draws <= 100; draws += 1) e.state = { draws }; }")
    expect(explorer.page).to_have_url(re.compile("scaling=draws:100"))
    assert explorer.page.evaluate("writings") == 1


BROKEN_SETTINGS = """
    attention=mask:sideways attention=X:1,2*3 attention=%E0%A4%A attention=query:99
    attention=nothing:1 attention=causal scaling=draws:1e9 position=size:3 rotary=q:1,2,3;k:1,2,3
    heads=layer:99 heads=catalogue:1 generation=seed:1.5 translation=text: translation=layer:2
    digits=pixels:0 digits=sample:11 weights=weights:0.5,0.5 weights=weights:2,-1,0,0,0,0,0,0,0,0,0,0
    vectors=q:5,0 vectors=K:1,2 vectors=key:6 generation=top_p:2 training=seed:100 training=given:1
    circuit=deleted:L30H0 circuit=deleted:16,0 circuit=deleted:L16H0,L3H0 circuit=model:gpt5
    circuit=ablation:half
"""


@pytest.fixture(scope="module")
def reader(readers):
    """A reader who opens one address after the other; a page keeps its setting in its address alone."""
    with readers() as read:
        yield read()


@pytest.mark.parametrize("setting", [*BROKEN_SETTINGS.split(), f"generation=text:{'%E4%B8%80' * 34}"])
def test_a_broken_address_keeps_the_page_s_own_setting(reader, opened, explorer_site, setting):
    kind = setting.partition("=")[0]
    explorer = opened(reader.open(f"{explorer_site.as_uri()}/bare-{kind}.html?{setting}"), kind)
    expect(explorer.element.locator(".complaint")).to_contain_text("链接里的设置读不懂")
    own = "e => JSON.stringify(e.state) === JSON.stringify(e.host.store.initial)"
    assert explorer.element.evaluate(own)


def test_the_link_button_says_where_the_setting_is(explore_once):
    explorer = explore_once("attention")
    explorer.radio("因果")
    explorer.element.get_by_role("button", name="复制链接").click()
    expect(explorer.element.locator(".complaint")).to_contain_text(re.compile("链接|地址栏"))
    expect(explorer.element.locator(".complaint")).not_to_contain_class("problem")
    assert "attention=mask:causal" in explorer.page.url


def test_a_copied_link_leads_to_the_explorer(read, explorer_site, opened):
    explorer = opened(read(height=300).open(f"{explorer_site.as_uri()}/attention.html"), "attention", 1)
    explorer.element.get_by_role("button", name="复制链接").click()
    expect(explorer.element.locator(".complaint")).to_contain_text(re.compile("链接|地址栏"))
    copied = explorer.page.url
    explorer.page.goto("about:blank")
    explorer.page.goto(copied)
    expect(explorer.element).to_be_in_viewport()


def test_a_complaint_stands_at_its_field(explore_once):
    explorer = explore_once("attention")
    for label, bad in (("X 2, 1", "abc"), ("词元 2", " ")):
        field = explorer.element.get_by_label(label, exact=True)
        field.fill(bad)
        field.press("Enter")
        at, complaint = field.bounding_box(), explorer.element.locator(".complaint").bounding_box()
        assert 0 < complaint["y"] - at["y"] < 250, "the complaint stands far from what was typed"
        assert field.get_attribute("aria-invalid") == "true"
        field.press("Escape")
        assert field.get_attribute("aria-invalid") is None
    explorer.element.get_by_role("button", name="复制链接").click()
    expect(explorer.element.locator(".footer .complaint")).to_have_count(1)


def test_changes_are_undone_one_by_one(explore_once):
    explorer = explore_once("attention")
    undo = explorer.element.get_by_role("button", name="撤销")
    expect(undo).to_be_disabled()
    explorer.radio("因果")
    explorer.element.get_by_role("switch").check()
    explorer.element.get_by_role("button", name="复原").click()
    seen = []
    for _ in range(3):
        undo.click()
        seen.append((explorer.state("mask"), explorer.state("scaled")))
    assert seen == [("causal", True), ("causal", False), ("none", False)]
    expect(undo).to_be_disabled()


def test_weights_that_do_not_come_leave_the_table_of_pages_without_scripts(browser, explorer_site, opened):
    """A failed request is the point here, and a reader of `read` must have none."""
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    page.route("**/explorers-heads-*.js*", lambda route: route.abort())
    page.goto(f"{explorer_site.as_uri()}/bare-heads.html")
    explorer = opened(page, "heads")
    expect(explorer.element.get_by_text("权重没有载入。")).to_be_visible()
    expect(explorer.element.locator("> table")).to_be_visible()
    expect(explorer.element.locator("table.matrix")).to_be_hidden()
    expect(explorer.element.get_by_text("正在载入权重")).to_be_hidden()
    explorer.element.get_by_role("combobox").select_option(index=1)
    expect(explorer.element.locator("> table")).to_be_hidden()  # it shows another sentence
    context.close()


def test_weights_come_as_a_reader_comes_near(browser, explorer_site, opened, wait_until):
    """One model's, when its explorer is near; the other model's when a reader chooses it."""
    text = (explorer_site / "bare-heads.html").read_text(encoding="utf-8")
    far = explorer_site / "far-heads.html"
    far.write_text(text.replace("<main>", '<main><div style="height: 9000px"></div>'), encoding="utf-8")
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2].partition("?")[0]))
    page.goto(far.as_uri(), wait_until="load")
    explorer = opened(page, "heads")
    expect(explorer.element).to_be_attached()
    assert not [name for name in asked if name.startswith("explorers-")]
    explorer.element.scroll_into_view_if_needed()
    expect(explorer.element.locator("table.matrix")).to_be_visible()
    assert [name for name in asked if name.startswith("explorers-")] == ["explorers-heads-smollm2.js"]
    explorer.element.evaluate("e => e.host.view.setModel('minilm')")
    wait_until(explorer.element, "e.values.maps !== null")
    assert asked[-1] == "explorers-heads-minilm.js"
    context.close()


def test_a_reader_who_wants_stillness_gets_it(explore_once):
    explorer = explore_once("attention", reduced_motion="reduce")
    moved = "e => getComputedStyle(e.shadowRoot.querySelector('.track'), '::before').transitionProperty"
    assert explorer.element.evaluate(moved) == "none"


def test_touch_targets_are_large(explore_once):
    explorer = explore_once("attention", **NARROW)
    for role in ("button", "radio", "switch"):
        for control in explorer.element.get_by_role(role).all():
            if control.is_visible():
                box = control.bounding_box()
                assert min(box["width"], box["height"]) >= 32, control.get_attribute("aria-label")
