"""What is done to a text before a model sees it: passages, copies with named entities gone, curation.

Manzanares-Salor et al. 2024 (TRI): the attacker's background is given twice, as it is and with every named entity
replaced by its type, so that the model also learns from what anonymizers leave; then all texts, the documents under
attack too, are curated: lemmas for words, no stop words, no special characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from showthrough.core.errors import ResourceError
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.models.pipeline import NO_LEMMAS, TOKENS, Pipeline
from showthrough.models.settings import Watch

Passages = tuple[str, ...]
Copies = tuple[Passages, ...]  # of one text: as it is, without its named entities, or both; passage by passage alike

VERSION = 2  # rises when a text could come out otherwise
LONGEST = 600  # characters of a passage; about a window of pieces
_RECOGNISERS = ("ner", "entity_ruler", "span_ruler")
_SPECIAL = re.compile(r"[^\w\s./]|_")
_ENDS = (". ", "! ", "? ")


def passages_of(text: str, longest: int = LONGEST) -> Passages:
    """A text's lines, long ones cut where a sentence ends or, failing that, between words. Nothing but space is lost.

    >>> passages_of("A title\\n\\nOne sentence. Another one.", longest=20)
    ('A title', 'One sentence.', 'Another one.')
    """
    passages = []
    for line in text.splitlines():
        rest = line.strip()
        while len(rest) > longest:
            cut = max(rest.rfind(end, 0, longest) + 1 for end in _ENDS) or rest.rfind(" ", 1, longest + 1)
            cut = cut if cut > 0 else longest
            passages.append(rest[:cut].rstrip())
            rest = rest[cut:].lstrip()
        if rest:
            passages.append(rest)
    return tuple(passages)


def without_entities(document: Any) -> str:
    """The text of a spaCy document with its type in the place of each named entity."""
    text: str = document.text
    for entity in reversed(document.ents):  # from the end, so that the offsets before stay true
        text = text[: entity.start_char] + entity.label_ + text[entity.end_char :]
    return text


def curate(document: Any) -> str:
    """The lemmas of a spaCy document that are no stop words, with letters, digits, dots and slashes only."""
    text = ""
    for token in document:
        if token.is_stop or token.is_space:
            continue
        if word := _SPECIAL.sub(_unless_a_mark, token.lemma_ or token.text).strip():
            text += word if word == "." else f" {word}"
    return text.lstrip()


def _unless_a_mark(special: re.Match[str]) -> str:
    # Vowel signs and accents that stand on their own are part of the word: without them Hindi is unreadable.
    return special[0] if unicodedata.category(special[0]).startswith("M") else ""


class Pretreatment:
    """The pretreatment that the settings ask for, as the whole of the named spaCy pipeline reads texts."""

    def __init__(self, settings: TriSettings, watch: Watch | None = None) -> None:
        self.settings = settings
        self.watch = watch
        instead = "anonymize_background_knowledge=False, use_document_curation=False and sliding windows"
        self.pipeline = Pipeline(settings.spacy_pipeline, instead, exclude=(), written="spacy_pipeline={}")

    @property
    def revision(self) -> str:
        """What tells this reader from any other; empty where texts stay as they are."""
        return f"{VERSION} {self.pipeline.revision}" if self.settings.reads_with_spacy else str(VERSION)

    def background(self, texts: Mapping[str, str]) -> dict[str, Copies]:
        """Every individual's text in the copies that the model learns from."""
        plain = [passages_of(text) for text in texts.values()]
        copies = [] if self.settings.only_use_anonymized_background_knowledge else [plain]
        if self.settings.anonymize_background_knowledge:
            self._ask_for_entities()
            copies.append(self._change_passages(plain, "finding named entities", without_entities, None))
        return dict(zip(texts, zip(*map(self._curate, copies), strict=True), strict=True))

    def documents(self, texts: Sequence[str]) -> list[Passages]:
        """Documents under attack: curated as the background is, and otherwise as they are."""
        return self._curate([passages_of(text) for text in texts])

    def sentences(self, passages: Sequence[str]) -> Iterator[list[str]]:
        """The sentences of each passage: spaCy's rules for where one ends, on the named pipeline's tokens."""
        from spacy.pipeline import Sentencizer

        ends = Sentencizer()
        for document in self.pipeline.read(passages, TOKENS):
            yield [text for sentence in ends(document).sents if (text := sentence.text.strip())]

    def _curate(self, texts: Sequence[Passages]) -> list[Passages]:
        if not self.settings.use_document_curation:
            return list(texts)
        return self._change_passages(texts, "curating", curate, self.pipeline.until_last(NO_LEMMAS))

    def _ask_for_entities(self) -> None:
        if not any(name in self.pipeline.components for name in _RECOGNISERS):
            raise ResourceError(
                f"the spaCy pipeline {self.pipeline.name!r} does not find named entities: "
                f"it has {', '.join(self.pipeline.components) or 'no component'}. Either name another, "
                'spacy_pipeline="en_core_web_lg"; or choose anonymize_background_knowledge=False'
            )

    def _change_passages(
        self, texts: Sequence[Passages], task: str, change: Callable[[Any], str], components: Collection[str] | None
    ) -> list[Passages]:
        """Changes all passages in one go, since spaCy reads many faster than few, and gives each text its own back."""
        passages = [passage for text in texts for passage in text]
        changed = []
        for number, document in enumerate(self.pipeline.read(passages, components), start=1):
            changed.append(change(document))
            if self.watch and (number % 100 == 0 or number == len(passages)):
                self.watch(task, number, len(passages))
        of_texts = iter(changed)
        return [tuple(islice(of_texts, len(text))) for text in texts]
