"""Lecture 004, sections 15.1.2: divergences of Laplace-log-normal noise, dilated and translated."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import minimize_scalar

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.renyi import AffinePair, LaplaceLogNormal
from auditor.notes.exact.renyi_finite import concentration, renyi
from auditor.notes.facts import at_least, at_most, close, everywhere
from auditor.notes.lecture_004.smooth_sensitivity import ORDERS, SHOWN, ratio_picture
from auditor.notes.run import Run

SIGMAS = (0.25, 0.5, 1.0)


@entry(
    "004-L15.2",
    kind="L",
    title="Triangle inequality for concentrated DP",
    statement="D_α(P‖R) ≤ aα and D_α(R‖Q) ≤ bα for all α > 1 ⇒ D_α(P‖Q) ≤ α(√a + √b)² ≤ 2α(a + b).",
    conditions="for all α in (1, ∞)",
    source="004 Lemma 15.2",
    expected="holds",
)
def triangle(run: Run) -> Outcome:
    """Random finite triples; equality for collinear Gaussians by quadrature; the proof's two steps."""
    rng = run.rng("triples")
    orders = np.concatenate([1 + np.geomspace(1e-3, 1, 20), np.geomspace(2.1, 200, 20)])
    triples, steps = [], []
    for number in range(run.size(400, 100)):
        p, r, q = np.log(rng.dirichlet(np.full(5, 2.0), 3))
        a, b = concentration(p, r, orders), concentration(r, q, orders)
        triples.append((f"triple {number}", concentration(p, q, orders), (math.sqrt(a) + math.sqrt(b)) ** 2))
        order, k = float(rng.uniform(1.05, 10)), float(rng.uniform(1.05, 5))
        first = k * order / (k * order - 1) * renyi(p, r, (k * order - 1) / (k - 1))
        bound = float(first + renyi(r, q, k * order))
        steps.append((f"triple {number}, α = {order:.3g}, k = {k:.3g}", float(renyi(p, q, order)), bound))
    sides = [(0.3, 0.7), (1.0, 1.0), (0.05, 2.0)]
    equal, minima = [], []
    for x, y in sides:
        a, b = x**2 / 2, y**2 / 2
        both = (math.sqrt(a) + math.sqrt(b)) ** 2
        equal.append(
            close(f"N(0), N({x:g}), N({x + y:g}) at α = 3 attain it", _gaussian(x + y, 3.0), 3 * both, rel=1e-6)
        )
        least = minimize_scalar(
            lambda k, a=a, b=b: k * (a / (k - 1) + b),
            bounds=(1 + 1e-6, 200),
            method="bounded",
            options={"xatol": 1e-10},
        )
        minima.append(
            close(f"min over k of k(a/(k−1) + b), a = {a:.3g}, b = {b:.3g}", float(least.fun), both, rel=1e-6)
        )
    return judge(
        printed=[
            everywhere("sup over α of D_α(P‖Q)/α against (√a + √b)²", triples, slack=1e-6),
            everywhere("(√a + √b)² ≤ 2(a + b)", [_twice(*pair) for pair in sides]),
            *equal,
        ],
        anchors=[
            close("D₂ of (½, ½) from (¼, ¾)", _two_points(), math.log(4 / 3)),
            everywhere("Hölder: D_α(P‖Q) ≤ kα/(kα−1) D_{(kα−1)/(k−1)}(P‖R) + D_{kα}(R‖Q)", steps),
            *minima,
        ],
        claimed=1.0,
        exact=max(value / bound for _, value, bound in triples),
        quantity="largest D_α(P‖Q)/(α(√a + √b)²) of random triples",
    )


def _two_points() -> float:
    return float(renyi(np.log([0.5, 0.5]), np.log([0.25, 0.75]), 2.0))


def _gaussian(distance: float, order: float) -> float:
    """D_order(N(0, 1) || N(distance, 1)) by Gauss-Hermite quadrature under the tilted law."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(160)
    loss = (nodes - distance) ** 2 / 2 - nodes**2 / 2
    return float(np.log((weights * np.exp((order - 1) * loss)).sum() / weights.sum())) / (order - 1)


def _twice(x: float, y: float) -> tuple[str, float, float]:
    a, b = x**2 / 2, y**2 / 2
    return f"a = {a:g}, b = {b:g}", (math.sqrt(a) + math.sqrt(b)) ** 2, 2 * (a + b)


@entry(
    "004-L15.3",
    kind="L",
    title="Laplace-log-normal noise, dilated",
    statement="D_α(Z‖e^t Z) ≤ αt²/(2σ²) for Z ~ LLN(σ).",
    conditions="t real, α > 1",
    source="004 Lemma 15.3",
    expected="holds",
)
def dilation(run: Run) -> Outcome:
    """Both directions by quadrature with an error bound; the bound is tight as α grows."""
    shifts = (0.1, 0.5, -0.3, 1.0) if not run.quick else (0.5, -0.3)
    rows = []
    for sigma, t in itertools.product(SIGMAS, shifts):
        pair = AffinePair(sigma, 0.0, t, max(ORDERS))
        rows += [
            (f"σ = {sigma:g}, t = {t:g}, α = {a:g}", pair.worst(a).upper, a * t**2 / (2 * sigma**2)) for a in ORDERS
        ]
    far = AffinePair(0.5, 0.0, 0.5, 1024.0)
    ratios = {a: far.worst(a).value / (a * 0.5) for a in (*ORDERS, 256.0, 1024.0)}
    return judge(
        printed=[everywhere("D_α of both directions, with its error", rows)],
        anchors=[
            at_least("the ratio to the bound at σ = t = .5, α = 1024: tight in the limit", ratios[1024.0], 0.996),
            close("at α = 32 (a quadrature that stops at |z| = 1e6 sees .779)", ratios[32.0], 0.882, rel=1e-4),
            at_most("error bound of the quadrature there", far.worst(32.0).error, 1e-9),
        ],
        claimed=0.5,
        exact=ratios[1024.0] * 0.5,
        quantity="D_α/α at σ = t = 1/2, α = 1024",
        pictures=(ratio_picture("How much of t²/(2σ²) a dilation uses", "D_α / (αt²/2σ²)", _dilation_series()),),
    )


def _dilation_series() -> dict[str, list[float]]:
    series = {}
    for sigma, t in ((0.25, 0.1), (0.5, 0.5), (1.0, 0.5)):
        pair = AffinePair(sigma, 0.0, t, max(SHOWN))
        series[f"σ = {sigma:g}, t = {t:g}"] = [pair.worst(a).value / (a * t**2 / (2 * sigma**2)) for a in SHOWN]
    return series


def _shift_bound(sigma: float, s: float, order: float) -> float:
    """min{e^(3 sigma^2) s^2 order / 2, e^(3 sigma^2 / 2) s} as 004 Lemma 15.4 prints it."""
    return min(0.5 * math.exp(3 * sigma**2) * s**2 * order, math.exp(1.5 * sigma**2) * s)


@entry(
    "004-L15.4",
    kind="L",
    title="Laplace-log-normal noise, translated",
    statement="D_α(Z‖Z + s) ≤ min{½e^(3σ²)s²α, e^(3σ²/2)s} for Z ~ LLN(σ).",
    conditions="s real, α > 1",
    source="004 Lemma 15.4",
    expected="false as printed",
)
def translation(run: Run) -> Outcome:
    """For s > 0 it holds; for s < 0 the bound is negative, and a divergence is not."""
    sigma, s, order = 0.5, -0.5, 2.0
    negative = AffinePair(sigma, s, 0.0).worst(order)
    rows: list[tuple[str, float, float]] = []
    for sd, shift in itertools.product(SIGMAS, (0.02, 0.1, 0.5, 1.0) if not run.quick else (0.1, 0.5)):
        pair = AffinePair(sd, shift, 0.0, max(ORDERS))
        rows += [
            (f"σ = {sd:g}, s = {shift:g}, α = {a:g}", pair.worst(a).upper, _shift_bound(sd, shift, a)) for a in ORDERS
        ]
    noise = LaplaceLogNormal(0.25)
    tight = noise.infinite_divergence_of_shift(1e-4) / (1e-4 * noise.slope)
    both = AffinePair(0.5, -0.5, 0.0).divergence(2.0).value, AffinePair(0.5, 0.5, 0.0).divergence(2.0).value
    return judge(
        printed=[at_most("D₂(Z‖Z − 1/2), σ = 1/2, lower end", negative.lower, _shift_bound(sigma, s, order))],
        corrected=[everywhere("with |s|: D_α of both directions, with its error", rows)],
        anchors=[
            close("s and −s are alike", *both, rel=1e-10),
            at_least("D_∞/(e^(3σ²/2)s) as s → 0: the second bound is tight", tight, 0.9999),
            close("D_∞ at σ = .25, s = .1", noise.infinite_divergence_of_shift(0.1), 0.1094, rel=1e-3),
            at_most(
                "D_α never passes D_∞",
                AffinePair(0.25, 0.1, 0.0).divergence(64.0).upper,
                noise.infinite_divergence_of_shift(0.1),
            ),
        ],
        claimed=_shift_bound(sigma, s, order),
        exact=negative.value,
        quantity="D₂ at σ = 1/2, s = −1/2",
        finding=(
            f"For s = −1/2 and σ = 1/2 the bound is {_shift_bound(sigma, s, order):.4g}, and D₂(Z‖Z + s) is "
            f"{negative.value:.4g}: a divergence is never negative."
        ),
        correction="min{½e^(3σ²)s²α, e^(3σ²/2)|s|}.",
        pictures=(ratio_picture("How much of its bound a translation uses", "D_α / bound", _shift_series()),),
    )


def _shift_series() -> dict[str, list[float]]:
    series = {}
    for sigma, s in ((0.25, 0.1), (0.5, 0.5), (1.0, 1.0)):
        pair = AffinePair(sigma, s, 0.0, max(SHOWN))
        series[f"σ = {sigma:g}, s = {s:g}"] = [pair.worst(a).value / _shift_bound(sigma, s, a) for a in SHOWN]
    return series
