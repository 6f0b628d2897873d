"""smartnoise-sql's adapter on a small stand-in for the library: what is asked of it, and what is read from it."""

import sys
import types

import numpy as np
import pytest

from auditor import ApproxDP, UsageError, audit
from auditor.libraries import smartnoise

RNG = np.random.default_rng(5)
ONE, GROUPS = "SELECT COUNT(*) AS n FROM S.T", "SELECT g, COUNT(*) AS n FROM S.T GROUP BY g"


class Privacy:
    def __init__(self, epsilon, delta=0.0):
        self.epsilon, self.delta = epsilon, delta


class Reader:
    """Counts rows, with geometric noise. `metadata` says whether rows are censored, and by how much noise is short."""

    def __init__(self, frame, metadata, privacy):
        self.frame, self.metadata, self.privacy, self.runs = frame, metadata, privacy, []
        self.reader = types.SimpleNamespace(execute=self.exact)

    def exact(self, query):
        self.runs.append(f"exact: {query}")
        return [["n"], (len(self.frame),)]

    def get_privacy_cost(self, query):
        if "SELECT" not in query:
            raise KeyError("no query")
        return self.privacy.epsilon, self.privacy.delta

    def parse_query_string(self, query):
        return types.SimpleNamespace(censor_dims=self.metadata.get("censor_dims", False))

    def _rewrite(self, query):
        return self.metadata.get("inner", query), query

    def execute(self, query, pre_aggregated=None):
        self.runs.append(query)
        p = 1 - np.exp(-self.privacy.epsilon * self.metadata.get("short", 1))
        if pre_aggregated is not None:
            exact = [row[0] for row in pre_aggregated[1:]]
            return [["n"], *([int(x + RNG.geometric(p) - RNG.geometric(p))] for x in exact)]
        counts = self.frame["g"].value_counts() if "GROUP" in query else {}
        return [["g", "n"], *([key, int(x + RNG.geometric(p) - RNG.geometric(p))] for key, x in counts.items())]


@pytest.fixture
def readers(monkeypatch):
    made = []

    def from_df(frame, metadata, privacy):
        made.append(Reader(frame, metadata, privacy))
        return made[-1]

    module = types.ModuleType("snsql")
    module.from_df = from_df
    monkeypatch.setitem(sys.modules, "snsql", module)
    return made


PAIR = [({"g": ["a", "a", "b"]}, {"g": ["a", "a"]})]


@pytest.mark.parametrize(("short", "refuted"), [(1, False), (4, True)])
def test_a_healthy_query_is_not_refuted_and_one_with_too_little_noise_is(readers, short, refuted):
    """The healthy one is audited at alpha 1e-6."""
    mechanism = smartnoise.sql(ONE, {"short": short}, Privacy(1.0))
    assert mechanism.claim == ApproxDP(1.0)
    assert audit(mechanism, pairs=PAIR, trials=500, alpha=1e-6, jobs=1).refuted == refuted


def test_one_row_is_run_once_a_batch(readers):
    mechanism = smartnoise.sql(ONE, {}, Privacy(1.0, 1e-5))
    assert mechanism.claim == ApproxDP(1.0, 1e-5)
    outputs = mechanism.sample(PAIR[0][0], 50, None)
    assert len(outputs) == 50
    assert all(isinstance(output, int) for output in outputs)
    assert readers[-1].runs == [f"exact: {ONE}", ONE]
    mechanism.sample(PAIR[0][0], 50, None)
    assert len(readers) == 2  # the first batch had more, and another reader priced the query


def test_the_rows_of_a_person_are_sampled_for_each_draw(readers):
    inner = "SELECT … ORDER BY RANDOM()"
    outputs = smartnoise.sql(ONE, {"inner": inner}, Privacy(1.0)).sample(PAIR[0][0], 300, None)
    assert len(outputs) == 300
    assert readers[-1].runs == [f"exact: {inner}"] * 300 + [ONE]


@pytest.mark.parametrize(("query", "metadata"), [(GROUPS, {}), (ONE, {"censor_dims": True})])
def test_groups_and_censored_rows_are_run_for_each_draw(readers, query, metadata):
    outputs = smartnoise.sql(query, metadata, Privacy(1.0)).sample(PAIR[0][0], 4, None)
    assert len(readers[-1].runs) == 4
    assert [sorted(output) for output in outputs] == ([["a", "b"]] * 4 if query is GROUPS else [[]] * 4)


@pytest.mark.parametrize(("query", "privacy"), [("count!", Privacy(1.0)), (ONE, 1.0), (3, Privacy(1.0))])
def test_what_does_not_fit_gets_a_sentence_of_smartnoise(readers, query, privacy):
    with pytest.raises(UsageError, match=r"sql takes a query|can price"):
        smartnoise.sql(query, {}, privacy)
