# make demo: see it work. make test: all tests. Both set up everything they need in .venv; a second call is quick.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
# Hundreds of short processes import karat in the tests: without compiled files each would compile it anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-docs test-whole test-servers test-computing lint types contracts check schema lock bench bench-check clean setup fuzz proofs proof-kills proof-long proof-model sbom audit chaos news site

demo: $(STAMP)
	@$(BIN)/karat demo
	@echo "(karat is in $(BIN): to type it as it is, . $(BIN)/activate)"

# Four parts at once: the docs, whole commands, what mostly waits for servers, what computes.
DOCS := tests/docs
WHOLE := tests/e2e
SERVERS := tests/engines tests/proofs tests/remote tests/runs tests/store tests/systems tests/web

# Per cent of the lines of src/karat that the last two parts must run in their own process. A whole `make test` reached 91.0:
# raise it when more is reached, never lower it.
FLOOR := 90
# Our own pytest plug-in would import karat before the probes are there.
MEASURED := $(BIN)/python -m pytest -p no:karat -p tests.line_coverage
LINES := .lines-servers.json .lines-computing.json

test: $(STAMP)
	rm -f $(LINES)
	$(MAKE) --no-print-directory -j4 test-docs test-whole test-servers test-computing
	$(BIN)/python -m tests.line_coverage $(FLOOR) $(LINES)

test-docs: $(STAMP)
	$(BIN)/pytest --durations=15 $(DOCS)

test-whole: $(STAMP)
	$(BIN)/pytest --durations=15 $(WHOLE)

test-servers: $(STAMP)
	$(MEASURED) --durations=15 --lines-to .lines-servers.json $(SERVERS)

test-computing: $(STAMP)
	$(MEASURED) --durations=15 --lines-to .lines-computing.json $(addprefix --ignore=,$(DOCS) $(WHOLE) $(SERVERS))

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "karat needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contracts: $(STAMP)
	$(BIN)/lint-imports

check: lint types contracts test

# The JSON Schemas of the public JSON and of the files that people write, after a change of their structs.
schema: $(STAMP)
	$(BIN)/python -m karat.reports.json_schema
	$(BIN)/python -m karat.verbs.setup.schema

# Exact versions and hashes, no index address. Needs uv (any recent version).
lock:
	uv pip compile pyproject.toml --group dev --extra all --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --quiet --output-file requirements.lock

# Every benchmark, then one table of all claims. `bench-check` compares them with the last recorded ones.
bench: $(STAMP)
	$(BIN)/python -m benchmarks

bench-check: $(STAMP)
	$(BIN)/python -m benchmarks check

# Every reader with changed files, for SECONDS; the seed is printed.
SECONDS ?= 120
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(SECONDS)

# All suites on Dask, PostgreSQL and S3 while everything fails, for CHAOS_MINUTES; the seed is printed. make chaos SEED=7
# does the same again.
CHAOS_MINUTES ?= 10
chaos: $(STAMP)
	$(BIN)/python -m tests.proofs.chaos $(CHAOS_MINUTES) $(SEED)

# The long forms of what make test only samples: a run killed at every write (about 5 minutes), processes on one store
# against a model (about 10), everything failing (CHAOS_MINUTES), every reader fuzzed (SECONDS).
proofs: proof-kills proof-model proof-long chaos fuzz

proof-kills: $(STAMP)
	KARAT_PROOFS=1 $(BIN)/pytest --durations=5 tests/proofs/test_kill_at_write.py

proof-long: $(STAMP)
	KARAT_PROOFS=1 $(BIN)/pytest --durations=5 -m proof

proof-model: $(STAMP)
	KARAT_PROOFS=1 $(BIN)/pytest --durations=5 --timeout=3600 tests/proofs/test_store_model.py

# Tools that look at the installed packages from outside, so that none of their own packages is listed.
TOOLS := .venv-tools/bin
TOOLS_STAMP := .venv-tools/.installed

$(TOOLS_STAMP): tools/requirements.lock
	$(PYTHON) -m venv .venv-tools
	$(TOOLS)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r tools/requirements.lock
	touch $@

# dist/sbom.json (CycloneDX) and dist/licences.md: every installed package. Needs no network once the tools are installed.
sbom: $(STAMP) $(TOOLS_STAMP)
	mkdir -p dist
	$(TOOLS)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom.json $(BIN)/python
	$(TOOLS)/pip-licenses --python $(BIN)/python --format markdown --order name --output-file dist/licences.md
	@echo "wrote dist/sbom.json and dist/licences.md"

# Known vulnerabilities of the locked packages. The data comes from the network; without it nothing was checked, and it says so.
audit: $(TOOLS_STAMP)
	@$(PYTHON) tools/audit.py $(TOOLS)/pip-audit requirements.lock

# The files of changes/ into CHANGELOG.md, at a release: make news VERSION=0.2.0. Without a version, only show them.
VERSION ?=
news: $(TOOLS_STAMP)
	$(TOOLS)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version next)

# The documentation as a site in the folder site/. It fetches nothing, neither now nor when it is read.
site: $(STAMP)
	$(BIN)/zensical build --strict

clean:
	rm -rf .venv .venv-tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache dist build site
