"""What is said of chance, for all parts of all metrics that need no model: from the same rows that a user's run has."""

from __future__ import annotations

import numpy as np
import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Authorship,
    Background,
    Corpus,
    Document,
    Mention,
    Run,
    TypedMask,
    evaluate,
    parse_metric,
)
from showthrough.data.subjects import Attribute, Subject
from showthrough.statistics import forms, influences, same

METRICS = [
    *("er_di", "er_qi", "er", "recall", "precision", "f1", "f2", "recall_per_type", 'wp(ic="wordfreq")'),
    *('tpi(ic="wordfreq", chunking="none")', 'tps(ic="wordfreq", chunking="none", similarity="ngrams")'),
    *("phi_token", "phi_instance", "phi_strict", "phi_span", "phi_merged", "phi_leak", 'nmi(embedding="lsa")'),
    *("residual", "inconsistent", "disagreement", "trir", "trir(attacks=\"lexical, dense(embedding='lsa')\")"),
    *('safety(verifier="one, two")', "cpr", "ipr"),
]
WORDS = [
    "ash",
    "birch",
    "cedar",
    "elm",
    "fir",
    "hazel",
    "larch",
    "maple",
    "oak",
    "pine",
    "rowan",
    "spruce",
    "teak",
    "willow",
    "yew",
]


def run_of(**shares: float) -> Run:
    """40 documents of four names and a year; a system masks so large a share of them, wrong words now and then."""
    random = np.random.default_rng(5)
    documents, background, masks = [], {}, {name: {} for name in shares}
    answers = {verifier: {name: {} for name in ("original", *shares)} for verifier in ("one", "two")}
    for number in range(40):
        own = [str(word) for word in random.choice(WORDS, 4)]
        text = " ".join(f"{word.title()} met {1900 + number} friends." for word in own)
        places = [text.index(word.title()) for word in own]
        marks = [
            Mention(place, place + len(word), ("PERSON", "ORG", "LOC", "CODE")[at], ("DIRECT", "QUASI")[at % 2])
            for at, (place, word) in enumerate(zip(places, own, strict=True))
        ]
        key = f"d{number:02}"
        question = Authorship(("Ash, oak.",), number % 3 > 0)
        people = tuple(
            Subject(word, (Attribute("NAME", word, 5, 1), Attribute("AGE", str(number), 3)))
            for word in dict.fromkeys(own)
        )
        documents.append(Document(key, text, (Annotation("a", tuple(marks)),), authorship=question, subjects=people))
        for by_name in answers.values():
            for name in by_name:
                told = random.choice(
                    [0.5, 0.1, 0.9], p=[0.1, 0.6 * shares.get(name, 0), 0.9 - 0.6 * shares.get(name, 0)]
                )
                by_name[name][key] = float(told if question.same else 1 - told)
        background[key] = " ".join(own) + f" {1900 + number}"
        for place, (name, share) in enumerate(shares.items()):
            choice = np.random.default_rng([number, place])
            kept = [TypedMask(one.start, one.end, None, one.entity_type) for one in marks if choice.random() < share]
            extra = [TypedMask(len(text) - 8, len(text) - 1, None, "LOC")] if choice.random() < 0.3 else []
            masks[name][key] = kept + extra
    systems = {name: Anonymization(found) for name, found in masks.items()}
    known = {"background": Background(background), "answers": answers}
    return evaluate(Corpus(documents), systems, METRICS, resamples=100, **known)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run() -> Run:
    return run_of(low=0.5, high=0.9, whole=1.0)


@pytest.mark.parametrize("text", METRICS)
def test_forms_give_the_values_that_metrics_give(run: Run, text: str) -> None:
    text = next(record.text for record in run.metrics if parse_metric(record.text) == parse_metric(text))
    metric = parse_metric(text)
    for name in run.names:
        rows = run.units(run.rows_of(text, name))
        values = metric.combine(rows.totals())
        parts = [part for part in values if not metric.interval_fault(part)]
        for form in forms(metric.combine, rows.columns, parts):
            found = influences(form, form.sums(rows.values)).values
            assert all(same(float(one), float(values[part])) for part, one in zip(form.parts, found, strict=True))


def test_every_interval_contains_its_value_and_every_other_says_why_not(run: Run) -> None:
    for score in run.scores:
        if score.anonymization in run.names and score.value is not None:
            if score.low is None or score.high is None:
                assert score.note, (score.metric, score.part)
            else:
                assert score.low <= score.value <= score.high, (score.metric, score.part)
                assert not score.note


def test_what_is_found_to_differ_has_an_interval_without_0(run: Run) -> None:
    found = [one for one in run.compare(shuffles=199) if one.p is not None and one.p <= 0.05]
    assert len(found) > 20
    for one in found:
        assert one.low is not None
        assert one.high is not None
        assert one.low > 0 or one.high < 0, one
        assert one.low >= -1 or one.part or one.metric in ("phi_leak", "residual")


def test_the_same_system_twice_never_differs() -> None:
    run = run_of(one=0.7)
    both = evaluate(
        Corpus(run.texts.documents),  # type: ignore[union-attr]
        {name: run.texts.anonymization("one") for name in ("one", "two")},  # type: ignore[union-attr]
        [text for text in METRICS if not text.startswith(("trir", "safety"))],
        resamples=50,
    )
    for one in both.compare(shuffles=49):
        assert one.p in (None, 1.0), one
        assert one.p == 1.0 or one.note or one.difference is None, one


def test_the_largest_of_several_numbers_hangs_on_all_of_them() -> None:
    def combine(totals: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"": np.fmax(totals["a"] / totals["n"], totals["b"] / totals["n"])}

    (form,) = forms(combine, ["a", "b", "n"], [""])  # type: ignore[arg-type]
    for totals in ([[3.0, 1.0, 4.0]], [[1.0, 3.0, 4.0]]):
        assert form.at(form.sums(np.array(totals)))[0].item() == 0.75
