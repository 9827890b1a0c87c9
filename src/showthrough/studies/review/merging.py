"""What several annotators marked at one place, and rules that make one annotation of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from showthrough.core.errors import PlanError, join_names, quote_value, suggest_name
from showthrough.data.documents import Identifier, InferredMention, Mention
from showthrough.data.levels import LEVELS
from showthrough.data.types import is_confidential

RULES = ("union", "majority")
WINS = "annotator:"
_EXPECTED = f"expected {', '.join(RULES)} or {WINS}NAME, alone or after TYPE="
_Key = tuple[int, int, str, Identifier]
_T = TypeVar("_T", bound=str)


@dataclass(frozen=True)
class MergeRules:
    """How places are merged on which annotators differ: by type, else all alike."""

    default: str = "union"
    by_type: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Sequence[str], annotators: Sequence[str], types: Iterable[str]) -> MergeRules:
        """`union`, `PERSON=majority`, `annotator:ann`; raises PlanError for rules, types and people that are not there.

        >>> MergeRules.parse(["majority", "LOC=annotator:ann"], ["ann", "bob"], ["LOC"])
        MergeRules(default='majority', by_type={'LOC': 'annotator:ann'})
        """
        default, by_type, names = "", {}, sorted(types)
        for text in texts:
            kind, sign, rule = text.rpartition("=")
            if rule not in RULES and rule.removeprefix(WINS) not in (annotators if rule.startswith(WINS) else ()):
                fault = _EXPECTED
                if rule.startswith(WINS):
                    name = rule.removeprefix(WINS)
                    fault = f"{suggest_name(name, annotators)}expected one of {join_names(annotators)}"
                raise PlanError(f"found {quote_value(text)}; {fault}", "merge")
            if sign and kind not in names:
                fault = f"{suggest_name(kind, names)}expected a type of these annotators: {join_names(names)}"
                raise PlanError(f"found {quote_value(text)}; {fault}", "merge")
            if (kind in by_type) if sign else default:
                raise PlanError(f"found {quote_value(text)} and another such rule; expected one", "merge")
            if sign:
                by_type[kind] = rule
            else:
                default = rule
        return cls(default or "union", by_type)


class Place(NamedTuple):
    """A stretch of a text in which marks overlap, and what each annotator of the document marked there."""

    start: int
    end: int
    marks: tuple[tuple[Mention, ...], ...]  # of each annotator, in their order

    @property
    def readings(self) -> list[frozenset[_Key]]:
        """What each annotator says: where marks begin and end, their type, and how they identify."""
        return [
            frozenset((mark.start, mark.end, mark.entity_type, mark.identifier) for mark in own) for own in self.marks
        ]

    @property
    def agreed(self) -> bool:
        return len(set(self.readings)) < 2

    @property
    def kind(self) -> str:
        """On what annotators differ: the first of these."""
        if not all(self.marks):
            return "marked or not"
        for kind, parts in (("borders", (0, 1)), ("type", (0, 1, 2))):
            if len({frozenset(tuple(key[part] for part in parts) for key in keys) for keys in self.readings}) > 1:
                return kind
        return "identifier"


def places_in(layers: Sequence[Sequence[Mention]]) -> list[Place]:
    """The places of a document, in the order of its text.

    >>> doe, mr_doe, oslo = Mention(3, 6), Mention(0, 6), Mention(10, 14)
    >>> [(place.start, place.end, place.kind) for place in places_in([[doe, oslo], [mr_doe]])]
    [(0, 6, 'borders'), (10, 14, 'marked or not')]
    """
    every = sorted(
        ((mention.start, mention.end, number, mention) for number, own in enumerate(layers) for mention in own),
        key=lambda entry: entry[:3],
    )
    places: list[Place] = []
    groups: list[list[tuple[int, int, int, Mention]]] = []
    reach = -1
    for entry in every:
        if entry[0] >= reach:
            groups.append([])
        groups[-1].append(entry)
        reach = max(reach, entry[1])
    for group in groups:
        own = tuple(tuple(mention for _, _, who, mention in group if who == number) for number in range(len(layers)))
        places.append(Place(group[0][0], max(end for _, end, _, _ in group), own))
    return places


def merge_place(location: Place, rule: str, annotators: Sequence[str], text: str) -> list[Mention]:
    """What a rule makes of a place.

    `union` marks all that anybody marked, as what identifies most. `majority` marks what more than half of the
    annotators marked: their very spans, else the words that they share. Where one wins, theirs are the marks.
    """
    if location.agreed:
        status = {
            (mark.start, mark.end): build_mark(location, mark.start, mark.end, strongest=True)
            for mark in location.marks[0]
        }
        return [
            replace(mark, confidential=status[mark.start, mark.end].confidential)
            for mark in dict.fromkeys(location.marks[0])
        ]
    if rule.startswith(WINS):
        return list(dict.fromkeys(location.marks[annotators.index(rule.removeprefix(WINS))]))
    if rule == "union":
        return [build_mark(location, location.start, location.end, strongest=True)]
    enough = len(location.marks) // 2 + 1
    votes = Counter(span for own in location.marks for span in {(mention.start, mention.end) for mention in own})
    spans = sorted(span for span, times in votes.items() if times >= enough)
    for start, end in _shared(location, enough):
        for left, right in _without(start, end, spans):
            words = text[left:right]
            first, last = left + len(words) - len(words.lstrip()), left + len(words.rstrip())
            if any(letter.isalnum() for letter in words):
                spans.append((first, last))
    return [build_mark(location, start, end, strongest=False) for start, end in sorted(spans)]


def _shared(location: Place, enough: int) -> Iterable[tuple[int, int]]:
    """Stretches that so many annotators marked, with whatever borders."""
    borders = sorted({edge for own in location.marks for mention in own for edge in (mention.start, mention.end)})
    stretches: list[tuple[int, int]] = []
    for start, end in pairwise(borders):
        marking = sum(any(mention.start <= start and end <= mention.end for mention in own) for own in location.marks)
        if marking >= enough:
            if stretches and stretches[-1][1] == start:
                start = stretches.pop()[0]
            stretches.append((start, end))
    return stretches


def _without(start: int, end: int, spans: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """What is left of a stretch beside spans in ascending order."""
    for low, high in sorted(spans):
        if high <= start or low >= end:
            continue
        if start < low:
            yield start, low
        start = max(start, high)
    if start < end:
        yield start, end


def build_mark(location: Place, start: int, end: int, *, strongest: bool) -> Mention:
    """A mark of a span, with type, identifier and status as those say who marked something there.

    Each annotator has one vote. Of equals, the stronger identifier counts, then what is confidential.
    """
    sources = _sources(location, start, end)
    levels = [source.identifier for source in sources]
    level = max(levels, key=LEVELS.index) if strongest else _most(levels, LEVELS.index)
    kind = _most([source.entity_type for source in sources], lambda name: 0)
    statuses = [source.confidential for source in sources if source.confidential is not None]
    status = _most(statuses, lambda name: int(bool(is_confidential(name)))) if statuses else None
    mention_type = Mention if any(source.stated for source in sources) else InferredMention
    return mention_type(start, end, kind, level, "", status)


def _most(values: Sequence[_T], strength: Callable[[_T], int]) -> _T:
    """The most frequent value; of equals the strongest, then the first in the alphabet."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], -strength(value), value))


def _sources(location: Place, start: int, end: int) -> list[Mention]:
    """For each annotator who marked something of a span, the mention that has most of it."""
    sources = []
    for own in location.marks:
        shared = [(min(end, mark.end) - max(start, mark.start), mark.start - mark.end, mark) for mark in own]
        best = max(shared, key=lambda entry: entry[:2], default=None)
        if best is not None and best[0] > 0:
            sources.append(best[2])
    return sources


def with_entities(
    marks: Sequence[Mention], layers: Sequence[Sequence[Mention]], winner: int | None = None
) -> tuple[Mention, ...]:
    """The marks in the order of the text, those that mean the same with one entity id.

    Two do if at least half of the annotators say so who marked both. Of what the winner marked, the winner says it.

    >>> ann, lee = Mention(0, 3), Mention(8, 11)
    >>> one, two = [replace(ann, entity_id="x"), replace(lee, entity_id="x")], [ann, replace(lee, entity_id="y")]
    >>> [[mark.entity_id for mark in with_entities([ann, lee], [one, two], winner)] for winner in (None, 1)]
    [['e1', 'e1'], ['e1', 'e2']]
    """
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end))
    together: Counter[tuple[int, int]] = Counter()
    ids: list[dict[int, str]] = []
    for own in layers:
        ids.append(_entity_ids(ordered, own))
        members: dict[str, list[int]] = defaultdict(list)
        for number, entity_id in ids[-1].items():
            if entity_id:
                members[entity_id].append(number)
        together.update(pair for numbers in members.values() for pair in combinations(numbers, 2))
    root = list(range(len(ordered)))

    def find(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    for (first, second), saying in together.items():
        both = sum(first in own and second in own for own in ids)
        if winner is not None and first in ids[winner] and second in ids[winner]:
            same = ids[winner][first] == ids[winner][second] != ""
        else:
            same = 2 * saying >= both
        if same:
            low, high = sorted((find(first), find(second)))
            root[high] = low
    numbers = dict.fromkeys(find(number) for number in range(len(ordered)))
    names = {number: f"e{index}" for index, number in enumerate(numbers, 1)}
    return tuple(replace(mark, entity_id=names[find(number)]) for number, mark in enumerate(ordered))


def _entity_ids(marks: Sequence[Mention], own: Sequence[Mention]) -> dict[int, str]:
    """For each mark that an annotator marked some of, the entity of the mention that has most of it."""
    ids: dict[int, str] = {}
    best: dict[int, tuple[int, int]] = {}  # characters shared; of equals, the shorter mention
    number_of_next = 0
    for mention in sorted(own, key=lambda entry: (entry.start, entry.end)):
        while number_of_next < len(marks) and all(
            mark.end <= mention.start for mark in marks[number_of_next : number_of_next + 1]
        ):
            number_of_next += 1
        for number in range(max(0, number_of_next - 1), len(marks)):
            mark = marks[number]
            if mark.start >= mention.end:
                break
            shared = min(mark.end, mention.end) - max(mark.start, mention.start), mention.start - mention.end
            if shared > best.get(number, (0, 0)):
                best[number], ids[number] = shared, mention.entity_id
    return ids
