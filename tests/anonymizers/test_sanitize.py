"""Masking by risk: counts by hand, who is protected, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import showthrough as st
from showthrough.core.errors import InputError, PlanError
from showthrough.data.masks import Mask
from showthrough.systems import anonymizer
from showthrough.systems.sanitize import Counts, Sanitize

TEXTS = {
    "a": "Ann Lee is a judge in Riga",
    "b": "Bob is a judge in Oslo",
    "c": "Cem is ill in Riga",
    "d": "Dee met Ann Lee in Bonn",
}
Written = Callable[[object], str]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(subjects: object) -> str:
        """A corpus in which a says whom it is about."""
        file = tmp_path / "corpus.jsonl"
        lines = ({"metadata": {"data_id": key}, "text": text, "subjects": subjects if key == "a" else []}
                 for key, text in TEXTS.items())  # fmt: skip
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(file)

    return write


def person(name: str) -> list[dict[str, object]]:
    return [
        {"id": 0, "description": "a judge", "PIIs": [{"tag": "NAME", "keyword": name, "certainty": 5, "hardness": 1}]}
    ]


def test_counts_by_hand() -> None:
    counts = Counts(TEXTS.values())
    places = counts.places(["ann", "lee"])
    assert places == {0, 3}
    assert counts.places(["lee", "ann"]) == counts.places([]) == set()  # in this order nowhere
    assert counts.information(places) == 1.0  # 2 of 4
    assert counts.mutual_information("ann", places) == 1.0  # 2/4 / (2/4 · 2/4)
    assert counts.mutual_information("bonn", places) == 1.0  # 1/4 / (1/4 · 2/4)
    assert (
        counts.mutual_information("judge", places) == counts.mutual_information("riga", places) == 0.0
    )  # 1/4 / (2/4 · 2/4)
    assert counts.mutual_information("is", places) == pytest.approx(math.log2(2 / 3))  # 1/4 / (3/4 · 2/4)
    assert counts.mutual_information("bob", places) == -math.inf


def test_what_exceeds_the_bound_is_masked(written: Written) -> None:
    """IC(Ann Lee) is 1. Her name has PMI 1; judge and Riga have 0; the words that two or three others have, less."""
    corpus = st.read_corpus(written(person("Ann Lee")))
    system = Sanitize(corpus.source, alpha=0.5)
    assert system.masks(corpus.documents[:1]) == [[Mask(0, 7)]]
    assert Sanitize(corpus.source, alpha=1.0).masks(corpus.documents[:1]) == [[]]  # nothing tells more than the name
    assert Sanitize(corpus.source, alpha=0.0).masks(corpus.documents[:1]) == [[Mask(0, 7)]]  # 0 does not exceed 0


def test_a_share_that_equals_the_bound_does_not_exceed_it(tmp_path: Path) -> None:
    """log2(2 · 5 / (2 · 2)) and −log2(2 / 5) are one number, which the last digit of a float does not change."""
    file = tmp_path / "five.jsonl"
    texts = ["Ann is ill", "Ann is well", "it is so", "he is out", "she is in"]
    file.write_text("".join(json.dumps({"id": f"d{at}", "text": text}) + "\n" for at, text in enumerate(texts)))
    corpus = st.read_corpus(file)
    assert Sanitize(str(file), alpha=1.0, entity="Ann").masks(corpus.documents) == [[]] * 5
    assert Sanitize(str(file), alpha=0.9, entity="Ann").masks(corpus.documents)[0] == [Mask(0, 3), Mask(7, 10)]


def test_the_whole_name_is_masked_where_a_part_of_it_is_common(tmp_path: Path) -> None:
    """PMI(name; name) = IC(name) = log2 6. Of smith, in 5 of 6 documents, it is log2(6 / 5), below half of that."""
    file = tmp_path / "six.jsonl"
    texts = ["Ann Smith sued Mr Smith", *(f"{name} Smith left" for name in ("Bob", "Cem", "Dee", "Eve")), "he is out"]
    file.write_text("".join(json.dumps({"id": f"d{at}", "text": text}) + "\n" for at, text in enumerate(texts)))
    corpus = st.read_corpus(file)
    made = Sanitize(str(file), entity="Ann Smith").masks(corpus.documents)
    assert made == [[Mask(0, 17)], *[[]] * 5]  # and "sued Mr", which stand beside the name alone
    assert Sanitize(str(file), alpha=1.0, entity="Ann Smith").masks(corpus.documents) == [[]] * 6


def test_a_name_with_a_capital_that_lower_case_makes_two_letters_is_masked(tmp_path: Path) -> None:
    """PMI(İlhan; name) = IC(name) = log2 3, as of a name in plain letters. Lower case writes İ as i and a dot above."""
    file = tmp_path / "three.jsonl"
    texts = ["İlhan İnan, born here", "Bob, born here", "Cem, born here"]
    file.write_text("".join(json.dumps({"id": f"d{at}", "text": text}) + "\n" for at, text in enumerate(texts)))
    corpus = st.read_corpus(file)
    assert Sanitize(str(file), entity="İlhan İnan").masks(corpus.documents) == [[Mask(0, 10)], [], []]


def test_a_fault_of_a_setting_names_the_system_once() -> None:
    with pytest.raises(PlanError, match=r"^anonymizer sanitize: alpha: found 2"):
        anonymizer("sanitize:corpus.json(alpha=2)")


def test_one_name_for_all_documents(written: Written) -> None:
    corpus = st.read_corpus(written([]))
    made = Sanitize(corpus.source, alpha=0.5, entity="Bob").masks(corpus.documents)
    # IC(Bob) is 2. judge, a: 1/4 / (2/4 · 1/4), which is 1 and does not exceed 1; Oslo: 1/4 / (1/4 · 1/4), 2.
    assert made == [[], [Mask(0, 3), Mask(18, 22)], [], []]
    made = Sanitize(corpus.source, alpha=0.4, entity="Bob").masks(corpus.documents)
    assert made[0] == [Mask(11, 18)]  # "a judge", of Ann too


def test_masks_are_the_same_by_the_command_line(written: Written) -> None:
    path = written(person("Ann Lee"))
    corpus = st.read_corpus(path)
    system = anonymizer(f"sanitize:{path}(alpha=0.3)")
    made = st.anonymize(corpus.part(range(1)), system)
    assert made.texts(corpus.part(range(1))) == {"a": " is a judge in Riga"}
    assert system.pinned == {"corpus": corpus.digest}  # type: ignore[attr-defined]


def test_what_cannot_be_counted_is_refused(written: Written) -> None:
    path = written(person("Ann  Leigh"))
    corpus = st.read_corpus(path)
    with pytest.raises(InputError, match=r"sanitize: document a: 'Ann  Leigh' is in no document of "):
        Sanitize(path).masks(corpus.documents[:1])
    with pytest.raises(InputError, match=r"document b: nobody says whom it is about; expected .*entity=NAME"):
        Sanitize(path).masks(corpus.documents[1:2])
    with pytest.raises(PlanError, match=r"has no corpus; expected .*sanitize:corpus\.json"):
        Sanitize().prepare()
    with pytest.raises(PlanError, match=r"alpha: found 1\.5; expected 0 to 1|found 1\.5; expected 0 to 1"):
        Sanitize(path, alpha=1.5)


def test_the_task_of_the_benchmark_says_whom_it_is_about(tmp_path: Path) -> None:
    file = tmp_path / "tab.json"
    task = "Task: Annotate the document to anonymise the following person: Ann Lee"
    cases = [{"doc_id": key, "text": text, "annotations": {}, "task": task, "meta": {}} for key, text in TEXTS.items()]
    file.write_text(json.dumps(cases))
    corpus = st.read_corpus(file)
    assert Sanitize(str(file)).masks(corpus.documents[:1]) == [[Mask(0, 7)]]
