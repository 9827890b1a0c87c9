"""Attack and repair: an attacker reads what an anonymizer leaves, and what it used is masked too, round after round.

Three attackers can repair. The `reader` finds what the text says openly, `llm:MODEL` infers as it does for `cpr`, and
`lexical` looks for the person in background texts. Each is asked about one document at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from showthrough.core.call_syntax import literal, parameter
from showthrough.core.errors import InputError, PlanError, Problem, quote_value
from showthrough.data.documents import Document
from showthrough.data.masks import Mask, TypedMask, flatten_masks
from showthrough.data.provenance import READ, REPAIR, UNANSWERED, UNLOCATED, added_in, inferred_after
from showthrough.data.subjects import CERTAIN, Subject
from showthrough.models.chat.base import MODEL
from showthrough.systems._mask_checks import find_masks
from showthrough.systems._repairing_attackers import (
    LEXICAL,
    READER,
    BackgroundSearcher,
    ModelAsker,
    OpenReader,
    Reading,
    RepairingAttacker,
    Span,
)
from showthrough.systems.base import Anonymizer
from showthrough.systems.combined import CompositeAnonymizer, delimited_spec
from showthrough.systems.replacing import make_replacer

if TYPE_CHECKING:
    from showthrough.data.background import Background
    from showthrough.models.chat.estimate import QuestionTally
    from showthrough.models.settings import AskingSettings
    from showthrough.systems.language_model import LanguageModelAnonymizer

_MOST_ROUNDS = 20


@dataclass
class _State:
    """A document between two rounds; `reading` is None where the attacker did not answer."""

    document: Document
    masks: list[Mask]
    reading: Reading | None = None
    settled: bool = False


@dataclass(frozen=True)
class Repair(CompositeAnonymizer):
    """Masks with another anonymizer, lets an attacker read the release, and masks what it used, round after round.

    It ends when the attacker infers nothing any more that it is sure enough of, or after so many rounds. Masks are only
    added. A round in which the attacker would infer more of a document is not kept, and that document is settled.
    """

    of: Anonymizer = field(metadata={"description": "whose masks are repaired; it comes first in the brackets"})
    attacker: str = parameter(READER, f"who reads the release: {READER}, {LEXICAL} or llm:MODEL[@URL]")
    rounds: int = parameter(3, "the most rounds of attack and repair")
    certainty: int = parameter(3, "least certainty of guesses that are repaired, 1 to 5")
    background: str = parameter("", f"a file with what {LEXICAL} knows of people")
    people: str = parameter("", f"a corpus that says what is true of people, for {READER}; it may be the one masked")
    recordings: str = parameter("", "the file that keeps a language model's answers")
    send_text_to: str = parameter("", "a host that may get the texts, if the model is on another machine")

    own_version = 1  # rises whenever it could add another mask

    def __post_init__(self) -> None:
        if self.attacker not in (READER, LEXICAL) and not (self.attacker.startswith(MODEL) and self.attacker != MODEL):
            fault = f"found {quote_value(self.attacker)}; expected {READER}, {LEXICAL} or llm:MODEL[@URL]"
            raise PlanError(fault, "attacker")
        for name, value, most in (("rounds", self.rounds, _MOST_ROUNDS), ("certainty", self.certainty, CERTAIN)):
            if not 1 <= value <= most:
                raise PlanError(f"found {value}; expected 1 to {most}", name)
        if (self.attacker == LEXICAL) != bool(self.background):
            fault = "expected background='FILE' and attacker='lexical' together: a file of what is known of people"
            raise PlanError(fault, "background")
        if self.people and self.attacker != READER:
            raise PlanError(f"only the attacker {READER} looks for what is true of people", "people")

    @property
    def made_of(self) -> tuple[Anonymizer, ...]:
        return (self.of,)

    @property
    def name(self) -> str:
        """Where answers are kept, and who may get the texts, change no mask."""
        return replace(self, recordings="", send_text_to="")._call(self.of.name)

    @property
    def written(self) -> str:
        return self._call(delimited_spec(self.of))

    def _call(self, inner: str) -> str:
        values = {item.name: (getattr(self, item.name), item.default) for item in fields(self) if item.name != "of"}
        changed = [f"{name}={literal(value)}" for name, (value, usual) in values.items() if value != usual]
        return f"{REPAIR}({', '.join([inner, *changed])})"

    @property
    def version(self) -> int:
        return self.of.version + self.own_version - 1

    @property
    def pinned(self) -> Mapping[str, str]:
        files: dict[str, str] = {}
        if self.background:
            files["background"] = _background(self.background).digest
        if self.people:
            files["people"] = _people(self.people)[1]
        return {REPAIR: self.attacker, **files, **super().pinned}

    @property
    def apart(self) -> bool:
        return super().apart and not self.attacker.startswith(MODEL)

    @property
    def single(self) -> bool:
        """One process at a time writes the file of answers."""
        return self.attacker.startswith(MODEL)

    @property
    def counts(self) -> Mapping[str, int]:
        """What was inferred and masked in each round so far, of all documents together."""
        return dict(self._counts)

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter()

    @property
    def with_asking(self) -> Any:
        """Says how its language model is asked; `None` where it has none."""
        return self._with_asking if self.attacker.startswith(MODEL) else None

    def _with_asking(self, settings: AskingSettings) -> Repair:
        asker = self._asker.with_asking(settings)
        bound = replace(self, recordings=asker.recordings, send_text_to=asker.send_text_to)
        bound.__dict__["_asker"] = asker
        return bound

    @cached_property
    def _asker(self) -> LanguageModelAnonymizer:
        """Who knows how to ask the attacker's model: an anonymizer of the same model."""
        from showthrough.systems.language_model import LanguageModelAnonymizer

        model = self.attacker.removeprefix(MODEL)
        return LanguageModelAnonymizer(model, recordings=self.recordings, send_text_to=self.send_text_to)

    @cached_property
    def _attack(self) -> RepairingAttacker:
        if self.attacker == LEXICAL:
            return BackgroundSearcher(_background(self.background))
        if self.attacker == READER:
            return OpenReader(_people(self.people)[0] if self.people else None, self.people)
        return ModelAsker(self.attacker, self.certainty, self._asker, self._counts)

    def prepare(self) -> None:
        super().prepare()
        if self.attacker.startswith(MODEL):
            self._asker.prepare()
        _ = self._attack

    def estimate(self, documents: Sequence[Document], tally: QuestionTally) -> None:
        """Counts the most that would be asked; nothing is sent."""
        for number in range(self.rounds + 1):  # the text of each round is another
            texts = [document.text + " " * number for document in documents]
            ModelAsker(self.attacker, self.certainty, self._asker, Counter(), tally).read(documents, texts)

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        base = find_masks(self.of, documents)
        states = [_State(document, list(masks)) for document, masks in zip(documents, base, strict=True)]
        readings = self._read(documents, [state.masks for state in states])
        for state, reading in zip(states, readings, strict=True):
            state.reading = reading
            self._counts[UNANSWERED] += reading is None
        self._counts[READ] += len(documents)
        self._count_risk(0, states)
        for number in range(1, self.rounds + 1):  # what is settled counts in all of them: other batches may go on
            self._repair(number, [state for state in states if not state.settled])
            self._count_risk(number, states)
        self._counts[UNLOCATED] += sum(state.reading.unlocated for state in states if state.reading)
        return [state.masks for state in states]

    def _repair(self, number: int, states: Sequence[_State]) -> None:
        """One round. What is masked more is kept unless the attacker infers more then."""
        open_states = []
        for state in states:
            more = new_masks(state.document, state.masks, state.reading.spans) if state.reading else []
            state.settled = not more
            if more:
                open_states.append((state, [*state.masks, *more]))
        if not open_states:
            return
        proposals = [masks for _, masks in open_states]
        readings = self._read([state.document for state, _ in open_states], proposals)
        for (state, masks), reading in zip(open_states, readings, strict=True):
            before = state.reading.risk if state.reading else 0
            self._counts[UNANSWERED] += reading is None
            if reading is not None and reading.risk > before:
                state.settled = True
                continue
            self._counts[added_in(number)] += len(masks) - len(state.masks)
            state.masks = masks
            state.settled = reading is None
            state.reading = reading or state.reading

    def _count_risk(self, number: int, states: Sequence[_State]) -> None:
        self._counts[inferred_after(number)] += sum(state.reading.risk for state in states if state.reading)

    def _read(self, documents: Sequence[Document], masks: Sequence[Sequence[Mask]]) -> list[Reading | None]:
        releases = [_release(document, own)[0] for document, own in zip(documents, masks, strict=True)]
        return self._attack.read(documents, releases)


def _release(document: Document, masks: Sequence[Mask]) -> tuple[str, list[int]]:
    """What a reader gets with labels in place of masks, and where each character stood: -1 for one of a label."""
    pieces, sources, position = [], [], 0
    labelled = make_replacer("label")(document, masks)
    for mask in (*flatten_masks(labelled), Mask(len(document.text), len(document.text))):
        written = mask.replacement or ""
        pieces += [document.text[position : mask.start], written]
        sources += [*range(position, mask.start), *[-1] * len(written)]
        position = mask.end
    return "".join(pieces), sources


def new_masks(document: Document, masks: Sequence[Mask], spans: Sequence[Span]) -> list[Mask]:
    """Masks on what these places of the release show of the text, each without white space and signs at its ends.

    >>> new_masks(Document("a", "Ann Lee, Oslo"), [Mask(0, 3, "X")], [(0, 13, "NAME")])  # the release: X Lee, Oslo
    [TypedMask(start=4, end=13, replacement=None, entity_type='NAME')]
    """
    source = np.array([*_release(document, masks)[1], -1], dtype=np.int64)
    covered = np.zeros(len(document.text) + 1, dtype=bool)
    for mask in masks:
        covered[mask.start : mask.end] = True
    added: list[Mask] = []
    for start, end, label in sorted(set(spans), key=lambda span: (span[0] - span[1], span)):
        places = source[start : min(end, len(source) - 1)]
        places = places[places >= 0]
        places = places[~covered[places]]
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            letters = [index for index in run.tolist() if document.text[index].isalnum()]
            if letters:
                added.append(TypedMask(letters[0], letters[-1] + 1, None, label))
                covered[letters[0] : letters[-1] + 1] = True
    return sorted(added, key=lambda mask: mask.start)


@lru_cache(maxsize=2)
def _background(path: str) -> Background:
    from showthrough.formats.people.background import read_background
    from showthrough.storage.paths import as_path

    return read_background(as_path(path))


@lru_cache(maxsize=2)
def _people(path: str) -> tuple[Mapping[str, tuple[Subject, ...]], str]:
    """Who is in each document of a corpus, by its id, and the corpus's digest."""
    from showthrough.formats import read_corpus

    corpus = read_corpus(Path(path))
    if not corpus.survey.subjects:
        raise InputError(Problem(path, "", "no document says whom it is about; expected a corpus with people"))
    return {document.id: tuple(document.subjects) for document in corpus}, corpus.digest
