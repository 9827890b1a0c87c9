"""Several anonymizations of the same texts beside each other: what one leaves and another masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import contents_of, expand_ranges, merge_spans
from showthrough.metrics.base import HEADLINE, FunctionWordsMetric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models.lexicon import DEFAULT_LEXICON, Lexicon
from showthrough.statistics.rows import Rows, Totals

ALONE = "alone"
_FEWEST = 2  # that can disagree


@dataclass(frozen=True)
class Disagreement(FunctionWordsMetric):
    """Share of the words hidden by any system under test that this system leaves readable.

    Nobody knows here which system is right: what another masks may need no mask, and what none masks is not seen. So
    neither a high nor a low value is better; it shows where to look. The part `alone` is the share that only this
    system hides. Where systems state types, `left:TYPE` and `alone:TYPE` are the same shares of the words that some
    system hides as that type. Function words do not count, and a word that its replacement repeats is readable.

    D = |{w : some system hides w, and this one does not}| / |{w : some system hides w}|

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "Ann Berg of Oslo was ill.")])
    >>> masks = {"names": [Mask(0, 8)], "rules": [Mask(4, 8), Mask(12, 16)]}
    >>> run = evaluate(corpus, {name: Anonymization({"a": masks[name]}) for name in masks}, metrics=["disagreement"])
    >>> run["names", "disagreement"].value  # of Ann, Berg and Oslo it leaves Oslo: 1 of 3
    0.3333333333333333
    >>> run["names", "disagreement", "alone"].value  # Ann
    0.3333333333333333
    """

    version = 3
    group = "neither"
    needs = frozenset({"systems"})
    title = "Left readable, masked by another"
    tells = "where systems disagree"
    neutral = (HEADLINE, "left", ALONE)  # nobody knows who is right
    undefined = "there are fewer than two anonymizations, or none of them masks a word of this kind"

    function_words: str = parameter(
        DEFAULT_LEXICON, "words that do not count: a word list that ships, spacy:PIPELINE, or none"
    )

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        axis = chunk.axis
        documents = axis.document_at(axis.tokens.start)
        names = {system.name for system in chunk.systems}
        counts = np.zeros(len(axis.tokens), dtype=np.int32)  # how many hide a word
        types: dict[str, list[Ints]] = {}
        for system in chunk.systems if len(names) >= _FEWEST else ():
            coverage = Coverage(axis, system)
            hidden = _find_hidden(coverage)
            counts += hidden
            for kind, tokens in _tokens_by_type(coverage).items():
                types.setdefault(kind, []).append(tokens[hidden[tokens]])
        counts[_free(chunk, axis, self.function_words)] = 0
        all_of = {kind: np.unique(np.concatenate(arrays)) for kind, arrays in types.items()}

        def count(tokens: Ints) -> Floats:
            return axis.by_document(documents[tokens])

        def rows(anonymized: Anonymized) -> Rows:
            hidden = _find_hidden(anonymized.coverage)
            alone = hidden & (counts == 1) & (anonymized.name in names)
            columns: dict[str, ArrayLike] = {}
            for ending, tokens in {"": np.flatnonzero(counts), **{f":{kind}": all_of[kind] for kind in all_of}}.items():
                masked = tokens[counts[tokens] > 0]
                columns[f"masked{ending}"] = count(masked)
                columns[f"left{ending}"] = count(masked[~hidden[masked]])
                columns[f"alone{ending}"] = count(masked[alone[masked]])
            return Rows.named(columns)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        masked = totals["masked"]
        values = {HEADLINE: ratio(totals["left"], masked), ALONE: ratio(totals[ALONE], masked)}
        for kind in sorted(column.removeprefix("masked:") for column in totals if column.startswith("masked:")):
            for part in ("left", ALONE):
                values[f"{part}:{kind}"] = ratio(totals[f"{part}:{kind}"], totals[f"masked:{kind}"])
        return values


def _find_hidden(coverage: Coverage) -> Bools:
    """Which words are hidden from their first letter to their last."""
    tokens, before = coverage.axis.tokens, coverage.hidden_before
    return np.asarray(before[tokens.end] - before[tokens.start] == tokens.end - tokens.start)


def _free(chunk: Chunk, axis: SpanLayout, name: str) -> Bools:
    """Which words do not count."""
    source, tokens = chunk.resources.function_words(name), axis.tokens
    if isinstance(source, Lexicon):  # which looks at what is marked alone, unless it is asked
        return source.match_tokens(axis, tokens.start, tokens.end)
    return source.ignorable(axis)[tokens.start]


def _tokens_by_type(coverage: Coverage) -> dict[str, Ints]:
    """The words under the masks of each type, where an anonymizer says any."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for shift, masks in zip(coverage.axis.bounds.tolist(), coverage.of_documents, strict=False):
        for mask in masks:
            if mask.entity_type:
                spans.setdefault(mask.entity_type, []).append((shift + mask.start, shift + mask.end))
    tokens_by_type = {}
    for kind, of_kind in spans.items():
        start, end = np.array(sorted(of_kind), dtype=np.int64).T
        contents = contents_of(coverage.axis.tokens, *merge_spans(start, end))
        tokens_by_type[kind] = expand_ranges(contents.first, contents.last)[1]
    return tokens_by_type
