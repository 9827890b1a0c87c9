"""What metrics ask for, found by name, loaded once and shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from showthrough.axis import Axis, Bools, Ruler
from showthrough.background import Background
from showthrough.coverage import Coverage
from showthrough.errors import PlanError, ResourceError
from showthrough.masks import Anonymization
from showthrough.resources.cache import Cache, default_folder, default_limit
from showthrough.resources.lexicon import LEXICONS, Lexicon
from showthrough.resources.names import EMBEDDING, INFORMATION, SIMILARITY, TERMS, Role
from showthrough.resources.settings import ModelSettings, Watch
from showthrough.text import Corpus

if TYPE_CHECKING:  # what only some metrics ask for is imported where it is made
    from showthrough.resources.embedder import Embedder, SentenceEmbedder
    from showthrough.resources.information import InformationSource
    from showthrough.resources.similarity import Similarity
    from showthrough.resources.terms import TermSource

FUNCTION_WORDS = "function_words"  # the parameter that names their source
T = TypeVar("T")


class FunctionWords(Protocol):
    """Says which characters of an axis need not be masked."""

    def ignorable(self, axis: Axis) -> Bools: ...


class Resources:
    """One object for one evaluation: models stay loaded, and what was computed for a chunk is shared by all metrics."""

    def __init__(
        self,
        models: ModelSettings | None = None,
        watch: Watch | None = None,
        background: Background | None = None,
        anonymizations: Sequence[Anonymization] = (),
    ) -> None:
        self.models = models or ModelSettings()
        self.watch = watch
        self.background = background  # what the attacker knows, where the plan was given it
        self.anonymizations = anonymizations  # all that are evaluated together
        self.cache = Cache(default_folder() if self.models.cache else None, default_limit())
        self._sources: dict[tuple[str, str], Any] = {}
        self._corpus: Corpus | None = None
        self._held: dict[object, Any] = {}
        self._coverage: tuple[Axis, Anonymization, Coverage] | None = None

    def axis(self, corpus: Corpus) -> Axis:
        return self.once(corpus, "axis", lambda: Axis(corpus))

    def once(self, corpus: Corpus, key: object, make: Callable[[], T]) -> T:
        """What is made once for a corpus (or chunk) and then shared; the next corpus starts afresh."""
        if self._corpus is not corpus:
            self._corpus, self._held = corpus, {}
        if key not in self._held:
            self._held[key] = make()
        found: T = self._held[key]
        return found

    def coverage(self, axis: Axis, anonymization: Anonymization) -> Coverage:
        held = self._coverage
        if held is None or held[0] is not axis or held[1] is not anonymization:
            held = self._coverage = (axis, anonymization, Coverage(axis, anonymization))
        return held[2]

    def ruler(self, axis: Axis, function_words: str, asking: bool = True) -> Ruler:
        """What has to be masked on an axis; `asking` for mentions made of function words as well."""
        return axis.ruler(function_words, self.function_words(function_words).ignorable, asking)

    def function_words(self, name: str) -> FunctionWords:
        """What knows the words that need not be masked: a word list that ships, or a spaCy pipeline."""
        return self._source(FUNCTION_WORDS, name, lambda: function_words_from(name, self.cache, self.watch))

    def information(self, name: str) -> InformationSource:
        """What weighs spans of text: `uniform`, `wordfreq[:<language>]`, or a masked language model."""

        def make() -> InformationSource:
            from showthrough.resources.information import Uniform, WordFrequency
            from showthrough.resources.masked_lm import MaskedLanguageModel

            found = INFORMATION.parse(name)
            if found.kind == "uniform":
                return Uniform()
            if found.kind == "wordfreq":
                return WordFrequency(found.place or "en")
            return MaskedLanguageModel(found, self.models, self.cache, self.watch)

        return self._source("information", name, make)

    def terms(self, name: str) -> TermSource:
        """What finds terms: `none` (words), a spaCy pipeline, or its tokens alone (`spacy-tokens:`)."""

        def make() -> TermSource:
            from showthrough.resources.terms import SpacyTerms, Words

            found = TERMS.parse(name)
            if found.kind == "none":
                return Words()
            return SpacyTerms(found.place, self.cache, self.watch, chunks=found.kind == "spacy")

        return self._source("terms", name, make)

    def similarity(self, name: str) -> Similarity:
        """What compares a replacement with what it replaces: `ngrams`, or a sentence-embedding model."""

        def make() -> Similarity:
            from showthrough.resources.similarity import Embedded, Ngrams

            if name == "ngrams":
                return Ngrams()
            return Embedded(self._sentences(name, SIMILARITY))

        return self._source("similarity", name, make)

    def embedder(self, name: str) -> Embedder:
        """What turns documents into vectors: `lsa`, or a sentence-embedding model."""
        if name == "lsa":
            from showthrough.resources.embedder import LatentSemantics

            return LatentSemantics()
        return self._sentences(name, EMBEDDING)

    def revisions(self, models: Mapping[str, str]) -> dict[str, str]:
        """Models by name, each with what tells it from any other of that name; given by the parameter that names it."""
        roles: dict[str, Callable[[str], object]] = {
            INFORMATION.parameter: self.information,
            TERMS.parameter: self.terms,
            SIMILARITY.parameter: self.similarity,
            EMBEDDING.parameter: self.embedder,
            FUNCTION_WORDS: self.function_words,
        }
        return {name: str(getattr(roles[parameter](name), "revision", "")) for parameter, name in models.items()}

    def _sentences(self, name: str, role: Role) -> SentenceEmbedder:
        from showthrough.resources.embedder import SentenceEmbedder

        def make() -> SentenceEmbedder:
            return SentenceEmbedder(role.parse(name), role, self.models, self.cache, self.watch)

        return self._source(f"sentences for {role.what}", name, make)

    def _source(self, kind: str, name: str, make: Callable[[], T]) -> T:
        """What answers to a name, made once; what cannot be had is asked for once, too."""
        if (kind, name) not in self._sources:
            try:
                self._sources[kind, name] = make()
            except ResourceError as error:
                self._sources[kind, name] = error
        found: T | ResourceError = self._sources[kind, name]
        if isinstance(found, ResourceError):
            raise found
        return found


def function_words_from(name: str, cache: Cache | None = None, watch: Watch | None = None) -> FunctionWords:
    """The source of a name: a word list that ships, or `spacy:` and a pipeline."""
    if name in LEXICONS:
        return Lexicon(name)
    kind, _, pipeline = name.partition(":")
    if kind == "spacy" and pipeline:
        from showthrough.resources.tagger import SpacyTagger

        return SpacyTagger(pipeline, cache, watch)
    raise PlanError(f"unknown source of function words {name!r}; expected {', '.join(LEXICONS)} or spacy:<pipeline>")
