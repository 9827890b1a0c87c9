"""Attacks link anonymized documents to individuals. The table of them all, and how they are asked for.

`answers:FILE` has the answers of people, agents or programs that somebody recorded.
`lexical` is one attack, `lexical+dense` two fused. What may follow: `+prior` (how much is known of people),
`+llm:MODEL[@URL]` (a language model puts the best ten in order), `+assignment` (one to one). Parameters stand in
brackets, as in `dense(embedding="lsa")+assignment`. A list of them has commas.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import partial

from showthrough.core.call_syntax import UNREADABLE, apply_overrides, call_text, parsed_call
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.core.plugins import Registry, value_of
from showthrough.families.reidentification.attacks.base import Attack

ASSIGNMENT, PRIOR, MODEL, ANSWERS = "assignment", "prior", "llm", "answers"
DEFAULT = "lexical, lexical+assignment"

_BUILT_IN = {
    "lexical": "showthrough.families.reidentification.attacks.lexical:Lexical",
    "dense": "showthrough.families.reidentification.attacks.dense:Dense",
    "transformer": "showthrough.families.reidentification.attacks.transformer:Transformer",
    "answers": "showthrough.families.reidentification.attacks.recorded:Recorded",
}
_NAME = re.compile(r"""[^\s,+()"'\\]*""")  # of a model, so that it can be read back
# Quoted texts come first: no model is meant in them.
# Of several files of answers each follows a comma without a space: answers:rules=a.jsonl,mine=b.jsonl.
_FILES = rf"{_NAME.pattern}(?:,[^\s,+()\"'\\=]+={_NAME.pattern})*"
_QUOTED_OR_MODEL = re.compile(
    rf"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b{MODEL}:({_NAME.pattern})|\b{ANSWERS}:({_FILES})"""
)
Term = tuple[str, dict[str, object]]  # a name, and its parameters
ATTACKS: Registry[Attack] = Registry("attacks", {}, partial(value_of, Attack, "attack"), lazy=_BUILT_IN, called=True)


@dataclass(frozen=True)
class AttackPart:
    """One attack, and the entry that it comes from.

    >>> str(approaches('dense(embedding="lsa", window=100)')[0].parts[0])
    'dense(embedding="lsa")'
    """

    name: str
    attack: Attack

    def __str__(self) -> str:
        file = getattr(self.attack, "file", "") if self.recorded else ""
        if file and re.fullmatch(_FILES, file):
            return f"{ANSWERS}:{file}"
        return call_text(self.name, self.attack, ATTACKS[self.name])

    @property
    def recorded(self) -> bool:
        """Whether its answers come from a file, so that nothing is learned."""
        return self.name == ANSWERS

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says of it beside its parameters."""
        return ((self.name, f"v{self.attack.version}"), *self.attack.pinned)


@dataclass(frozen=True)
class Approach:
    """One way to attack: one part or several fused, and what is done with their fits in the end."""

    parts: tuple[AttackPart, ...]
    assignment: bool = False
    prior: bool = False
    model: str = ""  # that reranks, such as llm:gpt-4.1-mini

    def __str__(self) -> str:
        steps = [PRIOR if self.prior else "", self.model, ASSIGNMENT if self.assignment else ""]
        return "+".join([*map(str, self.parts), *filter(None, steps)])

    @property
    def fitting(self) -> Approach:
        """The same without an assignment: what has the same fits."""
        return replace(self, assignment=False)


def approaches(text: str) -> tuple[Approach, ...]:
    """What a list of attacks asks for, each once.

    >>> [str(approach) for approach in approaches("lexical, assignment + lexical, lexical")]
    ['lexical', 'lexical+assignment']
    """
    try:
        tree = ast.parse(f"({_QUOTED_OR_MODEL.sub(_as_call, text.strip())},)", mode="eval").body
        term_lists = [_parse_terms(element) for element in tree.elts] if isinstance(tree, ast.Tuple) else []
    except UNREADABLE:
        term_lists = []
    if not term_lists:
        expected = f'expected attacks such as lexical, lexical+{ASSIGNMENT} or dense(embedding="lsa")'
        raise PlanError(f"found {quote_value(text)}; {expected}", "attacks")
    return tuple(dict.fromkeys(map(_approach, term_lists)))


def _as_call(match: re.Match[str]) -> str:
    """llm:MODEL as the rest of an attack is written: a name with a parameter."""
    if match[3] is not None:
        return f'{ANSWERS}(file="{match[3]}")'
    return match[1] or f'{MODEL}(model="{match[2]}")'


def _parse_terms(tree: ast.expr) -> list[Term]:
    """What stands between the plus signs: names, perhaps with parameters."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
        return [*_parse_terms(tree.left), parsed_call(tree.right)]
    return [parsed_call(tree)]


def _approach(terms: list[Term]) -> Approach:
    models = list(dict.fromkeys(_model(parameters) for name, parameters in terms if name == MODEL))
    steps: list[Term] = [(ASSIGNMENT, {}), (PRIOR, {})]
    parts = tuple(dict.fromkeys(_part(*term) for term in terms if term not in steps and term[0] != MODEL))
    if not parts:
        alone = models[0] if models else terms[0][0]
        raise PlanError(f"{alone} works on top of an attack; expected for instance lexical+{alone}", "attacks")
    if any(part.recorded for part in parts) and len(terms) > 1:
        raise PlanError(
            f"recorded answers are final; expected {ANSWERS}:FILE alone, with nothing behind a +", "attacks"
        )
    if len(models) > 1:
        raise PlanError(f"found {' and '.join(models)}; expected one model behind an attack", "attacks")
    return Approach(parts, steps[0] in terms, steps[1] in terms, *models)


def _model(parameters: dict[str, object]) -> str:
    name = parameters.get("model")
    if not (name and isinstance(name, str) and name.isprintable() and _NAME.fullmatch(name)) or len(parameters) > 1:
        expected = f"{MODEL}:MODEL or {MODEL}:MODEL@URL, such as lexical+{MODEL}:gpt-4.1-mini"
        raise PlanError(f"names no language model; expected {expected}", f"attack {MODEL}")
    return f"{MODEL}:{name}"


def _part(name: str, parameters: dict[str, object]) -> AttackPart:
    if name not in ATTACKS:
        expected = f"expected {', '.join(ATTACKS)}; behind one +{PRIOR}, +{MODEL}:MODEL, +{ASSIGNMENT}"
        raise PlanError(f"unknown attack; {expected}", f"attack {shorten(name)}")
    return AttackPart(name, apply_overrides(f"attack {name}", ATTACKS[name], parameters))


__all__ = ["ASSIGNMENT", "ATTACKS", "DEFAULT", "MODEL", "PRIOR", "Approach", "Attack", "AttackPart", "approaches"]
