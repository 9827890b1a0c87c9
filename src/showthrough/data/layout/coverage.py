"""Marks one anonymization in a span layout: what its masks hide, and what their replacements reveal again.

A replacement that writes a word of the original ("John Doe" by "John Smith") leaves that word to be read. Words are
whole tokens, compared in their reading form: `J o h n` and `XXXJohn` say John, as they do in a released text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import count
from operator import attrgetter
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Bytes, Codes, Ints, Ints8, Ints32, distinct
from showthrough.core.patterns import lazy_pattern
from showthrough.data.layout.characters import PLAIN, UNSURE
from showthrough.data.layout.span_index import IndexRanges, SpanIndex
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import Spans, count_before, eight_letters, find_openings
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.reading_form import legible, letters_of, reading_form
from showthrough.data.text_views import TextReading

Replacements = Literal["read", "trusted"]

# Nearly all replacements are labels and names: words of one case, whose signs nobody reads.
_WORDS = lazy_pattern(r"[^\w&%<*~`=\r\n]*+(?:(?:[A-Z]?[a-z]++|[A-Z]++|[0-9]++)(?:[] _,.()[/$'-]++|\Z))*+")
# What may read otherwise than its words stand there: letters apart; words glued together, markup, hyphens at the end of
# a line, what is encoded.
_APART = lazy_pattern(r"\b[^\W_]\b[\W_]+[^\W_]\b[\W_]+[^\W_]\b|_[^\W_]_[^\W_](?:_|\b)")
_SPELLED = lazy_pattern(r" [^\W_](?: [^\W_]){2,}(?= )")  # in a reading form: digits too, as of a number
_ODD = lazy_pattern(
    r"[a-z][A-Z0-9]|[A-Z]{2}[a-z]|[0-9][A-Z]?[a-z]{3}|[A-Za-z][0-9]{5}|[0-9]{5}[A-Za-z]|&#?\w+;|%[0-9A-Fa-f]{2}"
    r"|\w[<*~`]+\w|-\s*[\r\n]|[A-Za-z0-9+/]{7}="
)
_NAME, _CODE = 3, 5  # letters of a name, and digits of a number, that are read where they are glued to something
_SHORT = 80  # characters of a replacement that may well come again
_LONGEST = 60  # letters apart that are looked at: any part of them may be a word

_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number whose multiples spread


class Disclosures(NamedTuple):
    """Spans of the original that can be read in a replacement, ascending; `mask` is the number of the mask."""

    start: Ints
    end: Ints
    mask: Ints


_NOTHING = Disclosures(*np.zeros((3, 0), dtype=np.int64))


class Coverage:
    """The masks of one anonymization, joined where they overlap: `start`, `end` and `document` of each.

    `each` are the same of all masks as they were given, ascending, so that what is masked twice is there twice;
    `of_documents` the masks of each document.
    """

    def __init__(self, axis: SpanLayout, anonymization: Anonymization) -> None:
        self.axis = axis
        self.of_documents: list[Sequence[Mask]] = [anonymization.of(document.id) for document in axis.documents]
        masks = [mask for of_document in self.of_documents for mask in of_document]
        sizes = list(map(len, self.of_documents))
        document = np.repeat(np.arange(len(sizes)), sizes)
        shift = axis.bounds[document]
        start = np.fromiter(map(attrgetter("start"), masks), np.int64, len(masks)) + shift
        end = np.fromiter(map(attrgetter("end"), masks), np.int64, len(masks)) + shift
        order = np.argsort(start, kind="stable")
        start, end, document = start[order], end[order], document[order]
        opens = find_openings(start, end)
        self.each: tuple[Ints, Ints, Ints] = start, end, document
        self.start: Ints = start[opens]
        self.end: Ints = np.maximum.reduceat(end, opens) if len(opens) else end
        self.document: Ints = document[opens]
        self._masks, self._order, self._opens = masks, order, opens
        self._readable: dict[tuple[SpanIndex, Replacements], Ints32] = {}

    def is_covered(self, ranges: IndexRanges, span_index: SpanIndex, replacements: Replacements) -> Bools:
        """Which ranges of a span index have all of their characters hidden."""
        readable = self.readable(span_index, replacements)
        return np.asarray(readable[ranges.opens] == readable[ranges.closes])

    def readable(self, span_index: SpanIndex, replacements: Replacements) -> Ints32:
        """How many characters can be read before each place of a span index."""
        key = span_index, replacements
        if key not in self._readable:
            disclosures = self.disclosures if replacements == "read" else _NOTHING
            step = np.zeros(span_index.before[-1] + 1, dtype=np.int8)
            _count_edges(step, span_index.before, self.start, self.end, 1)
            _count_edges(step, span_index.before, disclosures.start, disclosures.end, -1)
            masked = np.cumsum(step[:-1], dtype=np.int8) > 0
            if len(span_index.whole):
                whole = _within(span_index.whole, self.start, self.end) & ~_within(
                    span_index.whole, disclosures.start, disclosures.end
                )
                masked = np.concatenate([masked, whole])
            self._readable[key] = count_before(~masked)
        return self._readable[key]

    @cached_property
    def hidden_before(self) -> Ints32:
        """How many characters of the span layout are hidden before each place; what replacements repeat is not."""
        step = np.zeros(len(self.axis) + 2, dtype=np.int8)
        positions = np.arange(len(self.axis) + 1, dtype=np.int32)
        _count_edges(step, positions, self.start, self.end, 1)
        _count_edges(step, positions, self.disclosures.start, self.disclosures.end, -1)
        return count_before(np.cumsum(step[:-2], dtype=np.int8) > 0)

    @cached_property
    def tokens(self) -> Spans:
        """The tokens under masks, cut off at their edges; `origin` is the mask."""
        return self.axis.tokens_in(self.start, self.end)

    @cached_property
    def replacement_texts(self) -> tuple[list[str], Ints]:
        """All texts that replace something, each once, and which of them stands in the place of each mask.

        Of joined masks all are taken together: which of them a tool wrote in the end, nobody can tell.
        """
        written = [mask.replacement or "" for mask in self._masks]
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        of_each = np.fromiter(map(numbers.__getitem__, written), dtype=np.int64, count=len(written))
        number = of_each[self._order[self._opens]]
        ends = np.append(self._opens, len(self._order))[1:]
        for group in np.flatnonzero(ends - self._opens > 1).tolist():
            together = self._order[self._opens[group] : ends[group]]
            joined = sorted({written[index] for index in together})
            number[group] = numbers["\n".join(joined)]
        return list(numbers), number

    @cached_property
    def disclosures(self) -> Disclosures:
        """What is under a mask and can be read in its replacement: tokens, and of masks without any token all."""
        texts, number = self.replacement_texts
        if not any(texts):
            return _NOTHING
        tokens = self.tokens
        spelled = [_spelled_before(text) if len(text) <= _SHORT else _spelled_out(text) for text in texts]
        sheet = SpanLayout.of_texts(spelled)
        again = find_repeats(self.axis, tokens, sheet, number[tokens.origin])
        count = np.bincount(tokens.origin, minlength=len(number))
        complete = np.bincount(tokens.origin, again, minlength=len(number)) == count
        last = np.cumsum(count)
        masks = np.flatnonzero(~complete)
        for mask in masks[self._alike(last[masks] - count[masks], last[masks] - 1, sheet, number[masks])].tolist():
            if letters_of(self.axis.text[self.start[mask] : self.end[mask]]) == letters_of(texts[number[mask]]):
                again[last[mask] - count[mask] : last[mask]] = True
        mute = np.flatnonzero(count == 0)
        signs = [self.axis.text[self.start[mask] : self.end[mask]].strip() for mask in mute]
        written = [bool(sign) and sign in spelled[number[mask]] for mask, sign in zip(mute, signs, strict=True)]
        mute = mute[np.array(written, dtype=bool)]
        start = np.concatenate([tokens.start[again], self.start[mute]])
        end = np.concatenate([tokens.end[again], self.end[mute]])
        mask = np.concatenate([tokens.origin[again], mute])
        order = np.argsort(start)
        return Disclosures(start[order], end[order], mask[order])

    def _alike(self, first: Ints, last: Ints, sheet: SpanLayout, number: Ints) -> Bools:
        """Which masks may write what they cover, with other borders of words: 3611097 for 36110/97.

        `first` and `last` are the tokens that each begins and ends with. What is written begins and ends with the same
        letters then. Few others do, so that few have to be read letter by letter.
        """
        words, tokens = sheet.tokens, self.tokens
        bounds = np.searchsorted(words.start, sheet.bounds)
        low, high = bounds[number], bounds[number + 1] - 1
        alike = low <= high  # something is written
        for ours, theirs in (
            (tokens.start[first], np.append(words.start, 0)[low]),
            (tokens.end[last] - 1, np.append(words.end, 1)[high] - 1),
        ):
            left, right = self.axis.letter_codes[ours], np.append(sheet.letter_codes, 0)[theirs]
            alike &= (left == right) | (left == UNSURE) | (right == UNSURE)
        return alike


def _spelled_out(text: str) -> str:
    """A replacement with its other spellings behind it: John_Doe is read as John Doe, and J o h n as John."""
    if text.isascii() and not _APART.search(text) and (_WORDS.fullmatch(text) or not _ODD.search(text)):
        return text if "_" not in text else f"{text}\n{text.replace('_', ' ')}"
    plain = legible(text)
    reading = TextReading(text)
    apart = (match[0].replace(" ", "")[:_LONGEST] for match in _SPELLED.finditer(reading.form))
    spelled = {run[low:high] for run in apart for low in range(len(run)) for high in range(low + _NAME, len(run) + 1)}
    words = sorted(word for word in {*reading.words, *spelled} if _is_read(word))
    return "\n".join(
        (text, plain, plain.replace("_", " "), *words, text)
    )  # it ends as it began: `_alike` looks at that


_spelled_before = lru_cache(maxsize=1 << 14)(_spelled_out)  # an anonymizer writes the same in chunk after chunk


def _is_read(word: str) -> bool:
    """Whether a word is more than what is left of a label where it is taken apart: DATE1, PERSON7."""
    return len(word) >= (_CODE if word.isdigit() else _NAME) or not word.isascii()


def _count_edges(step: Ints8, before: Ints32, start: Ints, end: Ints, sign: int) -> None:
    """Notes on a span index where disjoint spans open and close."""
    opens, closes = before[start], before[end]
    solid = opens < closes
    step[opens[solid]] += np.int8(sign)
    step[closes[solid]] -= np.int8(sign)


def _within(positions: Ints, start: Ints, end: Ints) -> Bools:
    """Which places lie in one of some spans that are disjoint and ascending."""
    last = np.searchsorted(start, positions, side="right") - 1
    return np.asarray(np.append(end, 0)[last] > positions)  # before the first span: the 0 at the end


def find_repeats(axis: SpanLayout, tokens: Spans, sheet: SpanLayout, text: Ints) -> Bools:
    """Which tokens are words of the text that is written for them; `text` is the number of that of each token.

    Texts are cut into words in a span layout of their own, `sheet`, each once however often it is written. Keys of
    first letters tell nearly all words; only where they cannot, words are compared letter by letter.
    """
    words, texts = sheet.tokens, len(sheet.bounds) - 1
    text_of_word = sheet.document_at(words.start)  # the text of each word
    again = np.zeros(len(tokens), dtype=bool)
    likely = np.flatnonzero(
        _begins_alike(axis.letter_codes[tokens.start], text, sheet.letter_codes[words.start], text_of_word, texts)
    )
    if not len(likely):
        return again
    written = _Keys.of(sheet, words.start, words.end, text_of_word)
    queries = _Keys.of(axis, tokens.start[likely], tokens.end[likely], text[likely])
    order = np.argsort(written.mixed, kind="stable")
    index = order[np.minimum(np.searchsorted(written.mixed[order], queries.mixed), len(order) - 1)]
    same = (written.letters[index] == queries.letters) & (text_of_word[index] == text[likely])
    again[likely] = same & written.whole[index] & queries.whole
    vague = queries.vague | (np.bincount(text_of_word, written.vague, minlength=texts) > 0)[text[likely]]
    unsure = likely[(vague | (written.mixed[index] == queries.mixed)) & ~again[likely]]
    bounds = np.searchsorted(text_of_word, np.arange(texts + 1))
    read = {
        number: {_fold_word(sheet.text[words.start[word] : words.end[word]]) for word in range(*bounds[number:][:2])}
        for number in distinct(text[unsure]).tolist()
    }
    for token in unsure.tolist():
        again[token] = _fold_word(axis.text[tokens.start[token] : tokens.end[token]]) in read[int(text[token])]
    return again


def _fold_word(word: str) -> str:
    return word.casefold() if word.isascii() else reading_form(word) or word.casefold()


def _begins_alike(letter: Bytes, text: Ints, written: Bytes, text_of_word: Ints, texts: int) -> Bools:
    """Which words begin with a letter with which a word of their text begins: that leaves few of them."""
    begins = np.zeros((texts, UNSURE + 1), dtype=bool)
    begins[text_of_word, written] = True
    begins[begins[:, UNSURE]] = True
    begins[:, UNSURE] = begins.any(axis=1)
    return np.asarray(begins[text, letter])


class _Keys(msgspec.Struct, frozen=True):
    """Words by their first letters."""

    letters: Codes  # eight of them as one number
    mixed: Codes  # with the number of the text that the word belongs to
    whole: Bools  # whether the letters are all of the word, and no others would give the same number
    vague: Bools  # whether another spelling has other numbers

    @classmethod
    def of(cls, axis: SpanLayout, start: Ints, end: Ints, text: Ints) -> _Keys:
        letters = eight_letters(axis.letter_codes, start, end)
        # Column by column: a maximum of eight beside each other takes several times as long.
        highest = np.maximum.reduce(list(letters.view(np.uint8).reshape(-1, 8).T))
        whole = (end - start <= 8) & (highest <= PLAIN)
        return cls(letters, letters * _MIX + text.astype(np.uint64), whole, highest == UNSURE)
