"""Parts of a formula and their markup in MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

ATOMS = ("atom", "function")
_LONG = 30  # a formula of more characters may be wider than a phone
_THIN = '<mspace width=".17em"/>'


class NotAFormulaError(Exception):
    """The tokens do not read as a formula."""


@dataclass(frozen=True)
class Node:
    """A part of a formula.

    `strong`: it alone makes the text around it a formula. `bare`: its markup without parentheses, for fractions and
    roots, which group by themselves. `kind`: atom, function (which wants an argument), sign, relation, comma or slash.
    """

    markup: str
    strong: bool = False
    bare: str | None = None
    kind: str = "atom"
    spaced: bool = False


def math(nodes: list[Node]) -> str:
    """The <math> element; one that may be wider than a phone says so."""
    inside = row(fractions(nodes))
    long = len(re.sub(r"<[^>]*>", "", inside)) > _LONG
    return f'<math class="long">{inside}</math>' if long else f"<math>{inside}</math>"


def row(nodes: list[Node]) -> str:
    """The nodes side by side, with a thin space where a product has one."""
    parts = [node.markup for node in nodes[:1]]
    for before, node in pairwise(nodes):
        product = before.kind == "atom" and node.kind in ATOMS and node.spaced
        parts += [_THIN, node.markup] if product else [node.markup]
    return "".join(parts)


def fractions(nodes: list[Node]) -> list[Node]:
    """a/b stacked: what is written together stands together; with spaces around / the whole product stands above."""
    found: list[Node] = []
    place = 0
    while place < len(nodes):
        node = nodes[place]
        place += 1
        if node.kind != "slash":
            found.append(node)
            continue
        above: list[Node] = []
        while found and found[-1].kind in ATOMS and (not above or node.spaced or not above[0].spaced):
            above.insert(0, found.pop())
        below = _below(nodes[place:])
        place += len(below)
        if not above or not below:
            raise NotAFormulaError
        found.append(Node(f"<mfrac>{_one(above)}{_one(below)}</mfrac>", True, spaced=above[0].spaced))
    return found


def _below(nodes: list[Node]) -> list[Node]:
    """The first atoms without a space between them; 1/(2n)(…) divides by 2n alone."""
    below: list[Node] = []
    for node in nodes:
        if node.kind not in ATOMS or (below and (node.spaced or below[-1].bare or node.bare)):
            break
        below.append(node)
    return below


def _one(nodes: list[Node]) -> str:
    """One element, as a fraction needs it."""
    return nodes[0].bare if len(nodes) == 1 and nodes[0].bare else f"<mrow>{row(nodes)}</mrow>"
