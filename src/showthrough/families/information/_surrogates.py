"""Which replacements are surrogates, of what kind each is, and the names, days and numbers that it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal

from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Document, Mention
from showthrough.data.labels import Labels
from showthrough.data.masks import Mask
from showthrough.data.reading_form import reading_form
from showthrough.data.types import nearest, path_of, treated_as
from showthrough.families.reconstruction.slots import way_of
from showthrough.metrics.matching._dates import MONTHS, complete_dates
from showthrough.metrics.matching.forms import INSTITUTION_FORMS, LONGEST, PARTICLE_FORMS, TITLE_FORMS
from showthrough.metrics.released_text import ReleasedText
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.countries import names_of_countries
from showthrough.models.gazetteer import lies_in
from showthrough.models.person_names import is_given_name, shown_by_name, shown_by_noun

Kind = Literal["person", "place", "organization", "date", "age", "code", "contact", "quantity", "word", "number", ""]

_BESIDE = 30  # characters before a mask in which a title or the name of a number may stand
_EMAIL = lazy_pattern(r"[^@\s]+@[^@\s]+\.[^\W\d_]{2,}")
_URL = lazy_pattern(r"(?:https?://|www\.)\S+\.\S+|(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?")
_IP = lazy_pattern(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)|(?=.*:.*:)[0-9A-Fa-f:]{3,39}")
_YEAR = lazy_pattern(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_AMOUNT = lazy_pattern(r"[€£$¥%]|\b(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b")
_TWO_NUMBERS = lazy_pattern(r"(?<!\d)(\d{1,2})\s?([-./])\s?(\d{1,2})\s?\2\s?\d{2,4}(?!\d)")
_DIGITS = lazy_pattern(r"\d+")
_DATE_PART = lazy_pattern(r"\d+|[^\W\d_]+")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_DECADE = lazy_pattern(r"\d0s\b")
_IN_NAMES = "the el la los las der die das le les l il lo i gli de het den di da do van von af av"


@dataclass(frozen=True)
class SurrogatePair:
    """What a mask hides and what it writes instead."""

    start: int
    end: int
    hidden: str
    written: str
    kind: Kind  # of what is hidden
    entity_type: str
    before: str  # what stands just before it in its line

    @cached_property
    def key(self) -> tuple[str, ...]:
        return key_of(self.hidden, self.kind)

    @cached_property
    def new_key(self) -> tuple[str, ...]:
        return key_of(self.written, self.kind)

    def day(self, written: bool, day_first: bool | None) -> date | None:
        return day_of(self.written if written else self.hidden, day_first)


def surrogates_of(document: Document, masks: Iterable[Mask], labels: Labels) -> tuple[list[SurrogatePair], int]:
    """The surrogates of a document in the order of the text, and the number of its masks.

    Not among them are labels, numbers and stars, wider terms, descriptions (`a court` for `Oslo District Court`), and
    whatever hides more than an identifier, such as a passage.

    >>> masks = [Mask(0, 3, "Eva"), Mask(7, 11, "Norway"), Mask(15, 25, "[DATE]")]
    >>> pairs, count = surrogates_of(Document("d", "Ann of Oslo on 2019-03-12"), masks, Labels([]))
    >>> [(pair.hidden, pair.written, pair.kind) for pair in pairs], count
    ([('Ann', 'Eva', 'person')], 3)
    """
    text, flat = document.text, ReleasedText.of(document.text, masks).masks
    types, mentions = _types(masks), _typed_mentions(document)
    pairs = []
    for mask in flat:
        hidden, written = text[mask.start : mask.end], " ".join((mask.replacement or "").split())
        if max(len(hidden), len(written)) > LONGEST or not any(map(str.isalnum, hidden)):
            continue
        entity_type = types.get((mask.start, mask.end), "") or _marked_type(mask, mentions)
        kind = kind_of_type(entity_type) or shown_kind(hidden)
        way = way_of(written, hidden, labels)[0]
        if way == "generalized" and kind in ("code", "number") and not _share_words(written, hidden):
            way = "surrogate"  # 12-34 is no range
        if way == "surrogate" and not _describes(written, hidden, kind):
            before = text[max(0, mask.start - _BESIDE) : mask.start].rpartition("\n")[2]
            pairs.append(SurrogatePair(mask.start, mask.end, hidden, written, kind, entity_type, before))
    return pairs, len(flat)


def _share_words(*texts: str) -> bool:
    first, second = (set(reading_form(text).split()) for text in texts)
    return not first.isdisjoint(second)


def _types(masks: Iterable[Mask]) -> dict[tuple[int, int], str]:
    """The types of masks by their spans; of several in one place the first by name."""
    typed = sorted(((mask.start, mask.end), mask.entity_type) for mask in masks if mask.entity_type)
    return dict(reversed(typed))


def _typed_mentions(document: Document) -> list[Mention]:
    mentions = (mention for layer in document.annotations for mention in layer.mentions if mention.entity_type)
    return sorted(mentions, key=lambda mention: (mention.start, mention.end, mention.entity_type))


def _marked_type(mask: Mask, mentions: Sequence[Mention]) -> str:
    """The type of the shortest mention that has all of a mask."""
    around = [mention for mention in mentions if mention.start <= mask.start and mask.end <= mention.end]
    return (
        min(around, key=lambda mention: (mention.end - mention.start, mention.entity_type)).entity_type
        if around
        else ""
    )


def _describes(written: str, hidden: str, kind: Kind) -> bool:
    """Whether a text says what something is, and not another one of it: `a court in Poland`, `mid-2010`.

    Dates with fewer parts than before, and decades, are wider; so is what begins with an article or a preposition in
    place of a name.
    """
    if kind == "date" and _date_parts(written):
        return _date_parts(written) < _date_parts(hidden) or bool(_DECADE.search(written))
    words = written.split()
    if len(words) < 2 or not (hidden[0].isupper() or hidden[0].isdigit()):
        return False
    return words[0] in _opening_words() or not any(sign.isupper() or sign.isdigit() or sign in "@/" for sign in written)


@lru_cache(maxsize=1)
def _opening_words() -> frozenset[str]:
    """Prepositions, and determiners but for articles with which names begin."""
    small = (f"{closed.adpositions} {closed.determiners}".split() for closed in CLOSED_CLASSES.values())
    return frozenset(chain.from_iterable(small)).difference(_IN_NAMES.split())


def _date_parts(text: str) -> int:
    return sum(part.isdigit() or part in MONTHS for part in _DATE_PART.findall(reading_form(text)))


@lru_cache(maxsize=4096)
def kind_of_type(entity_type: str) -> Kind:
    """How a surrogate of a type is made; empty where nobody knows the type, or it says little."""
    kind = nearest(entity_type) if entity_type else None
    path = path_of(kind) if kind else ()
    if "QUANTITY" in path:
        return "quantity"
    return "" if kind in ("MISC", "OTHER", "OTROS_SUJETO_ASISTENCIA") or not kind else treated_as(kind).kind


@lru_cache(maxsize=1 << 16)
def shown_kind(text: str) -> Kind:
    """The kind that a text shows by itself; empty where it may be anything.

    >>> [shown_kind(text) for text in ("Mrs Roe", "Oslo", "Brell Clinic", "May 2019")]
    ['person', 'place', 'organization', 'date']
    >>> [shown_kind(text) for text in ("a@b.org", "EUR 5", "12-B", "Brell")]
    ['contact', 'quantity', 'number', '']
    """
    bare = text.strip(" .,;:()")
    words = reading_form(bare).split()
    if contact_form(bare):
        return "contact"
    months = [word for word in words if word in MONTHS]
    if any(map(str.isdigit, bare)):
        if complete_dates(bare) or (months and len(words) <= 4) or _YEAR.fullmatch(bare):
            return "date"
        return "quantity" if _AMOUNT.search(bare) else "number"
    if months and len(words) == 1 and not is_given_name(words[0]):
        return "date"
    if lies_in(bare) or " ".join(words) in _countries():
        return "place"
    if words and (words[0] in TITLE_FORMS or is_given_name(words[0])):
        return "person"
    if not INSTITUTION_FORMS.isdisjoint(words):
        return "organization"
    if shown_by_name(bare).gender:
        return "person"
    return "word" if shown_by_noun(bare).gender else ""


@lru_cache(maxsize=1)
def _countries() -> frozenset[str]:
    return frozenset(map(reading_form, names_of_countries()))


@lru_cache(maxsize=1 << 16)
def key_of(text: str, kind: Kind) -> tuple[str, ...]:
    """What makes two texts say the same: of a person the names without titles, of a number its letters and digits."""
    words = reading_form(text).split()
    if kind in ("code", "contact", "number"):
        return ("".join(words),)
    if kind != "person":
        return tuple(words)
    names = [word for word in words if word not in TITLE_FORMS and word not in PARTICLE_FORMS]
    return tuple(word for word in names or words if len(word) > 1)


@lru_cache(maxsize=1 << 16)
def surnames(text: str) -> frozenset[str]:
    """The family names of a full name, in reading form; empty where nothing shows which they are.

    >>> [sorted(surnames(name)) for name in ("Mary Ann Doe", "Pérez García, José", "Doe", "Juan Pérez")]
    [['doe'], ['garcia', 'perez'], [], ['perez']]
    """
    family, comma, _ = text.partition(",")
    words = key_of(family if comma else text, "person")
    rest = words if comma else words[1:]
    return frozenset(word for word in rest if word == rest[-1] or not is_given_name(word))


def format_of(text: str, kind: Kind) -> str:
    """How a number or a date is written: `99 M 9999` and `A999` are formats, where a run of digits may be of any length
    in all but codes.

    >>> format_of("5 May 2019", "date"), format_of("29 de octubre de 1997", "date"), format_of("B-1234", "code")
    ('9 M 9', '9 de M de 9', 'A-9999')
    """
    if kind in ("code", "number"):
        signs = (
            "9" if sign.isdigit() else ("A" if sign.isupper() else "a") if sign.isalpha() else sign for sign in text
        )
        return "".join(signs)
    form = _DIGITS.sub("9", text.strip())
    if kind == "date":
        form = _LETTERS.sub(lambda match: "M" if reading_form(match[0]) in MONTHS else match[0], form)
    return form if form.count("M") else form.casefold()


def contact_form(text: str) -> str:
    """Which kind of address a text is, where it is one."""
    bare = text.strip()
    forms = (("e-mail", _EMAIL), ("IP", _IP), ("URL", _URL))
    return next((name for name, pattern in forms if pattern.fullmatch(bare)), "")


@lru_cache(maxsize=1 << 16)
def day_of(text: str, day_first: bool | None) -> date | None:
    """The one day that a text says; none where it says more, or 03/04/2019 and nobody knows which is the month."""
    days = complete_dates(text)
    if len(days) == 1:
        return next(iter(days))
    numbers = _TWO_NUMBERS.findall(text)
    if len(days) != 2 or len(numbers) != 1:
        return None
    first, sign, second = numbers[0]
    order = True if sign == "." else day_first
    parts = {True: (int(second), int(first)), False: (int(first), int(second))}
    return None if order is None else next((day for day in days if (day.month, day.day) == parts[order]), None)


def day_comes_first(texts: Iterable[str]) -> bool | None:
    """Whether days come before months in dates of numbers, by those that can be read one way only; else unknown."""
    shown = Counter(
        int(first) > 12
        for text in texts
        for first, _, second in _TWO_NUMBERS.findall(text)
        if (int(first) > 12) != (int(second) > 12)
    )
    return next(iter(shown)) if len(shown) == 1 else None
