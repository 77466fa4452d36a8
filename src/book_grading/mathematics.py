"""Students' Markdown and LaTeX as HTML and MathML, made in a process of its own.

What students write can hang or crash a converter (unbalanced brackets take 2ⁿ steps, deep nesting ends the
process), so each text gets half a second of CPU time there, and shows as it is where that is not enough.
Started as a program, it reads a JSON list of texts and writes one JSON line for each.
"""

import html
import json
import subprocess
import sys

CPU_SECONDS = 0.5
LONGEST_FORMULA = 2000
MEMORY = 1 << 30


def render(texts):
    """Return each text as safe HTML; one that cannot be rendered comes back escaped, as written."""
    rendered = []
    while len(rendered) < len(texts):
        lines = convert(texts[len(rendered) :])
        rendered += lines
        if len(rendered) < len(texts):
            rendered.append(as_written(texts[len(rendered)]))
    return rendered


def as_written(text):
    """Return a text escaped, as it was written."""
    return f"<pre>{html.escape(text)}</pre>"


def convert(texts):
    """Return the HTML of the texts up to the first that ended the converter."""
    line = [sys.executable, "-I", "-X", "utf8", __file__]
    run = subprocess.run(line, input=json.dumps(texts).encode(), capture_output=True, check=False)
    return [json.loads(made) for made in run.stdout.split(b"\n")[:-1]]


def main():
    """Convert the texts on standard input, each within its own CPU time."""
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    renderer = make_renderer()
    for text in json.load(sys.stdin):
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
        made = renderer.render(text)
        print(json.dumps(made), flush=True)


def make_renderer():
    """Return a renderer of plain Markdown with formulas: no HTML, no links, no pictures."""
    from markdown_it import MarkdownIt
    from math_core import LatexError, LatexToMathML
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    converter = LatexToMathML()

    def formula(tex, options):
        """Return a formula's MathML, or its text where the converter does not know a command."""
        if len(tex) > LONGEST_FORMULA:
            return f"<code>{html.escape(tex)}</code>"
        try:
            return converter.convert_with_local_state(tex, displaystyle=options["display_mode"])
        except LatexError:
            return f"<code>{html.escape(tex)}</code>"

    markdown = (
        MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])
    )
    markdown.use(dollarmath_plugin, renderer=formula, allow_labels=False, double_inline=True)
    return markdown.use(amsmath_plugin, renderer=lambda tex: formula(tex, {"display_mode": True}))


if __name__ == "__main__":
    main()
