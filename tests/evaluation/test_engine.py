"""The engine: each thing is made once for a document, however the work is cut and shared, and nothing gets lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from showthrough import (
    METRICS,
    Anonymization,
    Corpus,
    Document,
    Interrupted,
    Mask,
    Metric,
    Plan,
    Rows,
    Run,
    evaluate,
    evaluate_plan,
)
from showthrough.core.errors import PlanError, ResourceError
from showthrough.data.layout.gold import Gold
from showthrough.data.layout.span_index import SpanIndex
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.engines.base import GoneError, InProcess, LostError, TaskResult
from showthrough.evaluation._chunks import Work, process_chunk
from showthrough.evaluation.runner import Runner
from showthrough.metrics import metrics_of
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.metrics.chunk import Anonymized, Chunk, HidingRule
from showthrough.run import documents
from working import Elsewhere

SOME = Anonymization({"d1": [Mask(3, 11, "Doe")], "d2": [], "d3": []}, "some")
ALL = Anonymization({"d1": [Mask(0, 34)], "d2": [Mask(2, 9), Mask(5, 9)], "d3": [Mask(0, 7)]}, "all")
NAMES = ["er_di", "recall", "f1", "precision", "phi_leak", 'nmi(embedding="lsa")']


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=20, start=0: chunks(self, characters, start))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each thing is made of documents; replacements are cut into words on axes of their own."""
    count: Counter[str] = Counter()
    survey = Corpus.survey.func
    original = {SpanLayout: SpanLayout.__init__, SpanIndex: SpanIndex.__init__}

    def counting(kind: type) -> Any:
        def begin(self: Any, *arguments: Any) -> None:
            ids = [document.id for document in arguments[0]] if kind is SpanLayout else [""]
            count[kind.__name__] += any(ids) or kind is SpanIndex
            original[kind](self, *arguments)

        return begin

    def surveyed(self: Corpus) -> Any:
        count["survey"] += 1
        return survey(self)

    monkeypatch.setattr(SpanLayout, "__init__", counting(SpanLayout))
    monkeypatch.setattr(SpanIndex, "__init__", counting(SpanIndex))
    gold = Gold.of
    monkeypatch.setattr(Gold, "of", lambda axis: count.update(["Gold"]) or gold(axis))
    monkeypatch.setattr(Corpus.survey, "func", surveyed)
    return count


def test_each_thing_is_made_once(tiny: Corpus, made: Counter[str]) -> None:
    run = evaluate(tiny, [SOME, ALL], NAMES, resamples=0)
    assert not run.failures
    assert run.notes  # these look at the same axis as the metrics
    assert run.texts is not None  # and what may stay readable in them is found there too
    assert made == {
        "survey": 1,
        "SpanLayout": 2,  # one of them for annotators as systems
        "Gold": 1,
        "SpanIndex": 2,
    }


@pytest.mark.usefixtures("small_chunks")
def test_each_thing_is_made_once_for_a_chunk(tiny: Corpus, made: Counter[str]) -> None:
    evaluate(tiny, [SOME, ALL], ["er_di", "recall"], resamples=0)
    assert made == {"survey": 1, "SpanLayout": 4, "Gold": 3, "SpanIndex": 4}  # one a document, one for annotators


def unlike(run: Run) -> dict[str, Any]:
    """All that must not hang on how the work is shared."""
    return {
        "rows": run.rows, "scores": run.scores, "notes": run.notes, "texts": run.texts, "evidence": run.evidence,
        "ceiling": run.ceiling,
    }  # fmt: skip


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_and_processes_change_nothing(tiny: Corpus, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate(tiny, [SOME, ALL], NAMES, resamples=20)
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=20, start=0: chunks(self, characters, start))
    assert unlike(evaluate(tiny, [SOME, ALL], NAMES, resamples=20, jobs=jobs)) == unlike(whole)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("limit", [1, 1000])  # where not all documents are kept, those at most risk are
def test_a_resumed_run_is_the_same(tiny: Corpus, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_DOCUMENTS", limit)

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    metrics = ["precision", 'nmi(embedding="lsa")']  # none that ranks documents
    whole = evaluate(tiny, [SOME, ALL], metrics, resamples=20)
    with pytest.raises(Interrupted) as caught:
        evaluate(tiny, [SOME, ALL], metrics, resamples=20, progress=stop)
    part = caught.value.partial
    assert (part.documents, part.complete, part.scores, part.texts) == (["d1"], False, [], None)
    assert part.rows["precision"]["some"] == {
        column: values[:1] for column, values in whole.rows["precision"]["some"].items()
    }
    assert unlike(evaluate(tiny, [SOME, ALL], metrics, resamples=20, resume=part)) == unlike(whole)


def test_of_many_documents_those_at_most_risk_without_a_second_walk(
    tiny: Corpus, made: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MOST_DOCUMENTS", 1)
    run = evaluate(tiny, [SOME], ["precision"], resamples=0)
    assert run.texts is not None
    # d1 leaks Oslo, 3 May and, in its replacement, Doe; d2 Ann Lee.
    assert ([one.id for one in run.texts.documents], run.texts.chosen) == (["d1"], "riskiest")
    assert set(run.rows) == {"precision"}  # what ranked them is not a metric of this run
    assert (made["survey"], made["SpanLayout"]) == (1, 2)  # once for annotators


@dataclass(frozen=True)
class Odd(Metric):
    """Share of documents; what it gives is not always right."""

    group = "utility"
    title = "Odd"
    undefined = "never"
    given: ClassVar[Any] = None

    def bind(self, chunk: Chunk) -> Any:
        return lambda anonymized: self.given(len(chunk.corpus)) if callable(self.given) else self.given

    def combine(self, totals: Any) -> Any:
        return {HEADLINE: ratio(totals["x"], totals["x"])}


def odd(monkeypatch: pytest.MonkeyPatch, given: Any, **fields: Any) -> Metric:
    kind = dataclass(frozen=True)(
        type("Odd", (Odd,), {"given": staticmethod(given) if callable(given) else given, **fields})
    )
    metric: Metric = kind()
    monkeypatch.setitem(METRICS, "odd", metric)
    return metric


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (None, "returned a value of type NoneType; expected Rows"),
        (lambda count: [1.0] * count, "returned a value of type list; expected Rows"),
        (lambda count: Rows.of(x=[1.0] * (count - 1)), "returned 2 × 1 values; expected 3 × 1 numbers, a row for each"),
        (lambda count: Rows(("x", "y"), np.ones((count, 1))), "returned 3 × 1 values; expected 3 × 2 numbers"),
        (lambda count: Rows.of(x=[np.nan] * count), "a value that is infinite or no number"),
    ],
)
def test_what_is_no_table_of_rows_is_a_failure(
    tiny: Corpus, given: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = evaluate(tiny, [SOME], [odd(monkeypatch, given), "recall"], resamples=0)
    assert [(failure.metric, why in failure.reason) for failure in run.failures] == [("odd", True)]
    assert set(run.rows) == {"recall"}  # the others stand


@dataclass(frozen=True)
class Grumbling(Odd):
    """Fails on every document, and says on which."""

    def bind(self, chunk: Chunk) -> Any:
        raise ResourceError(f"not {chunk.corpus.ids[0]}")


class AllAtOnce(Elsewhere):
    """Workers that have all tasks before the first is done."""

    def map(self, *asked: Any) -> Iterator[TaskResult]:
        return reversed(list(super().map(*asked)))


@pytest.mark.usefixtures("small_chunks")
def test_of_failures_the_first_documents_tell_whoever_is_done_first(
    tiny: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METRICS, "grumbling", Grumbling())
    plan = Plan(tiny, (SOME,), (Grumbling(), *metrics_of("recall")))
    runs = [evaluate_plan(plan, engine=engine) for engine in (InProcess(), Elsewhere(), AllAtOnce())]
    assert [[failure.reason for failure in run.failures] for run in runs] == [["not d1"]] * 3


def test_a_metric_that_nobody_asks_is_a_failure(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a scope that there is not: neither rows nor a reason came of that."""
    metric = odd(monkeypatch, lambda count: Rows.of(x=[1.0] * count))
    monkeypatch.setattr(type(metric), "scope", "sentence")  # which the table would not take
    run = evaluate(tiny, [SOME], [metric, "recall"], resamples=0)
    assert [(one.metric, one.reason) for one in run.failures] == [
        ("odd", "it gave rows for 0 of 3 documents; expected all")
    ]


def test_one_look_at_an_anonymization_serves_all_metrics(tiny: Corpus) -> None:
    chunk = Chunk(tiny)
    first, second = Anonymized(chunk, SOME), Anonymized(chunk, ALL)
    recall, f1 = metrics_of(["recall", "f1"])
    first.rows(f1)
    assert first.rows(recall) is first.rows(recall)  # F counted it already
    assert first.rows(recall) is not second.rows(recall)
    assert first.coverage is first.coverage
    assert first.coverage is not second.coverage
    # In whichever order they are looked at: nothing hangs on who came last.
    again = chunk.rows(recall, SOME)
    assert (again.values == first.rows(recall).values).all()
    assert (again.values != second.rows(recall).values).any()


def test_rows_of_a_chunk(tiny: Corpus) -> None:
    metrics = {"recall": metrics_of("recall")[0]}
    answer = process_chunk(Chunk(tiny), Work(metrics, [SOME], noticed=frozenset(), kept=HidingRule("lexicon-en.1")))
    assert (set(answer.rows), answer.failures, answer.free) == ({("recall", "some")}, {}, [[(0, 2)], [], []])
    assert answer.masks["some"].telling == 1  # "Doe" is written for "John Doe"
    unasked = process_chunk(Chunk(tiny), Work(metrics, [SOME]))
    assert (unasked.masks, unasked.free) == ({}, None)


def test_words_that_cannot_be_told_fail_no_run(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the source of function words breaks down on the way, documents are kept by another one."""

    def fails(chunk: Chunk, hiding: HidingRule) -> Iterator[Any]:
        raise ResourceError("no pipeline")
        yield

    monkeypatch.setattr("showthrough.evaluation._chunks.free_words", fails)
    run = evaluate(tiny, [SOME], ["er_di"], resamples=0)
    assert not run.failures
    assert run.texts is not None
    assert run.texts.free == [[(0, 2)], [], []]


def test_a_document_alone_is_walked_through_once() -> None:
    """No annotations, no words: nothing to rank, nothing to notice."""
    run = evaluate(Corpus([Document("a", "Oslo")]), Anonymization({"a": []}, "none"), 'tpi(ic="uniform")', resamples=0)
    assert run["none", 'tpi(ic="uniform")'].value == 1.0
    assert [note.partition(",")[0] for note in run.notes] == ["no annotations were read"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"map": ["A=B"]}, "map: found .* expected a mapping"),
        ({"background": "background.json"}, "background: found a value of type str; expected a Background"),
        ({"resume": "run.json"}, "resume: found a value of type str; expected a Run"),
        ({"texts": "no"}, "texts: found 'no'; expected True or False"),
    ],
)
def test_what_is_of_another_kind_is_told(tiny: Corpus, options: dict[str, Any], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        evaluate(tiny, [SOME], ["recall"], **options)


def test_no_anonymization_at_all_is_told(tiny: Corpus) -> None:
    with pytest.raises(PlanError, match="anonymizations: found a value of type NoneType; expected anonymizations"):
        evaluate(tiny, None, ["recall"])  # type: ignore[arg-type]


def test_a_frame_alone_is_no_list_of_anonymizations(tiny: Corpus) -> None:
    """It would give the names of its columns, one by one."""

    class Frame(list[Any]):
        columns = ("doc_id", "text")

    with pytest.raises(PlanError, match="found a value of type Frame; expected anonymizations by name"):
        evaluate(tiny, Frame(Frame.columns))


@pytest.mark.parametrize(("error", "advised"), [(LostError, True), (GoneError, False)])
def test_who_is_gone_for_good_needs_no_fewer_jobs(
    tiny: Corpus, monkeypatch: pytest.MonkeyPatch, error: type[LostError], advised: bool
) -> None:
    def through(self: Runner, progress: object, taken: object) -> None:
        raise error("nobody is there")

    monkeypatch.setattr(Runner, "through", through)
    with pytest.raises(Interrupted) as caught:
        evaluate(tiny, [SOME, ALL], ["er_di"])
    assert caught.value.reason.startswith("nobody is there")
    assert ("--jobs" in caught.value.reason) == advised


def test_documents_that_are_missing_are_counted(tiny: Corpus) -> None:
    run = evaluate(tiny, [ALL, SOME.part(["d1"])], ["er_di"], resamples=0, missing="unmasked")
    assert "some: 2 of 3 documents are not in it and count as not masked" in run.notes
    assert not any(note.startswith("all: ") and "are not in it" in note for note in run.notes)
