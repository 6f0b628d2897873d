"""Each statistical step of an audit has a mutant here, and a check that the real step passes and it fails.

The mechanisms are exactly tight: the claim holds and nothing is to spare. A check counts false alarms; sound
code passes its limit with probability below 1e-4, which is the check's own false-alarm probability.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from enumeration import rejected, size_of
from scipy import stats

from auditor import ZCDP, ApproxDP, GaussianDP, audit, engine, rounds
from auditor.certify import evidence as evidence_module
from auditor.certify import exact
from auditor.certify.evidence import Evidence, Point, Round
from auditor.events.event import Event
from auditor.events.outputs import Outputs
from auditor.plan import plan_of
from auditor.results.counts import Counts
from auditor.rounds import Examiner
from auditor.sampling import batch, source
from auditor.search.past import Past
from auditor.search.selection import best_candidate


def response(epsilon):
    """Randomized response: tight at epsilon."""
    lie = 1 / (1 + math.exp(epsilon))
    return lambda dataset, n, rng: np.where(rng.random(n) < lie, 1 - dataset, dataset)


def noisy(sigma, dataset, n, rng):
    """Gaussian noise on a number: 1/sigma-GDP."""
    return dataset + rng.normal(0, sigma, n)


def worst(epsilon, delta):
    """Shows the dataset with probability delta, else randomized response: tight at (epsilon, delta)."""
    truth = 1 / (1 + math.exp(-epsilon))

    def sample(dataset, n, rng):
        answer = np.where(rng.random(n) < truth, dataset, 1 - dataset)
        return np.where(rng.random(n) < delta, dataset + 2, answer)

    return sample


def noise(dataset, n, rng):
    """Knows nothing of the dataset: tight at epsilon 0."""
    return rng.standard_normal((n, 6))


def rare_peak(dataset, n, rng):
    """A high value with probability .01 against .01/e: tight at epsilon 1."""
    return np.where(rng.random(n) < 0.01 * math.exp(-dataset), 5.0, 1.0)


def alarms(mechanism, claim, runs, alpha=0.2, size=150):
    """How many of `runs` audits refute the claim."""
    return sum(
        audit(mechanism, claim, [(0, 1)], trials=size, alpha=alpha, seed=seed, jobs=1, views=("values",)).refuted
        for seed in range(runs)
    )


def within(count: int, runs: int, alpha: float) -> bool:
    """What a rate of at most alpha would give, but for a chance of 1e-4."""
    return count <= stats.binom.isf(1e-4, runs, alpha)


def caught(check: Callable[[], bool], monkeypatch: pytest.MonkeyPatch, *patches) -> None:
    """The check passes for the real code and fails once the patches are in."""
    assert check()
    for patch in patches:
        monkeypatch.setattr(*patch)
    assert not check()


def test_an_event_chosen_on_the_draws_that_confirm_it(monkeypatch):
    real = Examiner.count

    def peeking(self, pair, batch, tally):
        """The same name gives the same draws: learn from them first, then count them."""
        (seen,) = self.workers.draw([replace(batch, keep=True)])
        past = Past(("values",))
        past.add(seen.left, seen.right)
        pair.bet = best_candidate(past, self.plan.growths()) or pair.bet
        event = pair.bet.event if pair.bet else None
        (tally,) = self.workers.draw([replace(batch, event=event)])
        return real(self, pair, batch, tally)

    caught(
        lambda: within(alarms(noise, ApproxDP(0.0), 15), 15, 0.2),
        monkeypatch,
        (Examiner, "count", peeking),
    )


def test_a_side_guessed_after_the_draws(monkeypatch):
    """One-sided for two-sided: whichever guess was right more often is called the guess. By enumeration."""

    def size(trials_: int = 100, level: float = 0.05) -> float:
        """How often guesses that are right half of the time are called better than that."""
        heads = np.arange(trials_ + 1)
        found = [Counts(trials_, trials_, int(k), 0, trials_ - int(k), 0) for k in heads]
        guesses = [exact.Guesses(c.correct, c.wrong, c.trials) for c in found]
        said = np.array([exact.p_value(g, 0.0, 0.0, 1.0, level) <= level for g in guesses])
        return float(stats.binom.pmf(heads, trials_, 0.5)[said].sum())

    larger = property(lambda c: max(_right(c), _wrong(c)))
    smaller = property(lambda c: min(_right(c), _wrong(c)))
    caught(lambda: size() <= 0.05, monkeypatch, (Counts, "correct", larger), (Counts, "wrong", smaller))


def _right(c: Counts) -> int:
    return c.left_guessed_left + c.right_guessed_right


def _wrong(c: Counts) -> int:
    return c.left_guessed_right + c.right_guessed_left


def test_delta_paid_once_for_two_directions(monkeypatch):
    caught(
        lambda: within(alarms(worst(0.5, 0.3), ApproxDP(0.5, 0.3), 30, 0.2, 400), 30, 0.2),
        monkeypatch,
        (Event, "directions", property(lambda event: 1)),
    )


def test_a_coin_that_is_not_fair(monkeypatch):
    real = batch.stream

    class Biased:
        def __init__(self, rng):
            self.rng = rng

        def binomial(self, n, p):
            return self.rng.binomial(n, 0.6)

    def stream(seed, *names):
        return Biased(real(seed, *names)) if "coin" in names else real(seed, *names)

    def constant(dataset, n, rng):
        return np.zeros(n)

    caught(
        lambda: within(alarms(constant, ApproxDP(0.0), 30), 30, 0.2),
        monkeypatch,
        (batch, "stream", stream),
    )


def test_outputs_read_in_the_light_of_their_batch(monkeypatch):
    real = source.canonical

    def scaled(raw, n, who, form):
        outputs = real(raw, n, who, form)
        return Outputs(outputs.numbers / np.abs(outputs.numbers).max(), outputs.labels, form)

    caught(
        lambda: within(alarms(rare_peak, ApproxDP(1.0), 40, 0.05, 1000), 40, 0.05),
        monkeypatch,
        (source, "canonical", scaled),
    )


def test_right_and_wrong_swapped(monkeypatch):
    """Swapped counts accuse nobody: caught because what is broken is no longer refuted."""

    def swapped(lefts, rights, a, b, c, d):
        return Counts(lefts, rights, b, a, d, c)

    caught(
        lambda: alarms(response(2.0), ApproxDP(1.0), 5, 0.05, 500) == 5,
        monkeypatch,
        (rounds, "Counts", swapped),
    )


def test_alpha_spent_twice(monkeypatch):
    """The accounts: what the evidence may spend and what the last round is given is alpha together."""

    spent: list[float] = []
    real = exact.epsilon_lower

    def listening(counts, cost, weight, alpha):
        spent.append(alpha)
        return real(counts, cost, weight, alpha)

    monkeypatch.setattr(exact, "epsilon_lower", listening)

    def balanced() -> bool:
        spent.clear()
        result = audit(response(1.0), ApproxDP(1.0), [(0, 1)], trials=100, alpha=0.1, jobs=1)
        assert not result.refuted
        evidence = 10 ** -result.sketch["refutes_at"]
        return sum(spent) + evidence <= 0.1 + 1e-12

    def both_whole(asked, numbers, tuning):
        return replace(plan_of(asked, numbers, tuning), running=asked.alpha, last=asked.alpha)

    caught(balanced, monkeypatch, (engine, "plan_of", both_whole))


@pytest.mark.parametrize(("times", "refuted"), [(0.99, True), (1.01, False)])
def test_the_last_round_may_spend_its_share_and_no_more(times, refuted, monkeypatch):
    """A last round whose p-value is just below (above) the level it was given refutes (does not)."""
    monkeypatch.setattr(exact, "p_value", lambda counts, epsilon, cost, weight, level: times * level)
    result = audit(response(1.0), ApproxDP(1.0), [(0, 1)], trials=100, alpha=0.1, jobs=1)
    assert result.refuted == refuted
    assert result.p_value == pytest.approx(times * 0.1)


@pytest.mark.parametrize("claim", [GaussianDP(1.0), ZCDP(0.5), ApproxDP(1.0, 0.1)], ids=str)
def test_the_bound_after_an_early_stop_pays_for_the_points_it_chose_from(claim, monkeypatch):
    """A curve's points share the level, and the bound is above the claim at the point that it names."""
    asked = []
    real = Evidence.epsilon_lower

    def listening(self, alpha):
        asked.append((len(self.points), alpha))
        return real(self, alpha)

    monkeypatch.setattr(Evidence, "epsilon_lower", listening)
    mechanism = response(6.0)
    result = audit(mechanism, claim, [(0, 1)], trials=5000, alpha=0.1, jobs=1)
    assert result.refuted
    ((points, alpha),) = asked
    assert points == len(claim.points())
    assert alpha == pytest.approx(10 ** -result.sketch["refutes_at"])
    assert (result.witness.epsilon, result.delta) in claim.points()
    assert result.epsilon_lower >= result.witness.epsilon


@pytest.mark.parametrize("claim", [GaussianDP(1.0), ZCDP(0.5)], ids=str)
def test_a_refuted_curve_is_passed_at_the_delta_that_is_named(claim):
    """Whatever refutes it, the running evidence or the last round's test."""
    for seed in range(4):
        for size, sigma in ((20_000, 0.7), (300, 0.6)):
            mechanism = partial(noisy, sigma)
            result = audit(mechanism, claim, [(0, 1)], trials=size, alpha=0.1, seed=seed, jobs=1, views=("values",))
            assert not result.refuted or result.epsilon_lower >= claim.epsilon_at(result.delta) - 1e-9
        assert audit(partial(noisy, 0.4), claim, [(0, 1)], trials=20_000, alpha=0.1, seed=seed, jobs=1).refuted


def ville(claimed: float, runs: int, level: float) -> bool:
    """Whether randomized response with epsilon `claimed` is accused at most as often as the level says."""
    rng = np.random.default_rng(5)
    share, count = 1 / (1 + math.exp(-claimed)), 0
    for _ in range(runs):
        evidence = Evidence([Point(claimed, 0.0)])
        for size in 10 * 1.4 ** np.arange(18):
            right = int(rng.binomial(int(size), share))
            evidence.add(Round(right, int(size) - right, int(size), 2))
        count += evidence.peak >= -math.log(level)
    return within(count, runs, level)


def test_alpha_spent_at_every_look(monkeypatch):
    """A fixed-sample test repeated at every look, in place of the e-process."""

    def add(self, this):
        self.rounds.append(this)
        correct, wrong = sum(r.correct for r in self.rounds), sum(r.wrong for r in self.rounds)
        p = exact.binomial_p_value(correct, wrong, self.point.epsilon)
        self.peak = max(self.peak, -math.log(max(p, 1e-300)))

    caught(lambda: ville(1.0, 400, 0.2), monkeypatch, (Evidence, "add", add))


def test_abstentions_that_cost_no_delta(monkeypatch):
    """(*) charges delta for every trial; charged for guesses only, name-and-shame is accused."""
    real = evidence_module.log_factors

    def free(point, directions, stakes):
        correct, wrong, none = real(point, directions, stakes)
        return correct, wrong, np.zeros_like(none)

    def check() -> bool:
        rng = np.random.default_rng(6)
        count = 0
        for _ in range(200):
            evidence = Evidence([Point(0.0, 0.1)])
            right = int(rng.binomial(400, 0.1))
            evidence.add(Round(right, 0, 400, 2))
            count += evidence.peak >= -math.log(0.2)
        return within(count, 200, 0.2)

    caught(check, monkeypatch, (evidence_module, "log_factors", free))


def test_the_largest_rejected_epsilon_in_place_of_the_top_of_the_run(monkeypatch):
    """Name and shame is tight at its delta for every epsilon: each one may be rejected falsely."""
    claimed, delta, level, runs = 2.0, 0.02, 0.5, 200
    grid = np.arange(claimed + 0.01, 22.0)
    factors = [evidence_module.log_factors(Point(epsilon, delta), 2) for epsilon in grid]
    rights, nones = (np.array([f[place] for f in factors]) for place in (0, 2))

    def top_rejected(self, alpha):
        this = self.rounds[0]
        logs = this.correct * rights + (this.trials - this.correct) * nones
        top = logs.max(axis=1, keepdims=True)
        rejects = top[:, 0] + np.log(np.exp(logs - top).mean(axis=1)) >= -math.log(alpha)
        return float(grid[rejects].max()) if rejects.any() else claimed

    def covered() -> bool:
        """Stops when the bound passes the truth, if it ever does."""
        rng = np.random.default_rng(7)
        sizes = (1000 * 1.4 ** np.arange(95)).astype(np.int64)
        wrong = 0
        for _ in range(runs):
            seen = np.cumsum(rng.binomial(sizes, delta))
            for right, size in zip(seen, np.cumsum(sizes), strict=True):
                evidence = Evidence([Point(claimed, delta)])
                evidence.add(Round(int(right), 0, int(size), 2))
                if evidence.epsilon_lower(level) > claimed:
                    wrong += 1
                    break
        return within(wrong, runs, level)

    caught(covered, monkeypatch, (Evidence, "epsilon_lower", top_rejected))


def test_a_nuisance_parameter_put_at_its_estimate(monkeypatch):
    """The wrong-guess probability as it was seen, not the worst of a confidence set; by enumeration."""

    def estimate(count, trials, beta):
        return count / trials, count / trials

    trials_, epsilon, cost, weight, level = 30, 1.0, 0.1, math.e, 0.1
    caught(
        lambda: size_of(rejected(trials_, epsilon, cost, weight, level), epsilon, cost) <= level,
        monkeypatch,
        (exact, "nuisance_set", estimate),
    )
