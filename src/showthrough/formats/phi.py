"""What the formats of PHI have in common: one layer of marks a document, by type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from showthrough.data.documents import Annotation, Document, Mention
from showthrough.errors import OutputError, at_document, some

ANNOTATOR = "gold"  # these formats do not say who marked


def marked(document_id: str, text: str, mentions: Iterable[Mention]) -> Document:
    return Document(document_id, text, (Annotation(ANNOTATOR, tuple(mentions)),))


def one_layer(document: Document) -> tuple[Mention, ...]:
    """The mentions of a document's only annotator; raises OutputError when there are several."""
    if len(document.annotations) > 1:
        names = some(annotation.annotator for annotation in document.annotations)
        raise OutputError(
            f"{at_document(document.id)}: has {len(document.annotations)} annotators ({names}) but this format holds "
            "one; choose with --annotator"
        )
    return document.annotations[0].mentions if document.annotations else ()


def to_mask(document: Document) -> list[Mention]:
    """The mentions that are to be masked, which is all that formats of PHI alone can say."""
    return [mention for mention in one_layer(document) if mention.identifier != "NO_MASK"]


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
    for one, two in overlaps(mentions):
        raise OutputError(
            f"{at_document(document.id)}: the mentions {one.start}–{one.end} and {two.start}–{two.end} overlap, which "
            "this format cannot hold; choose i2b2-2014 or brat"
        )
    return sorted(mentions, key=lambda mention: mention.start)
