# Each target makes the virtual environment when it is missing; a second run rebuilds nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: audit test check bench clean

$(INSTALLED): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

audit: $(INSTALLED)  ## audit every mechanism and claim of the notes, and write the report
	@$(BIN)/dp-audit notes --out audit-report

test: $(INSTALLED)  ## the whole test suite
	@$(BIN)/python -m pytest

check: $(INSTALLED)  ## lint, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(INSTALLED)  ## speed, tightness and power, measured now
	@$(BIN)/python -m benchmarks

clean:  ## forget the environment and the reports
	rm -rf $(VENV) audit-report
