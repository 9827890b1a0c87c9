"""What a second reader reads: a document with all that an annotator wants masked hidden, or with all marks shown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple, get_args

from showthrough.core.errors import printable
from showthrough.data.documents import Document, Mention
from showthrough.data.masks import Mask, TypedMask
from showthrough.data.release import replaced
from showthrough.data.types import is_confidential

Replace = Literal["stars", "label", "number"]
REPLACES: tuple[str, ...] = get_args(Replace)
STARS = "*****"  # always so many: their number must not tell how long the words are
_NO_TYPE = "no type"

Piece = tuple[int, int, str]  # a span of the text, and what is written there


class Style(NamedTuple):
    """How a copy is written: what becomes of its text, of what stands for hidden words, and around what is marked.

    A mark has a label; the label of its end is empty unless others that began later go on.
    """

    text: Callable[[str], str]
    hidden: Callable[[str], str]
    opening: Callable[[str], str]
    closing: Callable[[str], str]


def _closing_mark(closing: str) -> Callable[[str], str]:
    return lambda label: f"{closing}({label})" if label else closing


PLAIN = Style(str, str, "{{{}: ".format, _closing_mark("}"))
_BRACKETS = Style(str, str, "[{} ".format, _closing_mark("]"))


def layer_of(document: Document, annotator: str) -> Sequence[Mention] | None:
    """What an annotator marked, in however many layers; `None` where they did not look at the document."""
    layers = [annotation.mentions for annotation in document.annotations if annotation.annotator == annotator]
    return tuple(chain.from_iterable(layers)) if layers else None


def build_masks(text: str, mentions: Sequence[Mention], replace: Replace = "stars") -> list[Mask]:
    """What is masked of a text, in ascending order, and what stands there."""
    masks = [
        TypedMask(mention.start, mention.end, None, mention.entity_type) for mention in mentions if mention.must_mask
    ]
    if replace == "stars":
        return [Mask(mask.start, mask.end, STARS) for mask in replaced(masks, text, "suppress")]
    return replaced(masks, text, replace, mentions)


def review_copy(text: str, mentions: Sequence[Mention], replace: Replace = "stars", style: Style = PLAIN) -> str:
    """A text with what is to be masked hidden, and what is confidential and stays marked with its category.

    >>> marks = (Mention(0, 6, "PERSON", "DIRECT"), Mention(11, 14, "MISC", "NO_MASK", "", "HEALTH"))
    >>> review_copy("Mr Doe had flu.", marks), review_copy("Mr Doe had flu.", marks, "label")
    ('***** had {HEALTH: flu}.', '[PERSON] had {HEALTH: flu}.')
    """
    masks = build_masks(text, mentions, replace)
    pieces: list[Piece] = [(mask.start, mask.end, style.hidden(mask.replacement or "")) for mask in masks]
    return _insert_pieces(text, [*_confidential(mentions, masks, style), *pieces], style)


def _confidential(mentions: Sequence[Mention], masks: Sequence[Mask], style: Style) -> Iterator[Piece]:
    """Marks around what is confidential and can be read; a mark never stands inside what is hidden."""
    starts, ends = [mask.start for mask in masks], [mask.end for mask in masks]
    spans = []
    for mention in mentions:
        if mention.must_mask or not is_confidential(mention.confidential):
            continue
        met = masks[bisect_right(ends, mention.start) : bisect_left(starts, mention.end)]
        gone = sum(min(mask.end, mention.end) - max(mask.start, mention.start) for mask in met)
        if gone < mention.end - mention.start:
            around = [(mask.start, mask.end) for mask in met]
            start = min([mention.start, *(low for low, _ in around)])
            spans.append(
                (start, max([mention.end, *(high for _, high in around)]), _single_line(mention.confidential or ""))
            )
    yield from _mark_spans(spans, style)


def marked_copy(text: str, mentions: Sequence[Mention]) -> str:
    """A text with every mark in brackets, with its type, how it identifies, and its category where it is confidential.

    >>> marked_copy("Mr Doe left.", (Mention(0, 6, "PERSON", "DIRECT"),))
    '[PERSON/DIRECT Mr Doe] left.'
    """
    return _insert_pieces(
        text, _mark_spans([(mention.start, mention.end, _label(mention)) for mention in mentions], _BRACKETS), _BRACKETS
    )


def _label(mention: Mention) -> str:
    confidential = f"/{_single_line(mention.confidential or '')}" if is_confidential(mention.confidential) else ""
    return f"{_single_line(mention.entity_type) or _NO_TYPE}/{mention.identifier}{confidential}"


def _single_line(name: str) -> str:
    return " ".join(printable(" ".join(name.split())).split())


def _mark_spans(spans: Sequence[Piece], style: Style) -> Iterator[Piece]:
    """Marks before and after spans, in the order of the text; a span that ends before an inner one says which it is."""
    inside: list[Piece] = []
    for span in [*sorted(spans, key=lambda span: (span[0], -span[1])), None]:
        while inside and (span is None or min(item[1] for item in inside) <= span[0]):
            # The innermost of those that end first: the others it stands in go on.
            ending = min(reversed(inside), key=lambda item: item[1])
            crossed = inside[-1] is not ending
            inside.remove(ending)
            _, end, label = ending
            yield end, end, style.closing(label if crossed else "")
        if span is not None:
            inside.append(span)
            yield span[0], span[0], style.opening(span[2])


def _insert_pieces(text: str, pieces: Iterable[Piece], style: Style) -> str:
    """A text with pieces written into it: marks before what is hidden in the same place."""
    parts: list[str] = []
    position = 0
    for start, end, written in sorted(pieces, key=lambda piece: (piece[0], piece[1])):
        parts += (style.text(text[position:start]), written)
        position = end
    return "".join((*parts, style.text(text[position:])))
