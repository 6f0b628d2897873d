"""Evidence over time: nightly audits of an unchanged mechanism as one long audit, whose alpha covers all its nights.

A night's bets are fixed by what was drawn before, in this night and in earlier ones, so the product over all nights is
one e-process (docs/method.md, Theorem 6). A night that does not end by itself may have ended because of what it drew:
the evidence starts anew after it, in a new chapter with a share of alpha of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auditor.certify.evidence import Point, Round
from auditor.errors import UsageError
from auditor.plan import Plan
from auditor.request import Request
from auditor.results import schema
from auditor.results.files import check_regular, held, write_text
from auditor.results.result import AuditResult
from auditor.sampling.identity import digest

SCHEMA = "dp-audit-history/1"
# The first chapter has this share of the evidence's level, each later one a tenth of the one before: in all 1.
_FIRST_CHAPTER = 0.9


@dataclass(frozen=True)
class Night:
    """A night of a history: its number, its chapter's, and the rounds of the chapter's earlier nights."""

    number: int = 1
    chapter: int = 1
    before: tuple[Round, ...] = ()
    note: str = ""  # what is to be said of it: why the history starts here, or that it is over

    def plan(self, plan: Plan) -> Plan:
        """The plan with this night's levels. Over all chapters and nights they add up to at most alpha.

        Chapter j's evidence has 0.9 / 10^(j-1) of the evidence's level. Night t's last test has 1 / (t (t + 1)) of the
        last test's, and so has its evidence about outputs that were seen on one side alone, which starts anew.
        """
        share = _FIRST_CHAPTER * (1 - _FIRST_CHAPTER) ** (self.chapter - 1)
        tonight = 1 / (self.number * (self.number + 1))
        running, lone, last = share * plan.running, tonight * plan.lone, tonight * plan.last
        return replace(plan, running=running, lone=lone, last=last, continued=True)

    def to_dict(self, tonight: Sequence[Round]) -> dict[str, Any]:
        """Plain data of the night, for its result."""
        return {
            "night": self.number,
            "chapter": self.chapter,
            **({"note": self.note} if self.note else {}),
            "before": [_row(this) for this in self.before],
            "tonight": [_row(this) for this in merged(tonight)],
        }


def night_from_dict(data: Any) -> Night:
    """The night of a stored result; a UsageError where it is none."""
    schema.check("night", data, "the history of a stored result")
    before = tuple(_round(row) for row in data["before"])
    return Night(data["night"], data["chapter"], before, data.get("note", ""))


def merged(rounds: Sequence[Round]) -> list[Round]:
    """Rounds in a row that bet alike, as one: their wealth is the same, and only the looks between them are lost."""
    found: list[Round] = []
    for this in rounds:
        if found and (found[-1].directions, found[-1].point) == (this.directions, this.point):
            last = found.pop()
            this = replace(
                this,
                correct=last.correct + this.correct,
                wrong=last.wrong + this.wrong,
                trials=last.trials + this.trials,
            )
        found.append(this)
    return found


class Book:
    """The history of one mechanism in a file of its own; nobody else writes it meanwhile."""

    def __init__(self, folder: Path, asked: Request) -> None:
        self.identity = _identity(asked)
        self.path = folder / f"{digest(self.identity)}.json"
        self.changed = _changed(folder, self.identity) if not self.path.exists() else ()
        self.data = _read(self.path) or {"schema": SCHEMA, "identity": self.identity, "nights": [], "refuted": None}
        if self.data["identity"] != self.identity:
            raise UsageError(f"the history {str(self.path)!r} is of another mechanism; remove it")

    def refuted(self) -> AuditResult | None:
        """The result that refuted the claim on an earlier night."""
        stored = self.data["refuted"]
        if stored is None:
            return None
        found = AuditResult.from_dict(stored)
        again = "Its history has refuted this claim before; nothing was drawn now. This is the result of then."
        others = [text for text in found.warnings if text != found.history.get("note")]
        return replace(found, warnings=(again, *others), history={**found.history, "note": again}, seconds=0.0)

    def begin(self, asked: Request) -> tuple[Request, Night]:
        """Tonight's request, with a seed that no night had, and where it stands; written down before it draws."""
        nights = self.data["nights"]
        used = {night["seed"] for night in nights}
        seed = next(seed for seed in range(asked.seed, asked.seed + len(used) + 1) if seed not in used)
        unfinished = [index for index, night in enumerate(nights) if not night["finished"]]
        since = nights[unfinished[-1] + 1 :] if unfinished else nights
        before = tuple(_round(row) for night in since for row in night["rounds"])
        nights.append({"seed": seed, "trials": asked.trials, "finished": False, "rounds": []})
        self._write()
        return replace(asked, seed=seed), Night(len(nights), len(unfinished) + 1, before, self._note())

    def finish(self, result: AuditResult) -> None:
        """The night is over: its rounds join the history, unless a time limit ended it; a refutation stays."""
        night = self.data["nights"][-1]
        if result.cut_off is None:
            night |= {"finished": True, "trials": result.trials, "rounds": result.history["tonight"]}
        if result.refuted:
            self.data["refuted"] = result.to_dict()
        self._write()

    def _note(self) -> str:
        """Why the evidence starts anew tonight; nothing where it goes on, or where there was none before."""
        nights = self.data["nights"][:-1]
        if nights and not nights[-1]["finished"]:
            return "Its history starts anew: the last night did not end by itself, and what it drew may be why."
        if nights or not self.changed:
            return ""
        return f"Its history starts anew: since the last night {' and '.join(self.changed)} changed."

    def _write(self) -> None:
        write_text(self.path, json.dumps(self.data, allow_nan=False))


@contextlib.contextmanager
def opened(folder: str | os.PathLike[str], asked: Request) -> Iterator[Book]:
    """The history of this mechanism in the folder, kept from other runs until the night is over."""
    if asked.strategy is not None:
        raise UsageError("an audit with a history must have the same pairs every night, got a strategy; name the pairs")
    own = Path(folder) / digest(asked.name)
    try:
        own.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"a history must be a folder that can be written, got {str(folder)!r}: {error}") from error
    with held(own):
        yield Book(own, asked)


def _identity(asked: Request) -> dict[str, Any]:
    """What must not change from night to night: all that the law of the guesses and the null depend on."""
    found = {key: value for key, value in asked.identity().items() if key not in ("trials", "alpha", "seed")}
    found["versions"] = {key: value for key, value in found["versions"].items() if key != "dp-audit"}
    return dict(json.loads(json.dumps(found)))


_WORDS = {"mechanism": "its code", "claim": "the claim", "pairs": "the pairs", "views": "the views"}


def _changed(folder: Path, identity: dict[str, Any]) -> tuple[str, ...]:
    """What differs from the latest other history of this name; nothing where there is none."""
    others = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    if not others:
        return ()
    before = (_read(others[-1]) or {}).get("identity", {})
    differs = [words for key, words in _WORDS.items() if before.get(key) != identity.get(key)]
    return tuple(differs) or ("what it runs on",)


def _read(path: Path) -> dict[str, Any] | None:
    """A history, checked; None where there is none yet."""
    check_regular(path, "a history")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the history {str(path)!r} cannot be read: {error}; remove it to start anew") from error
    named, advice = f"the history {str(path)!r}", "remove it to start anew"
    schema.check("history", data, named, advice)
    try:
        for night in data["nights"]:
            for row in night["rounds"]:
                _round(row)
        if data["refuted"] is not None:
            AuditResult.from_dict(data["refuted"])
    except UsageError as error:
        raise UsageError(f"{named} must be as dp-audit wrote it ({error}); {advice}") from error
    return dict(data)


def _row(this: Round) -> list[Any]:
    point = None if this.point is None else [this.point.epsilon, this.point.delta]
    return [this.correct, this.wrong, this.trials, this.directions, point]


def _round(row: Any) -> Round:
    correct, wrong, trials, directions, point = row
    if correct + wrong > trials:
        raise UsageError(f"a round must have its guesses among its trials, got {row!r:.60}")
    return Round(correct, wrong, trials, directions, None if point is None else Point(float(point[0]), float(point[1])))
