# Each target makes the virtual environment when it is missing; a second run rebuilds nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DOCS := .venv-docs

.PHONY: audit test test-slow check docs dist bench bench-zoo bench-peers gallery clean

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

check: $(INSTALLED)  ## lint, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# The site has a small environment of its own: the reference is read from the sources, which are not imported.
$(DOCS)/.installed: pyproject.toml
	@test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	@$(PYTHON) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['docs'], sep='\n')" \
	  > $(DOCS)/requirements.txt
	@$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(DOCS)/requirements.txt
	@touch $@

docs: $(DOCS)/.installed  ## the documentation as a site, which opens from disk: site/index.html
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --quiet --strict
	@echo "site/index.html"

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

gallery: $(INSTALLED)  ## audits of other libraries, an environment each; CASE=name runs one
	@$(BIN)/python -m gallery $(CASE)

clean:  ## forget the environments and the reports
	rm -rf $(VENV) $(DOCS) .venv-peers .venv-gallery audit-report site
