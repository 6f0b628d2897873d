"""What a run audits: targets, and TOML files of audits, become requests.

alpha = 0.01                       # of the whole run; also seed, trials, views, time_limit, raises, stop_early, seconds

[[audit]]
target = "release.py::noisy_sum"   # from the folder of this file; or command = ["node", "release.js"], run there
epsilon = 1.0                      # with delta; or mu (Gaussian DP), rho (zCDP), or the mechanism's own
pairs = [[[1, 1], [1]]]            # or {left = …, right = …, relation = "add/remove", why = "…", group = 1}
trials = 100_000
"""

from __future__ import annotations

import inspect
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auditor import rules
from auditor.doors import gate
from auditor.doors.targets import Target, find
from auditor.errors import UsageError
from auditor.sampling.command import Command, command
from mechanisms.core.claims import ZCDP, ApproxDP, Claim, GaussianDP
from mechanisms.core.neighbours import NeighbourPair

_SHARED = ("seed", "trials", "views", "time_limit", "raises", "stop_early", "seconds")
_TOP_KEYS = ("alpha", *_SHARED, "audit")
_AUDIT_KEYS = ("target", "command", "epsilon", "delta", "mu", "rho", "pairs", *_SHARED)
_PAIR_KEYS = ("left", "right", "relation", "why", "group")


@dataclass(frozen=True)
class Planned:
    """One audit to make. None leaves a value to the command line, the mechanism or the default."""

    id: str
    target: Target
    claim: Claim | None = None
    pairs: tuple[NeighbourPair, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: str | None = None  # the current folder of its code, where loading has changed it

    @property
    def location(self) -> dict[str, Any]:
        """Where it stands, with the pairs and the command that came from a file: a replay needs them."""
        found, mechanism = self.target.location, self.target.mechanism
        if isinstance(mechanism, Command):
            found |= {"command": list(mechanism.argv), "folder": mechanism.cwd}
        return found if self.pairs is None else {**found, "pairs": [pair_to_dict(pair) for pair in self.pairs]}


@dataclass(frozen=True)
class RunPlan:
    """All requests of a run, each under its own id, and the alpha a file asks for."""

    requests: tuple[Planned, ...]
    alpha: float | None = None


Importing = Callable[[str, Any], AbstractContextManager[None]]


def _unlimited(spec: str, seconds: Any) -> AbstractContextManager[None]:
    return nullcontext()


def run_plan(specs: Sequence[str], importing: Importing = _unlimited) -> RunPlan:
    """Everything that the targets name. The smallest alpha of several files holds.

    Each target is imported inside `importing(its name, the time limit that a file gives it)`.
    """
    requests: list[Planned] = []
    alphas: list[float] = []
    for spec in specs:
        if spec.endswith(".toml"):
            part = _from_toml(Path(spec), importing)
            requests += part.requests
            alphas += [] if part.alpha is None else [part.alpha]
        else:
            targets, folder = _found(spec, None, None, importing)
            requests += [Planned(target.spec, target, folder=folder) for target in targets]
    for request in requests:
        _complete(request)
    return RunPlan(_with_own_ids(requests), min(alphas, default=None))


def _found(spec: str, folder: Path | None, seconds: Any, importing: Importing) -> tuple[tuple[Target, ...], str | None]:
    """The targets, and the folder that their code went to, if it did."""
    start = os.getcwd()
    with importing(spec, seconds):
        targets = find(spec, folder)
        now = os.getcwd()
    return targets, None if now == start else now


def _with_own_ids(requests: Sequence[Planned]) -> tuple[Planned, ...]:
    seen: dict[str, int] = {}
    own = []
    for request in requests:
        seen[request.id] = seen.get(request.id, 0) + 1
        number = seen[request.id]
        own.append(replace(request, id=f"{request.id}#{number}") if number > 1 else request)
    return tuple(own)


def _complete(request: Planned) -> None:
    """A UsageError where no claim or no pairs are given, before anything is drawn."""
    missing = object()
    for given, part, key in ((request.claim, "claim", "epsilon"), (request.pairs, "neighbours", "pairs")):
        if given is None and inspect.getattr_static(request.target.mechanism, part, missing) is missing:
            raise UsageError(
                f"a mechanism without its own {part} needs {key} in a TOML file of audits, got {request.id!r}"
            )


def _from_toml(path: Path, importing: Importing) -> RunPlan:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"the file of audits must exist, got {str(path)!r}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the file of audits must be TOML, got {str(path)!r}: {error}") from error
    _only(table, _TOP_KEYS, str(path))
    audits = table.get("audit")
    if not isinstance(audits, list) or not audits:
        raise UsageError(f"a file of audits must have at least one [[audit]], got none in {str(path)!r}")
    shared = {key: table[key] for key in _SHARED if key in table}
    requests = [
        request
        for number, audit in enumerate(audits, 1)
        for request in _requests(audit, shared, path, f"audit {number} of {path}", importing)
    ]
    alpha = table.get("alpha")
    if alpha is not None and not rules.ALPHA.allows(alpha):
        raise UsageError(f"alpha must be {rules.ALPHA.words}, got alpha={alpha!r} in {path}")
    return RunPlan(tuple(requests), alpha)


def _requests(audit: Any, shared: dict[str, Any], path: Path, where: str, importing: Importing) -> list[Planned]:
    if not isinstance(audit, dict):
        raise UsageError(f"{where} must be a table, as under [[audit]], got {audit!r:.60}")
    _only(audit, _AUDIT_KEYS, where)
    try:
        claim = _claim(audit)
        pairs = pairs_from(audit["pairs"]) if "pairs" in audit else None
        named = _named(audit, path)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    options = {**shared, **{key: audit[key] for key in _SHARED if key in audit}}
    if isinstance(named, Target):
        return [Planned(named.spec, named, claim, pairs, options)]
    targets, moved = _found(named, path.parent, options.get("time_limit"), importing)
    return [Planned(found.spec, found, claim, pairs, options, moved) for found in targets]


def _named(audit: Mapping[str, Any], path: Path) -> str | Target:
    """What one audit names: its target, or its command, which runs in the folder of the file."""
    match [key for key in ("target", "command") if key in audit]:
        case ["target"] if isinstance(audit["target"], str):
            return str(audit["target"])
        case ["command"] if isinstance(audit["command"], list):
            folder = gate.relative(path.parent, Path.cwd()) or str(path.parent)
            mechanism = command(audit["command"], cwd=folder)
            return Target(mechanism.id, mechanism, gate.relative(path, Path.cwd()) or str(path), 1)
        case named:
            got = " and ".join(f"{key}={audit[key]!r:.60}" for key in named) or "neither"
            raise UsageError(f"it must name its target, a text, or its command, a list of texts, got {got}")


def _claim(audit: Mapping[str, Any]) -> Claim | None:
    """At most one of epsilon (with delta), mu and rho."""
    match [key for key in ("epsilon", "delta", "mu", "rho") if key in audit]:
        case []:
            return None
        case ["epsilon"] | ["epsilon", "delta"]:
            return ApproxDP(audit["epsilon"], audit.get("delta", 0.0))
        case ["mu"]:
            return GaussianDP(audit["mu"])
        case ["rho"]:
            return ZCDP(audit["rho"])
        case named:
            raise ValueError(f"a claim is epsilon with delta, or mu, or rho, got {' and '.join(named)}")


def pairs_from(data: Any) -> tuple[NeighbourPair, ...]:
    """Pairs from plain data: [left, right], or a table with the fields of NeighbourPair."""
    if not isinstance(data, list) or not data:
        raise ValueError(f"pairs must be a list of at least one [left, right], got pairs={data!r:.60}")
    pairs = []
    for item in data:
        if isinstance(item, dict) and {"left", "right"} <= set(item) <= set(_PAIR_KEYS):
            pairs.append(NeighbourPair(**item))
        elif isinstance(item, list) and len(item) == 2:
            pairs.append(NeighbourPair(*item))
        else:
            raise ValueError(f"a pair must be [left, right] or have the keys {', '.join(_PAIR_KEYS)}, got {item!r:.60}")
    return tuple(pairs)


def pair_to_dict(pair: NeighbourPair) -> dict[str, Any]:
    """Plain data from which `pairs_from` makes the same pair."""
    return {key: str(value) if key == "relation" else value for key, value in vars(pair).items()}


def _only(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    unknown = sorted(set(table) - set(keys))
    if unknown:
        raise UsageError(f"{where} has only the keys {', '.join(keys)}, got {unknown[0]!r}")
