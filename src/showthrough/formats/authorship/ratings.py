"""Ratings of passages: our folders, the files of PAN's raters, and tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, join_names, quote_value, shorten
from showthrough.data.authorship import HIGHEST, LOWEST, Rating, Ratings
from showthrough.formats.authorship.rating_folder import (
    answers_file,
    is_rating_folder,
    latest_answers,
    raters_of,
    read_answers,
    read_items,
)
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.tables.rows import Cells, cell_text, fault
from showthrough.formats.tables.table import rows_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import (
    collect_results,
    decode_json,
    exists,
    fail,
    files_in,
    is_folder,
    read_bytes,
    stem,
    suffix,
)

KINDS = "a folder that rate sample wrote, PAN's .json, a .csv or .tsv, or a folder of these"
COLUMNS = ("document", "anonymization", "item", "rater", "value")
_COMMENT = "comment"
_TABLES = (".csv", ".tsv")
_NUMBERED = re.compile(r"\d+_")  # PAN's keys stand in this order
_OBJECTS = msgspec.json.Decoder(list[dict[str, Any]])
_VALUES = {str(value): value for value in range(LOWEST, HIGHEST + 1)}
_EXPECTED = "expected 0, 1 or 2"


class _ReadRating(NamedTuple):
    """A rating under the name that its file has for the anonymization, and what was read."""

    rating: Rating
    passage: str | None = None


class _Source(NamedTuple):
    """Where ratings are, and whose passages they are of, where a user says so."""

    path: Path
    name: str = ""

    @classmethod
    def of(cls, argument: str) -> _Source:
        name, sign, path = argument.partition("=")
        if sign and name and path and not exists(Path(argument)):
            return cls(Path(path), name)
        return cls(Path(argument))


def read_ratings(places: str | Sequence[str], anonymizations: Sequence[str]) -> Ratings:
    """What people said of passages of these anonymizations; raises InputError with all that is wrong.

    A place is a path, or `NAME=PATH`: the ratings of one anonymization alone, also where the file calls it by another
    name.
    """
    sources = [_Source.of(reading) for reading in ([places] if isinstance(places, str) else places)]
    if strange := [source for source in sources if source.name and source.name not in anonymizations]:
        why = f"is no anonymization; expected one of {join_names(anonymizations)}"
        raise InputError(Problem(str(source.path), f"ratings {shorten(source.name)}", why) for source in strange)
    readings = [
        (source, reading)
        for source, file_readings in zip(sources, collect_results(sources, _read_source), strict=True)
        for reading in file_readings
    ]
    names = _match_names(readings, anonymizations)
    ratings: list[Rating] = []
    passages: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    keys: set[tuple[str, ...]] = set()
    for source, (rating, passage) in readings:
        if (name := names.get((source, rating.anonymization))) is None:
            continue
        ratings.append(msgspec.structs.replace(rating, anonymization=name))
        if passage is not None:
            passages[name, rating.document][passage] = None
        key = name, rating.document, rating.item, rating.rater
        if key in keys:
            where = f"{at_document(rating.document)}: item {shorten(rating.item)}"
            raise fail(
                source.path, f"was rated twice by {shorten(rating.rater)} for {shorten(name)}; expected once", where
            )
        keys.add(key)
    only_path = sources[0].path if len(sources) == 1 else None
    named = stem(only_path) if only_path else "ratings"
    return Ratings(ratings, named, str(only_path or ""), {key: tuple(texts) for key, texts in passages.items()})


def _read_source(source: _Source) -> list[_ReadRating]:
    """All that is in a place; never nothing."""
    path = source.path
    if not exists(path):
        raise fail(path, f"no such file; expected {KINDS}")
    if is_rating_folder(path):
        return _read_folder(path)
    files = [path]
    if is_folder(path):
        files = [item for item in files_in(path) if suffix(item) in (".json", *_TABLES)]
        if not files:
            raise fail(path, f"has no ratings in it; expected {KINDS}")
    return [item for readings in collect_results(files, _read_file) for item in readings]


def _read_file(path: Path) -> list[_ReadRating]:
    if suffix(path) == ".json":
        readings = _read_pan(path)
    elif suffix(path) in _TABLES:
        readings = _read_table(path)
    else:
        raise fail(path, f"found the ending {quote_value(suffix(path))}; expected {KINDS}")
    if not readings:
        raise fail(path, "has no ratings; expected at least one")
    return readings


def _read_folder(folder: Path) -> list[_ReadRating]:
    _, items = read_items(folder)
    readings = []
    for rater in raters_of(folder):
        for key, answer in latest_answers(read_answers(answers_file(folder, rater), items)).items():
            item, value = items[key], answer.value
            if value is not None:
                identity = {"document": item.document, "anonymization": item.anonymization, "item": item.location}
                readings.append(
                    _ReadRating(Rating(**identity, rater=rater, value=value, comment=answer.comment), item.text)
                )
    if not readings:
        raise fail(folder, f"nobody has rated anything yet; showthrough rate serve {shorten(str(folder))} --rater NAME")
    return readings


def _read_pan(path: Path) -> list[_ReadRating]:
    """The file of one rater, who is named by the last part of its name: `sensibleness_A_dan.json`."""
    objects = decode_json(read_bytes(path), _OBJECTS, path)
    rater = stem(path).rpartition("_")[2] or stem(path)

    def rated(numbered: tuple[int, dict[str, Any]]) -> _ReadRating:
        number, fields = numbered
        values = {_NUMBERED.sub("", key, count=1): value for key, value in fields.items()}

        def field(name: str) -> str:
            value = values.get(name)
            if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
                state = f"found {quote_value(value)}" if name in values else "is missing"
                expected = _EXPECTED if name == "sensibleness" else "expected a name"
                raise fail(path, f"{state}; {expected}", f"object {number}: {name}")
            return str(value)

        document, item = field("problem"), field("obfuscation-id")
        location = f"object {number}: {at_document(document)}: sensibleness"
        value = _parse_value(field("sensibleness"), lambda why: fail(path, why, location))
        identity = {"document": document, "anonymization": field("submission"), "item": item, "rater": rater}
        passage = values.get("obfuscation")
        return _ReadRating(Rating(**identity, value=value), passage if isinstance(passage, str) else None)

    return collect_results(enumerate(objects, 1), rated)


def _read_table(path: Path) -> list[_ReadRating]:
    rows = rows_of(Input(Head.of(path), ColumnNames()))
    header = [name.strip() for name in rows.header]
    if header and all(cell in _VALUES for cell in header):
        why = "has only ratings and does not say for which passages; expected the columns"
        raise fail(path, f"{why} {', '.join(COLUMNS)} in a first row, or PAN's .json files")
    if lacking := [name for name in COLUMNS if header.count(name) != 1]:
        raise fail(
            path, f"found {join_names(header)}; expected {', '.join(COLUMNS)}, each once", f"column {lacking[0]}"
        )

    def rated(cells: Cells, _: int) -> _ReadRating:
        values = {name: cell_text(cell).strip() for name, cell in zip(header, cells, strict=True)}
        if empty := [name for name in COLUMNS if not values[name]]:
            raise fault(f"is empty; {_EXPECTED if empty[0] == 'value' else 'expected a name'}", empty[0])
        value = _parse_value(values["value"], lambda why: fault(why, "value"))
        names = {name: values[name] for name in COLUMNS[:-1]}
        return _ReadRating(Rating(**names, value=value, comment=values.get(_COMMENT, "")))

    return list(rows.convert(rated))


def _parse_value(written_value: str, failing: Callable[[str], InputError]) -> int:
    if written_value.strip() not in _VALUES:
        raise failing(f"found {quote_value(written_value)}; {_EXPECTED}")
    return _VALUES[written_value.strip()]


def _match_names(
    readings: Iterable[tuple[_Source, _ReadRating]], anonymizations: Sequence[str]
) -> dict[tuple[_Source, str], str]:
    """Which anonymization is meant by a name in a file; one that is another's is left out.

    Raises InputError for names that nobody knows, and where two are taken for the same.
    """
    names_by_source: dict[_Source, list[str]] = defaultdict(list)
    for source, reading in readings:
        if reading.rating.anonymization not in names_by_source[source]:
            names_by_source[source].append(reading.rating.anonymization)
    meant: dict[tuple[_Source, str], str] = {}
    problems: list[Problem] = []
    for source, names in names_by_source.items():
        if source.name and (source.name in names or len(names) == 1):
            meant[source, source.name if source.name in names else names[0]] = source.name
        elif source.name:
            expected = f"expected those of one anonymization, or of {shorten(source.name)} by name"
            why = f"has ratings of {join_names(names)}; {expected}"
            problems.append(Problem(str(source.path), f"ratings {shorten(source.name)}", why))
        else:
            meant |= {(source, name): name for name in names if name in anonymizations}
            option = f"NAME={shorten(str(source.path))}"
            how = f"expected one of {join_names(anonymizations)}, or {option} to say whose they are"
            problems += [
                Problem(str(source.path), f"anonymization {shorten(name)}", f"was rated and is not evaluated; {how}")
                for name in names
                if name not in anonymizations
            ]
    for name in dict.fromkeys(meant.values()):
        names_in_files = {name_in_file for (_, name_in_file), target in meant.items() if target == name}
        if len(names_in_files) > 1:
            why = f"has ratings of {join_names(sorted(names_in_files))}, which are not the same; expected those of one"
            problems.append(Problem("", f"ratings {shorten(name)}", why))
    if problems:
        raise InputError(problems)
    return meant
