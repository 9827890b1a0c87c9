"""How systems fare on the tokens that are hard to tell (Uzuner, Luo and Szolovits 2007, Figure 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from showthrough.axis import Bools
from showthrough.clinical.tokens import Tokens, gold_tokens, kinds_of, other_tokens
from showthrough.clinical.vocabulary import Words, spellings, words_of
from showthrough.errors import PlanError
from showthrough.masks import Anonymization
from showthrough.metrics.base import Rows, choose
from showthrough.metrics.clinical import Gold, PhiToken, token_rows
from showthrough.resources import Resources
from showthrough.resources.dictionary import dictionary_from
from showthrough.text import Corpus

HARD = ("oov", "ambiguous", "ambiguous_non_phi")


@dataclass(frozen=True)
class PhiHardToken(PhiToken):
    """Precision, recall and F of PHI, on hard tokens alone.

    As `phi_token`, but only tokens count that a word list does not help with (Uzuner, Luo and Szolovits 2007):
    `phi_oov`, words that the dictionary does not have; `phi_ambiguous`, words that the corpus has both as PHI and as
    none, or in two categories; `phi_ambiguous_non_phi`, the first of these two. The dictionary is a file with a word a
    line, or `wordfreq:LANGUAGE`. Tokens without a letter are no words.

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> def record(name, text, *marks):
    ...     return Document(name, text, (Annotation("gold", marks),))
    >>> one = record("1", "Mr Brown has a brown mole", Mention(3, 8, "PATIENT"))
    >>> two = record("2", "Mr Smith", Mention(3, 8, "PATIENT"))
    >>> masked = Anonymization({"1": [TypedMask(15, 20, None, "PATIENT")], "2": [TypedMask(3, 8, None, "PATIENT")]})
    >>> run = evaluate(Corpus([one, two]), {"a": masked}, ["phi_token", "phi_ambiguous_non_phi"])
    >>> run["a", "phi_token", "R"].value, run["a", "phi_ambiguous_non_phi", "R"].value  # 1 of 2; of brown 0 of 1
    (0.5, 0.0)
    """

    title = "PHI, hard tokens"
    needs = frozenset({"gold", "dictionary"})
    scope = "corpus"
    undefined = "no such token in gold or in what was masked, or the masks do not say their types"

    tokens: Literal["oov", "ambiguous", "ambiguous_non_phi"] = "oov"
    dictionary: str = "wordfreq:en"

    def __post_init__(self) -> None:
        super().__post_init__()
        choose(self, "tokens", HARD)
        if (self.tokens == "oov") != bool(self.dictionary):
            expected = (
                "a word list or wordfreq:LANGUAGE" if self.tokens == "oov" else "none: only phi_oov looks words up"
            )
            raise PlanError(f"found {self.dictionary!r}; expected {expected}", "dictionary")

    def bind(self, corpus: Corpus, resources: Resources) -> Callable[[Anonymization], Rows]:
        gold = self.gold(corpus, resources)
        place = (gold.axis, gold.sheets, gold.instances)
        inside = gold_tokens(*place)
        hard = self._hard(gold, corpus, resources)
        kept = hard(inside)

        def rows(anonymization: Anonymization) -> Rows:
            found = gold.system(anonymization, self.type_from)
            outside = other_tokens(*place, found.instances)
            sides = (inside.where(kept), outside.where(hard(outside)))
            taken = [kinds_of(tokens, found.instances) for tokens in sides]
            return token_rows(gold, sides[0].then(sides[1]), np.concatenate(taken), found)

        return rows

    def _hard(self, gold: Gold, corpus: Corpus, resources: Resources) -> Callable[[Tokens], Bools]:
        """Tells which tokens are of the kind that is asked for."""
        place = (gold.axis, gold.sheets)
        if self.tokens == "oov":
            known = resources.once(corpus, ("dictionary", self.dictionary), lambda: dictionary_from(self.dictionary))
            return lambda tokens: _which(
                word not in known and any(map(str.isalpha, word)) for word in spellings(*place, tokens)
            )
        words = resources.once(corpus, ("clinical words", self.map), lambda: words_of(*place, gold.instances))
        ambiguous = self._ambiguous(words)
        return lambda tokens: _which(word in ambiguous for word in spellings(*place, tokens))

    def _ambiguous(self, words: Words) -> frozenset[str]:
        which = words.ambiguous_with_others()
        if self.tokens == "ambiguous":
            which = which | words.ambiguous_between_kinds()
        return frozenset(words.spelling[number] for number in np.flatnonzero(which).tolist())


def _which(answers: Iterable[bool]) -> Bools:
    return np.array(list(answers), dtype=bool)
