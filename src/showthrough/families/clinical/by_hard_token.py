"""How systems fare on the tokens that are hard to tell (Uzuner, Luo and Szolovits 2007, Figure 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from showthrough.core.arrays import Bools
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.families.clinical._instances import TypedSpans
from showthrough.families.clinical._tokens import TokenGold
from showthrough.families.clinical.by_token import PhiToken
from showthrough.families.clinical.vocabulary import words_of
from showthrough.metrics.chunk import Chunk
from showthrough.models.dictionary import dictionary_from

_HARD = {
    "oov": "the dictionary lacks",
    "ambiguous": "are PHI in one place and not in another, or in two categories",
    "ambiguous_non_phi": "are PHI in one place and ordinary text in another",
}


@dataclass(frozen=True)
class PhiHardToken(PhiToken):
    """F of PHI tokens, for words only that a word list does not help with.

    It is `phi_token` on the tokens that a word list does not help with (Uzuner, Luo and Szolovits 2007). `phi_oov`
    takes those that the dictionary lacks. `phi_ambiguous` takes those that the corpus has both as PHI and as ordinary
    text, or in two categories; `phi_ambiguous_non_phi` takes the first of these two. The dictionary is a file with one
    word a line, or `wordfreq:LANGUAGE`. All tokens count, numbers too, and few dictionaries have numbers.

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> def record(name, text, *marks):
    ...     return Document(name, text, (Annotation("gold", marks),))
    >>> first = record("1", "Mr Brown has a brown mole", Mention(3, 8, "PATIENT"))
    >>> second = record("2", "Mr Smith", Mention(3, 8, "PATIENT"))
    >>> masked = Anonymization({"1": [TypedMask(15, 20, None, "PATIENT")], "2": [TypedMask(3, 8, None, "PATIENT")]})
    >>> run = evaluate(Corpus([first, second]), {"a": masked}, ["phi_token", "phi_ambiguous_non_phi"])
    >>> run["a", "phi_token", "R"].value, run["a", "phi_ambiguous_non_phi", "R"].value  # 1 of 2; of brown 0 of 1
    (0.5, 0.0)
    """

    title = "PHI, hard tokens"
    needs = frozenset({"gold", "dictionary"})
    scope = "corpus"
    dictionaries = ("dictionary",)
    undefined = "no such token in gold or in what was masked, or the masks do not say their types"

    hard: Literal["oov", "ambiguous", "ambiguous_non_phi"] = parameter("oov", "which tokens count")
    dictionary: str = parameter(
        "wordfreq:en", "the word list of phi_oov: a file with one word a line, or wordfreq:LANGUAGE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.hard == "oov") != bool(self.dictionary):
            expected = "a word list or wordfreq:LANGUAGE" if self.hard == "oov" else "none: only phi_oov looks words up"
            raise PlanError(f"found {quote_value(self.dictionary)}; expected {expected}", "dictionary")

    @property
    def summary(self) -> str:
        return f"F of PHI tokens, among words that {_HARD[self.hard]}."

    def build_filter(self, tokens: TokenGold, chunk: Chunk) -> Callable[[TypedSpans], Bools]:
        """Says which of some tokens are of the kind that is asked for."""
        outside = self.hard == "oov"
        if outside:
            listed = chunk.once(("dictionary", self.dictionary), lambda: dictionary_from(self.dictionary))
        else:
            key = ("clinical words", self.map, self.labels, self.tokens)
            words = chunk.once(key, lambda: words_of(tokens))
            listed = words.ambiguous(between_kinds=self.hard == "ambiguous")
        return lambda spans: np.array([(word in listed) != outside for word in tokens.spellings(spans)], dtype=bool)
