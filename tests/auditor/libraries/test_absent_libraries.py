"""Without a library its file can be imported, and its functions say what to install."""

import sys

import pytest

from auditor import UsageError
from auditor.libraries import diffprivlib, opacus, opendp, pipelinedp, pydp, smartnoise, tumult


@pytest.mark.parametrize(
    ("module", "call", "package"),
    [
        ("opendp.mod", lambda: opendp.measurement(len, d_in=1), "opendp"),
        ("diffprivlib", lambda: diffprivlib.mechanism(len), "diffprivlib 'scikit-learn<=1.7.2'"),
        ("opendp.mod", lambda: opendp.query(3), "opendp"),
        ("opendp.mod", lambda: opendp.stability(len, 1, []), "opendp"),
        ("pydp", lambda: pydp.algorithm(int), "python-dp"),
        ("snsql", lambda: smartnoise.sql("", {}, None), "smartnoise-sql"),
        ("tmlt.core.measurements.base", lambda: tumult.measurement(len, 1), "tmlt.core"),
        ("tmlt.analytics", lambda: tumult.query(len, 1), "tmlt.analytics"),
        ("pipeline_dp", lambda: pipelinedp.aggregation(1, len), "pipeline-dp"),
        ("opacus.optimizers", lambda: opacus.step(len, len), "opacus"),
    ],
)
def test_absent(module, call, package, monkeypatch):
    monkeypatch.setitem(sys.modules, module.split(".")[0], None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match="run: pip install ") as raised:
        call()
    assert str(raised.value).endswith(package)
