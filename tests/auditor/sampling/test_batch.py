"""Draws: named streams, fair coins, and counts that do not depend on how a batch is cut."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from auditor import MechanismError, per_draw
from auditor.events.event import Event
from auditor.events.outputs import Form
from auditor.events.scores import Region, Value
from auditor.sampling.batch import Batch, Tally, run
from auditor.sampling.source import Source
from auditor.sampling.streams import stream
from auditor.tuning import TUNING

EVENT = Event(Value("x"), Region("<=", 0.0), Region(">=", 1.0))


def laplace(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)


def source(sample=laplace, seed=0, pair=0) -> Source:
    return Source(sample, 0.0, 1.0, seed, "m", pair, Form("numbers", 1, True))


def batch(flips=1000, name=("round", 0), event=EVENT, keep=False, **more) -> Batch:
    return Batch(source(**more), event, keep, name, flips)


def test_a_stream_is_its_name():
    assert stream(0, "a", 1).random(5).tolist() == stream(0, "a", 1).random(5).tolist()
    names = [(0, "a", 1), (1, "a", 1), (0, "b", 1), (0, "a", 2), (0, "a"), (0, "a", "1"), (0, "a1")]
    assert len({stream(*name).random() for name in names}) == len(names)


def test_streams_look_uniform_and_independent_of_their_neighbours():
    """Two Kolmogorov–Smirnov tests and a rank correlation; fails by chance with probability below 1e-5."""
    first = np.array([stream(0, "round", k).random(2) for k in range(4000)])
    for column in first.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-6
    assert stats.spearmanr(first[:-1, 0], first[1:, 0]).pvalue > 1e-6
    assert stats.spearmanr(first[:, 0], first[:, 1]).pvalue > 1e-6


def test_a_stream_can_be_spawned_and_jumps_to_other_generators():
    children = stream(0, "a").spawn(2)
    assert children[0].random() != children[1].random()
    again = stream(0, "a").spawn(2)
    assert again[1].random(3).tolist() == stream(0, "a").spawn(2)[1].random(3).tolist()


def test_coins_are_fair():
    """Heads of 3000 small batches against the binomial law, by chi-square; fails by chance below 1e-6."""
    flips = 8
    lefts = [sum(n for _, side, n in batch(flips, ("round", k)).calls() if side == 0) for k in range(3000)]
    seen = np.bincount(lefts, minlength=flips + 1)
    expected = 3000 * stats.binom.pmf(np.arange(flips + 1), flips, 0.5)
    assert stats.chisquare(seen, expected).pvalue > 1e-6
    biased = 3000 * stats.binom.pmf(np.arange(flips + 1), flips, 0.55)  # the test would notice a bent coin
    assert stats.chisquare(seen, biased).pvalue < 1e-6


def test_coins_are_fair_to_a_thousandth():
    """Sixteen million flips, two-sided; fails by chance with probability 1e-6, and notices a bias of .0007."""
    calls = batch(2**24).calls()
    lefts = sum(n for _, side, n in calls if side == 0)
    assert stats.binomtest(lefts, 2**24).pvalue > 1e-6


@pytest.mark.parametrize(
    "flips", [1, 2, 999, TUNING.sharing.chunk, TUNING.sharing.chunk + 1, 3 * TUNING.sharing.chunk + 7]
)
def test_a_batch_makes_all_its_trials_and_no_call_is_empty(flips):
    calls = batch(flips).calls()
    assert sum(n for *_, n in calls) == flips
    assert all(0 < n <= TUNING.sharing.chunk for *_, n in calls)
    assert len({call[:2] for call in calls}) == len(calls)


def test_coins_do_not_look_at_the_mechanism():
    assert batch(sample=laplace).calls() == batch(sample=lambda d, n, rng: np.zeros(n)).calls()
    assert batch(seed=0).calls() != batch(seed=1).calls()


def test_counts_are_the_events_counts_on_each_sides_outputs():
    this = batch(5000, keep=True)
    tally = run(this, this.calls())
    assert sum(tally.trials) == 5000
    assert tally.left is not None
    assert tally.right is not None
    left, right = tally.left.numbers[:, 0], tally.right.numbers[:, 0]
    assert (len(left), len(right)) == tally.trials
    expected = ((left <= 0).sum(), (left >= 1).sum(), (right <= 0).sum(), (right >= 1).sum())
    assert tally.guesses == tuple(map(int, expected))
    assert tally.guesses[0] > tally.guesses[2]  # left is below right


def test_a_batch_may_be_cut_anywhere():
    this = batch(1000, keep=True)
    this = replace(this, source=replace(this.source, tuning=replace(TUNING.sharing, chunk=64)))
    calls = this.calls()
    assert len(calls) > 20
    whole = run(this, calls)
    parts = Tally()
    for start in range(0, len(calls), 3):
        parts = parts + run(this, calls[start : start + 3])
    assert (parts.trials, parts.guesses, parts.first_outputs) == (whole.trials, whole.guesses, whole.first_outputs)
    assert parts.left is not None
    assert whole.left is not None
    assert parts.left.numbers.tolist() == whole.left.numbers.tolist()


def test_what_is_not_wanted_is_not_kept():
    this = batch(event=None)
    tally = run(this, this.calls())
    assert tally.left is None
    assert tally.right is None
    assert tally.guesses == (0, 0, 0, 0)


def test_per_draw_calls_once_for_each_output():
    mechanism = per_draw(lambda dataset, rng: (dataset, rng.random() < 2))
    assert mechanism.sample("d", 3, stream(0)) == [("d", True)] * 3


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("k"), SystemExit(3)])
def test_whatever_a_mechanism_raises_is_named_with_its_side(error):
    def sample(dataset, n, rng):
        raise error

    with pytest.raises(MechanismError, match=f"m raised {type(error).__name__} on the right dataset of pair 3") as e:
        source(sample, pair=2).one_side("right", 5, "round", 0)
    assert e.value.__cause__ is error


def test_an_interrupt_is_left_alone():
    def sample(dataset, n, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        source(sample).one_side("left", 5, "round", 0)
