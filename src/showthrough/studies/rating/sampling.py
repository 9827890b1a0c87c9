"""Passages to be rated, drawn by chance: the same ones of every anonymization, as far as they have the same."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from showthrough.core.errors import InputError, OutputError, PlanError
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization
from showthrough.data.pairing import pair
from showthrough.data.text_anonymizations import Rewriting
from showthrough.evaluation.plan import name_problems
from showthrough.families.authorship.passages import PassagePair, passages
from showthrough.formats.authorship.rating_folder import (
    ITEMS_FILE,
    SAMPLE_FILE,
    RatingItem,
    SampleDesign,
    items_bytes,
    items_digest,
)
from showthrough.storage.writing import ProtectedFiles, write_folder
from showthrough.version import __version__

FEW_WORDS = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RatingSample:
    """Passages to be rated, and how they were drawn: `.write("ratings")`."""

    sample: SampleDesign
    items: Sequence[RatingItem]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        record = msgspec.json.format(msgspec.json.encode(self.sample)) + b"\n"
        return {SAMPLE_FILE: record, ITEMS_FILE: items_bytes(self.items)}

    def write(self, folder: str | os.PathLike[str], *, read: ProtectedFiles | None = None) -> list[Path]:
        """Writes them for their owner alone, into a folder that is empty or new."""
        check_empty(Path(folder))
        return write_folder(Path(folder), self.files, read=read)


def check_empty(folder: Path) -> None:
    """Raises OutputError for a folder with something in it: it may be what people have rated."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; expected the name of a folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise OutputError(f"{folder}: is not empty; choose another folder")


@expects(corpus=Corpus)
def rating_sample(
    corpus: Corpus,
    anonymizations: Sequence[Anonymization] | Mapping[str, Anonymization],
    *,
    documents: int = 20,
    passages: int = 3,
    seed: int = 0,
) -> RatingSample:
    """Draws documents, and passages in each, for people to rate; the same seed draws the same.

    Of a rewriting these are its passages; else sentences of the original that somebody changed, as they read now. Drawn
    is among documents that every anonymization has.
    """
    systems = _sort_systems(anonymizations)
    pair(corpus, systems, "unmasked")
    for name, number, least in (("documents", documents, 1), ("passages", passages, 1), ("seed", seed, 0)):
        if number < least:
            raise PlanError(f"found {number}; expected {least} or more", name)
    numbers = {key: number for number, key in enumerate(corpus.ids) if all(key in system.masks for system in systems)}
    shared = sorted(numbers)
    if not shared:
        raise PlanError("have no document of the corpus in common; expected one that all have", "anonymizations")
    chance = _generator(seed, "documents")
    drawn: list[_DrawnPassage] = []
    for key in (shared[index] for index in chance.permutation(len(shared)).tolist()):
        if len({passage.document for passage in drawn}) == documents:
            break
        drawn += _draw(corpus.documents[numbers[key]], systems, passages, seed)
    if not drawn:
        raise PlanError("changed no passage with a word in it; expected something to rate", "anonymizations")
    return _sample(corpus, systems, drawn, (documents, passages, seed), len(corpus) - len(shared))


@dataclass(frozen=True)
class _DrawnPassage:
    """A passage that was drawn, and what it was."""

    document: str
    anonymization: str
    passage: PassagePair
    original: str

    @property
    def unchanged(self) -> bool:
        return self.passage.written.split() == self.original.split()


def _sort_systems(anonymizations: Sequence[Anonymization] | Mapping[str, Anonymization]) -> list[Anonymization]:
    """In the order of their names: nothing hangs on the order in which they are given."""
    listed = (
        [anonymization.with_name(name) for name, anonymization in anonymizations.items()]
        if isinstance(anonymizations, Mapping)
        else list(anonymizations)
    )
    if not listed:
        raise PlanError("none was given; expected at least one", "anonymizations")
    if problems := name_problems([anonymization.name for anonymization in listed]):
        raise InputError(problems)
    return sorted(listed, key=lambda anonymization: anonymization.name)


def _generator(seed: int, purpose: str) -> np.random.Generator:
    """Of each document its own, so that what is drawn of it hangs on no other."""
    return np.random.default_rng([seed, *hashlib.blake2b(purpose.encode(), digest_size=8).digest()])


def _draw(document: Document, systems: Sequence[Anonymization], number: int, seed: int) -> Iterator[_DrawnPassage]:
    """So many spans of a document in all systems: drawn among those of the first, and of others what overlaps."""
    every = [_with_words(document, anonymization) for anonymization in systems]
    other_spans = [{span[:2] for span in system_passages} for system_passages in every[1:]]
    spans = [candidate[:2] for candidate in every[0] if _is_to_be_rated(candidate, document, systems, every)]
    shared = [span for span in spans if all(span in system_passages for system_passages in other_spans)]
    among = shared if len(shared) >= number else spans
    chance = _generator(seed, f"document {document.id}")
    chosen_spans = [among[index] for index in np.sort(chance.permutation(len(among))[:number]).tolist()]
    for system, system_passages in zip(systems, every, strict=True):
        nearest = dict.fromkeys(near for span in chosen_spans if (near := _nearest(span, system_passages)) is not None)
        for passage in nearest:
            yield _DrawnPassage(document.id, system.name, passage, document.text[passage.start : passage.end])


def _is_to_be_rated(
    passage: PassagePair, document: Document, systems: Sequence[Anonymization], every: Sequence[Sequence[PassagePair]]
) -> bool:
    """Of rewritings all passages, as PAN does; else those alone that somebody changed: masks are in few sentences."""
    if any(isinstance(system, Rewriting) for system in systems):
        return True
    nearest = (_nearest(passage[:2], system_passages) for system_passages in every)
    return any(near is not None and near.written != document.text[near.start : near.end] for near in nearest)


def _with_words(document: Document, anonymization: Anonymization) -> list[PassagePair]:
    return [
        passage
        for passage in passages(document, anonymization)
        if _WORD.search(document.text, passage.start, passage.end)
    ]


def _nearest(span: tuple[int, int], among: Sequence[PassagePair]) -> PassagePair | None:
    """The passage that has most of a span, if any has some of it."""
    start, end = span
    overlaps = [(min(passage.end, end) - max(passage.start, start), -index) for index, passage in enumerate(among)]
    most, index = max(overlaps, default=(0, 0))
    return among[-index] if most > 0 else None


def _sample(
    corpus: Corpus,
    systems: Sequence[Anonymization],
    drawn: Sequence[_DrawnPassage],
    settings: tuple[int, int, int],
    lacking: int,
) -> RatingSample:
    """Under ids that tell nothing, in an order that tells nothing."""
    documents, number, seed = settings
    order = _generator(seed, "order").permutation(len(drawn)).tolist()
    width = len(str(len(drawn)))
    items = [
        RatingItem(
            f"{index:0{width}}",
            drawn_passage.document,
            drawn_passage.anonymization,
            drawn_passage.passage.start,
            drawn_passage.passage.end,
            drawn_passage.passage.written,
        )
        for index, drawn_passage in enumerate((drawn[number] for number in order), 1)
    ]
    short = sum(len(_WORD.findall(passage.passage.written)) < FEW_WORDS for passage in drawn)
    unchanged = sum(passage.unchanged for passage in drawn)
    drawn_documents = len({passage.document for passage in drawn})
    sample = SampleDesign(
        corpus=corpus.digest,
        anonymizations={system.name: system.digest for system in systems},
        documents=drawn_documents,
        passages=number,
        seed=seed,
        items=items_digest(items_bytes(items)),
        short=short,
        unchanged=unchanged,
        version=__version__,
    )
    notes = []
    if lacking:
        notes.append(f"left aside: {lacking:,} of {len(corpus):,} documents, which not every anonymization has")
    if drawn_documents < documents:
        notes.append(f"found {drawn_documents:,} documents to draw from, fewer than {documents:,}: all are taken")
    if short:
        notes.append(f"{short:,} of {len(items):,} passages have fewer than {FEW_WORDS} words")
    if unchanged:
        notes.append(f"{unchanged:,} of {len(items):,} passages read as in the original")
    return RatingSample(sample, items, tuple(notes))
