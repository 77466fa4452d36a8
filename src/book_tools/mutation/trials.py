"""Test the checks: change one digit of a printed number, and see whether a check names the place.

    python -m book_tools.mutation [--sample N | --all] [--seed S] [--pytest] [notebook …]
    python -m book_tools.mutation --library [notebook …]
    python -m book_tools.mutation --coverage [--examples N]

Each notebook of the first edition runs once (the others have its outputs); every mutant is then compared
through the code that the checks use: the audit for what readers read, nbval's comparison for stored outputs.
With --pytest, ten mutants per notebook also go through a real `pytest --nbval`. With --library, the library
is broken in known ways, and each page that runs the broken code must fail. With --coverage, the numbers of
the built pages that no mutant reaches are listed. Fails below a rate of 99.5 % in any edition.
"""

import argparse
import collections
import copy
import dataclasses
import itertools
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from book_tools.audit.binding import Binder
from book_tools.audit.facts import load_facts
from book_tools.audit.guesses import check_guesses
from book_tools.audit.page import audit_captions, audit_notebook, audit_text
from book_tools.audit.printed import Values
from book_tools.editions.places import language_of
from book_tools.language import CHINESE, LANGUAGES, Language
from book_tools.mutation import coverage, library
from book_tools.mutation.digits import Site, changeable_pages, mutate, sites
from book_tools.notebooks.comparison import differences
from book_tools.notebooks.execute import execute
from book_tools.notebooks.files import ROOT, NotebookError, chosen, is_measured, read_page, to_bytes

REQUIRED_RATE = 0.995
PYTEST_MUTANTS = 10


@dataclasses.dataclass(frozen=True)
class Trial:
    """One mutant: where, the number before and after, and whether a check named its place."""

    edition: Language
    page: str
    site: Site
    before: str
    after: str
    caught: bool

    def __str__(self):
        place = f"{self.page}: cell {self.site.cell + 1}, line {self.site.line}"
        return f"{place} ({self.site.kind}): {self.before} → {self.after}"


class Page:
    """A notebook with one fresh execution, against which its mutants are tried."""

    def __init__(self, path, facts, run=True, report=lambda text: None):
        self.path = path
        self.notebook, self.language = read_page(path), language_of(path)
        findings = audit_notebook(self.notebook, path.name, facts, self.language)
        if findings:
            raise NotebookError(f"{findings[0]}\n{path}: mend the page before testing its checks")
        self.binder = Binder(Values(self.notebook), facts, self.language)
        self.sites = sites(self.notebook, self.language)
        self.fresh = execute(copy.deepcopy(self.notebook), path, report) if run else None
        if run:
            self._check_fresh()
        else:
            self.sites = [site for site in self.sites if site.field[0] != "outputs"]

    def _check_fresh(self):
        for number, (stored, fresh) in enumerate(
            zip(self.notebook.cells, self.fresh.cells, strict=True), start=1
        ):
            if (
                stored.cell_type == "code"
                and not is_measured(stored)
                and differences(stored.outputs, fresh.outputs)
            ):
                raise NotebookError(f"{self.path}: cell {number} is not fresh; run `make refresh` first")

    def try_site(self, site, source):
        """Make one mutant and ask the checks about it."""
        mutant = mutate(self.notebook, site, source)
        return Trial(
            self.language,
            self.path.name,
            site,
            site.text(self.notebook),
            site.text(mutant),
            self._is_caught(mutant, site),
        )

    def _is_caught(self, mutant, site):
        cell, number = mutant.cells[site.cell], site.cell + 1
        if site.field[0] == "outputs":
            return bool(differences(cell.outputs, self.fresh.cells[site.cell].outputs))
        if site.field[0] == "source":
            text = audit_text(cell.source, self.path.name, number, self.binder)
            findings = itertools.chain(text, check_guesses(mutant, self.path.name, self.language))
        else:
            findings = audit_captions(cell, self.path.name, number, self.binder)
        return any(finding.cell == number for finding in findings)


def try_digits(page, sample, source):
    """Try a sample of a page's numbers (all of them without `sample`)."""
    chosen_sites = page.sites if sample is None else source.sample(page.sites, min(sample, len(page.sites)))
    return [page.try_site(site, source) for site in chosen_sites]


def try_pytest(page, source, count=PYTEST_MUTANTS):
    """Run mutants of stored outputs through a real `pytest --nbval`, at most one in a cell of each copy.

    nbval names cells: each cell that holds a mutant must fail, and no other.
    """
    batches = _batches([site for site in page.sites if site.field[0] == "outputs"], source, count)
    copies = []
    for batch in batches:
        mutant = page.notebook
        for site in batch:
            mutant = mutate(mutant, site, source)
        copies.append(mutant)
    code_cells = [index for index, cell in enumerate(page.notebook.cells) if cell.cell_type == "code"]
    trials = []
    for batch, mutant, failed in zip(batches, copies, failed_cells(page.path, copies), strict=True):
        failed = {code_cells[number] for number in failed}
        for site in batch:
            before, after = site.text(page.notebook), site.text(mutant)
            trials.append(Trial(page.language, page.path.name, site, before, after, site.cell in failed))
        sound = sorted(cell + 1 for cell in failed - {site.cell for site in batch})
        if sound:
            raise NotebookError(f"{page.path}: nbval fails cells that no mutant touched: {sound}")
    return trials


def _batches(found, source, count):
    """Deal `count` sites out into batches, each with at most one site of a cell."""
    by_cell = collections.defaultdict(list)
    for site in source.sample(found, len(found)):
        by_cell[site.cell].append(site)
    batches = []
    while count > 0 and any(by_cell.values()):
        batches.append([sites_of_cell.pop() for sites_of_cell in by_cell.values() if sites_of_cell][:count])
        count -= len(batches[-1])
    return batches


def failed_cells(path, notebooks):
    """Run `pytest --nbval` on changed copies of a notebook; list the failing code cells of each, from 0."""
    if not notebooks:
        return []
    with beside(path) as folder:
        names = [f"copy_{number}.ipynb" for number in range(len(notebooks))]
        for name, notebook in zip(names, notebooks, strict=True):
            (folder / name).write_bytes(to_bytes(notebook))
        command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]
        command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder), "-q", "-rfE", "--tb=no"]
        command += ["--color=no", *names]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        told = result.stdout + result.stderr
        raise NotebookError(f"{path}: pytest stopped with code {result.returncode}\n{told}")
    failed = [set() for _ in notebooks]
    pattern = r"^(?:FAILED|ERROR) copy_(\d+)\.ipynb::Cell (\d+)"
    for number, cell in re.findall(pattern, result.stdout, re.MULTILINE):
        failed[int(number)].add(int(cell))
    return failed


class beside:  # lower case, for it reads as a preposition: with beside(path) as folder
    """A temporary folder that looks like the notebook's own, the notebook itself left out."""

    def __init__(self, path):
        self.path = path.resolve()

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        folder = Path(self.temporary.name) / self.path.parent.name
        folder.mkdir()
        for neighbour in self.path.parent.iterdir():
            if neighbour.suffix != ".ipynb":
                (folder / neighbour.name).symlink_to(neighbour, target_is_directory=neighbour.is_dir())
        return folder

    def __exit__(self, *_):
        self.temporary.cleanup()


def report(trials, title):
    """Print the rate, by kind, and every survivor; return whether the rate suffices."""
    if not trials:
        print(f"{title}: no printed numbers")
        return True
    caught = sum(trial.caught for trial in trials)
    print(f"{title}: {caught} of {len(trials)} mutants caught, {100 * caught / len(trials):.2f} %")
    for kind, group in sorted(collections.Counter(trial.site.kind for trial in trials).items()):
        found = sum(trial.caught for trial in trials if trial.site.kind == kind)
        print(f"  {kind}: {found} of {group}")
    for trial in trials:
        if not trial.caught:
            print(f"  survived: {trial}")
    return caught / len(trials) >= REQUIRED_RATE


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m book_tools.mutation", description=__doc__.splitlines()[0]
    )
    parser.add_argument("notebooks", nargs="*", help="paths or starts of names; default: every page")
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument(
        "--sample", type=int, default=100, metavar="N", help="mutants per notebook (default: 100)"
    )
    amount.add_argument("--all", action="store_true", help="every printed number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--pytest", action="store_true", help="also ten mutants per notebook through pytest --nbval"
    )
    parser.add_argument("--static", action="store_true", help="run nothing: leave stored outputs out")
    parser.add_argument("--library", action="store_true", help="break the library instead of the pages")
    parser.add_argument("--coverage", action="store_true", help="list the built pages' numbers out of reach")
    parser.add_argument("--examples", type=int, default=10, metavar="N", help="of each kind (default: 10)")
    options = parser.parse_args(arguments)
    if options.sample < 1:
        parser.error(f"argument --sample: must be at least 1; got {options.sample}.")
    try:
        if options.coverage:
            coverage.report(options.examples)
            return 0
        paths = chosen(options.notebooks)
        if options.library:
            return 0 if library.try_all(paths, _progress) else 1
        if not options.notebooks:
            paths = changeable_pages()
        return 0 if _try_pages(paths, options) else 1
    except NotebookError as error:
        print(error)
        return 1


def _try_pages(paths, options):
    source, facts, trials, real = random.Random(options.seed), load_facts(), [], []
    for path in paths:
        started = time.monotonic()
        again = path.suffix == ".ipynb" and language_of(path) is CHINESE  # another edition has its outputs
        page = Page(path, facts, run=again and not options.static, report=_progress)
        found = try_digits(page, None if options.all else options.sample, source)
        trials.extend(found)
        if options.pytest and page.fresh:
            real.extend(try_pytest(page, source))
        caught = sum(trial.caught for trial in found)
        _progress(f"{path.name}: {caught} of {len(found)} caught ({time.monotonic() - started:.0f} s)")
    good = True
    for language in LANGUAGES.values():
        found = [trial for trial in trials if trial.edition is language]
        good &= not found or report(found, f"{language.name}: digits")
    return (report(real, "through pytest --nbval") and good) if options.pytest else good


def _progress(text):
    print(text, file=sys.stderr, flush=True)
