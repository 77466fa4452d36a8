"""What the audit says when something is wrong: where it is, what stands there and what was expected."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Finding:
    """One fault: page, cell (from 1, over all cells), line in it, the text, and what was expected."""

    page: str
    cell: int | None
    line: int | None
    text: str
    expected: str

    def __str__(self):
        place = self.page
        if self.cell is not None:
            place += f": cell {self.cell}"
        if self.line is not None:
            place += f", line {self.line}"
        shown = " ".join(self.text.split())
        quoted = f" “{shown[:90]}…”" if len(shown) > 90 else f" “{shown}”" if shown else ""
        return f"{place}:{quoted} {self.expected}"
