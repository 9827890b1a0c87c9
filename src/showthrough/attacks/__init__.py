"""Attacks link anonymized documents to individuals. The table of them all, and how they are asked for.

`lexical` is one attack, `lexical+assignment` the same followed by a one-to-one assignment, `lexical+dense` two fused;
parameters stand in brackets, as in `dense(embedding="lsa")+assignment`. A list of them has commas.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial

from showthrough.attacks.base import Attack
from showthrough.errors import PlanError, quoted, shown
from showthrough.tables import Table, value_of
from showthrough.tables.calls import UNREADABLE, call_text, completed, parsed_call

ASSIGNMENT = "assignment"
DEFAULT = "lexical, lexical+assignment"

_BUILT_IN = {
    "lexical": "showthrough.attacks.lexical:Lexical",
    "dense": "showthrough.attacks.dense:Dense",
    "transformer": "showthrough.attacks.transformer:Transformer",
}
ATTACKS: Table[Attack] = Table("attacks", {}, partial(value_of, Attack, "attack"), lazy=_BUILT_IN, called=True)


@dataclass(frozen=True)
class Part:
    """One attack, and the entry that it comes from.

    >>> str(approaches('dense(embedding="lsa", window=100)')[0].parts[0])
    'dense(embedding="lsa")'
    """

    name: str
    attack: Attack

    def __str__(self) -> str:
        return call_text(self.name, self.attack, ATTACKS[self.name])

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says of it beside its parameters."""
        return ((self.name, f"v{self.attack.version}"), *self.attack.pinned)


@dataclass(frozen=True)
class Approach:
    """One way to attack: one part or several fused, followed by a one-to-one assignment or not."""

    parts: tuple[Part, ...]
    assignment: bool = False

    def __str__(self) -> str:
        return "+".join([*map(str, self.parts), *([ASSIGNMENT] if self.assignment else [])])


def approaches(text: str) -> tuple[Approach, ...]:
    """What a list of attacks asks for, each once.

    >>> [str(one) for one in approaches("lexical, assignment + lexical, lexical")]
    ['lexical', 'lexical+assignment']
    """
    try:
        tree = ast.parse(f"({text.strip()},)", mode="eval").body
        wanted = [_terms(one) for one in tree.elts] if isinstance(tree, ast.Tuple) else []
    except UNREADABLE:
        wanted = []
    if not wanted:
        expected = f'expected attacks such as lexical, lexical+{ASSIGNMENT} or dense(embedding="lsa")'
        raise PlanError(f"found {quoted(text)}; {expected}", "attacks")
    return tuple(dict.fromkeys(map(_approach, wanted)))


def _terms(tree: ast.expr) -> list[tuple[str, dict[str, object]]]:
    """What stands between the plus signs: names, perhaps with parameters."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
        return [*_terms(tree.left), parsed_call(tree.right)]
    return [parsed_call(tree)]


def _approach(terms: list[tuple[str, dict[str, object]]]) -> Approach:
    parts = tuple(dict.fromkeys(_part(*term) for term in terms if term != (ASSIGNMENT, {})))
    if not parts:
        message = f"{ASSIGNMENT} works on top of an attack; expected for instance lexical+{ASSIGNMENT}"
        raise PlanError(message, "attacks")
    return Approach(parts, (ASSIGNMENT, {}) in terms)


def _part(name: str, given: dict[str, object]) -> Part:
    if name not in ATTACKS:
        expected = f"expected {', '.join(ATTACKS)}, or +{ASSIGNMENT} behind one"
        raise PlanError(f"unknown attack; {expected}", f"attack {shown(name)}")
    return Part(name, completed(f"attack {name}", ATTACKS[name], given))


__all__ = ["ASSIGNMENT", "ATTACKS", "DEFAULT", "Approach", "Attack", "Part", "approaches"]
