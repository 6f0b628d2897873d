"""What audited code shares with us and may change: the folder, the umask, numpy's error handling, numpy itself."""

from __future__ import annotations

import contextlib
import os
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from auditor.errors import AuditError, MechanismError


@dataclass(frozen=True)
class Surroundings:
    """The state of the process before audited code was loaded."""

    folder: str
    umask: int
    errors: dict[str, Any]
    functions: dict[str, Any]

    def restore(self) -> None:
        """Puts the folder, the umask and numpy's error handling back."""
        import numpy as np

        with contextlib.suppress(OSError):  # the folder is gone
            os.chdir(self.folder)
        os.umask(self.umask)
        np.seterr(**self.errors)

    def check(self, name: str) -> None:
        """A MechanismError where functions of numpy were replaced, for we compute with them; they are put back."""
        import numpy as np

        now = _functions()
        replaced = [function for function, was in self.functions.items() if now.get(function) is not was]
        for function in replaced:
            module, _, last = function.rpartition(".")
            setattr(np.random if module else np, last, self.functions[function])
        if replaced:
            raise MechanismError(
                f"{name} must leave numpy as it is, got another numpy.{replaced[0]}; "
                "wrap the function where it is used instead"
            )


def surroundings() -> Surroundings:
    """The state of the process as it is now."""
    import numpy as np

    umask = os.umask(0o077)
    os.umask(umask)
    return Surroundings(os.getcwd(), umask, dict(np.geterr()), _functions())


@contextlib.contextmanager
def kept(before: Surroundings, name: str) -> Iterator[None]:
    """Audited code runs inside; afterwards the surroundings are ours again."""
    try:
        yield
    except (AuditError, KeyboardInterrupt):
        raise
    except BaseException:
        before.check(name)  # which explains what went wrong
        raise
    finally:
        before.restore()
    before.check(name)


def _functions() -> dict[str, Any]:
    import numpy as np

    kinds = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.concatenate), type)
    ours = {f"random.{name}": getattr(np.random, name, None) for name in ("Generator", "SeedSequence", "SFC64")}
    return ours | {name: item for name, item in vars(np).items() if isinstance(item, kinds)}
