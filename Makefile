# Each target makes the virtual environment when it is missing; a second run rebuilds nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LIBRARIES := .venv-libraries

.PHONY: audit test test-slow check dist bench bench-zoo bench-peers clean

$(INSTALLED): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

audit: $(INSTALLED)  ## audit every mechanism and claim of the notes, and write the report
	@$(BIN)/dp-audit notes --out audit-report

test: $(INSTALLED)  ## the whole test suite, on all cores
	@$(BIN)/python -m pytest -n auto --dist loadfile

test-slow: $(INSTALLED)  ## what takes long: the types that users of the wheel see
	@$(BIN)/python -m pytest -m slow

$(LIBRARIES)/.installed: pyproject.toml
	@test -x $(LIBRARIES)/bin/python || $(PYTHON) -m venv $(LIBRARIES)
	@$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[search,libraries]' pytest pandas
	@touch $@

test-libraries: $(LIBRARIES)/.installed  ## the adapters on the real libraries, in an environment of their own
	@$(LIBRARIES)/bin/python -m pytest -rs tests/auditor/libraries tests/docs/test_libraries_doc.py

check: $(INSTALLED)  ## lint, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

dist: $(INSTALLED)  ## the wheel and the source distribution, checked
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	@rm -rf dist
	@$(BIN)/python -m hatchling build -d dist
	@$(BIN)/python -m twine check --strict dist/*

bench: $(INSTALLED)  ## speed, tightness, power and the catalogue, measured now
	@$(BIN)/python -m benchmarks

bench-zoo: $(INSTALLED)  ## the mechanisms by which the field measures itself
	@$(BIN)/python -m benchmarks.zoo

bench-peers: $(INSTALLED)  ## other auditors and this one on the same cases, in one run
	@$(BIN)/python -m benchmarks.peers
	@$(BIN)/python -m benchmarks.peers.one_run

clean:  ## forget the environments and the reports
	rm -rf $(VENV) $(LIBRARIES) .venv-peers audit-report
