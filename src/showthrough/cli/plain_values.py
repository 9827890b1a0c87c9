"""Commands as ours are: values that typer need not convert, and the usage line that other programs have.

Typer builds a pydantic adapter for every parameter of a command, whether anybody gives it or not. Importing pydantic
and building them takes a sixth of a second, which is as long as NumPy takes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer.core import TyperCommand

_UNTOUCHED = (str, int, float, bool)


def take_plain_values(parameters: Sequence[Any]) -> Sequence[Any]:
    """Lets parameters of a command take such values without typer, which converts all others and says what is wrong.

    Versions of typer without pydantic know no `type_descriptor`: nothing changes there.
    """
    for parameter in parameters:
        if "process_value" not in vars(parameter):
            _take_plain_value(parameter)
    return parameters


def _take_plain_value(parameter: Any) -> None:
    annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    convert: Callable[[Any, Any], Any] = parameter.process_value

    def process_value(context: Any, value: Any) -> Any:
        plain = _plain(annotation, value)
        if plain is None and (value is not None or parameter.required):
            return convert(context, value)
        if plain is None and (parameter.multiple or parameter.nargs == -1):
            plain = ()
        return plain if parameter.callback is None else parameter.callback(context, parameter, plain)

    if annotation is not None:
        parameter.process_value = process_value


def _plain(annotation: Any, value: Any) -> Any:
    """What a value is to a program, where nothing can be wrong with it; else `None`."""
    if annotation in _UNTOUCHED and type(value) is annotation:
        return value
    if get_origin(annotation) is Literal and type(value) is str and value in get_args(annotation):
        return value
    if annotation is Path and isinstance(value, str) and (os.access(value, os.R_OK) or not os.path.lexists(value)):
        return Path(value)
    if annotation == list[str] and value and all(isinstance(item, str) for item in value):
        return list(value)
    return None


_REQUIRED = re.compile(r"^\{(.+)\}((?:\.{3})?)$")  # as typer writes what must be there
_OPTIONAL = re.compile(r"^\[\[(.+)\]\]((?:\.{3})?)$")  # and what need not be, if it is in brackets already


class Command(TyperCommand):
    """A command with the usage line that other programs have: CORPUS must be there, [CORPUS] need not."""

    def collect_usage_pieces(self, context: Any) -> list[str]:
        pieces = super().collect_usage_pieces(context)
        return [_OPTIONAL.sub(r"[\1]\2", _REQUIRED.sub(r"\1\2", piece)) for piece in pieces]
