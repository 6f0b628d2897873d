"""Aggregations of PipelineDP on its local backend as mechanisms (written for pipeline-dp 0.3).

Neighbours: all records of one privacy id added or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, approx_dp, missing
from auditor.sampling.draws import per_draw


def aggregation(
    params: Any,
    accountant: Callable[[], Any],
    extractors: Any = None,
    public_partitions: Sequence[Any] | None = None,
) -> Adapted:
    """An aggregation as a mechanism: an output is {partition: metrics}, the claim the accountant's total budget.

    Each draw has an accountant, an engine and a backend of its own. The library draws from randomness of its own: an
    audit of it cannot be replayed.

    Args:
        params: A `pipeline_dp.AggregateParams`.
        accountant: Makes a new accountant: `lambda: pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=0)`.
        extractors: A `pipeline_dp.DataExtractors`; records are (privacy id, partition, value) where none are given.
        public_partitions: Partitions that are always in the output. Without them PipelineDP selects partitions by
            their noisy number of people, which needs a delta.

    The dataset of an audit is a list of records.
    """
    library = _pipeline_dp()
    if not isinstance(params, library.AggregateParams):
        raise UsageError(f"params must be a pipeline_dp.AggregateParams, got {params!r:.60}")
    if not callable(accountant):
        raise UsageError(f"accountant must be a function that makes an accountant, got {accountant!r:.60}")
    made = accountant()
    if not isinstance(made, library.BudgetAccountant):
        raise UsageError(f"accountant must make an accountant of pipeline_dp, got {made!r:.60}")
    if accountant() is made:
        raise UsageError("accountant must make a new accountant in each call, got the same one twice")
    draw = Aggregation(params, accountant, extractors, public_partitions)
    return Adapted("pipelinedp", approx_dp(made.total_epsilon, made.total_delta), per_draw(draw).sample)


@dataclass(frozen=True)
class Aggregation:
    """Runs an aggregation on the records of a dataset."""

    params: Any
    accountant: Callable[[], Any]
    extractors: Any
    public_partitions: Sequence[Any] | None

    def __call__(self, dataset: Any, rng: np.random.Generator) -> dict[Any, Any]:
        """One output."""
        library, accountant = _pipeline_dp(), self.accountant()
        engine = library.DPEngine(accountant, library.LocalBackend())
        found = engine.aggregate(list(dataset), self.params, self._extractors(library), self.public_partitions)
        accountant.compute_budgets()
        return {key: _metrics(value) for key, value in sorted(found, key=repr)}

    def _extractors(self, library: Any) -> Any:
        if self.extractors is not None:
            return self.extractors
        person, partition, value = (itemgetter(index) for index in range(3))
        return library.DataExtractors(privacy_id_extractor=person, partition_extractor=partition, value_extractor=value)


def _metrics(value: Any) -> Any:
    """The metrics of a partition by their names; a single one stands alone."""
    named = dict(value._asdict()) if hasattr(value, "_asdict") else dict(vars(value))
    return next(iter(named.values())) if len(named) == 1 else named


def _pipeline_dp() -> Any:
    try:
        import pipeline_dp
    except ImportError as error:
        raise missing("pipeline-dp", error) from error
    return pipeline_dp
