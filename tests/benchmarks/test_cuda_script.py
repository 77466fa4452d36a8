"""The CUDA script's rehearsal on the CPU: every part runs, and a wrong number is noticed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import cuda
from transformer_book.attention import FORMS, AttentionResult


def test_rehearsal_on_the_cpu(tmp_path):
    out = tmp_path / "numbers.json"
    command = [sys.executable, "-m", "benchmarks.cuda", "--device", "cpu", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(cuda.__file__).parents[1])
    assert done.returncode == 0, done.stdout + done.stderr
    numbers = json.loads(out.read_text())["numbers"]
    assert {"tiled float32 gradients", "llama FastDecoder with cache", "tiled N=160 causal"} <= set(numbers)


def test_a_wrong_form_fails(monkeypatch):
    right = FORMS["tiled"]
    monkeypatch.setitem(FORMS, "tiled", lambda *a, **k: AttentionResult(1.01 * right(*a, **k).output))
    report = cuda.Report()
    cuda.forms_agree(torch.device("cpu"), report, cuda.REHEARSAL)
    assert report.failed == ["tiled float32 output", "tiled float32 gradients"]


def test_a_number_that_is_none_fails():
    report = cuda.Report()
    report.check("nothing", float("nan"), 1.0)
    assert report.failed == ["nothing"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_without_a_device_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["cuda"])
    with pytest.raises(SystemExit):
        cuda.main()
    assert "torch sees no CUDA device" in capsys.readouterr().err
