"""One malformed input: what lies on the desk, what is asked for, and how that may end."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

REFUSED = frozenset({0, 2})
OR_FAILED = frozenset({0, 1, 2})  # where a metric's model may fail, and the others stand


@dataclass(frozen=True)
class Attempt:
    """Files, a command, and with which statuses it may end; 0 is a right answer.

    `places` are what is no file: by name `folder`, `pipe`, or where a link leads to.
    """

    files: Mapping[str, bytes]
    command: tuple[str, ...]
    statuses: frozenset[int] = REFUSED
    places: Mapping[str, str] = field(default_factory=dict)

    def lay_out(self, desk: Path) -> None:
        for name, content in self.files.items():
            (desk / name).parent.mkdir(parents=True, exist_ok=True)
            (desk / name).write_bytes(content)
        for name, kind in self.places.items():
            if kind == "folder":
                (desk / name).mkdir()
            elif kind == "pipe":
                os.mkfifo(desk / name)
            else:
                (desk / name).symlink_to(kind)
