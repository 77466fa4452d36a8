"""Pages carry what they use: style sheets without rules for what no page has, few icons, short scripts.

A rule is dropped only if one of its classes or ids stands nowhere in the site's pages and scripts, as a word.
"""

import re
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx

from book_tools.site.explorers import shorten
from book_tools.site.mathematics_font import subset
from book_tools.site.pages import Page, on_page

WORD = re.compile(r"[\w-]+")
NAME = re.compile(r"[.#](-?[A-Za-z_][\w-]*)")
THEME = re.compile(r"\[data-theme=[\"']?(dark|light)[\"']?\]")
ICON = re.compile("[\ue000-\uf8ff]")  # icons stand in the area that Unicode leaves to private use
MODELS = "models"  # their scripts are numbers: megabytes without a class
AS_WRITTEN = ("explorer", "search-text")  # explorers are shortened where they are written; texts are data
LATE = ("mystnb.*.css", "search-text.js", "mathematics.css")
SPHINX_SEARCH = ("searchtools.js", "language_data.js", "searchindex.js", "sphinx_highlight.js")


def words(folder: Path) -> set[str]:
    """Return every word of the site's pages and scripts; a script may add any class that it names."""
    found: set[str] = set()
    for pattern in ("*.html", "_static/**/*.js"):
        for path in folder.glob(pattern):
            if path.parent.name != MODELS:
                found.update(WORD.findall(path.read_text(encoding="utf-8")))
    return found


def used_rules(rules: list, known: set[str]) -> list:
    """Return the rules, and within `@media` and the like the rules in it, that can meet an element."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            if selectors := _used_selectors(rule.prelude, known):
                rule.prelude = selectors
                kept.append(rule)
        elif rule.type == "at-rule" and rule.at_keyword in ("media", "supports", "layer") and rule.content:
            inner = used_rules(_rules(rule.content), known)
            if inner:
                rule.content = inner
                kept.append(rule)
        else:
            kept.append(rule)
    return kept


def _rules(source) -> list:
    return tinycss2.parse_rule_list(source, skip_comments=True, skip_whitespace=True)


def _used_selectors(prelude: list, known: set[str]) -> list:
    selectors, current = [], []
    for token in [*prelude, None]:
        if token is not None and not (token.type == "literal" and token.value == ","):
            current.append(token)
            continue
        text = re.sub(r":(?:not|is|where|has)\(.*\)", "", tinycss2.serialize(current))
        if all(name in known for name in NAME.findall(text)):
            comma = [tinycss2.ast.LiteralToken(0, 0, ",")] if selectors else []
            selectors += [*comma, *current]
        current = []
    return selectors


def rules_without_script(rules: list) -> str:
    """Repeat the rules of both themes for `data-theme="auto"`, which holds until a script runs."""
    repeated = {"dark": [], "light": []}
    for rule in rules:
        if rule.type == "qualified-rule" and (theme := THEME.search(tinycss2.serialize(rule.prelude))):
            repeated[theme[1]].append(THEME.sub('[data-theme="auto"]', rule.serialize()))
    return "".join(
        f"@media (prefers-color-scheme: {theme}) {{{''.join(texts)}}}\n"
        for theme, texts in repeated.items()
        if texts
    )


def drop_late_files(app: Sphinx) -> None:
    """Remove what a build writes after its pages: they would name the earlier build's file by its digest."""
    for pattern in LATE:
        for path in Path(app.outdir, "_static").glob(pattern):
            path.unlink()


def shrink(app: Sphinx, error: Exception | None) -> None:
    """Cut style sheets, icon fonts and scripts to what pages use, and drop what no browser asks for."""
    # A build that writes no page copies no file again: all are cut already.
    if error or app.builder.format != "html" or not app.pages_written:
        return
    folder = Path(app.outdir)
    known, icons = words(folder), set()
    for path in sorted(folder.glob("_static/**/*.css")):
        rules = used_rules(_rules(path.read_text(encoding="utf-8")), known)
        text = tinycss2.serialize(rules) + rules_without_script(rules)
        path.write_text(text, encoding="utf-8")
        if "mathematics" not in path.name:
            icons.update(ICON.findall(text))
    for path in folder.glob("_static/*.js"):
        if not path.name.startswith(AS_WRITTEN):
            path.write_text(shorten(path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in folder.glob("_static/vendor/**/*.woff2"):
        path.write_bytes(subset(path, icons))
    for pattern in ("**/*.map", "**/*.ttf", "**/*.po", "**/*.mo"):
        for path in folder.glob(f"_static/{pattern}"):
            path.unlink()


def drop_sphinx_search(page: Page) -> None:
    """Load no script of Sphinx's search, which the theme names on some pages: search.py takes its place."""
    for script in page.soup.find_all(
        "script", src=lambda src: src and src.split("?")[0].endswith(SPHINX_SEARCH)
    ):
        script.decompose()


def setup(app: Sphinx) -> dict[str, object]:
    """Shrink what was built, last of all."""
    app.connect("builder-inited", drop_late_files)
    app.connect("build-finished", shrink, priority=900)
    on_page(app, drop_sphinx_search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
