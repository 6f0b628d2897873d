"""What was asked for, checked: a bad argument gets a sentence that says what is wrong, before anything is drawn."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from auditor import rules
from auditor.errors import MechanismError, UsageError
from auditor.escaping import described
from auditor.rules import RAISES, VIEWS
from auditor.sampling.draws import with_raises
from auditor.sampling.identity import UnwritableError, digest, mechanism_digest, versions
from auditor.sampling.source import Sample, Source
from mechanisms.core import checks
from mechanisms.core.claims import Claim
from mechanisms.core.neighbours import NeighbourPair

_LEAST_ALPHA = 1e-100  # the tails of a smaller alpha's parts do not fit a double


@dataclass(frozen=True)
class Request:
    """The checked arguments of an audit."""

    sample: Sample
    claim: Claim
    pairs: tuple[NeighbourPair, ...]
    trials: int
    alpha: float
    seed: int
    views: tuple[str, ...]
    name: str
    strategy: Any = None  # the strategy that is searched for pairs; until then `pairs` is empty
    tried: int = 0  # pairs that the search looked at
    source: type[Source] = Source  # what a pair is drawn from
    stop_early: bool = True  # False where the audit measures on after a refutation

    def identity(self) -> dict[str, Any]:
        """What a result depends on, in full; a UsageError where a dataset cannot be written down."""
        measuring = {} if self.stop_early else {"stop_early": False}
        return measuring | {
            "name": self.name,
            "claim": self.claim.to_dict(),
            "pairs": [_pair_identity(pair, number) for number, pair in enumerate(self.pairs, 1)],
            "mechanism": _mechanism_identity(self.sample),
            "versions": versions(),
            "trials": self.trials,
            "alpha": self.alpha,
            "seed": self.seed,
            "views": list(self.views),
        }


def _mechanism_identity(sample: Sample) -> str:
    try:
        return mechanism_digest(sample)
    except Exception as error:
        raise UsageError(
            "an audit with a checkpoint or a history must have a mechanism that can be looked at, got "
            f"{described(error)}; give no checkpoint or history"
        ) from error


def _pair_identity(pair: NeighbourPair, number: int) -> dict[str, Any]:
    """A pair's datasets in full, as hashes, and what the result says about it."""
    found: dict[str, Any] = {"relation": str(pair.relation), "why": pair.why, "group": pair.group}
    for side, dataset in (("left", pair.left), ("right", pair.right)):
        try:
            found[side] = digest(dataset)
        except UnwritableError as error:
            raise UsageError(
                "an audit with a checkpoint or a history must have datasets that can be written down in full, got a "
                f"{side} dataset of pair {number}: {error}; give no checkpoint or history, or plain data"
            ) from error
    return found


def request(
    mechanism: Any,
    claim: Claim | None,
    pairs: Any,
    trials: int,
    alpha: float,
    seed: int,
    views: Sequence[str] | None,
    name: str | None,
    raises: str = "error",
    stop_early: bool = True,
) -> Request:
    """The arguments as a Request; a UsageError for a bad one, a MechanismError for code of its own that fails."""
    try:
        wanted = _wanted(mechanism, pairs)
        return Request(
            sample=with_raises(_sample(mechanism), checks.one_of("raises", raises, RAISES)),
            claim=_claim(mechanism, claim),
            pairs=() if is_strategy(wanted) else _pairs(wanted),
            trials=rules.TRIALS.checked("trials", trials),
            alpha=level(alpha),
            seed=rules.SEED.checked("seed", seed),
            views=_views(mechanism, views),
            name=_name(mechanism, name),
            strategy=wanted if is_strategy(wanted) else None,
            stop_early=_stop_early(stop_early),
        )
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from error
    except Exception as error:
        kind = type(mechanism).__name__
        raise MechanismError(
            f"a mechanism must say what it is before it is run, got {type(error).__name__} from a {kind}: {error}"
        ) from error


def _stop_early(stop_early: Any) -> bool:
    if not isinstance(stop_early, bool):
        raise UsageError(f"stop_early must be True or False, got stop_early={stop_early!r:.60}")
    return stop_early


def _name(mechanism: Any, name: Any) -> str:
    if name is not None and not isinstance(name, str):
        raise UsageError(f"a name must be a text, got name={name!r:.60}")
    return name or name_of(mechanism)


def name_of(mechanism: Any) -> str:
    """A name for streams and messages."""
    inner = getattr(mechanism, "function", mechanism)
    for attribute in ("id", "__qualname__", "__name__"):
        found = getattr(inner, attribute, None)
        if isinstance(found, str) and found:
            return found
    return type(inner).__qualname__


def _sample(mechanism: Any) -> Sample:
    sample = getattr(mechanism, "sample", None)
    if inspect.isclass(mechanism):
        raise UsageError(
            f"a mechanism must be an instance or a function, got the class {mechanism.__qualname__}; call it"
        )
    found = sample if callable(sample) else mechanism
    if not callable(found):
        raise UsageError(
            "a mechanism must have sample(dataset, n, rng), be a function with that signature, or per_draw(f), "
            f"got {type(mechanism).__name__}"
        )
    try:
        inspect.signature(found).bind(None, 1, None)
    except TypeError as error:
        raise UsageError(
            f"a mechanism takes (dataset, n, rng), got {name_of(mechanism)}{inspect.signature(found)}; "
            "wrap a function of (dataset, rng) that returns one output in per_draw"
        ) from error
    except ValueError:  # no signature to look at (a builtin): the first call will tell
        pass
    return found  # type: ignore[no-any-return]


def level(alpha: Any, least: float = _LEAST_ALPHA) -> float:
    """A false-alarm probability, at least as large as the tests can reach."""
    found: float = rules.ALPHA.checked("alpha", alpha)
    if found < least:
        raise UsageError(f"alpha must be at least {least:g}, got alpha={found!r}")
    return found


def _claim(mechanism: Any, claim: Claim | None) -> Claim:
    found = claim if claim is not None else getattr(mechanism, "claim", None)
    if not isinstance(found, Claim):
        raise UsageError(
            "a claim must be ApproxDP, GaussianDP, ZCDP, RenyiDP, ProfileClaim or TradeOffClaim, "
            f"got claim={found!r:.60}"
        )
    return found


def _wanted(mechanism: Any, pairs: Any) -> Any:
    """What was given as pairs, or the mechanism's own."""
    if pairs is not None:
        return pairs
    neighbours = getattr(mechanism, "neighbours", None)
    if not callable(neighbours):
        raise UsageError("pairs are needed: pairs=[(left, right)], or a mechanism with neighbours()")
    return neighbours()


def is_strategy(pairs: Any) -> bool:
    """True for a hypothesis strategy; hypothesis is not imported for that."""
    hypothesis = sys.modules.get("hypothesis.strategies")
    return hypothesis is not None and isinstance(pairs, hypothesis.SearchStrategy)


def _pairs(pairs: Any) -> tuple[NeighbourPair, ...]:
    if isinstance(pairs, (str, bytes)) or not hasattr(pairs, "__iter__"):
        raise UsageError(f"pairs must be a list of (left, right), got pairs={pairs!r:.60}")
    found = tuple(as_pair(pair) for pair in pairs)
    if not found:
        raise UsageError("an audit needs at least one pair of neighbours, got pairs=[]")
    return found


def as_pair(pair: Any) -> NeighbourPair:
    """A pair that was given as one or as (left, right)."""
    if isinstance(pair, NeighbourPair):
        return pair
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise UsageError(f"a pair must be a NeighbourPair or (left, right), got {pair!r:.60}")
    return NeighbourPair(pair[0], pair[1])


def _views(mechanism: Any, views: Sequence[str] | None) -> tuple[str, ...]:
    found = views if views is not None else getattr(mechanism, "views", VIEWS)
    names = tuple(found) if isinstance(found, Iterable) and not isinstance(found, (str, bytes)) else ()
    if not names:
        raise UsageError(f"views must be a tuple out of {VIEWS}, got views={found!r:.60}")
    return tuple(dict.fromkeys(checks.one_of("view", view, VIEWS) for view in names))
