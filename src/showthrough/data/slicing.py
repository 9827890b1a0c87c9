"""Documents in groups by what their files say of them: a field, a piece of the id, a table beside the corpus.

Texts are groups as they are, several of a list each, numbers are cut at quartiles, and dates go by their year.
Documents of which nothing is said are a group of their own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import InputError, PlanError, Problem, join_names, quote_value, shorten
from showthrough.data.documents import Corpus, Document
from showthrough.data.reading_form import reading_form
from showthrough.data.types import kind_of, path_of

SliceKind = Literal["values", "lists", "numbers", "years"]
ENTITY_FIELDS = ("type", "identifier")  # of entities, and not of documents
MISSING = "(missing)"
_BY_ID, _BY_FIELD = "id:", "field:"
_MOST = 200  # groups of a field: with more, it names documents rather than groups
_FEW = 8  # different numbers that are groups as they are
_PARTS = 4
_SHOWN = 60  # characters of a pattern that a message shows
_DATE = re.compile(r"(\d{4})[-/.]\d{1,2}(?:[-/.]\d{1,2}(?:[T ].*)?)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")


class NamesTable(msgspec.Struct, frozen=True):
    """What a table says by column: of documents by their ids, or of people by their names, in reading form."""

    by_document: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    by_name: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    source: str = ""

    @property
    def columns(self) -> list[str]:
        rows = (*self.by_document.values(), *self.by_name.values())
        return list(dict.fromkeys(column for row in rows for column in row))

    def values(self, document: Document, column: str) -> tuple[str, ...]:
        """Of a document itself, or of everybody whose name is marked in it."""
        rows = [self.by_document.get(document.id, {})]
        if self.by_name:
            rows += [self.by_name.get(name, {}) for name in sorted(_marked_people(document))]
        return tuple(dict.fromkeys(row[column].strip() for row in rows if row.get(column, "").strip()))


NO_TABLE = NamesTable()


def _marked_people(document: Document) -> set[str]:
    """The names that are marked as those of people, in reading form."""
    return {
        reading_form(document.text[mention.start : mention.end])
        for annotation in document.annotations
        for mention in annotation.mentions
        if (kind := kind_of(mention.entity_type)) is not None and "PERSON" in path_of(kind)
    }


class Slicing(msgspec.Struct, frozen=True):
    """The groups of a field. A document may be in several; `documents` and `members` are pairs of their numbers."""

    field: str
    kind: SliceKind
    groups: tuple[str, ...]
    documents: Ints
    members: Ints


class _Question(msgspec.Struct, frozen=True, dict=True):
    """A field as it is asked for, and where a document says it."""

    field: str

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return re.compile(self.field.removeprefix(_BY_ID)) if self.field.startswith(_BY_ID) else None

    def values(self, document: Document, table: NamesTable) -> tuple[str, ...]:
        if self._pattern:
            match = self._pattern.search(document.id)
            piece = match[1 if self._pattern.groups else 0] if match else ""
            return (piece,) if piece else ()
        name = self.field.removeprefix(_BY_FIELD)
        if of_table := table.values(document, name):
            return of_table
        values = tuple(value.strip() for value in document.field_values(name) if value.strip())
        own = {"group": document.group, "split": document.split}.get(name, "")
        return values or ((own,) if own else ())


def parse_slices(names: str | Iterable[str], option: str = "slice") -> tuple[str, ...]:
    """The fields that an option asks for, each once; raises PlanError for what is none.

    >>> parse_slices(["countries", "id:^(..)-", "countries"])
    ('countries', 'id:^(..)-')
    """
    fields = tuple(dict.fromkeys([names] if isinstance(names, str) else names)) if names else ()
    for name in fields:
        location = f"{option} {shorten(str(name), _SHOWN)}"
        if not isinstance(name, str) or not name.removeprefix(_BY_ID).removeprefix(_BY_FIELD).strip():
            raise PlanError(f"found {quote_value(name)}; expected a field, such as year, or id:REGEX", location)
        if name.startswith(_BY_ID):
            try:
                re.compile(name.removeprefix(_BY_ID))
            except (re.error, OverflowError, RecursionError) as error:
                raise PlanError(f"is no regular expression: {error}", location) from None
    return fields


def keys_of(fields: Iterable[str]) -> tuple[str, ...]:
    """The columns or keys of files that fields may be in: their names, and that before a point."""
    names = [
        name.removeprefix(_BY_FIELD)
        for name in fields
        if not name.startswith(_BY_ID) and name not in (*ENTITY_FIELDS, "group", "split")
    ]
    return tuple(dict.fromkeys(key for name in names for key in (name, name.partition(".")[0])))


def slicings_of(
    corpus: Corpus, fields: Sequence[str], table: NamesTable = NO_TABLE, option: str = "slice"
) -> list[Slicing]:
    """The groups of each field, in one pass over the documents; raises InputError for fields that make none."""
    questions = [_Question(name) for name in fields if name not in ENTITY_FIELDS]
    values: list[list[tuple[str, ...]]] = [[] for _ in questions]
    names: dict[str, None] = {}
    for document in corpus if questions else ():
        for question, of_question in zip(questions, values, strict=True):
            of_question.append(question.values(document, table))
        names |= dict.fromkeys(field_names(document))
    problems, slicings = [], []
    for question, of_question in zip(questions, values, strict=True):
        fault = _fault(question.field, of_question, [*names, *table.columns], corpus)
        problems += [Problem(corpus.source, f"{option} {shorten(question.field, _SHOWN)}", fault)] if fault else []
        slicings += [] if fault else [_grouped(question.field, of_question)]
    if problems:
        raise InputError(problems)
    return slicings


def field_names(document: Document) -> set[str]:
    """What can be asked of a document, with the entries of `meta`."""
    inner = document.fields.get("meta")
    return {*document.fields, *(f"meta.{name}" for name in (inner if isinstance(inner, dict) else ()))}


def _fault(name: str, values: Sequence[tuple[str, ...]], expected: Sequence[str], corpus: Corpus) -> str:
    if not any(values):
        if name.startswith(_BY_ID):
            return f"matches no document id, such as {quote_value(corpus.ids[0])}"
        there = f"there are {join_names(sorted(expected))}" if expected else "the file has no field of this name"
        return f"no document has this field; {there}"
    groups = _grouped(name, values).groups
    if len(groups) <= _MOST:
        return ""
    return f"found {len(groups):,} different values; expected at most {_MOST} groups (id:REGEX takes a piece of an id)"


def _grouped(name: str, values: Sequence[tuple[str, ...]]) -> Slicing:
    """The groups that the values of documents make."""
    kind, named = _named(values)
    groups = _ordered({group for document_groups in named for group in document_groups})
    if not all(named):
        groups = [*(group for group in groups if group != MISSING), MISSING]
    numbers = {group: number for number, group in enumerate(groups)}
    pairs = [
        (number, numbers[group])
        for number, document_groups in enumerate(named)
        for group in (document_groups or (MISSING,))
    ]
    documents, members = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Slicing(name, kind, tuple(groups), documents, members)


def _named(values: Sequence[tuple[str, ...]]) -> tuple[SliceKind, Sequence[tuple[str, ...]]]:
    """The kind of a field, and of each document the groups that it is in."""
    if any(len(of_document) > 1 for of_document in values):
        return "lists", values
    single = [of_document[0] if of_document else "" for of_document in values]
    distinct = set(filter(None, single))
    if all(_DATE.fullmatch(value) for value in distinct):
        return "years", _renamed(single, lambda value: next(filter(None, _DATE.fullmatch(value).groups())))  # type: ignore[union-attr]
    if len(distinct) > _FEW and all(map(_NUMBER.fullmatch, distinct)):
        return "numbers", _renamed(single, _quartile_names(single).__getitem__)
    return "values", values


def _renamed(values: Sequence[str], name: Callable[[str], str]) -> list[tuple[str, ...]]:
    return [(name(value),) if value else () for value in values]


def _quartile_names(values: Sequence[str]) -> dict[str, str]:
    """What the group of each number is called: from its least to its greatest number. Equal numbers stay together.

    >>> _quartile_names([str(number) for number in range(1, 13)])["5"]
    '4 to 6'
    """
    numbers = np.array([float(value) for value in values if value])
    edges = np.unique(np.quantile(numbers, np.arange(1, _PARTS) / _PARTS))
    distinct = sorted(set(filter(None, values)), key=float)
    of = np.searchsorted(edges, [float(value) for value in distinct], side="left").tolist()
    names = {}
    for part in set(of):
        inside = [value for value, number in zip(distinct, of, strict=True) if number == part]
        names[part] = inside[0] if len(inside) == 1 else f"{inside[0]} to {inside[-1]}"
    return {value: names[number] for value, number in zip(distinct, of, strict=True)}


def _ordered(groups: Iterable[str]) -> list[str]:
    """By number where they begin with one, else by name."""

    def place(group: str) -> tuple[float, str]:
        first = group.split(" to ")[0]
        return (float(first) if _NUMBER.fullmatch(first) else math.inf, group)

    return sorted(groups, key=place)
