"""Plugins that a program registers: with several processes too, and checked in what they return."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

from showthrough import (
    ATTACKS,
    METRICS,
    Anonymization,
    Attack,
    Corpus,
    Document,
    InputError,
    Mask,
    Metric,
    PlanError,
    ResourceError,
    Rows,
    Run,
    evaluate,
    parameter,
    reidentify,
)
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.metrics import metric_text, parse_metric
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.systems import anonymize

CORPUS = Corpus([Document(str(number), "ten letter") for number in range(6)])
MASKS = Anonymization({str(number): [Mask(0, number + 1)] for number in range(6)}, "a")


@dataclass(frozen=True)
class Kept(Metric):
    """Share of characters that are not masked."""

    group = "utility"
    title = "Kept characters"
    undefined = "there is no text"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        length = [len(document.text) for document in chunk.corpus]
        return lambda one: Rows.of(
            masked=[sum(mask.end - mask.start for mask in one.of(key)) for key in chunk.corpus.ids], length=length
        )

    def combine(self, totals: Any) -> Any:
        return {HEADLINE: 1 - ratio(totals["masked"], totals["length"])}


@dataclass(frozen=True)
class Twice(Kept):
    """Another plugin's rows, which it asks for by name, as a plan does."""

    of: str = parameter("kept", "the metric that is looked up")

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        if metric_text(self) != "twice":
            return lambda one: Rows.of(masked=[], length=[])
        return chunk.bind_metric(parse_metric(self.of))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=10, start=0: chunks(self, characters, start))


@pytest.mark.usefixtures("small_chunks")
def test_workers_have_the_same_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "kept", Kept)
    monkeypatch.setitem(METRICS, "twice", Twice)
    alone, shared = (evaluate(CORPUS, MASKS, ["kept", "twice"], jobs=jobs, resamples=0) for jobs in (1, 2))
    assert shared["a", "twice"].value == 1 - 21 / 60  # 1 + 2 + 3 + 4 + 5 + 6 of 6 × 10 characters
    assert (shared.scores, shared.rows, shared.failures) == (alone.scores, alone.rows, [])


PROGRAM = """
from dataclasses import dataclass, replace
import showthrough as st
from plugins.test_registered import CORPUS, MASKS, Kept, metric_text

@dataclass(frozen=True)
class Mine(Kept):
    def bind(self, chunk):
        assert metric_text(self) == "mine", metric_text(self)
        return super().bind(chunk)

st.METRICS["mine"] = Mine()
chunks = st.Corpus.chunks
st.Corpus.chunks = lambda self, characters=10, start=0: chunks(self, characters, start)
print(*(st.evaluate(CORPUS, MASKS, ["mine"], jobs=jobs, resamples=0)["a", "mine"].value for jobs in (1, 2)))
"""


def test_what_is_defined_in_a_script_works_in_workers(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    code = f"import runpy, sys; sys.path[:] = {sys.path!r}; runpy.run_path('program.py', run_name='__main__')"
    finished = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert finished.stdout == "0.65 0.65\n", finished.stderr


@pytest.mark.usefixtures("small_chunks")
def test_a_plugin_that_cannot_be_sent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    locked = Kept()
    object.__setattr__(locked, "lock", Lock())
    monkeypatch.setitem(METRICS, "locked", locked)
    with pytest.raises(PlanError, match="metrics: locked: cannot be sent to a worker process: cannot pickle"):
        evaluate(CORPUS, MASKS, ["recall(unit=mention)", "locked"][1:], jobs=2)


# What metrics return.


@dataclass(frozen=True)
class Careless(Kept):
    """A metric that returns whatever it is told to."""

    said: str = parameter("", "what it returns")

    def bind(self, chunk: Chunk) -> Any:
        return lambda one: RETURNED[self.said]


RETURNED: dict[str, Any] = {
    "nothing": None,
    "few": Rows.of(masked=[1.0], length=[2.0]),
    "none": Rows((), np.zeros((0, 0))),
    "texts": Rows(("masked", "length"), np.full((6, 2), "x")),
    "ragged": Rows(("masked",), np.zeros((6, 2))),
    "nan": Rows.of(masked=[np.nan] * 6, length=[1.0] * 6),
    "infinite": Rows.of(masked=[np.inf] * 6, length=[1.0] * 6),
    "nameless": Rows((1, 2), np.zeros((6, 2))),  # type: ignore[arg-type]
    "twins": Rows(("masked", "masked"), np.zeros((6, 2))),
    "vast": Rows.of(masked=[1e200] * 6, length=[1.0] * 6),
    "columnless": Rows(None, np.zeros((6, 2))),  # type: ignore[arg-type]
    "odd evidence": replace(Rows.of(masked=[1.0] * 6, length=[2.0] * 6), evidence={"0": {"guess": 3}}),
}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("nothing", "Careless returned a value of type NoneType; expected Rows"),
        ("few", "Careless returned 1 × 2 values; expected 6 × 2 numbers, a row for each document"),
        ("none", "Careless returned 0 × 0 values; expected 6 × 0 numbers, a row for each document"),
        ("texts", "Careless returned 6 × 2 values; expected 6 × 2 numbers, a row for each document"),
        ("ragged", "Careless returned 6 × 2 values; expected 6 × 1 numbers, a row for each document"),
        ("nan", "Careless returned rows with a value that is infinite or no number; expected finite ones"),
        ("infinite", "Careless returned rows with a value that is infinite or no number; expected finite ones"),
        ("nameless", "Careless returned the columns (1, 2); expected texts, each once"),
        ("twins", "Careless returned the columns ('masked', 'masked'); expected texts, each once"),
        ("vast", "Careless returned numbers beyond all sense; expected 0, or 1e-100 to 1e+15"),
        ("columnless", "Careless raised TypeError ("),
        ("odd evidence", "Careless raised ValidationError ("),
    ],
)
def test_rows_that_cannot_be_fail_the_metric_and_no_other(
    said: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METRICS, "careless", Careless)
    monkeypatch.setitem(METRICS, "kept", Kept)
    run = evaluate(CORPUS, MASKS, [Careless(said), "kept"], resamples=0)
    assert [failure.metric for failure in run.failures] == [f'careless(said="{said}")']
    assert run.failures[0].reason.startswith(reason)
    assert run["a", "kept"].value == 1 - 21 / 60


@dataclass(frozen=True)
class Raising(Kept):
    """A metric that raises, or combines to something else than numbers."""

    where: str = parameter("", "where it does")

    def bind(self, chunk: Chunk) -> Any:
        if self.where == "bind":
            raise KeyError(chunk.corpus.documents[0].text)
        return (lambda one: 1 / 0) if self.where == "rows" else super().bind(chunk)

    def combine(self, totals: Any) -> Any:
        if self.where == "combine":
            raise ValueError("no")
        return {"float": 0.5, "list": [0.5]}.get(self.where, {1: 0.5})


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("bind", "Raising raised KeyError (test_registered.py, line "),
        ("rows", "Raising raised ZeroDivisionError (test_registered.py, line "),
        ("combine", "Raising raised ValueError (test_registered.py, line "),
        ("float", "Raising combined its rows to 0.5; expected numbers by part, such as"),
        (
            "list",
            "Raising combined its rows to [0.5]; expected numbers by part, such as",
        ),
        ("numbered", "Raising combined its rows to {1: 0.5}; expected numbers by part, such as"),
    ],
)
@pytest.mark.usefixtures("small_chunks")
def test_whatever_a_plugin_raises_fails_it_and_no_other(
    where: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(METRICS, "raising", Raising)
    monkeypatch.setitem(METRICS, "kept", Kept)
    run = evaluate(CORPUS, MASKS, [Raising(where), "kept"], resamples=0, jobs=2 if where == "rows" else 1)
    assert [failure.reason.startswith(reason) for failure in run.failures] == [True], run.failures
    assert run["a", "kept"].value == 1 - 21 / 60
    assert "ten letter" not in run.failures[0].reason  # what a plugin says may be the very text
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json").failures == run.failures


def test_a_metric_of_parts_alone_needs_no_headline(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = type(
        "Parts", (Kept,), {"combine": lambda self, totals: {"kept": ratio(totals["masked"], totals["length"])}}
    )
    monkeypatch.setitem(METRICS, "parts", parts())
    assert evaluate(CORPUS, MASKS, ["parts"], resamples=0)["a", "parts", "kept"].value == 21 / 60


@pytest.mark.parametrize(
    ("trait", "value"), [("version", "1.2"), ("roles", "recall"), ("roles", ("best",)), ("counts", (("x", "good"),))]
)
def test_what_a_run_file_could_not_hold_is_refused_at_the_door(trait: str, value: Any) -> None:
    with pytest.raises(PlanError, match=r"metric odd: .*expected"):
        METRICS.register("odd", type("Odd", (Kept,), {trait: value})())


def test_what_is_not_installed_is_shown_and_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(METRICS, "kept", Kept)
        run = evaluate(
            CORPUS,
            {"a": MASKS, "b": Anonymization(dict.fromkeys(MASKS.masks, ()))},
            ["kept", "tpi(ic=wordfreq, chunking=none)"],
        )
    assert {one.metric for one in run.compare()} == {'tpi(ic="wordfreq", chunking="none")'}
    assert run.incomparable("kept").startswith("metric kept: unknown metric")
    with pytest.raises(PlanError, match="unknown metric"):
        run.compare("kept")


def test_a_plugin_s_models_need_no_name_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "kept", type("Asking", (Kept,), {"models": {"oracle": "ours/model"}}))
    run = evaluate(CORPUS, MASKS, ["kept"], resamples=0)
    assert (run.failures, run.provenance["models"]) == ([], {"ours/model": ""})


def test_an_anonymizer_that_raises_is_named() -> None:
    class Falling:
        name, version = "falling", 1

        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            raise KeyError(documents[0].id)

    with pytest.raises(InputError, match=r"anonymizer falling: document 0: raised KeyError \(test_reg"):
        anonymize(CORPUS, Falling())


def test_a_metric_without_rows_and_without_failure_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from showthrough.evaluation import runner

    monkeypatch.setitem(METRICS, "kept", Kept)
    monkeypatch.setattr(runner, "process_chunk", lambda *rest: runner.ChunkResult())
    run = evaluate(CORPUS, MASKS, ["kept"], resamples=0)
    assert [str(failure.reason) for failure in run.failures] == ["it gave rows for 0 of 6 documents; expected all"]


# What attacks return.


@dataclass(frozen=True)
class Guess(Attack):
    """An attack that returns whatever it is told to."""

    said: str = parameter("", "what it returns")

    def fit(self, background: Mapping[str, str], resources: Any, watched: Any = None) -> Any:
        return Guessing(tuple(background)[: 1 if self.said == "forgetful" else None], self.said)


@dataclass(frozen=True)
class Guessing:
    individuals: tuple[str, ...]
    said: str

    def scores(self, documents: Sequence[str]) -> Any:
        right = np.array([[float(key in text) for key in self.individuals] for text in documents])
        heard = np.ones(len(documents), dtype=bool)
        return {
            "right": right,
            "wide": np.zeros((len(documents), 5)),
            "short": right[:1],
            "nan": right * np.nan,
            "list": right.tolist(),
            "nothing": None,
            "stranger": Candidates(right[:, :1], 2, heard, np.full((len(documents), 1), 2)),
        }[self.said]


KNOWN = {"ann": "Ann", "bob": "Bob"}
TEXTS = {"names": {"ann": "ann", "bob": "bob"}}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("wide", r"scores are 2×5; expected 2 documents × 2 numbers"),
        ("short", r"scores are 1×2; expected 2 documents × 2 numbers"),
        ("nan", r"a score is infinite or no number; expected finite numbers"),
        ("list", r"scores are a value of type list; expected 2 documents × 2 numbers"),
        ("nothing", r"scores are a value of type NoneType; expected 2 documents × 2 numbers"),
        ("stranger", r"a column is no individual; expected 0 to 1"),
        ("forgetful", r"knows 1 individuals; expected the 2 it was given"),
    ],
)
def test_scores_that_cannot_be_are_told(said: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ATTACKS, "guess", Guess)
    with pytest.raises(ResourceError, match=f'attack guess\\(said="{said}"\\): {reason}'):
        reidentify(KNOWN, TEXTS, f"guess(said={said})", references=False, resamples=0)


def test_an_attack_that_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ATTACKS, "guess", Guess("right"))
    run = reidentify(KNOWN, TEXTS, "guess, guess+assignment", references=False, resamples=0)
    score = run["names", 'trir(attacks="guess, guess+assignment")', "guess"]
    assert score.value == 1.0
    assert "guess:v1" in score.signature


def test_a_metric_of_the_former_version_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods under their former names count as before, and say what they are called now."""
    monkeypatch.setitem(METRICS, "kept", Kept)
    with pytest.warns(DeprecationWarning, match="Former.lacking is now missing_resource"):

        @dataclass(frozen=True)
        class Former(Kept):
            def bind(self, chunk: Any) -> Callable[[Anonymized], Rows]:
                return chunk.bound(parse_metric("kept"))  # type: ignore[no-any-return]

            def bounded(self, part: str) -> bool:
                return False

            def one_each(self, part: str, totals: Any) -> float:
                return 7.0

            @property
            def lacking(self) -> str:
                return "" if self.title else "a dictionary"

    monkeypatch.setitem(METRICS, "former", Former)
    with pytest.warns(DeprecationWarning, match=r"Chunk\.bound is now bind_metric"):
        run = evaluate(CORPUS, MASKS, ["kept", "former"], resamples=0)
    assert not run.failures
    assert run["a", "former"].value == run["a", "kept"].value == 1 - 21 / 60
    assert (Former().is_bounded(""), Former().unit_change("", {}), Former().missing_resource) == (False, 7.0, "")
    with pytest.warns(DeprecationWarning, match=r"Rows\.joined is now concatenate"):
        joined = Rows.joined
    assert joined([Rows.of(a=[1]), Rows.of(a=[2])]).values.tolist() == [[1], [2]]


def test_a_former_name_beside_the_present_one_changes_nothing() -> None:
    @dataclass(frozen=True)
    class Both(Kept):
        """For either version of the program."""

        def bounded(self, part: str) -> bool:
            raise AssertionError

        def is_bounded(self, part: str) -> bool:
            return True

    assert Both().is_bounded("")
