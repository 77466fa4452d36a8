"""What Jupyter's run-all makes pass is a pass: honest papers in every order and form that come in."""

import itertools
import json
from functools import partial

import pytest

from book_grading import marking
from book_grading.source_notebooks import Unreadable, read_submission

HONEST = []
RIGHT = {
    "softmax": "def softmax(S):\n    e = np.exp(S - S.max(axis=0))\n    return e / e.sum(axis=0)\n",
    "count": "def count_parameters(V, D, L, N):\n"
    "    return V * D + N * D + L * (12 * D**2 + 13 * D) + 2 * D\n",
}
WRONG = "def softmax(S):\n    return np.exp(S)\n"


def honest(name, said=""):
    """Register a paper that deserves full marks; the decorated function changes a perfect notebook."""

    def register(change):
        HONEST.append(pytest.param(name, change, said, id=change.__name__))
        return change

    return register


def answered(paper, item, before="", answer=None, after="", said=""):
    """Register a paper that deserves full marks with one answer rewritten, or something around it."""
    whole = before + (RIGHT[item] if answer is None else answer) + after
    name = "hand" if item.isdigit() else "code"
    HONEST.append(pytest.param(name, lambda cells: put(cells, f"answer-{item}", whole), said, id=paper))


def code(source):
    """A cell that the student added."""
    return {"cell_type": "code", "source": source, "metadata": {}}


def place(cells, name):
    """The place of a cell of the set."""
    return next(i for i, cell in enumerate(cells) if cell.get("id") == name)


def below(cells, name, *sources):
    """Add cells below one of the set."""
    i = place(cells, name) + 1
    cells[i:i] = [code(source) for source in sources]


def put(cells, name, source):
    """Write into a cell of the set."""
    cells[place(cells, name)]["source"] = source


def moved(cells, names, before):
    """Move cells of the set before another."""
    taken = [cells.pop(place(cells, name)) for name in names]
    i = place(cells, before)
    cells[i:i] = taken


def taken_out(cells, role):
    """Take the set's cells of a role (answer, test) out and return them."""
    taken = [cell for cell in cells if cell["id"].startswith(role)]
    cells[:] = [cell for cell in cells if not cell["id"].startswith(role)]
    return taken


def stripped(cells, ids=True):
    """Drop what some editors drop: all metadata, and nbformat's ids."""
    for cell in cells:
        cell["metadata"] = {}
        if ids:
            cell.pop("id")


@honest("code")
def a_helper_cell_after_the_answer(cells):
    put(cells, "answer-softmax", "def softmax(S):\n    return normalised(powers(S))")
    below(
        cells,
        "answer-softmax",
        "def powers(S):\n    return np.exp(S - S.max(axis=0))",
        "def normalised(e):\n    return e / e.sum(axis=0)",
    )


@honest("code")
def a_helper_cell_before_the_answer(cells):
    put(cells, "answer-softmax", "def softmax(S):\n    return helper(S)")
    below(cells, "text-softmax", RIGHT["softmax"].replace("softmax", "helper"))


@honest("code")
def a_first_try_corrected_in_a_new_cell_below(cells):
    put(cells, "answer-softmax", WRONG)
    below(cells, "answer-softmax", RIGHT["softmax"])


@honest("code")
def a_first_try_corrected_below_its_test(cells):
    put(cells, "answer-softmax", WRONG)
    below(cells, "test-softmax", RIGHT["softmax"])


@honest("code")
def a_first_try_corrected_at_the_end(cells):
    put(cells, "answer-softmax", "def softmax(S)\n    return S")
    cells.append(code(RIGHT["softmax"]))


@honest("code")
def attention_above_softmax(cells):
    moved(cells, ["answer-attention"], "text-softmax")


@honest("code")
def the_whole_exercise_on_attention_above_softmax(cells):
    moved(cells, ["text-attention", "answer-attention", "test-attention"], "text-softmax")


@honest("code")
def answers_in_another_order_and_tests_last(cells):
    answers, tests = taken_out(cells, "answer"), taken_out(cells, "test")
    cells += [*reversed(answers), *tests]


@honest("code")
def checks_first_and_answers_last(cells):
    tests, answers = taken_out(cells, "test"), taken_out(cells, "answer")
    cells += [*tests, *answers]


@honest("code")
def checks_deleted(cells):
    taken_out(cells, "test")


@honest("hand")
def half_an_answer_in_the_next_cell(cells):
    solution = cells[place(cells, "answer-1")]["source"].split("weights_2 = np")
    put(cells, "answer-1", solution[0])
    below(cells, "answer-1", "weights_2 = np" + solution[1])


@honest("code", said="test-softmax")
def a_function_in_one_cell_and_its_helper_in_the_test_cell(cells):
    put(cells, "answer-softmax", "def softmax(S):\n    return helper(S)")
    i = place(cells, "test-softmax")
    cells[i]["source"] = RIGHT["softmax"].replace("softmax", "helper") + cells[i]["source"]


@honest("code", said="改动了不该改的单元，按原样评分：setup")
def an_import_added_to_the_first_cell(cells):
    put(cells, "setup", "import math\n" + cells[place(cells, "setup")]["source"])
    put(
        cells, "answer-scaled", cells[place(cells, "answer-scaled")]["source"].replace("np.sqrt", "math.sqrt")
    )


@honest("code")
def an_import_in_a_cell_of_its_own_at_the_top(cells):
    cells.insert(0, code("from math import sqrt\nimport numpy"))
    put(cells, "answer-scaled", cells[place(cells, "answer-scaled")]["source"].replace("np.sqrt", "sqrt"))


@honest("code", said="缺少答案单元")
def every_answer_in_one_cell(cells):
    answers = taken_out(cells, "answer")
    below(cells, "setup", "\n\n".join(cell["source"] for cell in answers))


@honest("code")
def every_answer_in_one_answer_cell(cells):
    answers = [cell for cell in cells if cell["id"].startswith("answer")]
    text = "\n\n".join(cell["source"] for cell in answers)
    for cell in answers:
        cell["source"] = ""
    answers[0]["source"] = text


@honest("code", said="%%bash")
def a_cell_of_another_language(cells):
    below(cells, "setup", "%%bash\nls -l | wc")


@honest("code")
def an_exit_at_the_end(cells):
    cells.append(code("exit()"))


@honest("hand", said="丢了")
def all_metadata_and_the_givens_removed(cells):
    cells[:] = [cell for cell in cells if not cell["id"].startswith("given")]
    stripped(cells)


@honest("code")
def spaces_at_the_ends_of_lines(cells):
    for cell in cells:
        cell["source"] = "\n".join(line + "  " for line in cell["source"].split("\n")) + "\n\n"


@honest("code")
def line_ends_of_windows(cells):
    for cell in cells:
        cell["source"] = cell["source"].replace("\n", "\r\n")


@honest("code")
def line_ends_of_an_old_mac(cells):
    for cell in cells:
        cell["source"] = cell["source"].replace("\n", "\r")


@honest("code", said="test-softmax")
def a_reformatted_test(cells):
    i = place(cells, "test-softmax")
    cells[i]["source"] = cells[i]["source"].replace(", ", ",")


@honest("code", said="setup")
def a_deleted_setup(cells):
    put(cells, "setup", "")


@honest("code")
def a_missing_setup(cells):
    del cells[place(cells, "setup")]


@honest("hand", said="given-2")
def a_given_changed(cells):
    put(cells, "given-2", "D_2 = 1\nD_q_2 = 1")


@honest("code")
def two_hundred_small_cells(cells):
    below(cells, "setup", *[f"x{i} = {i}" for i in range(200)])
    put(cells, "answer-count", RIGHT["count"].replace("12 *", "x12 *"))


@honest("code", said="重复")
def two_answers_of_which_the_last_is_right(cells):
    i = place(cells, "answer-softmax")
    cells.insert(i, {**cells[i], "source": WRONG})


for name, ids in (("code", False), ("code", True), ("hand", False), ("hand", True), ("project", True)):
    HONEST.append(pytest.param(name, partial(stripped, ids=ids), "丢了", id=f"{name}_stripped_of_ids_{ids}"))

answered("get_ipython", "count", "get_ipython().run_line_magic('matplotlib', 'inline')\n")
answered("get_ipython_asked_for_its_kernel", "count", "app = get_ipython().kernel\n")
answered("a_shell_command_with_its_output_kept", "count", "files = !ls\n", said="!ls")
answered("an_installation", "count", "!pip install numpy\n", said="!pip")
answered("a_line_magic", "count", "%load_ext autoreload\n%autoreload 2\n", said="%load_ext")
answered("a_timed_cell", "count", "%%time\n")
answered("a_timed_line", "softmax", "%time rows = 1\n")
answered("a_question_for_help", "count", "np.exp?\nhelp(np.exp)\n")
answered("top_level_await", "count", "import asyncio\nawait asyncio.sleep(0)\n")
answered("a_cache_of_results", "count", "from functools import lru_cache\n@lru_cache\n")
TWELVE = "async def numbers():\n    yield 12\nasync for twelve in numbers():\n    pass\n"
answered("top_level_async_for", "count", TWELVE, RIGHT["count"].replace("12 *", "twelve *"))
SIZE = "from dataclasses import dataclass\n@dataclass\nclass Size:\n    V: int\n    D: int\n"
HINTS = "(V: int, D: int, L: int, N: int) -> int"
answered("a_class_with_type_hints", "count", SIZE, RIGHT["count"].replace("(V, D, L, N)", HINTS))
MAIN = "if __name__ == '__main__':\n    print(count_parameters(1, 2, 3, 4))"
answered("a_script_for_the_command_line", "count", after=MAIN)
answered("a_display_of_each_result", "softmax", after="display(softmax(np.eye(2)))\nsoftmax(np.eye(2))")
TRIED = "rng = np.random.default_rng()\nassert np.allclose(softmax(rng.normal(size=(4, 3))).sum(axis=0), 1)\n"
answered("a_generator_without_a_seed", "softmax", after=TRIED)
LAMBDA = "softmax = lambda S: np.exp(S - S.max(0)) / np.exp(S - S.max(0)).sum(0)"
answered("a_function_without_a_name", "softmax", answer=LAMBDA)
ALONG = RIGHT["softmax"].replace("softmax(S)", "along(S, *, axis)").replace("axis=0", "axis=axis")
PARTIAL = "softmax = partial(along, axis=0)"
answered("a_function_made_from_another", "softmax", "from functools import partial\n", ALONG, PARTIAL)
answered("numbers_written_by_hand", "2", answer="parameters_2, growth_2 = 328_320, 1.0")


def notebook(makers, name, change=None):
    """A perfect notebook, changed."""
    raw = makers[name].raw()
    if change is not None:
        change(raw["cells"])
    return read_submission(json.dumps(raw).encode())


def marked(makers, in_process, name, submission):
    """Mark a submission of a set in this process."""
    return marking.mark(makers[name].assignment, submission, in_process)


@pytest.mark.parametrize(("name", "change", "said"), HONEST)
def test_an_honest_paper_gets_full_marks(makers, in_process, name, change, said):
    result = marked(makers, in_process, name, notebook(makers, name, change))
    short = [row for row in result["items"] if row["points"] != row["most"]]
    assert not short, f"an honest paper is marked down: {short}"
    notes = " ".join(result["notes"])
    assert said in notes, f"the remark is missing: {notes}"
    assert said or not result["notes"], f"a remark on a paper without fault: {notes}"
    texts = [row["text"] for row in result["derivations"]]
    assert all(texts), "a derivation is lost"


def test_there_are_many_honest_papers():
    assert len({param.id for param in HONEST}) == len(HONEST) >= 40


def points(result):
    """{item: points} of the items without full marks."""
    return {row["id"]: row["points"] for row in result["items"] if row["points"] != row["most"]}


@pytest.mark.parametrize(
    "source", ["def softmax(S):\n    return S", "def softmax(S)\n    return S", "", "softmax = None"]
)
def test_a_broken_first_answer_costs_itself_alone(makers, in_process, source):
    """Six of nine answers call softmax."""
    submission = notebook(makers, "code", lambda cells: put(cells, "answer-softmax", source))
    result = marked(makers, in_process, "code", submission)
    assert points(result) == {"test-softmax": 0}
    told = [row["messages"] for row in result["items"] if row["id"] == "test-attention"]
    assert told == [["前面的 softmax 没有全对，这道题用标准的代替它们来评。"]]


@pytest.mark.parametrize("later", ["def causal_weights(S):\n    return softmax(S)", ""])
def test_a_later_answer_that_is_wrong_by_itself_stays_wrong(makers, in_process, later):
    """The process knows softmax's solution when causal is judged, and causal has none of its own."""

    def change(cells):
        put(cells, "answer-softmax", "def softmax(S):\n    return S")
        put(cells, "answer-causal", later)

    result = marked(makers, in_process, "code", notebook(makers, "code", change))
    assert points(result) == {"test-softmax": 0, "test-causal": 0}


@pytest.mark.parametrize(
    ("above", "texts", "read"), [("derivation-4", ("一", "二"), "一\n\n二"), ("test-1", ("我的笔记",), "")]
)
def test_new_cells_below_its_stub_are_a_derivation_and_others_are_not(makers, in_process, above, texts, read):
    def change(cells):
        put(cells, "derivation-4", "（在这里写你的推导）")
        i = place(cells, above) + 1
        cells[i:i] = [{"cell_type": "markdown", "source": text, "metadata": {}} for text in texts]

    result = marked(makers, in_process, "hand", notebook(makers, "hand", change))
    assert next(row["text"] for row in result["derivations"] if row["id"] == "derivation-4") == read


@pytest.mark.parametrize("strip", [False, True], ids=["as saved", "metadata removed"])
@pytest.mark.parametrize(("name", "other"), list(itertools.permutations(["hand", "code", "project"], 2)))
def test_a_paper_of_another_set_gets_no_mark(makers, in_process, name, other, strip):
    paper = notebook(makers, name, stripped if strip else None)
    with pytest.raises(Unreadable, match="不是这一套作业"):
        marked(makers, in_process, other, paper)
