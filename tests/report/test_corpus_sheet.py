"""What a corpus holds, as a sheet: sentences, tables by split and type, and dashes with their reasons."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, strategies as st

from showthrough import Attribute, Subject, describe
from showthrough.data.documents import Annotation, Corpus, Document, InferredMention, Mention
from showthrough.report.corpus import corpus_sheet
from showthrough.report.sheets import Grid, ReportDocument
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.terminal import PlainConsole

HOSTILE = ["", " ", "a|b", "a&b", "a_b", "\u202eRTL", "עברית", "line\nfeed", "x" * 200, "<script>", "日本"]


def sheet(*documents: Document) -> ReportDocument:
    return corpus_sheet(describe(Corpus(documents, name="made up")))


def one(*mentions: Mention, annotator: str = "a", number: int = 1, split: str = "") -> Document:
    return Document(str(number), "Ann of Oslo", (Annotation(annotator, mentions),), split=split)


def grid(found: ReportDocument, caption: str) -> Grid:
    return next(block for block in found.blocks if isinstance(block, Grid) and block.caption == caption)


def captions(found: ReportDocument) -> list[str]:
    return [block.caption for block in found.blocks]


def row(table: Grid, name: str) -> dict[str, str]:
    entries = next(row.entries for row in table.rows if row.name == name)
    return dict(zip(table.heads, (entry.text for entry in entries), strict=True))


def reasons(found: ReportDocument) -> dict[str, str]:
    """Why the rows of the first table have dashes."""
    table = found.blocks[0]
    assert isinstance(table, Grid)
    dashes = {row.name: row.entries[-1].reason for row in table.rows if row.entries[-1].value is None}
    assert all(dashes.values())
    return dashes


def on_a_terminal(found: ReportDocument) -> str:
    out = io.StringIO()
    show_sheet(found, PlainConsole(file=out, width=100))
    return out.getvalue()


ANN = Mention(0, 3, "PERSON", "DIRECT", "e", "HEALTH", "check")
OSLO = Mention(7, 11, "LOC", "NO_MASK", "o", "NOT_CONFIDENTIAL", "insert")
AGAIN = Mention(0, 2, "PERSON", "QUASI", "e", "NOT_CONFIDENTIAL", "check")


def test_a_corpus_with_everything() -> None:
    found = sheet(one(ANN, OSLO, AGAIN, split="train"), one(ANN, number=2, split="test"))
    assert found.lead == (
        "2 documents, 2 annotation layers by 1 annotator; no document has more than one layer.",
        "4 mentions of 3 entities in 2 types: 2 direct, 1 quasi, 1 no mask.",
        "The annotator who decided on masks wants 75.0 % of the mentions masked.",
    )
    assert grid(found, "Documents, annotations, mentions").heads == ("test", "train", "all")
    assert row(grid(found, "Documents, annotations, mentions"), "mentions") == {"test": "1", "train": "3", "all": "4"}
    assert row(grid(found, "Mentions by type"), "PERSON") == {
        "mentions": "3", "share": "0.750", "direct": "2", "quasi": "1", "none": "0",
        "direct share": "0.667", "quasi share": "0.333", "none share": "0.000", "confid.": "0.667",
    }  # fmt: skip
    assert row(grid(found, "Mentions by type, split train"), "all")["mentions"] == "3"
    assert row(grid(found, "Entities by type"), "all")["entities"] == "3"
    assert row(grid(found, "Co-reference by type"), "PERSON") == {
        "entities": "2", "mentions with id": "3", "mentions per entity": "1.500", "most mentions": "2",
        "several mentions": "0.500", "several strings": "0.500",
    }  # fmt: skip
    assert row(grid(found, "Confidential categories by type"), "all") == {
        "HEALTH": "2", "NOT_CONFIDENTIAL": "2", "confidential": "2", "confidential share": "0.500",
    }  # fmt: skip
    edits = grid(found, "Edits of marks made beforehand, by type")
    assert row(edits, "all") == {"check": "3", "insert": "1", "check share": "0.750", "insert share": "0.250"}
    assert row(edits, "split test")["check"] == "1"
    by_annotator = grid(found, "Edits of marks made beforehand, by annotator")
    assert [one.name for one in by_annotator.rows][-2:] == ["mean over annotators", "deviation"]
    assert sum(int(one.entries[0].text) for one in by_annotator.rows[:-2]) == 3
    assert reasons(found).keys() == {
        "documents reviewed", "layers reviewed", "share masked, over annotators, deviation",
    }  # fmt: skip


def test_labels_of_tables_differ() -> None:
    found = sheet(one(ANN, OSLO, AGAIN, split="train"), one(ANN, AGAIN, number=2, split="test"))
    labels = [block.label or block.caption for block in found.blocks if isinstance(block, Grid)]
    assert len(set(labels)) == len(labels) > 10


def test_nobody_annotated() -> None:
    found = sheet(Document("a", "Ann of Oslo"))
    assert found.lead == ("1 document and no annotations: nobody marked anything.",)
    assert captions(found) == ["Documents, annotations, mentions"]
    dashes = reasons(found)
    assert dashes["mentions"] == dashes["share masked, over layers, mean"] == "nobody annotated a document"
    assert "annotators" not in dashes
    assert row(grid(found, captions(found)[0]), "documents without annotations") == {"all": "1"}


def test_annotators_who_marked_nothing() -> None:
    found = sheet(one(), one(number=2, annotator="b"))
    assert found.lead[1:] == ("Nothing is marked in any of them.",)
    assert captions(found) == ["Documents, annotations, mentions", "Annotators", "Share that is to be masked"]
    assert row(grid(found, "Annotators"), "b")["mentions"] == "0"
    assert row(grid(found, "Share that is to be masked"), "a") == {
        "of mentions": "–", "mean": "–", "deviation": "–", "of characters": "0.000", "of tokens": "0.000",
        "characters marked": "0.000", "tokens marked": "0.000",
    }  # fmt: skip
    assert reasons(found)["mentions per entity"] == "no mention is marked"
    assert reasons(found)["share masked, over annotators, mean"] == "no mention is marked"


def test_ten_annotators_who_share_no_document() -> None:
    found = sheet(*(one(ANN, annotator=f"a{number}", number=number) for number in range(10)))
    assert found.lead[0] == "10 documents, 10 annotation layers by 10 annotators; no document has more than one layer."
    assert len(grid(found, "Annotators").rows) == 10


def test_many_annotators_of_one_document() -> None:
    layers = tuple(Annotation(f"a{number}", (ANN,)) for number in range(60))
    found = sheet(Document("1", "Ann of Oslo", layers))
    assert row(grid(found, "Documents, annotations, mentions"), "documents with 5 annotators or more") == {"all": "1"}
    assert len(grid(found, "Annotators").rows) == 50
    assert grid(found, "Annotators").notes == ("The first 50 of 60 annotators; --json FILE has all.",)


def test_a_corpus_that_says_little() -> None:
    """Spans and types alone: levels are what types tell, and that is said."""
    spans = (InferredMention(0, 3, "PERSON", "DIRECT"), InferredMention(7, 11, "TATTOO", "QUASI"))
    found = sheet(one(*spans))
    assert found.lead[1:] == (
        "2 mentions in 2 types: 1 direct, 1 quasi, 0 no mask.",
        "Of 2 mentions nobody said whether they are direct or quasi: types decide for 1; quasi is a guess for 1.",
    )
    assert "Entities by type" not in captions(found)
    assert "Co-reference by type" not in captions(found)
    dashes = reasons(found)
    assert dashes["mentions, confidential"] == "no mention says whether it is confidential"
    assert dashes["mentions, edits"] == "no mention says what the annotator did to a mark made beforehand"
    assert dashes["mentions per entity"].startswith("no two mentions share an entity id")
    assert dashes["share masked, over layers, mean"].startswith("nobody said whether mentions are to be masked")
    assert row(grid(found, "Documents, annotations, mentions"), "mentions, nobody said which") == {"all": "2"}
    masked = row(grid(found, "Share that is to be masked"), "a")
    assert (masked["of characters"], masked["characters marked"]) == ("–", "0.636")  # 7 of 11


def test_who_said_it_of_some_mentions_alone() -> None:
    found = sheet(one(OSLO, InferredMention(0, 3, "PERSON", "DIRECT")))
    masked = grid(found, "Share that is to be masked")
    assert row(masked, "a")["of mentions"] == "0.500"
    assert "Annotators said only of some mentions whether to mask them; types decide for the others." in masked.notes
    assert len(grid(sheet(one(OSLO)), "Share that is to be masked").notes) == 1


def test_programs_are_told_as_such() -> None:
    layers = (Annotation("silver(rules.v1)", (InferredMention(0, 3, "PERSON", "DIRECT"),)), Annotation("a", (OSLO,)))
    found = sheet(Document("1", "Ann of Oslo", layers))
    assert "by 1 annotator and 1 program" in found.lead[0]
    assert row(grid(found, "Annotators"), "silver(rules.v1)")["program"] == "yes"
    assert row(grid(found, "Annotators"), "a")["program"] == ""
    alone = sheet(Document("1", "Ann of Oslo", layers[:1]))
    assert "by 1 program;" in alone.lead[0]
    assert reasons(alone)["share masked, over annotators, mean"].startswith("only programs marked something")


def test_reviews() -> None:
    document = Document("1", "Ann of Oslo", (Annotation("a", (ANN,)), Annotation("b")), reviewed=("b",))
    found = sheet(document)
    general = grid(found, "Documents, annotations, mentions")
    assert row(general, "documents reviewed") == row(general, "layers reviewed") == {"all": "1"}
    assert [row(grid(found, "Annotators"), name)["reviewed"] for name in "ab"] == ["0", "1"]


def test_some_say_it_and_some_do_not() -> None:
    found = sheet(one(ANN, Mention(7, 11, "LOC", "QUASI")))
    note = "The corpus does not say it of 1 mention; shares are of the other 1."
    assert note in grid(found, "Confidential categories by type").notes
    assert note in grid(found, "Edits of marks made beforehand, by type").notes
    assert row(grid(found, "Confidential categories by type"), "LOC")["confidential share"] == "–"


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name(name: str) -> None:
    """Of types, annotators, splits, categories and edits; nothing reaches a terminal that it could obey."""
    mentions = (Mention(0, 3, name, "DIRECT", "e", name, name), Mention(7, 11, "LOC", "QUASI", "e", "HEALTH", "check"))
    found = sheet(one(*mentions, annotator=name, split=name), one(OSLO, number=2, split="train"))
    text = on_a_terminal(found)
    assert {each for each in text if not each.isprintable()} <= {"\n"}
    if not name.strip():
        assert grid(found, "Documents, annotations, mentions").heads == ("(no split)", "train", "all")
        assert row(grid(found, "Mentions by type"), "(no type)")["mentions"] == "1"
        assert row(grid(found, "Annotators"), "(no name)")["mentions"] == "2"


NAMES = st.sampled_from(["", "A", "B", "silver"])
LAYERS = st.lists(st.builds(
    lambda name, kinds, made: Annotation(name, tuple(made(0, 3, kind, "QUASI", "e") for kind in kinds)),
    NAMES, st.lists(NAMES, max_size=3), st.sampled_from([Mention, InferredMention]),
), max_size=3)  # fmt: skip


@given(st.lists(st.tuples(LAYERS, NAMES), min_size=1, max_size=3))
def test_any_corpus_has_a_sheet(found: list[tuple[list[Annotation], str]]) -> None:
    """Every dash has its reason, and no number is none."""
    documents = [
        Document(str(number), "Ann of Oslo", tuple({one.annotator: one for one in layers}.values()), split=split)
        for number, (layers, split) in enumerate(found)
    ]
    for block in sheet(*documents).blocks:
        assert isinstance(block, Grid)
        for entry in (entry for each in block.rows for entry in each.entries):
            assert entry.reason if entry.value is None else entry.text not in ("nan", "inf")


def test_people() -> None:
    said = (Attribute("NAME", "Ann", 5, 1), Attribute("NAME", "Annie", 3, 2), Attribute("<b>", "x", 5, 0))
    people = Subject("a", said), Subject("b", said[:1]), Subject("c")
    found = sheet(Document("1", "Ann", subjects=people), Document("2", "Oslo"))
    assert found.lead[-1] == "3 people in 1 document, and 4 values in 2 tags that are true of them."
    certain, hard = grid(found, "People by tag and certainty"), grid(found, "People by tag and hardness")
    assert row(certain, "NAME") == {"people": "2", "values": "3", "certainty 3": "1", "certainty 5": "2"}
    assert row(certain, "all") == {"people": "2", "values": "4", "certainty 3": "1", "certainty 5": "3"}
    assert row(hard, "<b>") == {"people": "1", "values": "1", "hardness 0": "1", "hardness 1": "0", "hardness 2": "0"}
    assert "Annie" not in on_a_terminal(found)
    assert not any(caption.startswith("People") for caption in captions(sheet(one(ANN))))
