"""What changed between two runs of one corpus, as a sheet: by system, by metric, by document, by identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from showthrough.core.errors import shorten
from showthrough.report.run_comparison import (
    KINDS,
    RunComparison,
    lead,
    score_of,
    shown_together,
    verdict_of,
    what_is_counted,
)
from showthrough.report.sheets import (
    Case,
    Cases,
    Grid,
    GridEntry,
    GridRow,
    ReportDocument,
    count,
    missing,
    number,
    words,
)
from showthrough.report.sheets.document import Block
from showthrough.report.significance import ALPHA, describes, p_text, result
from showthrough.report.table import ARROWS
from showthrough.report.wording import counted_words, join_names
from showthrough.run.folders import PathNames
from showthrough.run.pairing import RunPair
from showthrough.run.records import Comparison, Score
from showthrough.run.run import Run
from showthrough.studies.changes import ChangedIdentifier, Identifier, RunChanges, SystemChanges

MOST = 20  # pairs of anonymizations that a page shows document by document
_DOCUMENTS = 200  # rows of a table
_CASES = 500  # of each sort
_WAYS = {"elsewhere": "elsewhere in the release", "otherwise": "written in another way", "encoded": "encoded"}


class ChangesPage(NamedTuple):
    """One page of HTML, and whether it quotes documents, which is for its owner alone."""

    text: str
    private: bool


def changes_page(compared: RunComparison, *, without_text: bool = False) -> ChangesPage:
    from showthrough.report.sheets.page import page_of  # here: templates take a moment to import

    sheet = changes_sheet(compared, without_text=without_text)
    return ChangesPage(page_of(sheet), sheet.private)


def compare_html(
    run: Run,
    earlier: Run,
    *,
    label: str = "this run",
    earlier_label: str = "the earlier run",
    without_text: bool = False,
) -> str:
    """The page of two runs of one corpus: all that both have is tested."""
    pair = RunPair(run, earlier, earlier_label)
    both, shuffles = pair.combined_run, 9_999
    tested = both.compare(parts=False, shuffles=shuffles, pairs=pair.differing) if pair.differing else []
    return changes_page(RunComparison(pair, tested, label, ALPHA, shuffles), without_text=without_text).text


def changes_sheet(compared: RunComparison, *, without_text: bool = False) -> ReportDocument:
    """The page of two runs; `without_text` without a word of their documents."""
    if without_text:
        compared = replace(compared, names=PathNames([*compared.pair.run.metrics, *compared.pair.other.metrics]))
    changes = RunChanges(compared.pair)
    every = [changes.between(*match) for match in compared.pair.matches[:MOST]]
    blocks: list[Block] = [_systems_grid(compared, every)] if every else []
    for system in every:
        if not system.identical:
            blocks += [_metrics_grid(compared, system), *_documents_grid(compared, system), *_cases(compared, system)]
    blocks += [*_only_grid(compared), *_not_compared(compared), _runs_grid(compared)]
    sheet = ReportDocument(
        f"{shorten(compared.label)} against {shorten(compared.pair.label)}: what changed",
        tuple(lead(compared, every)),
        tuple(blocks),
        tuple(_notes(compared, every, changes)),
    )
    return sheet.without_text() if without_text else sheet


def _amount(value: float) -> GridEntry:
    """A count, which attacks that tie may make no whole number."""
    return count(value) if float(value).is_integer() else number(value)


# The tables.


def _systems_grid(compared: RunComparison, every: Sequence[SystemChanges]) -> Grid:
    """One row for each pair: what the tests show, and what is counted."""
    survivors = shown_together(compared)
    counted = every[0].counts
    heads = ["against", "tests show"]
    for each in counted:
        heads += [f"{what_is_counted(each)}: is", "was", "more in", "less in"]
    rows = []
    for system in every:
        word = "identical" if system.identical else verdict_of(compared, system, survivors).word
        entries = [words(f"{shorten(system.earlier)} ({shorten(compared.pair.label)})"), words(word)]
        for each in system.counts:
            amounts = float(each.now.sum()), float(each.before.sum()), *system.trend(each)
            entries += map(_amount, amounts)
        rows.append(GridRow(shorten(system.name), tuple(entries)))
    notes = ("more in, less in: documents with more of it than before, and with less",) if counted else ()
    if (more := len(compared.pair.matches) - MOST) > 0:
        notes = (*notes, f"{more:,} more pairs are not shown; the terminal and --json have their tests")
    return Grid("By system", tuple(heads), tuple(rows), "system", notes)


def _metrics_grid(compared: RunComparison, system: SystemChanges) -> Grid:
    run = compared.pair.combined_run
    rows = []
    for comparison in compared.tested(system.name, system.earlier):
        record = run.record(comparison.metric)
        neutral = describes(run, comparison)
        part = f"[{comparison.part}]" if comparison.part else ""
        arrow = ARROWS["neither" if neutral else record.better]
        rows.append(
            GridRow(
                f"{record.title} ({compared.text_of(record.text)}{part}) {arrow}".strip(),
                (
                    _entry(compared, score_of(run, comparison.first, comparison)),
                    _entry(compared, score_of(run, comparison.second, comparison)),
                    _difference(comparison),
                    _p(comparison),
                    words(_in_words(run, comparison, compared.alpha)),
                ),
            )
        )
    heads = ("is", "was", "difference", "p", "tests show")
    notes = (
        f"p: studentized paired randomization over {run.sample}, {compared.shuffles:,} shuffles, with Holm's "
        f"correction within each metric; at most {compared.alpha:g} is significant. The sentences at the top correct "
        f"over all metrics and systems together",
    )
    return Grid(f"By metric: {_pair_title(system)}", heads, tuple(rows), "metric", notes)


def _pair_title(system: SystemChanges) -> str:
    return (
        shorten(system.name)
        if system.name == system.earlier
        else f"{shorten(system.name)} against {shorten(system.earlier)}"
    )


def _entry(compared: RunComparison, score: Score | None) -> GridEntry:
    if score is None or score.value is None:
        return missing(compared.text_of(score.reason) if score else "this run has no number")
    return number(score.value, score.low, score.high)


def _difference(comparison: Comparison) -> GridEntry:
    if comparison.difference is None:
        return missing("it is undefined in one of the two")
    return number(comparison.difference, comparison.low, comparison.high)


def _p(comparison: Comparison) -> GridEntry:
    if comparison.p_holm is None:
        return missing(comparison.note or "it is undefined in one of the two")
    return words(p_text(comparison.p_holm))


def _in_words(run: Run, comparison: Comparison, alpha: float) -> str:
    if comparison.p_holm is None:
        return "not tested"
    if not comparison.significant(alpha):
        return "no difference shown"
    return "differs" if describes(run, comparison) else result(run, comparison, alpha)


def _documents_grid(compared: RunComparison, system: SystemChanges) -> Iterator[Grid]:
    """The documents in which something changed, those that got worse most first."""
    if not system.counts:
        return
    places = system.changed
    shown = places if len(places) <= _DOCUMENTS else _extremes(system, places)
    counts = system.identifiers.counts if system.identifiers is not None else {}
    moving = [counted for counted in system.counts if any(system.trend(counted)) or (counts and counted.role in KINDS)]
    heads: list[str] = []
    for counted in moving:
        heads += [f"{what_is_counted(counted)}: is", "was"]
        heads += ["new", "gone"] if counts and counted.role in KINDS else []
    rows = []
    for index in shown:
        entries: list[GridEntry] = []
        for counted in moving:
            entries += map(_amount, (float(counted.now[index]), float(counted.before[index])))
            if counts and counted.role in KINDS:
                entries += _new_and_gone(system, system.documents[index], KINDS[counted.role])
        rows.append(GridRow(shorten(system.documents[index]), tuple(entries)))
    same = len(system.documents) - len(places)
    notes = [f"nothing of this changed in {counted_words(same, 'document')}"] if same else []
    notes += [
        f"{what_is_counted(counted)}: the same in every document" for counted in system.counts if counted not in moving
    ]
    if len(shown) < len(places):
        notes.append(f"the {len(shown):,} of {len(places):,} documents that changed most")
    yield Grid(f"By document: {_pair_title(system)}", tuple(heads), tuple(rows), "document", tuple(notes))


def _new_and_gone(system: SystemChanges, document: str, kind: Identifier) -> Iterator[GridEntry]:
    if system.identifiers is None or document not in system.identifiers.documents:
        return iter([missing("not both runs keep its text")] * 2)
    return map(count, system.identifiers.counts.get((document, kind), (0, 0)))


def _extremes(system: SystemChanges, places: Sequence[int]) -> list[int]:
    """Of very many documents those that changed most, in the same order."""
    grave = system.counts[0].more
    most = sorted(range(len(places)), key=lambda index: (-abs(float(grave[places[index]])), index))[:_DOCUMENTS]
    return [places[index] for index in sorted(most)]


def _cases(compared: RunComparison, system: SystemChanges) -> Iterator[Cases]:
    """Identifiers that can be read now and could not, and the other way round, each in its context."""
    if system.identifiers is None:
        return
    sorts = ("Readable now, and not before", system.identifiers.new), ("No longer readable", system.identifiers.gone)
    for caption, identifiers in sorts:
        if identifiers:
            more = len(identifiers) - _CASES
            notes = (f"the first {_CASES:,}; there are {more:,} more",) if more > 0 else ()
            title = f"{caption}: {_pair_title(system)} ({len(identifiers):,})"
            yield Cases(title, tuple(map(_case, identifiers[:_CASES])), notes)


def _case(identifier: ChangedIdentifier) -> Case:
    kind = "direct" if identifier.identifier == "DIRECT" else "quasi"
    remark = ", ".join(filter(None, (kind, shorten(identifier.entity_type), _WAYS.get(identifier.how, ""))))
    return Case(identifier.document.id, identifier.start, *identifier.context, remark=remark)


def _only_grid(compared: RunComparison) -> Iterator[Grid]:
    """What one of the two runs has alone."""
    sides = (compared.pair.run, compared.label), (compared.pair.other, compared.pair.label)
    rows = []
    for (run, label), (other, _) in (sides, sides[::-1]):
        matched = {name for match in compared.pair.matches for name in match}
        alone = [name for name in run.names if name not in other.names and name not in matched]
        rows += [GridRow(shorten(name), (words("system"), words(shorten(label)), words(""))) for name in alone]
        for text in (text for text in run.rows if text not in other.rows):
            why = next((f"failed: {failure.reason}" for failure in other.failures if failure.metric == text), "")
            entries = words("metric"), words(shorten(label)), words(compared.text_of(why))
            rows.append(GridRow(compared.text_of(text), entries))
    if rows:
        yield Grid("What only one run has", ("is a", "only in", "the other run"), tuple(rows), "name")


def _not_compared(compared: RunComparison) -> Iterator[Grid]:
    """What both have and what still cannot be held against each other, with the reason."""
    pair = compared.pair
    both = [
        record.text for record in pair.run.metrics if record.text in pair.run.rows and record.text in pair.other.rows
    ]
    faults = [(text, pair.fault(text) or pair.run.incomparable(text)) for text in both]
    rows = tuple(GridRow(compared.text_of(text), (words(compared.text_of(fault)),)) for text, fault in faults if fault)
    if rows:
        yield Grid("What cannot be compared", ("why",), rows, "metric")


def _runs_grid(compared: RunComparison) -> Grid:
    """The two runs themselves, so that a page can be filed."""
    runs = compared.pair.run, compared.pair.other
    facts = (
        ("corpus", [f"{shorten(run.corpus.name)}, {run.corpus.digest[:12]}" for run in runs]),
        ("independent documents", [run.sample for run in runs]),
        ("systems", [_systems(run) for run in runs]),
        ("made by Showthrough", [str(run.provenance.get("showthrough", "")) for run in runs]),
        ("finished", [_time(run) for run in runs]),
        ("text", ["keeps its documents" if run.texts else "keeps no text" for run in runs]),
    )
    rows = tuple(GridRow(name, tuple(map(words, values))) for name, values in facts)
    return Grid("The two runs", (shorten(compared.label), shorten(compared.pair.label)), rows)


def _systems(run: Run) -> str:
    return join_names([f"{shorten(each.name)} {each.digest[:12]}" for each in run.anonymizations])


def _time(run: Run) -> str:
    return str(run.provenance.get("time", "")).replace("T", " ").replace("+00:00", " UTC")


def _notes(compared: RunComparison, every: Sequence[SystemChanges], changes: RunChanges) -> Iterator[str]:
    if any(not system.identical for system in every):
        if not changes.kept:
            yield "Which identifiers are new or gone cannot be shown: one of the runs keeps no text."
        elif changes.kept < len(compared.pair.run.documents):
            share = f"{changes.kept:,} of {counted_words(len(compared.pair.run.documents), 'document')}"
            yield f"Identifiers that are new or gone are those of the {share} that both runs keep."
        yield (
            "An identifier that several annotators marked counts once for each of them, and is listed once. What "
            "annotators overlooked is in no table."
        )
    yield "A difference that is not shown is not excluded: the interval says how large it may be."
