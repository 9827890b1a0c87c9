"""What must hold for every metric in the table, whatever it measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import METRICS, Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate, parse_metric
from showthrough.metrics import Metric, metric_text, preset

WORDS = ["Mr", "Ole", "Berg", "of", "Oslo", "nurse", "1996", "the", "東京", "Ünal", "no.", "x-ray", "🙂"]
WRITTEN = [None, "X", "a nurse of OSLO", "Ole Berg", "東 1996", "mr"]
GOLD = [name for name, metric in METRICS.items() if metric.needs == frozenset({"gold"}) and not metric.models]
MASKING = [name for name in GOLD if type(METRICS[name]).__module__.endswith(".masking.recall")]
# Those that ask a model by default, with a source that needs none.
SURROGATES = ("fidelity", 'fidelity(within="corpus")')
MODEL_FREE = [text for text in (*preset("light"), "inconsistent", "disagreement", *SURROGATES) if text not in GOLD]
WHOLE = [text for text in MODEL_FREE if parse_metric(text).scope == "corpus"]
RECALL = [name for name in MASKING if METRICS[name].group == "privacy"]


@st.composite
def spans(draw: st.DrawFn, length: int) -> tuple[int, int]:
    start = draw(st.integers(0, length - 1))
    return start, draw(st.integers(start + 1, min(length, start + 12)))


@st.composite
def documents(draw: st.DrawFn, name: str) -> Document:
    text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)))
    layers = []
    for annotator in range(draw(st.integers(1, 3))):
        mentions = []
        for start, end in draw(st.lists(spans(len(text)), max_size=5)):
            identifier = draw(st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]))
            kind, entity = draw(st.sampled_from(["PERSON", "LOC"])), draw(st.sampled_from(["", "e1", "e2"]))
            mentions.append(Mention(start, end, kind, identifier, entity))
        layers.append(Annotation(f"a{annotator}", tuple(mentions)))
    return Document(name, text, tuple(layers))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Corpus, Anonymization]:
    found = [draw(documents(f"d{number}")) for number in range(draw(st.integers(1, 4)))]
    masks = {
        document.id: [
            Mask(*span, draw(st.sampled_from(WRITTEN)))
            for span in draw(st.lists(spans(len(document.text)), max_size=6))
        ]
        for document in found
    }
    # Marks anywhere may look as if they counted something else; here they insist.
    return Corpus(found, offsets="characters"), Anonymization(masks, offsets="characters")


def values(
    corpus: Corpus, masked: Anonymization, metrics: list[Metric] | list[str]
) -> dict[tuple[str, str], float | None]:
    run = evaluate(corpus, {"a": masked}, metrics=metrics, resamples=0, references=False)
    return {(score.metric, score.part): score.value for score in run.scores}


@settings(max_examples=25)
@given(cases(), st.randoms(use_true_random=False))
def test_order_of_documents_annotators_and_masks_does_not_matter(
    case: tuple[Corpus, Anonymization], random: object
) -> None:
    corpus, masked = case
    found = list(corpus)
    random.shuffle(found)  # type: ignore[attr-defined]
    turned = [Document(one.id, one.text, one.annotations[::-1]) for one in found]
    shuffled = Anonymization(
        {key: masked.masks[key][::-1] for key in reversed(list(masked.masks))}, offsets="characters"
    )
    again = values(Corpus(turned, offsets="characters"), shuffled, GOLD + MODEL_FREE)
    for key, value in values(corpus, masked, GOLD + MODEL_FREE).items():
        assert again.get(key) == pytest.approx(value), key
    assert Corpus(found).digest == corpus.digest
    assert shuffled.digest == masked.digest


@settings(max_examples=25)
@given(cases())
def test_values_are_shares(case: tuple[Corpus, Anonymization]) -> None:
    for key, value in values(*case, MASKING + MODEL_FREE).items():
        # What is adjusted for chance may be worse than chance.
        least = -1 if key[1] == "ami" else 0
        assert value is None or least <= value <= 1 or key[1] in ("ic_multiplier", "k"), key


@settings(max_examples=25)
@given(cases())
def test_masking_everything_hides_everything(case: tuple[Corpus, Anonymization]) -> None:
    corpus, _ = case
    full = Anonymization({document.id: [Mask(0, len(document.text))] for document in corpus})
    for (metric, part), value in values(corpus, full, RECALL).items():
        assert value in (None, 1.0), (metric, part)


def trusting(metrics: list[str]) -> list[Metric]:
    return [replace(METRICS[name], replacements="trusted") for name in metrics]  # type: ignore[call-arg]


@settings(max_examples=25)
@given(cases(), st.data())
def test_masking_more_never_lowers_recall(case: tuple[Corpus, Anonymization], data: st.DataObject) -> None:
    corpus, masked = case
    one = data.draw(st.sampled_from(list(corpus)))
    extra = Mask(*data.draw(spans(len(one.text))))
    more = Anonymization({**masked.masks, one.id: [*masked.masks[one.id], extra]}, offsets="characters")
    # A mask that joins two others can bring the words of one under the replacement of the other.
    joins = any(mask.start < extra.end and extra.start < mask.end for mask in masked.masks[one.id])
    metrics = trusting(RECALL) if joins else [METRICS[name] for name in RECALL]
    before, after = values(corpus, masked, metrics), values(corpus, more, metrics)
    for key, value in before.items():
        assert value is None or after[key] >= value, key  # type: ignore[operator]


@settings(max_examples=25)
@given(cases(), st.data())
def test_writing_nothing_instead_never_lowers_recall(case: tuple[Corpus, Anonymization], data: st.DataObject) -> None:
    corpus, masked = case
    silent = Anonymization(
        offsets="characters",
        masks={
            key: [Mask(mask.start, mask.end, data.draw(st.sampled_from([None, mask.replacement]))) for mask in masks]
            for key, masks in masked.masks.items()
        },
    )
    before, after = values(corpus, masked, RECALL), values(corpus, silent, RECALL)
    for key, value in before.items():
        assert value is None or after[key] >= value, key  # type: ignore[operator]


@settings(max_examples=25)
@given(cases())
def test_to_trust_replacements_never_lowers_recall(case: tuple[Corpus, Anonymization]) -> None:
    read, trusted = (list(values(*case, metrics).values()) for metrics in (RECALL, trusting(RECALL)))
    assert all(value is None or value <= more for value, more in zip(read, trusted, strict=True))  # type: ignore[operator]


@settings(max_examples=25)
@given(cases())
def test_rows_add_up_however_the_corpus_is_cut(case: tuple[Corpus, Anonymization]) -> None:
    corpus, masked = case
    metrics = [text for text in [*GOLD, *MODEL_FREE, "residual"] if text not in WHOLE]
    whole = evaluate(corpus, {"a": masked}, metrics=metrics, resamples=0)
    for place, document in enumerate(corpus):
        alone = evaluate(
            Corpus([document], offsets="characters"), {"a": masked.part([document.id])}, metrics=metrics, resamples=0
        )
        for metric, rows in alone.rows.items():
            for column, found in rows["a"].items():
                assert whole.rows[metric]["a"][column][place] == found[0], (metric, column)


@pytest.mark.parametrize("name", METRICS)
def test_text_form_is_the_identity(name: str) -> None:
    metric = METRICS[name]
    assert parse_metric(metric_text(metric)) == metric
    assert metric_text(metric) == name


def test_text_form_survives_changed_parameters() -> None:
    changed = replace(METRICS["recall"], unit="mention", function_words='spacy:a "quoted" \\ path')  # type: ignore[call-arg]
    assert parse_metric(metric_text(changed)) == changed


def test_text_form_is_one_line_that_can_be_read_back() -> None:
    changed = replace(METRICS["phi_token"], map="A=B\x1b[31m,C=D\nE")  # type: ignore[call-arg]
    assert metric_text(changed).isprintable()
    assert parse_metric(metric_text(changed)) == changed


@pytest.mark.parametrize("name", GOLD)
def test_combine_works_on_many_totals_at_once(name: str) -> None:
    """The number and its resamples come from the same code: a stack of totals gives a stack of values."""
    marks = (Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(4, 8, "LOC", "QUASI", "f"))
    corpus = Corpus([Document("d", "Ole Oslo", (Annotation("a", marks),))])
    metric = METRICS[name]
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(0, 3)]})}, metrics=[metric], resamples=0)
    rows = run.rows_of(name, "a")
    once = metric.combine(rows.totals())
    stacked = metric.combine({column: np.stack([total, total]) for column, total in rows.totals().items()})
    for part, value in once.items():
        assert stacked[part].shape == (2,)
        assert np.allclose(stacked[part], value, equal_nan=True)
