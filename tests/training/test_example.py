"""The recipe for several GPUs runs as it stands, here with two processes on the CPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RECIPE = Path(__file__).parents[2] / "examples" / "gpt2_on_several_gpus.py"


@pytest.mark.skipif(sys.platform == "win32", reason="torchrun needs libuv, which PyTorch for Windows lacks")
def test_the_recipe_runs(tmp_path):
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command = [*launch, f"--log-dir={tmp_path}", str(RECIPE), "--tiny"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Warning" not in done.stderr
    parameters, losses = done.stdout.splitlines()
    assert parameters == "parameters 724,736"
    first, last = (float(word) for word in losses.split() if word[0].isdigit() and "." in word)
    assert 7.5 < first < 8.2, "an untrained model should guess uniformly: ln 2,498 is 7.8"
    assert last < first - 1
