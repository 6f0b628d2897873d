"""A certified trade-off curve as a page of its own, in the same look: the answer, its numbers, two pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auditor.certify import shown
from auditor.certify.tradeoff import TradeOff
from mechanisms.core.claims import Claim, Profile
from reports.details import Figure
from reports.html import shell
from reports.pictures import Picture, drawn_of
from reports.pictures.lines import Axis, LinesPicture, Series
from reports.pictures.tradeoff import TradeoffPicture, best_test
from reports.words import count, line, listed, number

_GRID = 60  # values of epsilon that a profile is drawn at
_LEAST = 1e-8  # deltas below it are not drawn


def render(
    curve: TradeOff, claim: Claim | None = None, exact: Profile | None = None, deltas: Sequence[float] = shown.DELTAS
) -> str:
    """The page's HTML; `claim` and `exact` are of the same mechanism as the curve, where they are known."""
    certificates = curve.certificates
    verdict, tone = _verdict(curve, claim, deltas)
    return shell(
        "curve.html.j2",
        title=f"Trade-off curve of {line(', then '.join(dict.fromkeys(c.name for c in certificates)), 120)}",
        verdict=verdict,
        tone=tone,
        assumed=[line(words) for words in curve.assumed],
        pairs=[line(pair) for pair in dict.fromkeys(c.pair for c in certificates)],
        facts=_facts(curve, deltas),
        pictures=[_tradeoff(curve, claim, exact), _profile(curve, claim, exact)],
        draws=count(min(min(c.trials) for c in certificates)),
        sure=number(100 * (1 - curve.alpha), 6),
        seeds=listed([str(seed) for seed in dict.fromkeys(c.seed for c in certificates)]),
    )


def _verdict(curve: TradeOff, claim: Claim | None, deltas: Sequence[float]) -> tuple[str, str]:
    """What the claim is worth; without one, epsilon at one delta."""
    if claim is None:
        delta = next((delta for delta in deltas if 0 < delta <= 1e-5), deltas[0])
        return f"ε is at least {number(curve.epsilon_at(delta))} at δ = {number(delta)}.", "plain"
    refuted = curve.refutes(claim)
    return (f"Refuted: it is not {claim}.", "bad") if refuted else (f"Not refuted: it may be {claim}.", "good")


def _facts(curve: TradeOff, deltas: Sequence[float]) -> list[Figure]:
    found = [Figure(f"at δ = {number(delta)}", f"ε ≥ {number(curve.epsilon_at(delta))}") for delta in deltas]
    return [*found, Figure("of Gaussian DP", f"μ ≥ {number(curve.mu)}")]


def _tradeoff(curve: TradeOff, claim: Profile | None, exact: Profile | None) -> Picture:
    def test(profile: Profile | None) -> tuple[tuple[float, float], ...]:
        if profile is None:
            return ()
        grid = [*(k / 40 for k in range(80)), *(2 * 1.1**k for k in range(36))]
        return tuple((x, y) for x, y in best_test([[epsilon, profile.delta_at(epsilon)] for epsilon in grid]))

    return drawn_of(TradeoffPicture(test(claim), test(exact) or None, tuple(curve.points)), "c0")


def _profile(curve: TradeOff, claim: Profile | None, exact: Profile | None) -> Picture:
    """Delta over epsilon: certified, claimed and exact."""
    top = max(curve.epsilon_at(_LEAST), 0.5) * 1.15
    top = max(top, min(claim.epsilon_at(1e-6) * 1.15, 4 * top)) if claim is not None else top
    grid = tuple(top * place / _GRID for place in range(_GRID + 1))

    def series(label: str, profile: TradeOff | Profile) -> Series:
        deltas = [profile.delta_at(epsilon) for epsilon in grid]
        return Series(label, tuple(delta if delta >= _LEAST else math.nan for delta in deltas), label)

    known = (("certified", curve), ("claimed", claim), ("exact", exact))
    found = [series(label, profile) for label, profile in known if profile is not None]
    seen = tuple(one for one in found if not all(map(math.isnan, one.values)))
    if not seen:
        seen, log = (Series("certified", tuple(0.0 for _ in grid), "certified"),), False
    else:
        log = True
    words = "How much δ is left at each ε; the true curve lies above the certified one, for all ε at once."
    return drawn_of(LinesPicture("Privacy profile", Axis("ε", False), Axis("δ", log), grid, seen, words), "c1")
