"""Delete each place where the audit reports a fault, in turns; some test of the audit has to fail.

    python -m book_tools.mutation.findings [part of a module's name …]

Deleted is one statement: a finding that is yielded, returned or added to a list, a piece of text that is
handed on, an error that is raised. Each is tried in a process of its own (POSIX only), a few seconds each.
"""

import ast
import copy
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

import hypothesis  # noqa: F401  (what follows is loaded once, here, and not in each process)
import nbformat.v4  # noqa: F401
import playwright.sync_api  # noqa: F401
import pybtex.plugin  # noqa: F401
import pytest
from mdit_py_plugins import dollarmath  # noqa: F401

import book_tools.notebooks.files  # noqa: F401
import transformer_book.equations  # noqa: F401

ROOT = Path(__file__).resolve().parents[3]
AUDIT = ROOT / "src" / "book_tools" / "audit"
TESTS = ["tests/checks", "tests/claims"]
# The tests that are about a module stand in files of these names; all the others run if these pass.
ABOUT = {
    "arithmetic": ["maths"],
    "latex": ["maths"],
    "article": ["facts"],
    "page": ["binding", "rules", "labels"],
    "printed": ["binding", "rules"],
    "prose": ["prose", "labels", "binding"],
    "quantities": ["quantities", "words"],
    "__init__": ["maths"],
    "attention": ["maths"],
    "__main__": ["facts"],
}
# These start processes, read the whole book, or try other rooms: none of them is about one finding.
LEFT_OUT = [
    "test_command",
    "test_refresh",
    "test_pictures",
    "test_dependencies",
    "broken_library",
    "books_claims",
]


def places(tree):
    """List the statements whose deletion hides a fault: (the list that holds one, its index)."""
    found = []
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                found += [(statements, index) for index, one in enumerate(statements) if _reports(one)]
    return sorted(found, key=lambda place: place[0][place[1]].lineno)


def _reports(statement):
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.Return) and statement.value is not None:
        parts = ast.walk(statement.value)
        return any(
            isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) > 8
            for part in parts
        )
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return getattr(statement.value.func, "attr", "") in ("add", "append", "extend")
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield | ast.YieldFrom)


def without(tree, number):
    """Return a module's tree that never reaches statement `number` of `places`, and that statement."""
    tree = copy.deepcopy(tree)
    statements, index = places(tree)[number]
    deleted = statements[index]
    statements[index] = ast.copy_location(ast.If(ast.Constant(False), [deleted], []), deleted)
    return ast.fix_missing_locations(tree), deleted


class _Planted(importlib.machinery.SourceFileLoader):
    """Loads the changed tree in the place of a module's file."""

    def __init__(self, name, path, tree):
        super().__init__(name, str(path))
        self.tree = tree

    def get_code(self, fullname):
        return compile(self.tree, self.path, "exec")


class _Finder:
    def __init__(self, name, path, tree):
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        loader = _Planted(name, self.path, self.tree)
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


def is_noticed(path, tree):
    """Run the audit's tests with a module replaced, those about it first; return whether one fails."""
    about = [f"test_{name}.py" for name in ABOUT.get(path.stem, [path.stem])]
    first = [str(found) for folder in TESTS for found in Path(folder).glob("*.py") if found.name in about]
    return (bool(first) and _fails(path, tree, first)) or _fails(path, tree, TESTS)


def _fails(path, tree, tests):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
            sys.meta_path.insert(0, _Finder(name, path, tree))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            options = [
                "-x",
                "-q",
                "--assert=plain",
                "-p",
                "no:cacheprovider",
                "-k",
                f"not ({' or '.join(LEFT_OUT)})",
            ]
            code = int(pytest.main([*options, *tests]))
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def main(parts):
    """Try each place of the modules whose names hold one of `parts`; print those that no test notices."""
    os.chdir(ROOT)
    count, kept = 0, 0
    tried = [path for path in sorted(AUDIT.rglob("*.py")) if any(part in str(path) for part in parts or [""])]
    for path in tried:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path is tried[0] and is_noticed(path, tree):
            sys.exit(f"{path.relative_to(ROOT)}: the audit's tests fail before anything is deleted")
        for number in range(len(places(tree))):
            changed, deleted = without(tree, number)
            count += 1
            if not is_noticed(path, changed):
                kept += 1
                print(f"{path.relative_to(ROOT)}:{deleted.lineno}: {ast.unparse(deleted)[:90]}", flush=True)
    print(f"{count} places deleted in turns; no test of the audit notices {kept}")
    return int(kept > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
