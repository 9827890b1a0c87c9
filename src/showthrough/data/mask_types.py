"""What a mask says that it hides."""

from __future__ import annotations

from showthrough.core.patterns import lazy_pattern
from showthrough.data.labels import label_of
from showthrough.data.masks import Mask
from showthrough.data.types import kind_of

_WORD = lazy_pattern(r"[^\W_]+")
_LABEL = lazy_pattern(r"[^\W\d_]+(?:[-_/][^\W_]+)*")


def type_of(mask: Mask, text: str) -> str:
    """What a mask of a text says that it hides: its type, or else the label that it writes; empty where there is none.

    A label is one word in capitals that does not stand in what is masked: `Roe` for `Doe` is a surrogate and no type.
    The name of a known kind is one all the same: `AGE` for `ten years of age`.

    >>> type_of(Mask(3, 6, "[PERSON_1]"), "Mr Doe"), type_of(Mask(3, 6, "Roe"), "Mr Doe"), type_of(Mask(3, 6), "Mr Doe")
    ('PERSON', '', '')
    """
    if mask.entity_type:
        return mask.entity_type
    label = label_of(mask.replacement)
    is_label = label.isupper() and _LABEL.fullmatch(label)
    if not is_label or (kind_of(label) is None and repeats(label, text[mask.start : mask.end])):
        return ""
    return label


def repeats(label: str, masked: str) -> bool:
    """Whether a label has a word of what is masked, in whatever case.

    >>> repeats("JOHN_DOE", "Mr Doe"), repeats("AGE", "the manager")
    (True, False)
    """
    words = ({word.casefold() for word in _WORD.findall(text)} for text in (label, masked))
    return not next(words).isdisjoint(next(words))
