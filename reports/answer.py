"""The picture that answers "is it private as claimed?": a strip for each audit, on one scale of epsilon.

A strip is filled up to the certified epsilon; a fill beyond the mark of the claim is a refutation. The template draws
it in percent of its width, so that it fits a phone as well as paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditor.results.document import Entry
from reports.words import count, line, number

_TICKS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_LINEAR = 0.1  # below this a logarithmic axis is linear, so that 0 has a place
_WIDE = 8.0  # where the largest claim is so many times the smallest, the axis is logarithmic
_FEW = 12
_END = 97.0  # percent of the width at which the axis ends; beyond it stands what is infinite


@dataclass(frozen=True)
class EpsilonAxis:
    """Epsilon from 0 to `top`, linear or logarithmic."""

    top: float
    log: bool

    def at(self, value: float | None) -> str | None:
        """The place of a value in percent of the width; None where there is no value."""
        if value is None or math.isnan(value):
            return None
        share = self._even(max(0.0, min(value, self.top))) / self._even(self.top)
        return f"{_END * share:.1f}%"

    def _even(self, value: float) -> float:
        if not self.log:
            return value
        return value / _LINEAR if value <= _LINEAR else 1 + 1.5 * math.log10(value / _LINEAR)

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Place and number of a few round values."""
        if self.log:
            values = [tick for tick in _TICKS if tick <= self.top]
            values = [tick for tick in values if len(values) <= 8 or math.log10(tick or 1.0) % 1 == 0]
        else:
            step = _round_step(self.top)
            values = [step * place for place in range(int(self.top / step * (1 + 1e-9)) + 1)]
        return [(str(self.at(value)), number(value)) for value in values]


def _round_step(top: float) -> float:
    """A round number of which about five make the axis."""
    power = 10.0 ** math.floor(math.log10(top / 5))
    return next(power * step for step in (1, 2, 2.5, 5, 10) if top / (power * step) <= 6)


@dataclass(frozen=True)
class Strip:
    """One audit: what is drawn, in percent of the width, and the same in words."""

    entry: Entry
    claimed: str | None
    exact: str | None
    certified: str | None
    blind: str | None
    infinite: bool
    refuted: bool

    @property
    def width_of_blind(self) -> str:
        """The width of the strip from the claim to the end of the blind spot, in percent."""
        start, end = (float(str(place).rstrip("%")) for place in (self.claimed, self.blind))
        return f"{max(0.0, end - start):.1f}%"

    @property
    def words(self) -> str:
        """The strip for those who do not see it."""
        entry = self.entry
        if entry.certified is None:
            return f"{line(entry.id, 80)}: {entry.outcome}, no number"
        parts = [f"claimed {number(entry.claimed)}"]
        parts += [f"exactly {number(entry.exact)}"] if entry.exact is not None else []
        parts += [f"certified at least {number(entry.certified)}"]
        parts += [f"blind below {number(entry.detectable)}"] if entry.detectable is not None else []
        return f"{line(entry.id, 80)}: {entry.outcome}, epsilon {', '.join(parts)}"


@dataclass(frozen=True)
class Answer:
    """All strips on one axis, and what they say together."""

    axis: EpsilonAxis
    strips: tuple[Strip, ...]
    summary: str

    @property
    def few(self) -> bool:
        """Whether there is room for thick strips."""
        return len(self.strips) <= _FEW

    @property
    def exact(self) -> bool:
        """Whether any exact value is known."""
        return any(strip.exact or strip.infinite for strip in self.strips)


def answer(entries: tuple[Entry, ...]) -> Answer | None:
    """The picture of these audits, refuted ones first; None where none has an epsilon."""
    drawn = [entry for entry in entries if _has_epsilon(entry)]
    if not drawn:
        return None
    shown = sorted((e for e in entries if _has_epsilon(e) or e.outcome == "error"), key=lambda e: not _refuted(e))
    axis = _axis(drawn)
    return Answer(axis, tuple(_strip(entry, axis) for entry in shown), _summary(drawn))


def _has_epsilon(entry: Entry) -> bool:
    return entry.certified is not None and entry.quantity == "epsilon"


def _refuted(entry: Entry) -> bool:
    return entry.outcome in ("refuted", "error")


def _axis(entries: list[Entry]) -> EpsilonAxis:
    def finite(name: str) -> list[float]:
        values = [getattr(entry, name) for entry in entries]
        return [value for value in values if value is not None and math.isfinite(value)]

    claims = [value for value in finite("claimed") if value > 0]
    most = max([*claims, *finite("certified"), *finite("exact"), 0.1])
    log = bool(claims) and (max(claims) / min(claims) > _WIDE or most > _WIDE * max(claims))
    top = max(1.1 * most, min(max(finite("detectable"), default=0.0), 2 * most))
    if log:
        return EpsilonAxis(next((tick for tick in _TICKS if tick >= top), 1000.0), True)
    step = _round_step(top)
    return EpsilonAxis(step * math.ceil(top / step - 1e-9), False)


def _strip(entry: Entry, axis: EpsilonAxis) -> Strip:
    open_end = entry.outcome == "not refuted" and entry.claimed is not None and entry.detectable is not None
    infinite = entry.exact is not None and entry.exact > axis.top
    return Strip(
        entry=entry,
        claimed=axis.at(entry.claimed),
        exact=None if infinite else axis.at(entry.exact),
        certified=axis.at(entry.certified) if entry.quantity == "epsilon" else None,
        blind=axis.at(entry.detectable) if open_end else None,
        infinite=infinite,
        refuted=entry.outcome == "refuted",
    )


def _summary(entries: list[Entry]) -> str:
    """The answer in a sentence."""
    refuted = sum(entry.outcome == "refuted" for entry in entries)
    if len(entries) == 1:
        return "No: the claim is refuted." if refuted else "Nothing contradicts the claim. That is no proof."
    if not refuted:
        return f"Nothing contradicts any of the {count(len(entries))} claims. That is no proof."
    if refuted == len(entries):
        return f"No: all {count(len(entries))} claims are refuted."
    return f"{count(refuted)} of {count(len(entries))} claims {'is' if refuted == 1 else 'are'} refuted."
