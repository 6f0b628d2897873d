"""Text that is not ours, made harmless for where it is shown: terminals, logs of CI servers, files.

Nothing heavy is imported here: errors are shown before anything else is loaded.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
# GitHub obeys `::name …::` at the start of a line, after any blanks (actions/runner, ActionCommandManager.cs), and the
# older `##[name]` anywhere in it; Azure Pipelines obeys `##vso[…]`, TeamCity `##teamcity[…]`.
_GITHUB = (
    "add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice|"
    "remove-matcher|save-state|set-env|set-output|stop-commands|warning"
)
_COMMAND = re.compile(rf":(?=:(?:{_GITHUB})(?:\s.*)?::)", re.IGNORECASE)
_OLD_COMMAND = re.compile(r"#(?=#\w*\[)")


def clean(text: str) -> str:
    """Foreign text without what is not text: control characters, terminal escapes, direction overrides."""
    return _UNSEEN.sub("�", text.replace("\r\n", "\n"))


def line(text: str, most: int | None = None) -> str:
    """Foreign text on one line, of at most `most` characters."""
    flat = " ".join(clean(text).split())
    return flat if most is None or len(flat) <= most else flat[: most - 1] + "…"


def inert(text: str) -> str:
    """The text with no command for a CI server, however its lines are broken: `::error::` becomes `: :error::`."""
    return _OLD_COMMAND.sub("# ", _COMMAND.sub(": ", text))


def printable(text: str, format_name: str) -> str:
    """A document as it may be printed into a log. JSON and XML keep their meaning: only the spelling changes."""
    if format_name in ("json", "sarif"):
        # a line of JSON starts with a bracket or a quotation mark, and never with a command
        spelled = _UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
        return _OLD_COMMAND.sub(r"\\u0023", spelled)
    if format_name in ("junit", "html"):
        return _OLD_COMMAND.sub("&#35;", _COMMAND.sub("&#58;", text))
    return inert(text)


def logged(text: str) -> str:
    """Foreign text on one line of a terminal or of a log."""
    return inert(line(text))


def described(error: BaseException) -> str:
    """The kind of an exception and its message, also where the message itself cannot be had."""
    try:
        text = str(error)
    except Exception as second:
        text = f"(its message raises {type(second).__name__})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
