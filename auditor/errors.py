"""Errors a user can act on. Each is one sentence: the rule, what was found, what to do."""

from __future__ import annotations


class AuditError(Exception):
    """Anything that ends an audit without a verdict."""


class UsageError(AuditError, ValueError):
    """The call, the command line or a file is wrong; nothing was drawn."""


class MechanismError(AuditError, RuntimeError):
    """The audited mechanism raised, hung or returned something that is not n outputs."""


class TimeLimitError(MechanismError):
    """The audit's time limit has passed."""
