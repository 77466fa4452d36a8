"""Torch's compiler stays out of a student's process until something is compiled, and changes no number."""

import pytest

from book_grading import channel
from book_grading.sandbox import Limits, Sandbox

LIMITS = Limits(cpu_s=60, wall_s=120, memory_mib=6144)
TRAIN = """
import sys, torch

torch.manual_seed(0)
weights = torch.nn.Parameter(torch.randn(3, 5))
optimizer = torch.optim.Adam([weights], lr=0.1)

def step():
    optimizer.zero_grad()
    weights.square().sum().backward()
    optimizer.step()

step()
compiler = [name for name in sys.modules if name.startswith(("torch._dynamo.", "torch.export.", "sympy"))]
"""
COMPILE = """
from torch.export import Dim
from torch._dynamo.backends import registry
import torch._dynamo.config as settings

torch.compile(step, backend="eager")()
graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
optimizer.add_param_group({"params": [torch.nn.Parameter(torch.ones(2))]})
same = [
    settings is torch._dynamo.config is sys.modules["torch._dynamo.config"],
    registry is torch._dynamo.backends.registry,
    torch._dynamo.backends.__spec__.origin == torch._dynamo.backends.__file__,
    torch._dynamo is sys.modules["torch._dynamo"],
    Dim is torch.export.Dim,
]
"""


@pytest.fixture(scope="module")
def trained(sandboxed):
    """A box in which an optimizer took a step."""
    with Sandbox(LIMITS) as box:
        run(box, TRAIN)
        yield box


def run(box, source):
    """Run a cell that must not fail."""
    answer = box.request("run", source=source)
    assert "error" not in answer, answer


def get(box, name):
    """Fetch a value."""
    return channel.decode(box.request("get", name=name)["value"])


def test_an_optimizer_steps_to_the_same_numbers_without_the_compiler(trained):
    here = {}
    exec(TRAIN, here)
    assert here["compiler"], "torch no longer imports its compiler by itself: drop the stand-in"
    assert get(trained, "compiler") == []
    assert get(trained, "weights").tolist() == here["weights"].tolist()


def test_who_compiles_gets_the_compiler(trained):
    """A module imported before the package, whose own import brings it, must not be executed twice."""
    run(trained, COMPILE)
    assert get(trained, "graphs") > 0, "nothing was compiled"
    assert get(trained, "same") == [True] * 5
