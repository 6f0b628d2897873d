"""Binned outputs of the two inputs: what both the distributions and their ratio are drawn from."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auditor.events.words import title
from auditor.results.atoms import guessed, shown
from auditor.results.result import AuditResult
from reports.pictures import style
from reports.pictures.fields import part, real, reals, rows, text, wrong
from reports.pictures.panel import Panel, Scale, limits, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = ("left", "right")
_SHADES = {"left": style.SHADE, "right": style.SHADE_RIGHT}
_MOST_ATOMS = 26
_PER_BIN = 40  # draws that a bin should have on average
_APART = 7.0  # points between two names beside each other under the axis
_SLANTED = 15.0  # points from one slanted name to the next


@dataclass(frozen=True)
class Atom:
    """A single value (⊥, a label, a number that repeats), its counts, and the side it makes one guess."""

    name: str
    left: float
    right: float
    side: str | None = None


@dataclass(frozen=True)
class Span:
    """A stretch of the axis on which the event guesses a side."""

    low: float
    high: float
    side: str


@dataclass(frozen=True)
class BinnedOutputs:
    """Counts between edges, counts of atoms, and where the event guesses each side."""

    edges: tuple[float, ...]
    left: tuple[float, ...]
    right: tuple[float, ...]
    atoms: tuple[Atom, ...]
    shade: tuple[Span, ...]
    event: str
    score: str

    def __post_init__(self) -> None:
        if any(b <= a for a, b in self.bins):
            raise wrong("edges must increase", self.edges)
        sizes = (len(self.bins), len(self.left), len(self.right))
        if len(set(sizes)) > 1:
            raise wrong("left and right must have one count for each bin", sizes)
        if not (self.left_total > 0 and self.right_total > 0):
            raise wrong("counts must not all be zero", (self.left_total, self.right_total))

    @classmethod
    def read(cls, data: Mapping[str, Any], kind: str) -> BinnedOutputs:
        """From stored data; an infinite first or last edge is drawn one bin wide."""
        spans = [rows(span, "shade", 3, 3) for span in rows(data.get("shade") or [], "shade")]
        whole = cls(
            edges=_finite(rows(part(data, "edges", kind), "edges")),
            left=reals(part(data, "left", kind), "left", low=0),
            right=reals(part(data, "right", kind), "right", low=0),
            atoms=_most_telling(tuple(_atom(atom) for atom in rows(data.get("atoms") or [], "atoms"))),
            shade=tuple(
                Span(_edge("-inf" if a is None else a), _edge("inf" if b is None else b), _side(side))
                for a, b, side in spans
            ),
            event=text(data.get("event") or "", "event", 200),
            score=text(data.get("score") or "output", "score", 48),
        )
        return whole.coarser()

    def coarser(self) -> BinnedOutputs:
        """Fewer bins where there are few draws, so that the eye does not read noise."""
        draws = sum(self.left) + sum(self.right)
        step = 1
        while step < 8 and len(self.left) % (2 * step) == 0 and draws * step < _PER_BIN * len(self.left):
            step *= 2
        if step == 1:
            return self
        left, right = (
            tuple(sum(counts[place : place + step]) for place in range(0, len(counts), step))
            for counts in (self.left, self.right)
        )
        return replace(self, edges=self.edges[::step], left=left, right=right)

    @property
    def bins(self) -> list[tuple[float, float]]:
        """The bins' two ends."""
        return list(zip(self.edges, self.edges[1:], strict=False))

    @property
    def left_total(self) -> float:
        """All counts on the left input."""
        return sum(self.left) + sum(atom.left for atom in self.atoms)

    @property
    def right_total(self) -> float:
        """All counts on the right input."""
        return sum(self.right) + sum(atom.right for atom in self.atoms)

    @property
    def spans(self) -> list[Span]:
        """The shaded stretches, cut to what is drawn, neighbours joined."""
        if not self.edges:
            return []
        joined: list[Span] = []
        for span in self.shade:
            span = Span(max(span.low, self.edges[0]), min(span.high, self.edges[-1]), span.side)
            if joined and (joined[-1].high, joined[-1].side) == (span.low, span.side):
                joined[-1] = Span(joined[-1].low, span.high, span.side)
            elif span.low < span.high:
                joined.append(span)
        return joined

    def shaded(self) -> float:
        """The share of draws that fall into the event, on the input where it is more likely."""
        inside = [any(s.low <= (a + b) / 2 < s.high for s in self.spans) for a, b in self.bins]
        left = sum(n for n, kept in zip(self.left, inside, strict=True) if kept)
        right = sum(n for n, kept in zip(self.right, inside, strict=True) if kept)
        left += sum(atom.left for atom in self.atoms if atom.side)
        right += sum(atom.right for atom in self.atoms if atom.side)
        return max(left / self.left_total, right / self.right_total)


def binned_data(result: AuditResult) -> dict[str, Any] | None:
    """An audit's binned outputs as picture data, with its event in words; None where it kept none."""
    binned, witness = result.sketch, result.witness
    if not binned.get("edges") and not binned.get("atoms"):
        return None
    sides = SIDES if witness.direction == "both" else (witness.direction,)
    event = "; ".join(f"guess {side} when {witness.event.words(side, witness.names)}" for side in sides)
    kept = {name: binned.get(name) or [] for name in ("edges", "left", "right", "shade")}
    found = [rows(atom, "atoms", 3, 4) for atom in rows(binned.get("atoms") or [], "atoms")]
    names = [text(atom[0], "atoms") for atom in found]
    atoms = [[shown(name, result), *atom[1:3], _guess(name, result)] for name, atom in zip(names, found, strict=True)]
    return {**kept, "atoms": atoms, "score": _axis(binned.get("score"), witness.names), "event": event}


def _axis(score: Any, names: tuple[str, ...]) -> str:
    """What the axis shows, in words."""
    if not isinstance(score, str) or score in ("score", "output", ""):
        return "what earlier draws say: left above 0" if score == "score" else "output"
    return title(score, names)


def _guess(name: str, result: AuditResult) -> str | None:
    """The side that the event guesses on an atom."""
    try:
        side = guessed(name, result)
    except (TypeError, ValueError) as error:
        raise wrong("shade must be a list of [from, to, side]", result.sketch.get("shade")) from error
    return None if side is None else _side(side)


def panels(figure: Figure, binned: BinnedOutputs, bins_y: Scale, atoms_y: Scale) -> tuple[Panel | None, Panel | None]:
    """A panel for the bins and one for the atoms, side by side where there are both, the event shaded in each."""
    width = figure.get_figwidth() * 72
    wide = min(36 + 26 * len(binned.atoms), width * 0.45) if binned.edges else width - 60
    bins = atoms = None
    named = _named(binned.atoms, "" if binned.edges else binned.score, wide - 6)
    low = 66 if named.slanted else 42  # room for slanted names
    if binned.edges:
        x = Scale(*limits(binned.edges, 0), binned.score, most=4 if binned.atoms else 5)
        bins = Panel(figure, x, bins_y, right=wide + 48 if binned.atoms else 18, bottom=low)
        for span in binned.spans:
            bins.band(span.low, span.high, _SHADES[span.side])
    if binned.atoms:
        atoms = Panel(figure, named, atoms_y, left=width - wide - 4, right=10, bottom=low)
        for place, atom in enumerate(binned.atoms):
            if atom.side:
                atoms.band(place - 0.5, place + 0.5, _SHADES[atom.side])
    return bins, atoms


def _named(atoms: tuple[Atom, ...], title: str, wide: float) -> Scale:
    """Names under an axis `wide` points wide: level where all fit, every few numbers, or slanted labels."""
    names = [atom.name for atom in atoms]
    each = wide / max(1, len(names))
    needed = max(map(text_width, names), default=0.0) + _APART
    slanted = needed > each and not all(map(_in_order, names))
    step = max(1, math.ceil((_SLANTED if slanted else needed) / each))
    marks = tuple((float(place), name) for place, name in enumerate(names) if (len(names) - 1 - place) % step == 0)
    return Scale(-0.6, len(names) - 0.4, title, ticks=marks, slanted=slanted, grid=False)


def _in_order(name: str) -> bool:
    """Whether a name is a number, of which a few tell the others."""
    return re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?|2\^-?\d+", name) is not None


def _edge(value: Any) -> float:
    return float(value) if value in ("inf", "-inf") else real(value, "edges and shade")


def _finite(values: Any) -> tuple[float, ...]:
    edges = [_edge(value) for value in values]
    if len(edges) > 3 and edges[0] == -math.inf:
        edges[0] = 2 * edges[1] - edges[2]
    if len(edges) > 3 and edges[-1] == math.inf:
        edges[-1] = 2 * edges[-2] - edges[-3]
    if not all(map(math.isfinite, edges)):
        raise wrong("edges must be finite between the first and the last", values)
    return tuple(edges)


def _side(value: Any) -> str:
    if value not in SIDES:
        raise wrong("shade must name a side, left or right", value)
    return str(value)


def _atom(value: Any) -> Atom:
    values = rows(value, "atoms", 3, 4)
    side = _side(values[3]) if len(values) == 4 and values[3] is not None else None
    return Atom(text(values[0], "atoms", 14), real(values[1], "atoms", 0), real(values[2], "atoms", 0), side)


def _most_telling(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """The atoms that differ most; the others together."""
    if len(atoms) <= _MOST_ATOMS:
        return atoms
    order = sorted(range(len(atoms)), key=lambda place: -abs(atoms[place].left - atoms[place].right))
    kept = sorted(order[: _MOST_ATOMS - 1])
    rest = [atoms[place] for place in order[_MOST_ATOMS - 1 :]]
    other = Atom("others", sum(atom.left for atom in rest), sum(atom.right for atom in rest))
    return (*(atoms[place] for place in kept), other)
