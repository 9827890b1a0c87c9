"""What a language model wrote about an author, as guesses: `Type: … Inference: … Guess: a; b; c`, or JSON.

Models keep to no form for long. What can be told is told; what cannot is missing, and never a guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from showthrough.core.patterns import lazy_pattern
from showthrough.data.subjects import CERTAIN
from showthrough.families.inference._listing import ListedGuess, parse_guesses, strip_marks
from showthrough.families.inference.base import Guess
from showthrough.families.inference.profiles import TAGS, named_tag, tags_by_name

TYPE, REASON, GUESS, SURE = "type", "reason", "guess", "sure"
_LABELS = {
    TYPE: r"type|attribute|feature|category|value",
    REASON: r"inferences?|reasoning|reasons?|rationale|explanation|evidence|analysis|justification",
    GUESS: r"(?:(?:my|the)\s+)?(?:(?:top|best|final)[\s-]*)*(?:3|three)?\s*(?:guess(?:es)?|predictions?|answers?)",
    SURE: r"certaint(?:y|ies)|confidences?",
}
# A line may begin with signs of a heading, a list or emphasis, and a label may be emphasised itself.
_BEGINS = r"(?:[\s#>*_`•\[–-]|\(?\d{1,2}[.)](?=\s))*"
_ENDS = r"(?:\s*\([^()\n]{0,40}\))?[\s*_`]*"
_LABEL = lazy_pattern(
    rf"{_BEGINS}(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _LABELS.items())})"
    rf"(?:\s*#?\(?\d{{1,2}}\)?)?{_ENDS}[:=：](?:\*{{1,3}}|_{{1,3}}|`)?(?P<rest>.*)",
    re.IGNORECASE,
)
_FOR = lazy_pattern(
    rf"{_BEGINS}{_LABELS[GUESS]}\s+(?:for|of|about)\s+(?:the\s+)?(?P<name>[^:]{{2,60}}):(?P<rest>.*)", re.IGNORECASE
)
_INLINE = lazy_pattern(r"(?<=[\s;.*])\s*(?=\**(?:Type|Inference|Guess(?:es)?|Certainty)\**\s*:)")
_NAMED = lazy_pattern(rf"{_BEGINS}(?P<name>[^\W\d_][\w /&'’-]{{1,40}}?){_ENDS}(?P<colon>:(?P<rest>.*))?")
_HEADING = lazy_pattern(r"\s*(?:#{1,6}\s|\*\*|\d{1,2}[.)]\s)")
_ITEM = lazy_pattern(r"\s*(?:[*•–-]|\(?\d{1,2}[.)])\s+(?P<item>\S.*)")
_SENTENCE = lazy_pattern(r"\w[.!?]\s+\w")
_VALUES = frozenset({"married"})  # names of tags that are guesses too, where they stand alone in a line
_LONGEST = 120  # characters of a guess that stands behind a name alone


def guesses_in(answer: str, tags: Sequence[str] = TAGS) -> tuple[Guess, ...] | None:
    """The guesses of an answer for these tags, of each the likeliest first; `None` where there are none to be found.

    >>> [guess.value for guess in guesses_in("**Type: Sex**\\nInference: He says so.\\nGuess: Male; Female", ["sex"])]
    ['Male', 'Female']
    """
    names = tags_by_name(tags)
    guesses_by_tag = guesses_in_json(answer, names)
    if not guesses_by_tag:
        for block in _blocks(_fields(answer, names)):
            tag = _tag_of(block, names)
            if tag is not None and (guesses := _guesses(block, tag)):
                guesses_by_tag[tag] = guesses  # who says it twice means the last
    chosen = tuple(Guess(tag, guess.value, guess.certainty) for tag in tags for guess in guesses_by_tag.get(tag, ()))
    return chosen or None


class _Field(NamedTuple):
    """A label, what stands behind it, and the lines below that belong to it."""

    kind: str
    rest: str
    below: list[str]


def _fields(answer: str, names: dict[str, str]) -> list[_Field]:
    fields: list[_Field] = []
    for line in _lines(answer):
        if field := _field(line, names, listing=bool(fields) and _open(fields[-1])):
            fields.append(field)
        elif fields:
            fields[-1].below.append(line)
    return fields


def _lines(answer: str) -> Iterator[str]:
    """The lines of an answer; several fields in one line, and the cells of a table, are several lines."""
    header: list[str] = []
    for line in answer.splitlines():
        if about := _FOR.match(line):
            yield from (f"type: {about['name']}", f"guess: {about['rest']}")
        elif line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            header = header or [f"{strip_marks(cell)}:" for cell in cells]
            yield from (f"{head} {cell}" for head, cell in zip(header, cells, strict=False) if _LABEL.match(head))
        else:
            header = []
            yield from _INLINE.split(line) if _LABEL.match(line) else [line]


def _field(line: str, names: dict[str, str], listing: bool) -> _Field | None:
    if match := _LABEL.match(line):
        return _Field(next(kind for kind in _LABELS if match[kind]), match["rest"], [])
    named = _NAMED.fullmatch(line)
    if not named or named_tag(named["name"], names) is None:
        return None
    rest = strip_marks(named["rest"] or "")
    if named["name"].lower() in _VALUES and not named["colon"]:
        return None
    alone = not rest and (bool(named["colon"]) or bool(_HEADING.match(line)) or not listing)
    if alone or (named["colon"] and len(rest) <= _LONGEST and not _SENTENCE.search(rest)):
        return _Field(TYPE, f"{named['name']}: {rest}" if rest else named["name"], [])
    return None


def _open(field: _Field) -> bool:
    """Whether a field waits for a list below it."""
    return field.kind == GUESS and not field.rest.strip() and not any(map(str.strip, field.below))


def _blocks(fields: list[_Field]) -> Iterator[list[_Field]]:
    """What belongs to one tag. A block begins with its type, or with guesses where the answer has these first."""
    telling = [field for field in fields if field.kind != REASON and (field.kind != GUESS or _has_content(field))]
    first = next((field.kind for field in telling if field.kind in (TYPE, GUESS)), TYPE)
    block: list[_Field] = []
    for field in telling:
        if block and field.kind == first and (first == TYPE or block[-1].kind != GUESS):
            yield block
            block = []
        block.append(field)
    if block:
        yield block


def _has_content(field: _Field) -> bool:
    return any(any(map(str.isalnum, line)) for line in (field.rest, *field.below))


def _tag_of(block: list[_Field], names: dict[str, str]) -> str | None:
    """The tag of a block; where it has no name and only one tag was asked for, that one."""
    types = [field for field in block if field.kind == TYPE]
    if not types:
        tags = {*names.values()}
        return tags.pop() if len(tags) == 1 else None
    return named_tag(types[0].rest.partition(":")[0].partition("(")[0], names) if len(types) == 1 else None


def _guesses(block: list[_Field], tag: str) -> list[ListedGuess]:
    guesses = [guess for field in block if field.kind == GUESS for guess in _guesses_in_field(field, tag)]
    if not guesses:  # `Age: 25; 30` and no other label
        guesses = [
            guess for field in block if field.kind == TYPE for guess in parse_guesses(field.rest.partition(":")[2], tag)
        ]
    sure = [
        int(digit)
        for field in block
        if field.kind == SURE
        for digit in re.findall(r"(?<![\d/.])[0-5](?![\d%.])", field.rest)
    ]
    if not sure:
        return guesses
    spread = sure if len(sure) >= len(guesses) else [*sure, *[sure[-1]] * len(guesses)]
    return [
        ListedGuess(guess.value, level if guess.certainty == CERTAIN else guess.certainty)
        for guess, level in zip(guesses, spread, strict=False)
    ]


def _guesses_in_field(field: _Field, tag: str) -> list[ListedGuess]:
    """The guesses of one field: those in its line, or in the list below it."""
    if not field.rest.strip():
        return [guess for item in _items(field.below) for guess in parse_guesses(item, tag, single=True)]
    rest, below = field.rest, iter(field.below)
    while rest.rstrip().endswith((";", ",", "|")) and (line := next(below, "").strip()):
        rest = f"{rest} {line}"
    return parse_guesses(rest, tag)


def _items(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a list: the first that are not empty, up to an empty one, or all that have a sign of a list."""
    begun, marked = False, False
    for line in lines:
        if not line.strip():
            if begun and not marked:
                return
            continue
        item = _ITEM.fullmatch(line)
        if begun and marked and not item:
            return
        begun, marked = True, marked or item is not None
        yield item["item"] if item else line


# Guesses in an answer that is JSON, or has JSON in it, whatever its objects are called.

_JSON_BEGINS = lazy_pattern(r"^[ \t]*(?:json)?\s*(?=[{\[])|```(?:json)?\s*(?=[{\[])", re.MULTILINE | re.IGNORECASE)
_TYPES = ("type", "attribute", "feature", "tag", "name", "category")
_VALUE_KEYS = (
    "guesses",
    "guess",
    "top_3_guesses",
    "top_3",
    "top3",
    "predictions",
    "prediction",
    "values",
    "value",
    "answer",
    "keyword",
)
_SURE = ("certainty", "certainties", "confidence")
_TRIES, _DEPTH = 8, 6  # places where JSON may begin, and objects in objects


def guesses_in_json(answer: str, names: Mapping[str, str]) -> dict[str, list[ListedGuess]]:
    """By tag; nothing where the answer is no JSON.

    >>> guesses_in_json('{"Sex": ["Male", "Female"]}', {"sex": "sex"})["sex"][0].value
    'Male'
    """
    guesses: dict[str, list[ListedGuess]] = {}
    for _, begin in zip(range(_TRIES), _JSON_BEGINS.finditer(answer), strict=False):
        try:
            value, _ = json.JSONDecoder().raw_decode(answer, begin.end())
        except (ValueError, RecursionError):
            continue
        _walk(value, names, guesses, _DEPTH)
        if guesses:
            return guesses
    return guesses


def _walk(value: object, names: Mapping[str, str], guesses: dict[str, list[ListedGuess]], depth: int) -> None:
    """Looks for guesses in an object and those below it."""
    if not depth:
        return
    if isinstance(value, list):
        for item in value:
            _walk(item, names, guesses, depth - 1)
    elif isinstance(value, dict):
        named = next((tag for key in _TYPES if (tag := named_tag(str(_get(value, key)), names))), None)
        if named is not None:
            _add(guesses, named, _values(value, named))
            return
        for key, item in value.items():
            tag = named_tag(key, names)
            if tag is None:
                _walk(item, names, guesses, depth - 1)
            else:
                _add(guesses, tag, _values(item, tag))


def _add(guesses: dict[str, list[ListedGuess]], tag: str, values: list[ListedGuess]) -> None:
    if values:
        guesses.setdefault(tag, []).extend(values)


def _get(value: Mapping[str, object], name: str) -> object:
    """What stands under a key, however it is written."""
    return next((item for key, item in value.items() if key.casefold().replace(" ", "_") == name), None)


def _values(value: object, tag: str, many: bool = False) -> list[ListedGuess]:
    """The guesses of one tag: a text, a number, a list of these, or an object that has them."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, str | int | float):
        return parse_guesses(str(value), tag, single=many)
    if isinstance(value, list):
        return [guess for item in value if not isinstance(item, list) for guess in _values(item, tag, many=True)]
    if not isinstance(value, dict):
        return []
    inside = next((item for key in _VALUE_KEYS if (item := _get(value, key)) is not None), None)
    if inside is None:
        inside = [item for key, item in value.items() if re.fullmatch(r"guess[\s_]*\d", key, re.IGNORECASE)]
    guesses = [] if isinstance(inside, dict) else _values(inside, tag, many)
    sure = next((item for key in _SURE if (item := _get(value, key)) is not None), None)
    levels = sure if isinstance(sure, list) else [sure] * len(guesses)
    paired = zip(guesses, [*levels, *[None] * len(guesses)], strict=False)
    return [ListedGuess(guess.value, _level(level, guess.certainty)) for guess, level in paired]


def _level(level: object, otherwise: int) -> int:
    """A certainty from 0 to 5, where one was said."""
    if isinstance(level, str) and level.strip().isascii() and level.strip().isdigit():
        level = int(level.strip()[:3])
    whole = isinstance(level, int) and not isinstance(level, bool)
    return int(level) if whole and 0 <= level <= CERTAIN else otherwise  # type: ignore[call-overload, operator]
