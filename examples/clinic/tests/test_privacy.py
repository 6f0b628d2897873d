"""Removing one patient, with all of their visits, must not show."""

import pytest
from clinic import release

VISITS = [("ann", "eyes"), ("bob", "heart"), ("bob", "eyes"), ("bob", "heart")]
WITHOUT_BOB = [("ann", "eyes")]


@pytest.mark.parametrize("table", [release.patients, release.visits_per_ward])
def test_one_patient_does_not_show(dp_audit, table):
    dp_audit(table, epsilon=release.EPSILON, pairs=[(VISITS, WITHOUT_BOB)])
