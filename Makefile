# Each target makes the virtual environment when it is missing; a second run rebuilds nothing.
PYTHON ?= python3
VENV := .venv
EXTRA := dev
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LIBRARIES := .venv-libraries
DOCS := .venv-docs

.PHONY: install audit test test-slow test-libraries test-portable coverage check docs dist faults bench bench-zoo bench-peers gallery clean

$(INSTALLED): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRA)]'
	@touch $@

install: $(INSTALLED)  ## the virtual environment: VENV=.venv-3.12 PYTHON=python3.12 EXTRA=test makes another one

audit: $(INSTALLED)  ## audit every mechanism and claim of the notes, and write the report
	@$(BIN)/dp-audit notes --out audit-report

test: $(INSTALLED)  ## the whole test suite, on all cores
	@$(BIN)/python -m pytest -n auto --dist worksteal

test-slow: $(INSTALLED)  ## what takes long: the types that users of the wheel see
	@$(BIN)/python -m pytest -m slow

$(LIBRARIES)/.installed: pyproject.toml
	@test -x $(LIBRARIES)/bin/python || $(PYTHON) -m venv $(LIBRARIES)
	@$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,libraries]'
	@touch $@

test-libraries: $(LIBRARIES)/.installed  ## the adapters on the real libraries, in an environment of their own
	@$(LIBRARIES)/bin/python -m pytest -rs tests/auditor/libraries tests/docs/test_libraries_doc.py

test-portable: $(INSTALLED)  ## what needs no fork, no cluster and no browser: for other systems and other Pythons
	@$(BIN)/python -m pytest @.ci/portable.txt

coverage: $(INSTALLED)  ## lines that the tests run; 95 % are required where soundness lives
	@rm -f .coverage .coverage.*
	@$(BIN)/python -m coverage run -m pytest -p no:xdist tests/auditor
	@$(BIN)/python -m coverage combine --quiet
	@for room in certify search sampling; do \
	  $(BIN)/python -m coverage report --skip-covered --show-missing --fail-under=95 --include="auditor/$$room/*" || exit 1; done

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

faults: $(INSTALLED)  ## killed workers, full disks, interrupts and checkpoints, 20 times in a row beside other work
	@$(BIN)/python -m benchmarks.faults --repeats 20

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
	rm -rf $(VENV) $(DOCS) $(LIBRARIES) .venv-peers .venv-gallery .venv-3.* audit-report site
