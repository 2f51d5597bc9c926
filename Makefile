# make demo: see it work. make test: all tests. Both set up everything they need in .venv; a second call is quick.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
# Hundreds of short processes import karat in the tests: without compiled files each would compile it anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*## .*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1#\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'#' '{ printf "%-18s%s\n", $$1, $$2 }'

demo: $(STAMP) ## run the example projects of all suites and print their results
	@$(BIN)/karat demo
	@echo "(karat is in $(BIN): to type it as it is, . $(BIN)/activate)"

# Five parts at once: the docs, whole commands, what mostly waits for servers, what waits for code in a sandbox, what
# computes. No part may take much longer than the others, or it ends alone, with one processor idle: some files of whole
# commands run after the docs, which end early.
DOCS := tests/docs
WHOLE := tests/e2e
AFTER_DOCS := $(addprefix tests/e2e/test_,grace.py killed.py plain_install.py plugins.py release.py replies.py several_runners.py)
SERVERS := tests/engines tests/proofs tests/remote tests/runs tests/store tests/systems tests/web
BOXED := tests/compatibility tests/conformance tests/environments tests/sandbox tests/suites/codegen

# Per cent of the lines of src/karat that the last three parts must run in their own process. A whole `make test` reached 91.8:
# raise it when more is reached, never lower it. Without the data in ../shared many tests are skipped, and no share is asked for.
FLOOR := $(if $(wildcard ../shared/data),91,0)
# Our own pytest plug-in would import karat before the probes are there.
COUNTED := -p tests.closing_summary --durations=15 -rfE
PYTEST := $(BIN)/python -m pytest $(COUNTED)
MEASURED := $(BIN)/python -m pytest -p no:karat -p tests.line_coverage $(COUNTED)
PARTS := docs whole servers boxed computing
LINES := .lines-servers.json .lines-boxed.json .lines-computing.json
SUMMARIES := $(PARTS:%=.summary-%.json)

# The last line is "N passed, N failed, N skipped" over all parts; above it is, once, why tests were skipped.
test: $(STAMP) ## run all tests, in five parts side by side, and print one summary
	@rm -f $(LINES) $(SUMMARIES)
	@$(MAKE) --no-print-directory --keep-going -j5 $(PARTS:%=test-%); parts=$$?; \
	  $(BIN)/python -m tests.line_coverage $(FLOOR) $(LINES) || { parts=1; echo "failed: too few lines were run"; }; \
	  $(BIN)/python -m tests.closing_summary $(SUMMARIES) && [ $$parts = 0 ]

test-docs: $(STAMP) ## only the tests of the documentation, and some of whole commands
	$(PYTEST) --summary-to .summary-docs.json $(DOCS) $(AFTER_DOCS)

test-whole: $(STAMP) ## only the other tests of whole commands, and of pages in a browser
	$(PYTEST) --summary-to .summary-whole.json $(addprefix --ignore=,$(AFTER_DOCS)) $(WHOLE)

test-servers: $(STAMP) ## only the tests that mostly wait for servers
	$(MEASURED) --summary-to .summary-servers.json --lines-to .lines-servers.json $(SERVERS)

test-boxed: $(STAMP) ## only the tests that mostly wait for code in a sandbox
	$(MEASURED) --summary-to .summary-boxed.json --lines-to .lines-boxed.json $(BOXED)

test-computing: $(STAMP) ## only the tests that compute
	$(MEASURED) --summary-to .summary-computing.json --lines-to .lines-computing.json $(addprefix --ignore=,$(DOCS) $(WHOLE) $(SERVERS) $(BOXED))

setup: $(STAMP) ## install everything into .venv, with locked versions and checked hashes

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "karat needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m compileall -qq -j 0 .venv/lib || true  # pip compiles on one processor; some packages ship files that never compile
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

lint: $(STAMP) ## check style and layout (ruff)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## check types (mypy --strict)
	$(BIN)/mypy

contracts: $(STAMP) ## check which package imports which (import-linter)
	$(BIN)/lint-imports

check: lint types contracts test ## everything that CI runs: lint, types, contracts, test

# The JSON Schemas of the public JSON and of the files that people write, after a change of their structs.
schema: $(STAMP) ## write the JSON Schemas after a change of structs
	$(BIN)/python -m karat.reports.json_schema
	$(BIN)/python -m karat.verbs.setup.schema

# docs/reference/: every key, option, public name and file format, from the code.
reference: $(STAMP) ## write the reference pages after a change of structs, options or public names
	$(BIN)/python -m tools.reference

# Exact versions and hashes, no index address. Needs uv (any recent version).
lock: ## pin all dependencies again (needs uv)
	uv pip compile pyproject.toml --group dev --extra all --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --quiet --output-file requirements.lock

# Every benchmark, then one table of all claims. `bench-check` compares them with the last recorded ones.
bench: $(STAMP) ## run every benchmark, then print one table of all claims
	$(BIN)/python -m benchmarks

bench-check: $(STAMP) ## compare the benchmarks with the figures last recorded
	$(BIN)/python -m benchmarks check

# Every reader with changed files, for SECONDS; the seed is printed.
SECONDS ?= 120
fuzz: $(STAMP) ## feed changed files to every reader, for SECONDS
	$(BIN)/python -m tests.fuzz $(SECONDS)

# All suites on Dask, PostgreSQL and S3 while everything fails, for CHAOS_MINUTES; the seed is printed. make chaos SEED=7
# does the same again.
CHAOS_MINUTES ?= 10
chaos: $(STAMP) ## make everything fail for CHAOS_MINUTES; SEED repeats a run
	$(BIN)/python -m tests.proofs.chaos $(CHAOS_MINUTES) $(SEED)

# The long forms of what make test only samples: a run killed at every write (about 5 minutes), processes on one store
# against a model (about 10), everything failing (CHAOS_MINUTES), every reader fuzzed (SECONDS).
proofs: proof-kills proof-model proof-long chaos fuzz ## the long forms of what make test only samples

proof-kills: $(STAMP) ## kill a run at every write
	KARAT_PROOFS=1 $(BIN)/pytest --durations=5 tests/proofs/test_kill_at_write.py

proof-long: $(STAMP) ## the tests marked as proofs
	KARAT_PROOFS=1 $(BIN)/pytest --durations=5 -m proof

proof-model: $(STAMP) ## several processes on one store, against a model
	KARAT_PROOFS=1 $(BIN)/pytest --durations=5 --timeout=3600 tests/proofs/test_store_model.py

DIST ?= dist
# The environment whose packages are listed.
LISTED ?= $(BIN)
# Tools that look at the installed packages from outside, so that none of their own packages is listed.
TOOLS := .venv-tools/bin
TOOLS_STAMP := .venv-tools/.installed

$(TOOLS_STAMP): tools/requirements.lock
	$(PYTHON) -m venv .venv-tools
	$(TOOLS)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r tools/requirements.lock
	touch $@

# dist/sbom.json (CycloneDX) and dist/licences.md: every installed package. Needs no network once the tools are installed.
sbom: $(STAMP) $(TOOLS_STAMP) ## list every installed package in dist/sbom.json and dist/licences.md
	mkdir -p $(DIST)
	$(TOOLS)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON -o $(DIST)/sbom.json $(LISTED)/python
	$(TOOLS)/pip-licenses --python $(LISTED)/python --format markdown --order name --output-file $(DIST)/licences.md
	@echo "wrote $(DIST)/sbom.json and $(DIST)/licences.md"

# What a release consists of: an sdist, a wheel that works in a clean environment, and the list of what that environment holds.
RELEASE_ENVIRONMENT ?= build/release
TAG ?=
release-check: archives-check ## build and check what a release publishes; TAG=vX.Y.Z checks the tag too
	$(MAKE) --no-print-directory sbom LISTED=$(RELEASE_ENVIRONMENT)/bin

archives-check: $(STAMP) ## build sdist and wheel, and try the wheel in a clean environment
	rm -rf $(DIST)/karat-* build/release
	$(BIN)/python -m hatchling build -t sdist -t wheel -d $(DIST)
	$(BIN)/python tools/release_check.py $(DIST) --environment $(RELEASE_ENVIRONMENT) --tag "$(TAG)"

# Known vulnerabilities of the locked packages. The data comes from the network; without it nothing was checked, and it says so.
audit: $(TOOLS_STAMP) ## look for known vulnerabilities of the locked packages
	@$(PYTHON) tools/audit.py $(TOOLS)/pip-audit requirements.lock

# The files of changes/ into CHANGELOG.md, at a release: make news VERSION=0.2.0. Without a version, only show them.
VERSION ?=
news: $(TOOLS_STAMP) ## show the next changelog entry; VERSION=X.Y.Z writes it
	$(TOOLS)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version next)

# The documentation as a site in the folder site/. It fetches nothing, neither now nor when it is read.
site: $(STAMP) ## build the documentation into site/
	$(BIN)/zensical build --strict

clean: ## remove environments, caches and everything built
	rm -rf .venv .venv-tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache .lines-*.json .summary-*.json dist build site
