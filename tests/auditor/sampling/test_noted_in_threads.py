"""What a mechanism warns of in threads is noted for the result, and nothing is printed."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import pytest

from auditor import ApproxDP, audit
from auditor.sampling.noted import all_routed, noted_warnings


def careless(data, n, rng):
    warnings.warn("be careful", UserWarning, stacklevel=1)
    return data + rng.laplace(size=n)


def in_thread(text):
    with noted_warnings() as noted:
        warnings.warn(text, UserWarning, stacklevel=1)
    return list(noted.values())


def test_each_thread_notes_its_own():
    with all_routed(), ThreadPoolExecutor(2) as pool:
        assert list(pool.map(in_thread, ["one", "two"])) == [["UserWarning: one"], ["UserWarning: two"]]


def aloud_in_a_thread():
    with all_routed():
        one = threading.Thread(target=warnings.warn, args=("aloud",))
        one.start()
        one.join()


def test_a_thread_that_notes_nothing_is_shown_as_before():
    with pytest.warns(UserWarning, match="aloud"):
        aloud_in_a_thread()


def test_filters_are_as_before_afterwards():
    before = list(warnings.filters), warnings.showwarning
    in_thread("x")
    with all_routed():
        pass
    assert (list(warnings.filters), warnings.showwarning) == before


def test_inner_notes_do_not_reach_the_outer_ones():
    with noted_warnings() as outer:
        assert in_thread("inner") == ["UserWarning: inner"]
        warnings.warn("outer", UserWarning, stacklevel=1)
    assert list(outer.values()) == ["UserWarning: outer"]


def test_an_audit_in_threads_prints_nothing(capfd):
    with joblib.parallel_config(backend="threading"):
        result = audit(careless, ApproxDP(1.0), [(0, 1)], trials=400_000, jobs=2, views=["values"])
    assert result.warnings == ("The mechanism warned: UserWarning: be careful",)
    assert capfd.readouterr().err == ""
