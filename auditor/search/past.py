"""The draws of earlier rounds on one pair, as learners see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from auditor.events import features
from auditor.events.histograms import picks
from auditor.events.outputs import Floats, Outputs, join
from auditor.search import screening
from auditor.search.candidates import Curve, Tail
from auditor.tuning import TUNING, Learning

if TYPE_CHECKING:
    from auditor.events.histograms import CellCounts
    from auditor.search.counted import Counted

T = TypeVar("T")


class Past:
    """Past outputs of both sides on one pair, with the features that the views allow; columns are computed once.

    `lines` says whether straight lines are fitted to log-ratios: they choose events at delta > 0 only.
    """

    def __init__(self, views: tuple[str, ...], tuning: Learning = TUNING.learning, lines: bool = True) -> None:
        self.views = views
        self.tuning = tuning
        self.lines = lines
        self.left: Outputs | None = None
        self.right: Outputs | None = None
        self.counted: Counted | None = None  # later draws, when enough are remembered
        self.notes: dict[str, Any] = {}  # what a learner wants to remember from round to round
        self._known: dict[str, Any] = {}  # what was computed since the last round

    def add(self, left: Outputs, right: Outputs) -> None:
        """Remembers a round's outputs."""
        self.left = left if self.left is None else join([self.left, left])
        self.right = right if self.right is None else join([self.right, right])
        self._known.clear()

    def count(self, cells: CellCounts, trials: int) -> None:
        """Counts a round's outputs, which are not remembered."""
        assert self.counted is not None
        self.counted.add(cells, trials)
        self._known.clear()

    @property
    def numbers(self) -> int:
        """Remembered numbers of a side."""
        return 0 if self.left is None else self.left.numbers.size

    @property
    def full(self) -> bool:
        """True when more draws would not be remembered."""
        most, numbers = self.tuning.remembered, self.tuning.remembered_numbers
        return self.trials >= 2 * most or self.numbers >= numbers * most

    @property
    def trials(self) -> int:
        """Remembered draws of both sides."""
        return 0 if self.left is None or self.right is None else len(self.left) + len(self.right)

    @property
    def learned(self) -> int:
        """Draws of both sides that events are chosen from: remembered, or counted later."""
        return max(self.trials, self.counted.trials if self.counted else 0)

    def sides(self) -> tuple[Outputs, Outputs]:
        """The remembered outputs of both sides; there must be some."""
        assert self.left is not None
        assert self.right is not None
        return self.left, self.right

    def features(self, view: str) -> list[str]:
        """The features of a view that exist for these outputs: plain ones, and what the screening found beside them."""
        if view not in self.views:
            return []
        return self.once(view, lambda: self._features(view))

    def _features(self, view: str) -> list[str]:
        listed = features.values_features if view == "values" else features.bits_features
        plain = list(dict.fromkeys(name for side in self.sides() for name in listed(side)))
        if self.sides()[0].form.tree is not None:
            constant = self.once("constant", self._constant)
            plain = [name for name in plain if name not in constant]
        found = self._screened(view, plain)
        if view == "values" and screening.wide(self.sides(), self.tuning.screening):
            plain = [name for name in plain if not name.startswith("x[")]
        return list(dict.fromkeys([*plain, *found]))

    def _constant(self) -> set[str]:
        """The columns that never vary."""
        left, right = (side.numbers for side in self.sides())
        first = left[:1]
        same = [((side == first) | (np.isnan(side) & np.isnan(first))).all(axis=0) for side in (left, right)]
        return {f"x[{index}]" for index in np.flatnonzero(same[0] & same[1])}

    def _screened(self, view: str, plain: list[str]) -> list[str]:
        """What the screening found, this time or earlier; it is repeated when the past has grown fourfold."""
        screened, known = self.notes.get(f"screened {view}", (0, []))
        if self.trials >= 4 * screened:
            wide = view == "values" and screening.wide(self.sides(), self.tuning.screening)
            columns = screening.best_columns(self) if wide else []
            looked = columns if wide else plain
            known = list(dict.fromkeys([*columns, *screening.eyes(self, view, looked), *known]))[: self.tuning.screened]
            self.notes[f"screened {view}"] = self.trials, known
        found: list[str] = known
        return found

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """What `compute` gives, computed once until the next round is added."""
        if name not in self._known:
            self._known[name] = compute()
        found: T = self._known[name]
        return found

    def column(self, feature: str) -> tuple[Floats, Floats]:
        """A feature of both sides."""

        def compute() -> tuple[Floats, Floats]:
            left, right = self.sides()
            return features.column_of(left, feature), features.column_of(right, feature)

        return self.once(f"column {feature}", compute)

    def few(self, feature: str) -> tuple[Floats, Floats]:
        """A feature of both sides, of the first draws only where there are many features to look at."""
        left, right = self.column(feature)
        return left[: self.judged], right[: self.judged]

    @property
    def judged(self) -> int | None:
        """Draws of a side on which features are judged, the first ones; None where it is all of them."""
        few = self.tuning.judged_of_many
        return None if self.sides()[0].scalar or max(map(len, self.sides())) <= few else few

    def later(self) -> tuple[Outputs, Outputs] | None:
        """The draws on which no feature was judged; None where they are too few to judge anything by themselves."""
        left, right = self.sides()
        if self.judged is None or min(len(left), len(right)) < (1 + self.tuning.second_look) * self.judged:
            return None
        return self.once("later", lambda: (left.take(slice(self.judged, None)), right.take(slice(self.judged, None))))

    def ordered(self, feature: str) -> tuple[Floats, Floats]:
        """A feature of both sides, each sorted, with NaN at the end."""

        def compute() -> tuple[Floats, Floats]:
            left, right = (np.concatenate(halves) for halves in self.halves(feature))
            # a stable sort merges runs that are sorted already
            return np.sort(left, kind="stable"), np.sort(right, kind="stable")

        return self.once(f"ordered {feature}", compute)

    def halves(self, feature: str) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """The even and the odd draws of each side, each sorted."""

        def compute() -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
            left, right = self.few(feature)
            return (np.sort(left[::2]), np.sort(left[1::2])), (np.sort(right[::2]), np.sort(right[1::2]))

        return self.once(f"halves {feature}", compute)


def curve_of(left: Floats, right: Floats) -> Curve:
    """The curve of a score whose sorted values are given, NaN last."""
    lefts, rights = len(left), len(right)
    left, right = _numbers(left), _numbers(right)
    at = np.unique(np.concatenate([left[picks(len(left))], right[picks(len(right))]]))
    low = [np.searchsorted(side, at, side="right").astype(np.float64) for side in (left, right)]
    high = [len(side) - np.searchsorted(side, at, side="left").astype(np.float64) for side in (left, right)]
    return Curve(Tail("<=", at, low[0], low[1]), Tail(">=", at, high[0], high[1]), lefts, rights)


def _numbers(ordered: Floats) -> Floats:
    if len(ordered) and np.isnan(ordered[-1]):
        return ordered[: np.searchsorted(ordered, np.nan)]
    return ordered
