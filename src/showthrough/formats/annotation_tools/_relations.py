"""Relations between marks: those that say that two are of one entity, and others, which are told."""

from __future__ import annotations

from collections.abc import Iterable

from showthrough.data.types import fold_type
from showthrough.formats.remarks import Remarks

COREFERENCE = "COREF"  # what it is called where we write it
# What people call it; case, hyphens, underscores and spaces aside.
_SAME = frozenset(map(fold_type, (
    COREFERENCE, "coreference", "coreferent", "coreferential", "corefers", "coref of", "same", "same as",
    "same entity", "same person", "is same as", "identity", "identical", "equals", "equiv", "equivalent",
    "alias", "alias of",
)))  # fmt: skip


class EntityLinks:
    """Marks by name, and the entity of each: of marks that are the same, the name of the first.

    >>> entities = EntityLinks(["a", "b", "c"])
    >>> entities.relate(["Same as"], "c", "a", Remarks())
    >>> [entities.of(name) for name in "abc"]
    ['a', 'b', 'a']
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._order: dict[str, int] = {}
        for name in names:
            self._order.setdefault(name, len(self._order))
        self._same: dict[str, str] = {}  # a mark, and an earlier one that is the same

    def __contains__(self, name: str) -> bool:
        return name in self._order

    def relate(self, kinds: Iterable[str], name: str, other: str, remarks: Remarks) -> None:
        """Takes a relation between two marks that are there."""
        named = list(kinds)
        if not any(fold_type(kind) in _SAME for kind in named):
            remarks.left[f"relations {'/'.join(named)}" if any(named) else "relations without a label"] += 1
            return
        first, second = sorted((self.of(name), self.of(other)), key=self._order.__getitem__)
        if first != second:
            self._same[second] = first

    def of(self, name: str) -> str:
        while (earlier := self._same.get(name)) is not None:
            self._same[name] = self._same.get(earlier, earlier)  # the way is shorter the next time
            name = earlier
        return name

    def shared_entities(self) -> dict[str, str]:
        """The entities of the marks that are the same as others; names of others may mean nothing."""
        entities = {name: self.of(name) for name in self._same}
        return {**entities, **{name: name for name in entities.values()}}
