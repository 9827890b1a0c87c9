"""Weighted precision, text preserved information and similarity: by hand, and against a slow way of counting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    METRICS,
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mask,
    Mention,
    Precision,
    TextPreservedInformation,
    TextPreservedSimilarity,
    WeightedPrecision,
    apply_masks,
    evaluate,
    parse_metric,
)
from showthrough.core.arrays import Floats
from showthrough.core.errors import InputError, PlanError
from showthrough.families.information.preserved import InformationMetric
from showthrough.metrics import HEADLINE, Metric, metric_text, preset
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.models._similarity import Pair
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.terms import Terms
from showthrough.report.table import tables


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "cache"))


class Given(Resources):
    """Information, terms and similarities as a test gives them."""

    def __init__(
        self,
        ic: Callable[[str], float] | Mapping[str, float],
        cosine: Mapping[Pair, float] | None = None,
        terms: Callable[[str], Terms] | None = None,
    ) -> None:
        super().__init__()
        self.ic = ic.__getitem__ if isinstance(ic, Mapping) else ic
        self.cosine = cosine or {}
        self.cut = terms
        self.asked: list[SpanQuery] = []

    def information(self, name: str) -> Any:
        return self

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]:
        self.asked += questions
        return [
            np.array([self.ic(one.text[low:high]) for low, high in zip(one.start, one.end, strict=True)])
            for one in questions
        ]

    def terms(self, name: str) -> Any:
        return super().terms("none") if self.cut is None else self

    def similarity(self, name: str) -> Any:
        return self

    def cosines(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        return [np.array([self.cosine[pair] for pair in group]) for group in groups]


class GivenTerms(Given):
    def terms(self, name: str) -> Any:
        class Source:
            def terms(_, axis: Any, sentences: bool = False) -> list[Terms]:  # noqa: N805
                assert self.cut is not None
                return [self.cut(document.text) for document in axis.documents]

        return Source()


def rows_of(metric: Metric, documents: Sequence[Document], masks: Any, resources: Resources) -> dict[str, list[float]]:
    rows = Chunk(Corpus(documents), resources).rows(metric, Anonymization(masks))
    return {name: rows.values[:, place].tolist() for place, name in enumerate(rows.columns)}


def value_of(metric: Metric, documents: Sequence[Document], masks: Any, resources: Resources) -> dict[str, float]:
    rows = Chunk(Corpus(documents), resources).rows(metric, Anonymization(masks))
    return {part: float(value) for part, value in metric.combine(rows.totals()).items()}


TPI, TPS = TextPreservedInformation(ic="uniform"), TextPreservedSimilarity(ic="uniform", similarity="ngrams")
ICS = {"Mr": 1.0, "Doe": 8.0, "of": 0.5, "Oslo": 6.0, "left": 2.5}
TEXT = "Mr Doe of Oslo left"  # Mr 0–2, Doe 3–6, of 7–9, Oslo 10–14, left 15–19; 18 in all
ONE = [Document("d", TEXT)]


# --- TPI --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("masks", "kept"),
    [
        ([], 18.0),
        ([Mask(3, 6)], 10.0),  # without Doe
        ([Mask(10, 14, "CITY"), Mask(3, 6, None)], 4.0),  # without Doe and Oslo, in any order
        ([Mask(3, 6), Mask(10, 14)], 4.0),
        ([Mask(15, 19)], 15.5),  # up to the end of the text
        ([Mask(0, 19)], 0.0),  # terms strictly inside a longer mask
        ([Mask(2, 15)], 3.5),  # Doe, of, Oslo inside; Mr and left only touched
        ([Mask(4, 5)], 10.0),  # a single letter of Doe
        ([Mask(3, 9), Mask(7, 14), Mask(4, 6)], 3.5),  # overlapping masks
        ([Mask(2, 3)], 18.0),  # a space: no term
        ([Mask(5, 11)], 3.5),  # the end of Doe, of, the beginning of Oslo
    ],
)
def test_TPI_by_hand(masks: list[Mask], kept: float) -> None:  # noqa: N802
    for order in (masks, masks[::-1]):
        assert value_of(TPI, ONE, {"d": order}, Given(ICS))[HEADLINE] == pytest.approx(kept / 18)


def test_IC_multiplier_by_hand() -> None:  # noqa: N802
    # Masked: Doe 8 and Oslo 6, 7 on average; unmasked: Mr 1, of 0.5, left 2.5, 4 / 3 on average.
    found = value_of(TPI, ONE, {"d": [Mask(3, 6), Mask(10, 14)]}, Given(ICS))
    assert found["ic_multiplier"] == pytest.approx(7 / (4 / 3))


def test_the_mean_is_over_documents_that_have_information() -> None:
    """A document of spaces has no terms: it is no 0, no 1 and no NaN, it is left out."""
    documents = [Document("a", "Doe left"), Document("b", " \n "), Document("c", "Oslo"), Document("d", "Mr Doe")]
    masks = {"a": [Mask(0, 3)], "b": [Mask(0, 1)], "c": [], "d": [Mask(0, 6)]}
    rows = rows_of(TPI, documents, masks, Given(ICS))
    assert rows["preserved"] == pytest.approx([2.5 / 10.5, 0, 1, 0])
    assert rows["preserved_documents"] == [1, 0, 1, 1]
    # A multiplier needs masked and unmasked terms: only a has both, 8 over 2.5.
    assert rows["multiplier"] == [8 / 2.5, 0, 0, 0]
    assert rows["multiplier_documents"] == [1, 0, 0, 0]
    found = value_of(TPI, documents, masks, Given(ICS))
    assert found == {HEADLINE: pytest.approx((2.5 / 10.5 + 1 + 0) / 3), "ic_multiplier": pytest.approx(3.2)}


def test_undefined_where_no_document_has_information() -> None:
    run = evaluate(Corpus([Document("a", "  ")]), {"m": Anonymization({"a": []})}, [TPI, TPS], references=False)
    assert [score.value for score in run.scores] == [None, None, None]
    assert all("no document has a term with information" in score.reason for score in run.scores)


def test_a_document_whose_terms_say_nothing_is_left_out() -> None:
    assert np.isnan(value_of(TPI, ONE, {"d": []}, Given(lambda _: 0.0))[HEADLINE])


@pytest.mark.parametrize("rounds", [2, 3, 6])
def test_every_nth_term_is_asked_at_once(rounds: int) -> None:
    resources = Given(ICS)
    rows_of(TextPreservedInformation(ic="uniform", term_alterning=rounds), ONE, {"d": []}, resources)
    (asked,) = resources.asked
    assert asked.turn.tolist() == [number % rounds for number in range(5)]
    assert [asked.text[a:b] for a, b in zip(asked.start, asked.end, strict=True)] == list(ICS)


def sentence_terms(text: str) -> Terms:
    """Words and full stops are terms; sentences end after a full stop."""
    spans, sentences, start = [], [], 0
    for place in range(len(text)):
        begins = place == 0 or text[place - 1] in " ."
        if text[place] not in " ." and begins:
            stop = min((text.find(mark, place) % (len(text) + 1) for mark in " ."), default=len(text))
            spans.append((place, stop))
        if text[place] == ".":
            spans.append((place, place + 1))
            sentences.append((start, place + 1))
            start = place + 2
    table = np.array(sorted(spans))
    return Terms(table[:, 0], table[:, 1], np.array(sentences))


def test_sentence_by_sentence() -> None:
    """One question a sentence, one turn a term; the last term of a sentence is asked like the others."""
    resources = GivenTerms(lambda term: float(len(term)), terms=sentence_terms)
    metric = TextPreservedInformation(ic="uniform", chunking="spacy:x", term_alterning="sentence")
    text = "Doe left. Oslo stayed."
    rows = rows_of(metric, [Document("d", text)], {"d": [Mask(8, 9), Mask(15, 21)]}, resources)
    assert [asked.text for asked in resources.asked] == ["Doe left.", "Oslo stayed."]
    assert [asked.turn.tolist() for asked in resources.asked] == [[0, 1, 2], [0, 1, 2]]
    asked = [[one.text[a:b] for a, b in zip(one.start, one.end, strict=True)] for one in resources.asked]
    assert asked == [["Doe", "left", "."], ["Oslo", "stayed", "."]]
    assert rows["preserved"] == [pytest.approx((3 + 4 + 4 + 1) / (3 + 4 + 1 + 4 + 6 + 1))]


def test_a_term_across_sentences_sees_both() -> None:
    def cut(text: str) -> Terms:
        return Terms(np.array([0, 4, 13]), np.array([3, 12, 17]), np.array([[0, 8], [9, 17]]))

    resources = GivenTerms(lambda term: 1.0, terms=cut)
    metric = TextPreservedInformation(ic="uniform", chunking="spacy:x", term_alterning="sentence")
    rows_of(metric, [Document("d", "Mrs Inc. Oslo left")], {"d": []}, resources)
    assert [one.text for one in resources.asked] == ["Mrs Inc.", "Mrs Inc. Oslo lef", "Oslo lef"]
    assert [one.text[one.start[0] : one.end[0]] for one in resources.asked] == ["Mrs", "Inc. Osl", " lef"]


# --- TPS --------------------------------------------------------------------------------------------------------------

NEAR = {("Doe", "PERSON"): 0.25, ("Oslo", "a city"): 0.75, ("Doe of Oslo", "X"): 0.5, ("Mr Doe", "Y"): 2.0,
        ("Oslo left", "Z"): -0.5, ("Doe of", "U"): 0.1, ("of Oslo", "V"): 0.3}  # fmt: skip


@pytest.mark.parametrize(
    ("masks", "kept"),
    [
        ([], 18.0),
        ([Mask(3, 6, "PERSON")], 10 + 8 * 0.25),
        ([Mask(3, 6)], 10.0),  # suppressed
        ([Mask(3, 6, " ")], 10.0),  # as good as suppressed
        ([Mask(3, 6, "PERSON"), Mask(10, 14, "a city")], 4 + 8 * 0.25 + 6 * 0.75),
        ([Mask(3, 6, None), Mask(10, 14, "a city")], 4 + 6 * 0.75),  # a null beside a replacement
        ([Mask(3, 14, "X")], 3.5 + 14.5 * 0.5),  # every term under one replacement, also strictly inside
        ([Mask(0, 6, "Y")], 18.0),  # a cosine above 1 counts as 1
        ([Mask(10, 19, "Z")], 9.5),  # one below 0 as 0; up to the end of the text
        # Overlapping masks are one mask with the longest one's replacement, of equals the first's.
        ([Mask(3, 9, "U"), Mask(7, 14, "V")], 3.5 + 14.5 * 0.9),
        ([Mask(3, 14, "X"), Mask(4, 5, "Q")], 3.5 + 14.5 * 0.5),
    ],
)
def test_TPS_by_hand(masks: list[Mask], kept: float) -> None:  # noqa: N802
    near = {**NEAR, ("Doe of Oslo", "V"): 0.9}
    for order in (masks, masks[::-1]):
        found = value_of(TPS, ONE, {"d": order}, Given(ICS, near))
        assert found == {HEADLINE: pytest.approx(kept / 18)}


def test_a_term_between_two_masks_takes_the_last_replacement() -> None:
    near = {("D", "A"): 0.5, ("e", "B"): 0.25, ("o", "C"): 0.125}
    for masks, share in (
        ([Mask(3, 4, "A"), Mask(5, 6, "B")], 0.25),
        ([Mask(5, 6, "B"), Mask(3, 4, "A")], 0.25),
        ([Mask(3, 4, "A"), Mask(5, 6)], 0.5),  # the last replacement, not the last mask
        ([Mask(3, 4), Mask(4, 5, "C"), Mask(5, 6)], 0.125),
    ):
        found = value_of(TPS, ONE, {"d": masks}, Given(ICS, near))
        assert found[HEADLINE] == pytest.approx((10 + 8 * share) / 18)


def test_TPI_and_TPS_share_one_computation() -> None:  # noqa: N802
    resources = Given(ICS, NEAR)
    chunk = Chunk(Corpus(ONE), resources)
    for masks in ([Mask(3, 6)], [Mask(3, 6, "PERSON")]):
        for metric in (TPI, TPS, TPI):
            chunk.rows(metric, Anonymization({"d": masks}))
    assert len(resources.asked) == 1


# --- weighted precision -----------------------------------------------------------------------------------------------

GOLD = (
    Annotation("a", (Mention(0, 6, "PERSON", "DIRECT", "e1"), Mention(10, 14, "LOC", "QUASI", "e2"))),
    Annotation("b", (Mention(3, 6, "PERSON", "DIRECT", "e1"), Mention(10, 14, "LOC", "NO_MASK", "e2"))),
)


def test_WP_by_hand() -> None:  # noqa: N802
    document = Document("d", TEXT, GOLD)
    masks = {"d": [Mask(10, 19, "X"), Mask(0, 6)]}
    # Mr 1: one of two annotators; Doe 8: both; Oslo 6: one; left 2.5: none. (1·1 + 2·8 + 1·6) / (2 · 17.5)
    metric = WeightedPrecision(ic="uniform")
    assert value_of(metric, [document], masks, Given(ICS))[HEADLINE] == pytest.approx(23 / 35)
    # Whole masks: (Mr Doe: annotator a) and (Oslo left: nobody), weighted 3 and 5.
    metric = WeightedPrecision(ic="uniform", unit="mention")
    weights = {"Mr Doe": 3.0, "Oslo left": 5.0}
    assert value_of(metric, [document], masks, Given(weights))[HEADLINE] == pytest.approx(3 / 16)


def test_all_masked_tokens_are_asked_at_once_and_nobody_else() -> None:
    documents = [Document("d", TEXT, GOLD), Document("none", TEXT), Document("clear", TEXT, GOLD)]
    masks = {"d": [Mask(10, 14), Mask(0, 6), Mask(3, 9)], "none": [Mask(0, 2)], "clear": []}
    resources = Given(ICS)
    rows = rows_of(WeightedPrecision(ic="uniform"), documents, masks, resources)
    (asked,) = resources.asked  # neither of the document without annotators nor of the one without masks
    assert [asked.text[a:b] for a, b in zip(asked.start, asked.end, strict=True)] == ["Mr", "Doe", "of", "Oslo"]
    assert asked.turn.tolist() == [0, 0, 0, 0]
    assert rows == {"agreed": [1 + 16 + 0 + 6, 0, 0], "asked": [31, 0, 0]}


def test_WP_is_undefined_where_nothing_was_masked() -> None:  # noqa: N802
    run = evaluate(Corpus([Document("d", TEXT, GOLD)]), {"m": Anonymization({"d": []})}, ['wp(ic="uniform")'])
    assert run.scores[0].value is None
    assert run.scores[0].reason == "nothing that says anything was masked in an annotated document"


# --- against a slow way of counting -----------------------------------------------------------------------------------

WORDS = ["Mr", "Ole", "of", "Oslo", "the", "1996", "東京", "x-ray", "naïve", ".", "🙂"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Document], dict[str, list[Mask]]]:
    documents, masks = [], {}
    for number in range(draw(st.integers(1, 3))):
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=10)))
        spans = st.integers(0, len(text) - 1).flatmap(lambda a: st.tuples(st.just(a), st.integers(a + 1, len(text))))  # noqa: B023
        layers = []
        for annotator in range(draw(st.integers(1, 2))):
            mentions = [Mention(*span, "X", "QUASI") for span in draw(st.lists(spans, max_size=4))]
            layers.append(Annotation(f"a{annotator}", tuple(mentions)))
        documents.append(Document(f"d{number}", text, tuple(layers)))
        replacement = st.sampled_from([None, "", "X", "Oslo", "a place", "MR"])
        masks[f"d{number}"] = [Mask(*span, draw(replacement)) for span in draw(st.lists(spans, max_size=5))]
    return documents, masks


def slow_tokens(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for place, letter in enumerate(text):
        if not (letter.isalnum() or letter == "_"):
            continue
        joins = found and found[-1][1] == place and letter not in "東京" and text[place - 1] not in "東京"
        found[-1:] = [(found[-1][0], place + 1)] if joins else [*found[-1:], (place, place + 1)]
    return found


def slow_share(document: Document, masks: list[Mask], similar: Callable[[str, str], float] | None) -> float | None:
    """The share of one document: every term against every character of every mask."""
    groups: list[tuple[set[int], list[Mask]]] = []
    # Of two masks of one span the one that leaves nothing comes first, then the alphabet.
    ordered = sorted(masks, key=lambda mask: "" if mask.replacement is None else f"\0{mask.replacement}")
    for mask in sorted(ordered, key=lambda mask: (mask.start, -mask.end)):
        letters, members = set(range(mask.start, mask.end)), [mask]
        for group in [group for group in groups if group[0] & letters]:
            groups.remove(group)
            letters, members = letters | group[0], group[1] + members
        groups.append((letters, members))
    total = kept = 0.0
    for start, end in slow_tokens(document.text):
        weight = float(len(document.text[start:end]) + 1)
        total += weight
        over = [group for group in groups if group[0] & set(range(start, end))]
        share = 0.0 if over else 1.0
        for letters, members in sorted(over, key=lambda group: min(group[0])):
            longest = max(members, key=lambda mask: (mask.end - mask.start, -members.index(mask)))
            if similar and (longest.replacement or "").strip():
                original = document.text[min(letters) : max(letters) + 1]
                share = min(1.0, max(0.0, similar(original, longest.replacement or "")))
        kept += weight * share
    return kept / total if total else None


@settings(max_examples=150)
@given(cases())
def test_TPI_and_TPS_as_the_slow_one(case: tuple[list[Document], dict[str, list[Mask]]]) -> None:  # noqa: N802
    documents, masks = case

    def similar(one: str, two: str) -> float:
        return (len(one) * 7 + len(two) * 3) % 13 / 10 - 0.1  # from −0.1 to 1.1, without rhyme or reason

    class Both(Given):
        def cosines(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
            return [np.array([similar(*pair) for pair in group]) for group in groups]

    resources = Both(lambda term: float(len(term) + 1))
    for metric, near in ((TPI, None), (TPS, similar)):
        rows = rows_of(metric, documents, masks, resources)
        expected = [slow_share(document, masks[document.id], near) for document in documents]
        assert rows["preserved"] == pytest.approx([share or 0.0 for share in expected], abs=1e-9)
        assert rows["preserved_documents"] == [float(share is not None) for share in expected]


@settings(max_examples=60)
@given(cases())
def test_uniform_weights_make_WP_precision(case: tuple[list[Document], dict[str, list[Mask]]]) -> None:  # noqa: N802
    documents, masks = case
    for unit in ("token", "mention"):
        plain = rows_of(Precision(unit=unit), documents, masks, Resources())  # type: ignore[arg-type]
        weighted = rows_of(WeightedPrecision(ic="uniform", unit=unit), documents, masks, Resources())  # type: ignore[arg-type]
        assert weighted == plain


@pytest.mark.parametrize("others", [(None, "Oslo"), ("Bergen", "Oslo"), ("", "Oslo"), (None, "")])
def test_two_masks_of_one_span_in_any_order(others: tuple[str | None, str | None]) -> None:
    """They have one digest, so they have one number and give one text."""
    masks = [Mask(0, 4, replacement) for replacement in others]
    corpus = Corpus([Document("d", "Oslo is a town")])
    metric = 'tps(ic="uniform", similarity="ngrams")'
    one, two = (Anonymization({"d": order}) for order in (masks, masks[::-1]))
    assert one.digest == two.digest
    assert apply_masks("Oslo is a town", masks) == apply_masks("Oslo is a town", masks[::-1])
    found = [evaluate(corpus, {"a": each}, [metric], resamples=0)["a", metric].value for each in (one, two)]
    assert found == [0.75, 0.75]  # of four terms three stand there


@settings(max_examples=60)
@given(cases())
def test_replacing_never_keeps_less_than_suppressing(case: tuple[list[Document], dict[str, list[Mask]]]) -> None:
    documents, masks = case
    replaced = value_of(TPS, documents, masks, Resources())[HEADLINE]
    kept = value_of(TPI, documents, masks, Resources())[HEADLINE]
    assert replaced >= kept - 1e-12 or np.isnan(kept)
    bare = {key: [Mask(mask.start, mask.end) for mask in found] for key, found in masks.items()}
    suppressed = value_of(TPS, documents, bare, Resources())[HEADLINE]
    assert suppressed == pytest.approx(kept, nan_ok=True)


# --- what they are called ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'tpi(ic="hf:google-bert/bert-base-uncased", term_alterning=4)',
        'tpi(term_alterning="sentence")',
        'tpi(ic="wordfreq:es", chunking="spacy-tokens:es_core_news_sm")',
        'tps(ic="./models/bert", similarity="/models/albert")',
        'wp(ic="uniform", segment_length=50, segment_overlap=10, special_tokens="segment", attend_hidden=True)',
    ],
)
def test_text_forms(text: str) -> None:
    metric = parse_metric(text)
    assert isinstance(metric, InformationMetric)
    assert parse_metric(metric_text(metric)) == metric


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'tpi(ic="bert")',
            "ic='bert' is not known; expected wordfreq, uniform, corpus, wordfreq:<language>, hf:<name>, causal:<name>",
        ),
        ('tpi(chunking="words")', "chunking='words' is not known; expected none, auto, spacy:<name>"),
        ('tps(similarity="cosine")', "similarity='cosine' is not known; expected ngrams, st:<name>"),
        ("tpi(term_alterning=1)", 'expected a whole number above 1, at most 1,000,000, or "sentence"'),
        ('tpi(term_alterning="word")', 'expected a whole number above 1, at most 1,000,000, or "sentence"'),
        ("tpi(term_alterning=True)", "found True"),
        ("tpi(term_alterning=1.5)", "found 1.5"),
        ('tpi(term_alterning="sentence", chunking="none")', "needs a source of sentences"),
        ("tpi(segment_length=0)", "expected 1 to 1,000,000"),
        ("tpi(segment_overlap=100)", "expected 0 to segment_length − 1"),
        ('wp(unit="entity")', "unit='entity' is not known"),
        ('wp(special_tokens="all")', "special_tokens='all' is not known"),
    ],
)
def test_parameters_that_are_not_there(text: str, says: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_metric(text)
    assert says in str(caught.value)


def test_defaults_are_the_literatures_whatever_is_installed() -> None:
    assert METRICS["wp"].models == {"ic": "hf:google-bert/bert-base-uncased"}
    assert METRICS["tpi"].models == {"ic": "hf:google-bert/bert-base-uncased", "chunking": "spacy:en_core_web_md"}
    assert METRICS["tps"].models == {**METRICS["tpi"].models, "similarity": "st:paraphrase-albert-base-v2"}


def test_without_a_model_there_is_none_at_all() -> None:
    """`tpi(ic="wordfreq")` asks for no pipeline either, and its signature says what terms are."""
    assert parse_metric('tpi(ic="wordfreq")').models == {}
    assert [name for name in preset("light") if parse_metric(name).models] == []
    run = evaluate(Corpus(ONE), {"m": Anonymization({"d": [Mask(3, 6)]})}, ['tpi(ic="wordfreq")', 'tpi(ic="uniform")'])
    assert not run.failures
    assert "|ic:wordfreq|" in run.scores[0].signature
    assert "|terms:none|" in run.scores[0].signature
    assert run["m", 'tpi(ic="uniform")'].value == 4 / 5
    # Doe is rarer than most: more than a fifth of the information goes.
    assert (run["m", 'tpi(ic="wordfreq")'].value or 1) < 4 / 5


def test_missing_models_are_named_before_any_work_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    masks = {"m": Anonymization({"d": [Mask(3, 6)]})}
    with pytest.raises(InputError) as refused:
        evaluate(Corpus([Document("d", TEXT, GOLD)]), masks, ["wp", "precision", "nmi"], references=False)
    wp, nmi = str(refused.value).splitlines()
    assert (wp.partition(":")[0], nmi.partition(":")[0]) == ("metric wp", "metric nmi")
    for way_out in ("pip install 'showthrough[models]'", 'ic="/path/to/it"', 'ic="wordfreq"'):
        assert way_out in wp
    assert 'embedding="lsa"' in nmi


def test_a_multiplier_ranks_nobody() -> None:
    """It describes: its column has no arrow and no best, unlike TPI's own."""
    corpus = Corpus([Document("d", "Mr Doe of Oslo left")])
    masks = {"few": Anonymization({"d": [Mask(3, 6)]}), "more": Anonymization({"d": [Mask(7, 14)]})}
    main, parts = tables(evaluate(corpus, masks, metrics=['tpi(ic="wordfreq")'], resamples=0, references=False))
    assert [(column.arrow, [cell.best for cell in column.cells]) for column in main.columns] == [("↑", [True, False])]
    assert [(column.head, column.arrow) for column in parts.columns] == [("ic_multiplier", "")]
    assert not any(cell.best for cell in parts.columns[0].cells)


def test_a_language_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(word: str, language: str) -> float:
        raise ModuleNotFoundError("MeCab")

    monkeypatch.setattr("wordfreq.word_frequency", cannot)
    corpus = Corpus([Document("d", "大阪")])
    run = evaluate(corpus, {"m": Anonymization({"d": []})}, metrics=['tpi(ic="wordfreq:ja")'])
    assert 'pip install "wordfreq[cjk]"' in run.failures[0].reason


COUNTED = Corpus([Document("a", "Ann met Bob"), Document("b", "Bob left"), Document("c", "...")])


def test_words_of_the_corpus_weigh_by_the_other_documents() -> None:
    """Of 4 different words, ann, met, bob and left; a document counts for nothing itself."""
    masks = {"m": Anonymization({"a": [Mask(0, 3)], "b": [Mask(0, 3)], "c": []})}
    text = 'tpi(ic="corpus")'
    run = evaluate(COUNTED, masks, [text])
    # In a: b has 2 words, so ann and met are 1/(2+4) and bob, once there, 2/6. In b: a has 3, so bob is 2/7, left 1/7.
    ann = met = -np.log(1 / 6)
    in_a, in_b, left = -np.log(2 / 6), -np.log(2 / 7), -np.log(1 / 7)
    first, second = (met + in_a) / (ann + met + in_a), left / (in_b + left)
    assert run["m", text].value == pytest.approx((first + second) / 2)  # c says nothing


def test_weights_of_the_corpus_do_not_hang_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from showthrough.data import documents

    masks = {"m": Anonymization({"a": [Mask(0, 3)], "b": [Mask(0, 3)], "c": []})}
    text = 'tpi(ic="corpus")'
    whole = evaluate(COUNTED, masks, [text])["m", text].value
    monkeypatch.setattr(documents, "CHUNK_CHARACTERS", 4)
    assert evaluate(COUNTED, masks, [text])["m", text].value == whole


def test_masked_words_weigh_by_the_other_documents() -> None:
    gold = (Annotation("x", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    corpus = Corpus([Document("a", "Ann met Bob", gold), Document("b", "Bob left")])
    text = 'wp(ic="corpus")'
    run = evaluate(corpus, {"m": Anonymization({"a": [Mask(0, 3), Mask(8, 11)], "b": []})}, [text])
    ann, bob = -np.log(1 / 6), -np.log(2 / 6)
    assert run["m", text].value == pytest.approx(ann / (ann + bob))


def test_sentences_change_nothing_where_words_are_counted() -> None:
    with pytest.raises(PlanError, match=r'changes nothing with ic="corpus"; expected a number of rounds'):
        parse_metric('tpi(ic="corpus", chunking="spacy:en_core_web_sm", term_alterning="sentence")')
