"""An output as a tree of leaves, and the tree as columns of numbers by path.

The pilot's outputs fix the tree: which keys, elements, types and lengths there are, and what is looked at in each leaf.
Then each output fills its row on its own. What the pilot did not see has a place too: the output's label says which
key, type or text is another one. Nothing but the output and the tree decides what is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditor.events.arrays import EXACT
from auditor.events.kinds import MISSING, UnreadableError, itself, kind_of, private_names
from auditor.events.names import labels_of_series
from auditor.events.objects import TIME_PARTS, zone_of
from auditor.events.texts import MOST_PLACES, text_eyes
from auditor.events.trees.containers import Mappings, NumberList, Sequences, Sets, TreeNode, entries_of, in_order
from auditor.events.trees.layout import DEPTH, MOST_BLOCKS, Floats, Layout, Page, PartReader, coded, named
from auditor.events.trees.leaves import Decimals, Numbers, Texts, Times, exact_names
from auditor.events.trees.picked import picks

USUAL = "as usual"  # the label of an output that holds nothing beside the numbers and texts of its columns
_MOST_NUMBERS = 4096  # most numbers of a list that have a column each
_MOST_CHILDREN = 1024  # most elements or keys with a tree of their own
_MOST_ELEMENTS = 64  # most elements of a set that have a column each
_FEW_TEXTS = 16  # so many texts or fewer are told apart by name
_PAST_LUCK = 16  # a key in one of so many of the pilot's outputs is looked for where most keys come only once
_FEW_SHAPES = 16  # for so few shapes a label tells all that varies beside numbers, not only what is new


@dataclass(frozen=True, eq=False)
class Tree:
    """How one mechanism's outputs are read."""

    root: TreeNode
    spots: tuple[int, ...]
    numbers: tuple[str, ...]  # names of the columns of numbers, which come first
    others: tuple[str, ...]  # names of the other columns
    floating: bool
    telling: bool
    unread: tuple[str, ...] = ()  # what could not be taken apart
    repeated: int | None = None  # the block that counts texts which stand in an output more than once

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.numbers) + len(self.others)

    def read(self, items: list[Any]) -> tuple[Floats, list[str]]:
        """The rows and the labels of some outputs."""
        page = Page(np.full((len(items), self.width), np.nan), self.spots, self.telling)
        page.texts = None if self.repeated is None else [[] for _ in items]
        self.root.read(page, np.arange(len(items)), items)
        if self.repeated is not None:
            page.put(self.repeated, np.arange(len(items)), [len(held) - len(set(held)) for held in page.texts or ()])
        labels = [USUAL] * len(items)
        for row, texts in page.said.items():
            labels[row] = "; ".join(texts)
        return page.matrix, labels


def grow(samples: list[Any]) -> Tree:
    """The tree for outputs like these."""
    layout = Layout()
    root = _node(layout, "", samples, 0)
    if not layout.blocks:
        layout.add(["nothing"])
    repeated = layout.add(["repeated texts"]) if layout.texts > 1 else None
    labels = labels_of_series(samples)
    names = [labels.get(name, name) for name in layout.names(True)], layout.names(False)
    floating = any(isinstance(item, (float, np.floating)) for item in leaves(samples, 0))
    unread = tuple(dict.fromkeys(layout.unread + layout.private))
    tree = Tree(root, layout.spots(), tuple(names[0]), tuple(names[1]), floating, True, unread, repeated)
    shapes = set(tree.read(samples)[1])
    return tree if len(shapes) <= _FEW_SHAPES else replace(tree, telling=False)


def leaves(items: Iterable[Any], depth: int) -> Iterable[Any]:
    """The parts of the outputs that are no containers."""
    for item in items:
        kind, take = kind_of(type(item))
        if kind in ("sequence", "mapping", "set", "object") and depth < DEPTH:
            try:
                held = take(item)
            except UnreadableError:
                continue
            yield from leaves(held.values() if isinstance(held, Mapping) else held, depth + 1)
        else:
            yield item


def _node(layout: Layout, path: str, samples: list[Any], depth: int) -> TreeNode:
    seen = Counter(type(item).__name__ for item in samples)
    types = tuple(sorted(seen, key=lambda name: (-seen[name], name)))
    groups: dict[str, list[Any]] = {}
    for item in samples:
        kind, take = kind_of(type(item))
        if (depth >= DEPTH or len(layout.blocks) > MOST_BLOCKS) and kind in ("sequence", "mapping", "set", "object"):
            layout.unread.append(f"what is in {named(path)}")
            continue
        layout.private += [f"{named(path)}.{name}" for name in private_names(item)]
        try:
            groups.setdefault(kind, []).append(take(item))
        except UnreadableError:
            if not layout.inside:
                raise
            layout.unread.append(named(path))
    block = layout.add([coded(f"type of {named(path)}", _types_shown(types, samples))]) if len(types) > 1 else None
    parts = {kind: _GROW[kind](layout, path, held, depth) for kind, held in groups.items() if kind in _GROW}
    if len(types) > 1 and isinstance(texts := parts.get("text"), Texts):
        parts["text"] = replace(texts, among_others=True)
    return TreeNode(path, types, block, parts, layout.inside > 0)


def _types_shown(types: Sequence[str], samples: list[Any]) -> list[str]:
    """What types are called in a column's name; a text that is always the same stands for its type."""
    texts = {item for item in samples if isinstance(item, str)}
    shown = {"Missing": "not there", **({"str": repr(*texts)} if len(texts) == 1 else {})}
    return [shown.get(name, name) for name in types]


def _numbers(layout: Layout, path: str, held: list[Any], depth: int) -> PartReader:
    block = layout.add([named(path)], value=True)
    largest = max((abs(int(item)) for item in held if isinstance(item, (int, np.integer))), default=0)
    if largest <= EXACT:
        return Numbers(block, None)
    digits = largest.bit_length()
    return Numbers(block, layout.add(exact_names(named(path), digits)), digits)


def _texts(layout: Layout, path: str, held: list[str], depth: int) -> Texts:
    counted = Counter(held)
    if len(counted) <= min(_FEW_TEXTS, max(2, len(held) // 2)):
        few = tuple(sorted(counted, key=lambda text: (-counted[text], text)))
        return Texts(layout.add([coded(f"text of {named(path)}", [repr(text) for text in few])]), few, None)
    layout.texts += 1
    eyes = text_eyes(held)
    if max(map(len, held)) > MOST_PLACES:
        layout.unread.append(f"{named(path)} from its character {MOST_PLACES} on")
    return Texts(layout.add([f"{name} of {named(path)}" for name in eyes.names]), (), eyes)


def _times(layout: Layout, path: str, held: list[Any], depth: int) -> PartReader:
    block = layout.add([named(path)], value=True)
    parts = layout.add([f"{name} of {named(path)}" for name in TIME_PARTS])
    zones = [zone_of(item) for item in held]
    return Times(block, parts, _texts(layout, f"{path}.zone", zones, depth) if any(zones) else None)


def _decimals(layout: Layout, path: str, held: list[Any], depth: int) -> PartReader:
    return Decimals(layout.add([named(path)], value=True), _texts(layout, path, [str(item) for item in held], depth))


def _sequences(layout: Layout, path: str, held: list[Sequence[Any]], depth: int) -> PartReader:
    lengths = sorted(map(len, held))
    types = Counter(type(element) for item in held for element in item)
    kinds = {kind_of(cls)[0] for cls in types}
    length = layout.add([f"length of {named(path)}"])
    plain = kinds <= {"number", "nothing"} and "number" in kinds and all(kind_of(cls)[1] is itself for cls in types)
    if plain and not any(isinstance(e, int) and abs(e) > EXACT for item in held for e in item):
        width = min(_MOST_NUMBERS, lengths[-1] * (1 if lengths[0] == lengths[-1] else 2))
        if lengths[-1] > _MOST_NUMBERS:
            layout.unread.append(f"{named(path)} from its element {_MOST_NUMBERS} on")
        block = layout.add([named(f"{path}[{place}]") for place in range(width)], value=True)
        names = tuple(sorted({cls.__name__ for cls in types}, key=lambda n: (-_count(types, n), n)))
        columns = [coded(f"type of {named(f'{path}[{place}]')}", names) for place in range(width)]
        return NumberList(block, width, length, names, layout.add(columns) if len(names) > 1 else None)
    children = tuple(
        _node(layout, f"{path}[{k}]", [item[k] if k < len(item) else MISSING for item in held], depth + 1)
        for k in range(min(_MOST_CHILDREN, lengths[-1]))
    )
    picked = tuple(
        (pick, _node(layout, f"{path}[{pick}]", list(map(pick.of, held)), depth + 1)) for pick in picks(held)
    )
    return Sequences(length, children, picked)


def _count(types: Counter[type], name: str) -> int:
    return sum(n for cls, n in types.items() if cls.__name__ == name)


def _objects(layout: Layout, path: str, held: list[Mapping[Any, Any]], depth: int) -> PartReader:
    layout.inside += 1
    grown = _mappings(layout, path, held, depth)
    layout.inside -= 1
    return grown


def _mappings(layout: Layout, path: str, held: list[Mapping[Any, Any]], depth: int) -> PartReader:
    counted = Counter(key for item in held for key in item)
    first = {key: place for place, key in enumerate(dict.fromkeys(key for item in held for key in item))}
    fleeting = len(held) >= _PAST_LUCK and sum(n == 1 for n in counted.values()) > len(counted) / 2
    often = [key for key in counted if not fleeting or counted[key] * _PAST_LUCK >= len(held)]
    keys = sorted(often, key=lambda key: (-counted[key], first[key], repr(key)))[:_MOST_CHILDREN]
    keys.sort(key=lambda key: first[key])
    children = tuple(
        (repr(key), key, _node(layout, f"{path}.{key!s:.30}", [i.get(key, MISSING) for i in held], depth + 1))
        for key in keys
    )
    orders = Counter(tuple(repr(key) for key in item) for item in held)
    others = layout.add([f"other keys of {named(path)}"])
    if fleeting:
        entries = _sequences(layout, f"{path}.items", [entries_of(item, keys) for item in held], depth)
        return Mappings(others, None, None, (), children, entries)
    ranked = sorted(orders, key=lambda order: (-orders[order], order))[:_MOST_ELEMENTS]
    spelled = [" ".join(order) for order in ranked]
    several = layout.add([coded(f"keys of {named(path)}", spelled)]) if len(orders) > 1 else None
    many = len(orders) > _FEW_SHAPES and len(keys) <= _MOST_ELEMENTS
    places = layout.add([f"place of {key!s:.30} in {named(path)}" for key in keys]) if many else None
    return Mappings(others, several, places, tuple(ranked), children)


def _sets(layout: Layout, path: str, held: list[Any], depth: int) -> PartReader:
    counted = Counter(element for item in held for element in item)
    ranked = sorted(counted, key=lambda element: (-counted[element], repr(element)))
    often = tuple(element for element in ranked if counted[element] > 1 or len(held) == 1)[:_MOST_ELEMENTS]
    has = layout.add([f"{element!r:.30} in {named(path)}" for element in often])
    size = layout.add([f"size of {named(path)}", f"other elements of {named(path)}"])
    ordered = _sequences(layout, path, [in_order(item) for item in held], depth) if depth < DEPTH and counted else None
    return Sets(has, size, often, len(often) == len(counted), ordered)


_GROW: dict[str, Any] = {
    "number": _numbers,
    "text": _texts,
    "time": _times,
    "decimal": _decimals,
    "sequence": _sequences,
    "mapping": _mappings,
    "object": _objects,
    "set": _sets,
}
