"""Answers of others: whom people or agents named, scored as any other attack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import Anonymization, Background, Corpus, Document, evaluate
from showthrough.core.errors import InputError, PlanError
from showthrough.families.reidentification.api import reidentify
from showthrough.families.reidentification.attacks import approaches
from showthrough.formats.people.named_individuals import NamedIndividual, read_named_individuals
from showthrough.run.run import Run

KNOWN = {"ann": "Ann, a surgeon", "bob": "Bob bakes bread", "cem": "Cem judges", "dee": "Dee dives"}
DOCUMENTS = Corpus([Document(key, f"{key} was here") for key in KNOWN])
HIDDEN = Anonymization({key: [] for key in KNOWN}, "hidden")


def file(folder: Path, content: object, name: str = "said.jsonl") -> str:
    lines = content if isinstance(content, str) else "\n".join(map(json.dumps, content))  # type: ignore[call-overload]
    (folder / name).write_text(lines, encoding="utf-8")
    return str(folder / name)


def scored(*anonymizations: Anonymization, attacks: str, **options: object) -> Run:
    metric = f"trir(attacks={json.dumps(attacks)}, k=2, abstain=true)"
    return evaluate(
        DOCUMENTS, list(anonymizations), [metric], background=Background(KNOWN), resamples=0, **options  # type: ignore[arg-type]
    )  # fmt: skip


def values(run: Run, attack: str) -> dict[str, float | None]:
    text = run.metrics[0].text
    return {
        part: run["hidden", text, f"{attack} {part}".strip()].value
        for part in ("", "@2", "mrr", "control", "recall@0.9")
    }


def test_ranks_follow_the_confidence_and_missing_documents_stay_in_the_denominator(tmp_path: Path) -> None:
    path = file(tmp_path, [
        {"id": "ann", "named": [{"individual": "bob", "confidence": 0.2}, {"individual": "ann", "confidence": 0.9}]},
        {"id": "bob", "named": ["cem", "bob"], "searches": [{"query": "baker", "at": "2026-01-01"}]},
        {"id": "cem", "named": []},
    ])  # fmt: skip
    run = scored(HIDDEN, attacks=f"answers:{path}")
    # Ann is first, Bob second, nobody for Cem, and no line for Dee.
    found = values(run, f"answers:{path}")
    assert (found[""], found["@2"], found["mrr"]) == (1 / 4, 2 / 4, (1 + 1 / 2) / 4)
    assert found["recall@0.9"] == 1 / 4  # Bob's first is ahead by 1/2, Ann's by 0.7
    text = run.metrics[0].text
    assert (run["hidden", text, "chance"].value, run["hidden", text, "ceiling"].value) == (1 / 4, 1)
    assert any(
        "has no valid answer for 1 of 4 documents, for whom nobody counts as named" in note for note in run.notes
    )


def test_equal_confidence_shares_a_place(tmp_path: Path) -> None:
    both = [{"individual": name, "confidence": 3} for name in ("ann", "bob")]
    path = file(tmp_path, [{"id": "ann", "named": both}])
    assert values(scored(HIDDEN, attacks=f"answers:{path}"), f"answers:{path}")[""] == 0.5 / 4


def test_who_always_names_the_same_is_no_better_than_the_control(tmp_path: Path) -> None:
    path = file(tmp_path, [{"id": key, "individual": "ann", "confidence": 1} for key in KNOWN])
    found = values(scored(HIDDEN, attacks=f"answers:{path}"), f"answers:{path}")
    assert found[""] == found["control"] == 1 / 4


def test_a_table_and_lines_say_the_same(tmp_path: Path) -> None:
    table = file(tmp_path, "id,individual,confidence,seen\nann,bob,0.2,x\nann,ann,0.9,\ncem,,,\n", "said.csv")
    lines = file(tmp_path, [
        {"id": "ann", "named": [{"individual": "ann", "confidence": 0.9}, {"individual": "bob", "confidence": 0.2}]},
        {"id": "cem", "individual": None},
    ])  # fmt: skip
    expected = {("", "ann"): (NamedIndividual("ann", 0.9), NamedIndividual("bob", 0.2)), ("", "cem"): ()}
    assert read_named_individuals(table) == read_named_individuals(lines) == expected


def test_each_anonymization_has_its_own_answers(tmp_path: Path) -> None:
    other = Anonymization({key: [] for key in KNOWN}, "other")
    first, second = (
        file(tmp_path, [{"id": "ann", "individual": "ann"}]),
        file(tmp_path, [{"id": "ann", "named": []}], "b.jsonl"),
    )
    attack = f"answers:hidden={first},other={second}"
    run = scored(HIDDEN, other, attacks=f"{attack}, lexical")
    text = run.metrics[0].text
    assert [run[name, text, attack].value for name in ("hidden", "other")] == [1 / 4, 0]
    named = file(tmp_path, [{"id": "ann", "anonymization": name, "individual": "ann"} for name in ("hidden", "other")])
    run = scored(HIDDEN, other, attacks=f"answers:{named}")
    assert [run[name, run.metrics[0].text, f"answers:{named}"].value for name in ("hidden", "other")] == [1 / 4] * 2


def test_texts_alone_can_be_scored_too(tmp_path: Path) -> None:
    path = file(tmp_path, [{"id": "ann", "individual": "ann"}, {"id": "bob", "individual": "ann"}])
    run = reidentify(KNOWN, {"mine": {"ann": "***", "bob": "***"}}, f"answers:{path}", resamples=0)
    assert run["mine", "trir"].value == 1 / 2  # the same text, and an answer of its own for each
    with pytest.raises(InputError, match="answers about bob, and no such document is attacked"):
        reidentify(KNOWN, {"mine": {"ann": "***"}}, f"answers:{path}", resamples=0)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([{"id": "eve", "individual": "ann"}], "answers about eve, and no such document is attacked"),
        ([{"id": "ann", "individual": "eve"}], "names eve, of whom the background says nothing"),
        ([{"id": "ann", "anonymization": "hiden", "individual": "ann"}], "anonymization hiden: is none"),
        ([{"id": "ann", "individual": "ann"}] * 2, "is there twice"),
        ([{"id": "ann", "named": ["ann", "ann"]}], "names ann twice"),
        ([{"id": "ann", "named": ["ann"], "individual": "ann"}], "found both"),
        ([{"id": "ann"}], "found no answer"),
        ([{"individual": "ann"}], "its id is missing"),
        ([{"id": "ann", "individual": "ann", "confidence": -1}], "found -1; expected a confidence above 0"),
        (
            [{"id": "ann", "named": [{"individual": "ann", "confidence": 1}, "bob"]}],
            "some who are named have a confidence",
        ),
        ("", "is empty"),
        ("ann", "is not JSON"),
    ],
)
def test_answers_that_cannot_be_used(tmp_path: Path, content: object, fault: str) -> None:
    path = file(tmp_path, content)
    with pytest.raises(InputError) as caught:
        scored(HIDDEN, attacks=f"answers:{path}")
    assert fault in str(caught.value)
    assert "said.jsonl" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("id,who\nann,ann\n", "has no column individual"),
        ("id,individual,confidence\nann,ann,sure\n", "found 'sure'; expected a number"),
        ("id,individual\nann\n", "has another number of cells than heads"),
        ("id,individual\n,ann\n", "its id is empty"),
        ("id,individual\nann,ann\nann,ann\n", "names ann twice"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, content: str, fault: str) -> None:
    with pytest.raises(InputError) as caught:
        read_named_individuals(file(tmp_path, content, "said.csv"))
    assert fault in str(caught.value)


def test_an_anonymization_without_answers_is_not_safe(tmp_path: Path) -> None:
    other = Anonymization({key: [] for key in KNOWN}, "other")
    path = file(tmp_path, [{"id": "ann", "individual": "ann"}])
    with pytest.raises(InputError, match=r"anonymization other: answers:.* has no answers about it"):
        scored(HIDDEN, other, attacks=f"answers:hidden={path}")
    with pytest.raises(InputError, match="does not say which of 2 anonymizations was read"):
        scored(HIDDEN, other, attacks=f"answers:{path}")


def test_nothing_works_on_top_of_answers() -> None:
    for text in ("answers:a.jsonl+assignment", "lexical+answers:a.jsonl", "answers:a.jsonl+llm:m"):
        with pytest.raises(PlanError, match="recorded answers are final"):
            approaches(text)
    written = 'lexical, answers:rules=a/b.jsonl,mine=c.csv, answers(file="my file.jsonl")'
    assert ", ".join(map(str, approaches(written))) == written
