"""Lecture 004, section 15.1: smooth sensitivity with Laplace-log-normal noise."""

from __future__ import annotations

import itertools
import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.renyi import AffinePair, LaplaceLogNormal
from auditor.notes.facts import Fact, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.laplace_log_normal import hockey
from mechanisms.median import median
from mechanisms.smooth_sensitivity import SmoothMedian

ORDERS = (1.01, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
SHOWN = tuple(float(a) for a in np.geomspace(1.05, 512, 24))


@entry(
    "004-P15.1",
    kind="M,P",
    title="Smooth sensitivity with Laplace-log-normal noise",
    statement="M(x) = f(x) + (1/s) S_f^t(x) LLN(σ) is ½ε²-CDP for ε = t/σ + e^(3σ²/2)s.",
    conditions="s, t, σ > 0",
    source="004 Proposition 15.1",
    expected="holds",
    tests=1,
)
def smooth_sensitivity(run: Run) -> Outcome:
    """Every sign of shift and dilation by quadrature, all neighbours of a median, and an audit."""
    mechanism = SmoothMedian()
    audit = run.audit(mechanism)
    moves = _moves(mechanism)
    extreme = AffinePair(mechanism.sigma, mechanism.s, mechanism.t)
    return judge(
        printed=[
            everywhere("D_α of both directions, with its error, against αε²/2", _grid(run.quick)),
            everywhere(
                "all neighbours of the median: |shift| ≤ s",
                [("all", max(abs(m) for m, _ in moves), mechanism.s)],
            ),
            everywhere("and |dilation| ≤ t", [("all", max(abs(d) for _, d in moves), mechanism.t)]),
            everywhere(
                "their D_α, as the proof reduces it",
                _reduced(extreme, moves[:: 8 if run.quick else 3]),
                slack=1e-7,
            ),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=_smooth_values(mechanism),
        claimed=mechanism.claim.rho,
        exact=max(extreme.worst(a).value / a for a in ORDERS),
        quantity="ρ, the largest D_α/α",
        audit=audit,
        certified=None,
        pictures=(ratio_picture("How much of ε²/2 smooth sensitivity uses", "D_α / (αε²/2)", _proposition_series()),),
    )


def _grid(quick: bool) -> list[tuple[str, float, float]]:
    """D_α of shifts and dilations up to s and t, of every sign, against αε²/2."""
    cases = ((0.5, 0.1, 0.1), (0.25, 0.5, 0.5), (1.0, 0.2, 1.0), (0.5, 1.0, 0.3), (0.25, 0.1, 0.02))
    rows = []
    for sigma, t, s in cases[:3] if quick else cases:
        rho = SmoothMedian(sigma, t, s).claim.rho
        for shift, dilation in itertools.product((s, s / 2), (t, -t, t / 2)):
            pair, where = (
                AffinePair(sigma, shift, dilation),
                f"σ = {sigma:g}, shift {shift:g}, dilation {dilation:g}",
            )
            rows += [(f"{where}, α = {a:g}", pair.worst(a).upper, a * rho) for a in ORDERS]
    return rows


def _reduced(extreme: AffinePair, moves: list[tuple[float, float]]) -> list[tuple[str, float, float]]:
    """D_α of the moves against max{D_α(Z‖s + e^t Z), D_α(s + e^t Z‖Z)}."""
    rows = []
    for shift, dilation in moves:
        pair, where = (
            AffinePair(extreme.sigma, shift, dilation),
            f"shift {shift:.3g}, dilation {dilation:.3g}",
        )
        rows += [(f"{where}, α = {a:g}", pair.divergence(a).upper, extreme.worst(a).upper) for a in (1.5, 8.0)]
    return rows


def _smooth_values(mechanism: SmoothMedian) -> list[Fact]:
    """Values worked out apart, the catalogue's δ by another quadrature, and the mutant without 1/s."""
    unscaled = AffinePair(mechanism.sigma, 1.0, mechanism.t).worst(1.5).lower / 1.5
    profile = exact_profile(mechanism)
    return [
        close(
            "at σ = .5, t = s = .1, α = 32, share of the bound",
            _share(0.5, 0.1, 0.1, 32.0),
            0.18386,
            rel=1e-3,
        ),
        close(
            "at σ = .25, t = s = .5, α = 32 (.447 when cut at |z| = 1e6)",
            _share(0.25, 0.5, 0.5, 32.0),
            0.54085,
            rel=1e-3,
        ),
        fails(at_most("without 1/s: D_1.5/1.5 against ε²/2", unscaled, mechanism.claim.rho)),
        *(
            close(
                f"the catalogue's δ at e = {e:g} of the extreme pair",
                _catalogue_delta(mechanism, e),
                _delta(mechanism, e),
                rel=1e-5,
            )
            for e in (0.05, 0.2)
        ),
        at_most(
            "the catalogue's exact δ at e = 1 is within the claim",
            profile.delta_at(1.0),
            mechanism.claim.delta_at(1.0),
        ),
    ]


def _moves(mechanism: SmoothMedian) -> list[tuple[float, float]]:
    """Shift and dilation of M(x′) in units of M(x)'s noise, over all neighbours up to order."""
    found = set()
    for x in itertools.combinations_with_replacement(mechanism.values, mechanism.records):
        here = mechanism.ordered(x)
        for new in mechanism.values:
            for place in range(len(x)):
                there = mechanism.ordered((*x[:place], new, *x[place + 1 :]))
                spread, other = mechanism.spread(here), mechanism.spread(there)
                shift = abs(median(there) - median(here)) / spread
                found.add((round(shift, 12), round(math.log(other / spread), 12)))
    return sorted(found)


def _share(sigma: float, t: float, s: float, order: float) -> float:
    return AffinePair(sigma, s, t).worst(order).value / (order * SmoothMedian(sigma, t, s).claim.rho)


def _catalogue_delta(mechanism: SmoothMedian, epsilon: float) -> float:
    shift, ratio = np.array([mechanism.s]), np.array([math.exp(mechanism.t)])
    return float(hockey(mechanism.sigma, shift, ratio, epsilon)[0])


def _delta(mechanism: SmoothMedian, epsilon: float) -> float:
    """The same from the density in log space, by a midpoint rule."""
    noise = LaplaceLogNormal(mechanism.sigma)
    away = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 2_000)])  # the density has kinks at 0 and at s
    edges = np.unique(np.concatenate([-away, away, mechanism.s - away, mechanism.s + away]))
    z, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    p = np.exp(noise.log_density(z))
    q = np.exp(noise.log_density((z - mechanism.s) * math.exp(-mechanism.t)) - mechanism.t)
    return float((np.maximum(p - math.exp(epsilon) * q, 0) * width).sum())


def _proposition_series() -> dict[str, list[float]]:
    series = {}
    for sigma, t, s in ((0.5, 0.1, 0.1), (0.25, 0.5, 0.5), (1.0, 0.2, 1.0)):
        pair, rho = AffinePair(sigma, s, t, max(SHOWN)), SmoothMedian(sigma, t, s).claim.rho
        series[f"σ={sigma:g} t={t:g} s={s:g}"] = [pair.worst(a).value / (a * rho) for a in SHOWN]
    return series


def ratio_picture(title: str, label: str, series: dict[str, list[float]]) -> dict[str, object]:
    """Shares of a bound over the order α, with the bound at 1."""
    return lines_picture(
        title,
        ("α", SHOWN),
        label,
        {"bound": [1.0] * len(SHOWN), **series},
        styles={"bound": "claimed"},
        log="x",
    )
