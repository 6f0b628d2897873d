"""Lecture 004, sections 15.2 and 15.2.1: propose-test-release."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.stability import (
    distance_to_set,
    gated_release_delta,
    local_sensitivity,
    neighbour_pairs,
)
from auditor.notes.facts import Fact, at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.propose_test_release import ProposeTestRelease, State
from mechanisms.ptr_median import PtrMedian, PtrMedianOneNoise, PtrMedianRandomThreshold, PtrMedianUnitNoise
from mechanisms.ptr_reciprocal import PtrReciprocal

Array = np.ndarray[Any, np.dtype[Any]]
VALUES = (0.0, 1.0, 2.0, 3.0, 4.0)


def small(bound: float, epsilon: float = 1.0, delta: float = 0.01) -> PtrMedian:
    """The median of 5 records in 0..4: a space small enough to go through."""
    return PtrMedian(epsilon, delta, bound, 5, VALUES)


@cache
def medians() -> Array:
    """The median of every dataset, from numpy."""
    return np.asarray(np.median(np.indices((5,) * 5), axis=0))


def brute_delta(mechanism: PtrMedian, epsilon: float) -> float:
    """Exact delta over all neighbours: numpy's medians, distances by definition, the catalogue's noise."""
    q = medians()
    d = distance_to_set(local_sensitivity(q) > mechanism.bound).ravel()
    left, right = neighbour_pairs(q.shape)
    gap = np.abs(q.ravel()[left] - q.ravel()[right])
    kinds = set(zip(d[left].tolist(), d[right].tolist(), gap.tolist(), strict=True))
    release = mechanism.release_probability
    return max(
        gated_release_delta(epsilon, release(x), release(y), g / mechanism.spread)
        for a, b, g in kinds
        for x, y in ((a, b), (b, a))
    )


def _hockey(mechanism: ProposeTestRelease, left: State, right: State, epsilon: float) -> float:
    """One pair, without the catalogue's algebra."""
    gap = abs(left.value - right.value) / mechanism.spread
    p, q = mechanism.release_probability(left.distance), mechanism.release_probability(right.distance)
    return max(gated_release_delta(epsilon, p, q, gap), gated_release_delta(epsilon, q, p, gap))


@entry(
    "004-PTR",
    kind="M",
    title="Propose-test-release",
    statement="d̂ = d(x, {x′ : LS_q(x′) > β}) + Lap(1/ε); q(x) + Lap(β/ε) if d̂ > ln(1/δ)/ε, else ⊥.",
    conditions="ε, β > 0 and 0 < δ < 1 (printed ≥ 0; ln(1/δ)/ε does not exist at 0)",
    source="004 §15.2",
    expected="definition",
    tests=1,
)
def mechanism_itself(run: Run) -> Outcome:
    """The catalogue's q and d on every dataset against their definitions, and its noise by simulation."""
    datasets = list(itertools.product(VALUES, repeat=5))
    facts = []
    for bound in (1.0, 2.0):
        mechanism = small(bound)
        d = np.reshape([mechanism.distance(x) for x in datasets], (5,) * 5)
        facts.append(
            fact(
                f"d of all 3125 datasets by definition, β = {bound:g}",
                np.array_equal(d, distance_to_set(local_sensitivity(medians()) > bound)),
            )
        )
    q = np.reshape([small(1.0).query(x) for x in datasets], (5,) * 5)
    steady = PtrMedian()
    dataset = (0.0,) * 15

    def inside(rng: np.random.Generator, n: int) -> int:
        outputs = steady.sample(dataset, n, rng)
        return int(np.count_nonzero(np.abs(outputs - steady.query(dataset)) <= steady.bound / steady.epsilon))

    passes = steady.release_probability(steady.distance(dataset))
    expected = passes * -math.expm1(-1)  # released, and |Lap(β/ε)| ≤ β/ε
    seen = run.proportion(inside, run.size(50_000, 20_000), "noise")
    return judge(
        definition=True,
        printed=[
            fact("q of all 3125 datasets is numpy's median", np.array_equal(q, medians())),
            *facts,
            close("P[d̂ > ln(1/δ)/ε] at d = 0 is δ/2", steady.release_probability(0.0), steady.delta / 2),
            fact(f"P[released within β/ε] = {expected:.4f} agrees with {seen}", seen.contains(expected)),
        ],
        anchors=[
            fact("δ = 0 has no threshold, and is refused", _refused(1.0, 0.0)),
            fact("ε = 0 too", _refused(0.0, 0.01)),
        ],
        claimed=expected,
        exact=expected,
        certified=seen.low,
        quantity="P[released within β/ε]",
        trials_used=seen.trials,
    )


def _refused(epsilon: float, delta: float) -> bool:
    try:
        PtrMedian(epsilon, delta)
    except ValueError:
        return True
    return False


@entry(
    "004-P15.5",
    kind="P",
    title="Privacy of propose-test-release",
    statement="For every q and ε, δ, β ≥ 0, propose-test-release is (2ε, δ)-DP.",
    conditions="ε, β > 0, 0 < δ < 1",
    source="004 Proposition 15.5",
    expected="holds",
    tests=1,
)
def test_release(run: Run) -> Outcome:
    """All neighbours of all medians of 5 records; 2ε is tight, δ is twice what is needed."""
    delta = 0.01
    median, reciprocal = PtrMedian(), PtrReciprocal()
    audit = run.audit(median)
    spaces = {bound: small(bound) for bound in (1.0, 2.0, 3.0)}
    tight = PtrMedian(1.0, 1e-3)
    grid = [
        ("median, 15 records", exact_profile(median).delta_at(2.0), delta),
        ("1/f", exact_profile(reciprocal).delta_at(2.0), delta),
    ]
    return judge(
        printed=[
            everywhere(
                "exact δ at 2ε over all neighbours of 3125 datasets",
                [(f"β = {b:g}", brute_delta(m, 2.0), delta) for b, m in spaces.items()],
            ),
            everywhere(
                "and at other ε, β = 1",
                [
                    (f"ε = {e:g}, δ = {d:g}", brute_delta(small(1.0, e, d), 2 * e), d)
                    for e, d in ((0.3, 0.1), (2.5, 1e-6))
                ],
            ),
            everywhere("exact δ at 2ε of the catalogue's", grid),
            fact("an audit of the median does not refute it", not audit.refuted),
        ],
        anchors=[
            *(
                close(
                    f"the catalogue's profile at {e:g}, β = {b:g}",
                    exact_profile(m).delta_at(e),
                    brute_delta(m, e),
                    absolute=1e-15,
                )
                for b, m in spaces.items()
                for e in (0.0, 1.0, 1.9)
            ),
            *_release_values(tight),
        ],
        claimed=2 * median.epsilon,
        exact=exact_profile(median).epsilon_at(median.delta),
        audit=audit,
        pictures=(_distance_picture(tight),),
    )


def _release_values(tight: PtrMedian) -> list[Fact]:
    """What is attained, at ε = 1: by all medians of 5 records at δ = .01, by single pairs at δ = 1e-3."""
    near = (State(1.0, 0.0), State(0.0, tight.bound))
    far = (State(0.0, 0.0), State(0.0, 40 * tight.bound))
    return [
        close("β = 1 at 2ε", brute_delta(small(1.0), 2.0), 0.0031606, rel=1e-4),
        close("β = 2 at 1.9ε", brute_delta(small(2.0), 1.9), 0.0048979, rel=1e-4),
        at_most("d 1 and 0, Δq = β, (1, 1e-3): δ at 2ε", _hockey(tight, *near, 2.0), 1e-15),
        close("and at 1.99ε: the ε part is tight", _hockey(tight, *near, 1.99), 6.7787e-6, rel=1e-4),
        close(
            "d = 0 on both sides, q far apart: (δ/2)(1 − e^((2ε−m)/2)), m = 40",
            _hockey(tight, *far, 2.0),
            5e-4 * -math.expm1(-19),
        ),
        at_least(
            "one noise for test and release: δ at 2ε",
            exact_profile(PtrMedianOneNoise()).delta_at(2.0),
            0.6,
        ),
    ]


def _distance_picture(mechanism: PtrMedian) -> dict[str, object]:
    distances = list(range(16))
    return lines_picture(
        "Propose-test-release at ε = 1, δ = 1e-3",
        ("d(x, {LS > β})", distances),
        "probability",
        {
            "P[released]": [mechanism.release_probability(d) for d in distances],
            "δ at 1.9ε": [_hockey(mechanism, State(d + 1, 0.0), State(d, mechanism.bound), 1.9) for d in distances],
            "claimed δ": [mechanism.delta] * len(distances),
        },
        styles={"P[released]": "exact", "claimed δ": "claimed"},
        log="y",
        caption=(
            "At d = 0 a release has probability δ/2. Elsewhere q moves by at most β, at a cost of 2ε and no "
            "δ; at 1.9ε, datasets at d and d + 1 whose q differs by β need the dotted δ."
        ),
    )


@entry(
    "004-PTRpf",
    kind="L",
    title="Lines of the proof of propose-test-release",
    statement=(
        "P(d̂ > Lap(1/δ)/ε) ≤ δ; P(M(x) ∈ S) ≤ e^ε P(M(x) ∈ S) + δ; "
        "q(x) + Lap(1/ε) and q(x′) + Lap(1/ε) are ε-indistinguishable."
    ),
    conditions="contradict §15.2, where the threshold is ln(1/δ)/ε and the noise Lap(β/ε)",
    source="004 §15.2.1",
    expected="misprint",
    tests=2,
)
def proof_lines(run: Run) -> Outcome:
    """Each line built as it is printed: noise that forgets β, a random threshold."""
    unit, random, correct = PtrMedianUnitNoise(), PtrMedianRandomThreshold(), PtrMedian()
    audit = run.audit(unit, trials=unit.trials, name="unit noise")
    threshold = run.audit(random, trials=random.trials, name="random threshold")
    certain = State(math.inf, 0.0), State(math.inf, unit.bound)
    near = State(1.0, 0.0), State(0.0, unit.bound)
    release = random.release_probability(0.0)
    return judge(
        printed=[
            at_most("δ at 2ε with noise Lap(1/ε), β = 5", exact_profile(unit).delta_at(2.0), unit.delta),
            at_most("P[d̂ exceeds a random threshold] at d = 0", release, random.delta),
        ],
        intended=[
            at_most("δ at 2ε with Lap(β/ε) and ln(1/δ)/ε", exact_profile(correct).delta_at(2.0), correct.delta),
            at_most("P[d̂ > ln(1/δ)/ε] at d = 0", correct.release_probability(0.0), correct.delta),
        ],
        anchors=[
            close(
                "with Lap(1/ε) and a certain release: 1 − e^((2−5)/2)",
                unit.hockey(*certain, 2.0),
                0.77687,
                rel=1e-4,
            ),
            at_most("d 1 and 0, Δq = β: within ε + βε = 6ε", unit.hockey(*near, 6.0), 1e-15),
            fails(at_most("and within 5.99ε", unit.hockey(*near, 5.99), 1e-15)),
            close("1/2 by symmetry", release, 0.5),
            fact("an audit refutes the noise as printed", audit.refuted),
            fact("an audit refutes the threshold as printed", threshold.refuted),
        ],
        claimed=2 * unit.epsilon,
        exact=exact_profile(unit).epsilon_at(unit.delta),
        audit=audit,
        finding=(
            "Case 1 compares M(x) with itself and thresholds at Lap(1/δ)/ε, which passes half of the time; "
            "case 2 says “q-DP” and adds Lap(1/ε): with β = 5 that has "
            f"δ = {exact_profile(unit).delta_at(2.0):.3g} at 2ε."
        ),
        correction=("M(x′) on the right in case 1, log(1/δ)/ε for Lap(1/δ)/ε, ε-DP for q-DP, Lap(β/ε) for Lap(1/ε)."),
    )
