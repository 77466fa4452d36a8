"""Live in JupyterLab: a change in the page reaches Python, a change in Python reaches the page."""

import os
import re
import subprocess
import sys
import threading

import nbformat
import pytest
from playwright.sync_api import expect

SETUP = """
import ipywidgets
from IPython.display import display
from transformer_book import widgets

def mirrored(explorer, seen, *names):
    # A label that Python fills when a trait changes, and a button whose click Python answers.
    label = ipywidgets.Label("-")
    explorer.observe(lambda change: setattr(label, "value", seen(explorer)), list(names))
    return label

def button(name, click):
    made = ipywidgets.Button(description=name)
    made.on_click(lambda _: click())
    return made
"""

# Explorer, what Python shows of it when it hears a change, the traits that matter, and Python's own change.
CASES = {
    "attention": (
        "widgets.AttentionExplorer(language='zh')",
        "lambda e: ' '.join(format(x, '.3f') for x in e.weights[:, 1])",
        ["scaled", "mask"],
        "e.mask = 'causal'",
    ),
    "scaling": (
        "widgets.ScalingExplorer(language='zh')",
        "lambda e: format(e.weights[0].max(), '.3f')",
        ["draws"],
        "e.dimension = 7",
    ),
    "rotary": (
        "widgets.RotaryExplorer(language='zh')",
        "lambda e: format(e.score, '.3f')",
        ["n", "m"],
        "e.n = 9",
    ),
    "heads": (
        "widgets.HeadExplorer(language='zh', layer=13, head=7, query=10)",
        "lambda e: format(e.weights[1, 9], '.3f')",
        ["head", "layer"],
        "e.layer = 2",
    ),
    "generation": (
        "widgets.GenerationExplorer(language='zh')",
        "lambda e: e.text",
        ["text"],
        "e.temperature = 0",
    ),
    "digits": (
        "widgets.DigitsExplorer(language='zh')",
        "lambda e: str(e.probabilities.argmax(axis=1))",
        ["shuffled"],
        "e.pixels = [0] * 64",
    ),
    "training": (
        "widgets.TrainingExplorer(language='zh')",
        "lambda e: format(e.losses(1)[0], '.3f')",
        ["mask", "seed"],
        "e.seed = 5",
    ),
    "circuit": (
        "widgets.CircuitExplorer(language='zh')",
        "lambda e: format(e.copying['deleted.loss'].mean(), '.2f')",
        ["deleted"],
        "e.ablation = 'mean'",
    ),
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab that serves a notebook with every explorer."""
    folder = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(SETUP)]
    for kind, (make, seen, names, change) in CASES.items():
        source = (
            f"{kind} = {make}\n"
            f"def change_{kind}(e={kind}):\n    {change}\n"
            f"display({kind}, mirrored({kind}, {seen}, *{names}), button('python-{kind}', change_{kind}))"
        )
        cells.append(nbformat.v4.new_code_cell(source))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / "all.ipynb"
    )
    places = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0"]
    command += ["--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True", "--expose-app-in-browser"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None"]
    server = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | places,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield address_of(server)
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()


def address_of(server) -> str:
    """Read the server's own words until it says where it listens."""
    said = []
    for line in server.stderr:
        said.append(line)
        found = re.search(r"http://127\.0\.0\.1:\d+/lab", line)
        if found:
            # From here on nobody reads what it says, and a full pipe would stop it.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return found[0]
    raise AssertionError("JupyterLab did not start:\n" + "".join(said[-30:]))


@pytest.fixture(scope="module")
def notebook(lab, browser, patience):
    """The notebook, open, with every cell run."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, locale="zh-CN")
    page = context.new_page()
    page.set_default_timeout(patience)
    page.goto(f"{lab}/tree/all.ipynb?reset")
    page.wait_for_function("globalThis.jupyterapp?.shell.currentWidget?.context?.path === 'all.ipynb'")
    page.evaluate(
        """async () => {
          const panel = globalThis.jupyterapp.shell.currentWidget;
          await panel.context.ready;
          await panel.sessionContext.ready;
          await panel.sessionContext.session.kernel.info;
          await globalThis.jupyterapp.commands.execute("notebook:run-all-cells");
        }"""
    )
    yield page
    context.close()


def part(page, kind):
    """The output area of one explorer: the explorer itself, Python's label and Python's button."""
    area = page.locator(".jp-OutputArea", has=page.locator(f".explorer.{kind}")).last
    area.scroll_into_view_if_needed()
    return area, area.locator(f".explorer.{kind}"), area.locator(".widget-label")


def test_attention(notebook):
    area, explorer, label = part(notebook, "attention")
    explorer.get_by_role("switch").check()
    expect(label).to_have_text("0.108 0.446 0.446")
    area.get_by_role("button", name="python-attention").click()
    expect(explorer.get_by_role("radio", name="因果")).to_be_checked()


def test_scaling(notebook):
    area, explorer, label = part(notebook, "scaling")
    explorer.get_by_role("button", name="再抽一次").click()
    largest = explorer.locator(".bars tbody tr").first.locator("td").first
    expect(label).to_have_text(largest.text_content())
    area.get_by_role("button", name="python-scaling").click()
    expect(explorer.get_by_role("textbox")).to_have_value("7")


def test_rotary(notebook):
    # An arrow key, which JupyterLab would take for a command of its own unless the explorer is marked.
    area, explorer, label = part(notebook, "rotary")
    explorer.get_by_role("slider").nth(0).press("ArrowRight")
    expect(label).not_to_have_text("-")
    expect(explorer.locator(".score")).to_contain_text(f"s = {label.text_content()}")
    area.get_by_role("button", name="python-rotary").click()
    expect(explorer.locator(".score")).to_contain_text("n − m = 6")


def test_heads(notebook):
    area, explorer, label = part(notebook, "heads")
    explorer.get_by_role("button", name="头 H +1").click()
    expect(label).to_have_text("0.919")
    area.get_by_role("button", name="python-heads").click()
    expect(explorer.locator(".name")).to_have_text("L2H8")


def test_generation(notebook):
    area, explorer, label = part(notebook, "generation")
    explorer.get_by_role("button", name="载入模型").click()
    expect(explorer.locator(".loader")).to_contain_text("模型已载入")
    drawn = explorer.locator(".drawn button").text_content()
    explorer.get_by_role("button", name="抽一个字").click()
    expect(label).to_have_text(drawn)
    area.get_by_role("button", name="python-generation").click()
    certain = explorer.locator(".candidates tbody tr").first.locator("td").last
    expect(certain).to_have_text("1.000")


def test_digits(notebook):
    area, explorer, label = part(notebook, "digits")
    explorer.get_by_role("button", name="载入模型").click()
    expect(explorer.locator(".best")).to_have_count(2)
    explorer.get_by_role("switch", name="打乱图像块").check()
    expect(label).to_have_text(re.compile(r"\[\d \d\]"))
    area.get_by_role("button", name="python-digits").click()
    blank = "e => [...e.querySelectorAll('.board i')].every((i) => i.style.getPropertyValue('--ink') === '0')"
    expect(explorer.locator(".board i").first).to_have_attribute("style", re.compile("--ink: 0"))
    assert explorer.evaluate(blank)


def test_training(notebook):
    area, explorer, label = part(notebook, "training")
    explorer.get_by_role("switch", name="因果掩码").uncheck()
    expect(label).to_have_text(re.compile(r"\d\.\d{3}"))
    area.get_by_role("button", name="python-training").click()
    expect(explorer.locator(".stepper output")).to_have_text("5")
    explorer.get_by_role("button", name="开始训练").click()
    expect(explorer.locator(".where")).to_contain_text(re.compile("第 [1-9]"), timeout=60_000)
    explorer.get_by_role("button", name="暂停").click()


def test_circuit(notebook):
    area, explorer, label = part(notebook, "circuit")
    explorer.get_by_role("button", name=re.compile("^L18H6,")).click()
    expect(label).to_have_text(re.compile(r"\d\.\d\d"))
    expect(explorer.locator("dd").first).to_have_text(f"4.41 → {label.text_content()}")
    area.get_by_role("button", name="python-circuit").click()
    expect(explorer.get_by_role("radio", name="均值消融")).to_be_checked(timeout=60_000)
    explorer.get_by_role("radio", name="两层模型（现场算）").check()
    explorer.get_by_role("button", name="载入模型").click()
    explorer.get_by_role("button", name=re.compile("^L0H1,")).click()
    expect(label).to_have_text("4.03")
    expect(explorer.locator("dd").first).to_have_text("0.00 → 4.03")
