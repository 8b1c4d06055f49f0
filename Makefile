# Two commands are all a newcomer needs: `make demo` and `make test`. Both set up what they use.

SHELL := /bin/bash
BIN := .venv/bin
PYTHON := .venv/.ready
NODE := evals/node_modules/.ready
CHECKERS := tests/checkers/node_modules/.ready

# What Python has compiled once is kept, even in an environment that asks for the opposite.
export PYTHONDONTWRITEBYTECODE :=

# The longest first, since two run side by side.
CHECKS := check-types check-javascript check-suite check-data check-documents check-schemas \
	check-imports check-lint check-format

.PHONY: $(CHECKS) help demo test test-fast test-more test-all chromium check fmt suite setup packages jail lock schemas bench clean

help:  ## Say what each target does.
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "%-12s%s\n", $$1, $$2 }' Makefile

demo: setup  ## Run three baselines over some evals and build the site from them; no key needed.
	@$(BIN)/leaderboard demo

PYTEST := $(BIN)/pytest --dist loadscope --durations 10

# Three workers keep two processors busy, since tests with processes often wait. The checks run beside
# them, and print what they found wrong below the tests.
test: setup $(CHECKERS) chromium  ## Every check, and the tests that each change must pass.
	@mkdir -p .cache
	@$(MAKE) --no-print-directory check > .cache/checks.txt 2>&1 & checks=$$!; \
	trap "kill $$checks 2>/dev/null" EXIT; \
	$(PYTEST) -n 3; tests=$$?; \
	wait $$checks || { cat .cache/checks.txt; exit 1; }; \
	exit $$tests

test-fast: $(PYTHON)  ## Tests without processes, browsers and Node, of all packages.
	@$(PYTEST) -n 2 --tier unit -p no:schemathesis

test-more: setup $(CHECKERS) chromium  ## Tests that find few faults for their time; before a change is merged.
	@$(PYTEST) -n 3 --tier more

test-all: setup check $(CHECKERS) chromium  ## Every check and every test, in random order; for the night.
	@$(PYTEST) -n 3 --tier unit,integration,more,night --hypothesis-profile night -p randomly

chromium:
	@scripts/system-packages chromium

fmt: $(PYTHON) $(NODE) $(CHECKERS)  ## Format the code and mend what the linters can mend.
	@$(BIN)/ruff check --quiet --fix --exit-zero
	@$(BIN)/ruff format --quiet
	@scripts/check-javascript --fix

suite: setup  ## Prove every grader: each answer that the suite knows, graded twice.
	@$(BIN)/leaderboard suite check

check: setup $(CHECKERS)  ## Format, lint, types, layers, schemas, documents, records in data/, suite.
	@$(MAKE) --no-print-directory --keep-going --jobs 2 $(CHECKS)

check-types:
	@$(BIN)/pyright
check-javascript:
	@scripts/check-javascript
check-suite:
	@$(BIN)/leaderboard suite lint
check-data:
	@$(BIN)/leaderboard check
check-documents:
	@$(BIN)/python -m tests.documents
check-schemas:
	@$(BIN)/python -m records.schemas.generate --check
check-imports:
	@$(BIN)/lint-imports
check-lint:
	@$(BIN)/ruff check --quiet
check-format:
	@$(BIN)/ruff format --check --quiet

setup: jail packages  ## Install everything that the other targets use.

packages: $(PYTHON) $(NODE)  ## Install the packages of Python and Node: enough where no model's code runs.

# Asked for first: on a machine that lacks it, nobody waits for downloads before hearing of it.
jail:
	@scripts/system-packages bwrap

$(PYTHON): requirements/all.txt requirements/uv.txt pyproject.toml .python-version
	@scripts/python-environment
	@touch $@

$(NODE): evals/package.json evals/package-lock.json | $(PYTHON)
	@scripts/node-toolchain
	@touch $@

$(CHECKERS): tests/checkers/package.json tests/checkers/package-lock.json | $(PYTHON)
	@scripts/node-toolchain tests/checkers
	@touch $@

lock:  ## Pin every dependency anew, with hashes and without hosts.
	@scripts/lock

schemas:  ## Write docs/schemas and docs/data-format.md from the record models.
	@$(BIN)/python -m records.schemas.generate

bench: setup  ## Measure what docs/performance.md reports.
	@missed=0; for script in tests/benchmarks/bench_*.py; do \
	  $(BIN)/python -m tests.benchmarks.$$(basename $$script .py) || missed=1; done; exit $$missed

clean:  ## Remove what the other targets made, records excepted.
	rm -rf evals/node_modules tests/checkers/node_modules site .cache
	[ ! -e .venv/.made-by-python-environment ] || rm -rf .venv
