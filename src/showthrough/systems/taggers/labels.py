"""Labels of tokens: what begins (B-), goes on (I-) or is outside (O), and spans made of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from showthrough.data.documents import Mention
from showthrough.systems.taggers.tokens import Tokens

OUTSIDE = "O"
HIDDEN = "MASK"  # the one type of a tagger that tells hidden from readable alone


@dataclass(frozen=True)
class TokenSpan:
    """Tokens from `first` up to `last` that are one thing."""

    first: int
    last: int
    entity_type: str
    score: float = 1.0


def type_of(label: str) -> str:
    """
    >>> type_of("B-CITY"), type_of("O")
    ('CITY', '')
    """
    return "" if label == OUTSIDE else label[2:]


def outermost(mentions: Iterable[Mention]) -> list[Mention]:
    """Mentions of which none overlaps another: of two that do, the longer one; of equally long ones, the first."""
    survivors: list[Mention] = []  # by their places
    for mention in sorted(mentions, key=lambda item: (item.start - item.end, item.start, item.entity_type)):
        index = bisect_left(
            survivors, mention.end, key=lambda item: item.start
        )  # none of those from here on overlaps it
        if not index or survivors[index - 1].end <= mention.start:
            survivors.insert(index, mention)
    return survivors


def labels_of(tokens: Tokens, mentions: Iterable[Mention], binary: bool = False) -> list[str]:
    """The label of each token, where those are marked that are to be masked."""
    labels = [OUTSIDE] * len(tokens)
    number = 0
    for mention in outermost(candidate for candidate in mentions if candidate.must_mask):
        kind = HIDDEN if binary else mention.entity_type or HIDDEN
        while number < len(tokens) and tokens.ends[number] <= mention.start:
            number += 1
        prefix = "B-"
        while number < len(tokens) and tokens.starts[number] < mention.end:
            labels[number] = prefix + kind
            prefix = "I-"
            number += 1
    return labels


def spans_of(labels: Sequence[str], scores: Sequence[float] | None = None) -> list[TokenSpan]:
    """What the labels say is one thing: it goes on while I- of its type follows. Its score is its best token's.

    >>> spans_of(["B-A", "I-A", "B-A", "O", "I-B"])[:2]
    [TokenSpan(first=0, last=2, entity_type='A', score=1.0), TokenSpan(first=2, last=3, entity_type='A', score=1.0)]
    """
    sure = scores if scores is not None else [1.0] * len(labels)
    spans: list[TokenSpan] = []
    open_at, kind = 0, ""
    for number, label in enumerate(chain(labels, [OUTSIDE])):
        goes_on = kind and label[0] == "I" and label[2:] == kind
        if not goes_on:
            if kind:
                spans.append(TokenSpan(open_at, number, kind, max(sure[open_at:number])))
            open_at, kind = number, type_of(label)
    return spans
