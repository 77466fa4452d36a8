"""Self-contained pages: no request leaves them, light and dark, escaped text."""

import base64
import hashlib
import html

from book_grading import sheets, words

STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --soft: #f6f8fa; --note: #7a4b00; --bar: #0969da;
        --ink: #1f2328; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --soft: #161b22; --note: #e3b341; --bar: #4493f8;
          --ink: #e6edf3; --page: #0d1117; }
  a { color: #4493f8; }
}
body { font: 16px/1.7 "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif; max-width: 50rem;
       margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--page); }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; }
th { text-align: left; } td.bar { width: 50%; }
td.bar i { display: block; height: 1em; background: var(--bar); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .8rem; }
li { margin: .2rem 0; } .note { color: var(--note); }
math[display=block] { margin: .5rem 0; overflow: auto hidden; }
.wide { overflow-x: auto; } .pair { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; }
article { border-top: 1px solid var(--line); padding: .5rem 0; }
article:focus-within { background: var(--soft); }
input, textarea, button { font: inherit; } textarea { width: 100%; box-sizing: border-box; }
.bar-top { position: sticky; top: 0; background: var(--page); padding: .4rem 0;
           border-bottom: 1px solid var(--line); }
"""


def write_page(path, title, body, script=""):
    """Write a page that loads nothing and runs no script but the one given, by its digest."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"; script-src 'sha256-{digest}'" if script else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline'{allowed}"
    tail = f"<script>{script}</script>" if script else ""
    page = (
        f'<!DOCTYPE html>\n<html lang="{words.LANGUAGE}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>"
        f"<body>\n<main>\n<h1>{text(title)}</h1>\n{body}\n</main>\n{tail}</body></html>\n"
    )
    sheets.write_whole(path, page.encode("utf-8", "backslashreplace"))


def text(value):
    """Escape text for a page."""
    return html.escape(str(value))


def paragraph(value, note=False):
    """Return a paragraph of escaped text, as a remark if it is one."""
    return f'<p class="note">{text(value)}</p>' if note else f"<p>{text(value)}</p>"


def bullets(lines):
    """Return a list of escaped lines."""
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def table(header, rows):
    """Return a table of escaped cells."""
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{text(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def bars(header, counts):
    """Return a histogram as a table: {label: count}, each count with a bar beside it."""
    most = max(counts.values(), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{text(label)}</th><td>{count}</td>'
        f'<td class="bar"><i style="width: {100 * count / most:.0f}%"></i></td></tr>'
        for label, count in counts.items()
    )
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in header)
    return f'<table><thead><tr>{head}<td class="bar"></td></tr></thead><tbody>{rows}</tbody></table>'


def number(value):
    """Return a whole number as an int, so that tables show 3 and not 3.0; nothing for None."""
    if value is None:
        return ""
    return int(value) if float(value).is_integer() else round(float(value), 2)
