"""Which entity a corrected mark is of: the one that a reviewer names, that of the same words, or a new one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from showthrough.core.errors import quote_value
from showthrough.data.documents import Document, Mention
from showthrough.studies.review import columns as c
from showthrough.studies.review.places import normalize_spaces


@dataclass(frozen=True)
class Entity:
    """An entity of the document, or one to come."""

    entities: EntityIndex
    id: str = ""  # empty: nobody has named it yet
    words: str = ""  # by which it is known then
    mention: Mention | None = None  # one of those that are there
    told: bool = True  # whether somebody says that it is one

    def name(self) -> str:
        """Its id; a new one where it has none."""
        return self.id or (self.entities.new_id(self.words) if self.told else "")


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
                fault = f"{quote_value(key)} stands for {len(ids)} entities"
                return f"{fault}; expected an entity's id, other words that mean it, or {c.NEW}"
            is_told = bool(same_as)
            if is_told and ids == {""}:
                self.linked |= dict.fromkeys(marks, self.new_id(key))
            return Entity(self, next(iter(ids)), key, self.mentions[marks[0]], is_told)
        if same_as and key not in self._added:
            return f"found {quote_value(same_as)}; expected words that are marked, an entity's id, or {c.NEW}"
        return Entity(self, words=key, told=bool(same_as or self._ids or not self.mentions))

    def new_id(self, words: str) -> str:
        """An id that no entity has; the same for the same words."""
        number = len(self._new) + 1
        while words not in self._new:
            name = f"{self.document.id}_r{number}"
            if name not in self._ids and name not in self._new.values():
                self._new[words] = name
            number += 1
        return self._new[words]
