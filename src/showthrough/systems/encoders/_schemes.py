"""What a classifier's labels say: types, and in whatever scheme where a mention starts and ends.

IO, IOB1, IOB2, IOE1, IOE2, BIOES and BILOU differ in what they write where nothing would be lost without it. So one
rule reads them all: a mention starts at a B or S (U), after an E (L) or S (U), and wherever no other of its type goes
on. What no scheme allows, such as an I after an O, starts a mention too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.core.errors import PlanError, join_names, quote_value, shorten, suggest_name

Scheme = Literal["auto", "types"]
UNTYPED = "MASK"  # what is to be masked, whatever it is
_OUTSIDE = frozenset({"", "O", "[PAD]", "[CLS]", "[SEP]", "<PAD>", "<S>", "</S>"})
_TAG = "[BIELSUM]"
_STARTS, _ENDS = frozenset("BSU"), frozenset("ELSU")
_BEFORE = re.compile(rf"(?P<tag>{_TAG})[-_:/. ](?P<type>.+)", re.IGNORECASE)
_AFTER = re.compile(rf"(?P<type>.+)[-_:/. ](?P<tag>{_TAG})", re.IGNORECASE)
_ALONE = re.compile(rf"(?P<type>)(?P<tag>{_TAG})", re.IGNORECASE)
_UNNAMED = re.compile(r"LABEL_\d+")


class _Label(NamedTuple):
    tag: str
    type: str


@dataclass(frozen=True)
class Tagset:
    """The labels of a classifier by number: the number of the type of each, and whether it starts or ends a mention."""

    types: tuple[str, ...]
    kind: Ints  # -1: nothing to mask
    starts: Bools
    ends: Bools


def tagset(
    labels: Sequence[str], mapping: Mapping[str, str], scheme: Scheme = "auto", model: str = "the model"
) -> Tagset:
    """Reads labels. A map renames labels (`LABEL_1=B-PER`) or types (`PER=PERSON`); to nothing: never masked.

    Raises PlanError where nothing says what labels mean, and for a map that does not fit.

    >>> tags = tagset(["O", "B-PER", "I-PER", "B-MISC", "I-MISC"], {"MISC": ""})
    >>> tags.types, tags.kind.tolist(), tags.starts.tolist()
    (('PER',), [-1, 0, 0, -1, -1], [False, True, False, True, False])
    """
    named = [mapping.get(label, label) for label in labels]
    if all(_UNNAMED.fullmatch(label) for label in named):
        fault = f"{shorten(model)} does not name its labels ({join_names(labels, 40)}); expected a map such as "
        raise PlanError(f'{fault}labels="{labels[0]}=O,{labels[-1]}=PERSON"', "labels")
    read = _read(named, scheme)
    _refuse_unknown(mapping, labels, {entry.type for entry in _read(labels, scheme) if entry} - {""})
    types = [_type(label, entry, mapping) for label, entry in zip(labels, read, strict=True)]
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(filter(None, types)))}
    if not numbers:
        raise PlanError(
            f"leaves nothing of {shorten(model)} to be masked; its labels are {join_names(labels)}", "labels"
        )
    if all(types):
        fault = f"no label of {shorten(model)} is O ({join_names(labels)}), so all text would be masked; expected a map"
        raise PlanError(f'{fault} that leaves one out, such as labels="{labels[0]}="', "labels")
    tags = [entry.tag if entry else "" for entry in read]
    return Tagset(
        tuple(numbers),
        np.array([numbers.get(kind, -1) for kind in types], dtype=np.int64),
        np.array([tag in _STARTS for tag in tags], dtype=bool),
        np.array([tag in _ENDS for tag in tags], dtype=bool),
    )


def _type(label: str, read: _Label | None, mapping: Mapping[str, str]) -> str:
    """What a label is to be called; empty: it is never masked."""
    if read is None:
        return ""
    if label not in mapping and read.type in mapping:
        return "" if _is_outside(mapping[read.type]) else mapping[read.type]
    return read.type or UNTYPED


def _is_outside(label: str) -> bool:
    return label.upper() in _OUTSIDE


def _read(labels: Sequence[str], scheme: Scheme) -> list[_Label | None]:
    """Each label in its parts; none of those outside."""
    inside = [label for label in labels if not _is_outside(label)]
    pattern = _pattern(inside) if scheme == "auto" else None

    def parts(label: str) -> _Label | None:
        if _is_outside(label):
            return None
        match = pattern.fullmatch(label) if pattern else None
        return _Label(match["tag"].upper(), match["type"]) if match else _Label("I", label)

    return list(map(parts, labels))


def _pattern(labels: Sequence[str]) -> re.Pattern[str] | None:
    """Where labels have their tags, if they have any. `E_MAIL` alone has none: every scheme has a B or an I."""
    for pattern in (_ALONE, _BEFORE, _AFTER):
        matches = [pattern.fullmatch(label) for label in labels]
        tags = {match["tag"].upper() for match in matches if match}
        if tags & {"B", "I"} and (all(matches) or pattern is _BEFORE):
            return pattern
    return None


def _refuse_unknown(mapping: Mapping[str, str], labels: Sequence[str], types: set[str]) -> None:
    names = {*labels, *types}
    for source in mapping:
        if source not in names:
            choices = join_names(sorted(types or names))
            raise PlanError(
                f"the model has no {quote_value(source)}; {suggest_name(source, names)}there are: {choices}", "labels"
            )
