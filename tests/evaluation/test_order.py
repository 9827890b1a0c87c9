"""The order of documents is nobody's choice: the digest does not see it, so no digit of a result may."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from showthrough import (
    METRICS,
    Annotation,
    Anonymization,
    Background,
    Corpus,
    Document,
    Mask,
    Mention,
    PhiToken,
    Run,
    TypedMask,
    evaluate,
    read_anonymization,
    read_background,
    read_corpus,
)
from showthrough.cli import demo_corpus as demo
from showthrough.data.authorship import Rating, Ratings
from showthrough.data.documents import Authorship
from showthrough.data.statements import GONE, KEPT, Statement, Statements
from showthrough.data.subjects import Attribute, Subject
from showthrough.families.authorship.known_words import Perplexity
from showthrough.families.authorship.soundness import Soundness
from showthrough.families.reidentification.linkability import Linkability
from showthrough.metrics import metric_text, parse_metric, preset
from showthrough.statistics import forms
from showthrough.statistics.forms import Smooth

JUDGED = {
    name: type(metric)
    for name, metric in METRICS.items()
    if metric.parameters.get("judge") == "" and name != "fidelity"  # which judges by rules, too
}
OTHERS = ("trir", "safety", "linkability", "task", *JUDGED)  # linkability needs documents of one person
MODEL_FREE = [
    *(name for name, metric in METRICS.items() if not metric.models and name not in OTHERS),
    *(text for text in preset("light") if text not in METRICS and not text.startswith("nmi")),
    'nmi(embedding="lsa", n_tries=3, n_clusterings=2)',
    'trir(attacks="lexical,lexical+assignment")',
    'safety(verifier="answers")',
    'task(label="id:.$", folds=2)',
]
SYSTEMS = ("rules", "ner", "replace")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The demo, every second document by somebody else than the one before it; each about the first that is marked."""
    documents = list(read_corpus(demo.corpus_path()))
    made = []
    for number, one in enumerate(documents):
        asking = Authorship((documents[number - 1].text,), number % 2 == 0)
        first = one.annotations[0].mentions[0]
        about = Subject("0", (Attribute("NAME", one.text[first.start : first.end]), Attribute("SEX", "male")))
        made.append(replace(one, authorship=asking, subjects=(about,)))
    return Corpus(made, "demo")


@pytest.fixture(scope="module")
def anonymizations(corpus: Corpus) -> dict[str, Anonymization]:
    """Three systems, whose masks say the type that the first annotator gave what they touch."""
    found = {}
    for name in SYSTEMS:
        read = read_anonymization(demo.anonymization_paths()[name], corpus)
        found[name] = Anonymization({document.id: typed(document, read) for document in corpus})
    return found


def typed(document: Document, read: Anonymization) -> list[TypedMask]:
    mentions = document.annotations[0].mentions
    return [
        TypedMask(
            mask.start,
            mask.end,
            mask.replacement,
            next((one.entity_type for one in mentions if one.start < mask.end and mask.start < one.end), "MISC"),
        )
        for mask in read.of(document.id)
    ]


def result(corpus: Corpus, masked: dict[str, Anonymization], background: Background, order: list[int]) -> Run:
    found = Corpus([corpus.documents[number] for number in order], corpus.name)
    shuffled = {
        name: Anonymization({document.id: one.masks[document.id] for document in found}) for name, one in masked.items()
    }
    answers = {name: {key: Random(f"{name} {key}").random() for key in found.ids} for name in ("original", *SYSTEMS)}
    said = [
        Rating(
            document=key, anonymization=name, item="1", rater=rater, value=Random(f"{name} {key} {rater}").randint(0, 2)
        )
        for key in sorted(found.ids)[::2]
        for name in SYSTEMS
        for rater in ("r1", "r2")
    ]
    stated = Statements(
        Statement(document=document.id, text=" ".join(document.text.split()[start : start + 2]), must=must)
        for document in corpus
        for start, must in ((0, GONE), (2, KEPT))
    )
    known = {
        "background": background,
        "answers": answers,
        "ratings": Ratings(said),
        "statements": stated,
        "policy": "tab",
    }
    return evaluate(found, shuffled, MODEL_FREE, resamples=200, texts=False, **known)


def test_all_metrics_without_a_model_are_here() -> None:
    kinds = {type(parse_metric(text)) for text in MODEL_FREE}
    # These ask a model, WordNet or a judge, whatever the parameters.
    assert kinds == {type(metric) for metric in METRICS.values()} - {
        Linkability, Perplexity, Soundness, *JUDGED.values()
    }  # fmt: skip


def test_reordered_documents_change_no_digit(corpus: Corpus, anonymizations: dict[str, Anonymization]) -> None:
    background = read_background(demo.background_path())
    order = list(range(len(corpus)))
    first = result(corpus, anonymizations, background, order)
    Random(3).shuffle(order)
    other = result(corpus, anonymizations, background, order)
    assert first.corpus == other.corpus
    assert first.failures == other.failures == []
    assert {metric_text(parse_metric(text)) for text in MODEL_FREE} == set(first.rows)
    assert first.scores == other.scores
    assert first.compare(shuffles=200) == other.compare(shuffles=200)


def test_reordered_documents_of_a_group_change_no_digit() -> None:
    """Weights of words are no whole numbers: a sum's last digit depends on what is added first."""
    words = ["Oslo", "nurse", "Bergen", "judge", "cello", "Ole", "fjord", "ballot", "ferry"]
    documents = [
        Document(
            f"d{number}",
            f"{word} went home",
            (Annotation("a", (Mention(0, len(word), "LOC", "QUASI", "e"),)),),
            group=f"p{number % 2}",
        )
        for number, word in enumerate(words)
    ]
    masks = Anonymization({one.id: [Mask(0, len(one.text))] for one in documents})
    runs = [
        evaluate(Corpus(order), masks, ['wp(ic="wordfreq")'], resamples=50)
        for order in (documents, documents[::-1], documents[3:] + documents[:3])
    ]
    assert runs[0].scores == runs[1].scores == runs[2].scores


def test_types_that_chunks_meet_in_another_order_change_no_digit() -> None:
    """The mean of 0.1, 0.2 and 0.3 is another one than that of 0.3, 0.2 and 0.1 in the last digit."""
    metric = PhiToken()
    found = []
    for kinds in ("ABC", "CBA"):
        totals = {name: np.array(30.0) for name in ("TP", "FP", "FN", "masks", "typed")}
        for kind in kinds:
            right = 1.0 + "ABC".index(kind)
            counts = {"TP": right, "FP": 10 - right, "FN": 10 - right}
            totals |= {f"{name}:{kind}": np.array(count) for name, count in counts.items()}
        (mean,) = forms(metric.combine, list(totals), ["macro F"])
        assert isinstance(mean, Smooth)
        used = [list(totals)[place] for place in mean.places]
        found.append((list(metric.combine(totals).items()), used))
    assert found[0] == found[1]


def test_ids_that_end_in_a_zero_byte_are_documents_of_their_own() -> None:
    """`a` and `a\\0` are two documents, although NumPy's text ends before a zero byte."""
    documents = [
        Document(name, f"Mr Doe{end}", (Annotation("a", (Mention(3, 6, "PERSON", "DIRECT", "e"),)),))
        for name, end in (("a", ""), ("a\0", "."))
    ]
    run = evaluate(Corpus(documents), Anonymization({"a": [Mask(3, 6)], "a\0": []}), ["er_di"], resamples=50)
    units = run.units(run.rows_of("er_di", run.names[0]))
    assert units.columns == ("hidden", "total", "leaked:PERSON")
    assert units.values.tolist() == [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
