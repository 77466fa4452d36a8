"""What a real `pytest --nbval` says about planted faults: it names the cell, and passes over nothing."""

import base64
import copy
import io
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image, ImageOps

from book_tools.mutation.trials import failed_cells
from book_tools.notebooks.comparison import differences
from book_tools.notebooks.files import ROOT, to_bytes

PAGE = Path(__file__).parents[1] / "checks" / "fixtures" / "page.ipynb"
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="stored outputs are made on Linux; elsewhere nbval compares text alone"
)
VALUES, DRAWING = 1, 5


def test_a_sound_page_passes(page):
    assert failed_cells(PAGE, [page]) == [set()]


def test_changed_text_and_changed_picture_are_named_by_cell(page):
    page.cells[VALUES].outputs[0].text = page.cells[VALUES].outputs[0].text.replace("8", "9")
    page.cells[DRAWING].source = page.cells[DRAWING].source.replace("vmax=1", "vmax=2")
    expected = {0, 2} if sys.platform == "linux" else {0}
    assert failed_cells(PAGE, [page]) == [expected]


@linux_only
def test_a_picture_of_another_drawing_differs(page):
    stored, fresh = page.cells[DRAWING].outputs, copy.deepcopy(page.cells[DRAWING].outputs)
    with Image.open(io.BytesIO(base64.b64decode(fresh[0].data["image/png"]))) as picture:
        mirrored = io.BytesIO()
        ImageOps.mirror(picture).save(mirrored, "png")
    fresh[0].data["image/png"] = base64.b64encode(mirrored.getvalue()).decode()
    assert any("pixels" in fault for fault in differences(stored, fresh))


@linux_only
def test_an_svg_may_differ_by_what_no_eye_sees():
    def output(x):
        return [new_output("display_data", data={"image/svg+xml": f'<svg><text x="{x}">8</text></svg>'})]

    assert differences(output(1.00), output(1.01)) == []
    assert differences(output(1.0), output(2.0)) == ["x of <text>: 1 is 2 in a fresh drawing"]


def test_a_picture_too_many_differs(page):
    stored = page.cells[DRAWING].outputs
    assert differences(stored, [*stored, *stored])


def test_outputs_in_another_order_differ(page):
    text, picture = page.cells[VALUES].outputs[0], page.cells[DRAWING].outputs[0]
    assert differences([text, picture], [text, picture]) == []
    assert any("outputs are stored as" in fault for fault in differences([text, picture], [picture, text]))


def run(folder, *cells, options=()):
    (folder / "planted.ipynb").write_bytes(to_bytes(new_notebook(cells=list(cells))))
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "-q", *options, str(folder / "planted.ipynb")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_cell_after_a_time_out_fails_and_is_not_expected_to(tmp_path):
    slow = new_code_cell("import threading\nthreading.Event().wait(60)", execution_count=1)
    after = new_code_cell("x = 1", execution_count=2)
    result = run(tmp_path, slow, after, options=["--nbval-cell-timeout", "1"])
    assert result.returncode == 1
    assert "xfailed" not in result.stdout
    assert "An earlier cell ran out of time" in result.stdout


def test_spreading_a_notebook_over_kernels_is_refused(tmp_path):
    result = run(tmp_path, new_code_cell("x = 1", execution_count=1), options=["-n", "2", "--dist", "load"])
    assert result.returncode != 0
    assert "notebooks need --dist loadfile" in result.stdout + result.stderr


def test_kernels_run_in_the_fixed_environment_and_inherit_the_rest(tmp_path, monkeypatch):
    monkeypatch.setenv("OF_THE_TESTS", "inherited")
    source = "import os\nassert os.environ['PYTHONHASHSEED'] == '0' and os.environ['OMP_NUM_THREADS'] == '1'"
    source += "\nassert os.environ['OF_THE_TESTS'] == 'inherited'"
    result = run(tmp_path, new_code_cell(source, execution_count=1))
    assert result.returncode == 0, result.stdout
