"""A name that was marked in one document and overlooked in another: in whose release it can be read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.evaluation._others_identifiers import OthersIdentifiers
from showthrough.run import documents as kept_documents

NAME = "Anna Kowalska"


def document(key: str, text: str, *marks: tuple[str, str, str]) -> Document:
    """Marks are the text, its type and how it identifies."""
    mentions = tuple(
        Mention(text.index(what), text.index(what) + len(what), kind, level, what)  # type: ignore[arg-type]
        for what, kind, level in marks
    )
    return Document(key, text, (Annotation("ann", mentions),))


def found(other: Document, masks: Sequence[Mask] = (), marked: str = NAME, kind: str = "PERSON") -> list[str]:
    """Of a document that marks an identifier, and another."""
    first = document("one", f"It is {marked}.", (marked, kind, "DIRECT"))
    hidden = [Mask(mark.start, mark.end) for mark in first.annotations[0].mentions]
    return OthersIdentifiers([first, other]).released([hidden, masks])


@pytest.mark.parametrize(
    ("marked", "kind", "text"),
    [
        (NAME, "PERSON", "He met Anna Kowalska."),
        (NAME, "PERSON", "He met ANNA  KOWALSKA."),
        ("Ms Anna Kowalska", "PATIENT", "He met Anna Kowalska."),
        ("Zoë Müller", "HANDLE", "Er traf Zoe Muller."),
        ("36110/97", "CODE", "See 36110/97."),
        ("a@clinic.example", "EMAIL", "Ask a@clinic.example."),
        (NAME, "PERSON", "名前は Anna Kowalska です"),
    ],
)
def test_what_nobody_marked_there_is_found(marked: str, kind: str, text: str) -> None:
    assert found(document("two", text), marked=marked, kind=kind) == ["two"]


@pytest.mark.parametrize(
    ("marked", "kind", "text"),
    [
        ("Anna", "PERSON", "He met Anna."),  # anybody may be called so
        ("Ms Kowalska", "PERSON", "He met Ms Kowalska."),
        ("4711", "CODE", "See 4711."),
        ("Ministry of Justice", "ORG", "The Ministry of Justice wrote."),
        ("29 October 1997", "DATE", "On 29 October 1997."),
        (NAME, "PERSON", "He met Joanna Kowalska and Anna Kowalskaya."),
    ],
)
def test_what_anybody_may_write_is_not(marked: str, kind: str, text: str) -> None:
    assert found(document("two", text), marked=marked, kind=kind) == []


@pytest.mark.parametrize("level", ["NO_MASK", "QUASI", "DIRECT"])
def test_what_an_annotator_saw_there_is_not(level: str) -> None:
    """It is for the metrics to count, or nobody's; also where the same stands there once more."""
    text = "He met Anna Kowalska, and again Anna Kowalska."
    assert found(document("two", text, (NAME, "PERSON", level))) == []
    assert found(document("two", text, ("met Anna Kowalska, and again Anna Kowalska", "MISC", level))) == []


def test_what_is_masked_or_a_surrogate_is_not() -> None:
    other = document("two", "He met Anna Kowalska. She met Bob.")
    assert found(other, [Mask(7, 20, "[PERSON]")]) == []
    assert found(other, [Mask(7, 20, "[PERSON]"), Mask(30, 33, NAME)]) == []  # whose name Bob was given
    long = f"{NAME} was the writer of a letter that was released as if it were another one"
    assert found(other, [Mask(0, len(other.text), long)]) == ["two"]


def run_of(metric: str) -> tuple[int, list[str]]:
    corpus = Corpus([document("one", f"It is {NAME}.", (NAME, "PERSON", "DIRECT")), document("two", f"I am {NAME}.")])
    masks = Anonymization({"one": [Mask(6, 19)], "two": []}, "tool")
    run = evaluate(corpus, masks, [metric], resamples=0)
    return run.anonymizations[0].of_others, [note for note in run.notes if "nobody marked it" in note]


def test_the_run_keeps_how_many_and_says_which() -> None:
    count, notes = run_of("removed_di")
    assert (count, notes) == (
        1,
        [
            "tool: a direct identifier of another document can be read in 1 release, and nobody marked it there (two); "
            "mark it there, as NO_MASK if it may stay"
        ],
    )
    assert run_of("er_di") == (0, [])  # which searches no release


def test_of_very_many_documents_those_are_searched_that_the_run_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_documents, "MOST_DOCUMENTS", 2)
    assert run_of("removed_di")[0] == 1
    monkeypatch.setattr(kept_documents, "MOST_DOCUMENTS", 1)
    assert run_of("removed_di")[0] == 0
