"""What holds other things: a place with its kinds, lists of numbers, sequences, mappings and sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from auditor.events.kinds import MISSING, UnreadableError, itself, kind_of
from auditor.events.objects import as_double
from auditor.events.trees.layout import Page, PartReader, Places, named
from auditor.events.trees.leaves import doubles
from auditor.events.trees.picked import Picked


@dataclass(frozen=True)
class TreeNode:
    """A place of the tree: the types that the pilot saw there, the commonest first, and how each kind is read."""

    path: str
    types: tuple[str, ...]
    block: int | None  # the column that holds the type, where the type varies
    parts: dict[str, PartReader]
    lenient: bool  # True where what cannot be read here is left out

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
class NumberList(PartReader):
    """A list of numbers: a column for each number, one for the length, and one for each type where types vary."""

    block: int
    width: int
    length: int
    types: tuple[str, ...]
    kinds: int | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
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
class Sequences(PartReader):
    """A list of anything: its length, a tree for each place, and one for each element known by a value in it."""

    length: int
    children: tuple[TreeNode, ...]
    picked: tuple[tuple[Picked, TreeNode], ...] = ()

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.length, rows, list(map(len, items)))
        for place, child in enumerate(self.children):
            child.read(page, rows, [item[place] if place < len(item) else MISSING for item in items])
        for pick, child in self.picked:
            child.read(page, rows, [pick.of(item) for item in items])


@dataclass(frozen=True)
class Mappings(PartReader):
    """A mapping: a tree for each known key, the number of other keys, and the order of the keys.

    Where the pilot saw many orders, each key's place is a column as well. Where hardly a key comes twice, what stands
    under the others is read as a list of entries in the order of their keys.
    """

    others: int
    order: int | None
    places: int | None
    orders: tuple[tuple[str, ...], ...]
    children: tuple[tuple[str, Any, TreeNode], ...]  # a key's text, the key, its tree
    entries: PartReader | None = None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
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
        if self.entries is not None:
            self.entries.read(page, rows, [entries_of(item, keys) for item in items], path)
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
            if self.places is not None:
                at = {key: place for place, key in enumerate(shape)}
                own_places = np.array([at.get(key, np.nan) for _, key, _ in self.children], dtype=np.float64)
                page.put_all(self.places, np.array(own), np.tile(own_places, (len(own), 1)))
            text = f"{named(path)} has another key {', '.join(sorted(unseen)[:3]):.60}" if unseen else ""
            if not text and code == len(self.orders) and self.order is None:
                text = f"the keys of {named(path)} are {', '.join(spelled):.80}"
            if text and self.entries is None:
                for row in own:
                    page.say(row, text)


@dataclass(frozen=True)
class Sets(PartReader):
    """A set: the elements that the pilot saw often, how many others, and the elements in order."""

    has: int
    size: int
    elements: tuple[Any, ...]
    closed: bool  # all that the pilot saw have a column, so that another one is worth a word
    ordered: PartReader | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
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


def entries_of(item: Mapping[Any, Any], known: Collection[Any]) -> list[dict[str, Any]]:
    """What a mapping has beside the known keys, in the order of the keys, with the place at which each was put in."""
    places = {key: place for place, key in enumerate(item) if key not in known}
    return [{"key": key, "value": item[key], "place": places[key]} for key in in_order(places)]


def in_order(elements: Iterable[Any]) -> list[Any]:
    """Elements in an order that they alone decide."""
    return sorted(elements, key=lambda one: (as_double(one) if _real(one) else np.inf, repr(one)))


def _real(element: Any) -> bool:
    return kind_of(type(element))[0] == "number" and as_double(element) == as_double(element)
