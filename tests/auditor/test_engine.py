"""audit() from end to end: every kind of output and claim, right ones not refuted and broken ones refuted.

Audits of true claims run at alpha = 1e-4, so that each fails by chance with at most that probability.
"""

import json
import math
from dataclasses import replace

import joblib
import numpy as np
import pytest

from auditor import (
    ZCDP,
    ApproxDP,
    AuditResult,
    GaussianDP,
    MechanismError,
    NeighbourPair,
    Verdict,
    audit,
    per_draw,
)
from auditor.sampling import parallel
from mechanisms.core.claims import Claim

VALUES = ("values",)
PURE = ApproxDP(1.0)


def quick(mechanism, claim=PURE, pairs=((0, 1),), **options):
    return audit(mechanism, claim, list(pairs), **{"trials": 6000, "alpha": 1e-4, "jobs": 1, **options})


def laplace(scale):
    return lambda dataset, n, rng: dataset + rng.laplace(0, scale, n)


def geometric(epsilon):
    stop = -math.expm1(-epsilon)
    return lambda dataset, n, rng: dataset + rng.geometric(stop, n) - rng.geometric(stop, n)


def response(epsilon):
    lie = 1 / (1 + math.exp(epsilon))
    return lambda dataset, n, rng: np.where(rng.random(n) < lie, 1 - dataset, dataset)


# The promises of the front page


def test_laplace_is_not_refuted_and_nearly_all_of_it_is_certified():
    result = audit(
        lambda d, n, rng: d + rng.laplace(0, 1, n),
        claim=ApproxDP(epsilon=1.0, delta=0.0),
        pairs=[(0, 1)],
        views=("values",),
    )
    assert result.verdict is Verdict.NOT_REFUTED
    assert 0.95 <= result.epsilon_lower <= 1.005
    assert result.p_value > 0.01
    assert result.trials_used == result.trials == 1_000_000
    assert 1.0 < result.detectable_epsilon < 1.05


def test_half_the_noise_is_refuted_soon():
    result = audit(laplace(0.5), claim=PURE, pairs=[(0, 1)], views=VALUES)
    assert result.verdict is Verdict.REFUTED
    assert result.refuted
    assert 1.0 < result.epsilon_lower <= 2.0
    assert result.p_value <= 0.01
    assert result.trials_used < 2000
    assert "the claim allows 2.72 to 1" in str(result.witness)


def test_the_result_hangs_together():
    result = quick(laplace(1.0), views=VALUES, name="noisy", seed=3)
    counts = result.witness.counts
    assert (result.name, result.seed, result.views, result.trials) == ("noisy", 3, VALUES, 6000)
    assert 6000 <= counts.trials < 12_000  # the last round has at least half of the coin flips
    assert result.witness.phase == "last round"
    assert [drawn for drawn, _ in result.evidence] == sorted(drawn for drawn, _ in result.evidence)
    assert result.evidence[-1][0] == result.trials_used == 6000
    assert result.limits[0].startswith("Not refuted is not proof")
    assert f"{result.detectable_epsilon:.4g}" in result.limits[2]
    assert AuditResult.from_json(result.to_json()) == result


def test_limits_say_how_rare_an_event_may_be_and_where_nothing_could_be_refuted():
    def silent(dataset, n, rng):
        return rng.random(n)

    rare, blind = audit(silent, ApproxDP(1.0), [(0, 1)], trials=4000, jobs=1).limits[1:3]
    assert "from 4,000 draws a side: one rarer than about one in 200 could hardly have been found" in rare
    assert "a true epsilon of 1." in blind
    few, blind = audit(silent, ApproxDP(1.0), [(0, 1)], trials=5, jobs=1).limits[1:3]
    assert "one that is not frequent could hardly have been found" in few
    assert blind == "On the best event found, no true epsilon would have been refuted with probability 0.9."


def test_a_witness_counts_on_fresh_draws_what_its_event_says():
    """The last round's event, evaluated on new draws, is met about as often as the witness says."""
    from auditor.events.outputs import canonical, form_of

    result = quick(laplace(1.0), views=VALUES, trials=50_000)
    event, counts = result.witness.event, result.witness.counts
    rng = np.random.default_rng(8)
    draws = rng.laplace(0, 1, 50_000)
    left, right = event.guesses(canonical(draws, 50_000, "m", form_of([draws], "m")))
    for seen, again in ((counts.left_guessed_left, left), (counts.left_guessed_right, right)):
        assert seen / counts.left_trials == pytest.approx(again / 50_000, abs=0.02)  # 5 standard errors


# Determinism


def stable(result: AuditResult) -> str:
    return result.without_timings().to_json()


def slow_laplace(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)


def test_the_same_seed_gives_the_same_json_whatever_runs_it(monkeypatch, tuned):
    """Chunks are made small and every batch worth sharing, so that workers do take part."""
    shared = []
    real = parallel.tallies_of
    tuned(chunk=2**12, at_once=0.0, in_all=0.0)
    monkeypatch.setattr(parallel, "tallies_of", lambda *work: shared.append(work) or real(*work))
    options = {"views": VALUES, "trials": 60_000, "name": "m"}
    alone = stable(quick(slow_laplace, **options))
    assert not shared
    assert stable(quick(slow_laplace, **options, jobs=2)) == alone
    assert shared
    shared.clear()
    with joblib.parallel_backend("threading"):
        assert stable(quick(slow_laplace, **options, jobs=2)) == alone
    assert shared
    assert stable(quick(slow_laplace, **options, seed=1)) != alone


def test_another_pair_changes_no_draws_of_the_first():
    """Streams are named by the pair's place, not taken in turn from one stream."""

    def draws(pairs):
        seen = []

        def sample(dataset, n, rng):
            outputs = dataset + rng.laplace(0, 1, n)
            if dataset == 0:
                seen.append(outputs.sum())
            return outputs

        quick(sample, pairs=pairs, views=VALUES, trials=100, name="m")
        return seen[:2]  # the pilot and the first round

    assert draws([(0, 1)]) == draws([(0, 1), (2, 3)])


def test_progress_is_told_and_ends_at_the_total():
    seen = []
    quick(laplace(1.0), views=VALUES, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (12_000, 12_000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


# Every kind of output: (right, broken)


def with_bottom(epsilon):
    """Each coordinate is ⊥ or a randomized bit; the bits share epsilon."""

    def sample(dataset, n, rng):
        bits = np.stack([response(epsilon)(dataset, n, rng), rng.integers(0, 2, n)], axis=1).astype(float)
        return np.where(rng.random((n, 2)) < 0.3, np.nan, bits)

    return sample


def maybe_none(epsilon):
    return per_draw(
        lambda d, rng: None if rng.random() < 0.3 else int(d if rng.random() < 1 / (1 + math.exp(-epsilon)) else 1 - d)
    )


def tuples(epsilon):
    """A randomized bit that shows in the length."""
    bit = response(epsilon)
    return per_draw(lambda d, rng: (0.5,) * (2 + int(bit(d, 1, rng)[0])))


def nested(epsilon):
    bit = response(epsilon)
    return per_draw(lambda d, rng: ("ok", (int(bit(d, 1, rng)[0]), rng.integers(0, 3).item())))


def labels(epsilon):
    bit = response(epsilon)
    return lambda d, n, rng: np.array(["no", "yes"])[bit(d, n, rng)]


def many_labels(epsilon):
    """Thousands of labels; their last letter is a randomized bit."""
    bit = response(epsilon)
    return lambda d, n, rng: [f"{k}{b}" for k, b in zip(rng.integers(0, 1500, n), bit(d, n, rng), strict=True)]


def clamped(scale):
    """Atoms at 0 and 1, a density between."""
    return lambda d, n, rng: np.clip(d + rng.laplace(0, scale, n), 0, 1)


def huge(epsilon):
    bit = response(epsilon)
    return lambda d, n, rng: [2**70 + int(b) for b in bit(d, n, rng)]


def correlated(epsilon):
    """Two coordinates that say nothing alone; their product is a randomized sign."""

    def sample(dataset, n, rng):
        sign = 2 * response(epsilon)(dataset, n, rng) - 1
        first = rng.choice([-1.0, 1.0], n)
        return np.stack([first, first * sign], axis=1)

    return sample


KINDS = {
    "floats": (laplace(1.0), laplace(0.4)),
    "ints": (geometric(1.0), geometric(2.5)),
    "bools": (
        lambda d, n, rng: response(1.0)(d, n, rng).astype(bool),
        lambda d, n, rng: response(2.5)(d, n, rng).astype(bool),
    ),
    "labels": (labels(1.0), labels(2.5)),
    "vectors": (
        lambda d, n, rng: d / 4 + rng.laplace(0, 1, (n, 4)),
        lambda d, n, rng: d / 4 + rng.laplace(0, 0.2, (n, 4)),
    ),
    "integer vectors": (
        lambda d, n, rng: np.stack([geometric(1.0)(d, n, rng), rng.integers(0, 9, n)], axis=1),
        lambda d, n, rng: np.stack([geometric(3.0)(d, n, rng), rng.integers(0, 9, n)], axis=1),
    ),
    "vectors with NaN": (with_bottom(1.0), with_bottom(4.0)),
    "dependent vectors": (correlated(1.0), correlated(2.5)),
    "None": (maybe_none(1.0), maybe_none(3.0)),
    "tuples of variable length": (tuples(1.0), tuples(2.5)),
    "nested tuples": (nested(1.0), nested(2.5)),
    "atoms and density": (clamped(1.0), clamped(0.4)),
    "very many labels": (many_labels(1.0), many_labels(3.5)),
    "huge integers": (huge(1.0), huge(2.5)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_output(kind):
    right, broken = KINDS[kind]
    views = VALUES if kind in ("floats", "vectors", "atoms and density") else None
    size = 3000 if "label" not in kind else 8000
    result = quick(right, views=views, trials=size)
    assert not result.refuted
    assert 0 <= result.epsilon_lower <= 1.0
    refuted = quick(broken, views=views, trials=size)
    assert refuted.refuted
    assert refuted.epsilon_lower >= 1.0
    for found in (result, refuted):
        assert AuditResult.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda d, n, rng: np.zeros(n),
        lambda d, n, rng: np.full(n, np.nan),
        lambda d, n, rng: [None] * n,
        lambda d, n, rng: np.full((n, 3), np.nan),
        lambda d, n, rng: ["x"] * n,
        lambda d, n, rng: np.full(n, np.inf),
    ],
    ids=["constant", "always NaN", "always None", "vectors of NaN", "one label", "infinite"],
)
@pytest.mark.parametrize("claim", [ApproxDP(0.0), ApproxDP(0.5, 0.01)], ids=str)
def test_outputs_that_say_nothing(mechanism, claim):
    result = quick(mechanism, claim, trials=1000)
    assert not result.refuted
    assert result.epsilon_lower <= 0.3
    assert AuditResult.from_json(result.to_json()) == result


def test_a_constant_that_is_the_input_is_refuted():
    for mechanism in (
        lambda d, n, rng: np.full(n, float(d)),
        lambda d, n, rng: np.full(n, np.nan if d else 0.0),
        lambda d, n, rng: [None if d else "x"] * n,
        lambda d, n, rng: np.full(n, np.inf if d else -np.inf),
    ):
        result = quick(mechanism, trials=1000)
        assert result.refuted
        assert result.trials_used < 500


@pytest.mark.parametrize("trials", [1, 2, 5, 40])
def test_an_audit_of_hardly_a_draw_ends_without_an_accusation(trials):
    result = quick(laplace(1.0), trials=trials)
    assert not result.refuted
    assert result.trials_used == trials
    assert AuditResult.from_json(result.to_json()) == result


# Claims


GAUSS = {
    "true": lambda d, n, rng: d + rng.normal(0, 1, n),
    "false": lambda d, n, rng: d + rng.normal(0, 0.6, n),
}


@pytest.mark.parametrize("claim", [GaussianDP(1.0), ZCDP(0.5), ApproxDP(1.0, GaussianDP(1.0).delta_at(1.0))], ids=str)
def test_claims_as_curves(claim: Claim):
    true = quick(GAUSS["true"], claim, views=VALUES, trials=20_000)
    assert not true.refuted
    assert true.epsilon_lower <= GaussianDP(1.0).epsilon_at(true.delta) + 1e-9
    false = quick(GAUSS["false"], claim, views=VALUES, trials=60_000)
    assert false.refuted
    assert 0 <= false.epsilon_lower <= GaussianDP(1 / 0.6).epsilon_at(false.delta)
    if isinstance(claim, ApproxDP):  # a curve's bound starts anew: its point was chosen by the same rounds
        assert false.epsilon_lower >= claim.epsilon
    assert (false.witness.epsilon, false.witness.delta) in claim.points()


@pytest.mark.parametrize("epsilon", [0.0, 20.0, 1000.0])
def test_extreme_claims(epsilon):
    assert not quick(response(0.0), ApproxDP(epsilon), trials=1000).refuted
    assert quick(lambda d, n, rng: np.full(n, d), ApproxDP(epsilon), trials=1000).refuted == (epsilon == 0.0)


def test_delta_of_one_is_never_refuted():
    assert not quick(lambda d, n, rng: np.full(n, d), ApproxDP(0.0, 1.0), trials=1000).refuted


# Views


@pytest.mark.parametrize("noise", [lambda n, rng: rng.laplace(0, 1, n), lambda n, rng: rng.normal(0, 1, n)])
def test_noise_on_doubles_leaks_in_its_bits_only(noise):
    claim = ApproxDP(1.0, 0.13)  # Gaussian noise of scale 1 has delta(1) = .127

    def sample(dataset, n, rng):
        return dataset + noise(n, rng)

    pair = [(0.0, 1.0)]
    assert not quick(sample, claim, pair, views=VALUES).refuted
    seen = quick(sample, claim, pair, views=("bits",))
    assert seen.refuted
    assert seen.witness.event.view == "bits"
    assert quick(sample, claim, pair).refuted


@pytest.mark.parametrize("step", [2.0**-10, 2.0**-30])
def test_a_lattice_does_not_leak_in_its_bits(step):
    stop = -math.expm1(-step)

    def lattice(dataset, n, rng):
        return dataset + step * (rng.geometric(stop, n) - rng.geometric(stop, n))

    for views in (VALUES, ("bits",), None):
        assert not quick(lattice, pairs=[(0.0, 1.0)], views=views).refuted


# Pairs


def test_one_bad_pair_among_twenty_is_found():
    def sample(dataset, n, rng):
        pair, side = divmod(dataset, 2)
        return side + rng.laplace(0, 0.4 if pair == 13 else 1.0, n)

    pairs = [NeighbourPair(2 * k, 2 * k + 1) for k in range(20)]
    result = quick(sample, pairs=pairs, views=VALUES)
    assert result.refuted
    assert result.witness.pair.index == 13
    assert (result.witness.pair.left, result.witness.pair.right) == ("26", "27")
    good = [pair for place, pair in enumerate(pairs) if place != 13]
    assert not quick(sample, pairs=good, views=VALUES).refuted


def test_a_rare_leak_beside_a_pair_that_is_tight():
    """A leak of one in 50 on the second pair; the first has all of the claimed epsilon."""

    def sample(dataset, n, rng):
        pair, side = divmod(dataset, 2)
        if pair == 0:
            return side + rng.laplace(0, 1.0, n)
        return np.where(rng.random(n) < 0.02, 100.0 + side, rng.laplace(0, 1.0, n))

    result = quick(sample, pairs=[(0, 1), (2, 3)], views=VALUES, trials=100_000)
    assert result.refuted
    assert result.witness.pair.index == 1


def test_a_pair_says_why_it_was_chosen_in_the_result():
    pair = NeighbourPair([1, 2], [1], "add/remove", "the record in question", 1)
    result = quick(lambda d, n, rng: laplace(1.0)(len(d), n, rng), pairs=[pair], views=VALUES, trials=500)
    found = result.witness.pair
    assert (found.left, found.right, found.relation) == ("[1, 2]", "[1]", "add/remove")
    assert found.why == "the record in question"


# Mechanisms that break


def test_a_mechanism_that_raises_halfway_gives_no_verdict_and_keeps_its_cause():
    calls = []

    def sample(dataset, n, rng):
        calls.append(n)
        if len(calls) > 8:
            raise ZeroDivisionError("no noise left")
        return dataset + rng.laplace(0, 1, n)

    with pytest.raises(MechanismError, match=r"faulty raised ZeroDivisionError on the \w+ dataset") as e:
        quick(sample, name="faulty")
    assert isinstance(e.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (lambda d, n, rng: rng.random(n + 1), "must return 32 outputs for n=32, got 33"),
        (lambda d, n, rng: rng.random(max(0, n - 1)), "must return 32 outputs for n=32, got 31"),
        (lambda d, n, rng: 1.0, "got a float"),
        (lambda d, n, rng: None, "got a NoneType"),
        (lambda d, n, rng: rng.random((n, 2 + d)), "one shape on every dataset"),
        (lambda d, n, rng: rng.random(n) if n == 32 else rng.random((n, 2)), "one shape on every dataset"),
        (lambda d, n, rng: [object() for _ in range(n)], "address in memory"),
    ],
)
def test_outputs_that_are_none_end_in_an_error_that_names_the_mechanism(sample, words):
    with pytest.raises(MechanismError, match=words) as caught:
        quick(sample, name="my mechanism")
    assert "my mechanism" in str(caught.value)


def test_a_mechanism_that_uses_its_buffer_again_is_remembered_rightly():
    buffer = np.zeros(2**16)

    def sample(dataset, n, rng):
        buffer[:n] = dataset + rng.laplace(0, 1, n)
        return buffer[:n]

    fresh = quick(laplace(1.0), views=VALUES, name="m")
    again = quick(sample, views=VALUES, name="m")
    assert stable(replace(again, name="m")) == stable(fresh)


def test_a_mechanism_that_ignores_the_stream_can_be_audited():
    own = np.random.default_rng(9)
    assert not quick(lambda d, n, rng: d + own.laplace(0, 1, n), views=VALUES).refuted
    assert quick(lambda d, n, rng: d + own.laplace(0, 0.4, n), views=VALUES).refuted


def test_json_of_a_result_is_plain():
    data = json.loads(quick(laplace(1.0), trials=500).to_json())
    assert data["verdict"] in ("refuted", "not refuted")
    assert data["claim"] == {"kind": "ApproxDP", "epsilon": 1.0, "delta": 0.0}


def test_a_leak_too_rare_to_be_chosen_early_is_learned_on_half_of_the_draws():
    """One run in 500 publishes its side beside tight Laplace noise; an even split would see it, so must we."""

    def leaky(bit, n, rng):
        return np.where(rng.random(n) < 0.002, 1000.0 + bit, bit + rng.laplace(0, 1, n))

    result = audit(leaky, ApproxDP(1.0), [(0, 1)], trials=100_000, seed=0, jobs=1, views=("values",))
    assert result.verdict is Verdict.REFUTED
