"""The audit as a command, in the encoding of a Chinese Windows; and what may be published."""

import os
import subprocess
import sys

import yaml

from book_tools.notebooks.files import ROOT, to_bytes


def test_a_finding_that_gbk_cannot_spell_is_named_all_the_same(page, tmp_path):
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


def test_only_pages_that_the_tests_have_read_are_published():
    publishing = {}
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        for name, job in jobs.items():
            if any("deploy-pages" in step.get("uses", "") for step in job["steps"]):
                publishing[name] = [jobs[need] for need in job["needs"]]
                assert not any("run" in step for step in job["steps"]), f"{name} builds what no test has read"
    assert publishing, "no workflow publishes the book"
    for name, needed in publishing.items():
        steps = [step for job in needed for step in job["steps"]]
        tested = [index for index, step in enumerate(steps) if step.get("run") == ".ci/run"]
        uploaded = [index for index, step in enumerate(steps) if "upload-pages" in step.get("uses", "")]
        assert [*tested, *uploaded] == sorted([*tested, *uploaded]), f"{name} uploads what is not tested yet"
        assert len(tested) == len(uploaded) == 1, f"{name} must wait for .ci/run, and take the site from it"
