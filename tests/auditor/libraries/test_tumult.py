"""Tumult's adapter on small stand-ins for tmlt and Spark: what is asked of them, and what is read from them."""

import os
import sys
import types

import numpy as np
import pandas as pd
import pytest

from auditor import ZCDP, ApproxDP, UsageError, audit
from auditor.libraries import tumult

RNG = np.random.default_rng(7)
KEY = "draw_of_the_audit"


def noisy(x, epsilon):
    p = 1 - np.exp(-epsilon)
    return int(x + RNG.geometric(p) - RNG.geometric(p))


class Exact:
    def __init__(self, value):
        self.value = value

    def to_float(self, round_up):
        assert round_up
        return self.value


class Measurement:
    is_interactive = False

    def __init__(self, measure, loss, short=1):
        self.output_measure, self.loss, self.short = type(measure, (), {})(), loss, short

    def privacy_function(self, d_in):
        return self.loss * d_in if isinstance(self.loss, float) else self.loss

    def __call__(self, x):
        return noisy(x, self.short)


def budget(kind, **fields):
    return type(kind, (types.SimpleNamespace,), {})(**fields)


class AddOneRow:
    pass


class AddMaxRows:
    pass


class Session:
    def __init__(self, budget, table):
        self.budget, self.table = budget, table

    @classmethod
    def from_dataframe(cls, budget, name, table, change):
        return cls(budget, table)

    def evaluate(self, asked, budget):
        assert budget is self.budget
        keys, short = asked
        rows = [
            {KEY: key, "count": noisy((self.table[KEY] == key).sum(), budget.epsilon * short)} for key in keys[::-1]
        ]
        return types.SimpleNamespace(toPandas=lambda: pd.DataFrame(rows))


class Builder:
    def __init__(self, name):
        pass

    def groupby(self, keys):
        return types.SimpleNamespace(count=lambda short=1: (keys[KEY], short))


def frame(rows, schema):
    names = [part.split("`")[1] for part in schema.split(", ")]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    modules = {
        name: types.ModuleType(name) for name in ("tmlt.core.measurements.base", "tmlt.analytics", "pyspark.sql")
    }
    modules["tmlt.core.measurements.base"].Measurement = Measurement
    analytics = modules["tmlt.analytics"]
    analytics.AddOneRow, analytics.AddMaxRows, analytics.Session = AddOneRow, AddMaxRows, Session
    analytics.QueryBuilder, analytics.KeySet = Builder, types.SimpleNamespace(from_dict=dict)
    spark = types.SimpleNamespace(createDataFrame=frame)
    builder = types.SimpleNamespace(getOrCreate=lambda: spark)
    builder.config = lambda name, value: builder
    modules["pyspark.sql"].SparkSession = types.SimpleNamespace(builder=builder, getActiveSession=lambda: None)
    for name, module in modules.items():
        for depth in range(1, name.count(".") + 1):
            monkeypatch.setitem(sys.modules, ".".join(name.split(".")[:depth]), types.ModuleType(name))
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("PYSPARK_PYTHON", "")
    monkeypatch.delenv("PYSPARK_PYTHON")


PURE = budget("PureDPBudget", epsilon=Exact(1.0))
NUMBERS = budget("PureDPBudget", epsilon=1.0)
PAIR = [({"age": [1, 2, 3]}, {"age": [1, 2]})]


def test_claims_are_those_of_the_library():
    assert tumult.measurement(Measurement("PureDP", 1.0), 2).claim == ApproxDP(2.0)
    assert tumult.measurement(Measurement("RhoZCDP", Exact(0.5)), 1).claim == ZCDP(0.5)
    assert tumult.measurement(Measurement("ApproxDP", (Exact(0.5), Exact(0.1))), 1).claim == ApproxDP(0.5, 0.1)
    assert tumult.query(len, PURE).claim == ApproxDP(1.0)
    assert tumult.query(len, budget("ApproxDPBudget", epsilon=1.0, delta=0.1)).claim == ApproxDP(1.0, 0.1)
    assert tumult.query(len, budget("RhoZCDPBudget", rho=0.5), AddMaxRows()).claim == ZCDP(0.5)


@pytest.mark.parametrize(("short", "refuted"), [(1, False), (4, True)])
def test_a_healthy_measurement_is_not_refuted_and_one_with_too_little_noise_is(short, refuted):
    """The healthy one is audited at alpha 1e-6."""
    mechanism = tumult.measurement(Measurement("PureDP", 1.0, short), 1)
    assert audit(mechanism, pairs=[(0, 1)], trials=500, alpha=1e-6, jobs=1).refuted == refuted


@pytest.mark.parametrize(("short", "refuted"), [(1, False), (4, True)])
def test_a_healthy_query_of_a_session_is_not_refuted_and_one_with_too_little_noise_is(short, refuted):
    """The healthy one is audited at alpha 1e-6."""
    mechanism = tumult.query(lambda table: table.count(short), NUMBERS, size=64)
    assert audit(mechanism, pairs=PAIR, trials=300, alpha=1e-6, jobs=1).refuted == refuted


def test_answers_are_those_of_the_copies_in_their_order_also_of_an_empty_table():
    sure = budget("PureDPBudget", epsilon=50.0)
    count = tumult.query(lambda table: table.count(), sure, size=3)
    assert count.sample({"age": [1, 2], "town": ["x", None]}, 5, None) == [2] * 5
    assert count.sample({"age": [], "town": []}, 2, None) == [0, 0]
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tumult.measurement(len, 1), "one of tmlt.core that is not interactive"),
        (lambda: tumult.measurement(Measurement("PureDP", 1.0), "far"), "d_in must be a distance|testable"),
        (lambda: tumult.measurement(Measurement("Mine", 1.0), 1), "PureDP, ApproxDP or RhoZCDP, got Mine"),
        (lambda: tumult.measurement(Measurement("RhoZCDP", 0.0), 1), "testable"),
        (lambda: tumult.query(3, PURE), "a function of a query builder"),
        (lambda: tumult.query(len, 1.0), "budget must be one of"),
        (lambda: tumult.query(len, PURE, object()), "AddOneRow or AddMaxRows"),
    ],
)
def test_what_does_not_fit_gets_a_sentence_of_tumult(call, words):
    with pytest.raises(UsageError, match=words):
        call()
