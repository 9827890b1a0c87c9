"""What the formats of PHI have in common: one layer of marks a document, by type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import at_document, join_names, shorten
from showthrough.data.documents import Annotation, Document, InferredMention, Mention
from showthrough.data.masks import DerivedMasks, Mask, score_fault, typed_mask
from showthrough.data.originals import IdsByText, difference
from showthrough.data.silver import is_silver
from showthrough.formats.base import Fit, Input, Masks, SeveralAnnotatorsError, unwritable
from showthrough.formats.objects import Entry
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, fail, unique

ANNOTATOR = "gold"  # these formats do not say who marked


class ScoredMention(InferredMention, frozen=True, gc=False, array_like=True):
    """What a system marked and how sure it is of that, on the way to being a mask: corpora have none."""

    score: float = 1.0


def fit(head: Head, *endings: str) -> Fit:
    """Sure of a file that has one of these endings, likely of a folder of them; texts without marks are just that."""
    plain = ".txt" in head.endings and ".ann" not in head.endings
    if plain or head.endings.isdisjoint(endings):
        return Fit.NO
    return Fit.LIKELY if head.folder else Fit.SURE


def build_document(document_id: str, text: str, mentions: Iterable[Mention], annotator: str = ANNOTATOR) -> Document:
    return Document(document_id, text, (Annotation(annotator, tuple(mentions)),))


def with_score(mention: Mention, score: Any, entry: Entry, field: str) -> Mention:
    """A mark of a system with how sure it is, where it says so; raises InputError for what is no score."""
    if score is None:
        return mention
    if wrong := score_fault(score):
        raise entry.fail(wrong, field)
    return ScoredMention(**msgspec.structs.asdict(mention), score=score)


def silver_of(document: Document) -> str:
    """The annotator, where it is no person: that must not get lost, so every format has a place for it."""
    return next((layer.annotator for layer in document.annotations if is_silver(layer.annotator)), "")


def single_layer(document: Document) -> tuple[Mention, ...]:
    """The mentions of a document's only annotator; raises OutputError when there are several."""
    if len(document.annotations) > 1:
        names = join_names(annotation.annotator for annotation in document.annotations)
        count = len(document.annotations)
        fault = f"has {count} annotators ({names}) but this format holds one"
        raise SeveralAnnotatorsError(f"{at_document(document.id)}: {fault}")
    return document.annotations[0].mentions if document.annotations else ()


def to_mask(document: Document) -> list[Mention]:
    """The mentions that are to be masked, which is all that formats of PHI alone can say."""
    return [mention for mention in single_layer(document) if mention.must_mask]


def as_masks(document: Document) -> list[Mask]:
    """What is marked, masked, with its types."""
    return [
        typed_mask(
            mention.start,
            mention.end,
            None,
            mention.entity_type,
            mention.score if isinstance(mention, ScoredMention) else None,
        )
        for mention in to_mask(document)
    ]


def masks_from(read: Callable[[Input], Sequence[Document]]) -> Callable[[Input], Masks]:
    """A reader of a system's output in a format of corpora: what it marked, as masks with types.

    Its texts must be the corpus's, character by character: offsets into another text mean nothing.
    """

    def read_masks(file: Input) -> Masks:
        documents = read(file)
        matching = DocumentMatcher(documents, file)
        lazy = hasattr(documents, "window")

        def named(numbered: tuple[int, Document]) -> tuple[str, int | list[Mask]]:
            number, document = numbered
            document_id = matching.document(document)
            check_text(document.text, file.originals.get(document_id), file.path, document_id)
            if len(document.annotations) > 1:
                names = join_names(annotation.annotator for annotation in document.annotations)
                fault = f"is marked by {names}; expected one, since what a system hides is one set of masks"
                raise fail(file.path, fault, at_document(document_id))
            return document_id, number if lazy else as_masks(document)

        by_id = unique(collect_results(enumerate(documents), named), file.path)
        file.remarks.others += matching.notes
        if not lazy:
            return by_id  # type: ignore[return-value]
        return DerivedMasks(by_id, lambda number: as_masks(documents[number]))  # type: ignore[index]

    return read_masks


class DocumentMatcher:
    """Which documents of the corpus a system's are: by their ids, or by their very texts where they have none.

    Ids of which the corpus knows none are those of the tool that wrote them: texts tell then as well.
    """

    def __init__(self, documents: Sequence[Document], file: Input) -> None:
        self._file = file
        self._by_text: IdsByText | None = None
        numbered = bool(file.remarks.numbered)
        if file.corpus is not None and (numbered or not any(document.id in file.originals for document in documents)):
            by_text = IdsByText(file.corpus)
            if numbered or by_text.knows_any(
                document.text for document in documents
            ):  # else strangers, which pairing tells
                self._by_text = by_text

    def document(self, document: Document) -> str:
        if self._by_text is None:
            return document.id
        try:
            return self._by_text.take(document.text)
        except KeyError as error:
            noun = "number" if self._file.remarks.numbered else "document"
            raise fail(self._file.path, error.args[0], f"{noun} {shorten(document.id)}") from None

    @property
    def notes(self) -> list[str]:
        if self._by_text is None:
            return []
        self._file.remarks.numbered = 0
        return ["its ids are not the corpus's: documents were matched by their texts, which are the same"]


def check_text(text: str, expected: str | None, path: Path, document_id: str) -> None:
    """Raises InputError where the corpus has another text, with the first difference."""
    if expected is None or text == expected:
        return
    raise fail(path, difference(text, expected), at_document(document_id))


def overlaps(mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Every mention that starts before another one has ended, with that other one."""
    reach: Mention | None = None
    for mention in sorted(mentions, key=lambda mention: (mention.start, mention.end)):
        if reach is not None and mention.start < reach.end:
            yield reach, mention
        if reach is None or mention.end > reach.end:
            reach = mention


def separate(document: Document) -> list[Mention]:
    """The mentions to be masked, in order; raises OutputError when two overlap, which tags in a text cannot."""
    mentions = to_mask(document)
    for first, second in overlaps(mentions):
        spans = f"{first.start}–{first.end} and {second.start}–{second.end}"
        fault = f"the mentions {spans} overlap, which this format cannot hold; choose i2b2-2014 or brat"
        raise unwritable(document, fault)
    return sorted(mentions, key=lambda mention: mention.start)
