"""Rules, and what they were found to win and cost: values, with every digit."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["string", "pattern", "type"]


class Rule(msgspec.Struct, frozen=True):
    """Something that could be masked wherever it stands.

    A `string` masks its text, word by word as written. A `pattern` masks what has its form: one of the library, or one
    learned from what leaks, which then has a word of the documents for its text. A `type` masks all that annotators
    marked with it, also what need not be masked: a tool that finds the type would.
    """

    kind: Kind
    name: str = ""  # of a pattern or a type
    text: str = ""  # of the documents: not for everybody's eyes

    def without_text(self) -> Rule:
        return Rule(self.kind, self.name)


class Weights(msgspec.Struct, frozen=True):
    """What a rule is chosen by: how much a share of each weighs.

    A direct identifier weighs as in the findings of a report, a quasi-identifier too. A point of precision lost weighs
    as much as a point of quasi-identifiers won. Mentions weigh little: an entity may need two rules, and the first of
    them hides only some of its mentions.
    """

    direct: float = 1.0
    quasi: float = 0.3
    mention: float = 0.03
    precision: float = 0.3


class SystemScores(msgspec.Struct, frozen=True):
    """What an anonymization scores on the documents at hand; `None` where a number is undefined."""

    direct: float | None
    quasi: float | None
    recall: float | None
    precision: float | None
    direct_hidden: int  # entities
    quasi_hidden: int


class Step(msgspec.Struct, frozen=True):
    """A rule that was taken: what it masks that no rule before it does, and the numbers with it."""

    rule: Rule
    masks: int
    documents: int
    direct: int  # entities that are hidden throughout with it and were not before
    quasi: int
    after: SystemScores  # with this rule and all before it
    alone: SystemScores | None = None  # with this rule and none before it, where that was asked for


class Worth(msgspec.Struct, frozen=True):
    """What one more rule would win for one anonymization, and the next, and the next."""

    anonymization: str
    documents: int  # that were looked at
    corpus: int  # documents of the run
    metrics: dict[str, str]  # what the numbers are of: direct, quasi, recall and precision, in their text forms
    weights: Weights
    direct_total: int  # entities that annotators want masked
    quasi_total: int
    leaking: int  # mentions that can be read, at least in part
    repeated: int  # those of them that replacements say again: a further mask hides none of these
    before: SystemScores
    rules: tuple[Step, ...]  # strings and patterns, in the order in which they were taken
    types: tuple[Step, ...]  # types alone, likewise

    @property
    def whole(self) -> bool:
        """Whether these are the run's own numbers: it kept every document."""
        return self.documents == self.corpus

    def without_text(self) -> Worth:
        """The same without a word of any document."""
        bare = tuple(msgspec.structs.replace(step, rule=step.rule.without_text()) for step in self.rules)
        return msgspec.structs.replace(self, rules=bare)
