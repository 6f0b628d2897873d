"""README.md as a package index shows it: without the links into the source tree, which lead nowhere from there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\[([^\]\n]+)\]\((?![a-z]+:|#)[^)\s]+\)")  # its target is neither an address nor on the page
_WHERE = "\n\nThe pages and programs that are named here come with the source code.\n"


class Readme(MetadataHookInterface):
    """The long description of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fills in the field that pyproject.toml calls dynamic."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": _LINK.sub(r"\1", text).rstrip() + _WHERE}
