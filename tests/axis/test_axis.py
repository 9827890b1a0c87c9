"""The axis by hand: where texts, tokens, mentions and layers lie, what has to be masked, and what is covered."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention
from showthrough.core.arrays import Bools
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_index import SpanIndex
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import count_before, expand_ranges, find_openings, highest, merge_spans

# "Mr Doe" is 0–6, a line feed at 6, "of Oslo" 7–14, its line feed at 14.
DOE, DOE_AGAIN = Mention(0, 6, "PERSON", "DIRECT", "e"), Mention(3, 6, "PERSON", "QUASI", "e")
OSLO, OF = Mention(3, 7, "LOC", "QUASI", "t"), Mention(0, 2, "MISC", "NO_MASK", "u")
CORPUS = Corpus(
    [
        Document("a", "Mr Doe", (Annotation("x", (DOE, DOE_AGAIN)), Annotation("y", (DOE_AGAIN,)))),
        Document("b", "of Oslo", (Annotation("x", (OSLO, OF)),)),
    ]
)


def nothing_free(axis: SpanLayout) -> Bools:
    return np.zeros(len(axis), dtype=bool)


def free(*words: str) -> object:
    def ignorable(axis: SpanLayout) -> Bools:
        which = np.zeros(len(axis), dtype=bool)
        for word in words:
            which[axis.text.index(word) : axis.text.index(word) + len(word)] = True
        return which

    return ignorable


def test_texts_lie_end_to_end() -> None:
    axis = SpanLayout(CORPUS)
    assert axis.text == "Mr Doe\nof Oslo"
    assert axis.bounds.tolist() == [0, 7, 15]
    assert [axis.text[a:b] for a, b in zip(axis.tokens.start, axis.tokens.end, strict=True)] == [
        "Mr",
        "Doe",
        "of",
        "Oslo",
    ]


def test_mentions_are_laid_layer_by_layer() -> None:
    gold = SpanLayout(CORPUS).gold
    assert gold.start.tolist() == [0, 3, 3, 10, 7]  # x and y of the first document, then the second from 7 on
    assert gold.end.tolist() == [6, 6, 6, 14, 9]
    assert gold.layer.tolist() == [0, 0, 1, 2, 2]
    assert gold.entity.tolist() == [0, 0, 1, 2, 3]  # an entity is of one annotator
    assert gold.entity_level.tolist() == [2, 1, 1, 0]  # one direct mention makes it direct
    assert gold.annotators.tolist() == [2, 1]
    assert [gold.types[kind] for kind in gold.entity_type] == ["PERSON", "PERSON", "LOC", "MISC"]


def test_how_many_annotators_contain_a_span() -> None:
    gold = SpanLayout(CORPUS).gold
    start, end, document = np.array([3, 0, 10, 7]), np.array([6, 2, 14, 9]), np.array([0, 0, 1, 1])
    assert gold.agreement(start, end, document).tolist() == [2, 1, 1, 0]  # Doe, Mr, Oslo; "of" is not to be masked


def test_a_ruler_counts_only_what_has_to_be_masked() -> None:
    axis = SpanLayout(CORPUS)
    span_index = SpanIndex(axis, free("Mr ")(axis))  # type: ignore[operator]
    # Doe 3, of 2, Oslo 4: of the 14 characters 9; the space in "of Oslo" is in no mention.
    assert int(span_index.before[-1]) == 9
    assert (span_index.before[3], span_index.before[6], span_index.before[10]) == (0, 3, 5)
    assert span_index.mentions.opens.tolist() == [0, 0, 0, 5, 3]
    assert span_index.mentions.closes.tolist() == [3, 3, 3, 9, 5]


def test_a_mention_of_function_words_alone_follows_at_the_end() -> None:
    axis = SpanLayout(CORPUS)
    span_index = SpanIndex(axis, free("Mr ", "of")(axis))  # type: ignore[operator]
    assert int(span_index.before[-1]) == 7  # Doe and Oslo
    assert span_index.whole.tolist() == [7, 8]  # "of", which is all of its mention
    assert (span_index.mentions.opens[4], span_index.mentions.closes[4]) == (7, 9)
    never = SpanIndex(axis, free("Mr ", "of")(axis), "never")  # type: ignore[operator]
    assert not never.mentions.solid[4]


def test_a_ruler_is_made_once_for_a_source_and_a_question() -> None:
    axis = SpanLayout(CORPUS)
    first = axis.span_index("none", nothing_free)
    assert axis.span_index("none", nothing_free) is first
    assert axis.span_index("none", nothing_free, "never") is not first
    assert axis.span_index("other", nothing_free) is not first


def test_an_axis_with_a_ruler_is_gone_with_whoever_held_it() -> None:
    axis = SpanLayout(CORPUS)
    kept = ref(axis)
    span_index = axis.span_index("none", nothing_free)
    gc.disable()  # nothing is left for the collector
    try:
        del axis
        assert kept() is None
        assert span_index.mentions.opens.tolist() == [0, 3, 3, 8, 6]  # which goes on without it
    finally:
        gc.enable()


def test_what_masks_cover() -> None:
    axis = SpanLayout(CORPUS)
    span_index = axis.span_index("none", nothing_free)
    masks = Anonymization({"a": [Mask(4, 6), Mask(0, 5)], "b": [Mask(3, 7, "a town")]})
    coverage = Coverage(axis, masks)
    assert (coverage.start.tolist(), coverage.end.tolist()) == ([0, 10], [6, 14])  # overlapping masks are one
    assert coverage.each[0].tolist() == [0, 4, 10]
    assert coverage.is_covered(span_index.mentions, span_index, "read").tolist() == [True, True, True, True, False]


def test_what_a_replacement_repeats_is_not_covered() -> None:
    axis = SpanLayout(CORPUS)
    span_index = axis.span_index("none", nothing_free)
    coverage = Coverage(axis, Anonymization({"a": [Mask(0, 6, "Mrs DOE")], "b": []}))
    assert [axis.text[a:b] for a, b, _ in zip(*coverage.disclosures, strict=True)] == ["Doe"]
    assert coverage.is_covered(span_index.mentions, span_index, "read").tolist() == [False] * 5
    assert coverage.is_covered(span_index.mentions, span_index, "trusted").tolist() == [True, True, True, False, False]


def test_no_documents_and_no_marks() -> None:
    axis = SpanLayout(Corpus([Document("a", "Oslo")]))
    assert (len(axis.gold.start), axis.gold.annotators.tolist()) == (0, [0])
    assert int(axis.span_index("none", nothing_free).before[-1]) == 0
    assert len(Coverage(axis, Anonymization({})).start) == 0


def test_spans_by_hand() -> None:
    start, end = np.array([5, 0, 3]), np.array([8, 4, 4])
    assert [each.tolist() for each in merge_spans(start, end)] == [[0, 5], [4, 8]]
    assert find_openings(np.array([0, 3, 4]), np.array([4, 4, 6])).tolist() == [0, 2]  # to touch is not to overlap
    assert count_before(np.array([True, False, True])).tolist() == [0, 1, 1, 2]
    assert [each.tolist() for each in expand_ranges(np.array([2, 7]), np.array([2, 9]))] == [
        [1, 1],
        [7, 8],
    ]  # one is empty
    place, value = highest(np.array([0, 2]), np.array([5, 3]), np.array([1, 4]))
    assert (place.tolist(), value.tolist()) == ([0, 1, 2, 3, 4], [1, 1, 4, 1, 1])
