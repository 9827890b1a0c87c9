"""What a transformer learns from: each annotator's layer of a document is a copy of its own, cut into windows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Ints, Ints16, Ints32
from showthrough.core.errors import PlanError
from showthrough.data.documents import TO_MASK, Corpus, Document, Mention
from showthrough.systems.encoders._loading import Encoder
from showthrough.systems.encoders._schemes import UNTYPED

OUTSIDE = "O"
IGNORED = -100  # the label of a token that is not learned here
_BLOCK = 64  # documents that are cut at once
_USUAL = 3, 4  # a window starts so much of the last one behind it: a token sees an eighth of a window on either side


def check_documents(corpus: Corpus) -> None:
    """Raises PlanError for a corpus that nothing can be learned from."""
    survey = corpus.survey
    source = corpus.source or corpus.name
    masked = sum(many for marked, many in survey.marked.items() if marked.identifier in TO_MASK)
    if survey.annotated < 2:
        count = "1 document" if survey.annotated else "no document"
        raise PlanError(f"found {count} with annotations to train on; expected at least 2", source)
    if not masked:
        raise PlanError("found no mention that is to be masked; expected some to learn from", source)


def labels_for(corpus: Corpus, types: bool) -> tuple[str, ...]:
    """What tokens can be: outside, the beginning of a mask, inside one; with `types`, of each type.

    >>> labels_for(Corpus([]), types=False)
    ('O', 'B-MASK', 'I-MASK')
    """
    marked = (mark for mark in corpus.survey.marked if mark.identifier in TO_MASK) if types else ()
    names = sorted({mark.entity_type or UNTYPED for mark in marked}) or [UNTYPED]
    return (OUTSIDE, *(f"{prefix}-{name}" for name in names for prefix in "BI"))


def token_labels(starts: Ints, ends: Ints, mentions: Iterable[Mention], numbers: dict[str, int]) -> Ints:
    """The number of each token's label. `numbers` are those of the labels that begin a type, by type.

    A token that a mention touches belongs to it; one that two touch to the longer of those that start first. What the
    other one covers beside it goes on as its own type.
    """
    labels = np.zeros(len(starts), dtype=np.int64)
    to_mask = (candidate for candidate in mentions if candidate.must_mask)
    for mention in sorted(to_mask, key=lambda candidate: (candidate.start, -candidate.end)):
        begin = numbers.get(mention.entity_type or UNTYPED, numbers.get(UNTYPED, 0))
        first = int(np.searchsorted(ends, mention.start, side="right"))
        last = int(np.searchsorted(starts, mention.end, side="left"))
        free = first + np.flatnonzero(labels[first:last] == 0)
        if not len(free):
            continue
        labels[free] = begin + 1
        goes_on = free[0] > first and labels[free[0] - 1] in (begin, begin + 1)
        labels[free[0]] = begin + goes_on
    return labels


@dataclass(frozen=True)
class Examples:
    """Windows of all copies. The tokens of a document are there once, however many copies and windows it is in."""

    tokens: Ints32
    labels: Ints16
    begin: Ints  # of each window, among the tokens
    end: Ints
    first: Ints  # of those that are learned in it
    last: Ints
    shift: Ints  # from a place among the tokens to the same place among the labels

    def __len__(self) -> int:
        return len(self.begin)

    def learned(self, number: int) -> Ints16:
        """The labels that a window teaches."""
        shift = self.shift[number]
        return self.labels[self.first[number] + shift : self.last[number] + shift]

    def table(
        self, numbers: Sequence[int], before: Sequence[int], after: Sequence[int], padding: int
    ) -> tuple[Ints, Ints, Ints]:
        """Some windows as one table of tokens with their marks, which cells of it are read, and their labels."""
        lengths = self.end[numbers] - self.begin[numbers] + len(before) + len(after)
        shape = len(numbers), int(lengths.max())
        ids, labels = np.full(shape, padding, dtype=np.int64), np.full(shape, IGNORED, dtype=np.int64)
        for row, number in enumerate(numbers):
            begin, end = self.begin[number], self.end[number]
            ids[row, : lengths[row]] = [*before, *self.tokens[begin:end], *after]
            offset = len(before) - begin
            labels[row, self.first[number] + offset : self.last[number] + offset] = self.learned(number)
        return ids, (np.arange(shape[1]) < lengths[:, None]).astype(np.int64), labels


def examples_of(corpus: Corpus, encoder: Encoder, window: int, stride: int) -> Examples:
    """All windows of the corpus. Each token is learned in the window in which it will be decided, and in no other."""
    begins = {name[2:]: number for number, name in enumerate(encoder.labels) if name.startswith("B-")}
    tokens, labels, rows = [np.zeros(0, np.int32)], [np.zeros(0, np.int16)], [np.zeros((0, 5), np.int64)]
    read = written = 0
    for document, starts, ends, ids in _tokenize_documents(corpus, encoder):
        windows = windows_of(len(ids), window - encoder.marks, stride)
        placed = read + np.stack([windows.begin, windows.end, windows.first, windows.last], axis=1)
        for layer in document.to_learn_from:
            labels.append(token_labels(starts, ends, layer.mentions, begins).astype(np.int16))
            rows.append(np.column_stack([placed, np.full(len(placed), written - read)]))
            written += len(ids)
        tokens.append(ids.astype(np.int32))
        read += len(ids)
    begin, end, first, last, shift = np.concatenate(rows).T
    if not len(begin):
        raise PlanError(f"found nothing that {encoder.location} can read; expected words", corpus.source or corpus.name)
    return Examples(np.concatenate(tokens), np.concatenate(labels), begin, end, first, last, shift)


def _tokenize_documents(corpus: Corpus, encoder: Encoder) -> Iterable[tuple[Document, Ints, Ints, Ints]]:
    """Documents that somebody marked, with the starts, ends and numbers of their tokens."""
    for part in range(0, len(corpus), _BLOCK):
        documents = [doc for doc in corpus.documents[part : part + _BLOCK] if doc.annotations]
        for document, pieces in zip(documents, encoder.pieces([doc.text for doc in documents]), strict=True):
            yield document, pieces.start, pieces.end, pieces.ids


def usual_stride(room: int) -> int:
    """How far apart windows start where nobody says.

    >>> usual_stride(512), usual_stride(1)
    (384, 1)
    """
    part, whole = _USUAL
    return max(1, room * part // whole)


@dataclass(frozen=True)
class TokenWindows:
    """A window reads the tokens from `begin` to before `end`, and decides those from `first` to before `last`."""

    begin: Ints
    end: Ints
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.begin)


def windows_of(length: int, room: int, stride: int) -> TokenWindows:
    """So many tokens in windows with room for `room` of them, each starting `stride` after the one before.

    The last one starts earlier where it would be short: context costs nothing there. Two windows that share tokens
    share them out in the middle, which is where a token has as much around it in one as in the other.

    >>> windows = windows_of(25, 10, 8)
    >>> [part.tolist() for part in (windows.begin, windows.end, windows.first, windows.last)]
    [[0, 8, 15], [10, 18, 25], [0, 9, 17], [9, 17, 25]]
    """
    if not 0 < stride <= room:
        raise ValueError(f"stride {stride} and room {room}: a token would be in no window")
    count = (1 - (room - length) // stride if length > room else 1) if length else 0
    begin = np.minimum(np.arange(count, dtype=np.int64) * stride, max(0, length - room))
    end = np.minimum(begin + room, length)
    middle = (begin[1:] + end[:-1] + 1) // 2
    return TokenWindows(begin, end, np.append(0, middle)[:count], np.append(middle, length)[-count:] if count else end)
