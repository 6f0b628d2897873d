"""PipelineDP's adapter on a small stand-in for the library: what is asked of it, and what is read from it."""

import sys
import types
from collections import Counter, namedtuple

import numpy as np
import pytest

from auditor import ApproxDP, UsageError, audit
from auditor.libraries import pipelinedp

RNG = np.random.default_rng(6)
Metrics = namedtuple("Metrics", ["count"])
Both = namedtuple("Both", ["count", "sum"])


class BudgetAccountant:
    def __init__(self, total_epsilon, total_delta):
        self.total_epsilon, self.total_delta, self.computed = total_epsilon, total_delta, False

    def compute_budgets(self):
        self.computed = True


class AggregateParams:
    def __init__(self, short=1, both=False):
        self.short, self.both = short, both


class SelectPartitionsParams:
    pass


class AddDPNoiseParams:
    pass


class DPEngine:
    """Counts records by partition, with geometric noise, once the budget is computed."""

    runs = 0

    def __init__(self, accountant, backend):
        self.accountant = accountant

    def aggregate(self, records, params, extractors, public_partitions):
        DPEngine.runs += 1
        assert len({extractors.privacy_id_extractor(record) for record in records}) == len(records)
        counts = Counter(extractors.partition_extractor(record) for record in records)
        for key in public_partitions or counts:
            assert self.accountant.computed
            p = 1 - np.exp(-self.accountant.total_epsilon * params.short)
            count = int(counts[key] + RNG.geometric(p) - RNG.geometric(p))
            yield key, Both(count, 0.0) if params.both else Metrics(count)

    def select_partitions(self, records, params, extractors):
        yield from {extractors.partition_extractor(record) for record in records}

    def add_dp_noise(self, records, params):
        yield from ((key, value + 0.5) for key, value in records)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    module = types.ModuleType("pipeline_dp")
    module.AggregateParams, module.BudgetAccountant, module.DPEngine = AggregateParams, BudgetAccountant, DPEngine
    module.SelectPartitionsParams, module.AddDPNoiseParams = SelectPartitionsParams, AddDPNoiseParams
    module.LocalBackend, module.DataExtractors = object, types.SimpleNamespace
    monkeypatch.setitem(sys.modules, "pipeline_dp", module)


def accountant():
    return BudgetAccountant(1.0, 0.0)


PAIR = [([(1, "a", 0), (2, "b", 0)], [(1, "a", 0)])]


@pytest.mark.parametrize(("short", "refuted"), [(1, False), (4, True)])
def test_a_healthy_count_is_not_refuted_and_one_with_too_little_noise_is(short, refuted):
    """The healthy one is audited at alpha 1e-6."""
    mechanism = pipelinedp.aggregation(AggregateParams(short), accountant, public_partitions=["a", "b"])
    assert mechanism.claim == ApproxDP(1.0)
    assert audit(mechanism, pairs=PAIR, trials=500, alpha=1e-6, jobs=1).refuted == refuted


def test_outputs_are_by_partition_and_metric():
    one = pipelinedp.aggregation(AggregateParams(), accountant).sample(PAIR[0][0][::-1], 1, None)[0]
    assert list(one) == ["a", "b"]
    assert isinstance(one["a"], int)
    two = pipelinedp.aggregation(AggregateParams(both=True), accountant).sample(PAIR[0][0], 1, None)[0]
    assert set(two["a"]) == {"count", "sum"}


def test_records_are_read_by_the_extractors_given():
    extractors = types.SimpleNamespace(
        privacy_id_extractor=lambda record: record["who"],
        partition_extractor=lambda record: record["town"],
        value_extractor=None,
    )
    mechanism = pipelinedp.aggregation(AggregateParams(), accountant, extractors)
    assert list(mechanism.sample([{"town": "x", "who": 1}], 1, None)[0]) == ["x"]


def test_draws_share_a_run_and_are_read_one_by_one():
    """Five draws take one run; those that the run gave beyond are handed out next."""
    before = DPEngine.runs
    mechanism = pipelinedp.aggregation(AggregateParams(), accountant, read=lambda released: released["a"])
    outputs = [*mechanism.sample(PAIR[0][0], 5, None), *mechanism.sample(PAIR[0][0], 5, None)]
    assert len(outputs) == 10
    assert all(isinstance(output, int) for output in outputs)
    assert DPEngine.runs == before + 1


def test_many_records_take_more_runs():
    """A run holds at most 50,000 of them: two draws of 20,000."""
    before = DPEngine.runs
    crowd = [(person, "a", 0) for person in range(20_000)]
    outputs = pipelinedp.Aggregation(AggregateParams(), accountant, None, None, None)(crowd, 5, None)
    assert [abs(output["a"] - 20_000) < 100 for output in outputs] == [True] * 5
    assert DPEngine.runs == before + 3


def test_partitions_are_selected_and_noise_is_added():
    selected = pipelinedp.aggregation(SelectPartitionsParams(), accountant)
    assert selected.sample([(1, "b"), (2, "a")], 2, None) == [["a", "b"]] * 2
    noisy = pipelinedp.aggregation(AddDPNoiseParams(), accountant)
    assert noisy.sample([("b", 1), ("a", 2)], 2, None) == [{"a": 2.5, "b": 1.5}] * 2


KEPT = BudgetAccountant(1.0, 0.0)


@pytest.mark.parametrize(
    ("params", "made", "words"),
    [
        (3, accountant, "params must be one of pipeline_dp's AggregateParams, "),
        (AggregateParams(), 3, "accountant must be a function"),
        (AggregateParams(), lambda: 3, "accountant must make an accountant of pipeline_dp"),
        (AggregateParams(), lambda: KEPT, "a new accountant in each call"),
    ],
)
def test_what_does_not_fit_gets_a_sentence_of_pipelinedp(params, made, words):
    with pytest.raises(UsageError, match=words):
        pipelinedp.aggregation(params, made)
