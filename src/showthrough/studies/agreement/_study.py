"""Agreement of a corpus: one look at who read what, one walk through what they marked, then the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from heapq import nlargest
from itertools import product
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Ints
from showthrough.core.errors import InputError
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus, Document
from showthrough.evaluation.ceiling import ceiling
from showthrough.evaluation.settings import settings_problems
from showthrough.run.settings import RecordedSettings
from showthrough.studies._tallies import LONG
from showthrough.studies.agreement._shared_documents import ReaderCounts, drawn_together, shared_documents
from showthrough.studies.agreement.estimates import Draws, Number, estimates, find_intervals
from showthrough.studies.agreement.items import Categories, Items, SharedMentions
from showthrough.studies.agreement.tallies import AgreementTally, AllRaters, LayerPairs, RaterChoices
from showthrough.studies.agreement.values import (
    ATTRIBUTES,
    UNITS,
    Agreement,
    AgreementMeasure,
    Attribute,
    Confusion,
    ConfusionEntry,
    Decisions,
    DisputedString,
    Pair,
    PairAgreement,
    Unit,
)
from showthrough.studies.cases import context_of, in_a_line

PAIRS = 50  # of annotators that are measured one by one
PLACES = 50
PAIR_UNITS: tuple[Unit, ...] = ("spans", "characters")
_BLOCKS = 2000  # of documents that intervals are drawn from
_NOTHING = "nobody marked anything in the documents that several read"
_UNSTATED = "the corpus does not say whether marks are direct or quasi"
_NO_STATUS = "the corpus does not say what is confidential"
_KEPT = 20_000  # strings: those with fewest differences are forgotten first


@expects(corpus=Corpus)
def agreement(corpus: Corpus, *, seed: int = 0, resamples: int = 1000, confidence: float = 0.95) -> Agreement:
    """How far the people who annotated a corpus agree, on the documents that two or more of them read.

    >>> from showthrough import Annotation, Document, Mention
    >>> def layer(who, *spans):
    ...     return Annotation(who, tuple(Mention(start, end, "PERSON") for start, end in spans))
    >>> text = "Ann met Bo."
    >>> corpus = Corpus([Document("a", text, (layer("x", (0, 3), (8, 10)), layer("y", (0, 3))))])
    >>> agreement(corpus).of("type", "characters").observed.value  # 9 of 11 characters
    0.8181818181818182
    """
    if problems := settings_problems(RecordedSettings(seed=seed, resamples=resamples, confidence=confidence)):
        raise InputError(problems)
    survey = corpus.survey  # raises for what is wrong with a document
    sharing = ReaderCounts.of(corpus)
    summary = Agreement(
        corpus.name, len(survey.ids), sharing.shared, sharing.readers, sharing.annotators, sharing.programs,
        sharing.reason, resamples=resamples, seed=seed, confidence=confidence,
    )  # fmt: skip
    if sharing.reason:
        return summary
    study = _Study(sharing, drawn_together(corpus), Draws(resamples, seed, confidence))
    for numbers in corpus.chunks():
        documents = list(shared_documents(corpus.part(numbers)))
        if documents:
            study.add(documents)
    people = ceiling(corpus, seed=seed, resamples=resamples, confidence=confidence)
    return replace(study.summarize(summary), people=people)


class _Study:
    """What is summed up on the way through a corpus."""

    def __init__(self, sharing: ReaderCounts, together: Ints, draws: Draws) -> None:
        self._sharing = sharing
        self._draws = draws
        self._blocks = min(int(together.max()) + 1, _BLOCKS)
        self._block = together % self._blocks  # of each shared document, in the order in which they come
        self._number = 0
        self._categories = Categories()
        self._all = {key: AllRaters(self._blocks) for key in product(UNITS, ATTRIBUTES)}
        order = sorted(sharing.pairs, key=lambda pair: (-sharing.pairs[pair], pair))
        self._pairs = {pair: number for number, pair in enumerate(order[:PAIRS])}
        self._two: dict[Unit, dict[Attribute, AgreementTally]] = {
            unit: {name: AgreementTally.empty(self._blocks, len(self._pairs), sides=2) for name in ATTRIBUTES}
            for unit in PAIR_UNITS
        }
        self._of_types, self._of_spans = Meetings(), Meetings()
        self._disputes = Disputes()
        self._places = DisputedStrings()
        self._long = self._long_shared = 0

    def add(self, documents: Sequence[Document]) -> None:
        marks = SharedMentions.from_documents(documents, self._categories)
        block = self._block[self._number : self._number + len(documents)]
        self._number += len(documents)
        for unit in UNITS:
            items = marks.unit(unit)
            for attribute in ATTRIBUTES:
                self._all[unit, attribute].add(items, RaterChoices.of(items, items.categories(attribute)), block)
        for unit, tallies in self._two.items():
            items = marks.unit(unit)
            LayerPairs.of(items, self._pairs).add(tallies, items, block)
        decision = decide_spans(marks)
        self._of_spans.add(marks.spans, States.of(marks.spans.categories("type"), decision))
        self._of_types.add(marks.characters, marks.characters.categories("type"))
        items = marks.spans
        several = np.bincount(items.cells[0], items.mark >= 0, minlength=len(items)) > 1
        long = items.end - items.start > LONG
        self._long += int(long.sum())
        self._long_shared += int((long & several).sum())
        if self._sharing.stated:
            self._disputes.add(items, decision, self._categories.types)
            self._places.add(marks, decision)

    def summarize(self, summary: Agreement) -> Agreement:
        """All of it, as numbers."""
        types = self._categories.types
        states = States(types)
        decisions = decisions_by_type(self._of_spans.counts, states) if self._sharing.stated else ()
        confusions = (
            confusion_of_types("spans", types_alone(self._of_spans.counts), types),
            confusion_of_types("characters", self._of_types.counts, types),
        )
        drafts = [self._all_raters(unit, attribute) for unit, attribute in product(UNITS, ATTRIBUTES)]
        drafts += [
            draft for unit, attribute in product(PAIR_UNITS, ATTRIBUTES) for draft in self._each_two(unit, attribute)
        ]
        numbers = iter(find_intervals([number for draft in drafts for number in draft.numbers], self._draws.confidence))
        measured: list[AgreementMeasure] = []
        pairs: dict[tuple[str, str], list[PairAgreement]] = {pair: [] for pair in self._pairs}
        for draft in drafts:
            values = [next(numbers) for _ in draft.numbers]
            if draft.pair is None:
                measured.append(AgreementMeasure(draft.attribute, draft.unit, draft.items, *values))
            else:
                pairs[draft.pair].append(PairAgreement(draft.attribute, draft.unit, draft.items, *values))
        return replace(
            summary,
            measured=tuple(measured),
            pairs=tuple(
                Pair(*pair, self._sharing.pairs[pair], tuple(measured_of_pair))
                for pair, measured_of_pair in pairs.items()
            ),
            other_pairs=len(self._sharing.pairs) - len(self._pairs),
            confusions=confusions,
            decisions=decisions,
            disputes=decisions_by_type(self._disputes.counts, states) if self._sharing.stated else (),
            long_spans=self._long,
            long_spans_shared=self._long_shared,
            places=self._places.most(PLACES),
            places_forgotten=self._places.forgotten,
        )

    def _reason_absent(self, attribute: Attribute) -> str:
        """Why an attribute cannot be compared in this corpus."""
        if not self._sharing.mentions:
            return ""
        if attribute == "confidential":
            return "" if self._sharing.confidential else _NO_STATUS
        return "" if attribute == "type" or self._sharing.stated else _UNSTATED

    def _all_raters(self, unit: Unit, attribute: Attribute) -> _Draft:
        tallies, absent = self._all[unit, attribute], self._reason_absent(attribute)
        (of_items,), (of_ratings,) = estimates(tallies.items, self._draws), estimates(tallies.ratings, self._draws)
        numbers = [
            of_items.observed_agreement(_NOTHING),
            of_items.correct_for_chance(_NOTHING, returned=True),
            of_ratings.correct_for_chance(_NOTHING, returned=False),
        ]
        return _Draft(unit, attribute, of_items.items, [Number(None, absent)] * 3 if absent else numbers)

    def _each_two(self, unit: Unit, attribute: Attribute) -> Iterator[_Draft]:
        absent = self._reason_absent(attribute)
        for pair, pair_estimates in zip(self._pairs, estimates(self._two[unit][attribute], self._draws), strict=True):
            numbers = [
                pair_estimates.observed_agreement(_NOTHING),
                pair_estimates.correct_for_chance(_NOTHING, returned=True),
            ]
            yield _Draft(unit, attribute, pair_estimates.items, [Number(None, absent)] * 2 if absent else numbers, pair)


class _Draft(NamedTuple):
    """A line of a table whose intervals are still to be found."""

    unit: Unit
    attribute: Attribute
    items: float
    numbers: list[Number]
    pair: tuple[str, str] | None = None  # of all annotators where none


class Decision(IntEnum):
    """What an annotator said of a span; a later one is stronger."""

    UNMARKED = 0
    OTHER_BORDERS = 1  # that very span is not marked, and something that overlaps it is
    NO_MASK = 2
    QUASI = 3
    DIRECT = 4

    @property
    def words(self) -> str:
        return self.name.lower().replace("_", " ")


_MASKED = (Decision.QUASI, Decision.DIRECT)


class Meetings:
    """How often what two annotators said met, all pairs of annotators together."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()

    def add(self, items: Items, categories: Ints) -> None:
        first, two, sums = RaterChoices.of(items, categories).meetings(items)
        for pair, count in zip(zip(first.tolist(), two.tolist(), strict=True), sums.tolist(), strict=True):
            if count:
                self.counts[pair] += count


class Disputes:
    """The strongest and the weakest decision on each span, counted once however many annotators there are."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()

    def add(self, items: Items, decision: Ints, types: Sequence[str]) -> None:
        item, _ = items.cells
        kind = items.categories("type")
        rank = np.empty(len(types) + 1, dtype=np.int64)  # by name, so that the order of documents does not matter
        rank[0] = len(types)
        rank[1 + np.array(sorted(range(len(types)), key=types.__getitem__), dtype=np.int64)] = np.arange(len(types))
        order = np.lexsort((-rank[kind], decision, item))
        last = np.flatnonzero(np.diff(item[order], append=-1))
        first = np.concatenate([[0], last[:-1] + 1]) if len(last) else last
        state = States.of(kind, decision)[order]
        self.counts.update(zip(state[first].tolist(), state[last].tolist(), strict=True))


def decide_spans(marks: SharedMentions) -> Ints:
    """For each place on the line of spans: the decision."""
    items = marks.spans
    marked = items.categories("identifier")
    return np.where(marked > 0, marked + Decision.OTHER_BORDERS, marks.find_touched(items))


class States:
    """Type and decision as one number, the type counting for more."""

    def __init__(self, types: Sequence[str]) -> None:
        self._types: list[str | None] = [None, *types]

    @staticmethod
    def of(kind: Ints, decision: Ints) -> Ints:
        return np.asarray(kind * len(Decision) + decision)

    def read(self, state: int) -> tuple[str | None, Decision]:
        kind, decision = divmod(state, len(Decision))
        return self._types[kind], Decision(decision)


def confusion_of_types(unit: Unit, counts: Counter[tuple[int, int]], types: Sequence[str]) -> Confusion:
    """Where nobody of a pair marked anything they do not meet."""
    names: list[str | None] = [None, *types]
    met = {pair: count for pair, count in counts.items() if pair != (0, 0)}
    meetings = [ConfusionEntry(names[first], names[two], count) for (first, two), count in met.items()]
    return Confusion(
        unit, tuple(sorted(meetings, key=lambda meeting: (-meeting.count, meeting.first or "", meeting.second or "")))
    )


def types_alone(counts: Counter[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """States' meetings by their types."""
    sums: Counter[tuple[int, int]] = Counter()
    for (first, two), count in counts.items():
        low, high = sorted((first // len(Decision), two // len(Decision)))
        sums[low, high] += count
    return sums


def decisions_by_type(counts: Counter[tuple[int, int]], states: States) -> tuple[Decisions, ...]:
    """Pairs count under the type of the stronger decision; of two alike under the type that sorts first."""
    by_type: dict[str, Counter[str]] = {}
    for pair, count in counts.items():
        (first, weak), (two, strong) = sorted(map(states.read, pair), key=lambda state: state[1])
        if first is None and two is None:
            continue
        kind = two if first is None or weak < strong else min(first, two or "")
        of_kind = by_type.setdefault(kind or "", Counter())
        of_kind["compared"] += round(count)
        of_kind["other_borders"] += round(count) * (weak == Decision.OTHER_BORDERS)
        if strong in _MASKED and weak < strong:
            other = Decision.UNMARKED if weak == Decision.OTHER_BORDERS else weak
            of_kind[f"{strong.name}_{other.name}".lower()] += round(count)
    decisions = [msgspec.convert({"entity_type": kind, **sums}, Decisions) for kind, sums in by_type.items()]
    return tuple(
        sorted(decisions, key=lambda decision: (-decision.differing, -decision.compared, decision.entity_type))
    )


class DisputedStrings:
    """The strings on which annotators decide differently; other borders are no other decision."""

    def __init__(self) -> None:
        self._found: dict[str, DisputedString] = {}
        self.forgotten = False

    def add(self, marks: SharedMentions, decision: Ints) -> None:
        items = marks.spans
        choices = np.zeros((len(items), len(Decision)), dtype=np.int64)
        np.add.at(choices, (items.cells[0], decision), 1)
        none = choices[:, Decision.UNMARKED] + choices[:, Decision.NO_MASK]
        direct, quasi = choices[:, Decision.DIRECT], choices[:, Decision.QUASI]
        differing = direct * quasi + (direct + quasi) * none
        for item in np.flatnonzero(differing).tolist():
            number = int(items.document[item])
            document, shift = marks.documents[number], int(marks.bounds[number])
            start, end = int(items.start[item]) - shift, int(items.end[item]) - shift
            string = in_a_line(document.text, start, end)
            pairs, earlier = int(differing[item]), self._found.get(string)
            if earlier:
                self._found[string] = msgspec.structs.replace(
                    earlier, differing=earlier.differing + pairs, places=earlier.places + 1
                )
                continue
            counts = {
                option.words: int(choices[item, option]) for option in reversed(Decision) if choices[item, option]
            }
            context = context_of(document.text, start, end)
            self._found[string] = DisputedString(document.id, start, *context, counts, pairs, 1)
        if len(self._found) > 2 * _KEPT:
            self._found = {entry.here: entry for entry in self.most(_KEPT)}
            self.forgotten = True

    def most(self, number: int) -> tuple[DisputedString, ...]:
        """Those with most differences; of equals the string that sorts first."""
        return tuple(
            nlargest(number, sorted(self._found.values(), key=lambda entry: entry.here), lambda entry: entry.differing)
        )
