# Two commands for users, each on its own and on a fresh clone: make lab, make test.
# PYTHON chooses the interpreter (3.10 or newer) that .venv is made from.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
PYTEST_ARGS ?=
# Tests run at once, one process a processor, and the tests of a file in one process.
PYTEST = -m pytest -n logical --dist loadfile $(PYTEST_ARGS)
LAB_ARGS ?=
# Tests start hundreds of programs. Each would compile nbprof anew where compiled files are not kept.
unexport PYTHONDONTWRITEBYTECODE
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

# JupyterLab refuses to run as root unless told to, and would start a text browser where there is no screen.
LAB_FLAGS := $(shell [ "$$(id -u)" != 0 ] || echo --allow-root) \
	$(shell [ "$$(uname)" != Linux ] || [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || echo --no-browser)

.PHONY: help lab test test-long test-all lint types messages js test-lowest test-rest bench bench-large generated images constraints clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1 | /' | column -t -s '|'

lab: $(VENV)/.lab ## Open the quickstart in JupyterLab; LAB_ARGS are passed on.
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/quickstart.ipynb $(LAB_FLAGS) $(LAB_ARGS)

test: $(VENV)/.test ## Run every check and all but the long tests; some 8 minutes on two processors.
	@$(MAKE) --no-print-directory -j2 lint types js
	$(BIN)/python $(PYTEST) --long=no

test-long: $(VENV)/.test ## Run the tests that make test leaves out: tests/long_tests.py says which, and why.
	$(BIN)/python $(PYTEST) --long=only

test-all: test test-long ## Run make test and then the long tests.

lint: $(VENV)/.test ## Check style and formatting.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test ## Check the types.
	$(BIN)/mypy

messages: $(VENV)/.test ## Write the TypeScript types of the messages anew.
	$(BIN)/python js/generate_messages.py

js: ## Check, test and rebuild the browser side, where Node is there.
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory js-checks; \
	elif [ -n "$$NBPROF_REQUIRE_BROWSER" ]; then \
		echo "NBPROF_REQUIRE_BROWSER is set, and Node.js with npm is not on PATH." >&2; exit 1; \
	else \
		echo "Checks of the browser side skipped: Node.js with npm is not on PATH."; \
	fi

.PHONY: js-checks
js-checks: js/node_modules/.package-lock.json
	cd js && npm run --silent check && npm test --silent
	@before=$$(find nbprof/static -type f | sort | xargs cksum); (cd js && npm run --silent build) || exit 1; \
	if [ "$$before" != "$$(find nbprof/static -type f | sort | xargs cksum)" ]; then \
		echo "nbprof/static was not what js/ builds. It has been rebuilt: look at it and commit it." >&2; exit 1; \
	fi

js/node_modules/.package-lock.json: js/package-lock.json
	cd js && npm ci --no-audit --no-fund
	@touch $@

test-rest: $(VENV)/.test $(LOWEST)/.done ## Run what takes long and seldom finds more: the long tests with the lowest versions, 1,400 more spoiled files.
	$(LOWEST)/bin/python $(PYTEST) -m "not browser" --long=only --deselect tests/fuzz/test_fuzz.py::test_many_new_cases
	$(BIN)/python -m tests.fuzz --seed 1 --first 600 --cases 1400

test-lowest: $(LOWEST)/.done ## Run the tests of make test with the lowest versions that pyproject.toml allows, browser aside.
	$(LOWEST)/bin/python $(PYTEST) -m "not browser" --long=no

bench: $(VENV)/.test ## Measure everything beside other tools and write benchmarks/RESULTS.md; 25 minutes.
	$(BIN)/python benchmarks/suite.py

bench-large: $(VENV)/.test ## Measure reading 2 GB of JSON, too; needs 2 GB of disk and 5 minutes more.
	$(BIN)/python benchmarks/suite.py large

generated: $(VENV)/.test ## Write anew the methods of tables, docs/tables.md, docs/reference.md and the list in the README.
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/generate_reference.py

images: $(VENV)/.test ## Take the pictures of the documentation anew; needs Chromium.
	NBPROF_REQUIRE_BROWSER=1 $(BIN)/python -m pytest -q tests/browser/pages/test_page.py -k "fits and 1200"
	mkdir -p docs/images
	cp screenshots/page-overview-1200-light.png docs/images/overview-light.png
	cp screenshots/page-operators-1200-light.png docs/images/operators-light.png
	cp screenshots/page-kernels-1200-dark.png docs/images/kernels-dark.png
	cp screenshots/page-timeline-1200-light.png docs/images/timeline-light.png

constraints: $(VENV)/.test ## Compile constraints/ anew.
	./constraints/compile $(BIN)/python

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("nbprof needs Python 3.10 or newer; this is " + sys.version.split()[0] + ". Choose another: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: $(VENV)/bin/python pyproject.toml constraints/current.txt
	$(BIN)/python $(PIP_INSTALL) -c constraints/current.txt -e '.[lab,dask]'
	@touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml constraints/current.txt
	$(BIN)/python $(PIP_INSTALL) -c constraints/current.txt -e '.[lab,hosts,test,dev]'
	@touch $@ $(VENV)/.lab

$(LOWEST)/.done: pyproject.toml constraints/lowest.txt
	@$(PYTHON) -c 'import sys; (3, 10) <= sys.version_info < (3, 12) or sys.exit("The lowest allowed versions have no wheels for Python " + sys.version.split()[0] + ": make PYTHON=python3.11 test-lowest")'
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python $(PIP_INSTALL) -c constraints/lowest.txt -e '.[test]'
	@touch $@

clean: ## Remove the environments and everything built from them.
	rm -rf $(VENV) $(LOWEST) js/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis screenshots dist
