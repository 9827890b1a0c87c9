"""What is left to use: how much of a text's information an anonymization keeps.

Information content is −ln p of what stands in the text, from a named source: a masked language model, word frequencies,
or 1 for everything (Pilán et al. 2022, section 6.3; Manzanares-Salor et al. 2025).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, ResourceError, quote_value
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.masks import flatten_masks
from showthrough.families.masking.precision import UNIT, MaskedElements, Precision
from showthrough.metrics.base import HEADLINE, Metric, Role, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.models.information import CorpusCounts, InformationSource, ModelContext, SpanQuery, SpecialTokens
from showthrough.models.names import INFORMATION, SIMILARITY, TERMS
from showthrough.models.terms import Terms
from showthrough.statistics.rows import Rows, Totals

BERT = "hf:google-bert/bert-base-uncased"
SPACY = "spacy:en_core_web_md"
ALBERT = "st:paraphrase-albert-base-v2"
MULTIPLIER = "ic_multiplier"
CORPUS = "corpus"  # the source that counts the words of all other documents
_MOST = 1_000_000  # rounds or word pieces: as many as no text has


@dataclass(frozen=True)
class InformationMetric(Metric):
    """A metric that weighs text by its information content: which source, and what context it sees."""

    ic: str = parameter(
        BERT, "where information content comes from: hf:MODEL, a folder, causal:MODEL, wordfreq, corpus, uniform"
    )
    segment_length: int = parameter(100, "word pieces that the model sees at once")
    segment_overlap: int = parameter(0, "pieces that neighbouring segments share")
    special_tokens: SpecialTokens = parameter(
        "document", "where the model's own marks go: at the ends of the document, of each segment, or nowhere"
    )
    attend_hidden: bool = parameter(False, "whether the model can look at hidden places at all")

    def __post_init__(self) -> None:
        super().__post_init__()
        INFORMATION.parse(self.ic)
        if not 1 <= self.segment_length <= _MOST:
            raise PlanError(f"segment_length={self.segment_length} is out of range; expected 1 to {_MOST:,}")
        if not 0 <= self.segment_overlap < self.segment_length:
            raise PlanError(f"segment_overlap={self.segment_overlap} is out of range; expected 0 to segment_length − 1")

        if self.ic == CORPUS:  # all documents are counted together
            object.__setattr__(self, "scope", "corpus")

    def source(self, axis: SpanLayout, resources: Resources) -> InformationSource:
        """What weighs spans of the documents."""
        if self.ic == CORPUS:
            return CorpusCounts(document.text for document in axis.documents)
        return resources.information(self.ic)

    @property
    def context(self) -> ModelContext:
        return ModelContext(self.segment_length, self.segment_overlap, self.special_tokens, self.attend_hidden)

    @property
    def models(self) -> dict[str, str]:
        return INFORMATION.models(self.ic)


@dataclass(frozen=True)
class WeightedPrecision(Precision, InformationMetric):
    """Precision in which a masked word counts more, the harder it is to guess.

    Pilán et al. 2022, section 6.3: as `precision`, each masked token weighted by its information content with all
    masked tokens of the document hidden at once. Masking a telling word that no annotator marked costs more
    than masking one that anybody could guess.

    WP = Σ IC(t) · |annotators who masked t| / Σ IC(t) · |annotators of t's document|, over masked tokens t

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> gold = (Annotation("a", (Mention(3, 6, "PERSON", "DIRECT", "e1"),)),)
    >>> corpus = Corpus([Document("d", "Mr Doe went home", gold)])
    >>> masks = {"first": Anonymization({"d": [Mask(3, 6), Mask(12, 16)]})}
    >>> evaluate(corpus, masks, metrics=['wp(ic="uniform")'])["first", 'wp(ic="uniform")'].value  # Doe, not home
    0.5
    """

    version = 2
    title = "Masked information that was marked"
    undefined = "nothing that says anything was masked in an annotated document"
    roles = ()

    unit: Literal["token", "mention"] = parameter("token", UNIT)

    def weigher(self, chunk: Chunk) -> Callable[[MaskedElements], Floats]:
        """Says how much each masked element says, as often as it is masked."""
        axis, source = chunk.axis, self.source(chunk.axis, chunk.resources)

        def weights(masked: MaskedElements) -> Floats:
            scored = axis.gold.annotators[masked.document] > 0  # who has no annotator is not asked about either
            start, end, document, times = (column[scored] for column in masked)
            numbers, first = np.unique(document, return_index=True)
            ends = np.searchsorted(document, numbers, side="right")
            questions = []
            for number, low, high in zip(numbers.tolist(), first.tolist(), ends.tolist(), strict=True):
                base = axis.bounds[number]
                offsets = start[low:high] - base, end[low:high] - base
                questions.append(SpanQuery(axis.documents[number].text, *offsets, np.zeros(high - low, dtype=np.int64)))
            weight = np.zeros(len(scored))
            weight[scored] = times * np.concatenate([np.zeros(0), *source.weigh(questions, self.context)])
            return weight

        return weights


@dataclass(frozen=True)
class WeightedTerms:
    """All terms of a chunk in its span layout, with their information content."""

    axis: SpanLayout
    start: Ints
    end: Ints
    document: Ints
    ic: Floats

    def masked(self, coverage: Coverage) -> Bools:
        """Which terms overlap a mask; to touch one is not to overlap it."""
        before = np.searchsorted(coverage.end, self.start, side="right")
        return np.asarray(np.searchsorted(coverage.start, self.end, side="left") > before)

    def by_document(self, weight: Floats | Bools) -> Floats:
        return self.axis.by_document(self.document, weight)


@dataclass(frozen=True)
class TextPreservedInformation(InformationMetric):
    """Share of the original's information that lies in words left untouched.

    Manzanares-Salor et al. 2025 (TAE): a text's terms are its named entities, noun chunks and remaining tokens; a term
    is gone when a mask overlaps it. Information is that of the original text: with `term_alterning=N` in N rounds, each
    hiding every N-th term; with "sentence" one term at a time, its sentence as context.

    TPI(d) = Σ IC(unmasked terms of d) / Σ IC(terms of d); TPI is the mean over documents with information

    The part `ic_multiplier` is the mean IC of masked terms over that of unmasked ones, averaged over documents that
    have both: above 1 the anonymizer masks what says most.

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("d", "Mr Doe went home")])
    >>> masks = {"first": Anonymization({"d": [Mask(3, 6)]})}
    >>> evaluate(corpus, masks, metrics=['tpi(ic="uniform")'])["first", 'tpi(ic="uniform")'].value  # 3 of 4 terms
    0.75
    """

    version = 2
    group = "utility"
    title = "Information kept"
    neutral: ClassVar[tuple[str, ...]] = (MULTIPLIER,)
    unbounded: ClassVar[tuple[str, ...]] = (MULTIPLIER,)
    roles: ClassVar[tuple[Role, ...]] = ("words",)
    tells = "how much information is left"
    undefined = "no document has a term with information, or (for a multiplier) none has masked and unmasked terms"

    chunking: str = parameter("auto", "what finds terms: spacy:PIPELINE, spacy-tokens:PIPELINE, none (words), auto")
    term_alterning: int | str = parameter(6, "in how many rounds terms are hidden; or sentence, one at a time")

    def __post_init__(self) -> None:
        super().__post_init__()
        TERMS.parse(self.chunking)
        rounds = self.term_alterning
        if rounds != "sentence" and not (isinstance(rounds, int) and 1 < rounds <= _MOST):
            expected = f'a whole number above 1, at most {_MOST:,}, or "sentence"'
            raise PlanError(f"term_alterning={quote_value(rounds)} is not known; expected {expected}")
        if rounds == "sentence" and self.ic == CORPUS:
            raise PlanError(
                f'term_alterning="sentence" changes nothing with ic="{CORPUS}"; expected a number of rounds'
            )
        if rounds == "sentence" and self.term_source == "none":
            needed = 'a source of sentences; expected chunking="spacy:<pipeline>"'
            raise PlanError(f'term_alterning="sentence" needs {needed}')

    @property
    def term_source(self) -> str:
        """Where terms come from. Left to itself: the literature's pipeline beside a language model, else no model."""
        if self.chunking != "auto":
            return self.chunking
        return SPACY if INFORMATION.models(self.ic) else "none"

    @property
    def models(self) -> dict[str, str]:
        return {**super().models, **TERMS.models(self.term_source)}

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return (*self.fixed, *((("terms", self.term_source),) if self.chunking == "auto" else ()))

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        terms = self.weigh_terms(chunk)
        total = terms.by_document(terms.ic)
        count = terms.by_document(np.ones_like(terms.ic))

        def rows(anonymized: Anonymized) -> Rows:
            masked = terms.masked(anonymized.coverage)
            lost, gone = terms.by_document(terms.ic * masked), terms.by_document(masked)
            multiplier = ratio(ratio(lost, gone), ratio(total - lost, count - gone))
            return Rows.of(
                **mean_columns("preserved", ratio(total - lost, total)), **mean_columns("multiplier", multiplier)
            )

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: mean(totals, "preserved"), MULTIPLIER: mean(totals, "multiplier")}

    def weigh_terms(self, chunk: Chunk) -> WeightedTerms:
        """The terms of the originals and what they say: one computation for all metrics and anonymizations."""
        key = ("weighed", self.ic, self.context, self.term_source, self.term_alterning)
        return chunk.once(key, lambda: self._weigh(chunk.axis, chunk.resources))

    def _weigh(self, axis: SpanLayout, resources: Resources) -> WeightedTerms:
        by_sentence = self.term_alterning == "sentence"
        source = self.source(axis, resources)
        of_documents = resources.terms(self.term_source).terms(axis, sentences=by_sentence)
        questions: list[SpanQuery] = []
        for document, terms in zip(axis.documents, of_documents, strict=True):
            if by_sentence:
                questions += _sentence_questions(document.text, terms)
            elif len(terms.start):
                turn = np.arange(len(terms.start)) % int(self.term_alterning)
                questions.append(SpanQuery(document.text, terms.start, terms.end, turn))
        number = np.repeat(np.arange(len(of_documents)), [len(terms.start) for terms in of_documents])
        edges = [(terms.start, terms.end) for terms in of_documents]
        start, end = np.hstack([np.zeros((2, 0), dtype=np.int64), *edges]) + axis.bounds[number]
        ic = np.concatenate([np.zeros(0), *source.weigh(questions, self.context)])
        return WeightedTerms(axis, start, end, number, ic)


def _sentence_questions(text: str, terms: Terms) -> list[SpanQuery]:
    """One question a sentence, its terms asked one by one. A term that runs on into the next takes that one along."""
    bounds = terms.sentences
    if not len(terms.start):
        return []
    if not len(bounds):
        raise ResourceError('term_alterning="sentence": the pipeline finds no sentences; choose a number of rounds')
    first = np.maximum(np.searchsorted(bounds[:, 0], terms.start, side="right") - 1, 0)
    last = np.maximum(np.searchsorted(bounds[:, 0], terms.end, side="left") - 1, first)
    questions = []
    cuts = np.flatnonzero(np.diff(first, prepend=-1) | np.diff(last, prepend=-1))
    for low, high in zip(cuts.tolist(), [*cuts[1:].tolist(), len(first)], strict=True):
        begin, stop = int(bounds[first[low], 0]), int(bounds[last[low], 1])
        start, end = terms.start[low:high] - begin, terms.end[low:high] - begin
        questions.append(SpanQuery(text[begin:stop], start, end, np.arange(high - low)))
    return questions


@dataclass(frozen=True)
class TextPreservedSimilarity(TextPreservedInformation):
    """Share of the original's information that is left, with credit for replacements of similar meaning.

    Pilán et al. 2024 (arXiv:2412.12928), TAE: as `tpi`, but a term under a replacement keeps as much of its information
    as the replacement is similar to what it replaces; a suppressed term keeps none. Where masks overlap they are one,
    and the longest one's replacement stands; of several replacements that a term meets the last counts.

    TPS(d) = Σ IC(t) · s(t) / Σ IC(t); s = 1 unmasked, 0 suppressed, else max(0, min(1, cos(original, replacement)))

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("d", "Mr Doe went home")])
    >>> masks = {"first": Anonymization({"d": [Mask(3, 6, "DOE"), Mask(12, 16)]})}
    >>> metric = 'tps(ic="uniform", similarity="ngrams")'
    >>> evaluate(corpus, masks, metrics=[metric])["first", metric].value  # Mr, DOE for Doe, went: 3 of 4 terms
    0.75
    """

    title = "Information kept, with replacements"
    neutral = ()
    roles = ("information",)
    undefined = "no document has a term with information"

    similarity: str = parameter(ALBERT, "what compares with the original: st:MODEL, a folder, spacy:PIPELINE, ngrams")

    def __post_init__(self) -> None:
        super().__post_init__()
        SIMILARITY.parse(self.similarity)

    @property
    def models(self) -> dict[str, str]:
        return {**super().models, **SIMILARITY.models(self.similarity)}

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        terms = self.weigh_terms(chunk)
        total = terms.by_document(terms.ic)
        axis = terms.axis
        similarity = chunk.resources.similarity(self.similarity)

        def rows(anonymized: Anonymized) -> Rows:
            shares = np.where(terms.masked(anonymized.coverage), 0.0, 1.0)
            start, end, pairs = [], [], []
            for document, base in zip(axis.documents, axis.bounds[:-1].tolist(), strict=True):
                masks = [mask for mask in flatten_masks(anonymized.of(document.id)) if not mask.suppressed]
                start += [base + mask.start for mask in masks]
                end += [base + mask.end for mask in masks]
                pairs.append([(document.text[mask.start : mask.end], mask.replacement or "") for mask in masks])
            near = np.concatenate([np.zeros(0), *similarity.cosines(list(filter(None, pairs)))])
            last = np.searchsorted(start, terms.end, side="left") - 1
            under = (last >= 0) & (np.array([*end, 0])[last] > terms.start)
            shares[under] = np.clip(near[last[under]], 0.0, 1.0)
            return Rows.of(**mean_columns("preserved", ratio(terms.by_document(terms.ic * shares), total)))

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: mean(totals, "preserved")}


def mean_columns(name: str, value: Floats) -> dict[str, Floats]:
    """A value a document and the 1 that counts it; 0 and 0 where it is undefined, so that sums stay sums."""
    return {name: np.nan_to_num(value), f"{name}_documents": (~np.isnan(value)).astype(np.float64)}


def mean(totals: Totals, name: str) -> Floats:
    """The average over the documents that have a value."""
    return ratio(totals[name], totals[f"{name}_documents"])
