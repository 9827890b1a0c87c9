"""The columns of the sheets that a second reader fills in, what may stand in them, and the page that explains them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from showthrough.data.documents import Identifier
from showthrough.data.types import NOT_CONFIDENTIAL
from showthrough.storage.writing import guard_cell

Told = Literal["yes", "no", "unsure"]
TOLD: tuple[Told, ...] = get_args(Told)
SURE = ("low", "medium", "high")
IDENTIFIERS: tuple[Identifier, ...] = get_args(Identifier)
EVERY = "all"  # as an occurrence
NEW = "new"  # as an entity

DOCUMENT, FILE, ANNOTATOR, REVIEWER = "document", "file", "annotator", "reviewer"
STILL_TOLD, WHO, HOW_SURE = "can you still tell who this is about?", "who, and how found", "how sure"
CONFIRMED, REMARKS = "confirmed", "remarks"
WORDS, OCCURRENCE, KIND, TYPE, IDENTIFIER = "words", "occurrence", "kind", "type", "identifier"
CONFIDENTIAL, SAME_AS, NEW_WORDS, NOTE = "confidential", "same as", "new words", "note"

SHEET = {
    DOCUMENT: "which document it is; leave it as it is",
    FILE: "the copy to read; leave it as it is",
    ANNOTATOR: "whose annotations are looked through; leave it as it is",
    REVIEWER: "your name or initials",
    STILL_TOLD: f"{', '.join(TOLD)}: can the person be identified from the copy and from what you and others here "
    f"know? The published document itself does not count as known",
    WHO: "whom you found, and by which words",
    HOW_SURE: f"{', '.join(SURE)}; may stay empty",
    CONFIRMED: "yes, once all steps are done for this document",
    REMARKS: "anything else",
}
FINDINGS = {
    DOCUMENT: "as in the other sheet, or the name of its copy",
    WORDS: "the words exactly as in the document",
    OCCURRENCE: f"which one, if the words occur more than once: its number, several numbers, or {EVERY}. For missing "
    f"words, count those that can be read in the copy; for anything else, those that are marked",
    KIND: "what is wrong, see below",
    TYPE: "what the type should be",
    IDENTIFIER: f"what it should be: {', '.join(IDENTIFIERS)}",
    CONFIDENTIAL: f"what the category should be, or {NOT_CONFIDENTIAL}",
    SAME_AS: f"other marked words, or an entity's id, that mean the same; {NEW} if it means something else",
    NEW_WORDS: "for borders: the words that should be marked, from the first to the last",
    NOTE: "anything else",
}
# What each kind of finding needs to be said beside the words.
KINDS: Mapping[str, tuple[str, ...]] = {
    "missing": (),
    "border": (NEW_WORDS,),
    "type": (TYPE,),
    "masking": (IDENTIFIER,),
    "confidential": (CONFIDENTIAL,),
    "entity": (SAME_AS,),
    "spurious": (),
    "disagree": (),
}
_KINDS = {
    "missing": "should be marked and is not: say type and identifier, unless the same words are marked elsewhere",
    "border": "the mark is too long or too short: say the new words",
    "type": "has the wrong type: say the right one",
    "masking": "is masked and need not be, or the other way round, or DIRECT and QUASI are mixed up: say the right one",
    "confidential": "has the wrong category, or none: say the right one",
    "entity": "means the same as other words, or is wrongly linked to them: say what it means",
    "spurious": "should not be marked at all",
    "disagree": "the two of you should discuss it: it is listed and nothing is changed",
}
_STEPS = (
    "Read the copy slowly, like somebody who wants to know whom it is about.",
    "Answer the first question in the sheet. If in doubt, say unsure, and ask the person who is responsible for the "
    "data. Do not type words of a document into a web search or a chat: that discloses them.",
    "Look at the document itself, with its marks: is something missing, are borders, types, masking decisions and "
    "categories right?",
    "Write each plain error into the findings, one row each.",
    "If you merely see something differently, add it to the findings with the kind disagree.",
    "Talk about these with the annotator.",
    "Change the findings to what you agreed on.",
    "Write yes under confirmed.",
)


def table(columns: Iterable[str], rows: Iterable[Iterable[str]] = ()) -> bytes:
    """A .csv that spreadsheet programs know for UTF-8, and in which nothing is a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(map(guard_cell, row) for row in rows)
    return out.getvalue().encode("utf-8-sig")


def questions(replace: str, opened: bool) -> str:
    """What to do, and what each column is for."""
    shown = {"stars": "a row of stars", "label": "its type in brackets", "number": "its type and a number in brackets"}
    lines = [
        "# How to look through these annotations",
        "",
        f"In the copies {shown[replace]} replaces everything that is to be masked. Confidential words that are not",
        "masked are in braces, after their category. Do not write into the copies.",
        "",
        *(f"{number}. {step}" for number, step in enumerate(_STEPS, 1)),
        "",
    ]
    if opened:
        lines += ["The folder `marked` has the documents with their marks in brackets, for the third step.", ""]
    for title, parts in (
        ("## sheet.csv: one row a document", SHEET),
        ("## findings.csv: one row a finding", FINDINGS),
        ("## Kinds of findings", _KINDS),
    ):
        lines += [title, "", *(f"- **{name}**: {text}." for name, text in parts.items()), ""]
    return "\n".join(lines)
