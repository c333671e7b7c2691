# Everything is installed into .venv, by the first target that needs it. Plain `make` lists the targets.
# Variables:
#   PYTHON    the interpreter that makes .venv (3.11 or newer)
#   PIP_ARGS  passed to every `pip install`: another index, a source of CPU-only torch wheels, ...
#   ARGS      passed to the demo, to pytest, to the benchmarks or to the documentation

PYTHON ?= python3
PIP_ARGS ?=
ARGS ?=

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
VENV_PYTHON := .venv/bin/python
PIP_INSTALL = $(VENV_PYTHON) -m pip install --disable-pip-version-check -c constraints.txt $(PIP_ARGS)

# A virtual environment holds absolute paths: the stamp remembers where it was made, and a copy is made anew.
MOVED := $(shell [ ! -f .venv/.stamp ] || [ "$$(cat .venv/.stamp)" = "$$(pwd -P)" ] || echo moved)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup demo warm test slow durations lint format bench docs wheel look adapters coverage release clean FORCE

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  PYTHON=python3.12   use another interpreter (3.11 or newer)"
	@echo "  PIP_ARGS=...        passed to every pip install, e.g. --extra-index-url URL (CPU-only torch wheels)"
	@echo "  ARGS=...            passed to the demo, to pytest, to the benchmarks or to the documentation"

.venv/.stamp: pyproject.toml constraints.txt $(if $(MOVED),FORCE)
	@command -v $(PYTHON) >/dev/null || \
		{ echo "$(PYTHON) not found: install Python 3.11 or newer (Debian: apt install python3 python3-venv)."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$$($(PYTHON) -V) is too old, 3.11 or newer is needed (Debian: apt install python3.11 python3.11-venv," \
		"then: make PYTHON=python3.11)."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$$($(PYTHON) -V) has no venv module: install it (Debian: apt install" \
		"$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'))."; exit 1; }
	@echo "Setting up .venv: atlantis-envs with all it needs to train, evaluate and test, at the tested versions."
	@echo "The first time takes minutes and 2 GB of disk (more where torch comes with CUDA; see PIP_ARGS in make help)."
	@if [ -n "$(MOVED)" ] || ! $(VENV_PYTHON) -m pip --version >/dev/null 2>&1; then \
		$(PYTHON) -m venv --clear .venv; fi
	$(PIP_INSTALL) -e '.[train,export,eval,look,play,dev]'
	@pwd -P > $@

.venv/.stamp-bench: .venv/.stamp
	@echo "Adding what the benchmarks compare with to .venv."
	$(PIP_INSTALL) -e '.[bench]'
	@touch $@

setup: .venv/.stamp  ## install everything into .venv (the other targets do it by themselves)

.venv/.stamp-docs: .venv/.stamp
	@echo "Adding what the documentation is built with to .venv."
	$(PIP_INSTALL) -e '.[docs]'
	@touch $@

demo: .venv/.stamp  ## train an agent for a few minutes and show what it learned
	@$(VENV_PYTHON) -m atlantis_training.demo $(ARGS)

# The kernels are compiled once, before the workers start, so that two workers never compile the same.
WARM = @$(VENV_PYTHON) tests/warming.py $(ARGS)

warm: .venv/.stamp  ## compile the kernels of every game (the tests do it by themselves)
	$(WARM)

test: .venv/.stamp  ## run the quick tests (three minutes where nothing is to be compiled)
	$(WARM)
	@$(VENV_PYTHON) -m pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

slow: .venv/.stamp  ## run the tests that are slow: those that took long in the recorded run
	$(WARM)
	@$(VENV_PYTHON) -m pytest -n 2 --dist worksteal -m slow $(ARGS)

durations: .venv/.stamp  ## run all tests and record how long each takes, which says which are slow (on a quiet machine)
	$(WARM)
	@mkdir -p build
	@$(VENV_PYTHON) -m pytest -n 2 --junitxml=build/durations.xml $(ARGS)
	@$(VENV_PYTHON) tests/durations.py build/durations.xml

lint: .venv/.stamp  ## check style, types and who imports whom
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy
	$(VENV_PYTHON) docs/prose.py
	.venv/bin/lint-imports --no-logo

format: .venv/.stamp  ## put the code into shape: fix what can be fixed, then format
	$(VENV_PYTHON) -m ruff check --fix-only .
	$(VENV_PYTHON) -m ruff format .

bench: .venv/.stamp-bench  ## measure speed, beside other libraries
	@$(VENV_PYTHON) -m benchmarks $(ARGS)

docs: .venv/.stamp-docs  ## build the documentation site into build/docs (ARGS=--serve shows it)
	@$(VENV_PYTHON) docs/make_site.py $(ARGS)

wheel: .venv/.stamp  ## build a wheel with compiled kernels into dist/, and try it in an empty environment (minutes)
	@PYTHONPATH=tests PIP_ARGS="$(PIP_ARGS)" $(VENV_PYTHON) tests/prebuilt_wheel.py $(ARGS)

look: .venv/.stamp  ## draw a sheet of fixed positions, light, dark, and as a deuteranope sees them, into look/
	@PYTHONPATH=tests $(VENV_PYTHON) tests/look.py $(ARGS)

adapters: .venv/.stamp  ## test the adapters, each with its library in a temporary environment of its own (minutes, gigabytes)
	@PIP_ARGS="$(PIP_ARGS)" $(VENV_PYTHON) tests/learners.py $(ARGS)

coverage: .venv/.stamp  ## measure branch coverage, uncompiled where code is compiled; fails below fail_under (half an hour)
	@$(VENV_PYTHON) tests/branches.py

release: .venv/.stamp  ## build the files of a release into dist/, twice, and compare them (ARGS=--prebuilt: kernels too)
	@PYTHONPATH=tests:. PIP_ARGS="$(PIP_ARGS)" $(VENV_PYTHON) tests/release.py $(ARGS)

clean:  ## remove caches and build products (not .venv)
	rm -rf build dist *.egg-info agents/*.egg-info training/*.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . \( -path ./.venv -o -path ./.git \) -prune -o -type d -name __pycache__ -exec rm -rf {} +
