"""Anonymizers made of others: what any of several finds, and every other occurrence of what one finds."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import ClassVar, NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.core.call_syntax import call_text, literal, parameter
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask, ScoredMask, TypedMask
from showthrough.data.reading_form import is_unbordered
from showthrough.metrics.matching.forms import SearchForm, Vocabulary, vocabulary_of
from showthrough.metrics.matching.search import Release
from showthrough.metrics.matching.strings import MaskedDocument
from showthrough.models.dictionary import WORDFREQ, dictionary_from, pin_dictionary
from showthrough.models.languages import another_language, sample_of
from showthrough.models.model_folders import TrainingRecord
from showthrough.systems._mask_checks import find_masks
from showthrough.systems.base import Anonymizer, format_spec, get_optional

# Every other occurrence of what is masked in a document is found by the code of the metric `inconsistent`.

_ENGLISH = "en"
_BEGINNING = 20_000  # characters by which the language of a document is told
_JOINT = re.compile(r"[\s.,'\u2019-]{0,3}")  # between the words of one name


class _Occurrence(NamedTuple):
    """A span that says what a mask hides elsewhere."""

    start: int
    end: int
    like: Mask


def occurrences(text: str, masks: Sequence[Mask], vocabulary: Vocabulary) -> list[Mask]:
    """The masks that hide, beside those there are, every other occurrence of what they hide.

    None of them overlaps a mask, so that what is written for one cannot tell what the other hides. But where a mask is
    less sure than what it repeats, a surer one of the same label stands on it, which a threshold leaves there.

    >>> text = "Mr John Smithson may be ill, SMITHSON said. Smithson's wife may not. May it be so."
    >>> masks = occurrences(text, [Mask(3, 16), Mask(17, 20)], vocabulary_of("wordfreq:en"))
    >>> [text[mask.start : mask.end] for mask in masks]
    ['SMITHSON', 'Smithson']
    """
    document = MaskedDocument(text, vocabulary)
    release = Release(text, document.capitals, vocabulary)
    forms: set[SearchForm] = set()
    added: list[Mask] = []
    new: Sequence[Mask] = masks
    while new:  # where a mask has cut an occurrence, what is left of it may stand elsewhere too
        spans = []
        for mask in sorted(new, key=_order):
            string = document.string(mask)
            for form in (string.form, _of_somebody(string.form)) if string else ():
                if form not in forms:
                    forms.add(form)
                    spans += _find_spans(release, form, mask)
        new = _apart(text, [*masks, *added], spans)
        added += new
    return sorted(added, key=lambda mask: (mask.start, mask.end))


def _find_spans(release: Release, form: SearchForm, like: Mask) -> list[_Occurrence]:
    """Where a form can be read; words of a name that stand beside each other are one place."""
    reading = release.reading
    hits = {
        (*span, hit.view.form[hit.start : hit.end])
        for hit in release.hits(form)
        for span in reading.spans(hit.view, hit.start, hit.end)
    }
    rows: list[list[tuple[int, int, str]]] = []
    for start, end, word in sorted(hits):
        if rows:
            _, high, before = rows[-1][-1]
            if start < high or (word != before and _JOINT.fullmatch(reading.text, high, start)):
                rows[-1].append((start, end, word))
                continue
        rows.append([(start, end, word)])
    return [_Occurrence(row[0][0], max(end for _, end, _ in row), like) for row in rows]


def _of_somebody(form: SearchForm) -> SearchForm:
    """A name with the s of possession or of many, which Danish and German write without an apostrophe: Sørensens."""
    return SearchForm(form.kind, tuple(word if is_unbordered(word) else f"{word}s" for word in form.telling_words))


def _order(mask: Mask) -> tuple[float, int, int, str]:
    """The surest first: what it is taken for there is what it is taken for elsewhere."""
    return -_sureness(mask), mask.start, mask.end, mask.entity_type


def _sureness(mask: Mask) -> float:
    return math.inf if mask.score is None else mask.score


def _apart(text: str, masks: Sequence[Mask], spans: Iterable[_Occurrence]) -> list[Mask]:
    """What of these places no mask hides as surely."""
    on_top = sorted(masks, key=_order, reverse=True)
    owner = np.full(len(text), -1)
    for number, mask in enumerate(on_top):
        owner[mask.start : mask.end] = number
    sure = np.array([*map(_sureness, on_top), -math.inf])
    new_masks: list[Mask] = []
    coverage = np.full(len(text), -math.inf)  # how sure what was made already is
    for start, end, like in sorted(
        set(spans), key=lambda span: (-_sureness(span.like), span.start - span.end, span.start)
    ):
        sureness = _sureness(like)
        free = (sure[owner[start:end]] < sureness) & (coverage[start:end] < sureness)
        for low, high, number in _find_runs(free, owner[start:end]):
            bounds = _trim(text, start + low, start + high)
            if bounds:
                new_masks.append(_alike(*bounds, on_top[number] if number >= 0 else like, like.score))
        coverage[start:end] = np.maximum(coverage[start:end], sureness)
    return new_masks


def _find_runs(free: Bools, owner: Ints) -> Iterator[tuple[int, int, int]]:
    """Runs of free places under one mask, or under none (-1)."""
    if not free.any():
        return
    kind = np.where(free, owner, -2)
    first = np.flatnonzero(np.diff(kind, prepend=-3))
    for low, high in zip(first.tolist(), [*first[1:].tolist(), len(kind)], strict=True):
        if free[low]:
            yield low, high, int(owner[low])


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Without white space and signs at its ends, where a mask beside it has cut it; None where no letter is left."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return (start, end) if start < end else None


def _alike(start: int, end: int, labelled: Mask, score: float | None) -> Mask:
    """A mask that says what another says, as surely as a third."""
    if score is not None:
        return ScoredMask(start, end, labelled.replacement, labelled.entity_type, score)
    if labelled.entity_type:
        return TypedMask(start, end, labelled.replacement, labelled.entity_type)
    return Mask(start, end, labelled.replacement)


def language_of(text: str) -> str:
    """The language whose ordinary words a text has; English where nothing speaks for another.

    >>> language_of("Patienten blev set på hospitalet, og der er ikke mere at gøre for ham, når han kommer hjem. " * 3)
    'da'
    """
    sample = sample_of(Corpus([Document("text", text[:_BEGINNING])]))
    return next(iter(another_language(sample, _ENGLISH) or ()), _ENGLISH)


def words_of(text: str, dictionary: str) -> Vocabulary:
    """Those of a dictionary, or where none is named of the text's language."""
    return vocabulary_of(dictionary or f"{WORDFREQ}{language_of(text)}")


@dataclass(frozen=True)
class CompositeAnonymizer(ABC):
    """What anonymizers tell of themselves that are made of others."""

    @property
    @abstractmethod
    def made_of(self) -> tuple[Anonymizer, ...]:
        """Its parts."""

    @property
    def version(self) -> int:
        """Rises with that of any part; which part's it was, `pinned` tells."""
        return sum(part.version for part in self.made_of)

    @property
    def pinned(self) -> Mapping[str, str]:
        """Of each part its version and what it pins, under its name."""
        pins: dict[str, str] = {}
        for number, part in enumerate(self.made_of, 1):
            name = part.name if len(self.made_of) == 1 else f"{number}:{part.name}"
            pins[name] = f"v{part.version}"
            pins |= {f"{name}: {key}": value for key, value in get_optional(part, "pinned", {}).items()}
        return pins

    @property
    def model_bytes(self) -> int | None:
        sizes = [get_optional(part, "model_bytes", None) for part in self.made_of]
        return None if None in sizes else sum(sizes)

    @property
    def training(self) -> TrainingRecord | None:
        """Of all parts that were trained here: a document that any of them has seen is seen."""
        trainings: list[TrainingRecord] = [
            training for part in self.made_of if (training := get_optional(part, "training", None)) is not None
        ]
        if len(trainings) < 2:
            return trainings[0] if trainings else None
        names, digests = (
            _join_names(getattr(training, field) for training in trainings) for field in ("corpus", "digest")
        )
        return reduce(lambda first, other: first.merge(other, names, digests), trainings)

    @property
    def device(self) -> str:
        return _join_names(get_optional(part, "device", "cpu") for part in self.made_of)

    @property
    def lasting(self) -> bool:
        """A plugin that does not say may give others tomorrow."""
        return all(get_optional(part, "lasting", False) for part in self.made_of)

    @property
    def apart(self) -> bool:
        return all(get_optional(part, "apart", False) for part in self.made_of)

    def prepare(self) -> None:
        for part in self.made_of:
            get_optional(part, "prepare", lambda: None)()

    def finish(self) -> None:
        for part in self.made_of:
            get_optional(part, "finish", lambda: None)()


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


@dataclass(frozen=True)
class Union(CompositeAnonymizer):
    """Hides what any of its parts hides."""

    parts: tuple[Anonymizer, ...]

    @property
    def made_of(self) -> tuple[Anonymizer, ...]:
        return self.parts

    @property
    def name(self) -> str:
        return "+".join(part.name for part in self.parts)

    @property
    def written(self) -> str:
        *front_parts, last = self.parts
        return "+".join([*map(delimited_spec, front_parts), format_spec(last)])

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        masks_by_part = [find_masks(part, documents) for part in self.parts]
        return [
            _without_twins(mask for masks in part_masks for mask in masks)
            for part_masks in zip(*masks_by_part, strict=True)
        ]


def delimited_spec(part: Anonymizer) -> str:
    """How a part is written where something follows, which a program would take for its own."""
    text = format_spec(part)
    return call_text("cmd", part, type(part)()) if text.startswith("cmd:") else text


def _without_twins(masks: Iterable[Mask]) -> list[Mask]:
    """Of masks of one span the surest, the first among equals; one without a score always stays, so it is the surest.

    Masks that merely overlap stay apart, or a threshold would keep all of what only a part of is sure.

    >>> from showthrough.data.masks import ScoredMask
    >>> _without_twins([ScoredMask(0, 3, None, "ORG", 0.4), ScoredMask(0, 3, None, "PERSON", 0.9)])
    [ScoredMask(start=0, end=3, replacement=None, entity_type='PERSON', score=0.9)]
    """
    best: dict[tuple[int, int], Mask] = {}
    for mask in masks:
        before = best.setdefault((mask.start, mask.end), mask)
        if _rank(mask) > _rank(before):
            best[mask.start, mask.end] = mask
    return list(best.values())


def _rank(mask: Mask) -> tuple[float, bool]:
    return math.inf if mask.score is None else mask.score, bool(mask.entity_type)


@dataclass(frozen=True)
class Everywhere(CompositeAnonymizer):
    """Hides what another hides, and wherever else in the document the same words stand.

    The same is what `removed_di` can read there, in whichever way it is written; of a name its parts too.
    Ordinary words and short numbers are not repeated. It only adds masks, and none that overlaps another's, so that no
    recall falls.
    """

    of: Anonymizer = field(metadata={"description": "whose masks are repeated; it comes first in the brackets"})
    dictionary: str = parameter("", "ordinary words: wordfreq:LANGUAGE, or a file; else those of each text's language")

    own_version: ClassVar[int] = 2  # rises whenever it could add another mask

    @property
    def made_of(self) -> tuple[Anonymizer, ...]:
        return (self.of,)

    @property
    def name(self) -> str:
        return self._call(self.of.name)

    @property
    def written(self) -> str:
        return self._call(delimited_spec(self.of))

    def _call(self, inner: str) -> str:
        return (
            f"everywhere({inner}, dictionary={literal(self.dictionary)})" if self.dictionary else f"everywhere({inner})"
        )

    @property
    def version(self) -> int:
        return self.of.version + self.own_version - 1

    @property
    def pinned(self) -> Mapping[str, str]:
        from importlib.metadata import version

        by_file = self.dictionary and not self.dictionary.startswith(WORDFREQ)
        lists = {"dictionary": pin_dictionary(self.dictionary)} if by_file else {"wordfreq": version("wordfreq")}
        return {"everywhere": f"v{self.own_version}", **lists, **super().pinned}

    def prepare(self) -> None:
        super().prepare()
        if self.dictionary:
            dictionary_from(self.dictionary)  # fails here where there is none

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        all_masks = find_masks(self.of, documents)
        return [
            [*masks, *occurrences(document.text, masks, words_of(document.text, self.dictionary))]
            for document, masks in zip(documents, all_masks, strict=True)
        ]
