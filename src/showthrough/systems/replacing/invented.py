"""Surrogates in place of what is masked: those of the clinical part, without a word of the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from random import Random

from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.kinds import treated_as
from showthrough.data.masks import Mask, apply_masks
from showthrough.data.provenance import text_digest
from showthrough.systems.replacing.masked import WORD, Masked, words
from showthrough.systems.replacing.said_dates import says_only
from showthrough.systems.surrogates.dates import Shift, written_dates
from showthrough.systems.surrogates.invention import characters
from showthrough.systems.surrogates.replacement import surrogates

# A type that the clinical part knows, for each kind of surrogates. What stood for any other word would mean nothing.
_TYPES = {
    "person": "PERSON", "place": "LOCATION", "organization": "ORG", "date": "DATETIME", "age": "AGE", "code": "CODE",
    "contact": "EMAIL",
}  # fmt: skip
_QUANTITY = "quantity"
_STEPS = 400  # days, until day, month and year are others
_TRIES = 20
_EDGES = re.compile(r"^[\s,.;:/–-]+|[\s,;:/–(-]+$")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_GAPS = re.compile(r"\s*\(\s*\)|\s+(?=[,;.)])|(?<=\()\s+|[,;/–-](?=\s*[,;/–-])")


def invented(document: Document, found: Sequence[Masked]) -> list[str | None]:
    """What stands for persons, places, organizations, dates, ages, codes and contacts; of all else, the label.

    The same document has the same surrogates wherever it is, since nothing but its text decides.
    """
    seed = text_digest(document.text)
    places = [place for place, one in enumerate(found) if _kind(one) in _TYPES]
    mentions = tuple(
        Mention(found[place].mask.start, found[place].mask.end, _TYPES[_kind(found[place])]) for place in places
    )
    made = dict(zip(places, _surrogates(document.text, seed, mentions), strict=True))
    return [_written(one, made.get(place, one.text), seed) for place, one in enumerate(found)]


def _surrogates(text: str, seed: str, mentions: tuple[Mention, ...]) -> list[str]:
    if not mentions:
        return []
    (made,) = surrogates(Corpus([Document(seed, text, (Annotation("masks", mentions),))])).corpus
    return [made.text[one.start : one.end] for one in made.annotations[0].mentions]


def _kind(one: Masked) -> str:
    """How a surrogate is made; empty where nobody knows the type."""
    if "QUANTITY" in one.path:
        return _QUANTITY
    return treated_as(one.path[-1]).kind if one.path else ""


def _written(one: Masked, made: str, seed: str) -> str | None:
    kind = _kind(one)
    if kind not in (*_TYPES, _QUANTITY):
        return one.label
    if kind == "date":
        made = _other_date(one, made)
    random = None if kind == "date" else Random(f"{seed}\0{one.text}")
    new = _without_repeats(one, _plain(made), random)
    new = _ENDS.sub("", new) if kind == "contact" else new
    return new if words(new) and not one.repeats(new) else one.label


def _plain(text: str) -> str:
    """One line, without characters that nobody sees."""
    return "".join(one for one in " ".join(text.split()) if unicodedata.category(one)[0] != "C")


def _other_date(one: Masked, made: str) -> str:
    """A date none of whose parts is one of the original's; empty where anything else is said, as in `before 2019`.

    All dates of a record move together, so that some keep their day or month by chance. These move on.
    """
    dates = written_dates(made, day_first=True)
    for step in range(_STEPS if says_only(made, dates) else 0):
        shift = Shift(step, step, step)
        new = [part for date in dates for part in date.shifted(shift, date.year or 2001)]
        if one.words.isdisjoint(text.casefold() for _, text in new):
            return apply_masks(made, [Mask(field.start, field.end, text) for field, text in new])
    return ""


def _without_repeats(one: Masked, made: str, random: Random | None) -> str:
    """Words of the original are left out, as the `Hospital` of another hospital; numbers become others by chance."""

    def other(match: re.Match[str]) -> str:
        text = match[0]
        if not one.repeats(text):
            return text
        if random is None or not any(map(str.isdigit, text)):
            return ""
        tries = (characters(random, text) for _ in range(_TRIES))
        return next((new for new in tries if not one.repeats(new) and (new[0] != "0" or text[0] == "0")), "")

    kept = WORD.sub(other, made)
    if kept == made:
        return made
    return _EDGES.sub("", " ".join(_GAPS.sub("", kept).split()))
