"""What is said of identifiers that can be read in a release: where, how, and never in the identifier's own words."""

from __future__ import annotations

from io import StringIO

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.report._sentences import sentence
from showthrough.report.findings import findings
from showthrough.report.html import _payload, html_text
from showthrough.report.table import tables
from showthrough.report.terminal import PlainConsole, show_run
from showthrough.run.roles import choose_metric, leaks

NAMES = ("Kowalska", "Brzezina", "Lindqvist")
BODY = "The patient was seen again and went home in the evening."


def corpus() -> Corpus:
    """Three notes with a name and a number each: six direct identifiers."""
    documents = []
    for number, name in enumerate(NAMES):
        head = f"Patient: Anna {name}, number 447190{number}."
        marks = Mention(9, 14 + len(name), "PERSON", "DIRECT"), Mention(len(head) - 8, len(head) - 1, "CODE", "DIRECT")
        documents.append(Document(f"note-{number}", f"{head} {BODY}", (Annotation("ann", marks),)))
    return Corpus(documents, "notes")


def moved() -> Run:
    """Nothing is masked, and the header stands at the end."""
    notes = corpus()
    texts = {note.id: f"{BODY} {note.text.removesuffix(f' {BODY}')}" for note in notes}
    return evaluate(notes, Anonymization.from_texts(texts, notes, name="moved"), resamples=0)


def told(run: Run, name: str) -> str:
    return "; ".join(str(clause) for clause in sentence(run, name))


def on_the_terminal(run: Run, *, parts: bool = False) -> str:
    console = PlainConsole(file=StringIO(), width=100)
    show_run(run, console, parts=parts)
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def test_what_moved_can_be_read() -> None:
    run = moved()
    assert (run["moved", "er_di"].value, run["moved", "removed_di"].value) == (1.0, 0.0)
    assert told(run, "moved").startswith(
        "leaves all 6 direct identifiers readable in the release, in 3 of 3 documents; "
        '6 of them in another place than marked: "Patient: …" (note-0)'
    )
    assert "where they were marked" not in told(run, "moved")


def test_without_text_nothing_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    run = moved()
    bare = told(run.without_text(), "moved")
    assert "6 of them in another place than marked (note-0)" in bare
    assert "Patient" not in bare
    monkeypatch.setattr(_payload, "pack", repr)  # to be read as it is
    assert "Patient" in html_text(run)
    assert "Patient" not in html_text(run, without_text=True)


def test_no_word_that_somebody_marked_is_quoted() -> None:
    """The number stands behind the name, which is no context to quote."""
    text = "Anna Kowalska 4471900 came in. Later the nurse asked Anna Kowalska 4471900 again."
    marks = Mention(0, 13, "PERSON", "DIRECT"), Mention(14, 21, "CODE", "DIRECT")
    notes = Corpus([Document("d", text, (Annotation("ann", marks),))])
    run = evaluate(notes, Anonymization({"d": [Mask(0, 21)]}, "first"), metrics=["removed_di"], resamples=0)
    assert '"the nurse asked …" (d)' in told(run, "first")
    assert "Kowalska" not in told(run, "first")


def test_ways_and_what_is_nearly_readable() -> None:
    """The first note: the name in a path, the number in base64. The second: a letter off, and digits apart."""
    notes = corpus()
    ends = ("/notes/kowalska/NDQ3MTkwMA==", "Brzezyna 4 4 7 1 9 0 1", "")
    masks = {
        note.id: [Mask(mark.start, mark.end, "[X]") for mark in note.annotations[0].mentions]
        + [Mask(len(note.text) - 1, len(note.text), f". {end}")]
        for note, end in zip(notes, ends, strict=True)
    }
    run = evaluate(notes, Anonymization(masks, "masks"), resamples=0)
    said = told(run, "masks")
    assert said.startswith(
        "leaves 3 of 6 direct identifiers readable in the release, in 2 of 3 documents; 1 of them in"
    )
    assert "1 written in another way" in said
    assert "1 encoded (note-0)" in said
    assert "1 more is nearly readable: a letter off, a part of it, initials, or a name that is also a word" in said


def test_none_is_none_in_the_release() -> None:
    notes = corpus()
    masks = {note.id: [Mask(mark.start, mark.end) for mark in note.annotations[0].mentions] for note in notes}
    run = evaluate(notes, Anonymization(masks, "masks"), resamples=0)
    assert told(run, "masks").startswith("leaves none of 6 direct identifiers readable in the release; ")


@pytest.mark.parametrize("metrics", [["er_di", "removed_di"], ["removed_di", "er_di"]])
def test_the_release_goes_before_the_marks(metrics: list[str]) -> None:
    """In whichever order they were asked for."""
    notes = corpus()
    texts = {note.id: f"{BODY} {note.text.removesuffix(f' {BODY}')}" for note in notes}
    run = evaluate(notes, Anonymization.from_texts(texts, notes, name="moved"), metrics, resamples=0)
    record = choose_metric(run, "direct identifiers")
    assert record is not None
    assert record.text == "removed_di"
    assert leaks(run, record, "moved").total == 6
    assert [one.what for one in findings(run)] == [
        "leaves 3 direct identifiers readable: codes such as case numbers (CODE), in 3 of 3 documents",
        "leaves 3 direct identifiers readable: names (PERSON), in 3 of 3 documents",
    ]


def test_tables_of_parts_are_in_words() -> None:
    run = moved()
    own = {table.title: table for table in tables(run) if table.title.startswith("removed_di")}
    assert list(own) == ["removed_di, by type", "removed_di, by how they can be read"]
    assert [column.head for column in own["removed_di, by type"].columns] == ["CODE", "PERSON"]
    assert {column.head: column.title for column in own["removed_di, by how they can be read"].columns} == {
        "left:marked": "readable where marked",
        "left:elsewhere": "readable elsewhere",
        "left:otherwise": "readable, written otherwise",
        "left:encoded": "readable, encoded",
        "nearly": "nearly readable (not counted)",
        "generalized": "dates that lost their day",
        "chance": "readable in another document",
    }


def test_the_terminal_leads_with_what_is_removed() -> None:
    run = moved()
    said = on_the_terminal(run)
    assert "--parts shows the parts of removed_di, removed_qi, recall_per_type\n" in said
    heads = next(line.split() for line in said.splitlines() if "removed_di ↑" in line)
    assert heads[::2][:3] == ["removed_di", "removed_qi", "clean"]
    assert "removed_di, by how they can be read" in on_the_terminal(run, parts=True)


def test_entity_recall_says_where_it_looks() -> None:
    titles = {record.text: record.title for record in moved().metrics}
    assert titles["removed_di"] == "Direct identifiers removed"
    assert titles["er_di"] == "Direct identifiers hidden where marked"
    assert titles["er_qi"] == "Indirect identifiers hidden where marked"


def test_the_page_names_the_person_to_protect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_payload, "pack", repr)
    task = {"task": "Annotate the document to anonymise the following person: Anna Kowalska"}
    notes = [Document("d", "Anna came.", (Annotation("ann", (Mention(0, 4, "PERSON", "DIRECT"),)),), fields=task)]
    run = evaluate(Corpus(notes), Anonymization({"d": [Mask(0, 4)]}, "first"), metrics=["er_di"], resamples=0)
    assert "Anna Kowalska" in html_text(run)
    assert "Kowalska" not in html_text(run, without_text=True)
