"""Tails of the trinomial test's statistic: upper bounds on P[R - weight W >= T], many at once.

R correct and W wrong guesses are multinomial. Proof that no bound is below its tail: docs/method.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import logit, rel_entr

from auditor.certify.proportions import at_least, fewer_than

if TYPE_CHECKING:
    from auditor.certify.exact import Guesses

_BLOCKS = 128
_ABOVE = 5.0  # standard deviations
_ONE_BY_ONE = 1024  # numbers of wrong guesses in all blocks, up to which the probability of each is computed
_LOG_MOST = 700.0  # log-odds beyond which a probability is taken for one that has these
# Relative error of scipy's incomplete beta functions: below 1e-10 for tails from 1e-200 up and counts to 1e9
# (tests/auditor/certify/test_small_tails.py); of sums of single probabilities below 1e-12. A tail is enlarged by ten
# times the larger one, so that it stays an upper bound.
_ROUNDING = 1e-9


def tails(
    wrong: Sequence[float],
    correct: Sequence[float],
    weight: float,
    counts: Guesses,
    width: float = 7.0,
    nothing: float = 0.0,
) -> list[float]:
    """Upper bounds on P[R - weight W >= T], for (R, W) multinomial with each of the probabilities `correct` and `wrong`
    and T the value of R - weight W in `counts`. They are exact but for blocks of W.

    W is cut into blocks; in each the condition is taken at its smallest W, which can only enlarge the probability.
    Below `width` standard deviations under its mean W counts in full. The last block begins `_ABOVE` of them over it:
    the more wrong guesses, the less likely is T, so that it enlarges the tail by no more than its share of all W. A
    probability of `nothing` may be taken for 0.
    """
    blocks = _blocks(tuple(wrong), weight, counts, width)
    shares = np.array([min(1.0, r / (1 - w)) if w < 1 else 0.0 for r, w in zip(correct, wrong, strict=True)])
    tail = _at_least(blocks.need, blocks.rest, shares[blocks.row], nothing)
    whole = blocks.sure + np.bincount(blocks.row, blocks.mass * tail, len(shares))
    found: list[float] = np.minimum(1.0, whole * (1 + _ROUNDING)).tolist()
    return found


def _at_least(need: Any, rest: Any, share: Any, nothing: float) -> Any:
    """Upper bounds on P[R >= need] for R binomial (rest, share): exact where Chernoff's bound does not say at once that
    it is 0 or 1 but for `nothing`, which is the least that is said: so the bounds rise with the share."""
    reached = need / rest
    beyond = np.exp(-rest * (rel_entr(reached, share) + rel_entr(1 - reached, 1 - share)))
    tail = np.where(reached > share, nothing, 1.0)
    unclear = beyond >= nothing
    tail[unclear] = np.maximum(nothing, at_least(need[unclear], rest[unclear], share[unclear]))
    return tail


class _Blocks(NamedTuple):
    """Blocks of the number W of wrong guesses, for some probabilities of one, a row for each: the probability of those
    where T is reached surely; and of each of the others its row, its probability, the fewest correct guesses that reach
    T, and the trials that may be correct."""

    sure: Any
    row: Any
    mass: Any
    need: Any
    rest: Any


@lru_cache(maxsize=16)  # a search asks for the same ones at many epsilons
def _blocks(wrong: tuple[float, ...], weight: float, counts: Guesses, width: float) -> _Blocks:
    trials = counts.trials
    of_rows = [_starts(one, trials, width) for one in wrong]
    starts, row = np.concatenate(of_rows), np.repeat(np.arange(len(wrong)), [len(one) for one in of_rows])
    below, mass = _masses(starts, row, trials, np.array(wrong))
    need, rest = needed_correct(starts, weight, counts), trials - starts
    open_ = (need > 0) & (need <= rest)
    sure = below + np.bincount(row, mass * (need <= 0), len(wrong))
    return _Blocks(sure, row[open_], mass[open_], need[open_], rest[open_])


@lru_cache(maxsize=512)
def _starts(wrong: float, trials: int, width: float) -> Any:
    """The smallest W of each block; the last block has all that follow."""
    mean, spread = trials * wrong, math.sqrt(trials * wrong * (1 - wrong)) + 1
    first, last = max(0, math.floor(mean - width * spread)), min(trials, math.ceil(mean + width * spread))
    if last - first < _BLOCKS:
        return np.arange(first, min(last + 1, math.ceil(mean + _ABOVE * spread)))
    starts = (first + np.arange(_BLOCKS) * ((last - first) / (_BLOCKS - 1))).astype(np.int64)  # more than 1 apart
    return starts[: np.searchsorted(starts, mean + _ABOVE * spread)]


def _masses(starts: Any, row: Any, trials: int, wrong: Any) -> tuple[Any, Any]:
    """Upper bounds on P[W < the first start] of each row, and on P[W in each block]; the last block has all that
    follow."""
    ends = np.append(row[1:] != row[:-1], True)
    firsts = np.append(True, ends[:-1])
    first, last = starts[firsts], starts[ends]
    below = np.where(first > 0, fewer_than(np.maximum(first, 1), trials, wrong), 0.0)
    above = np.where(last > 0, at_least(np.maximum(last, 1), trials, wrong), 1.0)
    if starts.max() - starts.min() <= _ONE_BY_ONE:
        others = below + above
        inside = np.where(others < 0.5, 1 - others, 1.0)  # 1 is an upper bound where digits would cancel
        mass = inside[row] * _summed(starts, row, trials, wrong, ends)
    else:
        mass = _subtracted(starts, row, trials, wrong, ends)
    mass[ends] = above
    return below, mass


def _summed(starts: Any, row: Any, trials: int, wrong: Any, ends: Any) -> Any:
    """P[W in each block] but the last, given that W is in one of these: summed over the W of a block, whose
    probabilities follow from their ratios, and from that the sum of all is 1."""
    w = np.arange(starts.min(), starts.max() + 1)
    log_odds = np.clip(logit(wrong), -_LOG_MOST, _LOG_MOST)[:, None]
    steps = np.log((trials - w[:-1]) / w[1:])
    usual = steps[len(steps) // 2] if len(steps) else 0.0  # taken off what is added up, which then has more digits
    logs = np.append(0.0, np.cumsum(steps - usual)) + (w - w[0]) * (log_odds + usual)
    outside = (w < starts[np.append(True, ends[:-1])][:, None]) | (w >= starts[ends][:, None])
    logs[outside] = -np.inf
    top = logs.max(axis=1, keepdims=True)
    parts = np.exp(logs - np.where(np.isfinite(top), top, 0.0))  # a row may have its last block alone
    parts /= np.maximum(1.0, parts.sum(axis=1, keepdims=True))
    return np.add.reduceat(parts.ravel(), row * len(w) + starts - w[0])


def _subtracted(starts: Any, row: Any, trials: int, wrong: Any, ends: Any) -> Any:
    """P[W in each block] but the last: differences of the smaller tail, so that no digits cancel."""
    p, some = wrong[row], np.maximum(starts, 1)
    upper = starts >= trials * p  # starts below the mean count from below, the others from above
    tail = np.where(upper, 1.0, 0.0)  # at W = 0
    for part, function in ((upper & (starts > 0), at_least), (~upper & (starts > 0), fewer_than)):
        tail[part] = function(some[part], trials, p[part])
    after, after_upper = (np.where(ends, at_end, np.roll(part, -1)) for part, at_end in ((tail, 0.0), (upper, True)))
    middle = 1 - after - tail  # of the block that holds the mean: nothing small is lost there
    return np.where(upper, tail - after, np.where(after_upper, middle, after - tail))


def needed_correct(starts: Any, weight: float, counts: Guesses) -> Any:
    """The fewest correct guesses with R - weight W >= T at each W, never more than that: whole numbers, because T
    itself may need more digits than a double has. The rounding of weight (W - wrong) is allowed for."""
    more = weight * (starts - counts.wrong)
    more = np.clip(more, -2.0 * counts.trials, 2.0 * counts.trials)
    return counts.correct + np.ceil(more - 1e-9 - 1e-15 * np.abs(more)).astype(np.int64)
