"""Outputs whose parts say different things: log-ratios of each coordinate, added up, and of numbers and their bits.

With independent noise the sum of the coordinates' log-likelihood ratios is the best score there is, and it needs
few draws. A draw is scored by tables made from the other half of the past, so that noise in the tables does not
count as utility.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from auditor.events.cells import Codes, cells_of
from auditor.events.outputs import Floats
from auditor.events.scores import Steps, Sum
from auditor.search.candidates import Scored
from auditor.search.learners.tables import cell_edges, halves
from auditor.search.merged_cells import added, exact_in_sums, merged_tables
from auditor.search.past import Past
from auditor.search.prediction import matched, with_model

_COORDINATE = re.compile(r"(low bit of )?x(\[\d+\])?")


def propose(past: Past) -> list[Scored]:
    """The sum over coordinates, and over the steps from one to the next."""
    left, _ = past.sides()
    if past.trials < (past.tuning.least_for_joined if left.scalar else past.tuning.least_for_sums):
        return []
    if left.scalar and len(past.views) < 2:  # a plain number is one coordinate
        return []
    coordinates = {view: [n for n in past.features(view) if _COORDINATE.fullmatch(n)] for view in past.views}
    chosen = [(names[: past.tuning.sum_columns], view) for view, names in coordinates.items()]
    if all(coordinates.values()) and len(coordinates) == 2:  # what the numbers and what their bits say, together
        half = past.tuning.sum_columns // 2
        chosen.append((coordinates["values"][:half] + coordinates["bits"][:half], "bits"))
    width = 1 if left.scalar else left.numbers.shape[1]
    if "values" in past.views and left.labels is None and 1 < width <= past.tuning.sum_columns:
        # where the coordinates are partial sums, the steps between them carry the independent noise
        chosen.append((["x[0]"] + [f"x[{j + 1}]-x[{j}]" for j in range(width - 1)], "values"))
    found = [_sum(past, names, view) for names, view in chosen if len(names) > 1]
    alike = coordinates.get("values", [])[: past.tuning.sum_columns]
    return [*found, _sum(past, alike, "values", one_table=True)] if len(alike) >= past.tuning.least_alike else found


def _sum(past: Past, names: list[str], view: str, one_table: bool = False) -> Scored:
    """The sum of a table for each feature, or of `one_table` for all of them: where the same noise is added to each,
    what all say together tells more of that table than a feature tells of its own."""
    if one_table:
        edges = [_common_edges(past, names)] * len(names)
    else:
        edges = [cell_edges(*past.ordered(name), past.tuning.sum_cells, past.tuning.most_atoms) for name in names]
    codes = [[cells_of(at, column) for column in past.column(name)] for name, at in zip(names, edges, strict=True)]
    counts = [_counted(both, len(at) + 2) for both, at in zip(codes, edges, strict=True)]
    merged = merged_tables([added(counts)] if one_table else counts, past.tuning.sum_piece_price)
    tables = [exact_in_sums(table) for table in merged] * (len(names) if one_table else 1)
    totals = [np.zeros(len(side)) for side in past.sides()]
    finals = [np.zeros(len(side)) for side in past.sides()]
    parts = []
    for name, at, both, (even, odd, final) in zip(names, edges, codes, tables, strict=True):
        for total, whole, code in zip(totals, finals, both, strict=True):
            total[0::2] += odd[code[0::2]]
            total[1::2] += even[code[1::2]]
            whole += final[code]
        parts.append(Steps(name, tuple(at.tolist()), tuple(final[:-1].tolist()), float(final[-1])))
    curve = with_model(np.sort(totals[0]), np.sort(totals[1]), past.tuning.calibration)
    curve = matched(curve, np.concatenate(finals))._replace(scale=past.tuning.sum_scale)
    return Scored(Sum(tuple(parts)), curve, view)


def _common_edges(past: Past, names: list[str]) -> Floats:
    """The edges of cells that suit all these features together."""
    columns = [past.ordered(name) for name in names]
    left, right = (np.sort(np.concatenate([both[side][:: len(names)] for both in columns])) for side in (0, 1))
    return cell_edges(left, right, past.tuning.sum_cells, past.tuning.most_atoms)


def _counted(codes: Sequence[Codes], cells: int) -> tuple[Floats, Floats]:
    """Counts of each cell in the even draws, the odd draws and all draws, on the left and on the right."""
    left, right = (np.vstack([both, both.sum(axis=0)]) for both in (halves(code, cells) for code in codes))
    return left, right
