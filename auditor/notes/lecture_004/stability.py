"""Lecture 004, section 15.1.4: releasing stable values without noise on them (Dist2Instability)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.stability import gated_release_delta
from auditor.notes.exact.stable_spaces import spaces
from auditor.notes.facts import at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.distance_to_instability import StableRelease
from mechanisms.stable_majority import (
    StableMajority,
    StableMajorityNarrowNoise,
    StableMajorityNoiseless,
    StableMajorityRandomThreshold,
    StableMajorityReversed,
    StableMajorityWholeDistance,
    StableMajorityWideNoise,
)
from mechanisms.stable_vote import StableVoteUnscaledThreshold


@entry(
    "004-D2I",
    kind="M,P",
    title="Dist2Instability",
    statement=(
        "d(x) = min{d(x, x″) − 1 : f(x″) ≠ f(x)} has GS 1; f(x) if d + Lap(1/ε) > ln(1/δ)/ε, else ⊥, is (ε, δ)-DP."
    ),
    conditions="0 < δ < 1",
    source="004 §15.1.4",
    expected="holds",
    tests=1,
)
def stable_release(run: Run) -> Outcome:
    """All neighbours of three functions; δ is twice what is needed."""
    epsilon, delta = 1.0, 0.01
    every = spaces(epsilon, delta)
    mechanism = StableMajority()
    audit = run.audit(mechanism)
    moves = [(s.name, float(np.abs(s.steps()[0] - s.steps()[1]).max()), 1.0) for s in every]
    return judge(
        printed=[
            everywhere("|d(x) − d(x′)| over all neighbours", moves),
            everywhere(
                "exact δ at ε = 1, δ = .01, over all neighbours",
                [(s.name, s.delta(epsilon), delta) for s in every],
            ),
            everywhere(
                "exact δ at ε, majority of 7",
                [(f"ε = {e:g}, δ = {d:g}", spaces(e, d)[0].delta(e), d) for e, d in ((0.3, 0.1), (2.5, 1e-6))],
            ),
            fact("an audit of the majority does not refute it", not audit.refuted),
        ],
        anchors=[
            *(
                fact(
                    f"{s.name}: the catalogue's d is the brute-force one",
                    np.array_equal(s.distances, s.brute()),
                )
                for s in every
            ),
            *(close(f"{s.name}: δ/2 is exact", s.delta(epsilon), delta / 2) for s in every),
            *(
                close(
                    f"the catalogue's profile at e = {e:g}",
                    exact_profile(every[0].mechanism).delta_at(e),
                    every[0].delta(e),
                )
                for e in (0.0, 0.3, 0.7, 1.0, 2.0)
            ),
            *_mutants(),
        ],
        claimed=mechanism.epsilon,
        exact=exact_profile(mechanism).epsilon_at(mechanism.delta),
        audit=audit,
        pictures=(_release_picture(StableMajority(1.0, 1e-3)),),
    )


def _mutants() -> list[Any]:
    """What each change of the mechanism costs, at the values worked out by hand."""
    e, d = 1.0, 1e-3
    narrow, unscaled = (
        exact_profile(StableMajorityNarrowNoise(e, d)),
        StableVoteUnscaledThreshold(0.1, 1e-6, 5),
    )
    return [
        close("without the −1 in d: e^ε δ/2", _delta(StableMajorityWholeDistance(e, d)), math.e * d / 2),
        close("noise 2/ε: √δ/2", _delta(StableMajorityWideNoise(e, d)), math.sqrt(d) / 2),
        close("no noise on d: δ", _delta(StableMajorityNoiseless(e, 0.05)), 1.0),
        at_most("noise 1/(2ε): within 2ε", narrow.delta_at(2 * e), d / 2),
        fails(at_most("noise 1/(2ε): within 1.99ε", narrow.delta_at(1.99 * e), d / 2)),
        close("threshold ln(1/δ) for ln(1/δ)/ε at (.1, 1e-6)", unscaled.release_probability(0), 0.1256, rel=1e-3),
    ]


def _delta(mechanism: StableRelease) -> float:
    return exact_profile(mechanism).delta_at(mechanism.epsilon)


def _release_picture(mechanism: StableRelease) -> dict[str, object]:
    distances = list(range(16))
    release = [mechanism.release_probability(d) for d in distances]
    case_b = [
        max(gated_release_delta(0.0, a, b, 0.0), gated_release_delta(0.0, b, a, 0.0))
        for a, b in itertools.pairwise([*release, mechanism.release_probability(16)])
    ]
    return lines_picture(
        "Dist2Instability at ε = 1, δ = 1e-3",
        ("d(x)", distances),
        "probability",
        {
            "P[released]": release,
            "δ at ε = 0": case_b,
            "claimed δ": [mechanism.delta] * len(distances),
        },
        styles={"P[released]": "exact", "claimed δ": "claimed"},
        log="y",
        caption=(
            "At d = 0 the value is released with probability δ/2: the cost of case A. Case B, datasets at d "
            "and d + 1 with one value, costs ε and no δ; its δ at ε = 0 is dotted."
        ),
    )


@entry(
    "004-D2I-A",
    kind="L",
    title="Case A of Dist2Instability",
    statement="d(x) = 0 ⇒ d(x′) = 0 for every neighbour x′ (second line: d(x, x′) ≤ 1 ⇒ d(x′) = 0).",
    conditions="the first line says f(x′) ≠ f(x); the second does not",
    source="004 §15.1.4, Case A",
    expected="false as printed",
)
def case_a(run: Run) -> Outcome:
    """Neighbours with d = 0 and d > 0, over three whole spaces; they agree in f, and cost ε alone."""
    epsilon = 1.0
    every = spaces(epsilon)
    broken, wrong, worst = {}, {}, []
    for space in every:
        a, b, same = space.steps()
        one_zero = (a == 0) != (b == 0)
        broken[space.name] = int(np.count_nonzero(one_zero))
        wrong[space.name] = int(np.count_nonzero(one_zero & ~same)) + int(np.count_nonzero(~same & (a > 0)))
        r0, r1 = space.mechanism.release_probability(0), space.mechanism.release_probability(1)
        worst.append(
            (
                space.name,
                max(gated_release_delta(epsilon, r0, r1, 0.0), gated_release_delta(epsilon, r1, r0, 0.0)),
                1e-15,
            )
        )
    majority = every[0].mechanism
    x, y = (1, 1, 1, 1, 0, 0, 0), (1, 1, 1, 1, 1, 0, 0)
    return judge(
        printed=[everywhere("neighbours with d = 0 and d > 0", [(name, count, 0) for name, count in broken.items()])],
        corrected=[
            everywhere(
                "pairs with f(x′) ≠ f(x) and not d(x) = d(x′) = 0",
                [(name, count, 0) for name, count in wrong.items()],
            ),
            everywhere("exact δ at ε of d = 0 against d = 1 with equal f", worst),
        ],
        anchors=[
            close("pairs among the majorities of 7", broken["majority of 7"], 210),
            fact(f"{x} has d = 0, {y} has d = 1", (majority.distance(x), majority.distance(y)) == (0, 1)),
        ],
        claimed=0.0,
        exact=float(broken["majority of 7"]),
        quantity="pairs with d = 0 and d > 0, majority of 7",
        finding=(
            f"The majority of {x} has d = 0, its neighbour {y} has d = 1, and {broken['majority of 7']} "
            "pairs of 7 bits are like that: the case split misses neighbours with d(x) = 0 and f(x′) = f(x)."
        ),
        correction=(
            "Split by f(x′) ≠ f(x), where d(x) = d(x′) = 0, and f(x′) = f(x), where the output is a "
            "post-processing of d + Lap(1/ε)."
        ),
    )


@entry(
    "004-D2I-t1",
    kind="L",
    title="Case B of Dist2Instability, inequalities",
    statement="Output ⊥ when d̂ > threshold, f(x) when d̂ < threshold.",
    conditions="contradicts step 2 of the mechanism",
    source="004 §15.1.4, Case B",
    expected="misprint",
    tests=1,
)
def reversed_test(run: Run) -> Outcome:
    """The test as case B prints it releases exactly the unstable values."""
    epsilon, delta = 1.0, 1e-3
    printed = StableMajorityReversed()
    audit = run.audit(printed, trials=printed.trials, name="reversed")
    reversed_delta = _delta(StableMajorityReversed(epsilon, delta))
    return judge(
        printed=[at_most("δ of the test as printed, at (1, 1e-3)", reversed_delta, delta)],
        intended=[
            at_most("δ of the test of step 2", _delta(StableMajority(epsilon, delta)), delta),
        ],
        anchors=[
            close("1 − δ/2", reversed_delta, 1 - delta / 2),
            fact("an audit refutes the test as printed", audit.refuted),
        ],
        claimed=printed.epsilon,
        exact=exact_profile(printed).epsilon_at(printed.delta),
        audit=audit,
        finding=(
            "Built as case B prints it, the mechanism releases f(x) when it is unstable: "
            f"δ = {reversed_delta:.4g} at (1, 1e-3)."
        ),
        correction="⊥ when d̂ ≤ ln(1/δ)/ε, f(x) when d̂ > ln(1/δ)/ε.",
    )


@entry(
    "004-D2I-t2",
    kind="L",
    title="The threshold of Dist2Instability in its proof",
    statement="Lap(1/ε) > Lap(1/ε)/ε happens with probability less than δ.",
    conditions="contradicts the threshold ln(1/δ)/ε of step 2",
    source="004 §15.1.4, Cases A and B",
    expected="misprint",
    tests=2,
)
def random_threshold(run: Run) -> Outcome:
    """Noise against noise passes half of the time, whatever δ is."""
    printed, correct = StableMajorityRandomThreshold(), StableMajority()
    unstable = correct.neighbours()[0].left

    def released(rng: np.random.Generator, n: int) -> int:
        return int(np.count_nonzero(~np.isnan(printed.sample(unstable, n, rng).astype(float))))

    seen = run.proportion(released, run.size(100_000), "released")
    audit = run.audit(printed, trials=printed.trials, name="random threshold")
    return judge(
        printed=[at_most("P[the test passes at d = 0], lower end of the interval", seen.low, printed.delta)],
        intended=[
            close(
                "with ln(1/δ)/ε it passes with probability δ/2",
                correct.release_probability(0),
                correct.delta / 2,
            ),
            at_most("which is less than δ", correct.release_probability(0), correct.delta),
        ],
        anchors=[
            fact(f"1/2, by symmetry: {seen}", seen.contains(0.5)),
            close("the catalogue's exact δ", _delta(printed), 0.5),
            fact("an audit refutes the threshold as printed", audit.refuted),
        ],
        claimed=printed.epsilon,
        exact=exact_profile(printed).epsilon_at(printed.delta),
        audit=audit,
        finding=(
            "A threshold Lap(1/ε)/ε is random and centred at 0: an unstable value is released with probability 1/2."
        ),
        correction="log(1/δ)/ε for Lap(1/ε)/ε, in both cases.",
    )
