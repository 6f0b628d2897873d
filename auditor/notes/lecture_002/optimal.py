"""Lecture 002, section 5.2.3: the exact condition for the Gaussian mechanism."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import by_events
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.quadrature import gaussian_delta_by_quadrature
from auditor.notes.facts import at_most, close, everywhere, fact
from auditor.notes.run import Run
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.gaussian_analytic import GaussianAnalytic
from mechanisms.gaussian_zero import GaussianZero, GaussianZeroQuarter


@entry(
    "002-L5.13",
    kind="L",
    title="The privacy loss of Gaussian noise is Gaussian",
    statement="L ~ N(η, 2η) with η = D²/(2σ²), D = ‖f(D) − f(D′)‖₂.",
    source="002 Lemma 5.13",
    expected="holds",
    tests=2,
)
def gaussian_loss(run: Run) -> Outcome:
    """The loss of the catalogue's own outputs: how often it exceeds two quantiles of N(η, 2η)."""
    mechanism = GaussianAnalytic(epsilon=1.0, delta=0.05)
    pair = mechanism.neighbours()[0]
    left, right, sigma = mechanism.query(pair.left), mechanism.query(pair.right), mechanism.sigma
    eta = (left - right) ** 2 / (2 * sigma**2)

    def above(level: float) -> object:
        def hits(rng: np.random.Generator, n: int) -> int:
            y = mechanism.sample(pair.left, n, rng)
            loss = ((y - right) ** 2 - (y - left) ** 2) / (2 * sigma**2)
            return int(np.count_nonzero(loss > level))

        return hits

    facts = []
    for share in (0.5, 0.05):
        level = eta + math.sqrt(2 * eta) * float(ndtri(1 - share))
        seen = run.proportion(above(level), run.size(100_000), f"above {share}")  # type: ignore[arg-type]
        facts.append(fact(f"P[L > {level:.4g}] = {share:g} agrees with {seen}", seen.contains(share)))
    mean, variance = _loss_moments(math.sqrt(2 * eta))
    return judge(
        printed=[
            close("mean of the loss by quadrature is η", mean, eta, rel=1e-8),
            close("variance of the loss by quadrature is 2η", variance, 2 * eta, rel=1e-8),
            *facts,
        ],
        claimed=eta,
        exact=mean,
        quantity="mean privacy loss η",
    )


def _loss_moments(mu: float) -> tuple[float, float]:
    """Mean and variance of ln p/q under p = N(mu, 1), q = N(0, 1), by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    y = nodes + mu
    loss = (y**2 - (y - mu) ** 2) / 2
    weights = weights / weights.sum()
    mean = float(weights @ loss)
    return mean, float(weights @ (loss - mean) ** 2)


@entry(
    "002-T5.14",
    kind="M,P",
    title="Gaussian mechanism for ε = 0",
    statement="σ = Δ/(2δ) is (0, δ)-DP.",
    conditions="0 < δ ≤ 1",
    source="002 Theorem 5.14",
    expected="holds",
    tests=1,
)
def gaussian_zero(run: Run) -> Outcome:
    """Exactly 2Φ(δ) − 1, at most √(2/π) δ."""
    deltas = (1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999)
    mechanism = GaussianZero()
    audit = run.audit(mechanism)
    exact = exact_profile(mechanism)
    return judge(
        printed=[
            everywhere(
                "exact δ at ε = 0",
                [(f"δ = {d:g}", exact_profile(GaussianZero(d)).delta_at(0.0), d) for d in deltas],
            ),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            *(
                close(
                    f"2Φ(δ) − 1 at δ = {d:g}",
                    exact_profile(GaussianZero(d)).delta_at(0.0),
                    1 - 2 * float(ndtr(-d)),
                    rel=1e-7,
                )
                for d in deltas
            ),
            close("the tight σ/Δ at δ = 0.1 is 3.979, not 5", analytic_sigma(0.0, 0.1), 3.979, rel=1e-3),
            close(
                "Δ/(4δ) at δ = .01 has δ",
                exact_profile(GaussianZeroQuarter(0.01)).delta_at(0.0),
                0.01596,
                rel=1e-3,
            ),
        ],
        claimed=mechanism.delta,
        exact=exact.delta_at(0.0),
        quantity="delta at ε = 0",
        audit=audit,
        certified=None,
    )


@entry(
    "002-T5.15",
    kind="P",
    title="Exact condition through the privacy loss",
    statement="A is (ε, δ)-DP ⇔ P[L_{D,D′} ≥ ε] − e^ε P[L_{D′,D} ≤ −ε] ≤ δ for all D ~ D′.",
    source="002 Theorem 5.15",
    expected="holds",
)
def loss_condition(run: Run) -> Outcome:
    """All events of random finite mechanisms, by enumeration; and Gaussian noise by quadrature."""
    rng = run.rng("finite")
    worst = 0.0
    for _ in range(run.size(300, 60)):
        p, q = rng.dirichlet(np.full(7, 0.5), 2)
        p[rng.integers(7)] = 0.0  # an output that only one side has
        p /= p.sum()
        epsilon = float(rng.uniform(0, 2))
        left, right = _loss_form(p, q, epsilon), _loss_form(q, p, epsilon)
        worst = max(worst, abs(max(left, right) - max(0.0, by_events(p, q, epsilon))))
    grid = [(mu, e) for mu in (0.1, 0.5, 1.0, 3.0) for e in (0.0, 0.3, 1.0, 4.0)]
    return judge(
        printed=[
            at_most("largest difference to the supremum over all 2^7 events", worst, 1e-12),
            *(
                close(
                    f"Gaussian, μ = {mu:g}, ε = {e:g}",
                    gaussian_profile(mu).delta_at(e),
                    gaussian_delta_by_quadrature(mu, e),
                    rel=1e-7,
                    absolute=1e-14,
                )
                for mu, e in grid
            ),
        ],
        claimed=0.0,
        exact=worst,
        quantity="difference of the two sides",
    )


def _loss_form(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """P[L >= eps] - e^eps P'[L' <= -eps] with L' = -L of the other side (5.19)."""
    with np.errstate(divide="ignore"):
        loss = np.log(p) - np.log(q)
    event = loss >= epsilon
    return float(p[event].sum() - math.exp(epsilon) * q[event].sum())


@entry(
    "002-L5.16",
    kind="L",
    title="Exact condition for Gaussian noise",
    statement=("(ε, δ)-DP ⇔ P(N(η,2η) ≥ ε) − e^ε P(η,2η) ≤ −ε) ≤ δ ⇔ Φ(D/2σ − εσ/D) − e^ε Φ(−D/2σ − εσ/D) ≤ δ."),
    source="002 Lemma 5.16",
    expected="misprint",
)
def gaussian_condition(run: Run) -> Outcome:
    """The first display lacks N( in its second term; with it, both displays are the catalogue's profile."""
    mechanism = GaussianAnalytic(epsilon=1.0, delta=1e-5)
    mu, epsilon = mechanism.sensitivity / mechanism.sigma, mechanism.epsilon
    eta = mu**2 / 2
    first = float(ndtr((eta - epsilon) / math.sqrt(2 * eta)))
    literal = first  # η and 2η are positive numbers, never at most -ε: the second term as printed is 0
    intended = first - math.exp(epsilon) * float(ndtr((-epsilon - eta) / math.sqrt(2 * eta)))
    second = float(ndtr(mu / 2 - epsilon / mu)) - math.exp(epsilon) * float(ndtr(-mu / 2 - epsilon / mu))
    return judge(
        printed=[close("the two displays agree at (1, 1e-5)", literal, second, rel=1e-6)],
        intended=[
            close("with P(N(η, 2η) ≤ −ε) they agree", intended, second, rel=1e-6),
            close(
                "and are the exact δ of the catalogue",
                second,
                exact_profile(mechanism).delta_at(epsilon),
                rel=1e-6,
            ),
            close(
                "which quadrature of the densities confirms",
                gaussian_delta_by_quadrature(mu, epsilon),
                mechanism.delta,
                rel=1e-7,
            ),
        ],
        claimed=literal,
        exact=second,
        quantity="delta at ε = 1",
        finding=(
            f"The second term lacks “N(”. Read literally it is 0, and the left side {literal:.4g}, not {second:.4g}."
        ),
        correction="P(N(η, 2η) ≥ ε) − e^ε P(N(η, 2η) ≤ −ε) ≤ δ.",
    )


@entry(
    "002-L5.17",
    kind="L",
    title="The worst pair is the farthest one",
    statement="h(D) = Φ(D/2σ − εσ/D) − e^ε Φ(−D/2σ − εσ/D) is increasing in D.",
    source="002 Lemma 5.17",
    expected="holds",
)
def farther_is_worse(run: Run) -> Outcome:
    """h grows along a grid, and its slope is φ(D/2σ − εσ/D)/σ, which is positive."""
    epsilons = (0.0, 0.1, 1.0, 5.0)
    mus = np.geomspace(0.02, 20, run.size(400, 80))
    falls, slopes = [], []
    for e in epsilons:
        values = np.array([gaussian_profile(float(mu)).delta_at(e) for mu in mus])
        falls.append((f"ε = {e:g}", float(-np.diff(values).min()), 0.0))
        for mu in (0.5, 1.0, 3.0):
            step = 1e-5
            slope = (gaussian_profile(mu + step).delta_at(e) - gaussian_profile(mu - step).delta_at(e)) / (2 * step)
            density = math.exp(-((mu / 2 - e / mu) ** 2) / 2) / math.sqrt(2 * math.pi)
            slopes.append(close(f"h′ = φ(·)/σ at D/σ = {mu:g}, ε = {e:g}", slope, density, rel=1e-4, absolute=1e-9))
    return judge(
        printed=[everywhere("largest fall of h from one grid point to the next", falls), *slopes],
        claimed=0.0,
        exact=max(0.0, *(value for _, value, _ in falls)),
        quantity="largest fall of h",
    )
