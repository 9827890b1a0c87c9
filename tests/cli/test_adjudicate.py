"""Several annotators made one: rules by hand, what people decide, and passes one after the other."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, PlanError, adjudicate, read_corpus
from showthrough.formats.writing import write_corpus
from showthrough.studies.review.adjudication import join_layers
from showthrough.studies.review.merging import merge_place, places_in

Cli = Callable[..., Any]
TEXT = "Mr John Doe of Oslo met Doe's sister, a nurse, on 1 May."


def mark(
    words: str, kind: str = "PERSON", level: str = "DIRECT", entity: str = "", nth: int = 0, **more: Any
) -> Mention:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(words, start + 1)
    return Mention(start, start + len(words), kind, level, entity, **more)  # type: ignore[arg-type]


ANN = Annotation(
    "ann",
    (
        mark("Mr John Doe", entity="d"),
        mark("Oslo", "LOC", "QUASI", "o"),
        mark("Doe", nth=1, entity="d"),
        mark("nurse", "DEM", "NO_MASK"),
        mark("1 May", "DATETIME", "QUASI"),
    ),
)
BOB = Annotation(
    "bob",
    (
        mark("John Doe", entity="p"),
        mark("Oslo", "LOC", "NO_MASK", "c"),
        mark("Doe", nth=1, entity="p"),
        mark("a nurse", "DEM", "QUASI"),
    ),
)
CAT = Annotation(
    "cat",
    (
        mark("John Doe", entity="x"),
        mark("Oslo", "LOC", "QUASI", "y"),
        mark("Doe", nth=1, entity="x"),
        mark("1 May", "DATETIME", "QUASI"),
    ),
)


def corpus(*layers: Annotation) -> Corpus:
    return Corpus([Document("d", TEXT, layers)])


def merged(result: Any) -> list[tuple[str, str, str]]:
    (layer,) = result.corpus.documents[0].annotations
    return [(TEXT[one.start : one.end], one.entity_type, one.identifier) for one in layer.mentions]


def test_union_takes_all_that_anybody_marked_as_what_identifies_most() -> None:
    result = adjudicate(corpus(ANN, BOB, CAT))
    assert merged(result) == [
        ("Mr John Doe", "PERSON", "DIRECT"),
        ("Oslo", "LOC", "QUASI"),
        ("Doe", "PERSON", "DIRECT"),
        ("a nurse", "DEM", "QUASI"),
        ("1 May", "DATETIME", "QUASI"),
    ]
    outcome = result.outcome
    assert (outcome.shared, outcome.places, outcome.agreed) == (1, 5, 1)  # all three agree on the second Doe
    # The nurse is unmarked for cat, the first of May for bob; Mr or not is a border; Oslo is to be masked or not.
    assert outcome.kinds == {"marked or not": 2, "borders": 1, "type": 0, "identifier": 1}
    # ann marked Mr John Doe, Oslo and the date as they became; bob a nurse; cat Oslo and the date.
    assert outcome.followed == {"ann": 3, "bob": 1, "cat": 2}


def test_majority_takes_what_more_than_half_marked() -> None:
    """John Doe, Oslo to be masked and the word nurse: two of three each. What the nurse is, each says otherwise."""
    assert merged(adjudicate(corpus(ANN, BOB, CAT), "majority")) == [
        ("John Doe", "PERSON", "DIRECT"),
        ("Oslo", "LOC", "QUASI"),
        ("Doe", "PERSON", "DIRECT"),
        ("nurse", "DEM", "QUASI"),  # one no mask, one quasi: the stronger
        ("1 May", "DATETIME", "QUASI"),
    ]
    # Of two people, both: what they share.
    assert merged(adjudicate(corpus(ANN, BOB), "majority")) == [
        ("John Doe", "PERSON", "DIRECT"),
        ("Oslo", "LOC", "QUASI"),
        ("Doe", "PERSON", "DIRECT"),
        ("nurse", "DEM", "QUASI"),
    ]


def test_one_wins_and_rules_by_type() -> None:
    assert merged(adjudicate(corpus(ANN, BOB, CAT), "annotator:bob")) == [
        ("John Doe", "PERSON", "DIRECT"),
        ("Oslo", "LOC", "NO_MASK"),
        ("Doe", "PERSON", "DIRECT"),
        ("a nurse", "DEM", "QUASI"),
    ]
    by_type = adjudicate(corpus(ANN, BOB, CAT), ["annotator:cat", "LOC=annotator:bob", "DEM=union"])
    assert merged(by_type) == [
        ("John Doe", "PERSON", "DIRECT"),
        ("Oslo", "LOC", "NO_MASK"),
        ("Doe", "PERSON", "DIRECT"),
        ("a nurse", "DEM", "QUASI"),
        ("1 May", "DATETIME", "QUASI"),
    ]


def test_entities_hold_where_half_of_those_say_so_who_marked_both() -> None:
    (layer,) = adjudicate(corpus(ANN, BOB)).corpus.documents[0].annotations
    ids = [one.entity_id for one in layer.mentions]
    assert (ids[0], len(set(ids))) == (ids[2], 4)  # Mr John Doe and Doe are one, all others their own
    apart = Annotation("bob", tuple(mark("Doe", nth=nth, entity=f"e{nth}") for nth in (0, 1)))
    also = Annotation("cat", apart.mentions)
    link = Annotation("ann", (mark("Doe", entity="d"), mark("Doe", nth=1, entity="d")))

    def entities(*layers: Annotation) -> int:
        (layer,) = adjudicate(corpus(*layers)).corpus.documents[0].annotations
        return len({one.entity_id for one in layer.mentions})

    assert [entities(link, apart), entities(link, apart, also)] == [1, 2]  # 1 of 2; 1 of 3


def test_who_wins_says_what_is_one_entity() -> None:
    """Two earlier passes took both names for one person; the last one did not. The marks are alike."""

    def reading(who: str, second: str) -> Annotation:
        return Annotation(who, (mark("John Doe", entity="x"), mark("Doe", entity=second, nth=1)))

    passes = reading("one", "x"), reading("two", "x"), reading("three", "y")
    for rule, expected in (("annotator:three", ["e1", "e2"]), ("annotator:one", ["e1", "e1"]), ("union", ["e1", "e1"])):
        (layer,) = adjudicate(corpus(*passes), rule).corpus.documents[0].annotations
        assert [one.entity_id for one in layer.mentions] == expected


def test_a_mark_inside_another_keeps_its_own_entity() -> None:
    """Both marks share the letters of Doe. The entity of a mark is that of the mention nearest to it in length."""
    nested = Annotation(
        "ann", (mark("Mr John Doe", entity="firm"), mark("Doe", entity="d"), mark("Doe", entity="d", nth=1))
    )
    (layer,) = adjudicate(corpus(nested, BOB), "annotator:ann").corpus.documents[0].annotations
    assert [one.entity_id for one in layer.mentions] == ["e1", "e2", "e2"]


def test_statuses_are_voted_on_and_agreement_keeps_nested_marks() -> None:
    nested = (mark("Mr John Doe", confidential="HEALTH"), mark("Doe", "CODE", "QUASI"))
    plain = (mark("Mr John Doe", confidential="NOT_CONFIDENTIAL"), mark("Doe", "CODE", "QUASI"))
    (layer,) = adjudicate(corpus(Annotation("ann", nested), Annotation("bob", plain))).corpus.documents[0].annotations
    assert [(one.entity_type, one.confidential) for one in layer.mentions] == [("PERSON", "HEALTH"), ("CODE", None)]


def test_majority_of_borders_that_nobody_shares() -> None:
    """Words 0 to 6, 3 to 11 and 8 to 19: no span has two votes; 3 to 6 and 8 to 11 have, letter by letter."""
    (place,) = places_in([[Mention(0, 6, "A")], [Mention(3, 11, "B")], [Mention(8, 19, "A")]])
    kept = merge_place(place, "majority", ["a", "b", "c"], TEXT)
    assert [(one.start, one.end) for one in kept] == [(3, 6), (8, 11)]
    assert [TEXT[one.start : one.end] for one in kept] == ["Joh", "Doe"]


def test_people_who_did_not_read_a_document_have_no_vote_there() -> None:
    two = Corpus(
        [
            Document("d", TEXT, (ANN, BOB)),
            Document("e", "Mr Doe", (Annotation("bob", (Mention(3, 6, "PERSON"),)),)),
            Document("f", "x"),
        ]
    )
    result = adjudicate(two, "annotator:ann", name="gold")
    assert [[layer.annotator for layer in one.annotations] for one in result.corpus] == [["gold"], ["gold"], []]
    assert len(result.corpus.documents[1].annotations[0].mentions) == 1
    three = Corpus([*two.documents, Document("g", TEXT, (BOB, CAT))])
    found = adjudicate(three, "annotator:ann")
    assert "did not read: union there" in found.notes[0]


def test_programs_are_left_out_unless_they_are_named() -> None:
    silver = Annotation("silver(rules)", (mark("sister", "DEM", "QUASI"),))
    result = adjudicate(corpus(ANN, BOB, silver))
    assert [layer.annotator for layer in result.corpus.documents[0].annotations] == ["adjudicated", "silver(rules)"]
    both = adjudicate(corpus(ANN, BOB, silver), "annotator:silver(rules)", annotators=["bob", "silver(rules)"])
    assert [layer.annotator for layer in both.corpus.documents[0].annotations] == ["adjudicated", "ann"]
    with pytest.raises(PlanError, match="expected two annotators or more"):
        adjudicate(corpus(ANN, silver))


@pytest.mark.parametrize(
    ("merge", "says"),
    [
        ("intersection", "expected union, majority or annotator:NAME"),
        ("annotator:bbo", "did you mean bob"),
        ("PRESON=union", "did you mean PERSON"),
        (["union", "majority"], "another such rule"),
        (["LOC=union", "LOC=majority"], "another such rule"),
    ],
)
def test_rules_that_cannot_be(merge: Any, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        adjudicate(corpus(ANN, BOB), merge)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def fill(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_corpus(corpus(ANN, BOB), "corpus.json")
    return tmp_path


def test_a_sheet_goes_out_and_decisions_come_back(cli: Cli, desk: Path) -> None:
    found = cli("adjudicate", "corpus.json", "--sheet", "disputes.csv", "--html", "disputes.html", "--json", "all.json")
    assert (found.status, found.err) == (0, "")
    assert "1 of 5 marked places are marked alike by all" in " ".join(found.out.split())
    assert (desk / "disputes.csv").stat().st_mode & 0o077 == 0
    assert "nurse" in (desk / "disputes.html").read_text("utf-8")
    rows = rows_of(desk / "disputes.csv")
    assert [(row["place"], row["words"], row["they differ on"], row["ann"], row["bob"]) for row in rows] == [
        ("0..11", "Mr John Doe", "borders", "PERSON/DIRECT: Mr John Doe", "PERSON/DIRECT: John Doe"),
        ("15..19", "Oslo", "identifier", "LOC/QUASI: Oslo", "LOC/NO_MASK: Oslo"),
        ("38..45", "a nurse", "borders", "DEM/NO_MASK: nurse", "DEM/QUASI: a nurse"),
        ("50..55", "1 May", "marked or not", "DATETIME/QUASI: 1 May", "none"),
    ]
    for row, decision in zip(rows, ("bob", "RULE", "DEM/DIRECT: nurse", "none"), strict=True):
        row["decision"] = decision
    fill(desk / "filled.csv", rows)
    found = cli("adjudicate", "corpus.json", "--filled", "filled.csv", "-o", "gold.json", "--name", "gold")
    assert (found.status, found.err) == (0, "")
    assert "people decided 4, and rules 0" in " ".join(found.out.split())
    (layer,) = read_corpus("gold.json").documents[0].annotations
    assert layer.annotator == "gold"
    assert [(TEXT[one.start : one.end], one.identifier) for one in layer.mentions] == [
        ("John Doe", "DIRECT"),
        ("Oslo", "QUASI"),
        ("Doe", "DIRECT"),
        ("nurse", "DIRECT"),
    ]


def test_several_marks_may_be_decided_at_one_place(desk: Path) -> None:
    docs = read_corpus("corpus.json")
    rows = list(csv.DictReader(io.StringIO(adjudicate(docs).sheet().decode("utf-8-sig"), newline="")))
    rows[0]["decision"] = "PERSON/QUASI: John | NAME/LAST/DIRECT: Doe"
    result = adjudicate(docs, filled=fill(desk / "f.csv", rows[:1]), partial=True)
    assert merged(result)[:3] == [("John", "PERSON", "QUASI"), ("Doe", "NAME/LAST", "DIRECT"), ("Oslo", "LOC", "QUASI")]
    assert result.outcome.decided == 1


def test_all_that_is_wrong_with_a_sheet_is_told_and_nothing_written(cli: Cli, desk: Path) -> None:
    cli("adjudicate", "corpus.json", "--sheet", "disputes.csv")
    rows = rows_of(desk / "disputes.csv")
    rows[0]["decision"] = "bbo"
    rows[1]["decision"] = "LOC/QUASI: Rome"
    rows[2]["words"] = "a baker"
    rows.append({**rows[0], "place": "1..2", "decision": "ann"})
    fill(desk / "filled.csv", rows)
    found = cli("adjudicate", "corpus.json", "--filled", "filled.csv", "-o", "gold.json")
    assert found.status == 2
    told = found.err.splitlines()
    assert [line.partition("; ")[0] for line in told] == [
        "filled.csv: line 2: column decision: found 'bbo'",
        "filled.csv: line 3: column decision: the words 'Rome' are not there",
        "filled.csv: line 4: column words: found 'a baker'",
        "filled.csv: line 6: column place: found '1..2' in document 'd', where nobody differs",
        "filled.csv: document d: 38..45: is not decided",
        "filled.csv: document d: 50..55: is not decided",
    ]
    assert "did you mean bob" in told[0]
    assert not (desk / "gold.json").exists()


def test_a_sheet_that_is_none_is_one_kind_of_fault(cli: Cli, desk: Path) -> None:
    found = cli("adjudicate", "corpus.json", "--filled", "none.csv")
    assert (found.status, found.err) == (2, "none.csv: no such file\n")
    (desk / "other.csv").write_text("document,place\nd,0..11\n")
    found = cli("adjudicate", "corpus.json", "--filled", "other.csv")
    missing = "words, before, after, they differ on, ann, bob, by rule, decision, note"
    expected = "expected the header that the sheet was written with, each name once"
    assert found.err == f"other.csv: first row: found no column {missing}; {expected}\n"


def test_a_sheet_without_its_header_is_one_line_and_no_word_of_a_document(cli: Cli, desk: Path) -> None:
    cli("adjudicate", "corpus.json", "--sheet", "disputes.csv")
    (desk / "bare.csv").write_text((desk / "disputes.csv").read_text("utf-8-sig").partition("\n")[2])
    found = cli("adjudicate", "corpus.json", "--filled", "bare.csv", "-o", "gold.json")
    assert (found.status, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert found.err.startswith("bare.csv: first row: found no column document, place, words, ")
    assert not any(word in found.err for word in ("Doe", "Oslo", "nurse", "0..11"))
    rows = (desk / "disputes.csv").read_text("utf-8-sig").replace("by rule", "decision", 1)
    (desk / "twice.csv").write_text(rows)
    found = cli("adjudicate", "corpus.json", "--filled", "twice.csv", "-o", "gold.json")
    assert found.err.startswith("twice.csv: first row: found two columns decision; expected the header")


def test_two_sheets_may_not_contradict_each_other(desk: Path) -> None:
    docs = read_corpus("corpus.json")
    rows = list(csv.DictReader(io.StringIO(adjudicate(docs).sheet().decode("utf-8-sig"), newline="")))
    first = fill(desk / "one.csv", [{**rows[0], "decision": "ann"}, {**rows[1], "decision": "ann"}])
    second = fill(desk / "two.csv", [{**rows[0], "decision": "bob"}, {**rows[1], "decision": "ann"}, *rows[2:]])
    with pytest.raises(InputError, match=r"found 'bob'; .*one\.csv, line 2 says 'ann'; expected one decision") as error:
        adjudicate(docs, filled=[first, second], partial=True)
    assert len(error.value.problems) == 1


def test_passes_one_after_the_other(cli: Cli, desk: Path) -> None:
    """As in i2b2 2006: each pass corrects the file of the one before; names are those of the files."""
    first = Annotation("annotator", (mark("John Doe"), mark("Oslo", "LOC", "QUASI")))
    second = Annotation("annotator", (mark("Mr John Doe"), mark("Oslo", "LOC", "QUASI"), mark("Doe", nth=1)))
    for name, layer in (("pass1", first), ("pass2", second), ("pass3", second)):
        write_corpus(corpus(layer), f"{name}.json")
    found = cli("adjudicate", "pass1.json", "pass2.json", "pass3.json", "--merge", "majority", "-o", "gold.json")
    assert (found.status, found.err) == (0, "")
    (layer,) = read_corpus("gold.json").documents[0].annotations
    assert [TEXT[one.start : one.end] for one in layer.mentions] == ["Mr John Doe", "Oslo", "Doe"]
    assert "pass2" in found.out
    found = cli("adjudicate", "pass1.json", "pass2.json", "--merge", "annotator:pass2", "--json", "changes.json")
    changes = json.loads((desk / "changes.json").read_bytes())
    assert changes["kinds"] == {"marked or not": 1, "borders": 1, "type": 0, "identifier": 0}


def test_files_must_be_of_the_same_texts() -> None:
    one, other = Corpus([Document("d", TEXT, (ANN,))], "one"), Corpus([Document("d", "Other.", (BOB,))], "two")
    with pytest.raises(InputError, match="its text is not that of one"):
        join_layers([one, other])
    with pytest.raises(PlanError, match="expected files with different names"):
        join_layers([one, Corpus([Document("d", TEXT, (ANN,))], "one")])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--partial",), "--partial: is only for use with --filled"),
        (("--to", "tab"), "--to: is only for use with --output"),
        (("--sheet", "s.csv", "--without-text"), "--sheet: has words of documents"),
        (("-o", "corpus.json"), "corpus.json: is read by this command"),
    ],
)
def test_options_that_do_not_go_together(cli: Cli, desk: Path, arguments: tuple[str, ...], says: str) -> None:
    found = cli("adjudicate", "corpus.json", *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(says)


def test_without_text_there_are_numbers_alone(cli: Cli, desk: Path) -> None:
    found = cli("adjudicate", "corpus.json", "--json", "numbers.json", "--without-text")
    assert found.status == 0
    assert "Oslo" not in found.out + (desk / "numbers.json").read_text()


@pytest.mark.slow
def test_every_place_of_TAB_is_covered_by_the_union(data: Path) -> None:  # noqa: N802
    docs = read_corpus(data / "tab/train_100.json")
    united, common = adjudicate(docs).corpus, adjudicate(docs, "majority").corpus
    for before, after, less in zip(docs, united, common, strict=True):
        marked = {
            place for layer in before.annotations for one in layer.mentions for place in range(one.start, one.end)
        }
        (all_marks,), (common_marks,) = after.annotations, less.annotations
        assert {place for one in all_marks.mentions for place in range(one.start, one.end)} == marked
        for one in common_marks.mentions:  # more than half of the annotators marked the whole of it, or each letter
            for place in range(one.start, one.end):
                votes = sum(any(m.start <= place < m.end for m in layer.mentions) for layer in before.annotations)
                assert 2 * votes > len(before.annotations)
