"""Words become others that mean the same; a language model chooses, or the frequency of words (PAN 2016, A)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from showthrough.core.call_syntax import parameter
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.names import LANGUAGE_MODEL
from showthrough.systems.base import BaseAnonymizer
from showthrough.systems.obfuscators._thesaurus import thesaurus
from showthrough.systems.obfuscators._tokens import Token, like, masks_of, sentences_of, tokens_of

if TYPE_CHECKING:
    from showthrough.models._causal_lm import CausalLanguageModel


@dataclass(frozen=True)
class Synonyms(BaseAnonymizer):
    """Writes texts anew with synonyms: every word that has some in WordNet, in its most common sense.

    Of several the one stands that surprises a language model least in its sentence; without a model, the one that is
    most frequent in English. It hides nobody whom a text is about. English only.
    """

    kind: ClassVar[str] = "synonyms"
    needs: ClassVar[str] = "showthrough[authors], WordNet"

    model: str = parameter("", "the language model that chooses: hf:MODEL or a folder; empty: word frequency")

    def __post_init__(self) -> None:
        if self.model:
            LANGUAGE_MODEL.parse(self.model)

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [self._masks(document.text) for document in documents]

    def _masks(self, text: str) -> list[Mask]:
        tokens = tokens_of(text)
        places = [
            (token, low, high)
            for low, high in sentences_of(tokens)
            for token in tokens[low:high]
            if token.text.islower() and thesaurus().synonyms(token.text)
        ]
        for (token, _, _), chosen in zip(places, self._choose(tokens, places), strict=True):
            token.written = like(chosen, token.text)
        return masks_of(tokens)

    def _choose(self, tokens: Sequence[Token], places: Sequence[tuple[Token, int, int]]) -> Iterator[str]:
        """One of the synonyms of each place, its sentence otherwise as it was."""
        options = [thesaurus().synonyms(token.text) for token, _, _ in places]
        if not self.model:
            yield from (words[0] for words in options)
            return
        sentences = [
            "".join(word if token is other else other.text for other in tokens[low:high]).strip()
            for (token, low, high), words in zip(places, options, strict=True)
            for word in words
        ]
        surprises = iter(_language_model(self.model).surprise(sentences))
        for words in options:
            yield min(zip(words, surprises, strict=False), key=lambda pair: pair[1].nats)[0]

    def prepare(self) -> None:
        thesaurus().ready()
        if self.model:
            _ = _language_model(self.model).reader

    @property
    def pinned(self) -> dict[str, str]:
        model = {"model": _language_model(self.model).revision} if self.model else {}
        return {"wordnet": thesaurus().wordnet.revision, **model}


@lru_cache(maxsize=1)
def _language_model(name: str) -> CausalLanguageModel:
    from showthrough.models import Resources

    return Resources().language_model(name)
