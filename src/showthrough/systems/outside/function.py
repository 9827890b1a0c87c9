"""Functions as anonymizers: of a text or a document, that give what they found or what they made of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from showthrough.core.plugins import describe_error
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.systems.outside.answers import masks_of_value, place_of, wrong

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
            raise wrong(place_of(self.name, document), describe_error(error)) from error
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
