# make reproduce   everything from nothing: environment, logs, all notebooks, figures/
# make preview     all exhibits with few runs, in some minutes: build/preview/index.html, a first look
# make report      the pages in figures/, and the findings in README.md, from what the last run left
# make check       after a run: which exhibits differ from what is committed, and where
# make frozen      the notebooks that are finished, once more, at their commit: figures/frozen.toml
# make site        build/site/: the documentation, the scoreboard and the executed notebooks as pages; SOLUTIONS=yes: solutions, too
# make test-site   are the pages right? in a browser; pictures in build/shots/
# make test        is the source clean, do the tests pass? all but the longest
# make test-all    all tests, and twice as many random cases: before a release
# make lint        form, and that each room imports only those below it
# make types       do the type hints hold?
# make test-lab    JupyterLab in a browser, as a student uses it; pictures in build/lab/
# make test-wheel  the package installed with its oldest and newest dependencies, in environments of their own
# make lab         JupyterLab, with the first lesson
# make solutions   the lessons with their answers as notebooks, to build/teaching/solutions/
# make slides      six slides a lesson, to build/teaching/; SLIDES="lesson1 lesson4a" for some
# make sheets      pencil sheets with solutions to print, to build/teaching/
# make bench       how fast, as ratios: benchmarks/RESULTS.md
# make release     the checklist of a release, some hours; QUICK=1 for what takes seconds
#
# SIMLIB_TRACES=folder   where logs of the Parallel Workloads Archive lie already
# CHANGED=1              of the study only what has changed since it was committed, and what takes seconds
# JOBS=2                 how many notebooks to run at once (default: one more than cores, for one is always starting)

PYTHON ?= python3
VENV ?= .venv
JOBS ?= $(shell "$(PYTHON)" -c 'import os; print(os.cpu_count() + 1)')
ifneq ($(words $(VENV)),1)
$(error VENV: found '$(VENV)', expected a path without blanks, such as .venv)
endif
# Make knows no target with blanks, so these are relative: whatever folder the checkout lies in, it is never named. And
# what pip puts into bin/ may not start from a path with blanks: all programs are started as modules.
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: reproduce preview report check frozen site test-site test test-all lint types test-lab test-wheel lab solutions slides sheets bench release clean

reproduce: $(VENV)/ready
	@$(PY) -m simlib fetch || echo "Some logs could not be had: the exhibits will use what is here."
	@$(PY) -m simlib logs
	$(PY) -m snakemake --cores $(JOBS) $(if $(CHANGED),--config changed=1)
	@$(PY) -m simlib_study report

preview: $(VENV)/ready
	@$(PY) -m simlib fetch || echo "Some logs could not be had: the exhibits will use what is here."
	$(PY) -m snakemake --cores $(JOBS) --config preview=1
	@$(PY) -m simlib_study preview

report: $(VENV)/ready
	@$(PY) -m simlib_study report

check: $(VENV)/ready
	@$(PY) -m simlib_study check

frozen:
	@"$(PYTHON)" tools/frozen.py

site: $(VENV)/ready-docs
	$(PY) -m tools.website

test-site: $(VENV)/ready-lab /usr/bin/chromium
	$(PY) -m pytest tests/browser/pages

test: lint  # the types meanwhile: they take a minute of one core
	$(PY) -m mypy & types=$$!; \
	$(PY) -m pytest -n auto --dist worksteal -m "not thorough"; tested=$$?; wait $$types && exit $$tested

test-all: lint types
	$(PY) -m pytest -n auto --dist worksteal --hypothesis-profile thorough

lint: $(VENV)/ready
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	@$(PY) -c 'from importlinter.cli import lint_imports_command as check; check()'  # rooms: pyproject.toml

types: $(VENV)/ready
	$(PY) -m mypy

test-lab: $(VENV)/ready-lab /usr/bin/chromium
	$(PY) -m pytest tests/browser/lab

test-wheel: $(VENV)/ready
	$(PY) -m pytest tests/test_wheel.py

lab: $(VENV)/ready
	$(PY) -m jupyterlab --ServerApp.root_dir=notebooks notebooks/teaching/lesson1-fcfs.ipynb

solutions: $(VENV)/ready
	$(PY) -m tools.solutions

slides: $(VENV)/ready
	$(PY) -m simlib_course.lecture slides $(SLIDES)

sheets: $(VENV)/ready
	$(PY) -m simlib_course.lecture sheets

bench: $(VENV)/ready
	$(PIP) -e '.[study,test,cluster,bench]'
	$(PY) benchmarks/run.py

release: $(VENV)/ready
	@$(PY) -m tools.release $(if $(QUICK),--quick)

# the environment, from pinned versions, and the kernels compiled, a minute and a half; made anew when versions change
$(VENV)/ready: pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11, 5) and "Python 3.11.5 or newer is needed; this is " + sys.version)'
	"$(PYTHON)" -m venv $(VENV)
	$(PIP) -e '.[study,test,cluster,grading,publish]'
	$(PY) -m simlib_study compile & $(PY) -m simlib compile && wait $$!
	@touch $@

$(VENV)/ready-docs: $(VENV)/ready
	$(PIP) -e '.[study,test,cluster,docs]'
	@touch $@

$(VENV)/ready-lab: $(VENV)/ready
	$(PIP) -e '.[study,test,cluster,lab]'
	@touch $@

/usr/bin/chromium:
	@command -v apt-get >/dev/null || { echo "make test-lab needs $@: install your system's package chromium"; exit 1; }
	sudo=$$([ "$$(id -u)" = 0 ] || echo sudo) && $$sudo apt-get update && $$sudo apt-get install -y chromium

clean:
	rm -rf build $(VENV) .snakemake
	find simlib simlib_* -name __pycache__ -prune -exec rm -rf {} +  # compiled kernels of every state that the engine was in
