"""The exact profile of a mechanism of the catalogue, where the caller knows that there is one."""

from __future__ import annotations

from mechanisms.core.claims import Profile
from mechanisms.core.mechanism import Mechanism


def exact_profile(mechanism: Mechanism) -> Profile:
    """`mechanism.exact()`, or an error where it is not known."""
    profile = mechanism.exact()
    if profile is None:
        raise ValueError(f"the exact profile must be known, got {mechanism.id} without one")
    return profile
