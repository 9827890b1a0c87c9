"""Anonymizers made of others: what any of several finds, and every other occurrence of what one finds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import ClassVar

from showthrough.core.call_syntax import call_text, literal, parameter
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.dictionary import WORDFREQ, dictionary_from, pin_dictionary
from showthrough.models.model_folders import TrainingRecord
from showthrough.systems.base import Anonymizer, format_spec, get_optional
from showthrough.systems.checked import find_masks
from showthrough.systems.occurrences import occurrences, words_of


@dataclass(frozen=True)
class CompositeAnonymizer(ABC):
    """What anonymizers tell of themselves that are made of others."""

    @property
    @abstractmethod
    def made_of(self) -> tuple[Anonymizer, ...]:
        """Its parts."""

    @property
    def version(self) -> int:
        """Rises with that of any part; which part's it was, `pinned` tells."""
        return sum(part.version for part in self.made_of)

    @property
    def pinned(self) -> Mapping[str, str]:
        """Of each part its version and what it pins, under its name."""
        pins: dict[str, str] = {}
        for number, part in enumerate(self.made_of, 1):
            name = part.name if len(self.made_of) == 1 else f"{number}:{part.name}"
            pins[name] = f"v{part.version}"
            pins |= {f"{name}: {key}": value for key, value in get_optional(part, "pinned", {}).items()}
        return pins

    @property
    def model_bytes(self) -> int | None:
        sizes = [get_optional(part, "model_bytes", None) for part in self.made_of]
        return None if None in sizes else sum(sizes)

    @property
    def training(self) -> TrainingRecord | None:
        """Of all parts that were trained here: a document that any of them has seen is seen."""
        trainings: list[TrainingRecord] = [
            training for part in self.made_of if (training := get_optional(part, "training", None)) is not None
        ]
        if len(trainings) < 2:
            return trainings[0] if trainings else None
        names, digests = (
            _join_names(getattr(training, field) for training in trainings) for field in ("corpus", "digest")
        )
        return reduce(lambda first, other: first.merge(other, names, digests), trainings)

    @property
    def device(self) -> str:
        return _join_names(get_optional(part, "device", "cpu") for part in self.made_of)

    @property
    def lasting(self) -> bool:
        """A guest that does not say may give others tomorrow."""
        return all(get_optional(part, "lasting", False) for part in self.made_of)

    def prepare(self) -> None:
        for part in self.made_of:
            get_optional(part, "prepare", lambda: None)()

    def finish(self) -> None:
        for part in self.made_of:
            get_optional(part, "finish", lambda: None)()


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


@dataclass(frozen=True)
class Union(CompositeAnonymizer):
    """Hides what any of its parts hides."""

    parts: tuple[Anonymizer, ...]

    @property
    def made_of(self) -> tuple[Anonymizer, ...]:
        return self.parts

    @property
    def name(self) -> str:
        return "+".join(part.name for part in self.parts)

    @property
    def written(self) -> str:
        *front_parts, last = self.parts
        return "+".join([*map(_delimited_spec, front_parts), format_spec(last)])

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        masks_by_part = [find_masks(part, documents) for part in self.parts]
        return [
            _without_twins(mask for masks in part_masks for mask in masks)
            for part_masks in zip(*masks_by_part, strict=True)
        ]


def _delimited_spec(part: Anonymizer) -> str:
    """How a part is written where something follows, which a program would take for its own."""
    text = format_spec(part)
    return call_text("cmd", part, type(part)()) if text.startswith("cmd:") else text


def _without_twins(masks: Iterable[Mask]) -> list[Mask]:
    """Of masks of one span the surest, the first among equals; one without a score always stays, so it is the surest.

    Masks that merely overlap stay apart, or a threshold would keep all of what only a part of is sure.

    >>> from showthrough.data.masks import ScoredMask
    >>> _without_twins([ScoredMask(0, 3, None, "ORG", 0.4), ScoredMask(0, 3, None, "PERSON", 0.9)])
    [ScoredMask(start=0, end=3, replacement=None, entity_type='PERSON', score=0.9)]
    """
    best: dict[tuple[int, int], Mask] = {}
    for mask in masks:
        before = best.setdefault((mask.start, mask.end), mask)
        if _rank(mask) > _rank(before):
            best[mask.start, mask.end] = mask
    return list(best.values())


def _rank(mask: Mask) -> tuple[float, bool]:
    return math.inf if mask.score is None else mask.score, bool(mask.entity_type)


@dataclass(frozen=True)
class Everywhere(CompositeAnonymizer):
    """Hides what another hides, and wherever else in the document the same words stand.

    The same is what `removed_di` can read there, in whichever way it is written; of a name its parts too.
    Ordinary words and short numbers are not repeated. It only adds masks, and none that overlaps another's, so that no
    recall falls.
    """

    of: Anonymizer = field(metadata={"description": "whose masks are repeated; it stands first in the brackets"})
    dictionary: str = parameter("", "ordinary words: wordfreq:LANGUAGE, or a file; else those of each text's language")

    own_version: ClassVar[int] = 2  # rises whenever it could add another mask

    @property
    def made_of(self) -> tuple[Anonymizer, ...]:
        return (self.of,)

    @property
    def name(self) -> str:
        return self._call(self.of.name)

    @property
    def written(self) -> str:
        return self._call(_delimited_spec(self.of))

    def _call(self, inner: str) -> str:
        return (
            f"everywhere({inner}, dictionary={literal(self.dictionary)})" if self.dictionary else f"everywhere({inner})"
        )

    @property
    def version(self) -> int:
        return self.of.version + self.own_version - 1

    @property
    def pinned(self) -> Mapping[str, str]:
        from importlib.metadata import version

        by_file = self.dictionary and not self.dictionary.startswith(WORDFREQ)
        lists = {"dictionary": pin_dictionary(self.dictionary)} if by_file else {"wordfreq": version("wordfreq")}
        return {"everywhere": f"v{self.own_version}", **lists, **super().pinned}

    def prepare(self) -> None:
        super().prepare()
        if self.dictionary:
            dictionary_from(self.dictionary)  # fails here where there is none

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        all_masks = find_masks(self.of, documents)
        return [
            [*masks, *occurrences(document.text, masks, words_of(document.text, self.dictionary))]
            for document, masks in zip(documents, all_masks, strict=True)
        ]
