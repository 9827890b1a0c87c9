"""What metrics ask for, found by name, loaded once and shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, wraps
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from showthrough._former import FormerName
from showthrough.core.arrays import Bools
from showthrough.core.errors import PlanError, ResourceError, quote_value
from showthrough.core.families import Inputs
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.masks import Anonymization
from showthrough.engines.base import Engine, InProcess, SharedValue
from showthrough.models.cache import Cache, usual_cache
from showthrough.models.lexicon import LEXICONS, NONE, Lexicon, NoWords
from showthrough.models.names import (
    EMBEDDING,
    ENTAILMENT,
    GAPS,
    INFORMATION,
    LANGUAGE_MODEL,
    SIMILARITY,
    STS,
    TERMS,
    TEXT_CLASSIFIER,
    Role,
    local_or_hub,
)
from showthrough.models.settings import AskingSettings, ModelSettings, Watch

if TYPE_CHECKING:  # what only some metrics ask for is imported where it is made
    from showthrough.models._causal_lm import CausalLanguageModel
    from showthrough.models._entailment import Entailment
    from showthrough.models._mask_filling import MaskFiller
    from showthrough.models._similarity import Similarity
    from showthrough.models._text_classifier import TextClassifier
    from showthrough.models.chat.base import Chat
    from showthrough.models.chat.estimate import QuestionTally
    from showthrough.models.chat.recordings import Recordings
    from showthrough.models.embedder import Embed, Embedder, LongTexts, SentenceEmbedder
    from showthrough.models.information import InformationSource
    from showthrough.models.overlap import Sts
    from showthrough.models.terms import TermSource
    from showthrough.models.word_vectors import WordVectorSource
    from showthrough.models.wordnet import WordNet

FUNCTION_WORDS = "function_words"  # the parameter that names their source
STS_MODEL, WORDNET, VECTORS = "sts", "wordnet", "vectors"  # what soundness asks for, each by a name
_SPACY = "spacy:"
P = ParamSpec("P")
T = TypeVar("T")
Given = TypeVar("Given")
Item = TypeVar("Item")


class FunctionWords(Protocol):
    """Says which characters of a span layout need not be masked."""

    def ignorable(self, axis: SpanLayout) -> Bools: ...


def _once(make: Callable[Concatenate[Resources, P], T]) -> Callable[Concatenate[Resources, P], T]:
    """What answers to a name is made once; what cannot be had is asked for once, too."""

    @wraps(make)
    def source(self: Resources, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = make.__name__, *args
        if key not in self._sources:
            try:
                self._sources[key] = make(self, *args, **kwargs)
            except ResourceError as error:
                self._sources[key] = error
        answer: T | ResourceError = self._sources[key]
        if isinstance(answer, ResourceError):
            raise answer
        return answer

    return source


class Resources:
    """One object for one evaluation: what is found by name stays loaded."""

    def __init__(
        self,
        models: ModelSettings | None = None,
        watch: Watch | None = None,
        anonymizations: Sequence[Anonymization] = (),
        inputs: Inputs | None = None,
        asking: AskingSettings | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.models = models or ModelSettings()
        self.engine = engine or InProcess()
        self.watch = watch
        self.anonymizations = anonymizations  # all that are evaluated together
        self.inputs = inputs or {}  # what families of metrics read, by name
        self.asking = asking or AskingSettings()
        self.tally: QuestionTally | None = None  # of questions to language models, where they are only counted
        self.cache = usual_cache(self.models.cache)
        self.seconds: dict[str, dict[str, Any]] = {}  # that attacks took, as they tell it
        self._sources: dict[tuple[object, ...], Any] = {}

    def once(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What a later package makes and others ask for again: made once."""
        if key not in self._sources:
            self._sources[key] = make()
        value: T = self._sources[key]
        return value

    def map_items(
        self, function: Callable[[Resources, Given, Item], T], context: Given, items: Iterable[Item]
    ) -> Iterator[T]:
        """What a function makes of each item and of what is given for all, in their order; by workers, where there are.

        The function is told by whose models it can ask: a worker has its own, and `context` is sent there once. Whoever
        cuts work into items cuts it the same way whoever does it, since the last digit of a product hangs on its shape.
        """
        remaining = iter(items)
        first_items = list(islice(remaining, 2))
        if self.engine.workers == 1 or len(first_items) < 2:  # one alone is done before anybody has heard of it
            yield from (function(self, context, item) for item in chain(first_items, remaining))
            return
        shared = self.engine.share(context)
        tasks = ((function, self.models, shared, item) for item in chain(first_items, remaining))
        yield from self.engine.in_order(_run_on_worker, tasks)

    mapped = FormerName("map_items")

    @_once
    def function_words(self, name: str) -> FunctionWords:
        """What knows the words that need not be masked: a word list that ships, `none`, or a spaCy pipeline."""
        return function_words_from(name, self.cache, self.watch)

    @_once
    def information(self, name: str) -> InformationSource:
        """What weighs spans of text: `uniform`, `wordfreq[:<language>]`, or a language model, masked or causal."""
        from showthrough.models._causal_lm import CausalLanguageModel
        from showthrough.models._masked_lm import MaskedLanguageModel
        from showthrough.models.information import Uniform, WordFrequency

        source = INFORMATION.parse(name)
        if source.kind == "uniform":
            return Uniform()
        if source.kind == "wordfreq":
            return WordFrequency(source.location or "en")
        if source.kind == "causal":
            return CausalLanguageModel(source, INFORMATION, self.models, self.cache, self.watch)
        return MaskedLanguageModel(source, INFORMATION, self.models, self.cache, self.watch)

    @_once
    def terms(self, name: str) -> TermSource:
        """What finds terms: `none` (words), a spaCy pipeline, or its tokens alone (`spacy-tokens:`)."""
        from showthrough.models.terms import SpacyTerms, WordTerms

        source = TERMS.parse(name)
        if source.kind == "none":
            return WordTerms()
        return SpacyTerms(source.location, self.cache, self.watch, chunks=source.kind == "spacy")

    @_once
    def similarity(self, name: str) -> Similarity:
        """What compares a replacement with what it replaces: `ngrams`, a sentence-embedding model, or word vectors."""
        from showthrough.models._similarity import EmbeddingSimilarity, NgramSimilarity, WordVectors

        source = SIMILARITY.parse(name)
        if source.kind == "ngrams":
            return NgramSimilarity()
        if source.kind == "spacy":
            return EmbeddingSimilarity(WordVectors(source.location, self.cache, self.watch))
        return EmbeddingSimilarity(self._sentences(name, SIMILARITY))

    def embedder(self, name: str) -> Embedder:
        """What turns documents into vectors: `lsa`, or a sentence-embedding model."""
        if name == "lsa":
            from showthrough.models.embedder import LatentSemantics

            return LatentSemantics()
        return self._sentences(name, EMBEDDING)

    def embedding(self, name: str, originals: Sequence[str], long_texts: LongTexts) -> Embed:
        """How texts are embedded, once the embedder of a name knows the originals: by workers, where there are."""
        from showthrough.models.embedding import FittedEmbedder, in_batches

        learned = FittedEmbedder.of(self, name, originals, long_texts)
        return lambda texts: in_batches(self, learned, texts)

    @_once
    def language_model(self, name: str) -> CausalLanguageModel:
        """What is surprised by words or not: a model that reads from left to right."""
        from showthrough.models._causal_lm import CausalLanguageModel

        return CausalLanguageModel(LANGUAGE_MODEL.parse(name), LANGUAGE_MODEL, self.models, self.cache, self.watch)

    @_once
    def mask_filler(self, name: str) -> MaskFiller:
        """What fills gaps of a text: a masked language model, a folder or a name on the hub."""
        from showthrough.models._mask_filling import MaskFiller

        source = GAPS.parse(local_or_hub(name, "hf"))
        return MaskFiller(source, GAPS, self.models, self.cache, self.watch)

    @_once
    def text_classifier(self, name: str) -> TextClassifier:
        """What is fine-tuned to label texts: an encoder, a folder or a name on the hub."""
        from showthrough.models._text_classifier import TextClassifier

        source = TEXT_CLASSIFIER.parse(local_or_hub(name, "hf"))
        return TextClassifier(source, TEXT_CLASSIFIER, self.models, self.cache, self.watch)

    @_once
    def entailment(self, name: str) -> Entailment:
        """What tells whether a statement follows from a text: `nli:MODEL`."""
        from showthrough.models._entailment import Entailment

        return Entailment(ENTAILMENT.parse(name), ENTAILMENT, self.models, self.cache, self.watch)

    @_once
    def chat(self, name: str) -> Chat:
        """A language model that is talked to: `llm:MODEL` or `llm:MODEL@URL`."""
        from showthrough.models.chat.model import LanguageModel

        return LanguageModel(name, self.asking, self.recordings, self.watch, self.tally)

    @property
    def recordings(self) -> Recordings | None:
        """What language models answered before; None where nobody said where that is kept."""
        from showthrough.models.chat.recordings import Recordings

        path = self.asking.recordings
        return None if path is None else self.once(("recordings",), lambda: Recordings(Path(path)))

    @_once
    def sts(self, name: str, vectors: str = "") -> Sts:
        """What tells how alike two passages are, from 0 to 5: `overlap`, embeddings, tokens' states, or entailment."""
        from showthrough.models.overlap import Cosines, Overlap

        source = STS.parse(name)
        if source.kind == "overlap":
            vector_source = self.word_vectors(vectors) if vectors else None
            return Overlap(self.wordnet(), vector_source, self.cache, self.watch)
        if source.kind == "tokens":
            from showthrough.models._token_matching import TokenMatches

            return Cosines(TokenMatches(source, STS, self.models, self.cache, self.watch))
        if source.kind == "nli":
            from showthrough.models._entailment import Entailment

            return Entailment(source, STS, self.models, self.cache, self.watch)
        from showthrough.models._similarity import EmbeddingSimilarity

        return Cosines(EmbeddingSimilarity(self._sentences(name, STS)))

    @_once
    def wordnet(self, name: str = WORDNET) -> WordNet:
        """WordNet, where NLTK has it."""
        from showthrough.models.wordnet import WordNet

        return WordNet()

    @_once
    def word_vectors(self, name: str) -> WordVectorSource:
        """Vectors of words: `spacy:` and a pipeline, or the path of a text file."""
        from showthrough.models.word_vectors import word_vectors

        return word_vectors(name)

    def revisions(self, models: Mapping[str, str]) -> dict[str, str]:
        """Models by name, each with what tells it from any other of that name; given by the parameter that names it."""
        roles: dict[str, Callable[[str], object]] = {
            INFORMATION.parameter: self.information,
            TERMS.parameter: self.terms,
            SIMILARITY.parameter: self.similarity,
            EMBEDDING.parameter: self.embedder,
            LANGUAGE_MODEL.parameter: self.language_model,
            GAPS.parameter: self.mask_filler,
            TEXT_CLASSIFIER.parameter: self.text_classifier,
            ENTAILMENT.parameter: self.entailment,
            FUNCTION_WORDS: self.function_words,
            STS_MODEL: self.sts,
            WORDNET: self.wordnet,
            VECTORS: self.word_vectors,
        }
        # A plugin may name models by parameters that nobody here knows: what tells those apart is theirs to pin.
        loaders = {name: roles.get(parameter.partition(" ")[0]) for parameter, name in models.items()}
        return {name: str(getattr(load(name), "revision", "")) if load else "" for name, load in loaders.items()}

    @_once
    def _sentences(self, name: str, role: Role) -> SentenceEmbedder:
        from showthrough.models.embedder import SentenceEmbedder

        return SentenceEmbedder(role.parse(name), role, self.models, self.cache, self.watch)


def function_words_from(name: str, cache: Cache | None = None, watch: Watch | None = None) -> FunctionWords:
    """The source of a name: a word list that ships, `none`, or `spacy:` and a pipeline."""
    if name in LEXICONS:
        return Lexicon(name)
    if name == NONE:
        return NoWords()
    if function_word_models(name):
        from showthrough.models.pipeline import SpacyTagger

        return SpacyTagger(name.removeprefix(_SPACY), cache, watch)
    expected = f"{', '.join(LEXICONS)}, {NONE} or {_SPACY}<pipeline>"
    raise PlanError(f"unknown source of function words {quote_value(name)}; expected {expected}")


def function_word_models(name: str) -> dict[str, str]:
    """The name under its parameter if it is a model's; nothing if it is not."""
    return {FUNCTION_WORDS: name} if name.startswith(_SPACY) and name != _SPACY else {}


def _run_on_worker(
    function: Callable[[Resources, Given, Item], T], models: ModelSettings, context: SharedValue[Given], item: Item
) -> T:
    """One item, by a worker."""
    return function(resources_of_process(models), context.value, item)


@lru_cache(maxsize=1)
def resources_of_process(models: ModelSettings) -> Resources:
    """What a worker has: models stay loaded from task to task."""
    return Resources(models)
