"""Filled sheets read back: what they change, and all that is wrong with them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    Annotation,
    Attribute,
    Corpus,
    Document,
    InputError,
    Mention,
    PlanError,
    Reviewed,
    Subject,
    reviewed,
)
from showthrough.data.levels import by_type
from showthrough.report.review import review_sheet
from showthrough.studies.review.outcome import exact_interval

from .conftest import Fill, filled_in, save
from .test_copies import marked_documents

TEXT = "Mr John Doe of Oslo met Ann Lee.\r\nDoe left\nOslo in 2011. Ann Lee and Doering stayed in Oslo."
DOE = Mention(3, 11, "PERSON", "DIRECT", "e1", None, "check")
OSLO = Mention(15, 19, "LOC", "QUASI", "e2")
LEFT = Mention(43, 47, "LOC", "NO_MASK", "e2")
YEAR = Mention(51, 55, "DATETIME", "QUASI", "e3", "HEALTH")


@pytest.fixture
def corpus() -> Corpus:
    return Corpus([Document("d1", TEXT, (Annotation("ann", (DOE, OSLO, LEFT, YEAR)), Annotation("bob", (OSLO,))))])


def marks(made: Reviewed, annotator: str = "ann") -> list[tuple[str, Mention]]:
    document = made.corpus.documents[0]
    [layer] = (one.mentions for one in document.annotations if one.annotator == annotator)
    return [(document.text[one.start : one.end], one) for one in layer]


def problems(call: object) -> list[str]:
    with pytest.raises(InputError) as raised:
        call()  # type: ignore[operator]
    return [f"{Path(one.file).name}: {one.place}: {one.message}" for one in raised.value.problems]


@settings(max_examples=40)  # each writes a folder
@given(st.lists(marked_documents(), min_size=1, max_size=3), st.sampled_from([",", ";", "\t"]))
def test_no_findings_leave_the_annotations_as_they_were(documents: list[Document], separator: str) -> None:
    corpus = Corpus([Document(f" {number}=x", one.text, one.annotations) for number, one in enumerate(documents)])
    with TemporaryDirectory() as home:
        made = reviewed(corpus, filled_in(corpus, Path(home, "review"), separator=separator))
    assert [one.annotations for one in made.corpus] == [one.annotations for one in corpus]
    assert [one.reviewed for one in made.corpus] == [("a",)] * len(corpus)
    assert [one.text for one in made.corpus] == [one.text for one in corpus]


def test_people_stay(fill: Fill) -> None:
    people = (Subject("doe", (Attribute("NAME", "John Doe"),)),)
    corpus = Corpus([Document("d1", TEXT, (Annotation("ann", (DOE,)),), subjects=people)])
    made = reviewed(corpus, fill(corpus, annotator="ann"))
    assert [(one.subjects, one.reviewed) for one in made.corpus] == [(people, ("ann",))]


def test_layers_of_one_annotator_are_one(fill: Fill) -> None:
    layers = Annotation("ann", (DOE,)), Annotation("bob", (OSLO,)), Annotation("ann", (OSLO, YEAR))
    folder = fill(
        corpus := Corpus([Document("d1", TEXT, layers)]), {"words": "2011", "kind": "spurious"}, annotator="ann"
    )
    assert (folder / "copies" / "d1.txt").read_bytes().startswith(b"Mr ***** of ***** met")
    assert reviewed(corpus, folder).corpus.documents[0].annotations == (Annotation("ann", (DOE, OSLO)), layers[1])


def test_what_is_missing_is_marked(corpus: Corpus, fill: Fill) -> None:
    found = {"words": "Ann Lee", "kind": "missing", "type": "PERSON", "identifier": "quasi", "occurrence": "all"}
    made = reviewed(corpus, fill(corpus, found, annotator="ann"))
    assert marks(made) == [
        ("John Doe", DOE),
        ("Oslo", OSLO),
        ("Ann Lee", Mention(24, 31, "PERSON", "QUASI", "d1_r1", None, "insert")),
        ("Oslo", LEFT),
        ("2011", YEAR),
        ("Ann Lee", Mention(57, 64, "PERSON", "QUASI", "d1_r1", None, "insert")),
    ]
    assert marks(made, "bob") == [("Oslo", OSLO)]
    assert made.corpus.documents[0].reviewed == ("ann",)
    assert made.outcome.applied["missing"] == 2


def test_a_missing_mention_is_of_the_entity_of_its_words_or_of_the_one_named(corpus: Corpus, fill: Fill) -> None:
    doe = {"words": "Doe", "kind": "missing", "same as": "John Doe"}
    oslo = {"words": "Oslo", "kind": "missing", "occurrence": "2", "identifier": "QUASI"}  # the last one in clear
    lee = {"words": "Ann Lee", "kind": "missing", "occurrence": "1 2", "type": "PERSON", "identifier": "DIRECT"}
    new = {"words": "Doering", "kind": "missing", "same as": "Ann Lee", "type": "PERSON", "identifier": "DIRECT"}
    made = reviewed(corpus, fill(corpus, doe, oslo, lee, new, annotator="ann"))
    assert [(words, one.entity_id, one.entity_type) for words, one in marks(made) if one.edit == "insert"] == [
        ("Ann Lee", "d1_r1", "PERSON"),
        ("Doe", "e1", "PERSON"),  # of Doe alone, and not of Doering
        ("Ann Lee", "d1_r1", "PERSON"),
        ("Doering", "d1_r1", "PERSON"),
        ("Oslo", "e2", "LOC"),
    ]


def test_marks_are_corrected(corpus: Corpus, fill: Fill) -> None:
    made = reviewed(
        corpus,
        fill(
            corpus,
            {"words": "John Doe", "kind": "border", "new words": "Mr John Doe"},
            {"words": "Oslo", "occurrence": "all", "kind": "type", "type": "CITY"},
            {"words": "Oslo", "occurrence": "2", "kind": "masking", "identifier": "QUASI"},
            {"words": "2011", "kind": "confidential", "confidential": "NOT_CONFIDENTIAL"},
            annotator="ann",
        ),
    )
    assert marks(made) == [
        ("Mr John Doe", Mention(0, 11, "PERSON", "DIRECT", "e1", None, "correct")),
        ("Oslo", Mention(15, 19, "CITY", "QUASI", "e2", None, "correct")),
        ("Oslo", Mention(43, 47, "CITY", "QUASI", "e2", None, "correct")),
        ("2011", Mention(51, 55, "DATETIME", "QUASI", "e3", "NOT_CONFIDENTIAL", "correct")),
    ]
    told = {"missing": 0, "border": 1, "type": 2, "masking": 1, "confidential": 1, "entity": 0, "spurious": 0}
    assert made.outcome.applied == told
    assert made.notes == ("types that are new in this corpus: CITY",)


def test_marks_go_and_are_put_together(corpus: Corpus, fill: Fill) -> None:
    gone = {"words": "2011", "kind": "spurious"}
    one = {"words": "Oslo", "occurrence": "2", "kind": "entity", "same as": "new"}
    made = reviewed(corpus, fill(corpus, gone, one, annotator="ann"))
    assert [(words, each.entity_id) for words, each in marks(made)] == [
        ("John Doe", "e1"), ("Oslo", "e2"), ("Oslo", "d1_r1"),
    ]  # fmt: skip


def test_where_nobody_said_what_is_one_entity_or_how_it_identifies(fill: Fill) -> None:
    plain = Corpus([Document("d", "Ann met Bo. Ann left.", (Annotation("x", (by_type(0, 3, "NAME"),)),))])
    ann = {"words": "Ann", "kind": "missing"}
    [first, second] = marks(reviewed(plain, fill(plain, ann)), "x")
    assert first == ("Ann", by_type(0, 3, "NAME"))
    assert second == ("Ann", by_type(12, 15, "NAME", "", None, "insert"))
    assert not second[1].stated
    bo = {"words": "Bo", "kind": "missing", "type": "NAME", "same as": "Ann"}
    made = reviewed(plain, fill(plain, bo, name="again"))
    assert [each.entity_id for _, each in marks(made, "x")] == ["d_r1", "d_r1"]
    retyped = {"words": "Ann", "kind": "type", "type": "DATE"}
    [(_, mark)] = marks(reviewed(plain, fill(plain, retyped, name="third")), "x")
    assert (mark.entity_type, mark.identifier, mark.stated) == ("DATE", "QUASI", False)


def test_disagreements_are_listed_and_change_nothing(corpus: Corpus, fill: Fill) -> None:
    made = reviewed(corpus, fill(corpus, {"words": "Oslo", "kind": "disagree", "note": "a big town"}, annotator="ann"))
    [one] = made.outcome.disagreements
    assert (one.document, one.words, one.note, one.start, one.before) == ("d1", "Oslo", "a big town", 15, TEXT[:15])
    assert made.corpus.documents[0].annotations == corpus.documents[0].annotations


def test_all_that_is_wrong_is_told_at_once(corpus: Corpus, fill: Fill) -> None:
    rows: list[dict[str, str]] = [
        {"words": "Bergen", "kind": "missing", "type": "LOC", "identifier": "QUASI"},
        {"words": "Ann Lee", "kind": "missing", "type": "PERSON", "identifier": "QUASI"},
        {"words": "Ann Lee", "kind": "missing", "type": "PERSON", "identifier": "QUASI", "occurrence": "3"},
        {"words": "John Doe", "kind": "mising"},
        {"words": "John Doe", "kind": "masking", "identifier": "MAYBE"},
        {"words": "John Doe", "kind": "type"},
        {"document": "d9", "words": "Oslo", "kind": "spurious"},
        {"words": "John", "kind": "missing", "type": "PERSON", "identifier": "DIRECT"},
        {"words": "John Doe", "kind": "border", "new words": "Ann Lee"},
        {"words": "2011", "kind": "type", "type": "DATETIME"},
        {"words": "Doe", "kind": "spurious"},
        {"words": "Oslo", "kind": "missing", "occurrence": "1"},
        {"words": "Doering", "kind": "missing", "type": "PERSON"},
        {"words": "Doering", "kind": "missing", "identifier": "QUASI"},
        {"words": "Doering", "kind": "missing", "type": "PERSON", "identifier": "QUASI", "same as": "Molde"},
        {"words": "2011", "kind": "spurious", "occurrence": "first"},
        {"words": "2011", "kind": "spurious", "type": "DATETIME"},
        {"words": "", "kind": "spurious"},
    ]
    folder = fill(corpus, *rows, annotator="ann", answers=[("maybe", "")])
    found = problems(lambda: reviewed(corpus, folder))
    for line in [
        "sheet.csv: line 2: column can you still tell who this is about?: found 'maybe'; expected yes, no, unsure",
        "findings.csv: line 2: column words: found 'Bergen': these words are not in the document",
        "findings.csv: line 3: column occurrence: is empty, but 'Ann Lee' is there 2 times; expected 1 to 2, or all",
        "findings.csv: line 4: column occurrence: found 3, but 'Ann Lee' is there 2 times; expected 1 to 2, or all",
        "findings.csv: line 5: column kind: found 'mising'; did you mean missing? expected missing, border, type,",
        "findings.csv: line 6: column identifier: found 'MAYBE'; expected DIRECT, QUASI, NO_MASK",
        "findings.csv: line 7: column type: is empty; expected what it should be, since the kind is type",
        "findings.csv: line 8: column document: found 'd9'; expected one of this folder",
        "findings.csv: line 9: column words: 'John' is hidden, at least in part, everywhere in the copy",
        "findings.csv: line 10: column new words: 'Ann Lee': these words share nothing with the mark",
        "findings.csv: line 11: column kind: '2011' is so already; expected a change",
        "findings.csv: line 12: column words: found 'Doe': these words are no mark of this annotator",
        "findings.csv: line 13: column kind: 'Oslo' is marked NO_MASK already (occurrence 1); expected the kind",
        "findings.csv: line 14: column identifier: is empty; expected DIRECT, QUASI, NO_MASK",
        "findings.csv: line 15: column type: is empty; expected the type of what is to be marked",
        "findings.csv: line 16: column same as: found 'Molde'; expected words that are marked",
        "findings.csv: line 17: column occurrence: found 'first'; expected numbers from 1 on, or all",
        "findings.csv: line 18: column type: found 'DATETIME'; expected nothing: the mark goes",
        "findings.csv: line 19: column words: is empty; expected the words exactly as in",
    ]:
        assert [one for one in found if one.startswith(line)], (line, found)
    assert len(found) == 19


def test_unanswered_rows(corpus: Corpus, fill: Fill) -> None:
    two = Corpus([*corpus.documents, Document("d2", "Oslo", (Annotation("ann"),))])
    folder = fill(two, {"words": "2011", "kind": "spurious"}, annotator="ann", answers=[("", ""), ("no", "yes")])
    assert problems(lambda: reviewed(two, folder)) == [
        "sheet.csv: line 2: column confirmed: is empty; expected yes, or --partial to leave such documents as they are"
    ]
    made = reviewed(two, folder, partial=True)
    assert [one.reviewed for one in made.corpus] == [None, ("ann",)]
    assert made.corpus.documents[0] == two.documents[0]
    assert made.outcome.reviewed == 1
    [note] = made.notes
    assert note.endswith("1 document is not confirmed and stays as it is, 1 finding of them left out")
    folder = fill(two, annotator="ann", answers=[("", "yes"), ("yes", "no")], name="half")
    assert problems(lambda: reviewed(two, folder, partial=True)) == [
        "sheet.csv: line 2: column can you still tell who this is about?: is not answered; expected yes, no, unsure"
    ]


def test_rows_that_are_gone_or_twice_or_mixed_up(corpus: Corpus, fill: Fill) -> None:
    two = Corpus([*corpus.documents, Document("d2", "Oslo", (Annotation("ann"),))])
    folder = fill(two, annotator="ann")
    path = folder / "sheet.csv"
    [first, second] = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
    save(path, list(first), [first, first])
    assert problems(lambda: reviewed(two, folder)) == [
        "sheet.csv: line 3: column document: is there twice, also in line 2; expected one row each",
        "sheet.csv: document d2: has no row; expected one, or --partial to leave such documents as they are",
    ]
    save(path, list(first), [first | {"document": "d2"}, second | {"document": "", "annotator": "bob"}])
    assert problems(lambda: reviewed(two, folder)) == [
        "sheet.csv: line 2: column document: found 'd2'; expected 'd1', whose copy the row names, or nothing",
        "sheet.csv: line 3: column annotator: found 'bob'; expected 'ann'",
        "sheet.csv: document d1: has no row; expected one, or --partial to leave such documents as they are",
    ]
    save(path, ["document", "file"], [])
    assert problems(lambda: reviewed(two, folder)) == [  # one fault, with all seven columns that are not there
        "sheet.csv: first row: found no column annotator, reviewer, can you still tell who this is about?, who, and "
        "how found, how sure, confirmed, remarks; expected the header that the sheet was written with, each name once"
    ]


def test_a_copy_or_a_corpus_that_was_changed(corpus: Corpus, fill: Fill) -> None:
    folder = fill(corpus, annotator="ann")
    other = Corpus([Document("d1", TEXT + "!", corpus.documents[0].annotations)])
    [found] = problems(lambda: reviewed(other, folder))
    assert "document d1: its text or its marks have changed since it was copied" in found
    less = Corpus([Document("d1", TEXT, (Annotation("ann", (DOE, OSLO, LEFT)),))])
    assert len(problems(lambda: reviewed(less, folder))) == 1
    renamed = Corpus([Document("d7", TEXT, corpus.documents[0].annotations)])
    assert (
        "review.json: copies/d1.txt: is no copy of a document of this corpus"
        in problems(lambda: reviewed(renamed, folder))[0]
    )
    copy = folder / "copies/d1.txt"
    before = copy.read_bytes()
    copy.write_bytes(before + b" ")
    [found] = problems(lambda: reviewed(corpus, folder))
    assert found.startswith("d1.txt: : was changed; expected it as it was written")
    copy.unlink()  # who sends back the sheets alone has not changed it
    assert reviewed(corpus, folder).outcome.reviewed == 1


def test_how_far_two_readers_agree(fill: Fill) -> None:
    layer = (Annotation("ann", (Mention(0, 3, "PERSON", "DIRECT"),)),)
    many = Corpus([Document(f"d{number}", "Doe left.", layer) for number in range(8)])
    first = fill(many, name="first", answers=[("yes", "yes")] * 4 + [("no", "yes")] * 4)
    second = fill(many, name="second", answers=[("yes", "yes")] * 2 + [("no", "yes")] * 6)
    third = fill(many, name="third", answers=[("no", "yes")] + [("no", "no")] * 7)
    outcome = reviewed(many, [first, second, third], partial=True).outcome
    two, *few = outcome.readers
    assert (two.first, two.second, two.documents, two.alike) == ("first", "second", 8, 6)  # all call themselves RR
    assert two.cohen.value == pytest.approx((6 / 8 - 1 / 2) / (1 - 1 / 2))  # expected: 4/8 · 2/8 + 4/8 · 6/8
    assert two.cohen.low is not None
    assert two.cohen.high is not None
    assert two.cohen.low < 0.5 < two.cohen.high
    assert [(one.documents, one.alike, one.cohen.value, one.cohen.low) for one in few] == [(1, 0, 0.0, None)] * 2
    assert all("fewer than 5 documents" in one.cohen.note for one in few)
    told = [str(line) for block in review_sheet(outcome).blocks for line in (block.caption, *block.notes)]
    assert "Each two readers" in told
    assert any("no interval for first – third: fewer than 5" in line for line in told)
    alike = reviewed(many, [third, fill(many, name="fourth")], partial=True).outcome.readers
    assert [(one.alike, one.cohen.value) for one in alike] == [(1, None)]  # both say no: nothing tells it from chance


def test_two_reviewers(corpus: Corpus, fill: Fill) -> None:
    lee = {"words": "Ann Lee", "kind": "missing", "occurrence": "1", "type": "PERSON", "identifier": "QUASI"}
    gone = {"words": "2011", "kind": "spurious"}
    town = {"words": "Oslo", "occurrence": "1", "kind": "type", "type": "CITY", "identifier": "DIRECT"}
    first = fill(corpus, lee, gone, town, annotator="ann", name="first", answers=[("unsure", "yes")])
    second = fill(corpus, lee, town, annotator="ann", name="second", answers=[("yes", "yes")])
    made = reviewed(corpus, [first, second])
    assert [words for words, _ in marks(made)] == ["John Doe", "Oslo", "Ann Lee", "Oslo"]
    assert (made.outcome.applied["missing"], made.outcome.applied["type"]) == (1, 1)  # said twice, done once
    assert (made.outcome.told, made.outcome.unsure) == (1, 0)
    assert (made.outcome.read_twice, made.outcome.answered_alike) == (1, 0)
    assert [one.told for one in made.outcome.readings] == ["unsure", "yes"]
    other = fill(
        corpus,
        lee | {"identifier": "DIRECT"},
        {"words": "2011", "kind": "masking", "identifier": "DIRECT"},
        lee | {"words": "met Ann", "occurrence": ""},
        annotator="ann",
        name="other",
    )
    found = problems(lambda: reviewed(corpus, [first, other]))
    assert len(found) == 3
    assert all("is marked otherwise in" in one or "is changed in" in one for one in found)
    with pytest.raises(PlanError, match="the same folder is there twice"):
        reviewed(corpus, [first, first])


def test_two_rows_that_say_otherwise(corpus: Corpus, fill: Fill) -> None:
    person, place = ({"words": "2011", "kind": "type", "type": kind} for kind in ("PERSON", "LOC"))
    [found] = problems(lambda: reviewed(corpus, fill(corpus, person, place, annotator="ann")))
    assert "line 3: column words: '2011' is changed otherwise in" in found


def test_a_folder_of_somebody_else(corpus: Corpus, fill: Fill, tmp_path: Path) -> None:
    folder = fill(corpus, annotator="ann")
    with pytest.raises(PlanError, match="the folders are of ann; expected 'bob'"):
        reviewed(corpus, folder, "bob")
    (tmp_path / "empty").mkdir()
    assert problems(lambda: reviewed(corpus, [tmp_path / "empty", tmp_path / "none"])) == [
        "review.json: : is not there; expected a folder that showthrough review wrote",
        "none: : is no folder; expected one that showthrough review wrote",
    ]


def test_spreadsheets_may_save_a_workbook(corpus: Corpus, fill: Fill) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    folder = fill(corpus, {"words": "2011", "kind": "spurious"}, annotator="ann")
    for name in ("sheet", "findings"):
        book = openpyxl.Workbook()
        for row in csv.reader(io.StringIO((folder / f"{name}.csv").read_bytes().decode("utf-8-sig"), newline="")):
            book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
        book.save(folder / f"{name}.xlsx")
    found = problems(lambda: reviewed(corpus, folder))
    assert found[0].endswith("found sheet.csv, sheet.xlsx; expected one of sheet.csv, sheet.tsv, sheet.xlsx")
    (folder / "sheet.csv").unlink()
    (folder / "findings.csv").unlink()
    assert reviewed(corpus, folder).outcome.applied["spurious"] == 1


def test_japanese_and_hebrew(fill: Fill) -> None:
    text = "原告の山田太郎は東京に住む。山田は דוד כהן に会った。"
    first = Annotation("注", (Mention(3, 7, "人名", "DIRECT", "e1"),))
    corpus = Corpus([Document("事件/1", text, (first,))])
    folder = fill(
        corpus,
        {"words": "山田", "kind": "missing", "same as": "山田太郎"},  # the other one is hidden
        {"words": "דוד כהן", "kind": "missing", "type": "人名", "identifier": "DIRECT"},
    )
    assert (folder / "copies/事件_1.txt").read_text("utf-8") == text.replace("山田太郎", "*****")
    made = marks(reviewed(corpus, folder), "注")
    assert [(words, one.entity_id) for words, one in made] == [
        ("山田太郎", "e1"), ("山田", "e1"), ("דוד כהן", "事件/1_r1"),
    ]  # fmt: skip


def test_exact_intervals() -> None:
    """Clopper and Pearson's own: 0.05 ** (1 / 10) from below where all of ten are told."""
    low, high = exact_interval(10, 10, 0.95) or (0, 0)
    assert (round(low, 4), high) == (round(0.05**0.1, 4), 1.0)
    assert exact_interval(0, 0, 0.95) is None
