"""A page's policy, with one of each planted: script, style, picture, data from elsewhere, inline script."""

import pytest

PLANTED = {
    "script-src-elem": '<script src="https://elsewhere.example/x.js"></script>',
    "style-src-elem": '<link rel="stylesheet" href="https://elsewhere.example/x.css">',
    "img-src": '<img src="https://elsewhere.example/x.png">',
    "connect-src": "",  # asked for by a script below
    "script-src-attr": '<img src="data:," onerror="window.ran = true">',
    "inline": "<script>window.ran = true</script>",
}


@pytest.fixture(scope="module")
def source(small_site):
    return (small_site / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_what_the_policy_forbids_is_refused(small_site, source, serve, browser, patience, scheme, kind):
    """The page is changed as somebody would who gets a line into it; the policy stands before that line."""
    planted = PLANTED[kind]
    name = f"planted-{kind}.html"
    (small_site / name).write_text(source.replace("</article>", f"{planted}</article>"), encoding="utf-8")
    base = small_site.as_uri() if scheme == "file" else serve(small_site)
    context = browser.new_context()
    context.set_default_timeout(patience)
    page = context.new_page()
    page.add_init_script(
        "window.refused = new Promise(tell => addEventListener("
        "'securitypolicyviolation', event => tell(event.effectiveDirective)))"
    )
    page.goto(f"{base}/{name}")
    if kind == "connect-src":
        page.evaluate("fetch('https://elsewhere.example/x.json').catch(() => 0)")
    refused = page.evaluate(
        "patience => Promise.race([refused, new Promise(done => setTimeout(done, patience, 'nothing'))])",
        patience,
    )
    assert not page.evaluate("window.ran ?? false"), "a planted script has run"
    expected = "script-src-elem" if kind == "inline" else kind
    assert refused == expected, f"the policy lets {kind} pass; refused: {refused}"
    context.close()
    (small_site / name).unlink()
