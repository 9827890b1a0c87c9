"""Numbered labels: one number for each entity of a document, in the order in which they appear."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import count

from showthrough.data.documents import Document
from showthrough.systems.replacing._context import WORD, MaskedSpan
from showthrough.systems.surrogates.dates import day_comes_first, find_dates
from showthrough.systems.surrogates.names import proper_words
from showthrough.systems.surrogates.wordlists import FUNCTION

_MEN = frozenset(["mr", "sr", "don", "dn", "herr", "hr", "sir"])
_WOMEN = frozenset(["mrs", "ms", "miss", "mme", "sra", "srta", "doña", "dña", "dª", "frau", "fru", "frk", "lady"])
_WITH_NUMBERS = frozenset({"DATETIME", "AGE", "QUANTITY", "CODE", "ADDRESS", "ZIP"})
_NO_DAY = 3  # digits: DATE_12 for 12 May would be read as the 12, by metrics as by people, and DATE_012 is not


def number_labels(document: Document, spans: Sequence[MaskedSpan]) -> list[str | None]:
    """`PERSON_1`, `PERSON_2`, …, `DATE_001`; by label, so that a number tells the order of first appearance alone."""
    day_first = day_comes_first(span.text for span in spans if "DATETIME" in span.path)
    people = _People(span for span in spans if span.label and "PERSON" in span.path)
    order = sorted(range(len(spans)), key=lambda index: (spans[index].mask.start, spans[index].mask.end))
    width = _widths(spans)
    numbers: dict[str, dict[Hashable, int]] = {}
    written: dict[int, str | None] = {}
    for index in order:
        span = spans[index]
        if not span.label or not span.entity_type:
            written[index] = span.label
            continue
        key: Hashable
        if "PERSON" in span.path:
            key = people.entity(span)
        elif span.is_long:
            key = (span.mask.start, span.mask.end)
        elif "DATETIME" in span.path:
            key = _date(span.text, day_first) or _spelling(span)
        else:
            key = _spelling(span)
        entities = numbers.setdefault(span.label, {})
        written[index] = f"{span.label}_{entities.setdefault(key, len(entities) + 1):0{width[span.label]}d}"
    return [written[index] for index in range(len(spans))]


def _widths(spans: Sequence[MaskedSpan]) -> dict[str, int]:
    """How many digits the numbers of each label have: so many that none of them is a word of what is masked.

    All of a label have as many, so that no entity shows by its number which of them it says.
    """
    by_label: dict[str, list[MaskedSpan]] = defaultdict(list)
    for span in spans:
        by_label[span.label or ""].append(span)
    widths = {}
    for label, group in by_label.items():
        hidden = frozenset().union(*{span.words for span in group})
        least = _NO_DAY if any(_WITH_NUMBERS.intersection(span.path) for span in group) else 1
        widths[label] = next(
            width
            for width in count(least)
            if hidden.isdisjoint(f"{number:0{width}d}" for number in range(1, len(group) + 1))
        )
    return widths


def _spelling(span: MaskedSpan) -> str:
    """Equal for texts that differ in capitals, white space and punctuation alone."""
    between = "" if {"CODE", "CONTACT", "CREDENTIAL"} & set(span.path) else " "
    return between.join(WORD.findall(span.text.casefold())) or "".join(span.text.split())


def _date(text: str, day_first: bool | None) -> Hashable | None:
    """The day, month or year that a text says and nothing else; `None` where it says more, or there is no telling."""
    readings = {_read_date(text, order) for order in ((True, False) if day_first is None else (day_first,))}
    return readings.pop() if len(readings) == 1 else None


def _read_date(text: str, day_first: bool) -> tuple[str, int | None, int | None, int | None] | None:
    dates = [date for date in find_dates(text, day_first) if date.weekday is None]
    if len(dates) != 1 or dates[0].unit == "bare day":
        return None
    (date,) = dates
    parts = {field.text.casefold() for field in date.fields} | FUNCTION
    ordinals = {f"{date.day}{end}" for end in ("st", "nd", "rd", "th")}
    if any(word not in parts | ordinals for word in WORD.findall(text.casefold())):
        return None
    return "date", date.year, date.month, date.day


class _People:
    """Who is who: a name that is part of one longer one alone is the same person, and one that fits two is neither."""

    def __init__(self, spans: Iterable[MaskedSpan]) -> None:
        names = {_name(span) for span in spans}
        self._entities: dict[_Name, int] = {}
        roots: list[_Name] = []
        by_word: dict[str, set[int]] = {}
        genders = Counter(own for own, gender in names if gender)
        for name in sorted(names, key=_longest_first):
            own, gender = name
            whole = [word for word in own if len(word) > 1]
            fits = set.intersection(*(by_word.get(word, set()) for word in whole)) if whole else set()
            fits = {root for root in fits if _agrees(name, roots[root])}
            both = gender and genders[own] > 1  # Mr and Mrs Roe: which of them is Robin Roe, nobody says
            if len(fits) == 1 and not (both and roots[min(fits)][1] != gender):
                (root,) = fits
                roots[root] = (roots[root][0], roots[root][1] or gender)
            else:
                root = len(roots)
                roots.append(name)
                for word in whole:
                    by_word.setdefault(word, set()).add(root)
            self._entities[name] = root

    def entity(self, span: MaskedSpan) -> int:
        return self._entities[_name(span)]


def _longest_first(name: _Name) -> tuple[int, int, bool, _Name]:
    """By whole words, by all words, and of the same words those with a title first."""
    own, gender = name
    return -sum(len(word) > 1 for word in own), -len(own), not gender, name


_Name = tuple[tuple[str, ...], str]  # the words of a name in small letters, and what its title says of a person


def _name(span: MaskedSpan) -> _Name:
    own = tuple(match[0].casefold() for match in proper_words(span.text))
    titles = {word.casefold() for word in (*WORD.findall(span.before)[-1:], *WORD.findall(span.text)[:1])}
    gender = "m" if titles & _MEN else "f" if titles & _WOMEN else ""
    return own or (_spelling(span),), gender


def _agrees(name: _Name, root: _Name) -> bool:
    """Whether a name may be short for another: its initials are those of words that it does not say itself."""
    (own, gender), (whole, other) = name, root
    left = [word for word in whole if word not in own]
    initials = [word for word in own if len(word) == 1 and word not in whole]
    return not (gender and other and gender != other) and all(
        any(word[0] == letter for word in left) for letter in initials
    )
