from __future__ import annotations

import pytest
import samples

import reports
from auditor.results.document import Document


@pytest.fixture(scope="session")
def notes() -> Document:
    return samples.notes_document()


@pytest.fixture(scope="session")
def run() -> Document:
    return samples.run_document()


@pytest.fixture(scope="session")
def hostile() -> Document:
    return samples.hostile_document()


@pytest.fixture(scope="session")
def hostile_page(hostile: Document) -> str:
    return reports.render(hostile, "html")


@pytest.fixture(scope="session")
def page(notes: Document) -> str:
    return reports.render(notes, "html")
