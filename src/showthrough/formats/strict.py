"""Structs that refuse keys they do not know: at full speed they tell that there are none that nobody reads."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec


@lru_cache(maxsize=256)
def strict(kind: Any) -> Any:
    """The same type, in which every struct refuses keys beyond its fields and what it names as `aside`."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind)
    given = get_args(kind)
    made = tuple(strict(one) if get_args(one) or isinstance(one, type) else one for one in given)
    if made == given:
        return kind
    origin = get_origin(kind)
    return reduce(or_, made) if origin in (Union, UnionType) else origin[made]


def _struct(kind: type[msgspec.Struct]) -> Any:
    fields: list[Any] = []
    names: dict[str, str] = {}
    for one in msgspec.structs.fields(kind):
        inner = strict(one.type)
        if inner != one.type:
            default = () if one.default is msgspec.NODEFAULT else (one.default,)
            fields.append((one.name, inner, *default))
            names[one.name] = one.encode_name
    for number, key in enumerate(getattr(kind, "aside", ())):
        fields.append((f"aside_{number}", Any, None))
        names[f"aside_{number}"] = key
    return msgspec.defstruct(
        f"Strict{kind.__name__}", fields, bases=(kind,), rename=names, forbid_unknown_fields=True, kw_only=True
    )
