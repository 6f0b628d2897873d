"""Lecture 002, section 5.2 and 5.2.1: which events to look at, and truncated Laplace noise."""

from __future__ import annotations

import itertools
import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import both_directions, by_events, hockey_stick, max_divergence
from auditor.notes.exact.gaussian_loss import loss_tail
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.quadrature import truncated_laplace_delta_by_quadrature
from auditor.notes.facts import Fact, at_most, close, everywhere, fact
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.core.claims import ApproxDP
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.laplace import Laplace
from mechanisms.truncated_laplace import TruncatedLaplace, TruncatedLaplaceClamped, TruncatedLaplaceShort


@entry(
    "002-EQ",
    kind="R",
    title="Single outputs are enough for pure DP",
    statement="∀y P(A(D) = y) ≤ e^ε P(A(D′) = y) ⇔ ∀E P(A(D) ∈ E) ≤ e^ε P(A(D′) ∈ E), for pure DP alone.",
    conditions="discrete outputs",
    source="002 §5.2",
    expected="holds under condition",
)
def single_outputs(run: Run) -> Outcome:
    """Random discrete mechanisms by all events; a continuous one has P(y) = 0 everywhere."""
    rng = run.rng("pairs")
    above, below = 0.0, []
    for number in range(1, run.size(200, 60) + 1):
        p, q = rng.dirichlet(np.full(7, 0.7), 2)
        epsilon = max_divergence(p, q)  # what single outputs need
        above = max(above, by_events(p, q, epsilon))
        below.append((f"pair {number}", -by_events(p, q, epsilon - 1e-3), 0.0))
    laplace = exact_profile(Laplace(epsilon=2.0)).delta_at(1.0)
    m = 1000  # outputs 0..m-1 on one side, m..2m-1 on the other: each has probability 1/m against 0
    p, q = np.repeat([1 / m, 0.0], m), np.repeat([0.0, 1 / m], m)
    return judge(
        printed=[
            at_most(
                "Laplace noise for ε = 2: P(y) = 0 ≤ e·0 for every y; excess of the worst event",
                laplace,
                0.0,
            )
        ],
        condition=[
            at_most("discrete: excess of the worst of 128 events at the ε that single outputs need", above, 1e-12),
            everywhere("and a smaller ε fails on some event (negative excess)", below),
        ],
        anchors=[
            at_most("approximate DP: largest P(y) − e^ε Q(y) of one output", float((p - q).max()), 1e-3),
            close("against the worst event", float(hockey_stick(p, q, 1.0)), 1.0),
        ],
        claimed=0.0,
        exact=laplace,
        quantity="δ at ε = 1 of Laplace noise for ε = 2",
        finding="For continuous outputs every P(A(D) = y) is 0, which says nothing; densities are meant.",
        correction="For discrete outputs; else with densities, as in Lemma 5.5.",
    )


@entry(
    "002-L5.5",
    kind="L",
    title="The bad event",
    statement="P(A(D) ∈ Bad) ≤ δ for all D ~ D′, Bad = {y : p(y) > e^ε p′(y)} ⇒ A is (ε, δ)-DP.",
    conditions="sufficient, not necessary",
    source="002 Lemma 5.5",
    expected="holds",
)
def bad_event(run: Run) -> Outcome:
    """δ against P(Bad) for random finite, Gaussian and truncated Laplace noise; the converse at 2ε."""
    rng, n = run.rng("pairs"), run.size(20_000, 4_000)
    p, q = np.moveaxis(rng.dirichlet(np.full(5, 0.6), (n, 2)), 1, 0)
    direct, converse = [], []
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        delta = hockey_stick(p, q, epsilon)
        direct.append((f"finite, ε = {epsilon:g}", float((delta - _bad(p, q, epsilon)).max()), 0.0))
        weaker = both_directions(p, q, epsilon) / -math.expm1(-epsilon)
        converse.append((f"finite, ε = {epsilon:g}", float((_bad(p, q, 2 * epsilon) - weaker).max()), 1e-12))
        for mu in (0.3, 1.0, 2.5):
            d = gaussian_profile(mu).delta_at(epsilon)
            direct.append((f"Gaussian μ = {mu:g}, ε = {epsilon:g}", d - loss_tail(mu, epsilon), 0.0))
            converse.append(
                (
                    f"Gaussian μ = {mu:g}, ε = {epsilon:g}",
                    loss_tail(mu, 2 * epsilon) - d / -math.expm1(-epsilon),
                    0.0,
                )
            )
    mechanism = TruncatedLaplace()
    bad = truncated_laplace_delta_by_quadrature(mechanism.epsilon, mechanism.cut, 60.0)  # where q is 0
    direct.append(("truncated Laplace", exact_profile(mechanism).delta_at(mechanism.epsilon) - bad, 1e-9))
    calibrated = 1 / analytic_sigma(1.0, 1e-5)
    return judge(
        printed=[everywhere("δ − P(Bad)", direct)],
        anchors=[
            everywhere("the converse with weaker parameters: P(loss > 2ε) − δ/(1 − e^−ε)", converse),
            close(
                "not necessary: P(Bad) at ε = 1 where δ is exactly 1e-5",
                loss_tail(calibrated, 1.0),
                1.612e-4,
                rel=1e-3,
            ),
        ],
        claimed=1e-5,
        exact=loss_tail(calibrated, 1.0),
        quantity="P(Bad) where δ(1) = 1e-5, Gaussian",
        finding=(
            "Below the lemma: “a version of this equivalence does not hold but with slightly weaker "
            "parameters” must read “does hold, but …”: (ε, δ)-DP gives P(loss > 2ε) ≤ δ/(1 − e^−ε)."
        ),
        correction="A version of the converse does hold, with slightly weaker parameters.",
    )


def _bad(p: np.ndarray, q: np.ndarray, epsilon: float) -> np.ndarray:
    """P(Bad) of each row."""
    return np.asarray(np.where(p > math.exp(epsilon) * q, p, 0.0).sum(axis=-1))


@entry(
    "002-T5.6",
    kind="M,P",
    title="Truncated Laplace mechanism",
    statement="f(D) + Lap(Δ/ε, τ), τ = (Δ/ε) ln(1 + (e^ε − 1)/(2δ)), is (ε, δ)-DP if ε, δ are small enough.",
    conditions="none is needed; the proof's f(D′) ≤ τ is δ ≤ 1/2",
    source="002 Theorem 5.6",
    expected="holds",
    tests=1,
)
def truncated_laplace(run: Run) -> Outcome:
    """Exact δ over a wide grid; equality up to δ = 1/2; the density by quadrature."""
    epsilons, deltas = (1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 31.0), (1e-9, 1e-5, 0.01, 0.3, 0.5, 0.7, 0.9, 0.999)
    grid = [
        (f"ε = {e:g}, δ = {d:g}", exact_profile(TruncatedLaplace(e, d)).delta_at(e), d)
        for e, d in itertools.product(epsilons, deltas)
    ]
    mechanism = TruncatedLaplace()
    audit = run.audit(mechanism)
    return judge(
        printed=[
            everywhere("exact δ at ε", grid),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            everywhere(
                "equality for δ ≤ 1/2: |exact/δ − 1|",
                [(where, abs(value / d - 1), 1e-7) for where, value, d in grid if d <= 0.5],
            ),
            *_truncated_values(),
        ],
        claimed=mechanism.epsilon,
        exact=exact_profile(mechanism).epsilon_at(mechanism.delta * (1 + 1e-9)),
        audit=audit,
        finding="The proof cites “Lemma 6.4” where Lemma 5.5 is meant, here and in Theorems 5.7 and 5.12.",
        pictures=(_truncated_picture(),),
    )


def _truncated_values() -> list[Fact]:
    """Values worked out by hand, and the density by quadrature."""
    return [
        close(
            "below δ for δ > 1/2: at (1, .8)",
            exact_profile(TruncatedLaplace(1.0, 0.8)).delta_at(1.0),
            0.72889,
            rel=1e-4,
        ),
        *(
            close(
                f"δ by quadrature of (5.12), ({e:g}, {d:g}) at {at:g}",
                *_both_ways(TruncatedLaplace(e, d), at),
                rel=1e-7,
                absolute=1e-12,
            )
            for e, d in ((0.5, 0.01), (1.0, 0.8), (3.0, 1e-4))
            for at in (0.0, 0.3, e, 2 * e)
        ),
        close(
            "clamped, with an atom at each end, (.1, 1e-3)",
            exact_profile(TruncatedLaplaceClamped(0.1, 1e-3)).delta_at(0.1),
            0.0196431,
            rel=1e-3,
        ),
        close(
            "τ = λ ln(1/δ), (2, 1e-3)",
            exact_profile(TruncatedLaplaceShort(2.0, 1e-3)).delta_at(2.0),
            0.0032,
            rel=1e-2,
        ),
    ]


def _truncated_picture() -> dict[str, object]:
    shown = [float(e) for e in np.linspace(0, 3, 31)]
    profile, claim = exact_profile(TruncatedLaplace(1.0, 0.01)), ApproxDP(1.0, 0.01)
    curves = {"claimed": [claim.delta_at(e) for e in shown], "exact": [profile.delta_at(e) for e in shown]}
    return lines_picture("Truncated Laplace for (1, .01)", ("ε", shown), "δ", curves, log="y")


def _both_ways(mechanism: TruncatedLaplace, epsilon: float) -> tuple[float, float]:
    shift = mechanism.sensitivity / mechanism.scale
    return exact_profile(mechanism).delta_at(epsilon), truncated_laplace_delta_by_quadrature(
        shift, mechanism.cut, epsilon
    )
