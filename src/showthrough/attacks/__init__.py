"""Attacks link anonymized documents to individuals. The table of them all, and how they are asked for.

`lexical` is one attack, `lexical+assignment` the same followed by a one-to-one assignment, `lexical+dense` two fused;
parameters stand in brackets, as in `dense(embedding="lsa")+assignment`. A list of them has commas.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from showthrough.errors import PlanError, kind_of, printable, quoted
from showthrough.resources.names import EMBEDDING

if TYPE_CHECKING:  # an attack is imported when it is asked for
    from showthrough.attacks.base import Attack
    from showthrough.resources import Resources

Pinned = tuple[tuple[str, str], ...]

ASSIGNMENT = "assignment"
DEFAULT = "lexical, lexical+assignment"


@dataclass(frozen=True)
class LexicalSettings:
    """It has none: one setting, good everywhere."""


def _lexical(settings: Any, resources: Resources) -> Attack:
    from showthrough.attacks.lexical import Lexical

    return Lexical()


def _lexical_pinned(settings: Any) -> Pinned:
    from showthrough.attacks.lexical import VERSION

    return (("lexical", f"v{VERSION}"),)


def _dense_settings() -> type:
    from showthrough.attacks.dense import DenseSettings

    return DenseSettings


def _dense(settings: Any, resources: Resources) -> Attack:
    from showthrough.attacks.dense import Dense

    return Dense(settings, resources.embedder(settings.embedding))


def _dense_pinned(settings: Any) -> Pinned:
    from showthrough.attacks.dense import VERSION

    return (("dense", f"v{VERSION}"),)


def _transformer_settings() -> type:
    from showthrough.attacks.tri.settings import TriSettings

    return TriSettings


def _transformer(settings: Any, resources: Resources) -> Attack:
    from showthrough.attacks.transformer import Transformer

    return Transformer(settings, resources.models, resources.watch)


def _transformer_pinned(settings: Any) -> Pinned:
    from showthrough.attacks.transformer import Transformer

    return Transformer(settings).pinned


@dataclass(frozen=True)
class Kind:
    """An entry of the table: what can be set, who makes the attack from it, what a signature says beside it."""

    settings: Callable[[], type]
    make: Callable[[Any, Resources], Attack]
    pinned: Callable[[Any], Pinned]
    watches: bool = False  # whether it reports on the documents under attack while it learns


ATTACKS: dict[str, Kind] = {
    "lexical": Kind(lambda: LexicalSettings, _lexical, _lexical_pinned),
    "dense": Kind(_dense_settings, _dense, _dense_pinned),
    "transformer": Kind(_transformer_settings, _transformer, _transformer_pinned, watches=True),
}


@dataclass(frozen=True)
class Part:
    """One attack with its settings.

    >>> str(approaches('dense(embedding="lsa", window=100)')[0].parts[0])
    'dense(embedding="lsa")'
    """

    name: str
    settings: Any

    def __str__(self) -> str:
        usual = ATTACKS[self.name].settings()()
        given = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        changed = [f"{key}={_literal(value)}" for key, value in given.items() if value != getattr(usual, key)]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def attack(self, resources: Resources) -> Attack:
        return ATTACKS[self.name].make(self.settings, resources)

    @property
    def watches(self) -> bool:
        return ATTACKS[self.name].watches

    @property
    def models(self) -> dict[str, str]:
        """The models that it asks for: the parameter that names each, and its name."""
        return EMBEDDING.models(self.settings.embedding) if hasattr(self.settings, "embedding") else {}

    @property
    def pinned(self) -> Pinned:
        """What a score's signature says of it beside its settings."""
        return ATTACKS[self.name].pinned(self.settings)


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
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    if not isinstance(tree, ast.Tuple) or not tree.elts:
        raise _unreadable(text)
    return tuple(dict.fromkeys(_approach(one, text) for one in tree.elts))


def _approach(tree: ast.expr, text: str) -> Approach:
    terms: list[ast.expr] = []
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
        terms.insert(0, tree.right)
        tree = tree.left
    found = [_part(term, text) for term in (tree, *terms)]
    parts = tuple(dict.fromkeys(part for part in found if part is not None))
    if not parts:
        raise PlanError(
            f"{ASSIGNMENT} works on top of an attack; expected for instance lexical+{ASSIGNMENT}", "attacks"
        )
    return Approach(parts, None in found)


def _part(tree: ast.expr, text: str) -> Part | None:
    """One name, perhaps with settings; `None` for the assignment."""
    name, words = (tree.func, tree.keywords) if isinstance(tree, ast.Call) and not tree.args else (tree, [])
    if not isinstance(name, ast.Name):
        raise _unreadable(text)
    if name.id == ASSIGNMENT and not words:
        return None
    if name.id not in ATTACKS:
        raise PlanError(
            f"unknown attack; expected {', '.join(ATTACKS)}, or +{ASSIGNMENT} behind one", f"attack {name.id}"
        )
    settings = ATTACKS[name.id].settings()
    known = [field.name for field in fields(settings)]
    given = {}
    for word in words:
        if word.arg not in known:
            expected = f"one of {', '.join(known)}" if known else "none"
            raise PlanError(f"unknown parameter; expected {expected}", f"attack {name.id}: {word.arg}")
        try:
            given[word.arg] = ast.literal_eval(word.value)
        except (ValueError, SyntaxError):
            raise _unreadable(text) from None
        usual = getattr(settings(), word.arg)
        if type(given[word.arg]) not in _kinds(usual):
            raise PlanError(
                f"found {quoted(given[word.arg])}; expected {kind_of(usual)}, such as {_literal(usual)}",
                f"attack {name.id}: {word.arg}",
            )
    return Part(name.id, settings(**given))


def _kinds(usual: object) -> tuple[type, ...]:
    if usual is False:
        return bool, str  # such as dev_set_column_name, which names an anonymization or none
    return (int, float) if isinstance(usual, float) else (type(usual),)


def _unreadable(text: str) -> PlanError:
    return PlanError(
        f'found {quoted(text)}; expected attacks such as lexical, lexical+{ASSIGNMENT} or dense(embedding="lsa")',
        "attacks",
    )


def _literal(value: object) -> str:
    if isinstance(value, str):
        return printable('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"')  # read back, the same
    return repr(value)


__all__ = ["ASSIGNMENT", "ATTACKS", "DEFAULT", "Approach", "Kind", "Part", "approaches"]
