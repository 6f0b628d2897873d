"""Queries of smartnoise-sql over a frame as mechanisms (written for smartnoise-sql 1.0).

Neighbours: one person's rows added or removed, where the metadata names a `private_id` column and `max_ids`; with
`row_privacy: True` one row. The number of rows is not protected where the metadata gives it as `rows`.

What to know: `censor_dims` is on unless the metadata says `censor_dims: False`. It drops groups with few people, also
the single row of a query without groups, and spends delta. The cost of a query is per column: AVG costs two.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, Pooled, approx_dp, by_key, missing

_ROWS = re.compile(r"\b(GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|TOP)\b", re.IGNORECASE)
_DRAWS = 256  # draws of one row that are made together


def sql(query: str, metadata: Any, privacy: Any) -> Adapted:
    """A query as a mechanism: an output is its rows on the dataset, the claim what the library says that it costs.

    The claim is `get_privacy_cost(query)` of a private reader: epsilon and delta of all its columns together. Each
    batch of draws has a reader of its own, so that no odometer adds up. A query of one row that is not censored
    is parsed once for hundreds of draws, which takes a tenth of a second; another one takes that for each draw.
    The library draws from randomness of its own: an audit of it cannot be replayed.

    Args:
        query: The query in SQL.
        metadata: As `snsql.from_df` takes it: a dict, or the name of a YAML file.
        privacy: A `snsql.Privacy(epsilon=…, delta=…)`.

    The dataset of an audit is a pandas frame, or a dict of columns. An output is the row's value or values; of a query
    with groups {key: values}.
    """
    _snsql()
    if not isinstance(query, str) or not hasattr(privacy, "epsilon"):
        raise UsageError(f"sql takes a query, its metadata and a snsql.Privacy, got {query!r:.60} and {privacy!r:.60}")
    run = SqlQuery(query, metadata, privacy)
    try:
        reader = run.reader({"unused": [0]})
        cost, together = reader.get_privacy_cost(query), _DRAWS if run.has_one_row(reader) else 1
    except Exception as error:  # parser, metadata and accounting raise classes of their own
        raise UsageError(
            f"query must be one that smartnoise-sql can price, got query={query!r:.120}: {error}"
        ) from error
    return Adapted("smartnoise", approx_dp(*cost), Pooled(run, together))


@dataclass(frozen=True)
class SqlQuery:
    """Runs a query on a dataset."""

    query: str
    metadata: Any
    privacy: Any

    def reader(self, dataset: Any) -> Any:
        """A private reader of the dataset, with nothing spent."""
        import pandas as pd

        frame = pd.DataFrame(dataset) if isinstance(dataset, Mapping) else dataset
        return _snsql().from_df(frame, metadata=self.metadata, privacy=copy.deepcopy(self.privacy))

    def has_one_row(self, reader: Any) -> bool:
        """Whether each draw is one row: there are no groups, and none that may be censored."""
        return not (_ROWS.search(self.query) or reader.parse_query_string(self.query).censor_dims)

    def __call__(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n outputs."""
        reader = self.reader(dataset)
        if not self.has_one_row(reader):
            return [_read(reader.execute(self.query), grouped=True) for _ in range(n)]
        exact = str(reader._rewrite(self.query)[0])
        runs = n if "RANDOM" in exact else 1  # the rows of a person are sampled anew in each run
        found = [reader.reader.execute(exact) for _ in range(runs)]
        rows = [row for _, row in found] * (n // runs)
        released = reader.execute(self.query, pre_aggregated=[found[0][0], *rows])
        return [_read([(), row], grouped=False) for row in released[1:]]


def _read(rows: Iterable[Any], grouped: bool) -> Any:
    """What the rows after the names say."""
    found = [tuple(row) for row in list(rows)[1:]]
    if grouped:
        return by_key(found)
    (row,) = found
    return row[0] if len(row) == 1 else row


def _snsql() -> Any:
    try:
        import snsql
    except ImportError as error:
        raise missing("smartnoise-sql", error) from error
    return snsql
