"""One thing of a library that is audited in a sweep, and what a library's file must say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from auditor import audit
from auditor.errors import UsageError
from gallery.case import NOT_REFUTED, REFUTED

ALPHA = 0.001  # false alarms of each audit: a sweep has about a hundred
TRIALS = 5_000


@dataclass(frozen=True)
class Item:
    """One audit of one public name.

    Args:
        name: The public name; after a comma what is special about this audit ("mechanisms.Laplace, bits").
        neighbours: The relation of the pair, as the library's documentation or source names it.
        audited: Carries the audit out: a result, a stability, or (sensitivity, what is claimed).
        refuted: Whether a refutation is expected, because it is known.
        reported: Where a known refutation is public; "no" keeps it out of the pages.
    """

    name: str
    neighbours: str
    audited: Callable[[], Any]
    refuted: bool = False
    reported: str = ""

    def __post_init__(self) -> None:
        if self.refuted and not self.reported:
            raise UsageError(f'an expected refutation needs a public reference, or reported="no"; got {self.name}')

    @property
    def public_name(self) -> str:
        """The name of the library that is audited."""
        return self.name.partition(",")[0]

    @property
    def expected(self) -> str:
        """The verdict that is expected."""
        return REFUTED if self.refuted else NOT_REFUTED


class Library(Protocol):
    """What a file of `gallery/sweep/libraries` has."""

    PACKAGES: tuple[str, ...]
    LEFT_OUT: Mapping[str, str]

    def public(self) -> Iterable[str]:
        """The names that the installed library makes public."""

    def items(self) -> list[Item]:
        """The audits."""


def asked(mechanism: Any, *pairs: tuple[Any, Any], **options: Any) -> Any:
    """An audit as a sweep makes it: at a small alpha, on one core, of values unless the views are named."""
    return audit(
        mechanism, pairs=list(pairs), **{"trials": TRIALS, "views": ["values"], **options}, alpha=ALPHA, jobs=1
    )


def forgotten(library: Library) -> list[str]:
    """Public names that are neither audited nor left out with a reason, and names left out that do not exist."""
    public, audited = set(library.public()), {item.public_name for item in library.items()}
    known = audited | set(library.LEFT_OUT)
    return sorted(public - known) + [f"{name} (there is none)" for name in sorted(known - public)]
