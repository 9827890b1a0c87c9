"""Functions as anonymizers: whatever they take and give."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import showthrough as st
from showthrough.data.masks import ScoredMask, TypedMask

CORPUS = st.Corpus([st.Document("a", "Mr Doe"), st.Document("b", "Oslo, Doe")])


def masks(function: Any, **options: Any) -> dict[str, list[st.Mask]]:
    return {key: list(found) for key, found in st.anonymize(CORPUS, function, **options).masks.items()}


def last_word(text: str) -> list[tuple[int, int, str]]:
    return [(text.rindex(" ") + 1, len(text), "PERSON")]


def test_spans_of_a_text() -> None:
    made = st.anonymize(CORPUS, last_word)
    assert made.name == "last_word"
    assert made.of("b") == [TypedMask(6, 9, "PERSON", "PERSON")]
    assert made.provenance is not None
    assert made.provenance.parameters == {"function": "last_word"}  # no address, which differs from run to run


def test_it_is_given_the_document_where_its_parameter_says_so() -> None:
    def by_name(document):  # type: ignore[no-untyped-def]
        return [(0, len(document.id))]

    def by_type(one: st.Document) -> list[tuple[int, int]]:
        return [(0, len(one.id))]

    assert masks(by_name) == masks(by_type) == {"a": [TypedMask(0, 1)], "b": [TypedMask(0, 1)]}


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((0, 2), TypedMask(0, 2)),
        ([0, 2, "T"], TypedMask(0, 2, None, "T")),
        ((0, 2, "T", 0.5), ScoredMask(0, 2, None, "T", 0.5)),
        ({"start": 0, "end": 2, "entity_type": "T", "replacement": "X"}, TypedMask(0, 2, "X", "T")),
        (SimpleNamespace(start=0, end=2, entity_type="T", score=1), ScoredMask(0, 2, None, "T", 1.0)),
        (st.Mask(0, 2, "X"), st.Mask(0, 2, "X")),
        (ScoredMask(0, 2, None, "T", 0.5), ScoredMask(0, 2, None, "T", 0.5)),
    ],
)
def test_spans_in_whatever_shape(span: object, expected: st.Mask) -> None:
    from showthrough.systems.outside.answers import FunctionAnonymizer

    assert FunctionAnonymizer(lambda text: [span]).masks([CORPUS.documents[0]]) == [[expected]]


def test_a_rewritten_text_is_aligned() -> None:
    assert masks(lambda text: text.replace("Doe", "PERSON"))["b"] == [st.Mask(6, 9, "PERSON")]


def test_a_doc_has_its_entities() -> None:
    def pipeline(text: str) -> SimpleNamespace:
        return SimpleNamespace(text=text, ents=[SimpleNamespace(start_char=0, end_char=2, label_="PER")])

    assert masks(pipeline)["a"] == [TypedMask(0, 2, "PER", "PER")]
    with pytest.raises(st.InputError, match="document a: found a Doc of another text"):
        masks(lambda text: pipeline(text + " "))


def test_what_presidios_anonymizer_made() -> None:
    def engine(text: str) -> SimpleNamespace:
        item = SimpleNamespace(start=0, end=3, entity_type="T", text="<T>", operator="replace")
        return SimpleNamespace(text="<T>" + text[2:], items=[item])

    assert masks(engine)["a"] == [TypedMask(0, 2, "T", "T")]


@pytest.mark.parametrize("jobs", [None, 2])
def test_it_works_in_other_processes(jobs: int | None) -> None:
    wide = 2  # of the function's own surroundings
    assert masks(lambda text: [(0, wide, "T")], jobs=jobs)["b"] == [TypedMask(0, 2, "T", "T")]


def fails(text: str) -> list[tuple[int, int]]:
    return [] if text == "Mr Doe" else [][1]


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (fails, "anonymizer fails: document b: raised IndexError (test_function.py, line"),
        (lambda text: None, "document a: spans: found a value of type NoneType; expected a list of spans"),
        (lambda text: [(0, 99)], "document a: masks[0]: end 99 is past the end of the text (6 characters)"),
        (lambda text: [(0,)], "document a: spans[0]: found (0,); expected (start, end)"),
        (lambda text: [(0, 2, "T", 2)], "document a: spans[0]: score: found 2; expected a number from 0 to 1"),
        (lambda text: ["Mr"], "document a: spans[0]: found a value of type str"),
        (3, "anonymizer: found 3; expected how one is written, a value or a function"),
    ],
)
def test_what_is_wrong_is_told_with_its_document(function: Any, fault: str) -> None:
    with pytest.raises(st.InputError) as caught:
        st.anonymize(CORPUS, function)
    assert fault in str(caught.value)
    assert "Doe" not in str(caught.value)


def test_a_class_is_made_and_a_text_is_read() -> None:
    class Nothing:
        name, version = "nothing", 1

        def masks(self, documents: Any) -> Any:
            return [[] for _ in documents]

    assert masks(Nothing) == {"a": [], "b": []}
    assert st.anonymize(CORPUS, "mine=rules").name == "mine"
    assert isinstance(st.anonymizer("rules"), st.Anonymizer)
