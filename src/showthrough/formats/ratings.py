"""Ratings of passages: our folders, the files of PAN's raters, and tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from showthrough.data.authorship import HIGHEST, LOWEST, Rating, Ratings
from showthrough.errors import InputError, Problem, at_document, quoted, shown, some
from showthrough.files.heads import Head
from showthrough.files.reading import decoded, exists, fail, files_in, gathered, is_folder, read_bytes, stem, suffix
from showthrough.formats.base import Columns, Input
from showthrough.formats.rating_folder import (
    answers_file,
    is_rating_folder,
    raters_of,
    read_answers,
    read_items,
    standing,
)
from showthrough.formats.rows import Cells, fault, written
from showthrough.formats.table import rows_of

KINDS = "a folder that rate sample wrote, PAN's .json, a .csv or .tsv, or a folder of these"
COLUMNS = ("document", "anonymization", "item", "rater", "value")
_COMMENT = "comment"
_TABLES = (".csv", ".tsv")
_NUMBERED = re.compile(r"\d+_")  # PAN's keys stand in this order
_OBJECTS = msgspec.json.Decoder(list[dict[str, Any]])
_VALUES = {str(value): value for value in range(LOWEST, HIGHEST + 1)}
_EXPECTED = "expected 0, 1 or 2"


class _Read(NamedTuple):
    """A rating under the name that its file has for the anonymization, and what was read."""

    rating: Rating
    passage: str | None = None


class _Place(NamedTuple):
    """Where ratings are, and whose passages they are of, where a user says so."""

    path: Path
    name: str = ""

    @classmethod
    def of(cls, argument: str) -> _Place:
        name, sign, path = argument.partition("=")
        if sign and name and path and not exists(Path(argument)):
            return cls(Path(path), name)
        return cls(Path(argument))


def read_ratings(places: str | Sequence[str], anonymizations: Sequence[str]) -> Ratings:
    """What people said of passages of these anonymizations; raises InputError with all that is wrong.

    A place is a path, or `NAME=PATH`: the ratings of one anonymization alone, also where the file calls it by another
    name.
    """
    given = [_Place.of(one) for one in ([places] if isinstance(places, str) else places)]
    if strange := [place for place in given if place.name and place.name not in anonymizations]:
        why = f"is no anonymization; expected one of {some(anonymizations)}"
        raise InputError(Problem(str(place.path), f"ratings {shown(place.name)}", why) for place in strange)
    read = [(place, one) for place, found in zip(given, gathered(given, _read), strict=True) for one in found]
    called = _called(read, anonymizations)
    ratings: list[Rating] = []
    passages: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    seen: set[tuple[str, ...]] = set()
    for place, (rating, passage) in read:
        if (name := called.get((place, rating.anonymization))) is None:
            continue
        ratings.append(msgspec.structs.replace(rating, anonymization=name))
        if passage is not None:
            passages[name, rating.document][passage] = None
        key = name, rating.document, rating.item, rating.rater
        if key in seen:
            where = f"{at_document(rating.document)}: item {shown(rating.item)}"
            raise fail(place.path, f"was rated twice by {shown(rating.rater)} for {shown(name)}; expected once", where)
        seen.add(key)
    source = given[0].path if len(given) == 1 else None
    named = stem(source) if source else "ratings"
    return Ratings(ratings, named, str(source or ""), {key: tuple(each) for key, each in passages.items()})


def _read(place: _Place) -> list[_Read]:
    """All that is in a place; never nothing."""
    path = place.path
    if not exists(path):
        raise fail(path, f"no such file; expected {KINDS}")
    if is_rating_folder(path):
        return _of_folder(path)
    files = [path]
    if is_folder(path):
        files = [one for one in files_in(path) if suffix(one) in (".json", *_TABLES)]
        if not files:
            raise fail(path, f"has no ratings in it; expected {KINDS}")
    return [one for found in gathered(files, _of_file) for one in found]


def _of_file(path: Path) -> list[_Read]:
    if suffix(path) == ".json":
        found = _of_pan(path)
    elif suffix(path) in _TABLES:
        found = _of_table(path)
    else:
        raise fail(path, f"found the ending {quoted(suffix(path))}; expected {KINDS}")
    if not found:
        raise fail(path, "has no ratings; expected at least one")
    return found


def _of_folder(folder: Path) -> list[_Read]:
    _, items = read_items(folder)
    found = []
    for rater in raters_of(folder):
        for key, answer in standing(read_answers(answers_file(folder, rater), items)).items():
            item, value = items[key], answer.value
            if value is not None:
                whose = {"document": item.document, "anonymization": item.anonymization, "item": item.place}
                found.append(_Read(Rating(**whose, rater=rater, value=value, comment=answer.comment), item.text))
    if not found:
        raise fail(folder, f"nobody has rated anything yet; showthrough rate serve {shown(str(folder))} --rater NAME")
    return found


def _of_pan(path: Path) -> list[_Read]:
    """The file of one rater, who is named by the last part of its name: `sensibleness_A_dan.json`."""
    objects = decoded(read_bytes(path), _OBJECTS, path)
    rater = stem(path).rpartition("_")[2] or stem(path)

    def rated(numbered: tuple[int, dict[str, Any]]) -> _Read:
        number, one = numbered
        known = {_NUMBERED.sub("", key, count=1): value for key, value in one.items()}

        def field(name: str) -> str:
            value = known.get(name)
            if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
                found = f"found {quoted(value)}" if name in known else "is missing"
                expected = _EXPECTED if name == "sensibleness" else "expected a name"
                raise fail(path, f"{found}; {expected}", f"object {number}: {name}")
            return str(value)

        document, item = field("problem"), field("obfuscation-id")
        place = f"object {number}: {at_document(document)}: sensibleness"
        value = _value(field("sensibleness"), lambda why: fail(path, why, place))
        whose = {"document": document, "anonymization": field("submission"), "item": item, "rater": rater}
        passage = known.get("obfuscation")
        return _Read(Rating(**whose, value=value), passage if isinstance(passage, str) else None)

    return gathered(enumerate(objects, 1), rated)


def _of_table(path: Path) -> list[_Read]:
    rows = rows_of(Input(Head.of(path), Columns()))
    header = [name.strip() for name in rows.header]
    if header and all(cell in _VALUES for cell in header):
        why = "has ratings alone and does not say of which passages; expected the columns"
        raise fail(path, f"{why} {', '.join(COLUMNS)} in a first row, or PAN's .json files")
    if lacking := [name for name in COLUMNS if header.count(name) != 1]:
        raise fail(path, f"found {some(header)}; expected {', '.join(COLUMNS)}, each once", f"column {lacking[0]}")

    def rated(cells: Cells, _: int) -> _Read:
        found = {name: written(cell).strip() for name, cell in zip(header, cells, strict=True)}
        if empty := [name for name in COLUMNS if not found[name]]:
            raise fault(f"is empty; {_EXPECTED if empty[0] == 'value' else 'expected a name'}", empty[0])
        value = _value(found["value"], lambda why: fault(why, "value"))
        names = {name: found[name] for name in COLUMNS[:-1]}
        return _Read(Rating(**names, value=value, comment=found.get(_COMMENT, "")))

    return list(rows.made(rated))


def _value(found: str, failing: Callable[[str], InputError]) -> int:
    if found.strip() not in _VALUES:
        raise failing(f"found {quoted(found)}; {_EXPECTED}")
    return _VALUES[found.strip()]


def _called(read: Iterable[tuple[_Place, _Read]], anonymizations: Sequence[str]) -> dict[tuple[_Place, str], str]:
    """Which anonymization is meant by a name in a file; one that is another's is left out.

    Raises InputError for names that nobody knows, and where two are taken for the same.
    """
    inside: dict[_Place, list[str]] = defaultdict(list)
    for place, one in read:
        if one.rating.anonymization not in inside[place]:
            inside[place].append(one.rating.anonymization)
    meant: dict[tuple[_Place, str], str] = {}
    problems: list[Problem] = []
    for place, names in inside.items():
        if place.name and (place.name in names or len(names) == 1):
            meant[place, place.name if place.name in names else names[0]] = place.name
        elif place.name:
            why = (
                f"has ratings of {some(names)}; expected those of one anonymization, or of {shown(place.name)} by name"
            )
            problems.append(Problem(str(place.path), f"ratings {shown(place.name)}", why))
        else:
            meant |= {(place, name): name for name in names if name in anonymizations}
            how = f"expected one of {some(anonymizations)}, or NAME={shown(str(place.path))} to say whose they are"
            problems += [
                Problem(str(place.path), f"anonymization {shown(name)}", f"was rated and is not evaluated; {how}")
                for name in names
                if name not in anonymizations
            ]
    for name in dict.fromkeys(meant.values()):
        others = {given for (_, given), taken in meant.items() if taken == name}
        if len(others) > 1:
            why = f"has ratings of {some(sorted(others))}, which are not the same; expected those of one"
            problems.append(Problem("", f"ratings {shown(name)}", why))
    if problems:
        raise InputError(problems)
    return meant
