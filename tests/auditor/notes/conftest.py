"""Each lecture's file names its LECTURE, and is tested entry by entry."""

import pytest

from auditor.notes import run as ledger_run
from auditor.notes.contents import CONTENTS
from auditor.notes.everything import checks, run_check


def pytest_generate_tests(metafunc):
    """Tests that ask for `one` are made for every entry of the file's lecture."""
    if "one" in metafunc.fixturenames:
        lecture = metafunc.module.LECTURE
        metafunc.parametrize("one", [name for name in CONTENTS if name.startswith(f"{lecture}-")], indirect=True)


@pytest.fixture(scope="module")
def entries(request):
    """The lecture's entries, computed once, with few draws for true claims: that they hold is the catalogue's test.

    False alarms: at most .01, and the seed is fixed.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_run, "QUICK_TRIALS", 4_000)
        lecture = [check for check in checks() if check.id.startswith(f"{request.module.LECTURE}-")]
        return {check.id: run_check(check, quick=True) for check in lecture}


@pytest.fixture
def one(request, entries):
    """One entry of the lecture."""
    return entries[request.param]
