"""A mechanism in any language: a program that answers questions, one JSON document a line.

    {"dataset": [1, 2], "n": 1000, "seed": 123}      one question, on the program's standard input
    {"outputs": [1.93, …]} or {"error": "…"}         its answer, on its standard output

The seed comes from the generator that the audit hands out, so the outputs do not depend on the worker that asks.
docs/protocol.md has the protocol, with complete programs.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import MechanismError, UsageError
from auditor.sampling import child

_SEEDS = 2**53  # the whole numbers that a JavaScript number holds exactly
_SHOWN = 60  # characters of a foreign text in a message


@dataclass(frozen=True)
class Command:
    """A program as a mechanism. It is plain data: the running program is not part of it, so it can be pickled."""

    argv: tuple[str, ...]
    cwd: str | None = None
    env: tuple[tuple[str, str], ...] = ()

    def __reduce__(self) -> tuple[type[Command], tuple[Any, ...]]:
        """A worker may stand in another folder than this process: it is sent the whole path of the program's."""
        return Command, (self.argv, None if self.cwd is None else os.path.abspath(self.cwd), self.env)

    @property
    def id(self) -> str:
        """The command as one would type it: the name of its random streams."""
        return shlex.join(self.argv)

    @property
    def title(self) -> str:
        """What people call it: the same."""
        return self.id

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """n outputs of the program on `dataset`, for a seed drawn from `rng`."""
        question = {"dataset": dataset, "n": n, "seed": int(rng.integers(_SEEDS))}
        start = child.Start(self.argv, self.cwd, self.env)
        return child.ask(start, _encoded(question), lambda answer: _outputs(_decoded(answer, self.id)))


def command(
    argv: Sequence[str], *, cwd: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None
) -> Command:
    """A mechanism that asks a program for its outputs (JSON lines, docs/protocol.md).

    argv  the program and its arguments; no shell reads them
    cwd   the folder in which it runs; None is the current one
    env   environment variables beside those of this process

    The program is started at the first draw, once for each worker, and kept; one that died or whose file changed is
    started again. Its answer must depend on the question alone: a question may be asked again.
    """
    if isinstance(argv, (str, bytes)) or not isinstance(argv, Sequence):
        raise UsageError(f"a command must be a list of texts, got argv={argv!r:.60}; split it, as in ['node', 'a.js']")
    words = tuple(os.fspath(word) if isinstance(word, os.PathLike) else word for word in argv)
    if not words or not all(isinstance(word, str) for word in words) or not words[0]:
        raise UsageError(f"a command must be a list of at least one text, got argv={argv!r:.60}")
    if cwd is not None and not os.path.isdir(cwd):
        raise UsageError(f"a command's cwd must be a folder that exists, got cwd={os.fspath(cwd)!r}")
    variables = dict(env or {})
    if not all(isinstance(text, str) for pair in variables.items() for text in pair):
        raise UsageError(f"a command's env must map texts to texts, got env={env!r:.60}")
    return Command(words, None if cwd is None else os.fspath(cwd), tuple(sorted(variables.items())))


def _encoded(question: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(question, default=_plain, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            "a dataset must be JSON to be sent to a command: numbers, texts, null, lists and objects, without NaN and "
            f"infinities, got {question['dataset']!r:.60} ({error})"
        ) from error


def _plain(item: Any) -> Any:
    """JSON has no arrays of numpy, no frames, no sets: a frame is an object of columns, the others are lists."""
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    if isinstance(item, (set, frozenset)):
        return sorted(item, key=repr)
    if hasattr(item, "columns") and hasattr(item, "__getitem__"):
        return {str(name): list(item[name]) for name in item.columns}
    if hasattr(item, "tolist"):
        return item.tolist()
    raise TypeError(f"a {type(item).__name__} is no JSON")


def _decoded(answer: bytes, who: str) -> dict[str, Any]:
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise _wrong(who, f"a line that is not JSON: {_cut(answer.decode(errors='replace'))}") from error
    if not isinstance(found, dict):
        raise _wrong(who, _cut(json.dumps(found)))
    if "error" in found:
        raise MechanismError(f"{who} answered with an error: {_cut(str(found['error']), 1000)}")
    if "outputs" not in found:
        raise _wrong(who, f"an object with the keys {', '.join(map(repr, found)) or '(none)':.200}")
    if not isinstance(found["outputs"], list):
        raise _wrong(who, f"outputs that are no list: {_cut(json.dumps(found['outputs']))}")
    return found


def _wrong(who: str, got: str) -> MechanismError:
    return MechanismError(f'{who} must answer each line with {{"outputs": […]}} or {{"error": "…"}}, got {got}')


def _cut(text: str, width: int = _SHOWN) -> str:
    text = text.strip()
    return text if len(text) <= width else text[: width - 1] + "…"


def _outputs(answer: Mapping[str, Any]) -> Any:
    """Lists of as many numbers each are vectors, ⊥ among them is NaN; anything else is read as it stands."""
    outputs: list[Any] = answer["outputs"]
    lengths = {len(item) for item in outputs if isinstance(item, list)}
    if len(lengths) != 1 or not all(item is None or _is_vector(item) for item in outputs):
        return outputs
    missing = [None] * lengths.pop()
    return np.array([missing if item is None else item for item in outputs], dtype=np.float64)


def _is_vector(item: Any) -> bool:
    return isinstance(item, list) and all(
        part is None or (type(part) in (int, float, bool) and abs(part) < _SEEDS) or part in _INFINITE for part in item
    )


_INFINITE = (float("inf"), float("-inf"))
