"""The run over the notes: catalogue audits beside the ledger, one document, errors kept inside."""

import warnings

import joblib
import pytest

from auditor.errors import UsageError
from auditor.notes.catalogue_audits import audit_entry, count_tests, statements
from auditor.notes.contents import CONTENTS
from auditor.notes.everything import checks, known_ids, notes, processes, random_tests
from auditor.results.document import Document
from mechanisms.core.catalogue import catalogue, find
from mechanisms.laplace import Laplace

SHARE = 1e-4  # false alarm of each test below, with a fixed seed


def test_every_id_of_the_notes_has_a_check():
    assert [check.id for check in checks()] == list(CONTENTS)


@pytest.mark.parametrize(
    ("identifier", "outcome"),
    [
        ("laplace", "not refuted"),
        ("laplace/half-scale", "refuted"),
        ("randomized-response-debiased/no-debias", "refuted"),
    ],
)
def test_catalogue_entries_come_out_as_expected(identifier, outcome):
    entry = audit_entry(identifier, quick=True, seed=0, share=SHARE)
    assert (entry.outcome, entry.expected) == (outcome, outcome)
    assert entry.kind == ("mutant" if "/" in identifier else "mechanism")


def test_a_mutant_of_accuracy_is_refuted_by_its_accuracy():
    entry = audit_entry("randomized-response-debiased/no-debias", quick=True, seed=0, share=SHARE)
    assert entry.quantity == "failure probability"
    assert entry.certified > entry.claimed
    assert entry.audit["verdict"] == "not refuted"


def test_accuracy_is_tested_where_it_is_stated():
    assert count_tests(find("laplace")) == 1 + len(find("laplace").accuracy()) == 2
    assert statements(find("laplace/half-scale")) == ()
    assert random_tests() == sum(check.tests for check in checks()) + sum(map(count_tests, catalogue()))


def test_a_mechanism_that_misses_its_accuracy_is_refuted(monkeypatch):
    monkeypatch.setattr(Laplace, "scale", property(lambda self: 2 * self.sensitivity / self.epsilon))
    entry = audit_entry("laplace", quick=True, seed=0, share=SHARE)
    assert entry.outcome == "refuted"
    assert "fails in" in entry.witness


def test_a_mechanism_that_raises_is_an_error_of_its_own(monkeypatch):
    monkeypatch.setattr(Laplace, "query", lambda self, dataset: 1 / 0)
    entry = audit_entry("laplace", quick=True, seed=0, share=SHARE)
    assert entry.outcome == "error"
    assert "division by zero" in entry.reason


def test_the_document_keeps_the_order_of_the_notes_and_its_alpha():
    document = notes(ids=["laplace", "001-LAP-A", "000-R1"], quick=True, jobs=1, seed=3, alpha=0.02)
    assert [entry.id for entry in document.entries] == ["000-R1", "001-LAP-A", "laplace"]
    assert (document.alpha, document.seed, document.interrupted) == (0.02, 3, False)
    assert Document.from_json(document.to_json()).entries == document.entries


def test_an_interrupt_keeps_what_is_done():
    def stop(done, total, entry):
        raise KeyboardInterrupt

    document = notes(ids=["000-R1", "000-T1"], quick=True, jobs=1, progress=stop)
    assert document.interrupted
    assert len(document.entries) == 1


def test_unknown_ids_are_refused():
    with pytest.raises(UsageError, match="'nope'"):
        notes(ids=["nope"])
    assert len(known_ids()) == len(set(known_ids()))


def test_a_process_that_is_replaced_is_no_news():
    with processes(2):
        assert joblib.effective_n_jobs(None) == 2
        warnings.warn("A worker stopped while some jobs were given to the executor.", UserWarning, stacklevel=1)
    with pytest.warns(UserWarning, match="A worker stopped"):
        warnings.warn("A worker stopped while some jobs were given to the executor.", UserWarning, stacklevel=1)
