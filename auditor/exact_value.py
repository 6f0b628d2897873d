"""The exact epsilon of a mechanism that knows it, for a result to show beside the claimed and the certified one."""

from __future__ import annotations

import math
from functools import lru_cache

from auditor.request import Request
from mechanisms.core.mechanism import Mechanism


def exact_epsilon(asked: Request, delta: float) -> float | None:
    """What is exactly true at `delta` over all neighbours; None where the mechanism does not say.

    A theorem about real numbers says nothing about views that the mechanism does not declare. `exact()` may be
    someone else's code, and an audit that is finished does not fail for it.
    """
    mechanism = getattr(asked.sample, "__self__", None)
    if not isinstance(mechanism, Mechanism) or not set(asked.views) <= set(mechanism.views):
        return None
    try:
        return _computed(mechanism, delta)
    except Exception:
        return None


@lru_cache(maxsize=256)  # a study audits one mechanism many times, and some are computed by quadrature
def _computed(mechanism: Mechanism, delta: float) -> float | None:
    profile = mechanism.exact()
    value = math.nan if profile is None else float(profile.epsilon_at(delta))
    return None if math.isnan(value) else value
