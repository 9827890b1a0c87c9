"""Annotators as systems: by hand, and against evaluations in which the annotator really is the system."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from engines.pickling import Pickling
from showthrough import METRICS, Anonymization, InputError, Mask, Metric, Rows, Run, TypedMask, evaluate, read_corpus
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.evaluation import _annotator_scores, ceiling as module
from showthrough.evaluation.ceiling import ceiling, has_ceiling
from showthrough.metrics import parse_metric
from showthrough.models import Resources
from showthrough.run.records import Ceiling, Human
from showthrough.storage.columns import spill

TEXT = "Ole Berg of Oslo, born 1971"
OLE, OSLO, BORN = (
    Mention(0, 8, "PERSON", "DIRECT", "e1"),
    Mention(12, 16, "LOC", "QUASI", "e2"),
    Mention(23, 27, "DATE", "QUASI", "e3"),
)
_LETTERS = str.maketrans("0123456789", "ABCDEFGHIJ")
TRUSTED = [replace(OSLO, identifier="NO_MASK")]


def document(name: str, group: str = "", **layers: list[Mention]) -> Document:
    """Each is about somebody else, with a surname of four letters: documents about one person would be one unit."""
    surname = f"{name:x<4}".translate(_LETTERS)
    return Document(
        name,
        TEXT.replace("Berg", surname),
        tuple(Annotation(who, tuple(marks)) for who, marks in layers.items()),
        group,
    )


def values(found: dict[str, Human]) -> dict[str, float | None]:
    return {text: one.value for text, one in found.items()}


def as_systems(corpus: Corpus, annotator: str, metrics: list[str], **settings: Any) -> Run:
    """The evaluation that a ceiling stands for: the annotator's layer taken out, and scored.

    Documents belong together as they do in the whole corpus: what links two of them need not be shared.
    """
    units = corpus.units.labels or [""] * len(corpus)
    shared = [
        replace(one, group=unit)
        for one, unit in zip(corpus, units, strict=True)
        if annotator in one.readers and len(one.readers) > 1
    ]
    masks = {
        one.id: [
            TypedMask(mark.start, mark.end, None, mark.entity_type)
            for layer in one.annotations
            if layer.annotator == annotator
            for mark in layer.mentions
            if mark.identifier != "NO_MASK"
        ]
        for one in shared
    }
    others = [
        replace(one, annotations=tuple(a for a in one.annotations if a.annotator in {*one.readers} - {annotator}))
        for one in shared
    ]
    return evaluate(Corpus(others), {"person": Anonymization(masks)}, metrics, texts=False, **settings)


def same_as_evaluated(found: Ceiling, corpus: Corpus, metrics: list[str], **settings: Any) -> None:
    for annotator, reached in found.annotators.items():
        run = as_systems(corpus, annotator, metrics, **settings)
        for text, human in reached.items():
            score = run["person", text]
            ours, theirs = (human.value, human.low, human.high), (score.value, score.low, score.high)
            # A quantile near 0 is searched for together with others, and ends within that of itself.
            assert ours == pytest.approx(theirs, abs=1e-6), (annotator, text)
            assert human.reason == (score.reason or score.note)
            assert human.documents == len(run.documents)


def test_two_by_hand() -> None:
    corpus = Corpus([document("d1", ann=[OLE, OSLO], bob=[OLE, BORN]), document("d2", ann=[OLE], bob=[OLE, OSLO])])
    found = ceiling(corpus, ["er_di", "er_qi", "recall", "precision"])
    # Bob marked Ole twice, and 1971 and Oslo once: ann hides Ole in both, and neither of the others.
    # Of bob's tokens (Ole, Berg, 1971; Ole, Berg, Oslo) ann masks 4 of 6; of ann's own 5 bob marked 4.
    assert values(found.annotators["ann"]) == {"er_di": 1.0, "er_qi": 0.0, "recall": 4 / 6, "precision": 4 / 5}
    # The other way round: ann's one quasi-identifier, Oslo of d1, is readable; 4 of 5 tokens; of bob's 6 ann marked 4.
    assert values(found.annotators["bob"]) == {"er_di": 1.0, "er_qi": 0.0, "recall": 4 / 5, "precision": 4 / 6}
    # Summed: 4 of 4, 0 of 3, 8 of 11, 8 of 11.
    assert values(found.people) == {"er_di": 1.0, "er_qi": 0.0, "recall": 8 / 11, "precision": 8 / 11}
    assert (found.documents, found.readers, found.reason) == (2, 2, "")


def test_three_by_hand() -> None:
    corpus = Corpus([document("d", ann=[OLE, OSLO], bob=[OLE], cay=[OLE, OSLO])])
    found = ceiling(corpus, ["er_qi", "precision"])
    # Precision: each masked token against the two others. ann: Ole, Berg by both, Oslo by cay: 5 of 6.
    assert values(found.annotators["ann"]) == {"er_qi": 1.0, "precision": 5 / 6}
    assert values(found.annotators["bob"]) == {"er_qi": 0.0, "precision": 1.0}  # Oslo of ann and of cay is readable
    assert found.annotators["cay"] == found.annotators["ann"]
    assert values(found.people) == {"er_qi": 2 / 4, "precision": (5 + 4 + 5) / (6 + 4 + 6)}


def test_who_agrees_wholly_reaches_everything_and_nobody_is_sure_of_it() -> None:
    corpus = Corpus([document(f"d{number}", ann=[OLE, OSLO], bob=[OLE, OSLO]) for number in range(20)])
    found = ceiling(corpus)
    assert {*values(found.people).values()} == {1.0}
    assert found.people["er_di"].low == pytest.approx(0.05 ** (1 / 20))  # none of 20 documents differs
    assert found.annotators["ann"] == found.annotators["bob"]


def test_what_need_not_be_masked_is_no_mask() -> None:
    found = ceiling(Corpus([document("d", ann=[OLE, *TRUSTED], bob=[OLE])]), ["precision", "recall"])
    assert values(found.people) == {"precision": 1.0, "recall": 1.0}


@pytest.mark.slow
def test_the_same_as_evaluating_each_on_tab(data: Path) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    metrics = ["er_di", "er_qi", "recall", 'recall(unit="mention")', "precision", "f1", "phi_strict", "phi_token"]
    found = ceiling(corpus, metrics)
    assert (found.documents, found.readers) == (21, 6)
    assert {name: by["recall"].documents for name, by in found.annotators.items()} == {
        "annotator1": 21, "annotator4": 15, "annotator6": 5, "annotator11": 3, "annotator2": 3, "annotator8": 3,
    }  # fmt: skip
    same_as_evaluated(found, corpus, metrics)


def test_the_pool_is_what_all_of_them_count(data: Path) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    found = ceiling(corpus, ["recall"], resamples=0)
    rows = [as_systems(corpus, name, ["recall"], resamples=0).rows["recall"]["person"] for name in found.annotators]
    hidden, total = (sum(sum(table[column]) for table in rows) for column in ("hidden", "total"))
    assert found.people["recall"].value == pytest.approx(hidden / total, abs=1e-12)


def test_an_annotator_who_marked_nothing() -> None:
    found = ceiling(Corpus([document("d", ann=[OLE, OSLO], bob=[])]), ["recall", "precision"])
    assert values(found.annotators["bob"]) == {"recall": 0.0, "precision": None}
    assert (
        found.annotators["bob"]["precision"].reason
        == "nothing was masked in an annotated document, or only what may be masked"
    )
    assert values(found.annotators["ann"]) == {"recall": None, "precision": 0.0}  # there is nothing to find
    assert found.annotators["ann"]["recall"].reason == "no annotator marked anything to be masked"
    assert values(found.people) == {"recall": 0.0, "precision": 0.0}


@pytest.mark.parametrize(
    "documents",
    [
        [document("d", ann=[OLE])],
        [document("d")],
        [document(f"d{number}", **{f"p{number}": [OLE]}) for number in range(10)],
        [document("d", ann=[OLE], **{"silver(rules.v1)": [OLE, OSLO]})],
        [document("d", **{"silver(rules.v1)": [OLE], "silver(other.v1)": [OLE]})],
        [Document("d", TEXT, (Annotation("ann", (OLE,)), Annotation("ann", (OSLO,))))],
    ],
    ids=["one", "none", "ten who share nothing", "one and a program", "two programs", "one in two layers"],
)
def test_nobody_to_compare_with(documents: list[Document]) -> None:
    corpus = Corpus(documents)
    found = ceiling(corpus)
    assert found == Ceiling(
        {}, {}, 0, "no document was marked by several people, so nobody can be scored against others"
    )
    if corpus.survey.annotated:
        assert evaluate(corpus, {"a": Anonymization({one.id: [Mask(0, 8)] for one in corpus})}).ceiling is None


def test_programs_change_nothing() -> None:
    people = document("d", ann=[OLE, OSLO], bob=[OLE])
    silver = replace(people, annotations=(*people.annotations, Annotation("silver(rules.v1)", (BORN,))))
    assert ceiling(Corpus([silver])) == ceiling(Corpus([people]))


def test_several_layers_of_one_annotator_are_one_annotator() -> None:
    apart = Document("d", TEXT, (Annotation("ann", (OLE,)), Annotation("bob", (OLE,)), Annotation("ann", (OSLO,))))
    found = ceiling(Corpus([apart]), ["precision"])
    assert values(found.annotators["ann"]) == {"precision": 2 / 3}  # Ole, Berg, and Oslo which bob did not mark
    assert values(found.annotators["bob"]) == {"precision": 1 / 2}  # each of two tokens is in one of two layers


def test_groups_are_drawn_as_a_whole() -> None:
    marks = [([OLE, OSLO], [OLE]), ([OLE], [OLE, BORN]), ([OLE, OSLO], [OLE, OSLO]), ([OLE], [OLE])]
    documents = [document(f"d{n}", f"g{n // 2}" * (n < 6), ann=a, bob=b) for n, (a, b) in enumerate(marks * 2)]
    grouped, alone = Corpus(documents), Corpus([replace(one, group="") for one in documents])
    same_as_evaluated(ceiling(grouped), grouped, [*module.usual()])
    assert ceiling(grouped).people["recall"].low != ceiling(alone).people["recall"].low


def test_neither_the_order_of_documents_nor_of_layers_matters(data: Path) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    turned = [replace(one, annotations=one.annotations[::-1]) for one in corpus.documents[::-1]]
    ours, theirs = ceiling(corpus), ceiling(Corpus(turned))
    assert ours == theirs
    assert list(ours.annotators) == list(theirs.annotators)


def test_chunks_change_nothing(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    whole = ceiling(corpus)
    monkeypatch.setattr(_annotator_scores, "_CHARACTERS", 20_000)
    assert ceiling(corpus) == whole


@pytest.mark.parametrize("lazy", [False, True])
def test_who_counts_changes_nothing(data: Path, tmp_path: Path, lazy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a long file whose documents are made by whoever counts, and where rows are beyond what memory holds."""
    corpus = read_corpus(data / "tab/train_100.json")
    metrics = [*module.usual(), "phi_token"]
    alone, engine = ceiling(corpus, metrics, resamples=50), Pickling()
    if lazy:
        cases = json.loads((data / "tab/train_100.json").read_bytes())
        (tmp_path / "long.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")
        corpus = read_corpus(tmp_path / "long.jsonl")
    monkeypatch.setattr(_annotator_scores, "_CHARACTERS", 20_000)
    monkeypatch.setattr(spill, "_HELD", 1_000)
    assert ceiling(corpus, metrics, resamples=50, resources=Resources(engine=engine)) == alone
    assert engine.tasks > 2


def test_of_many_annotators_those_who_share_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 2)
    corpus = Corpus([document("d1", ann=[OLE], bob=[OLE], cay=[OSLO]), document("d2", bob=[OLE], cay=[OLE])])
    found = ceiling(corpus, ["recall"])
    assert (list(found.annotators), found.readers) == (["bob", "cay"], 3)
    # d1: ann 2 of 3 tokens (bob's name, not cay's town), bob the same, cay 0 of 4. d2: 2 of 2 each.
    assert found.people["recall"].value == (2 + 2 + 0 + 2 + 2) / (3 + 3 + 4 + 2 + 2)


def test_what_asks_for_more_has_none() -> None:
    corpus = Corpus([document("d", ann=[OLE], bob=[OLE])])
    found = ceiling(corpus, ["recall", "recall_per_type", "inconsistent"], resamples=0)
    assert values(found.people) == {"recall": 1.0, "recall_per_type": None, "inconsistent": None}
    assert found.people["recall_per_type"].reason == "it has no single number"
    assert found.people["inconsistent"].reason == "it needs more than what annotators marked"
    assert found.people["recall"] == Human(1.0, None, None, 1)  # nobody asked for an interval
    assert values(ceiling(corpus, ["inconsistent"]).annotators["bob"]) == {"inconsistent": None}
    assert [has_ceiling(parse_metric(text)) for text in ("er_di", "phi_leak", "wp", "tpi", "residual", "trir")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [("seed", -1), ("resamples", -5), ("confidence", 1.0)])
def test_settings_out_of_range(tiny: Corpus, name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name}: found {value}; expected"):
        ceiling(tiny, **{name: value})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Touchy(Metric):
    """A plugin that counts documents, and falls over those of which it sees no annotation."""

    group = "privacy"
    needs = frozenset({"gold"})
    undefined: ClassVar[str] = "no documents"
    title = "Touchy"

    def bind(self, chunk: Any) -> Callable[[Any], Rows]:
        layers = [len(one.annotations) for one in chunk.corpus]
        if 1 in layers:
            raise ValueError("only one of them")
        return lambda anonymized: Rows.of(all=layers)

    def combine(self, totals: Any) -> dict[str, Any]:
        return {"": totals["all"] * 0 + 1.0}


def test_a_plugin_that_fails_on_people_fails_there_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "touchy", Touchy())
    corpus = Corpus([document("d", ann=[OLE], bob=[OLE])])
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(0, 8)]})}, ["recall", Touchy()])
    assert not run.failures
    assert run["a", "touchy"].value == 1.0
    assert run.ceiling is not None
    assert run.ceiling.people["touchy"].reason.startswith("Touchy raised ValueError")
    assert run.ceiling.people["recall"].value == 1.0


def test_a_run_has_the_ceiling_of_its_own_metrics(tiny: Corpus, tmp_path: Path) -> None:
    masked = {"some": Anonymization({one.id: [Mask(0, 8)] for one in tiny})}
    metrics = ["er_di", 'recall(unit="mention")', "precision", "inconsistent"]
    run = evaluate(tiny, masked, metrics, seed=3, resamples=50, confidence=0.9)
    assert run.ceiling == ceiling(tiny, metrics[:3], seed=3, resamples=50, confidence=0.9)
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json").ceiling == run.ceiling
    assert evaluate(tiny, masked, ["inconsistent"]).ceiling is None


def test_a_run_without_text_names_no_annotator(tiny: Corpus) -> None:
    run = evaluate(tiny, {"some": Anonymization({one.id: [Mask(0, 8)] for one in tiny})}, resamples=0)
    bare = run.without_text().ceiling
    assert run.ceiling is not None
    assert bare is not None
    assert list(run.ceiling.annotators) == ["a", "b"]
    assert list(bare.annotators) == ["annotator 1", "annotator 2"]
    assert bare.people == run.ceiling.people


def test_what_a_user_says_of_types_holds_for_people_too(tiny: Corpus) -> None:
    masked = {"some": Anonymization({one.id: [Mask(0, 8)] for one in tiny})}
    kept, left_out = (evaluate(tiny, masked, ["er_qi"], ignore=types).ceiling for types in ("", "DATETIME"))
    assert kept is not None
    assert left_out is not None
    assert kept.people["er_qi"].value == 0.0  # a has Oslo, b has the date
    assert left_out.annotators["a"]["er_qi"].value is None  # b has nothing left that a could hide


def test_a_document_that_nobody_else_marked_can_link_one_that_others_did() -> None:
    """Of seven documents six are shared, and the first of these has the text of the seventh: it is drawn as a group."""
    marks = ([OLE, OSLO, BORN], [OLE]), ([OSLO], [BORN]), ([OLE], [OLE, OSLO]), ([OLE, BORN], [OLE, BORN])
    shared = [document(f"d{place}", ann=ann, bob=bob) for place, (ann, bob) in enumerate((*marks, *marks[:2]))]
    alone = replace(shared[0], id="d9", annotations=shared[0].annotations[:1])
    corpus = Corpus([*shared, alone])
    assert (corpus.units.count, corpus.units.joined) == (6, 2)
    found = ceiling(corpus, ["precision"], resamples=10)
    assert found.documents == 6
    same_as_evaluated(found, corpus, ["precision"], resamples=10)


words = st.sampled_from(["Ole Berg", "i Århus", "1971", "東京都", "de la Vega", "’s", "😀"])
kinds = st.sampled_from(["PERSON", "", "A|B", "役所\n", "x" * 200])


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    documents = []
    for number in range(draw(st.integers(1, 4))):
        text = " ".join(draw(st.lists(words, min_size=1, max_size=5)))
        length = st.just(len(text))
        mentions = st.builds(
            lambda start, long, end, *rest: Mention(start, min(end, start + long), *rest),
            st.integers(0, len(text) - 1), st.integers(1, 8), length,
            kinds, st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]), st.sampled_from(["", "e1", "e2"]),
        )  # fmt: skip
        names = draw(st.lists(st.sampled_from(["ann", "bob", "", "silver(rules.v1)"]), unique=True, max_size=4))
        layers = [Annotation(name, tuple(draw(st.lists(mentions, max_size=4)))) for name in names]
        documents.append(Document(f"d{number}", text, tuple(layers), draw(st.sampled_from(["", "g"]))))
    return Corpus(documents, offsets="characters")  # marks anywhere may look as if they counted something else


@settings(max_examples=20)  # each of them evaluates every annotator
@given(corpora())
def test_the_same_as_evaluating_each(corpus: Corpus) -> None:
    metrics = [*module.usual(), 'phi_span(unknown_types="keep")', 'precision(overlaps="each")']
    found = ceiling(corpus, metrics, resamples=20)
    readers = {name for one in corpus if len(one.readers) > 1 for name in one.readers}
    assert {*found.annotators} == readers
    assert bool(found.reason) == (not readers)
    for human in (*found.people.values(), *(one for by in found.annotators.values() for one in by.values())):
        assert (human.value is None) <= bool(human.reason)
        assert human.value is None or human.low is None or human.low <= human.value <= human.high
    same_as_evaluated(found, corpus, metrics, resamples=20)
