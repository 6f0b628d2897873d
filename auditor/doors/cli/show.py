"""Explains one mechanism, mutant or claim of the catalogue."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING

from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.notes import Check
    from mechanisms.core.mechanism import Mechanism

NAME = "show"
HELP = "explain one mechanism, mutant or claim"
WIDTH = 80
Lines = list[tuple[str, str]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """One id."""
    parser.add_argument("id", metavar="ID", help="an id that `dp-audit list` prints")
    parser.add_argument("--json", action="store_true", help="print a JSON object and nothing else")


def command(options: argparse.Namespace) -> int:
    """A heading, then one aligned field after the other."""
    title, fields = explained(options.id)
    if options.json:
        print(json.dumps({"id": options.id, "title": title, **dict(fields)}, ensure_ascii=False, indent=1))
        return 0
    print(f"{options.id} · {title}\n")
    indent = max(len(name) for name, _ in fields) + 2
    for name, text in fields:
        for number, line in enumerate(text.splitlines()):
            first = name.ljust(indent) if number == 0 else " " * indent
            print(textwrap.fill(line, WIDTH, initial_indent=first, subsequent_indent=" " * indent))
    return 0


def explained(identifier: str) -> tuple[str, Lines]:
    """Title and fields of whatever has this id."""
    from auditor.notes import checks
    from mechanisms.core.catalogue import catalogue

    for mechanism in catalogue():
        if mechanism.id == identifier:
            return mechanism.title, _mechanism(mechanism)
    for check in checks():
        if check.id == identifier:
            return check.title, _check(check)
    known = [*(mechanism.id for mechanism in catalogue()), *(check.id for check in checks())]
    near = get_close_matches(identifier, known, 1)
    meant = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"the id must be one that `dp-audit list` prints, got {identifier!r}{meant}")


def _mechanism(mechanism: Mechanism) -> Lines:
    from mechanisms.core.catalogue import mutants_of

    delta = mechanism.claim.points()[0][1]
    exact = mechanism.exact()
    truth = "" if exact is None else f"epsilon = {exact.epsilon_at(delta):.6g} at delta = {delta:.6g}"
    twins = [f"{mutant.id}: {mutant.title}" for mutant in mutants_of(mechanism)]
    fields = [
        ("kind", f"mutant of {mechanism.of}" if mechanism.of else "mechanism"),
        ("source", mechanism.source),
        ("what", inspect.getdoc(type(mechanism)) or ""),
        ("claim", str(mechanism.claim)),
        ("exact", truth or "not known"),
        ("pairs", "\n".join(f"{pair}: {pair.why}".rstrip(": ") for pair in mechanism.neighbours())),
        ("views", ", ".join(mechanism.views)),
        ("note", mechanism.note),
        ("mutants", "\n".join(twins)),
        ("audit it", f"dp-audit run {mechanism.id}"),
        ("in Python", example(mechanism)),
    ]
    return [(name, text) for name, text in fields if text]


def example(mechanism: Mechanism) -> str:
    """Lines of Python that audit it: by its class where that needs no arguments, else by its id."""
    kind = type(mechanism)
    with contextlib.suppress(TypeError, ValueError):
        if kind() == mechanism:
            return (
                f"from auditor import audit\nfrom {kind.__module__} import {kind.__name__}\n"
                f"print(audit({kind.__name__}()))"
            )
    return (
        f"from auditor import audit\nfrom mechanisms.core.catalogue import find\nprint(audit(find({mechanism.id!r})))"
    )


def _check(check: Check) -> Lines:
    fields = [
        ("kind", f"claim ({check.kinds})"),
        ("source", check.source),
        ("printed", check.statement),
        ("conditions", check.conditions),
        ("expected", check.expected),
        ("how", inspect.getdoc(check.function) or ""),
        ("check it", f"dp-audit notes --only {check.id}"),
    ]
    return [(name, text) for name, text in fields if text]
