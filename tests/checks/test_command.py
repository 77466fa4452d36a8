"""The audit as a command, in the encoding of a Chinese Windows."""

import os
import subprocess
import sys

from book_tools.notebooks.files import to_bytes


def test_a_finding_that_gbk_cannot_spell_is_told_all_the_same(page, tmp_path):
    page.cells[0].source += "\n\n共 12 层，x²"
    path = tmp_path / "page.ipynb"
    path.write_bytes(to_bytes(page))
    result = subprocess.run(
        [sys.executable, "-m", "book_tools.audit", str(path)],
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "gbk"},
        capture_output=True,
        text=True,
        encoding="gbk",
        check=False,
    )
    assert result.returncode == 1, result.stderr
    assert "\\xb2" in result.stdout
    assert result.stdout.endswith("to mend\n")
