"""Structs that refuse keys they do not know: at full speed they tell that there are none that nobody reads."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec


@lru_cache(maxsize=256)
def strict(kind: Any, aside: Any = Any) -> Any:
    """The same type, in which every struct refuses keys beyond its fields and what it names as `aside`.

    What is under those is made into values of a type: with `Raw`, which JSON alone can be decoded to, into none.
    """
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, aside)
    arguments = get_args(kind)
    strict_arguments = tuple(
        strict(argument, aside) if get_args(argument) or isinstance(argument, type) else argument
        for argument in arguments
    )
    if strict_arguments == arguments:
        return kind
    origin = get_origin(kind)
    return reduce(or_, strict_arguments) if origin in (Union, UnionType) else origin[strict_arguments]


def _struct(kind: type[msgspec.Struct], aside: Any) -> Any:
    fields: list[Any] = []
    names: dict[str, str] = {}
    for struct_field in msgspec.structs.fields(kind):
        inner = strict(struct_field.type, aside)
        if inner != struct_field.type:
            default = () if struct_field.default is msgspec.NODEFAULT else (struct_field.default,)
            fields.append((struct_field.name, inner, *default))
            names[struct_field.name] = struct_field.encode_name
    for number, key in enumerate(getattr(kind, "aside", ())):
        fields.append((f"aside_{number}", aside, msgspec.UNSET))
        names[f"aside_{number}"] = key
    return msgspec.defstruct(
        f"Strict{kind.__name__}", fields, bases=(kind,), rename=names, forbid_unknown_fields=True, kw_only=True
    )
