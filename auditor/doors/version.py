"""The version of dp-audit that is running, found without loading anything else."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """As it was installed; "unknown" where it was not."""
    try:
        return version("dp-audit")
    except PackageNotFoundError:
        return "unknown"
