"""Collects notes on a file while it is read, such as keys that were not used and ids that were missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import inspect

from showthrough.core.errors import join_names, shorten
from showthrough.data.provenance import Provenance

_KINDS = 10  # of what was left aside, that a note names
_DEEP = 7  # levels that are searched for spans
# What the ends of spans are called, in whatever format.
ENDS = frozenset({
    "start", "end", "begin", "start_offset", "end_offset", "start_position", "end_position", "startOffset",
    "endOffset", "BeginOffset", "EndOffset", "offset", "start_char", "end_char", "token_start", "codepointRange",
})  # fmt: skip


_PRINTED = re.compile(rf"""["'](?:{"|".join(sorted(ENDS))})["']\s*:\s*\d|[\[(]\s*\d+\s*,\s*\d+\s*,\s*["']""")
# What lists of marks are called.
MARKS = frozenset({"spans", "entities", "ents", "annotations", "mentions", "entity_mentions", "pii", "privacy_mask"})


@dataclass
class Remarks:
    """What there is to say of one file."""

    unknown: Counter[str] = field(default_factory=Counter)  # keys that the format does not know, by path
    aside: Counter[str] = field(default_factory=Counter)  # keys that it knows, and that hold nothing to score
    spans: set[str] = field(default_factory=set)  # unknown keys whose values look like spans
    numbered: int = 0  # documents without an id, which their number stands for
    left: Counter[str] = field(default_factory=Counter)  # what was left aside, such as `drafts`, and how many
    taken: Counter[str] = field(default_factory=Counter)  # a sentence on how something was taken, and how many
    others: list[str] = field(default_factory=list)
    kind: str = "key"  # what the format calls them
    hint: Callable[[], str] = str  # which format is nearest, where marks are found that this one does not know
    elsewhere: frozenset[str] = frozenset()  # keys that somebody else reads
    provenance: Provenance | None = None  # how an anonymization was made, where its file says so

    def extend(self, later: Remarks) -> None:
        """Adds what was told of what comes after in the file."""
        self.unknown.update(later.unknown)
        self.aside.update(later.aside)
        self.left.update(later.left)
        self.taken.update(later.taken)
        self.spans |= later.spans
        self.numbered += later.numbered
        self.others += [sentence for sentence in later.others if sentence not in self.others]

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence each."""
        lines = []
        if unknown := {key: count for key, count in self.unknown.items() if key not in self.elsewhere}:
            keys = join_names(shorten(key) for key in unknown)
            lines.append(f"not used, since the format does not know {_these_nouns(unknown, self.kind)}: {keys}")
        if self.numbered:
            other = "; --id-column names another column of ids" if unknown and self.kind == "column" else ""
            lines.append(f"its documents have no ids: they are numbered, from 1 on{other}")
        if self.left:
            items = [f"{shorten(description)} ({count})" for description, count in self.left.items()]
            more = f" and {len(items) - _KINDS} more kinds" if len(items) > _KINDS else ""
            lines.append(f"left aside: {', '.join(items[:_KINDS])}{more}")
        lines += [f"{sentence} ({count})" for sentence, count in self.taken.items()]
        return (*lines, *self.others)


def _these_nouns(items: Mapping[str, int], noun: str) -> str:
    return f"these {noun}s" if len(items) > 1 else f"this {noun}"


class KeyTree(msgspec.Struct, frozen=True):
    """The keys that objects of a kind have, and what those in them have; `every`: of whatever key."""

    keys: Mapping[str, KeyTree | None] = msgspec.field(default_factory=dict)
    aside: frozenset[str] = frozenset()
    every: KeyTree | None = None

    def look_at(self, value: Any, remarks: Remarks, path: str = "") -> None:
        """Notes the keys of a decoded JSON value that are not among them."""
        if isinstance(value, list):
            for item in value:
                self.look_at(item, remarks, f"{path}[]")
        elif isinstance(value, dict) and self.every:
            for item in value.values():
                self.every.look_at(item, remarks, f"{path}.*")
        elif isinstance(value, dict):
            prefix = f"{path}." if path else ""
            for key in value:  # in the file's order: that of a set changes with every process
                if key in self.keys:
                    continue
                if key in self.aside:
                    remarks.aside[f"{prefix}{key}"] += 1
                    continue
                remarks.unknown[f"{prefix}{key}"] += 1
                if hides_marks(key, value[key]):
                    remarks.spans.add(f"{prefix}{key}")
            for key, inner in self.keys.items():
                if inner is not None and key in value:
                    inner.look_at(value[key], remarks, f"{prefix}{key}")


@lru_cache(maxsize=256)
def keys_of(wire: Any) -> KeyTree:
    """The keys of what is decoded; a struct may name others that hold nothing to score (`aside`)."""
    return _keys_of_type(inspect.type_info(wire)) or KeyTree()


def _keys_of_type(type_info: inspect.Type) -> KeyTree | None:
    match type_info:
        case inspect.StructType(fields=fields, array_like=True):  # a list: keys are those of the object in it
            return next(filter(None, (_keys_of_type(field_info.type) for field_info in fields)), None)
        case inspect.StructType(cls=cls, fields=fields):
            known_keys = {field_info.encode_name: _keys_of_type(field_info.type) for field_info in fields}
            return KeyTree(known_keys, frozenset(getattr(cls, "aside", ())))
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return _keys_of_type(item)
        case inspect.DictType(value_type=value):
            inner = _keys_of_type(value)
            return KeyTree(every=inner) if inner else None
        case inspect.UnionType(types=types):
            return next(filter(None, map(_keys_of_type, types)), None)
    return None


def hides_marks(key: str, value: Any) -> bool:
    """Whether what a key holds looks like marks, by offsets or by its name: some files have values alone.

    >>> hides_marks("entities", [{"value": "Oslo"}]), hides_marks("entities", []), hides_marks("tags", [{"year": "96"}])
    (True, False, False)
    """
    named = key in MARKS and isinstance(value, list | dict) and any(isinstance(item, list | dict) for item in value)
    return named or like_spans(value)


def like_spans(value: Any, deep: int = _DEEP) -> bool:
    """Whether there are offsets in a value.

    >>> like_spans([{"begin": 3, "to": 9}]), like_spans({"PERSON": [[3, 11]]}), like_spans(["a", "b"])
    (True, True, False)
    >>> like_spans("[{'start': 3, 'end': 11}]"), like_spans("[sic]")
    (True, False)
    """
    if not deep or not value:
        return False
    if isinstance(value, str):  # as a program printed them
        return value.startswith(("[", "{", "(")) and _PRINTED.search(value) is not None
    if isinstance(value, list):
        pair = len(value) > 1 and all(type(item) is int for item in value[:2]) and 0 <= value[0] < value[1]
        return pair or any(like_spans(item, deep - 1) for item in value[:3])
    if isinstance(value, dict):
        return any(type(value[key]) is int for key in value.keys() & ENDS) or any(
            like_spans(item, deep - 1) for item in list(value.values())[:3]
        )
    return False
