"""Whose release is it: releases that are another document's, and releases that are unlike their original.

S, the share that a release has of a document, is the number of its words outside placeholders that occur there in the
same order, divided by the number of its words. A release of 20 words or more that shares 0.1 more with another document
than with its own is paired wrongly; one that shares less than 0.1 with its own, or that is a known refusal of a
language model, is unlike its original.

Most documents need no look at their texts: masks and lengths tell that what they write is too little for either.
Candidates for another owner come from rare words, and rows of three and seven words, that a release shares with few
documents.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Bools, Codes, Ints, distinct
from showthrough.core.errors import InputError, Problem, join_names, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask, flatten_masks
from showthrough.data.pairing import Pairing
from showthrough.evaluation.refusals import SHORT, is_refusal
from showthrough.models.detectors.base import LABELS, is_placeholder

MORE = 0.1  # of its words that a release shares with another document than its own, and is paired wrongly
_REFUSED = 0.5  # share of words that a refusal has of the original, at most
LEAST = 0.1  # of its words that a release shares with its original, or is unlike it
LONG = 20  # words of a release from which on it is told whose it is
_FEW, _SHARE = 3, 0.05  # releases of others, in number or of all documents, that are an error
_WIDE = 100  # characters a word in a text of which nothing but its length is known: no text has longer ones on average
_LONGEST = 50_000  # words from the start that tell whose a release is: comparing all is quadratic
_RARE, _TENTH = 50, 10  # documents that a rare word stands in: at most these, and a tenth of all
_LENGTHS = (3, 7)  # words in a row, which are rare where words are not
_ROWS = 5  # rows of three words, fewer of which tell nothing
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit of a word is lost
_RAREST = 12  # words, and rows of them, of a release by which candidates are found
_CANDIDATES = 3  # documents that a release is compared with beside its own
_SAMPLED, _BUDGET = 96, 2_000_000  # words and rows that are looked for: of a release, of all releases
_HELD = 8_000_000  # places of such words, beyond which those of frequent ones are let go
_CACHED = 500_000  # words whose numbers are kept

# Scripts without spaces between words: every character is a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
_SPACED = lazy_pattern(r"[\[<{]?\w+")
_MIXED = lazy_pattern(rf"[\[<{{]?[^\W{_UNSPACED}]+|[{_UNSPACED}]")
_HAS_UNSPACED = lazy_pattern(f"[{_UNSPACED}]")
_UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])  # soft hyphens, and what has no width
_LABEL = lazy_pattern(r"[A-Z][A-Z_-]+\d*\Z")  # between brackets: [ORG_3], <MEDICATION>


class Releases(msgspec.Struct, frozen=True):
    """What the releases of one anonymization are, as far as it matters whose they are."""

    unlike: Sequence[str] = ()  # documents whose release is unlike their original
    refusals: int = 0  # those of them that are refusals of a language model
    others: Mapping[str, str] = msgspec.field(default_factory=dict)  # documents to those whose text their release is

    def is_error(self, documents: int) -> bool:
        """Whether so many are paired wrongly that no number of them means anything."""
        count = len(self.others)
        return count > 0 and (count >= _FEW or count >= _SHARE * documents)


def releases_of(corpus: Corpus, anonymizations: Sequence[Anonymization]) -> dict[str, Releases]:
    """By name. All documents are gone through some at a time, and only those are read that masks do not tell of."""
    looks = [_Look(corpus, anonymization) for anonymization in anonymizations]
    for numbers in corpus.chunks() if looks else ():
        to_read = [(look, document_numbers) for look in looks if (document_numbers := look.select_documents(numbers))]
        documents = _documents(corpus, numbers, {number for _, selection in to_read for number in selection})
        for look, document_numbers in to_read:
            look.at({number: documents[number] for number in document_numbers})
    return {look.name: look.releases() for look in looks}


def check_releases(
    corpus: Corpus, anonymizations: Sequence[Anonymization], releases_by_name: Mapping[str, Releases]
) -> None:
    """Raises InputError where an anonymization has releases of other documents than their ids say."""
    problems = []
    for anonymization in anonymizations:
        releases = releases_by_name[anonymization.name]
        if releases.is_error(len(corpus)):
            fault = f"{_of_others(releases, len(corpus))}; expected each document's own: correct the ids"
            fault += ', or go on with --pairing trust (in Python, pairing="trust")'
            problems.append(Problem(anonymization.source or anonymization.name, "", fault))
    if problems:
        raise InputError(problems)


def release_notices(corpus: Corpus, releases_by_name: Mapping[str, Releases], pairing: Pairing) -> list[str]:
    """What a reader must know of whose releases these are."""
    lines = []
    for name, releases in releases_by_name.items():
        if releases.others:
            trusted = ", because of --pairing trust" if pairing == "trust" else ""
            line = f"{_of_others(releases, len(corpus))}; they are scored as they are{trusted}"
            lines.append(str(Problem("", name, line)))
        elif pairing == "trust":
            lines.append(str(Problem("", name, "no release is another document's; --pairing trust was not needed")))
        if releases.unlike:
            lines.append(str(Problem("", name, _unlike(releases, len(corpus)))))
    return lines


def _of_others(releases: Releases, documents: int) -> str:
    examples = join_names(
        f"{shorten(document)} has the text of {shorten(other)}" for document, other in releases.others.items()
    )
    verb = "release is another document's" if len(releases.others) == 1 else "releases are other documents'"
    return f"{len(releases.others):,} of {documents:,} {verb} than the id says ({examples})"


def _unlike(releases: Releases, documents: int) -> str:
    count = len(releases.unlike)
    verb = "release is unlike its original" if count == 1 else "releases are unlike their originals"
    refusals = f", {releases.refusals:,} as a language model's refusal" if releases.refusals else ""
    line = f"{count:,} of {documents:,} {verb}{refusals} ({join_names(releases.unlike)})"
    return f"{line}: they count like all others, so read a few; above 5 %, no verdict says met"


class _WordCounts(NamedTuple):
    """What masks write: words that may be of some text, and words of placeholders."""

    new: int
    placeholders: int


class _Replacements(dict[str, _WordCounts]):
    """By replacement: masks repeat them."""

    def __missing__(self, replacement: str) -> _WordCounts:
        words = _split_words(replacement)
        placeholders = sum(_NUMBERING[word] & 1 for word in words)
        counts = _WordCounts(len(words) - placeholders, placeholders)
        if len(self) < _CACHED:
            self[replacement] = counts
        return counts


class _Numbering(dict[str, int]):
    """Words as numbers of 64 bits: those of placeholders are odd. The same in every process."""

    def __missing__(self, word: str) -> int:
        marked = word[0] in "[<{"
        bare = word[1:] if marked else word
        hole = _is_label(bare) if marked else is_placeholder(bare)
        spelt = word if hole else bare.casefold()
        number = int.from_bytes(blake2b(spelt.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        number = number | 1 if hole else number & ~1
        if len(self) < _CACHED:
            self[word] = number
        return number


def _is_label(word: str) -> bool:
    """Whether a word behind a bracket stands for something that was taken out: [Name], <MEDICATION>, [X]."""
    return is_placeholder(word) or bool(_LABEL.match(word)) or word.strip("_0123456789").upper() in LABELS


_NUMBERING = _Numbering()


def _words(text: str, most: int | None = None) -> Codes:
    """The words of a text by number, in whatever case and however its characters are composed; or the first of them."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        if any(chr(code_point) in text for code_point in _UNSEEN):
            text = text.translate(_UNSEEN)
    return np.array(list(map(_NUMBERING.__getitem__, _split_words(text)[:most])), dtype=np.uint64)


def _split_words(text: str) -> list[str]:
    """The words of a text as they stand there, each with the bracket before it."""
    spaced = text.isascii() or not _HAS_UNSPACED.search(text)
    return (_SPACED if spaced else _MIXED).findall(text)


def _flags(words: Codes) -> Bools:
    """Which of them are placeholders."""
    return (words & np.uint64(1)).astype(bool)


def count_shared(release: Codes, document: Codes) -> int:
    """How many words of a release occur in a document in the same order."""
    from rapidfuzz.distance import LCSseq  # asked for where masks alone do not tell

    return int(LCSseq.similarity(release[:_LONGEST].tolist(), document[:_LONGEST].tolist()))


class _Suspect(NamedTuple):
    """A release that may be another document's."""

    number: int  # of its document
    words: int
    own: int  # words that it shares with its original
    sample: Codes  # words and rows of words, each of which may be rare


class _Look:
    """What is found out about the releases of one anonymization."""

    def __init__(self, corpus: Corpus, anonymization: Anonymization) -> None:
        self.name = anonymization.name
        self._corpus, self._anonymization = corpus, anonymization
        self._replacements = _Replacements()
        # What was handed in as a whole text may differ from what masks make.
        self._all = type(anonymization).texts is not Anonymization.texts
        self._unlike: dict[int, bool] = {}  # numbers, and whether it is a refusal
        self._suspects: list[_Suspect] = []

    def select_documents(self, numbers: range) -> list[int]:
        """Documents among some whose texts have to be read."""
        ids = self._corpus.ids[numbers.start : numbers.stop]
        masks = self._anonymization.part(ids).masks
        lengths = self._corpus.survey.lengths[numbers.start : numbers.stop].tolist()
        rows = zip(numbers, ids, lengths, strict=True)
        return [
            number
            for number, document_id, length in rows
            if length and self._may_differ(masks.get(document_id, ()), length)
        ]

    def _may_differ(self, masks: Sequence[Mask], length: int) -> bool:
        """Whether masks, and the length of the text, leave open that the release is another's or unlike its own.

        With k words kept, n new ones and p of placeholders, the own share is k / (k+n+p) or more, and another's
        (k+n) / (k+n+p) or less: 0.1 more takes k <= 9n, and less than 0.1 takes 9k < n+p.
        """
        if self._all or not masks:
            return self._all
        masked, written = self._counts(masks)
        left = length - masked
        return (
            masked >= left or left <= 9 * _WIDE * written.new or 9 * left < _WIDE * (written.new + written.placeholders)
        )

    def _counts(self, masks: Iterable[Mask]) -> tuple[int, _WordCounts]:
        masked = new = placeholders = 0
        cache = self._replacements
        for mask in masks:
            masked += mask.end - mask.start
            if mask.replacement:
                counts = cache[mask.replacement]
                new += counts.new
                placeholders += counts.placeholders
        return masked, _WordCounts(new, placeholders)

    def at(self, documents: Mapping[int, Document]) -> None:
        """Looks at some documents, and remembers what may be wrong with them."""
        part = self._anonymization.part([document.id for document in documents.values()])
        left = {
            number: document
            for number, document in documents.items()
            if self._all or not self._is_plain(document.text, part.of(document.id))
        }
        texts = part.texts(Corpus(list(left.values())))
        for number, document in left.items():
            if document.id in texts:
                self._look_at(number, document.text, texts[document.id])

    def _is_plain(self, text: str, masks: Sequence[Mask]) -> bool:
        """Whether the number of words alone tells that nothing is wrong."""
        # A word that a mask cuts is not kept; the spans stand apart, so that none joins another.
        remaining = len(_split_words(text)) - len(
            _split_words(" ".join([text[mask.start : mask.end] for mask in flatten_masks(masks)]))
        )
        _, (new, placeholders) = self._counts(masks)
        words = remaining + new + placeholders
        if remaining <= 0 or words <= SHORT:
            return False
        return new < MORE * words and remaining >= LEAST * words

    def _look_at(self, number: int, original: str, release: str) -> None:
        own, words = _words(original), _words(release)
        if not len(words):
            if len(own):
                self._unlike[number] = False
            return
        count, same = min(len(words), _LONGEST), count_shared(words, own)
        # A letter that begins with "I'm sorry" is no refusal as long as it says what the original says.
        if same < _REFUSED * count and is_refusal(release, original):
            self._unlike[number] = True
            return
        if same < LEAST * count:
            self._unlike[number] = False
        content = count - int(_flags(words[:count]).sum())
        if count >= LONG and _is_more(content, same, count):
            self._suspects.append(_Suspect(number, count, same, _sample(words[:count])))

    def releases(self) -> Releases:
        owners = self._find_owners()
        ids = self._corpus.ids
        unlike = dict(sorted(self._unlike.items()))
        return Releases(
            [ids[number] for number in unlike],
            sum(unlike.values()),
            {ids[number]: ids[other] for number, other in sorted(owners.items())},
        )

    def _find_owners(self) -> dict[int, int]:
        """Documents whose release is another's, and which other's."""
        if not self._suspects or len(self._corpus) < 2:
            return {}
        owners: dict[int, int] = {}
        for suspect, candidates in _candidates(self._corpus, self._suspects):
            if not candidates:
                continue
            best, release = suspect.own, self._released(suspect.number)
            content, threes = release[~_flags(release)], distinct(_rows_outside(release, 3))
            for number in candidates:
                words = _words_of(self._corpus, number)
                same = count_shared(content, words)
                if same > best and _is_more(same, suspect.own, suspect.words) and _reads_alike(threes, words):
                    best, owners[suspect.number] = same, number
        _words_of.cache_clear()
        return owners

    def _released(self, number: int) -> Codes:
        document = self._corpus.documents[number]
        texts = self._anonymization.part([document.id]).texts(Corpus([document]))
        return _words(texts[document.id], _LONGEST)


def _reads_alike(threes: Codes, words: Codes) -> bool:
    """Whether a tenth of the rows of three words is there too: in a long text, many words stand in order by chance."""
    return len(threes) < _ROWS or np.isin(threes, _rows(words, 3)).sum() >= LEAST * len(threes)


def _is_more(other: int, own: int, words: int) -> bool:
    """Whether another's share of so many words is 0.1 more, or above; in whole numbers, which are exact."""
    return 10 * (other - own) >= words


def _documents(corpus: Corpus, numbers: range, selection: set[int]) -> dict[int, Document]:
    """Some documents of a chunk: read one by one where they are few."""
    if 8 * len(selection) < len(numbers):
        return {number: corpus.documents[number] for number in sorted(selection)}
    return dict(zip(numbers, corpus.documents[numbers.start : numbers.stop], strict=True))


@lru_cache(maxsize=64)
def _words_of(corpus: Corpus, number: int) -> Codes:
    return _words(corpus.documents[number].text)


def _rows(words: Codes, length: int) -> Codes:
    """A number for each so many words in a row."""
    count = max(0, len(words) - length + 1)
    hashes = np.zeros(count, dtype=np.uint64)
    for offset in range(length):
        hashes = hashes * _FACTOR + words[offset : offset + count]
    return hashes


def _rows_outside(words: Codes, length: int) -> Codes:
    """The same of a release, without those that a placeholder is in."""
    holes = np.concatenate([[0], np.cumsum(_flags(words))])
    hashes: Codes = _rows(words, length)[holes[length:] == holes[: len(holes) - length]]
    return hashes


def _sample(words: Codes) -> Codes:
    """Words and rows of words of a release outside placeholders: those with the lowest numbers, which is chance."""
    pieces = [words[~_flags(words)], *(_rows_outside(words, length) for length in _LENGTHS)]
    return distinct(np.concatenate([distinct(piece)[: _SAMPLED // len(pieces)] for piece in pieces]))


def _candidates(corpus: Corpus, suspects: Sequence[_Suspect]) -> Iterator[tuple[_Suspect, list[int]]]:
    """For each suspect the documents that share most of its rarest words and rows, and more than its own does."""
    most = max(_RAREST, _BUDGET // len(suspects))
    samples = [suspect.sample if len(suspect.sample) <= most else _thin(suspect.sample, most) for suspect in suspects]
    vocabulary = distinct(np.concatenate(samples))
    limit = max(1, min(_RARE, len(corpus) // _TENTH))
    counts, features, owners = _holders(corpus, vocabulary, limit)
    starts = np.searchsorted(features, np.arange(len(vocabulary) + 1))
    for suspect, sample in zip(suspects, samples, strict=True):
        indices = np.searchsorted(vocabulary, sample)
        rare = indices[(counts[indices] > 0) & (counts[indices] <= limit)]
        rare = rare[np.argsort(counts[rare], kind="stable")][:_RAREST]
        pieces = [owners[starts[index] : starts[index + 1]] for index in rare.tolist()]
        documents, votes = np.unique(np.concatenate([owners[:0], *pieces]), return_counts=True)
        own = int(votes[documents == suspect.number].sum())
        enough = (votes > own) & (2 * votes >= len(rare)) & (votes >= 2)
        order = np.argsort(-votes[enough], kind="stable")[:_CANDIDATES]
        yield suspect, documents[enough][order].tolist()


def _thin(sample: Codes, most: int) -> Codes:
    return sample[np.linspace(0, len(sample) - 1, most).astype(np.int64)]


def _holders(corpus: Corpus, vocabulary: Codes, limit: int) -> tuple[Ints, Ints, Ints]:
    """In how many documents each of some words stands; and of the rare ones each place: the word, the document."""
    counts = np.zeros(len(vocabulary), dtype=np.int64)
    features: list[AnyArray] = []
    owners: list[AnyArray] = []
    total = 0
    for number, document in enumerate(corpus):
        words = _words(document.text)
        own = distinct(np.concatenate([words, *(_rows(words, length) for length in _LENGTHS)]))
        indices = np.searchsorted(vocabulary, own).clip(max=len(vocabulary) - 1)
        indices = indices[vocabulary[indices] == own]
        counts[indices] += 1
        rare = indices[counts[indices] <= limit].astype(np.int32)
        features.append(rare)
        owners.append(np.full(len(rare), number, dtype=np.int32))
        total += len(rare)
        if total > _HELD:
            features, owners = _still_rare(features, owners, counts, limit)
            total = len(features[0])
    features, owners = _still_rare(features, owners, counts, limit)
    order = np.argsort(features[0], kind="stable")
    return counts, features[0][order].astype(np.int64), owners[0][order].astype(np.int64)


def _still_rare(
    features: Sequence[AnyArray], owners: Sequence[AnyArray], counts: Ints, limit: int
) -> tuple[list[AnyArray], list[AnyArray]]:
    words, documents = np.concatenate(features), np.concatenate(owners)
    rare = counts[words] <= limit
    return [words[rare]], [documents[rare]]
