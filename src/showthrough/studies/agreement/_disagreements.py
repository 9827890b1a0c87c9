"""Who takes what for what: confusion of types, masking decisions by type, and the strings they differ on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from heapq import nlargest

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.studies.agreement.items import Items, SharedMentions
from showthrough.studies.agreement.tallies import RaterChoices
from showthrough.studies.agreement.values import Confusion, Decisions, DisputedString, Meeting, Unit
from showthrough.studies.contexts import context_of, in_a_line

_KEPT = 20_000  # strings: those with fewest differences are forgotten first


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
    meetings = [Meeting(names[first], names[two], count) for (first, two), count in met.items()]
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
