"""Aggregations of PipelineDP on its local backend as mechanisms (written for pipeline-dp 0.3).

Neighbours: all records of one privacy id added or removed. For `AddDPNoiseParams`, which takes numbers that are already
aggregated: numbers that differ by no more than the sensitivities say.

What to know: an empty list of records is a ValueError of PipelineDP. Audit with `raises="output"` where a dataset may
be empty: then the error is an output like others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, Pooled, approx_dp, missing

_TOGETHER = 50_000  # most records of one run of the engine: they are held in memory
_DRAWS = 1024  # draws of one run, at the least


def aggregation(
    params: Any,
    accountant: Callable[[], Any],
    extractors: Any = None,
    public_partitions: Sequence[Any] | None = None,
    read: Callable[[Any], Any] | None = None,
) -> Adapted:
    """An aggregation as a mechanism: an output is {partition: metrics}, the claim the accountant's total budget.

    Of a selection of partitions an output is the sorted list of those that were kept.

    Many draws are made in one run of the engine, with an accountant of its own: the records are there once for each
    draw, as other people in other partitions. What PipelineDP does to a person or a partition does not depend on the
    others, and a run takes as long as its accountant, a second for `PLDBudgetAccountant`. The library draws from
    randomness of its own: an audit of it cannot be replayed.

    Args:
        params: A `pipeline_dp.AggregateParams` for `DPEngine.aggregate`, a `SelectPartitionsParams` for
            `select_partitions`, or an `AddDPNoiseParams` for `add_dp_noise`.
        accountant: Makes a new accountant: `lambda: pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=0)`.
        extractors: A `pipeline_dp.DataExtractors`; records are (privacy id, partition, value) where none are given.
        public_partitions: Partitions that are always in the output. Without them PipelineDP selects partitions by
            their noisy number of people, which needs a delta.
        read: Takes an output apart: `read=lambda released: released["a"]["mean"]`.

    The dataset of an audit is a list of records; for `AddDPNoiseParams` a list of (partition, number or array).
    """
    library = _pipeline_dp()
    kinds = (library.AggregateParams, library.SelectPartitionsParams, library.AddDPNoiseParams)
    if not isinstance(params, kinds):
        names = ", ".join(kind.__name__ for kind in kinds)
        raise UsageError(f"params must be one of pipeline_dp's {names}; got {params!r:.60}")
    if not callable(accountant):
        raise UsageError(f"accountant must be a function that makes an accountant, got {accountant!r:.60}")
    made = accountant()
    if not isinstance(made, library.BudgetAccountant):
        raise UsageError(f"accountant must make an accountant of pipeline_dp, got {made!r:.60}")
    if accountant() is made:
        raise UsageError("accountant must make a new accountant in each call, got the same one twice")
    run = Aggregation(params, accountant, extractors, public_partitions, read)
    return Adapted("pipelinedp", approx_dp(made.total_epsilon, made.total_delta), Pooled(run, _DRAWS))


@dataclass(frozen=True)
class Aggregation:
    """Runs an aggregation on the records of a dataset."""

    params: Any
    accountant: Callable[[], Any]
    extractors: Any
    public_partitions: Sequence[Any] | None
    read: Callable[[Any], Any] | None

    def __call__(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n outputs, of as few runs as hold them."""
        records = list(dataset)
        size = min(n, max(1, _TOGETHER // max(1, len(records))))
        outputs = [output for start in range(0, n, size) for output in self._run(records, min(size, n - start))]
        return outputs if self.read is None else [self.read(output) for output in outputs]

    def _run(self, records: list[Any], size: int) -> list[Any]:
        """The outputs of one run on copies of the records."""
        library, accountant = _pipeline_dp(), self.accountant()
        found = self._asked(library, library.DPEngine(accountant, library.LocalBackend()), records, size)
        accountant.compute_budgets()
        if isinstance(self.params, library.SelectPartitionsParams):
            kept: list[list[Any]] = [[] for _ in range(size)]
            for draw, key in found:
                kept[draw].append(key)
            return [sorted(keys, key=repr) for keys in kept]
        released: list[dict[Any, Any]] = [{} for _ in range(size)]
        for (draw, key), value in found:
            released[draw][key] = _metrics(value)
        return [dict(sorted(one.items(), key=lambda pair: repr(pair[0]))) for one in released]

    def _asked(self, library: Any, engine: Any, records: list[Any], size: int) -> Any:
        """What the engine will compute once it has its budgets, by (draw, partition)."""
        if isinstance(self.params, library.AddDPNoiseParams):
            return engine.add_dp_noise(
                [((draw, key), value) for draw in range(size) for key, value in records], self.params
            )
        copies, extractors = [(draw, record) for draw in range(size) for record in records], self._extractors(library)
        if isinstance(self.params, library.SelectPartitionsParams):
            return engine.select_partitions(copies, self.params, extractors)
        public = self.public_partitions
        keys = None if public is None else [(draw, key) for draw in range(size) for key in public]
        return engine.aggregate(copies, self.params, extractors, keys)

    def _extractors(self, library: Any) -> Any:
        """The extractors for a record with the number of its draw: people and partitions are told apart by it."""
        own = self.extractors
        if own is None:
            person, partition, value = (itemgetter(index) for index in range(3))
        else:
            person, partition, value = own.privacy_id_extractor, own.partition_extractor, own.value_extractor
        return library.DataExtractors(
            privacy_id_extractor=None if person is None else lambda copy: (copy[0], person(copy[1])),
            partition_extractor=lambda copy: (copy[0], partition(copy[1])),
            value_extractor=None if value is None else lambda copy: value(copy[1]),
        )


def _metrics(value: Any) -> Any:
    """The metrics of a partition by their names; a single one stands alone. A noisy number is one already."""
    if hasattr(value, "_asdict") or hasattr(value, "__dict__"):
        named = dict(value._asdict()) if hasattr(value, "_asdict") else dict(vars(value))
        return next(iter(named.values())) if len(named) == 1 else named
    return value


def _pipeline_dp() -> Any:
    try:
        import pipeline_dp
    except ImportError as error:
        raise missing("pipeline-dp", error) from error
    return pipeline_dp
