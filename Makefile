# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The one front door. `make help` lists the goals.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# cmake and ninja of the requirements, for what starts them by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)
STAMPS := build/stamps
# What was installed into the environment is recorded in it.
INSTALLED := $(VENV)/stamps
UNIT := build/unit
# In `make test` the fuzzers run for a short, bounded time.
TEST_FUZZ_SECONDS ?= 20
FUZZ_SECONDS ?= 300
SWEEP_CASES ?= 5000

# Everything that a goal's result can depend on.
FIND := find . -type f -not -path './build/*' -not -path './.venv/*' -not -path '*/.*cache/*'
SOURCES := $(wildcard $(shell git ls-files -co --exclude-standard 2>/dev/null || \
	$(FIND) | sed 's|^\./||'))
NATIVE := $(filter firmware/CMakeLists.txt firmware/core/% firmware/mgmt/% firmware/port/posix/% firmware/port/psa/% host/native/% pyproject.toml host/src/ranvier/_version.py,$(SOURCES))

.DELETE_ON_ERROR:
.PHONY: help demo test test-zephyr lint build unit fuzz powercut model-check bench bench-check sweep soak
.PHONY: bench-link mutation docs lock clean

help:
	@echo "make demo    set everything up; compile, run and measure real models"
	@echo "make test    set everything up; every test that needs no board"
	@echo "make test-zephyr  the Zephyr tests and samples by twister, in your workspace; or how to get one"
	@echo "make lint    style and types: ruff, mypy, clang-format"
	@echo "make build   the Python package with the native core in .venv (.venv/bin/ranvier)"
	@echo "make unit    the C unit tests, under sanitizers"
	@echo "make fuzz    the fuzzers for FUZZ_SECONDS each (now $(FUZZ_SECONDS))"
	@echo "make powercut  the power cut in every flash operation of every scenario of the model store"
	@echo "make model-check  the store's protocol and the two cores' by the model checker spin"
	@echo "make sweep   SWEEP_CASES random single-op models against the reference (now $(SWEEP_CASES))"
	@echo "make soak    100,000 random jobs with each driver of the scheduler, in virtual time; a billion"
	@echo "             messages between two cores' stand-ins, a million results, random kills (minutes)"
	@echo "make mutation  small errors in kernels and passes: is each found? (up to an hour)"
	@echo "make bench   size, memory and instruction tables"
	@echo "make bench-check  fails where instructions or RAM grew beyond the budgets in benchmarks/"
	@echo "make bench-link  rates and faults of uploads over a serial line; a quarter of an hour"
	@echo "make docs    the documentation site, into build/docs/html; links checked, code blocks executed"
	@echo "make lock    refresh the hashed requirements"
	@echo "make clean   remove build/ and .venv/"

# --- set-up -----------------------------------------------------------------

$(STAMPS)/packages-%: scripts/packages.sh
	@mkdir -p $(@D)
	@sh scripts/packages.sh $* && touch $@ || test $$? = 3

$(BIN)/python: | $(STAMPS)/packages-demo
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "ranvier: Python 3.10 or newer is needed; name one: make PYTHON=python3.11" >&2; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

$(INSTALLED)/requirements-%: requirements/%.txt | $(BIN)/python
	@mkdir -p $(@D)
	@echo "installing requirements/$*.txt"
	@$(PIP) install --require-hashes -r $< || \
		{ echo "ranvier: could not install $<; pip says above why (a package index must be reachable)" >&2; exit 1; }
	@touch $@

# Editable: Python sources are used in place, the native library is built into the environment.
$(INSTALLED)/build: $(NATIVE) $(INSTALLED)/requirements-demo
	@echo "building the native core"
	@mkdir -p build
	@$(PIP) install --no-deps --no-build-isolation --editable . >build/build.log 2>&1 || \
		{ tail -n 40 build/build.log; exit 1; }
	@touch $@

build: $(INSTALLED)/build

# --- goals ------------------------------------------------------------------

demo: $(INSTALLED)/build
	@$(BIN)/python samples/demo/demo.py

# Optional Debian packages that could not be had are asked for again: packages-test has no stamp then.
$(INSTALLED)/dev: $(INSTALLED)/requirements-dev $(INSTALLED)/build | $(STAMPS)/packages-test
	@touch $@

lint: $(INSTALLED)/dev
	@$(BIN)/ruff check -q . && $(BIN)/ruff format -q --check .
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run -Werror $(filter %.c %.h,$(SOURCES))

unit: $(INSTALLED)/dev
	@bash tests/unit/run.sh $(BIN) $(UNIT)

# What was run and passed is not run again until a source changes.
$(STAMPS)/test: $(SOURCES) $(INSTALLED)/dev
	@mkdir -p $(@D)
	@$(MAKE) --no-print-directory unit
	@bash tests/powercut/run.sh $(BIN) build/powercut some
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(TEST_FUZZ_SECONDS)
	@echo "pytest: a minute or two"
	@$(BIN)/python -m pytest -n 2 -o console_output_style=count -rs | tee build/pytest.log
	@$(MAKE) --no-print-directory lint
	@if test -f "$${ZEPHYR_BASE:-$$HOME/zephyrproject/zephyr}/scripts/twister"; then \
		$(MAKE) --no-print-directory test-zephyr; \
	else \
		echo "zephyr: no workspace, its tests are not run; make test-zephyr says how to get one"; \
	fi
	@touch $@

test: $(STAMPS)/test
	@echo "make test: all passed: $$(tail -n 1 build/pytest.log)"

test-zephyr: $(INSTALLED)/dev
	@$(BIN)/ranvier test

fuzz: $(INSTALLED)/dev
	@sh tests/fuzz/run.sh $(BIN) build/fuzz $(FUZZ_SECONDS)

powercut: $(INSTALLED)/dev
	@bash tests/powercut/run.sh $(BIN) build/powercut all

model-check:
	@sh tests/powercut/model-check.sh build/model-check
	@sh tests/ipc/model-check.sh build/model-check-ipc

sweep: $(INSTALLED)/dev
	@$(BIN)/python -m ranvier.testing.sweep --cases $(SWEEP_CASES)

soak: $(INSTALLED)/dev
	@$(BIN)/python tests/python/sched_soak.py
	@$(BIN)/python tests/python/ipc_soak.py

# For example MUTATION="--only kernels/dsp --count 20"; tests/mutation/README.md has more.
mutation: $(INSTALLED)/dev
	@$(BIN)/python tests/mutation/mutate.py $(MUTATION)

bench: $(INSTALLED)/dev
	@$(BIN)/python benchmarks/cortexm/bench.py
	@$(BIN)/python benchmarks/sched/sched_bench.py
	@$(BIN)/python benchmarks/ipc/service_bench.py
	@$(BIN)/python benchmarks/store/update_size.py

bench-check: $(INSTALLED)/dev
	@$(BIN)/python benchmarks/cortexm/bench.py --check
	@$(BIN)/python benchmarks/sched/sched_bench.py --check
	@$(BIN)/python benchmarks/ipc/service_bench.py --check

# Rates are wall-clock time: LINK="--repeat 3" on a busy machine.
bench-link: $(INSTALLED)/dev
	@$(BIN)/python benchmarks/link/link_bench.py $(LINK)

# A missing doxygen is asked for again; the build says that it is missing.
docs: $(INSTALLED)/build $(INSTALLED)/requirements-docs | $(STAMPS)/packages-docs
	@$(BIN)/python docs/build.py

lock: $(INSTALLED)/requirements-demo
	@$(PIP) install uv
	@cd requirements && for name in dev demo docs; do \
		../$(BIN)/uv pip compile -q --universal --python-version 3.10 --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" $$name.in -o $$name.txt || exit 1; done

clean:
	rm -rf build $(VENV)
