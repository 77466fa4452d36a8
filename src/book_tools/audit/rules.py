"""Rules for a notebook's code cells and stored outputs: everything that nbval would let pass in silence."""

import ast
import fnmatch
import itertools
import json
import re

from book_tools.audit.printed import callee, printed_lines, tree_of
from book_tools.audit.quantities import quantities
from book_tools.audit.report import Finding
from book_tools.language import CHINESE
from book_tools.notebooks.files import WIDGET_VIEW, is_measured, untied_outputs

MEASURED_TAGS = {"measured", "nbval-ignore-output"}
DISPLAY_TAGS = {"hide-input", "hide-output", "hide-cell", "remove-input", "remove-cell"}
DISPLAY_TAGS |= {"scroll-output", "full-width", "margin", "output_scroll"}
LESSON = "lesson"  # code to be read: the site does not fold it
DISPLAY_TAGS |= {LESSON}
UNITS = {"s", "ms", "µs", "μs", "ns", "B", "KB", "MB", "GB", "KiB", "MiB", "GiB"}
UNITS |= {"GFLOP/s", "GFLOPS", "/s", "1/s", "tokens/s"}
_NBVAL_COMMENT = re.compile(r"#\s*(?:NBVAL_\w+|PYTEST_VALIDATE_IGNORE_OUTPUT)")
_REWRITING = ("clear_output", "update_display", "display_id")
_MACHINE_TRACE = re.compile(r"\b0x[0-9a-f]{6,}|(?:/home|/root|/tmp|/Users|/work)/\S+|[A-Z]:\\\\?Users")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_SECTION = re.compile(r"^## ", re.MULTILINE)
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')


def check_cells(notebook, page, language=CHINESE):
    """Yield the findings of one notebook's code cells, in order."""
    for number, expected in untied_outputs(notebook):
        yield Finding(page, number, None, _first_line(notebook.cells[number - 1].source), expected)
    count, guessing, begun = 0, False, False
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            begun = begun or bool(_SECTION.search(cell.source))
            if not language.figure_caption.match(cell.source):
                guessing = bool(language.marks.before_answer.search(cell.source))
            for tag in cell.metadata.get("tags", []):
                if tag.startswith("nbval") or tag == "raises-exception":
                    yield Finding(page, number, None, tag, "this tag means nothing on a text cell; remove it")
            continue
        count += 1
        if LESSON in cell.metadata.get("tags", []) and not begun:
            yield Finding(
                page,
                number,
                None,
                LESSON,
                "a page begins with text; open code stands below its first ## heading",
            )
        faults = itertools.chain(_cell_faults(cell, count), _reading_faults(cell, guessing, language))
        for text, expected in faults:
            yield Finding(page, number, None, text, expected)


def _reading_faults(cell, guessing, language):
    """What a reader of the plain notebook would miss, or see too early."""
    marks = language.marks
    if "figure" in cell.metadata.get("mystnb", {}):
        yield (
            "mystnb: figure",
            f"write the caption in a text cell below: **{marks.figure}**{marks.caption_gap}…",
        )
    explorer = any("-explorer" in str(output.get("data", {}).get("text/html", "")) for output in cell.outputs)
    hidden = cell.metadata.get("jupyter", {}).get("outputs_hidden")
    if guessing and cell.outputs and not explorer and not hidden:
        yield (
            _first_line(cell.source),
            'a guess comes first: "jupyter": {"outputs_hidden": true} in the cell\'s metadata',
        )


def _cell_faults(cell, count):
    if cell.execution_count != count:
        yield (
            f"execution count {cell.execution_count}",
            f"expected {count}: run `make refresh` on this page",
        )
    yield from _tag_faults(cell)
    yield from _source_faults(cell.source)
    if not cell.outputs and _prints(cell.source) and not _is_skipped(cell):
        yield (_first_line(cell.source), "its stored output is missing: run `make refresh`")
    seen_streams = set()
    for output in cell.outputs:
        if output.output_type == "stream":
            if output.name in seen_streams:
                yield (output.text[:60], f"{output.name} is stored in two pieces; run `make refresh`")
            seen_streams.add(output.name)
        yield from _output_faults(output, cell, count)
    if is_measured(cell):
        yield from _measured_faults(cell)


def _is_skipped(cell):
    return "nbval-skip" in cell.metadata.get("tags", [])


def _tag_faults(cell):
    tags = cell.metadata.get("tags", [])
    if not isinstance(tags, list):
        yield str(tags), "tags must be a list"
        return
    reasons = cell.metadata.get("reasons", {})
    for tag in tags:
        if tag in MEASURED_TAGS:
            if not set(tags) >= MEASURED_TAGS:
                yield (
                    tag,
                    "a measured cell has both tags, `measured` and `nbval-ignore-output`, any other neither",
                )
        elif tag not in DISPLAY_TAGS and not str(reasons.get(tag, "")).strip():
            yield tag, f'remove this tag, or give its reason in the metadata: "reasons": {{"{tag}": "…"}}'
    if _is_skipped(cell) and cell.outputs:
        yield "nbval-skip", "a cell that is never run may not show an output"


def _source_faults(source):
    for comment in _NBVAL_COMMENT.findall(source):
        yield comment, "comments may not switch checks off; a measured cell has tags and a reason"
    try:
        tree = tree_of(source)
    except SyntaxError as error:
        yield _first_line(source), f"does not parse: {error.msg}"
        return
    for node in ast.walk(tree):
        name = getattr(node, "attr", getattr(node, "id", getattr(node, "arg", None)))
        if name in _REWRITING and isinstance(node, ast.Attribute | ast.Name | ast.keyword):
            yield name, "nbval cannot follow output that is rewritten; show each result once"


def _prints(source):
    """Say whether the cell surely writes output: it calls show or print, or draws, outside any definition."""
    try:
        tree = tree_of(source)
    except SyntaxError:
        return False
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.If | ast.Try | ast.With):
            continue
        calls = (callee(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call))
        if not {"show", "print", "display"}.isdisjoint(calls):
            return True
    last = tree.body[-1] if tree.body else None
    return isinstance(last, ast.Expr) and isinstance(
        last.value, ast.Name | ast.BinOp | ast.Compare | ast.Subscript
    )


def _output_faults(output, cell, count):
    refresh = "run `make refresh`"
    if output.output_type == "error":
        if "raises-exception" not in cell.metadata.get("tags", []):
            yield f"{output.ename}: {output.evalue}", "a stored output is an error"
        return
    if output.output_type == "stream":
        text = output.text
        if output.name != "stdout":
            yield text[:60], "stored outputs hold no warnings or progress bars (stderr); mend the cause"
        if re.search(r"\r(?!\n)", text) or "\b" in text:
            yield (
                text[:60],
                "text before a carriage return or a backspace is never compared; print whole lines",
            )
        yield from _text_faults(text)
        return
    if output.output_type == "execute_result" and output.get("execution_count") != count:
        yield f"result numbered {output.get('execution_count')}", f"expected {count}: {refresh}"
    data = output.get("data", {})
    if WIDGET_VIEW in data:
        yield WIDGET_VIEW, f"a stored widget view holds random ids: {refresh}"
    plain = str(data.get("text/plain", ""))
    if plain.startswith("<Figure") and not any(mime.startswith("image/") for mime in data):
        yield plain, f"the picture of this figure is missing: {refresh}"
    if "image/png" in data and not str(data["image/png"]).strip().startswith("iVBOR"):
        yield str(data["image/png"])[:20], f"not a PNG picture: {refresh}"
    if "image/svg+xml" in data and not "".join(data["image/svg+xml"]).startswith("<svg "):
        yield "".join(data["image/svg+xml"])[:20], f"not an SVG picture: {refresh}"
    for mime in ("text/plain", "text/html"):
        yield from _traces(str(data.get(mime, "")))


def _traces(text):
    trace = _MACHINE_TRACE.search(text)
    if trace:
        yield trace[0], "an address or a path of one machine; print something that is the same everywhere"


def _text_faults(text):
    yield from _traces(text)
    for line in text.splitlines():
        if _IDEOGRAPH.search(_QUOTED.sub("", line)):
            yield line, "printed output holds symbols, tokens (in quotes) and numbers, no prose"


def _measured_faults(cell):
    entry = cell.metadata.get("measured")
    if not isinstance(entry, dict) or not str(entry.get("reason", "")).strip():
        yield (
            "measured",
            'say why in the cell\'s metadata: "measured": {"reason": "…", "bounds": {"time.x": [0, 60]}}',
        )
        return
    bounds = entry.get("bounds", {})
    text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    lines = dict(printed_lines(text))
    for line in text.splitlines():
        if quantities(line) and " =" not in line and not line.startswith("  "):
            yield (
                line,
                "a measured number needs a label and a unit: print it with show(key, value, digits, unit)",
            )
    for key, value in lines.items():
        yield from _bound_faults(key, value, bounds)


def _bound_faults(key, value, bounds):
    limits = next((limit for pattern, limit in bounds.items() if fnmatch.fnmatchcase(key, pattern)), None)
    if limits is None:
        yield key, f'state a bound in the metadata: "measured": {{"bounds": {{"{key}": [low, high]}}}}'
        return
    if not (
        isinstance(limits, list) and len(limits) == 2 and all(isinstance(end, int | float) for end in limits)
    ):
        yield json.dumps(limits), "a bound is [low, high], in the unit printed"
        return
    unit = value.text.rsplit(" ", 1)[-1] if " " in value.text else ""
    in_key = re.split(r"[._]", key)[-1] in UNITS  # a matrix has its unit in the key: `time.by_length_ms`
    if unit not in UNITS and not in_key and not key.startswith("ratio"):
        yield f"{key} = {value.text}", f"a measured number needs a unit, one of {', '.join(sorted(UNITS))}"
    texts = [entry for row in value.rows for entry in row] or [value.text]
    for number in (number for text in texts for number in quantities(text)):
        if not limits[0] <= number.value <= limits[1]:
            yield f"{key} = {value.text}", f"lies outside its stated bound {limits[0]} … {limits[1]}"


def _first_line(source):
    return source.strip().splitlines()[0] if source.strip() else ""
