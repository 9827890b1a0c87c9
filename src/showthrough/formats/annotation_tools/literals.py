"""Values that stand in a text: as JSON, or as Python prints them. Nothing of them is ever run."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import msgspec

from showthrough.storage.reading import decoded_or_none

LONGEST = 10**6  # characters of what Python printed: its reader takes a hundred times as much
FAULTS = (ValueError, TypeError, ArithmeticError, SyntaxError, MemoryError, RecursionError)
_ANY = msgspec.json.Decoder()


def parse_list(content: str) -> Any:
    """The list or object that a text is; `None` where it is none.

    >>> parse_list('[{"start": 3}]'), parse_list("[(3, 11, 'PERSON')]"), parse_list("[sic]")
    ([{'start': 3}], [[3, 11, 'PERSON']], None)
    """
    value = from_json(content, _ANY)
    if value is None and len(content) <= LONGEST and content.rstrip().endswith(("]", "}")):
        try:
            value = _ANY.decode(msgspec.json.encode(of_python(content)))
        except (*FAULTS, msgspec.MsgspecError):
            return None
    return value if isinstance(value, list | dict) else None


def from_json(content: str, decoder: msgspec.json.Decoder[Any]) -> Any:
    """What JSON holds, in whatever quotation marks; `None` where it is none, or not what is expected."""
    value = decoded_or_none(content.encode("utf-8", "surrogatepass"), decoder)
    if value is None and not set('"\\') & set(content):  # then every quotation mark is one that Python set
        value = decoded_or_none(content.replace("'", '"').encode("utf-8", "surrogatepass"), decoder)
    return value


def of_python(content: str) -> Any:
    """What Python printed; raises one of its many errors for anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a backslash that means nothing
        return ast.literal_eval(content.strip())
