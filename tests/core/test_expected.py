"""Public functions that take what was read, and not a path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import showthrough as st
from showthrough.core.expected import expects

CORPUS = (
    "corpus: found a value of type str; expected a Corpus: read_corpus reads a file, and Corpus.from_texts takes texts"
)
RUN = "run: found a value of type str; expected a Run: Run.load reads a file"
ONE = st.Corpus([st.Document("a", "Ann left.")])
CALLS: dict[str, Callable[[], Any]] = {
    "adjudicate": lambda: st.adjudicate("c.json"),  # type: ignore[arg-type]
    "agreement": lambda: st.agreement("c.json"),  # type: ignore[arg-type]
    "annotate": lambda: st.annotate("c.json", ["rules"]),  # type: ignore[arg-type]
    "anonymize": lambda: st.anonymize("c.json", "rules"),  # type: ignore[arg-type]
    "anonymize, by name": lambda: st.anonymize(corpus="c.json", anonymizer="rules"),  # type: ignore[arg-type]
    "ceiling": lambda: st.ceiling("c.json"),  # type: ignore[arg-type]
    "describe": lambda: st.describe("c.json"),  # type: ignore[arg-type]
    "rating_sample": lambda: st.rating_sample("c.json", []),  # type: ignore[arg-type]
    "release": lambda: st.release("c.json", st.Anonymization({})),  # type: ignore[arg-type]
    "review_copies": lambda: st.review_copies("c.json"),  # type: ignore[arg-type]
    "reviewed": lambda: st.reviewed("c.json", "sheets"),  # type: ignore[arg-type]
    "split_corpus": lambda: st.split_corpus("c.json"),  # type: ignore[arg-type]
    "train_tagger": lambda: st.train_tagger("c.json"),  # type: ignore[arg-type]
    "train_verifier": lambda: st.train_verifier("c.json"),  # type: ignore[arg-type]
    "write_corpus": lambda: st.write_corpus("c.json", "out.json"),  # type: ignore[arg-type]
}
OF_RUNS: dict[str, Callable[[], Any]] = {
    "error_cases": lambda: st.error_cases("run.json"),  # type: ignore[arg-type]
    "risk_annex": lambda: st.risk_annex("run.json"),  # type: ignore[arg-type]
    "rules_worth": lambda: st.rules_worth("run.json", "a"),  # type: ignore[arg-type]
    "with_rules": lambda: st.with_rules("run.json", "a", []),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_path_is_no_corpus(call: Callable[[], Any]) -> None:
    with pytest.raises(st.PlanError) as refused:
        call()
    assert str(refused.value) == CORPUS


@pytest.mark.parametrize("call", OF_RUNS.values(), ids=OF_RUNS)
def test_a_path_is_no_run(call: Callable[[], Any]) -> None:
    with pytest.raises(st.PlanError) as refused:
        call()
    assert str(refused.value) == RUN


def test_other_arguments_are_refused_by_name() -> None:
    with pytest.raises(st.PlanError, match=r"^anonymization: found a value of type str; expected an Anonymization: "):
        st.release(ONE, "masks.json")  # type: ignore[arg-type]
    with pytest.raises(st.PlanError, match=r"^dev: found a value of type str; expected a Corpus: "):
        st.train_tagger(ONE, dev="dev.json")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("background", "released", "starts"),
    [
        ("b.json", {"x": {"a": "… left."}}, "background: found a value of type str; expected a Background: "),
        ({"a": "Ann"}, "x.json", "anonymizations: found a value of type str; expected released texts by id"),
        ({"a": "Ann"}, {"x": "x.json"}, "anonymizations: found a value of type str; expected released texts by id"),
    ],
)
def test_an_attack_reads_no_file(background: Any, released: Any, starts: str) -> None:
    with pytest.raises(st.PlanError, match=f"^{starts}"):
        st.reidentify(background, released)


def test_what_is_expected_passes_and_nothing_else_changes() -> None:
    @expects(corpus=st.Corpus)
    def count(number: int, corpus: st.Corpus | None = None) -> int:
        """Documents."""
        return number + len(corpus or [])

    assert (count(1), count(1, ONE), count(1, corpus=ONE), count(number=2)) == (1, 2, 2, 2)
    assert (count.__name__, count.__doc__) == ("count", "Documents.")
