"""Without a library its file can be imported, and its functions say what to install."""

import sys

import pytest

from auditor import UsageError
from auditor.libraries import diffprivlib, opendp, pydp


@pytest.mark.parametrize(
    ("module", "call", "package"),
    [
        ("opendp.mod", lambda: opendp.measurement(len, d_in=1), "opendp"),
        ("diffprivlib", lambda: diffprivlib.mechanism(len), "diffprivlib 'scikit-learn<=1.7.2'"),
        ("pydp", lambda: pydp.algorithm(int), "python-dp"),
    ],
)
def test_absent(module, call, package, monkeypatch):
    monkeypatch.setitem(sys.modules, module.split(".")[0], None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match="run: pip install ") as raised:
        call()
    assert str(raised.value).endswith(package)
