"""Two runs of one corpus as a page: what got better and worse, by metric, document and identifier."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import html5lib
import pytest
from msgspec.structs import replace

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.report import compare_html
from showthrough.report.changes import changes_sheet
from showthrough.report.run_comparison import RunComparison
from showthrough.report.sheets import Cases, Grid, ReportDocument
from showthrough.report.sheets.page import page_of
from showthrough.run.pairing import RunPair
from showthrough.run.records import Comparison, Failure
from showthrough.studies.changes import Identifier, RunChanges
from situations import SITUATIONS

METRICS = ["removed_di", "removed_qi", "er_di", "recall", "precision"]


def corpus() -> Corpus:
    """Three letters, each with a name that stands there twice and a town; an id that is markup."""
    documents = []
    for number, (name, town) in enumerate([("Kowalska", "Brno"), ("Lindqvist", "Turku"), ("Abeledo", "Vigo")]):
        text = f"Ms {name} of {town} wrote. We thank Ms {name} for it."
        again, place = text.rindex(name), text.index(town)
        marks = (
            Mention(3, 3 + len(name), "PERSON", "DIRECT", "e"),
            Mention(again, again + len(name), "PERSON", "DIRECT", "e"),
            Mention(place, place + len(town), "LOC", "QUASI"),
        )
        documents.append(Document(f"<b>{number}", text, (Annotation("ann", marks),)))
    return Corpus(documents, "letters")


def masks(*hidden: str) -> dict[str, list[Mask]]:
    """Every place of some words."""
    found: dict[str, list[Mask]] = {}
    for document in corpus():
        places = [(document.text.find(word, start), word) for word in hidden for start in range(len(document.text))]
        spans = sorted({(place, place + len(word)) for place, word in places if place >= 0})
        found[document.id] = [Mask(start, end) for start, end in spans]
    return found


def run_of(**systems: dict[str, list[Mask]]) -> Run:
    anonymizations = [Anonymization(masked, name) for name, masked in systems.items()]
    return evaluate(corpus(), anonymizations, METRICS, resamples=50)


@pytest.fixture(scope="module")
def now() -> Run:
    """Hides Lindqvist and Abeledo, Brno and Turku."""
    return run_of(tool=masks("Lindqvist", "Abeledo", "Brno", "Turku"), other=masks("Brno"))


@pytest.fixture(scope="module")
def last() -> Run:
    """Hid Kowalska and Lindqvist, and no town."""
    return run_of(tool=masks("Kowalska", "Lindqvist"), gone=masks("Vigo"))


def compared(run: Run, last: Run, comparisons: Sequence[Comparison] | None = None) -> RunComparison:
    pair = RunPair(run, last, "last")
    if comparisons is None:
        pairs = pair.differing
        comparisons = pair.combined_run.compare(parts=False, shuffles=99, pairs=pairs) if pairs else []
    return RunComparison(pair, comparisons, "run", 0.05, 99)


def grid(sheet: ReportDocument, caption: str) -> Grid:
    [found] = [block for block in sheet.blocks if isinstance(block, Grid) and block.caption.startswith(caption)]
    return found


def cells(found: Grid) -> dict[str, list[str]]:
    return {row.name: [entry.text for entry in row.entries] for row in found.rows}


def test_identifiers_that_are_new_and_gone(now: Run, last: Run) -> None:
    """Kowalska was hidden and is not; Abeledo was not and is, twice each and once an entity. Two towns are hidden."""
    changed = RunChanges(RunPair(now, last, "last")).between("tool", "tool")
    found = changed.identifiers
    assert found is not None
    told = [[(one.document.id, one.context.here, one.identifier) for one in side] for side in (found.new, found.gone)]
    assert told[0] == [("<b>0", "Kowalska", "DIRECT")]
    assert told[1] == [("<b>2", "Abeledo", "DIRECT"), ("<b>0", "Brno", "QUASI"), ("<b>1", "Turku", "QUASI")]
    assert dict(found.counts) == {
        ("<b>0", "DIRECT"): (1, 0), ("<b>2", "DIRECT"): (0, 1),
        ("<b>0", "QUASI"): (0, 1), ("<b>1", "QUASI"): (0, 1),
    }  # fmt: skip


def test_documents_stand_by_what_changed_the_worst_first(now: Run, last: Run) -> None:
    """Direct identifiers that can be read: 1, 0, 0 now and 0, 0, 1 before; towns 0, 0, 1 now and 1, 1, 1 before."""
    sheet = changes_sheet(compared(now, last))
    table = grid(sheet, "By document: tool")
    assert [head for head in table.heads if head.endswith(": is")] == [
        "readable direct identifiers: is", "readable indirect identifiers: is",
    ]  # fmt: skip
    assert [row.name for row in table.rows] == ["<b>0", "<b>1", "<b>2"]
    assert list(cells(table).values()) == [  # is, was, new, gone of either
        ["1", "0", "1", "0", "0", "1", "0", "1"],
        ["0", "0", "0", "0", "0", "1", "0", "1"],
        ["0", "1", "0", "1", "1", "1", "0", "0"],
    ]
    assert "Readable direct identifiers: 1 in 1 of 3 documents; as before; 1 new, 1 gone." in sheet.lead
    assert "Readable indirect identifiers: 1 in 1 of 3 documents; before, 3; 0 new, 2 gone." in sheet.lead


def test_by_metric_old_new_and_difference(now: Run, last: Run) -> None:
    comparison = compared(now, last)
    table = grid(changes_sheet(comparison), "By metric: tool")
    assert [row.name.rpartition("(")[2] for row in table.rows] == [f"{metric}) ↑" for metric in METRICS]
    rows = cells(table)
    assert rows["Indirect identifiers removed (removed_qi) ↑"][:3] == ["0.667", "0.000", "0.667"]  # 2 of 3, 0 of 3
    for row, tested in zip(table.rows, comparison.comparisons, strict=True):
        assert row.entries[0].value == now["tool", tested.metric].value
        assert row.entries[1].value == last["tool", tested.metric].value
        assert row.entries[2].value == tested.difference
        assert (row.entries[2].low, row.entries[2].high) == (tested.low, tested.high)


def test_what_only_one_has(now: Run, last: Run) -> None:
    extra = evaluate(corpus(), [Anonymization(masks("Brno"), "tool")], ["removed_di", "f1"], resamples=50)
    rows = cells(grid(changes_sheet(compared(now, last)), "What only one run has"))
    assert rows == {"other": ["system", "run", ""], "gone": ["system", "last", ""]}
    rows = cells(grid(changes_sheet(compared(now, extra)), "What only one run has"))
    assert rows["f1"] == ["metric", "last", ""]
    assert rows["recall"] == ["metric", "run", ""]
    failed = replace(extra, failures=[Failure("recall", "there is no word list")])
    rows = cells(grid(changes_sheet(compared(now, failed)), "What only one run has"))
    assert rows["recall"] == ["metric", "run", "failed: there is no word list"]


def test_why_something_cannot_be_compared(now: Run, last: Run) -> None:
    records = [replace(one, version=one.version + 1) if one.text == "recall" else one for one in last.metrics]
    sheet = changes_sheet(compared(now, replace(last, metrics=records)))
    rows = cells(grid(sheet, "What cannot be compared"))
    version = now.record("recall").version
    assert rows == {"recall": [f"this run has version {version}, last {version + 1}; evaluate again to compare"]}
    assert not [row.name for row in grid(sheet, "By metric: tool").rows if "(recall)" in row.name]


@pytest.mark.parametrize("pair", list(permutations(["rules", "ner", "overmask"], 2)))
def test_new_less_gone_is_the_difference_of_what_can_be_read(demo_run: Run, pair: tuple[str, str]) -> None:
    """In every document, of direct identifiers and of the others, wherever in the release they can be read."""
    changed = RunChanges(RunPair(demo_run, demo_run, "last")).between(*pair)
    found = changed.identifiers
    assert found is not None
    assert [counted.role for counted in changed.counts][:2] == ["direct identifiers", "quasi-identifiers"]
    kinds: tuple[Identifier, ...] = ("DIRECT", "QUASI")
    for counted, identifier in zip(changed.counts, kinds, strict=False):
        moved = [found.counts.get((document, identifier), (0, 0)) for document in changed.documents]
        assert [new - gone for new, gone in moved] == counted.more.tolist()
        assert any(new for new, _ in moved) or pair[0] == "overmask"


# Sentences.


def judged(run: Run, last: Run, p_values: Sequence[float], signs: Sequence[int]) -> ReportDocument:
    """A page on which the tests have such results, the first metrics in the order of the run."""
    every: list[Comparison] = []
    found = compared(run, last).comparisons
    for comparison, p, sign in zip(found, p_values, signs, strict=True):
        every.append(replace(comparison, difference=0.1 * sign, p=p, p_holm=p, note=""))
    return changes_sheet(compared(run, last, comparisons=every))


@pytest.mark.parametrize(
    ("p_values", "signs", "says"),
    [
        ([0.001] * 5, [1, 1, 1, 1, 1], "tool is better than in last."),
        ([0.001] * 4 + [0.9], [-1] * 5, "tool is worse for privacy than in last."),
        ([0.001] * 5, [1, 1, 1, 1, -1], "tool is better for privacy and worse for utility than in last."),
        ([0.001] * 4 + [0.9], [1, -1, 1, 1, 1], "tool is better in some numbers and worse in others than in last."),
        # Holm: 5 × 0.02 = 0.1 is above 0.05, so one test of five shows nothing.
        ([0.02, 0.9, 0.9, 0.9, 0.9], [1] * 5, "No difference is shown between tool in run and in last (5 tests, "),
    ],
)  # fmt: skip
def test_the_first_sentence(now: Run, last: Run, p_values: list[float], signs: list[int], says: str) -> None:
    sheet = judged(now, last, p_values, signs)
    assert sheet.lead[0].startswith(says)
    if "No difference" in says:
        assert " By itself direct identifiers removed (" in sheet.lead[0]
        assert sheet.lead[0].endswith("That does not show that they are equal.")


def test_an_identical_release_and_its_state(now: Run) -> None:
    sheet = changes_sheet(compared(now, now))
    assert sheet.lead[0] == "tool is identical in both runs: nothing changed."
    assert sheet.lead[1] == "The state of tool is: do not release, as before."
    assert not [block for block in sheet.blocks if block.caption.startswith("By metric")]


def test_a_loss_is_no_state_without_objection() -> None:
    """As with the earlier run as a baseline, though its own limits hold."""
    situation = SITUATIONS["a regression"]()
    assert situation.baseline is not None
    run = replace(situation.run, thresholds=list(situation.thresholds))
    sheet = changes_sheet(compared(run, situation.baseline.beside.other))
    assert sheet.lead[1] == "The state of tool, held against last, is: do not release."
    assert sheet.lead[2] == "In “tool”, only 85 % of indirect identifiers are hidden; the earlier release hid 100 %."
    # Its own limit allows an attack that finds 30 of 100 people, which is no evidence.
    assert sheet.lead[3].startswith("Without the earlier run its state is: not enough evidence")


def test_people_found_are_those_of_the_number() -> None:
    """Two attacks find 31 of 200 people each, and 32 between them: the number is 0.155."""
    situation = SITUATIONS["a regression"]()
    assert situation.baseline is not None
    assert situation.run["tool", "trir"].value == 31 / 200
    changes = RunChanges(RunPair(situation.run, situation.baseline.beside.other, "last")).between("tool", "tool")
    (people,) = [each for each in changes.counts if each.role == "attack"]
    assert (people.now.sum(), people.before.sum()) == (31, 1)


# Text of documents.


def test_text_and_folders_stay_out_where_nobody_may_read_them(now: Run, last: Run) -> None:
    sheet = changes_sheet(compared(now, last))
    assert sheet.private
    assert [block.caption for block in sheet.blocks if isinstance(block, Cases)] == [
        "Readable now, and not before: tool (1)", "No longer readable: tool (3)",
    ]  # fmt: skip
    bare = changes_sheet(compared(now, last), without_text=True)
    page = page_of(bare)
    assert not bare.private
    for word in ("Kowalska", "Lindqvist", "Abeledo", "Brno", "Turku", "thank"):
        assert word in page_of(sheet) or word in ("Lindqvist",)  # which is hidden in both
        assert word not in page
    assert any(note.startswith("left out, since they quote documents: ") for note in bare.notes)


def test_a_run_without_text_still_has_its_counts(now: Run, last: Run) -> None:
    sheet = changes_sheet(compared(now, last.without_text()))
    assert not sheet.private
    assert "Which identifiers are new or gone cannot be shown: one of the runs keeps no text." in sheet.notes
    assert cells(grid(sheet, "By document: tool"))["<b>0"] == ["1", "0", "0", "1"]


def test_from_python(now: Run, last: Run) -> None:
    page = compare_html(now, last, without_text=True)
    assert "this run against the earlier run: what changed" in page
    assert "Kowalska" not in page
    assert "Kowalska" in compare_html(now, last)


def test_documents_that_only_one_run_keeps(now: Run, last: Run) -> None:
    """Of the third document nobody can tell which identifier is gone; that one less can be read was counted."""
    assert last.texts is not None
    texts = replace(
        last.texts,
        documents=last.texts.documents[:2],
        masks={name: masked[:2] for name, masked in last.texts.masks.items()},
        free=last.texts.free[:2],
    )
    sheet = changes_sheet(compared(now, replace(last, texts=texts)))
    assert cells(grid(sheet, "By document: tool"))["<b>2"] == ["0", "1", "–", "–", "1", "1", "–", "–"]
    kept = "1 new, 0 gone in the 2 documents that both runs keep."
    assert f"Readable direct identifiers: 1 in 1 of 3 documents; as before; {kept}" in sheet.lead


def test_the_page_is_valid_and_escaped(now: Run, last: Run) -> None:
    page = page_of(changes_sheet(compared(now, last)))
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    assert "<b>0" not in page
    assert "&lt;b&gt;0" in page


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_it(window: Any, now: Run, last: Run, width: int, theme: str) -> None:
    view = window(
        page_of(changes_sheet(compared(now, last))), viewport={"width": width, "height": 900}, color_scheme=theme
    )
    assert view.violations() == []
    assert view.tab.evaluate("document.documentElement.scrollWidth") == width
    assert (len(view.requests), view.errors, view.stopped()) == (1, [], [])
