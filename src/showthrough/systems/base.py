"""What an anonymizer is: documents in, typed masks out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from showthrough.core.call_syntax import call_text, difference
from showthrough.core.plugins import Registry, value_of
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.model_folders import TrainingRecord


@runtime_checkable
class Anonymizer(Protocol):
    """Finds what to hide in documents. The version rises whenever a mask could change.

    It is given documents without annotations, and what it finds in one must not depend on the others.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def masks(self, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]:
        """The masks of each document, in any order."""
        ...


_SIGNS = frozenset("+()")  # that part what is written; a text that has one stands in quotation marks


@dataclass(frozen=True)
class BaseAnonymizer:
    """What our own anonymizers tell of themselves; another's may, by attributes of these names."""

    kind: ClassVar[str]  # its entry in the table
    version: ClassVar[int] = 1
    apart: ClassVar[bool] = False  # whether it works document by document, so that each can be timed
    needs: ClassVar[str] = ""  # what has to be there beside the program, in a few words

    @property
    def name(self) -> str:
        """How it is written, as shortly as can be: `presidio`, `spacy:en_core_web_md`, `presidio(org=True)`.

        >>> from showthrough.systems.detector_systems import SpacyAnonymizer
        >>> SpacyAnonymizer("en_core_web_md").name
        'spacy:en_core_web_md'
        """
        usual = type(self)()
        first = next((field.name for field in fields(self)), "")
        value = getattr(self, first, None)
        if list(difference(self, usual)) == [first] and isinstance(value, str) and not _SIGNS & set(value):
            return f"{self.kind}:{value}"
        return call_text(self.kind, self, usual)

    @property
    def written(self) -> str:
        """How it is asked for again, where that is not its name."""
        return self.name

    @property
    def pinned(self) -> Mapping[str, str]:
        """What tells its models and programs from others of their names."""
        return {}

    @property
    def model_bytes(self) -> int | None:
        """What its model's files take; `None` where nobody can tell."""
        return 0

    @property
    def training(self) -> TrainingRecord | None:
        """What it was trained on here; a published model does not say."""
        return None

    @property
    def device(self) -> str:
        """Where its model runs."""
        return "cpu"

    @property
    def lasting(self) -> bool:
        """Whether equal values with equal `pinned` give equal masks, so that masks may be kept."""
        return True

    def prepare(self) -> None:
        """Loads what it needs. Raises ResourceError for what is not there."""

    def finish(self) -> None:
        """Lets go of what it started."""


def get_optional(anonymizer: Anonymizer, attribute: str, otherwise: Any) -> Any:
    """What an anonymizer tells of itself, which a plugin need not."""
    return getattr(anonymizer, attribute, otherwise)


def format_spec(anonymizer: Anonymizer) -> str:
    """How it is asked for again."""
    return str(get_optional(anonymizer, "written", anonymizer.name))


def parameters_of(anonymizer: Anonymizer) -> dict[str, Any]:
    """All parameters, as a file can hold them; of anonymizers in it, how they are written."""
    if not is_dataclass(anonymizer):
        return {}
    return {field.name: _plain(getattr(anonymizer, field.name)) for field in fields(anonymizer)}


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(element) for element in value]
    if isinstance(value, Anonymizer):
        return format_spec(value)
    return getattr(value, "__qualname__", type(value).__qualname__) if callable(value) else str(value)


ANONYMIZERS: Registry[Anonymizer] = Registry(
    "anonymizers",
    {},
    partial(value_of, Anonymizer, "anonymizer"),
    {
        "rules": "showthrough.systems.rules:Rules",
        "sanitize": "showthrough.systems.sanitize:Sanitize",
        "average": "showthrough.systems.obfuscators.average:Average",
        "synonyms": "showthrough.systems.obfuscators.synonyms:Synonyms",
        "roundtrip": "showthrough.systems.obfuscators.roundtrip:RoundTrip",
        "spacy": "showthrough.systems.detector_systems:SpacyAnonymizer",
        "presidio": "showthrough.systems.detector_systems:PresidioAnonymizer",
        "gliner": "showthrough.systems.detector_systems:GlinerAnonymizer",
        "hf": "showthrough.systems.encoders.published:TokenClassifier",
        "llm": "showthrough.systems.language_model:LanguageModelAnonymizer",
        "cmd": "showthrough.systems.outside.program:Program",
        "http": "showthrough.systems.outside.service:Service",
        "trained": "showthrough.systems.trained_models:Trained",
    },
)
