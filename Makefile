# The verbs of the day. `make demo` and `make test` need python3.11 (or newer) and make, nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN := .venv/bin
export MPLBACKEND := Agg
unexport PYTHONDONTWRITEBYTECODE  # each worker would compile all test modules anew

.PHONY: help demo check test test-all attack mutants coverage bench peers lint docs browser clean

help:
	@echo "make demo      set up, cluster an embedded data set, say where the report is"
	@echo "make check     lint, and run the tests of what changed since the last commit"
	@echo "make test      set up, lint, build the docs, and run the tests"
	@echo "make test-all  the same with the slow tests"
	@echo "make attack    hostile calls, files and faults for MINUTES=30, judged by machine (python -m attack --help)"
	@echo "make mutants   change a line at a time for MINUTES=60, and see whether a test fails (python -m scripts.mutants --help)"
	@echo "make coverage  which lines the tests reach"
	@echo "make bench     measure ours beside the peers (python -m benchmarks lists them)"
	@echo "make peers     install the packages that benchmarks compare with, in an environment of their own"
	@echo "make lint      ruff, mypy and the import contract"
	@echo "make docs      build the documentation into site/"
	@echo "make browser   install Chromium for the browser tests (Debian packages)"

# The environment with the package, editable. `.venv/dev` adds the tools of development.
.venv: .venv/run
.venv/run: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/dev: .venv/run
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

demo: .venv/run
	$(BIN)/pluribus demo --out demo-out

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=scripts $(BIN)/lint-imports --no-cache

check: lint
	$(BIN)/python scripts/check_changed.py

test: lint docs
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal

test-all: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal --hypothesis-profile=thorough

attack: MINUTES ?= 30
attack: .venv/dev
	$(BIN)/python -m attack --minutes $(MINUTES)

mutants: MINUTES ?= 60
mutants: .venv/dev
	$(BIN)/python -m scripts.mutants --minutes $(MINUTES)

# Apart, since tracing lines takes more than half as long again.
coverage: .venv/dev
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal --cov=pluribus --cov-report=term

bench: .venv/dev
	$(BIN)/python -m benchmarks

# Their pins are of years ago and no longer install: the packages alone, on what is current.
peers: .venv-peers/run
.venv-peers/run: Makefile
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet numpy scipy scikit-learn pandas networkx matplotlib hdbscan kahypar pymetis ortools genieclust ruptures hmmlearn neurokit2 splink cvxopt torch==2.13.0
	.venv-peers/bin/python -m pip install --quiet --no-deps ensembleclustering==1.0.2 OpenEnsembles==2.0.0 active-semi-supervised-clustering==0.0.1 cobras-ts==0.1.3 metric-learn==0.7.0 k-means-constrained==0.9.1 clustpy==0.0.3 MKLpy==0.6
	@touch $@

docs: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

browser:
	sh scripts/install-browser.sh

clean:
	rm -rf .venv .venv-peers site demo-out .coverage .mypy_cache .ruff_cache .pytest_cache
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/pluribus/test-kernels"
