"""What a program holds in memory: texts, spans, frames, and objects like those of spaCy and Presidio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, InputError, Mask, Mention, PlanError, TypedMask, apply_masks
from showthrough.data.masks import ScoredMask

ONE, TWO = "😀 Mr Doe of Oslo", "Oslo"
#           0  2  5   9  12
CORPUS = Corpus.from_texts({"a": ONE, "b": TWO}, name="two")


@dataclass
class Result:
    """As Presidio's RecognizerResult."""

    entity_type: str
    start: int
    end: int
    score: float = 0.85


@dataclass
class Engine:
    """As Presidio's EngineResult."""

    text: str
    items: list[Any]


@dataclass
class Span:
    """As spaCy's: `start` and `end` count tokens."""

    start_char: int
    end_char: int
    label_: str
    start: int = 0
    end: int = 1
    label: int = 380


@dataclass
class Doc:
    text: str
    ents: tuple[Span, ...] = ()


def told(made: Any) -> list[str]:
    """What is wrong, line by line."""
    with pytest.raises(InputError) as caught:
        made()
    return str(caught.value).splitlines()


# Texts.


def test_texts_by_id_or_in_a_list() -> None:
    assert [(one.id, one.text) for one in Corpus.from_texts([ONE, TWO])] == [("1", ONE), ("2", TWO)]
    assert Corpus.from_texts({7: ONE}).ids == ("7",)  # type: ignore[dict-item]
    assert CORPUS.name == "two"
    assert not CORPUS.survey.annotated


def test_a_column_of_pandas_has_its_index_for_ids() -> None:
    pandas = pytest.importorskip("pandas")
    turned = pandas.Series([TWO, ONE], index=["b", "a"])
    corpus = Corpus.from_texts({"a": ONE, "b": TWO})
    assert Corpus.from_texts(turned).ids == ("b", "a")
    assert Corpus.from_texts(pandas.Series([ONE, TWO])).ids == ("1", "2")  # row numbers are no ids
    made = Anonymization.from_texts(turned, corpus)  # by their order, each would be aligned to the other's original
    assert [made.of(key) for key in corpus.ids] == [[], []]


def test_ids_may_be_in_a_column_called_id() -> None:
    frame = {"id": [7, 8], "text": [ONE, TWO]}
    corpus = Corpus.from_frame(frame)
    assert corpus.ids == ("7", "8")
    assert not any(Anonymization.from_frame(frame, corpus).of(key) for key in corpus.ids)


def test_texts_that_cannot_be() -> None:
    assert told(lambda: Corpus.from_texts({"a": 3, "b": None})) == [  # type: ignore[dict-item]
        "document a: found a value of type int; expected text",
        "document b: found a value of type NoneType; expected text",
    ]
    assert told(lambda: Corpus.from_texts(["", "x"])) == ["document 1: text is empty; expected at least one character"]
    assert told(lambda: Corpus.from_texts("Mr Doe"))[0].startswith(
        "texts: found a value of type str; expected a mapping"
    )
    assert told(lambda: Corpus.from_texts([])) == ["the corpus is empty; expected at least one document"]


@pytest.mark.parametrize("texts", [{"b": TWO, "a": "😀 Mr PERSON of Oslo"}, ["😀 Mr PERSON of Oslo", TWO]])
def test_released_texts_are_aligned(texts: Any) -> None:
    made = Anonymization.from_texts(texts, CORPUS, name="x")
    assert (made.name, dict(made.masks)) == ("x", {"a": [Mask(5, 8, "PERSON")], "b": []})


def test_released_texts_that_do_not_fit() -> None:
    assert told(lambda: Anonymization.from_texts({"z": "x"}, CORPUS)) == [
        "anonymization: document z: is not in the corpus two; leave it out (of a file: evaluate --extra ignore)"
    ]
    assert told(lambda: Anonymization.from_texts(["x"], CORPUS))[0].startswith(
        "texts: found 1; expected 2, one for each"
    )


# Spans.


@pytest.mark.parametrize(
    ("span", "mask"),
    [
        ((5, 8), TypedMask(5, 8)),
        ([5, 8], TypedMask(5, 8)),
        ((5, 8, "PERSON"), TypedMask(5, 8, None, "PERSON")),
        ((5, 8, None), TypedMask(5, 8)),
        (Mask(5, 8, "X"), Mask(5, 8, "X")),
        ({"start": 5, "end": 8, "label": "PER", "replacement": "X"}, TypedMask(5, 8, "X", "PER")),
        ({"start_offset": 5, "end_offset": 8, "entity_type": "PER"}, TypedMask(5, 8, None, "PER")),
        (Result("PERSON", 5, 8), ScoredMask(5, 8, None, "PERSON", 0.85)),
        (Span(5, 8, "PERSON"), TypedMask(5, 8, None, "PERSON")),  # and not token 0 to 1
    ],
)
def test_whatever_has_a_start_and_an_end_is_a_span(span: Any, mask: Mask) -> None:
    made = Anonymization.from_spans({"a": [span], "b": []}, CORPUS)
    assert made.masks == {"a": [mask], "b": []}
    assert apply_masks(ONE, made.of("a")).replace("X", "") == "😀 Mr  of Oslo"


def test_all_spans_that_cannot_be_are_told() -> None:
    spans = {"a": [(5,), (5, 8.0), ("5", 8), (True, 8), {"begin": 5}, (5, 8, 3), 5], "b": "0-4"}
    lines = told(lambda: Anonymization.from_spans(spans, CORPUS))
    assert [line.split("; expected")[0] for line in lines] == [
        "document a: spans[0]: found (5,)",
        "document a: spans[1]: end: found 8.0",
        "document a: spans[2]: start: found '5'",
        "document a: spans[3]: start: found True",
        "document a: spans[4]: found a value of type dict",
        "document a: spans[5]: entity_type: found a value of type int",
        "document a: spans[6]: found a value of type int",
        "document b: found a value of type str",
    ]
    assert told(lambda: Anonymization.from_spans({"a": [(5, 99)], "z": []}, CORPUS)) == [
        "anonymization: document z: is not in the corpus two; leave it out (of a file: evaluate --extra ignore)",
        "anonymization: document a: masks[0]: end 99 is past the end of the text (16 characters)",
    ]
    assert told(lambda: Anonymization.from_spans([[(5, 8)]])) == [  # type: ignore[arg-type]
        "spans: found a value of type list; expected a mapping by document id"
    ]


# Frames.


class Column:
    """As a column of pandas."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def tolist(self) -> list[Any]:
        return self._values


class Table:
    """As a frame of pandas or polars."""

    def __init__(self, **columns: list[Any]) -> None:
        self.columns = list(columns)
        self._columns = columns

    def __getitem__(self, name: str) -> Column:
        return Column(self._columns[name])


NAN = float("nan")
ROWS = {"case": [1, 2], "body": [ONE, TWO], "patient": ["p", NAN]}


@pytest.mark.parametrize(
    "frame", [ROWS, Table(**ROWS), [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]]
)
def test_a_frame_of_texts(frame: Any) -> None:
    made = Corpus.from_frame(frame, id="case", text="body", group="patient", name="f")
    assert [(one.id, one.text, one.annotations, one.group) for one in made] == [("1", ONE, (), "p"), ("2", TWO, (), "")]


def test_a_column_of_spans() -> None:
    spans = [[(5, 8, "PERSON"), {"start": 12, "end": 16, "identifier": "NO_MASK", "entity_id": 4}], None]
    made = Corpus.from_frame({"doc_id": ["a", "b"], "text": [ONE, TWO], "marks": spans}, spans="marks", annotator="ann")
    assert made.documents[0].annotations[0].mentions == (
        Mention(5, 8, "PERSON", "DIRECT"),
        Mention(12, 16, "", "NO_MASK", "4"),
    )
    assert [mention.stated for mention in made.documents[0].annotations[0].mentions] == [False, True]
    assert made.documents[1].annotations == ()  # nobody has read it
    assert made.documents[0].annotations[0].annotator == "ann"


def test_a_frame_of_spans_beside_one_of_texts() -> None:
    spans = {"doc_id": ["a"], "start": [5], "end": [8], "entity_type": ["PER"], "text": ["Doe"]}
    made = Corpus.from_frame({"doc_id": ["a", "b"], "text": [ONE, TWO]}, spans=spans)
    assert [[len(layer.mentions) for layer in one.annotations] for one in made] == [[1], [0]]
    spans["start"], spans["end"] = [6], [9]  # as UTF-16 counts
    lines = told(lambda: Corpus.from_frame({"doc_id": ["a"], "text": [ONE]}, spans=spans))
    assert lines == [
        "document a: spans[0]: the text at 6–9 is 'oe ' but the row has 'Doe'; "
        "expected offsets in Unicode code points, unless offsets says what they count"
    ]
    spans["doc_id"] = ["z"]
    assert told(lambda: Corpus.from_frame({"doc_id": ["a"], "text": [ONE]}, spans=spans)) == [
        "spans: document z: is not among the texts"
    ]


def test_frames_that_cannot_be() -> None:
    assert told(lambda: Corpus.from_frame({"key": ["a"], "text": [ONE]})) == [
        "frame: column doc_id: found key, text; expected one column of this name; from_frame takes other names: id=…, "
        "text=…"
    ]
    assert told(lambda: Corpus.from_frame(7)) == [
        "frame: found a value of type int; expected a frame: columns by name, or a list of rows"
    ]
    assert told(lambda: Corpus.from_frame({"doc_id": ["a", NAN], "text": [ONE, TWO]})) == [
        "row 2: column doc_id: found the id nan; expected text or a whole number"
    ]
    assert told(lambda: Corpus.from_frame({"doc_id": ["a", "b"], "text": [ONE, NAN]})) == [
        "row 2: document b: column text: found a value of type float; expected text"
    ]
    assert told(lambda: Corpus.from_frame({"doc_id": ["a", "a"], "text": [ONE, TWO]})) == [
        "document a: occurs twice among the texts; expected unique ids"
    ]
    marks = {"doc_id": ["a"], "text": [ONE], "spans": [[(5, 99)]]}
    assert "end_offset 99 is past the end" in told(lambda: Corpus.from_frame(marks, spans="spans"))[0]


@pytest.mark.parametrize("score", [0.5, 1, np.float32(0.5), None, float("nan")])
def test_scores_of_spans(score: Any) -> None:
    expected = None if score is None or score != score else float(score)
    span = {"start": 5, "end": 8, "entity_type": "PER", "score": score}
    assert [one.score for one in Anonymization.from_spans({"a": [span]}).of("a")] == [expected]
    assert [one.score for one in Anonymization.from_presidio({"a": [span]}, CORPUS).of("a")] == [expected]
    frame = {"doc_id": ["a"], "start": [5], "end": [8], "entity_type": ["PER"], "score": [score]}
    assert [one.score for one in Anonymization.from_frame(frame, CORPUS).of("a")] == [expected]
    item = {"start": 5, "end": 6, "entity_type": "PER", "text": "X", "operator": "replace", "score": score}
    result = {"text": ONE.replace("Doe", "X"), "items": [item]}
    assert [one.score for one in Anonymization.from_presidio({"a": result}, CORPUS).of("a")] == [expected]


@pytest.mark.parametrize("score", [1.5, -1, "0.5", True, [0.5]])
def test_what_is_no_score_is_refused(score: Any) -> None:
    span = {"start": 5, "end": 8, "score": score}
    (line,) = told(lambda: Anonymization.from_spans({"a": [span]}))
    assert line.startswith("document a: spans[0]: score: found ")
    assert line.endswith("a number from 0 to 1")


def test_a_frame_of_released_texts_or_of_spans() -> None:
    texts = Anonymization.from_frame({"doc_id": ["a", "b"], "text": ["😀 Mr X of Oslo", TWO]}, CORPUS)
    assert texts.masks == {"a": [Mask(5, 8, "X")], "b": []}
    frame = {"n": ["a"], "from": [5], "to": [8], "kind": ["PER"], "text": ["Doe"]}
    columns = {"id": "n", "start": "from", "end": "to", "entity_type": "kind"}
    spans = Anonymization.from_frame(frame, CORPUS, **columns)
    assert spans.masks == {"a": [TypedMask(5, 8, None, "PER")], "b": []}  # no row: nothing is masked
    frame["text"] = ["Oslo"]
    assert "but the row has 'Oslo'" in told(lambda: Anonymization.from_frame(frame, CORPUS, **columns))[0]
    frame["text"] = ["Doe\u00a0"]  # white space does not count
    assert Anonymization.from_frame(frame, CORPUS, **columns).masks == spans.masks
    frame["text"] = [ONE]  # the whole document's
    assert Anonymization.from_frame(frame, CORPUS, **columns).masks == spans.masks
    del frame["to"]
    assert told(lambda: Anonymization.from_frame(frame, CORPUS, **columns)) == [
        "frame: column to: found n, from, kind, text; expected one column of this name"
    ]


# spaCy.


def test_docs_as_a_corpus() -> None:
    made = Corpus.from_spacy([Doc(ONE, (Span(5, 8, "PERSON"),)), Doc(TWO)], annotator="silver(sm)")
    assert made.ids == ("1", "2")
    assert made.documents[0].annotations[0].mentions == (Mention(5, 8, "PERSON", "DIRECT"),)
    assert made.survey.silver == {"silver(sm)": 2}
    assert told(lambda: Corpus.from_spacy([ONE])) == [
        "document 1: found a value of type str; expected a spaCy Doc, with text and ents"
    ]


def test_docs_find_their_documents_by_their_texts() -> None:
    twice = Corpus.from_texts({"a": ONE, "b": TWO, "c": TWO})
    city = Doc(TWO, (Span(0, 4, "GPE"),))
    made = Anonymization.from_spacy([city, Doc(ONE), Doc(TWO)], twice)
    assert {key: len(masks) for key, masks in made.masks.items()} == {"b": 1, "a": 0, "c": 0}
    lines = told(lambda: Anonymization.from_spacy([city, city, city, Doc("Rome")], twice))
    assert [line.split(":")[0] for line in lines] == ["doc number 3", "doc number 4"]
    by_id = Anonymization.from_spacy({"c": city}, twice)
    assert by_id.masks == {"c": [TypedMask(0, 4, None, "GPE")]}
    assert told(lambda: Anonymization.from_spacy({"c": Doc("Osloe")}, twice)) == [
        "document c: its text differs from the corpus's at character 4: found 'e'; expected 'the end'"
    ]


# Presidio.


def test_what_an_analyzer_found() -> None:
    results = [[Result("PERSON", 5, 8)], []]
    made = Anonymization.from_presidio(results, CORPUS)
    assert made.masks == {"a": [ScoredMask(5, 8, None, "PERSON", 0.85)], "b": []}
    assert Anonymization.from_presidio({"b": [{"start": 0, "end": 4, "entity_type": "LOC"}]}, CORPUS).masks == {
        "b": [TypedMask(0, 4, None, "LOC")]
    }
    assert told(lambda: Anonymization.from_presidio([[]], CORPUS))[0].startswith("results: found 1; expected 2")


def engine(original: str, released: str, *spans: tuple[int, int]) -> list[tuple[str, str | None]]:
    corpus = Corpus.from_texts([original])
    items = [Result("T", *span) for span in reversed(spans)]  # Presidio lists the last first
    made = Anonymization.from_presidio([Engine(released, items)], corpus)
    assert apply_masks(original, made.of("1")) == released
    return [(original[mask.start : mask.end], mask.replacement) for mask in made.of("1")]


def test_what_an_anonymizer_made_counts_the_released_text() -> None:
    assert engine(ONE, "😀 Mr <PERSON> of <LOC>", (5, 13), (17, 22)) == [("Doe", "<PERSON>"), ("Oslo", "<LOC>")]
    assert engine("Doe of Oslo", " of ", (0, 0), (4, 4)) == [("Doe", None), ("Oslo", None)]  # redacted
    assert engine("Oslo", "*", (0, 1)) == [("Oslo", "*")]
    assert engine("Oslo", "Oslo") == []
    assert engine("DoeOslo", "<P><L>", (0, 3), (3, 6)) == [("D", "<P>"), ("oeOslo", "<L>")]  # both are gone


def test_where_an_item_may_be_elsewhere_no_word_is_called_hidden_that_may_be_read() -> None:
    text = "Ann of Lee of Oslo"
    corpus = Corpus.from_texts([text])
    made = Anonymization.from_presidio([Engine("<P> of <L>", [Result("P", 0, 3), Result("L", 7, 10)])], corpus)
    assert [text[mask.start : mask.end] for mask in made.of("1")] == ["Ann", "Lee ", " Oslo"]  # either "of" was kept
    assert [mask.replacement for mask in made.of("1")] == ["<P>", "<L>", None]
    [note] = made.notes
    assert note.startswith("in 1 document the anonymized text does not show where one mask ends")


@pytest.mark.parametrize(
    ("original", "released", "spans", "fault"),
    [
        ("Mr Doe", "Ms <P>", [(3, 6)], "text: 'Ms ' is between masks, and the original has no place for it"),
        (
            "Mr Doe left",
            "Mr <P> went",
            [(3, 6)],
            "text: ' went' is between masks, and the original has no place for it",
        ),
        ("Mr Doe", "Mr Roe", [], "text: 'Mr Roe' is between masks, and the original has no place for it"),
        ("Mr ", "Mr <P>", [(3, 6)], "text: '' is between masks"),
        ("Mr Doe", "Mr <P>", [(3, 9)], "items[0]: 3–9 is not in what is left of the anonymized text (0–6)"),
        ("Mr Doe", "Mr <P>", [(3, 6), (4, 6)], "items[1]: 4–6 is not in what is left of the anonymized text (6–6)"),
    ],
)
def test_what_does_not_fit_the_original(original: str, released: str, spans: Any, fault: str) -> None:
    corpus = Corpus.from_texts({"a": original})
    items = [{"start": start, "end": end, "entity_type": "T"} for start, end in spans]
    [line] = told(lambda: Anonymization.from_presidio({"a": {"text": released, "items": items}}, corpus))
    assert line.startswith("document a: ")
    assert fault in line


def test_a_stranger_is_told() -> None:
    assert told(lambda: Anonymization.from_presidio({"z": Engine("x", [])}, CORPUS)) == [
        "document z: is not in the corpus two"
    ]
    with pytest.raises(PlanError):
        Anonymization.from_presidio("x", CORPUS)
