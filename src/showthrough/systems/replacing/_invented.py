"""Surrogates in place of what is masked: those of the clinical part, without a word of the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from random import Random

from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.masks import Mask, apply_masks
from showthrough.data.provenance import text_digest
from showthrough.data.types import treated_as
from showthrough.systems.replacing._context import WORD, MaskedSpan, words
from showthrough.systems.replacing._generalized import says_only
from showthrough.systems.surrogates.dates import Shift, find_dates
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


def invent_surrogates(document: Document, spans: Sequence[MaskedSpan]) -> list[str | None]:
    """What stands for persons, places, organizations, dates, ages, codes and contacts; of all else, the label.

    The same document has the same surrogates wherever it is, since nothing but its text decides.
    """
    seed = text_digest(document.text)
    positions = [position for position, span in enumerate(spans) if _kind(span) in _TYPES]
    mentions = tuple(
        Mention(spans[position].mask.start, spans[position].mask.end, _TYPES[_kind(spans[position])])
        for position in positions
    )
    new_texts = dict(zip(positions, _surrogates(document.text, seed, mentions), strict=True))
    return [_write_surrogate(span, new_texts.get(position, span.text), seed) for position, span in enumerate(spans)]


def _surrogates(text: str, seed: str, mentions: tuple[Mention, ...]) -> list[str]:
    if not mentions:
        return []
    (surrogate,) = surrogates(Corpus([Document(seed, text, (Annotation("masks", mentions),))])).corpus
    return [surrogate.text[mention.start : mention.end] for mention in surrogate.annotations[0].mentions]


def _kind(span: MaskedSpan) -> str:
    """How a surrogate is made; empty where nobody knows the type."""
    if "QUANTITY" in span.path:
        return _QUANTITY
    return treated_as(span.path[-1]).kind if span.path else ""


def _write_surrogate(span: MaskedSpan, surrogate: str, seed: str) -> str | None:
    kind = _kind(span)
    if kind not in (*_TYPES, _QUANTITY):
        return span.label
    if kind == "date":
        surrogate = _other_date(span, surrogate)
    random = None if kind == "date" else Random(f"{seed}\0{span.text}")
    new = _without_repeats(span, _plain(surrogate), random)
    new = _ENDS.sub("", new) if kind == "contact" else new
    return new if words(new) and not span.repeats(new) else span.label


def _plain(text: str) -> str:
    """One line, without characters that nobody sees."""
    return "".join(character for character in " ".join(text.split()) if unicodedata.category(character)[0] != "C")


def _other_date(span: MaskedSpan, surrogate: str) -> str:
    """A date none of whose parts is one of the original's; empty where anything else is said, as in `before 2019`.

    All dates of a record move together, so that some keep their day or month by chance. These move on.
    """
    dates = find_dates(surrogate, day_first=True)
    for step in range(_STEPS if says_only(surrogate, dates) else 0):
        shift = Shift(step, step, step)
        new = [part for date in dates for part in date.shift_fields(shift, date.year or 2001)]
        if span.words.isdisjoint(text.casefold() for _, text in new):
            return apply_masks(surrogate, [Mask(field.start, field.end, text) for field, text in new])
    return ""


def _without_repeats(span: MaskedSpan, surrogate: str, random: Random | None) -> str:
    """Words of the original are left out, as the `Hospital` of another hospital; numbers become others by chance."""

    def other(match: re.Match[str]) -> str:
        text = match[0]
        if not span.repeats(text):
            return text
        if random is None or not any(map(str.isdigit, text)):
            return ""
        tries = (characters(random, text) for _ in range(_TRIES))
        return next((new for new in tries if not span.repeats(new) and (new[0] != "0" or text[0] == "0")), "")

    result = WORD.sub(other, surrogate)
    if result == surrogate:
        return surrogate
    return _EDGES.sub("", " ".join(_GAPS.sub("", result).split()))
