"""What a sweep came to, as plain data: counts, what was left out, what was refuted as is known.

Findings that their maintainers do not know of are not in it.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from gallery.outcome import Outcome
from gallery.sweep.item import Item, Library

SCHEMA = "dp-audit-sweeps/1"


@dataclass(frozen=True)
class Swept:
    """One file's sweep in which every verdict was the expected one.

    Args:
        file: The file of `gallery/sweep/libraries`.
        packages: What was installed.
        date: The day on which it ran.
        public: How many names the library makes public there.
        left_out: The names that were not audited, and why.
        audits: How many audits were made of the others.
        refuted: The audits that refuted, as was known, and where it is public.
        seconds: How long all of them took.
    """

    file: str
    packages: tuple[str, ...]
    date: str
    public: int
    left_out: Mapping[str, str]
    audits: int
    refuted: Mapping[str, str]
    seconds: float

    @staticmethod
    def from_dict(data: Any) -> Swept:
        """What `asdict` described."""
        try:
            return Swept(**{**data, "packages": tuple(data["packages"])})
        except (KeyError, TypeError) as error:
            raise UsageError(f"a sweep must be as the gallery wrote it, got: {error}") from error


def swept(file: str, module: Library, done: Sequence[tuple[Item, Outcome]]) -> Swept:
    """The record of a file's audits."""
    known = [(item, outcome) for item, outcome in done if item.reported != "no"]
    return Swept(
        file,
        tuple(module.PACKAGES),
        datetime.date.today().isoformat(),
        len(set(module.public())),
        dict(module.LEFT_OUT),
        len(known),
        {item.name: item.reported for item, _ in known if item.refuted},
        round(sum(outcome.seconds for _, outcome in known), 1),
    )


def read(path: Path) -> list[Swept]:
    """The sweeps that `store` kept; none where there is no file."""
    if not path.exists():
        return []
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"{path.name} must say schema {SCHEMA}; is it written by a sweep?")
    return [Swept.from_dict(one) for one in data["sweeps"]]
