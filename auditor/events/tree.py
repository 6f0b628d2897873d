"""An output as a tree of leaves, and the tree as columns of numbers by path.

The pilot's outputs fix the tree: which keys, elements, types and lengths there are, and what is looked at in each leaf.
Then each output fills its row on its own. What the pilot did not see has a place too: the output's label says which
key, type or text is another one. Nothing but the output and the tree decides what is written.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.events.arrays import EXACT
from auditor.events.kinds import MISSING, UnreadableError, itself, kind_of
from auditor.events.objects import number, time_parts
from auditor.events.texts import TextEyes, text_eyes

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

USUAL = "as usual"  # the label of an output in which nothing is beside the numbers and texts of its columns
DEPTH = 10  # containers in containers
_MOST_NUMBERS = 4096  # of a list of numbers that have a column each
_MOST_CHILDREN = 1024  # elements or keys with a tree of their own
_MOST_ELEMENTS = 64  # of a set that have a column each
_FEW_TEXTS = 16  # that are told apart by name
_FEW_SHAPES = 16  # up to which an output's label says all that varies beside numbers, and not the unseen alone
_MODULUS = 10**7 * 3**2 * 7 * 11 * 13 * 17 * 19  # any residue modulo up to 20, and seven decimal digits; below 2^53
_LOW_BITS = 2**48
_MOST_BLOCKS = 20_000  # groups of columns: what is deeper then is not taken apart


@dataclass
class Layout:
    """The columns of a tree while it grows: those of numbers come first, those about their form after them."""

    blocks: list[tuple[list[str], bool]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    inside: int = 0  # of so many objects: what cannot be read in an object's attributes is left out

    def add(self, names: list[str], value: bool = False) -> int:
        """Room for some columns; returns the block's number."""
        self.blocks.append((names, value))
        return len(self.blocks) - 1

    def spots(self) -> tuple[int, ...]:
        """The first column of each block."""
        starts, at = [0] * len(self.blocks), 0
        for wanted in (True, False):
            for index, (names, value) in enumerate(self.blocks):
                if value is wanted:
                    starts[index] = at
                    at += len(names)
        return tuple(starts)

    def names(self, value: bool) -> list[str]:
        """The names of the columns of numbers, or of the others."""
        return [" ".join(name.split()) for names, own in self.blocks if own is value for name in names]


@dataclass
class Page:
    """The rows that some outputs fill, and what is said of each beside its numbers."""

    matrix: Floats
    spots: tuple[int, ...]
    telling: bool
    said: dict[int, list[str]] = field(default_factory=dict)

    def put(self, block: int, rows: Places, values: Any, place: int = 0) -> None:
        """Writes a column. Rows come in their order, so as many as there are means all of them."""
        if len(rows) == len(self.matrix):
            self.matrix[:, self.spots[block] + place] = values
        else:
            self.matrix[rows, self.spots[block] + place] = values

    def put_all(self, block: int, rows: Places, values: Floats) -> None:
        """Writes several columns."""
        start = self.spots[block]
        self.matrix[rows, start : start + values.shape[1]] = values

    def say(self, row: int, text: str) -> None:
        """Adds to a row's label."""
        self.said.setdefault(row, []).append(text)


def named(path: str) -> str:
    """What a place of the tree is called: the way to it, from the output, which is x."""
    return path[1:] if path.startswith(".") else f"x{path}"


class Part:
    """How one kind of object is read at a place of the tree."""

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """Writes what is in the items to their rows."""


@dataclass(frozen=True)
class Node:
    """A place of the tree: the types that the pilot saw there, the commonest first, and how each kind is read."""

    path: str
    types: tuple[str, ...]
    block: int | None  # the column of the type, where it varies
    parts: dict[str, Part]
    lenient: bool  # what cannot be read here is left out

    def read(self, page: Page, rows: Places, items: Sequence[Any]) -> None:
        """Writes what is in the items to their rows."""
        classes = list(map(type, items))
        if items and classes.count(classes[0]) == len(items):
            self._read(page, rows, items, classes[0])
            return
        groups: dict[type, list[int]] = {}
        for index, cls in enumerate(classes):
            groups.setdefault(cls, []).append(index)
        for cls, indices in groups.items():
            self._read(page, rows[indices], [items[index] for index in indices], cls)

    def _read(self, page: Page, rows: Places, items: Sequence[Any], cls: type) -> None:
        name = cls.__name__
        code = self.types.index(name) if name in self.types else len(self.types)
        if self.block is not None:
            page.put(self.block, rows, code)
        if code == len(self.types) or (code and page.telling):
            for row in rows.tolist():
                page.say(row, f"{named(self.path)} is {'missing' if name == 'Missing' else name}")
        kind, take = kind_of(cls)
        part = self.parts.get(kind)
        if part is None and kind != "object":
            return
        try:
            held = items if take is itself else list(map(take, items))
        except UnreadableError:
            if self.lenient:
                return
            raise
        if part is not None:
            part.read(page, rows, held, self.path)


@dataclass(frozen=True)
class Numbers(Part):
    """A number; where whole ones fit no double, also its low bits and a residue."""

    block: int
    exact: int | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        page.put(self.block, rows, doubles(items))
        if self.exact is not None:
            whole = [int(item) if isinstance(item, (int, np.integer)) else None for item in items]
            for place, modulus in enumerate((_LOW_BITS, _MODULUS)):
                page.put(self.exact, rows, [np.nan if item is None else item % modulus for item in whole], place)


def doubles(items: Sequence[Any]) -> Any:
    """Each item as a double; NaN where it is no number."""
    try:
        return array("d", items)
    except (TypeError, ValueError, OverflowError):
        return [number(item) for item in items]


@dataclass(frozen=True)
class Texts(Part):
    """A text out of a few, as its place among them, or one of many, through its eyes."""

    block: int
    few: tuple[str, ...]
    eyes: TextEyes | None
    among_others: bool = False  # there are not only texts here, so that the commonest is worth a word, too

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        if self.eyes is not None:
            page.put_all(self.block, rows, self.eyes.read(items))
            return
        codes = {text: code for code, text in enumerate(self.few)}
        found = [codes.get(text, len(self.few)) for text in items]
        page.put(self.block, rows, found)
        for row, code, text in zip(rows.tolist(), found, items, strict=True):
            if code == len(self.few) or ((code or self.among_others) and page.telling):
                page.say(row, f"{named(path)} = {text!r:.60}")


@dataclass(frozen=True)
class Times(Part):
    """A time: seconds, and its parts."""

    block: int
    parts: int

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        page.put(self.block, rows, [number(item) for item in items])
        page.put_all(self.parts, rows, np.array([time_parts(item) for item in items], dtype=np.float64))


@dataclass(frozen=True)
class Decimals(Part):
    """A decimal: its value, and its digits as a text."""

    block: int
    digits: Texts

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        page.put(self.block, rows, [number(item) for item in items])
        self.digits.read(page, rows, [str(item) for item in items], path)


@dataclass(frozen=True)
class NumberList(Part):
    """A list of numbers: each has its column, and the length one; types too where they vary."""

    block: int
    width: int
    length: int
    types: tuple[str, ...]
    kinds: int | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        lengths = list(map(len, items))
        page.put(self.length, rows, lengths)
        alike = lengths.count(self.width) == len(lengths)
        if not alike:
            items = [item[: self.width] for item in items]
        flat = list(chain.from_iterable(items))
        classes = list(map(type, flat))
        if alike:
            page.put_all(self.block, rows, np.asarray(doubles(flat)).reshape(len(items), self.width))
        else:
            padded = [[*item, *[np.nan] * (self.width - len(item))] for item in items]
            numbers = np.asarray(doubles(list(chain.from_iterable(padded))))
            page.put_all(self.block, rows, numbers.reshape(len(items), self.width))
        one = bool(classes) and classes.count(classes[0]) == len(classes) and classes[0].__name__ in self.types
        if classes and not (one and self.kinds is None):
            self._types(page, rows, np.minimum(lengths, self.width), classes, path)

    def _types(self, page: Page, rows: Places, lengths: Places, classes: list[type], path: str) -> None:
        codes = {name: code for code, name in enumerate(self.types)}
        row = np.repeat(np.arange(len(lengths)), lengths)
        place = np.arange(len(classes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        found = np.array([codes.get(cls.__name__, len(self.types)) for cls in classes])
        if self.kinds is not None:
            page.matrix[rows[row], page.spots[self.kinds] + place] = found
        for index in np.flatnonzero(found == len(self.types)).tolist():
            page.say(int(rows[row[index]]), f"{named(f'{path}[{place[index]}]')} is {classes[index].__name__}")


@dataclass(frozen=True)
class Sequences(Part):
    """A list of anything: its length, and a tree for each element."""

    length: int
    children: tuple[Node, ...]

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        page.put(self.length, rows, list(map(len, items)))
        for place, child in enumerate(self.children):
            child.read(page, rows, [item[place] if place < len(item) else MISSING for item in items])


@dataclass(frozen=True)
class Mappings(Part):
    """Keys, each with a tree; how many others there are; in which order they come."""

    others: int
    order: int | None
    orders: tuple[tuple[str, ...], ...]
    children: tuple[tuple[str, Any, Node], ...]  # a key's text, the key, its tree

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        if not items:
            return
        keys = {key: key for _, key, _ in self.children}
        found = list(map(tuple, items))
        if len(keys) > 1 and found.count(found[0]) == len(found) and keys.keys() <= set(found[0]):
            columns = zip(*map(itemgetter(*keys), items), strict=True)
            for (_, _, child), column in zip(self.children, columns, strict=True):
                child.read(page, rows, column)
        else:
            for _, key, child in self.children:
                child.read(page, rows, [item.get(key, MISSING) for item in items])
        shapes: dict[Any, list[int]] = {}
        if found.count(found[0]) == len(found):
            shapes[found[0]] = rows.tolist()
        else:
            for row, shape in zip(rows.tolist(), found, strict=True):
                shapes.setdefault(shape, []).append(row)
        for shape, own in shapes.items():
            unseen = [repr(key) for key in shape if key not in keys]
            spelled = tuple(repr(key) for key in shape)
            code = self.orders.index(spelled) if spelled in self.orders else len(self.orders)
            page.put(self.others, np.array(own), len(unseen))
            if self.order is not None:
                page.put(self.order, np.array(own), code)
            text = f"{named(path)} has another key {', '.join(sorted(unseen)[:3]):.60}" if unseen else ""
            if not text and code == len(self.orders) and self.order is None:
                text = f"the keys of {named(path)} are {', '.join(spelled):.80}"
            if text:
                for row in own:
                    page.say(row, text)


@dataclass(frozen=True)
class Sets(Part):
    """A set: the elements that the pilot saw often, how many others, and the elements in order."""

    has: int
    size: int
    elements: tuple[Any, ...]
    closed: bool  # all that the pilot saw have a column, so that another one is worth a word
    ordered: Part | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See Part."""
        known = set(self.elements)
        counts = np.array([[len(item), sum(element not in known for element in item)] for item in items])
        page.put_all(self.size, rows, counts.astype(np.float64))
        if self.elements:
            page.put_all(
                self.has, rows, np.array([[float(element in item) for element in self.elements] for item in items])
            )
        if self.closed:
            for row, item, others in zip(rows.tolist(), items, counts[:, 1].tolist(), strict=True):
                if others:
                    unseen = sorted(repr(element) for element in item if element not in known)
                    page.say(row, f"{named(path)} has another element {', '.join(unseen[:3]):.60}")
        if self.ordered is not None:
            self.ordered.read(page, rows, [in_order(item) for item in items], path)


def in_order(elements: Iterable[Any]) -> list[Any]:
    """Elements in an order that they alone decide."""
    return sorted(elements, key=lambda one: (number(one) if _real(one) else np.inf, repr(one)))


def _real(element: Any) -> bool:
    return kind_of(type(element))[0] == "number" and number(element) == number(element)


@dataclass(frozen=True, eq=False)
class Tree:
    """How one mechanism's outputs are read."""

    root: Node
    spots: tuple[int, ...]
    numbers: tuple[str, ...]  # names of the columns of numbers, which come first
    others: tuple[str, ...]  # of the others
    floating: bool
    telling: bool
    unread: tuple[str, ...] = ()  # what could not be taken apart

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.numbers) + len(self.others)

    def read(self, items: list[Any]) -> tuple[Floats, list[str]]:
        """The rows and the labels of some outputs."""
        page = Page(np.full((len(items), self.width), np.nan), self.spots, self.telling)
        self.root.read(page, np.arange(len(items)), items)
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
    names = layout.names(True), layout.names(False)
    floating = any(isinstance(item, (float, np.floating)) for item in leaves(samples, 0))
    unread = tuple(dict.fromkeys(layout.unread))
    tree = Tree(root, layout.spots(), tuple(names[0]), tuple(names[1]), floating, True, unread)
    shapes = set(tree.read(samples)[1])
    return tree if len(shapes) <= _FEW_SHAPES else replace(tree, telling=False)


def leaves(items: Iterable[Any], depth: int) -> Iterable[Any]:
    """What containers hold at last."""
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


def _node(layout: Layout, path: str, samples: list[Any], depth: int) -> Node:
    seen = Counter(type(item).__name__ for item in samples)
    types = tuple(sorted(seen, key=lambda name: (-seen[name], name)))
    groups: dict[str, list[Any]] = {}
    for item in samples:
        kind, take = kind_of(type(item))
        if (depth >= DEPTH or len(layout.blocks) > _MOST_BLOCKS) and kind in ("sequence", "mapping", "set", "object"):
            layout.unread.append(f"what is in {named(path)}")
            continue
        try:
            groups.setdefault(kind, []).append(take(item))
        except UnreadableError:
            if not layout.inside:
                raise
            layout.unread.append(named(path))
    block = layout.add([f"type of {named(path)}"]) if len(types) > 1 else None
    parts = {kind: _GROW[kind](layout, path, held, depth) for kind, held in groups.items() if kind in _GROW}
    if len(types) > 1 and isinstance(texts := parts.get("text"), Texts):
        parts["text"] = replace(texts, among_others=True)
    return Node(path, types, block, parts, layout.inside > 0)


def _numbers(layout: Layout, path: str, held: list[Any], depth: int) -> Part:
    large = any(isinstance(item, (int, np.integer)) and abs(int(item)) > EXACT for item in held)
    block = layout.add([named(path)], value=True)
    return Numbers(block, layout.add([f"low bits of {named(path)}", f"residue of {named(path)}"]) if large else None)


def _texts(layout: Layout, path: str, held: list[str], depth: int) -> Texts:
    counted = Counter(held)
    if len(counted) <= min(_FEW_TEXTS, max(2, len(held) // 2)):
        few = tuple(sorted(counted, key=lambda text: (-counted[text], text)))
        return Texts(layout.add([f"text of {named(path)}"]), few, None)
    eyes = text_eyes(held)
    return Texts(layout.add([f"{name} of {named(path)}" for name in eyes.names]), (), eyes)


def _times(layout: Layout, path: str, held: list[Any], depth: int) -> Part:
    names = ("year", "month", "day", "weekday", "hour", "minute", "second", "microsecond", "nanosecond", "offset")
    return Times(layout.add([named(path)], value=True), layout.add([f"{name} of {named(path)}" for name in names]))


def _decimals(layout: Layout, path: str, held: list[Any], depth: int) -> Part:
    return Decimals(layout.add([named(path)], value=True), _texts(layout, path, [str(item) for item in held], depth))


def _sequences(layout: Layout, path: str, held: list[Sequence[Any]], depth: int) -> Part:
    lengths = sorted(map(len, held))
    types = Counter(type(element) for item in held for element in item)
    kinds = {kind_of(cls)[0] for cls in types}
    length = layout.add([f"length of {named(path)}"])
    plain = kinds <= {"number", "nothing"} and "number" in kinds
    if plain and not any(isinstance(e, int) and abs(e) > EXACT for item in held for e in item):
        width = min(_MOST_NUMBERS, lengths[-1] * (1 if lengths[0] == lengths[-1] else 2))
        if lengths[-1] > _MOST_NUMBERS:
            layout.unread.append(f"{named(path)} from its element {_MOST_NUMBERS} on")
        block = layout.add([named(f"{path}[{place}]") for place in range(width)], value=True)
        names = tuple(sorted({cls.__name__ for cls in types}, key=lambda n: (-_count(types, n), n)))
        columns = [f"type of {named(f'{path}[{place}]')}" for place in range(width)]
        return NumberList(block, width, length, names, layout.add(columns) if len(names) > 1 else None)
    children = tuple(
        _node(layout, f"{path}[{k}]", [item[k] if k < len(item) else MISSING for item in held], depth + 1)
        for k in range(min(_MOST_CHILDREN, lengths[-1]))
    )
    return Sequences(length, children)


def _count(types: Counter[type], name: str) -> int:
    return sum(n for cls, n in types.items() if cls.__name__ == name)


def _objects(layout: Layout, path: str, held: list[Mapping[Any, Any]], depth: int) -> Part:
    layout.inside += 1
    grown = _mappings(layout, path, held, depth)
    layout.inside -= 1
    return grown


def _mappings(layout: Layout, path: str, held: list[Mapping[Any, Any]], depth: int) -> Part:
    counted = Counter(key for item in held for key in item)
    first = {key: place for place, key in enumerate(dict.fromkeys(key for item in held for key in item))}
    keys = sorted(counted, key=lambda key: (-counted[key], first[key], repr(key)))[:_MOST_CHILDREN]
    keys.sort(key=lambda key: first[key])
    children = tuple(
        (repr(key), key, _node(layout, f"{path}.{key!s:.30}", [i.get(key, MISSING) for i in held], depth + 1))
        for key in keys
    )
    orders = Counter(tuple(repr(key) for key in item) for item in held)
    others = layout.add([f"other keys of {named(path)}"])
    several = layout.add([f"keys of {named(path)}"]) if len(orders) > 1 else None
    ranked = sorted(orders, key=lambda order: (-orders[order], order))[:_MOST_ELEMENTS]
    return Mappings(others, several, tuple(ranked), children)


def _sets(layout: Layout, path: str, held: list[Any], depth: int) -> Part:
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
