"""Systems at work side by side: what is wrong is told first, and one that fails is missing and nothing more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, Plan, ResourceError, TypedMask
from showthrough.core.errors import ChangedError
from showthrough.evaluation.settings import Settings
from showthrough.metrics import metrics_of
from showthrough.systems import Anonymizer
from showthrough.systems.anonymizing import Progress
from showthrough.systems.rules import Rules
from showthrough.systems.workbench.runner import Bench, BenchOutcome, put_to_work, score

SETTINGS = Settings(cache=False, resamples=20)


def failing(error: Exception) -> Anonymizer:
    class Failing:
        name, version = "failing", 1

        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            raise error

    return Failing()


def bench_of(corpus: Corpus, *files: Anonymization, metrics: str = "er_di", **systems: Anonymizer) -> Bench:
    return Bench(Plan(corpus, files, tuple(metrics_of(metrics)), SETTINGS), systems)


def test_systems_come_first_and_files_after_them(tiny: Corpus) -> None:
    bench = bench_of(tiny, Anonymization({one: [] for one in tiny.ids}, "nothing"), rules=Rules(), again=Rules())
    run = score(bench, put_to_work(bench))
    assert run.names == ["rules", "again", "nothing"]
    assert [one.made.anonymizer for one in run.anonymizations if one.made] == ["rules", "rules"]
    assert run.notes == []


def test_one_that_fails_is_missing_and_the_others_are_scored(tiny: Corpus) -> None:
    bench = bench_of(tiny, bad=failing(ValueError("Mr John Doe")), rules=Rules())
    told: list[str] = []
    made = put_to_work(bench, tell=told.append)
    run = score(bench, made)
    assert run.names == ["rules"]
    assert list(made.failed) == ["bad"]
    assert told[0].startswith("bad failed: anonymizer failing: document d1: raised ValueError (test_working.py, line ")
    assert run.notes[0].startswith("bad is missing here, because it failed: anonymizer failing: ")
    assert "Doe" not in f"{told}{run.notes}"


def test_a_library_may_raise_anything_and_memory_may_end(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of our own anonymizers too: their models are others' programs."""
    for error, says in ((RuntimeError("Mr John Doe"), "raised RuntimeError"), (MemoryError(), "memory ran out")):
        monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", _raising(error))
        bench = bench_of(tiny, Anonymization({one: [] for one in tiny.ids}, "file"), rules=Rules())
        made = put_to_work(bench)
        assert made.failed["rules"].startswith(says)
        assert "Doe" not in made.failed["rules"]
        assert score(bench, made).names == ["file"]


def _raising(error: Exception) -> object:
    def anonymize(*_: object, **__: object) -> Anonymization:
        raise error

    return anonymize


def test_where_none_is_left_all_reasons_are_told(tiny: Corpus) -> None:
    with pytest.raises(ResourceError, match=r"^one failed: .*ValueError.*; two failed: .*KeyError"):
        put_to_work(bench_of(tiny, one=failing(ValueError()), two=failing(KeyError())))


def test_a_corpus_that_changes_meanwhile_ends_it(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", _raising(ChangedError([])))
    with pytest.raises(ChangedError):
        put_to_work(bench_of(tiny, rules=Rules()))


def test_who_stops_it_is_no_failure(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    for stop in (KeyboardInterrupt, SystemExit):

        def stopped(*_: object, stop: type[BaseException] = stop, **__: object) -> Anonymization:
            raise stop

        monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", stopped)
        with pytest.raises(stop):
            put_to_work(bench_of(tiny, rules=Rules()))


@pytest.mark.parametrize(
    ("metrics", "name", "says"),
    [
        ("trir", "rules", "background: none was given"),
        ("er_di", "nothing masked", "this name is reserved for the reference row"),
        ("er_di", "file", "this name is used twice"),
    ],
)
def test_what_is_wrong_is_told_before_any_system_works(metrics: str, name: str, says: str, tiny: Corpus) -> None:
    file = Anonymization({one: [] for one in tiny.ids}, "file")
    with pytest.raises(InputError, match=says):
        bench_of(tiny, file, metrics=metrics, **{name: failing(AssertionError())}).check()


def test_a_file_that_does_not_fit_is_told_first(tiny: Corpus) -> None:
    with pytest.raises(InputError, match=r"document d1: masks\[0\]"):
        bench_of(
            tiny, Anonymization({**dict.fromkeys(tiny.ids, ()), "d1": [Mask(0, 99)]}, "file"), rules=Rules()
        ).check()


def test_everybody_hears_how_far_each_is(tiny: Corpus) -> None:
    told: list[tuple[str, int, int]] = []

    @contextmanager
    def watched(name: str) -> Iterator[Progress]:
        yield lambda done, total: told.append((name, done, total))

    put_to_work(bench_of(tiny, one=Rules(), two=Rules()), watched)
    assert told == [("one", 0, 3), ("one", 3, 3), ("two", 0, 3), ("two", 3, 3)]


def test_threshold_and_replacement_are_passed_on(tiny: Corpus) -> None:
    plan = Plan(tiny, (), tuple(metrics_of("er_di")), SETTINGS)
    made: BenchOutcome = put_to_work(Bench(plan, {"rules": Rules()}, "suppress", 0.5))
    [one] = made.anonymizations
    assert one.provenance is not None
    assert (one.provenance.replacement, one.provenance.threshold) == ("suppress", 0.5)
    assert one.of("d1")[0] == TypedMask(0, 11, None, "PERSON")
