"""How a command's usage line names what it takes."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

_REQUIRED = re.compile(r"^\{(.+)\}((?:\.{3})?)$")  # as typer writes what must be there
_OPTIONAL = re.compile(r"^\[\[(.+)\]\]((?:\.{3})?)$")  # and what need not be, if it is in brackets already


class Command(TyperCommand):
    """A command with the usage line that other programs have: CORPUS must be there, [CORPUS] need not."""

    def collect_usage_pieces(self, context: Any) -> list[str]:
        pieces = super().collect_usage_pieces(context)
        return [_OPTIONAL.sub(r"[\1]\2", _REQUIRED.sub(r"\1\2", piece)) for piece in pieces]
