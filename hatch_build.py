"""What the package index shows: the README with links that lead somewhere from there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

HOME = "https://github.com/showthrough/showthrough"
# A picture or not, what it says, and a target that is neither an address nor a place on the same page.
_LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+\))")


def absolute(page: str) -> str:
    """A page of the repository's root with absolute links: pages as they are shown there, pictures as they are."""
    return _LINK.sub(lambda link: f"{link[1]}{link[2]}{HOME}/{'raw' if link[1] else 'blob'}/main/{link[3]}", page)


class ReadmeHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        page = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(page)}
