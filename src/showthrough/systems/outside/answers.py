"""What others answer for a document, as masks: spans in whatever shape, or the anonymized text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value, shorten
from showthrough.core.plugins import describe_error
from showthrough.data.construction import mask_of
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask, ScoredMask, TypedMask
from showthrough.systems.base import BaseAnonymizer

_DAY = 86_400


@dataclass(frozen=True)
class ExternalAnonymizer(BaseAnonymizer):
    """What is true of all that runs elsewhere: nobody knows its size, its device, or whether it is still the same."""

    @property
    def model_bytes(self) -> int | None:
        return None

    @property
    def device(self) -> str:
        return "outside"

    @property
    def lasting(self) -> bool:
        return False


def check_timeout(seconds: float) -> None:
    """Raises PlanError for seconds that nobody can wait."""
    if not 0 < seconds <= _DAY:
        raise PlanError(f"found {seconds}; expected seconds, up to {_DAY}", "timeout")


def answer_location(name: str, document: Document) -> str:
    """Where an answer is wrong."""
    return f"anonymizer {shorten(name)}: {at_document(document.id)}"


def wrong(location: str, fault: str) -> InputError:
    return InputError(Problem("", location, fault))


def masks_in(value: Any, document: Document, name: str, field: str = "masks") -> list[Mask]:
    """The masks of a list of spans: `[start, end, type, score]`, mappings, or tools' own objects. Raises InputError."""
    location = answer_location(name, document)
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise wrong(f"{location}: {field}", f"found a value of type {type(value).__name__}; expected a list of spans")
    return [_mask(span, f"{location}: {field}[{number}]") for number, span in enumerate(value)]


def _mask(span: Any, location: str) -> Mask:
    if isinstance(span, list | tuple) and len(span) == 4:
        span, score = span[:3], span[3]
    elif isinstance(span, Mapping):
        score = span.get("score")
    else:
        score = getattr(span, "score", None)
    mask = mask_of(span, location)
    if isinstance(span, Mask) or score is None:
        return mask
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise wrong(f"{location}: score", f"found {quote_value(score)}; expected a number from 0 to 1")
    return ScoredMask(mask.start, mask.end, mask.replacement, mask.entity_type, float(score))


def masks_of_text(text: str, document: Document) -> list[Mask]:
    """What an anonymized text masked, which the original tells."""
    from showthrough.data.alignment import align  # asked for only where offsets are missing

    return align(document.text, text)


def masks_of_value(value: Any, document: Document, name: str) -> list[Mask]:
    """What a function returned: an anonymized text, a spaCy Doc, what Presidio made, or spans. Raises InputError."""
    if isinstance(value, str):
        return masks_of_text(value, document)
    if hasattr(value, "ents") and hasattr(value, "text"):
        if value.text != document.text:
            raise wrong(answer_location(name, document), "found a Doc of another text; expected one of the document's")
        return [TypedMask(entity.start_char, entity.end_char, None, entity.label_) for entity in value.ents]
    if hasattr(value, "items") and hasattr(value, "text"):
        return list(Anonymization.from_presidio({document.id: value}, Corpus([document])).of(document.id))
    return masks_in(value, document, name, "spans")


Function = Callable[..., Any]  # of a text, or of a Document


@dataclass(frozen=True)
class FunctionAnonymizer:
    """Hides what a function finds in a text; in a document, where its parameter has that name or type."""

    function: Function
    apart: ClassVar[bool] = True  # its texts are asked about one by one

    @property
    def name(self) -> str:
        named = getattr(self.function, "__name__", "") or type(self.function).__name__
        return "function" if named == "<lambda>" else str(named)

    @property
    def version(self) -> int:
        return 1

    @property
    def lasting(self) -> bool:
        """Nobody can tell whether it is still the same function."""
        return False

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        whole = _takes_documents(self.function)
        return [self._masks(document, document if whole else document.text) for document in documents]

    def _masks(self, document: Document, argument: Document | str) -> list[Mask]:
        try:
            answer = self.function(argument)
        except Exception as error:  # whatever somebody's function does
            raise wrong(answer_location(self.name, document), describe_error(error)) from error
        return masks_of_value(answer, document, self.name)


def _takes_documents(function: Function) -> bool:
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):  # some built-in ones do not tell
        return False
    if first is None:
        return False
    kind = first.annotation if isinstance(first.annotation, str) else getattr(first.annotation, "__name__", "")
    return first.name == "document" or kind.rpartition(".")[2] == Document.__name__
