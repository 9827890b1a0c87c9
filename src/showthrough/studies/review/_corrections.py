"""What findings change in one document: marks that are added, changed and removed, once no two of them disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from showthrough.core.errors import Problem, quote_value, shorten
from showthrough.data.documents import Document, Identifier, Mention
from showthrough.data.levels import by_type
from showthrough.studies.review import _columns as c
from showthrough.studies.review._filled_sheets import (
    ReviewFinding,
    Span,
    marks_of,
    normalize_spaces,
    places_of,
    readable,
)

# A corrected mark is of the entity that a reviewer names, else of that of the same words, else of a new one.


@dataclass(frozen=True)
class Entity:
    """An entity of the document, or one to come."""

    entities: EntityIndex
    id: str = ""  # empty: nobody has named it yet
    words: str = ""  # by which it is known then
    mention: Mention | None = None  # one of those that are there
    is_stated: bool = True  # whether somebody says that it is one

    def name(self) -> str:
        """Its id; a new one where it has none."""
        return self.id or (self.entities.new_id(self.words) if self.is_stated else "")


@dataclass
class EntityIndex:
    """Those of one annotator in a document, and those that are added."""

    document: Document
    mentions: Sequence[Mention]
    added: Iterable[str]  # words that are marked now and were not
    linked: dict[int, str] = field(default_factory=dict)  # marks that had no id, and the one that they get
    _new: dict[str, str] = field(default_factory=dict)  # ids by words

    def __post_init__(self) -> None:
        self._ids = {mention.entity_id: mention for mention in self.mentions if mention.entity_id}
        self._words: dict[str, list[int]] = {}
        for number, mention in enumerate(self.mentions):
            self._words.setdefault(normalize_spaces(self.document.text[mention.start : mention.end]), []).append(number)
        self._added = set(map(normalize_spaces, self.added))

    def find_entity(self, words: str, same_as: str) -> Entity | str:
        """The entity of words; or what is wrong."""
        if same_as.casefold() == c.NEW:
            return Entity(self, words=normalize_spaces(words))
        if same_as in self._ids:
            return Entity(self, same_as, mention=self._ids[same_as])
        key = normalize_spaces(same_as or words)
        if marks := self._words.get(key):
            ids = {self.mentions[mark].entity_id for mark in marks}
            if len(ids) > 1:
                fault = f"{quote_value(key)} means {len(ids)} entities"
                return f"{fault}; expected an entity's id, other words that mean it, or {c.NEW}"
            is_told = bool(same_as)
            if is_told and ids == {""}:
                self.linked |= dict.fromkeys(marks, self.new_id(key))
            return Entity(self, next(iter(ids)), key, self.mentions[marks[0]], is_told)
        if same_as and key not in self._added:
            return f"found {quote_value(same_as)}; expected words that are marked, an entity's id, or {c.NEW}"
        return Entity(self, words=key, is_stated=bool(same_as or self._ids or not self.mentions))

    def new_id(self, words: str) -> str:
        """An id that no entity has; the same for the same words."""
        number = len(self._new) + 1
        while words not in self._new:
            name = f"{self.document.id}_r{number}"
            if name not in self._ids and name not in self._new.values():
                self._new[words] = name
            number += 1
        return self._new[words]


T = TypeVar("T")
INSERTED, CORRECTED = "insert", "correct"  # as TAB calls what was done to a mark


class _Proposal(NamedTuple):
    """What somebody says that something should be."""

    value: Any
    finding: ReviewFinding
    folder: int


@dataclass
class Corrections:
    """All that is to be done to the marks of an annotator in a document; what cannot be is among the problems."""

    document: Document
    mentions: Sequence[Mention]
    problems: list[Problem]
    applied: Counter[str] = field(default_factory=Counter)  # places by kind of finding
    _entities: EntityIndex = field(init=False)
    _added: dict[Span, _Proposal] = field(default_factory=dict)
    _removed: dict[int, _Proposal] = field(default_factory=dict)
    _changed: dict[int, dict[str, _Proposal]] = field(default_factory=dict)  # by mark and field

    def take(self, findings: Iterable[tuple[int, ReviewFinding]]) -> None:
        """Takes the findings of all folders in, each with the number of its folder."""
        ordered = [row for row in findings if row[1].kind != "disagree"]
        added = [finding.words for _, finding in ordered if finding.kind == "missing" and not finding.same_as]
        self._entities = EntityIndex(self.document, self.mentions, added)
        for folder, finding in ordered:
            if finding.kind == "missing":
                self._add(finding, folder)
            else:
                self._change(finding, folder)
        self._check_removed()

    def marks(self) -> tuple[Mention, ...]:
        """The marks as they are then: those that were there in their order, new ones where they begin."""
        linked = self._entities.linked
        mentions = [
            self._apply_changes(mention, self._changed.get(number, {}), linked.get(number))
            for number, mention in enumerate(self.mentions)
            if number not in self._removed
        ]
        for _, addition in sorted(self._added.items(), reverse=True):
            index = next((at for at, later in enumerate(mentions) if later.start > addition.value.start), len(mentions))
            mentions.insert(index, addition.value)
        return tuple(mentions)

    def _add(self, finding: ReviewFinding, folder: int) -> None:
        text = self.document.text
        everywhere = places_of(finding.words, text)
        spans = readable(everywhere, self.mentions)
        if everywhere and not spans:
            self.problems.append(
                finding.problem(
                    c.WORDS, f"{quote_value(finding.words)} is hidden, at least in part, everywhere in the copy"
                )
            )
            return
        chosen = self._select(finding, spans, "are not in the document")
        marked = {(mention.start, mention.end) for mention in self.mentions}
        if already := [span for span in chosen if span in marked]:
            numbers = ", ".join(str(1 + spans.index(span)) for span in already)
            fault = f"{quote_value(finding.words)} is marked NO_MASK already (occurrence {numbers})"
            self.problems.append(finding.problem(c.KIND, f"{fault}; expected the kind masking there"))
            return
        if chosen and (template := self._mention(finding)) is not None:
            for start, end in chosen:
                self._insert(replace(template, start=start, end=end), finding, folder)

    def _insert(self, mention: Mention, finding: ReviewFinding, folder: int) -> None:
        span = mention.start, mention.end
        for other, addition in self._added.items():
            same = other == span
            crossing = folder != addition.folder and other[0] < span[1] and span[0] < other[1]
            if (same and addition.value != mention) or (crossing and not same):
                where = _where(addition.finding)
                fault = f"{quote_value(finding.words)} is marked otherwise in {where}; expected one of them"
                self.problems.append(finding.problem(c.WORDS, fault))
                return
        self.applied[finding.kind] += span not in self._added
        self._added.setdefault(span, _Proposal(mention, finding, folder))

    def _mention(self, finding: ReviewFinding) -> Mention | None:
        """What is to be marked, wherever it stands; as another mention of the entity is, where nothing else is said."""
        entity = self._entity(finding)
        if entity is None:
            return None
        twin = entity.mention
        entity_type = finding.entity_type or (twin.entity_type if twin else "")
        identifier: Identifier | None = finding.identifier or (twin.identifier if twin and twin.stated else None)
        confidential = finding.confidential or (twin.confidential if twin else None)
        name = entity.name()
        typed = any(mention.entity_type for mention in self.mentions) or not self.mentions
        if not entity_type and typed:
            self.problems.append(finding.problem(c.TYPE, "is empty; expected the type of what is to be marked"))
            return None
        if identifier is not None:
            return Mention(0, 1, entity_type, identifier, name, confidential, INSERTED)
        if any(mention.stated for mention in self.mentions) or not self.mentions:
            self.problems.append(finding.problem(c.IDENTIFIER, f"is empty; expected {', '.join(c.IDENTIFIERS)}"))
            return None
        return by_type(0, 1, entity_type, name, confidential, INSERTED)

    def _entity(self, finding: ReviewFinding) -> Entity | None:
        entity = self._entities.find_entity(finding.words, finding.same_as)
        if isinstance(entity, str):
            self.problems.append(finding.problem(c.SAME_AS, entity))
            return None
        return entity

    def _change(self, finding: ReviewFinding, folder: int) -> None:
        marks = marks_of(finding.words, self.document.text, self.mentions)
        chosen = self._select(finding, marks, "are no mark of this annotator, from its first word to its last")
        if finding.kind == "spurious":
            for mark in chosen:
                self.applied[finding.kind] += mark not in self._removed
                self._removed.setdefault(mark, _Proposal(None, finding, folder))
            return
        entity = self._entity(finding) if finding.same_as and chosen else None
        changing = 0
        for mark in chosen:
            should_be: dict[str, object] = {
                "entity_type": finding.entity_type,
                "identifier": finding.identifier,
                "confidential": finding.confidential,
                "entity_id": entity.name() if entity else "",
                "span": self._border(finding, self.mentions[mark]) if finding.new_words else None,
            }
            changes = {
                field_name: value
                for field_name, value in should_be.items()
                if value and value != _now(self.mentions[mark], field_name)
            }
            fresh = not self._changed.get(mark, {}).keys() >= changes.keys()
            for field_name, value in changes.items():
                self._say(mark, field_name, _Proposal(value, finding, folder))
            changing += bool(changes)
            self.applied[finding.kind] += fresh
        if chosen and not changing and not self._has_problem(finding):
            self.problems.append(
                finding.problem(c.KIND, f"{quote_value(finding.words)} is so already; expected a change")
            )

    def _has_problem(self, finding: ReviewFinding) -> bool:
        return any(
            problem.file == finding.row.file and problem.place.startswith(f"{finding.row.location}:")
            for problem in self.problems
        )

    def _say(self, mark: int, field_name: str, proposal: _Proposal) -> None:
        """Notes what a mark should be; a problem where somebody says otherwise."""
        earlier = self._changed.setdefault(mark, {}).setdefault(field_name, proposal)
        if earlier.value != proposal.value:
            words, where = quote_value(proposal.finding.words), _where(earlier.finding)
            fault = f"{words} is changed otherwise in {where}; expected one of them"
            self.problems.append(proposal.finding.problem(c.WORDS, fault))

    def _border(self, finding: ReviewFinding, mention: Mention) -> Span | None:
        """The place of the new words that shares something with the mark, where there is one alone."""
        spans = places_of(finding.new_words, self.document.text)
        near = [(start, end) for start, end in spans if start < mention.end and mention.start < end]
        if len(near) == 1:
            return near[0]
        many = f"occur {len(near)} times where the mark is" if near else "share nothing with the mark"
        fault = (
            f"{quote_value(finding.new_words)}: these words {many}; expected one place that shares text with the mark"
        )
        self.problems.append(finding.problem(c.NEW_WORDS, fault))
        return None

    def _select(self, finding: ReviewFinding, candidates: Sequence[T], none: str) -> list[T]:
        """Those that a finding means."""
        count, words = len(candidates), quote_value(finding.words)
        if not count:
            self.problems.append(finding.problem(c.WORDS, f"found {words}: these words {none}"))
            return []
        if finding.occurrence is None:
            if count > 1:
                fault = f"is empty, but {words} is there {count} times; expected 1 to {count}, or {c.EVERY}"
                self.problems.append(finding.problem(c.OCCURRENCE, fault))
                return []
            return list(candidates)
        if wrong := [number for number in finding.occurrence if number > count]:
            times = "once" if count == 1 else f"{count} times"
            fault = f"found {wrong[0]}, but {words} is there {times}; expected 1 to {count}, or {c.EVERY}"
            self.problems.append(finding.problem(c.OCCURRENCE, fault))
            return []
        return [candidates[number - 1] for number in dict.fromkeys(finding.occurrence)] or list(candidates)

    def _check_removed(self) -> None:
        for mark in (mark for mark in self._removed if mark in self._changed):
            other = next(iter(self._changed[mark].values())).finding
            finding = self._removed[mark].finding
            fault = (
                f"{quote_value(finding.words)} is changed in {_where(other)}; expected that it stays or that it goes"
            )
            self.problems.append(finding.problem(c.KIND, fault))

    def _apply_changes(self, mention: Mention, proposals: dict[str, _Proposal], linked: str | None) -> Mention:
        if not proposals:
            return replace(mention, entity_id=linked) if linked else mention
        new = {field_name: proposal.value for field_name, proposal in proposals.items()}
        start, end = new.get("span", (mention.start, mention.end))
        entity_type = new.get("entity_type", mention.entity_type)
        entity = new.get("entity_id", linked or mention.entity_id)
        confidential = new.get("confidential", mention.confidential)
        if "identifier" not in new and not mention.stated:
            return by_type(start, end, entity_type, entity, confidential, CORRECTED)
        identifier = new.get("identifier", mention.identifier)
        return Mention(start, end, entity_type, identifier, entity, confidential, CORRECTED)


_NOW: dict[str, Callable[[Mention], object]] = {"span": lambda mention: (mention.start, mention.end)}


def _now(mention: Mention, field_name: str) -> object:
    return _NOW[field_name](mention) if field_name in _NOW else getattr(mention, field_name)


def _where(finding: ReviewFinding) -> str:
    return f"{shorten(finding.row.file)}, {finding.row.location}"
