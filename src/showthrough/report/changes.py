"""What changed between two runs of one corpus, as a sheet: by system, by metric, by document, by identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from showthrough.core.errors import shorten
from showthrough.metrics import HEADLINE
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
from showthrough.report.significance import ALPHA, describes, first_is_better, p_text, result
from showthrough.report.table import ARROWS, format_score
from showthrough.report.wording import counted_words, join_names
from showthrough.run.folders import PathNames
from showthrough.run.gate.state import decide
from showthrough.run.pairing import RunPair
from showthrough.run.records import Comparison, Score
from showthrough.run.run import Run
from showthrough.statistics import holm
from showthrough.studies.changes import ChangedIdentifier, DocumentCount, Identifier, RunChanges, SystemChanges

MOST = 20  # pairs of anonymizations that a page shows document by document
_DOCUMENTS = 200  # rows of a table
_CASES = 500  # of each sort
_NAMED = 3  # metrics that a sentence names
_SENTENCES = 5  # pairs of which each has a sentence
_SOME = " in some numbers"
_WAYS = {"elsewhere": "elsewhere in the release", "otherwise": "written in another way", "encoded": "encoded"}
_COUNTED = {
    "direct identifiers": "readable direct identifiers",
    "quasi-identifiers": "readable quasi-identifiers",
    "attack": "people found",
}
_OTHER = "what looks like an identifier"
_KIND: dict[str, Identifier] = {"direct identifiers": "DIRECT", "quasi-identifiers": "QUASI"}


@dataclass(frozen=True)
class RunComparison:
    """Two runs of one corpus, their paired tests, and how these are judged."""

    pair: RunPair
    comparisons: Sequence[Comparison]
    label: str  # what this run is called; the other's is the pair's
    alpha: float
    shuffles: int
    names: PathNames | None = None  # for others: what metrics are called without folders

    def text_of(self, text: str) -> str:
        """What is written of a metric, or of why it has no number."""
        return self.names.shorten_reason(text) if self.names else text

    def page(self, *, without_text: bool = False) -> ChangesPage:
        from showthrough.report.sheets.page import page_of  # here: templates take a moment to import

        sheet = changes_sheet(self, without_text=without_text)
        return ChangesPage(page_of(sheet), sheet.private)

    def tested(self, name: str, earlier: str) -> list[Comparison]:
        """The comparisons of two anonymizations, as they stand in the tables."""
        both = name, self.pair.called[earlier]
        return [comparison for comparison in self.comparisons if (comparison.first, comparison.second) == both]


class ChangesPage(NamedTuple):
    """One page of HTML, and whether it quotes documents, which is for its owner alone."""

    text: str
    private: bool


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
    return RunComparison(pair, tested, label, ALPHA, shuffles).page(without_text=without_text).text


def changes_sheet(compared: RunComparison, *, without_text: bool = False) -> ReportDocument:
    """The page of two runs; `without_text` without a word of their documents."""
    if without_text:
        compared = replace(compared, names=PathNames([*compared.pair.run.metrics, *compared.pair.other.metrics]))
    changes = RunChanges(compared.pair)
    every = [changes.between(*match) for match in compared.pair.matches[:MOST]]
    blocks: list[Block] = [_systems_grid(compared, every)] if every else []
    for one in every:
        if not one.identical:
            blocks += [_metrics_grid(compared, one), *_documents_grid(compared, one), *_cases(compared, one)]
    blocks += [*_only_grid(compared), *_not_compared(compared), _runs_grid(compared)]
    sheet = ReportDocument(
        f"{shorten(compared.label)} against {shorten(compared.pair.label)}: what changed",
        tuple(_lead(compared, every)),
        tuple(blocks),
        tuple(_notes(compared, every, changes)),
    )
    return sheet.without_text() if without_text else sheet


# The sentences that come first.


def _lead(compared: RunComparison, every: Sequence[SystemChanges]) -> Iterator[str]:
    if not every:
        yield "Nothing can be compared: one of the two runs has no anonymization."
        return
    survivors = _shown_together(compared)
    verdicts = [(one, _verdict(compared, one, survivors)) for one in every]
    verdicts.sort(key=lambda pair: pair[0].identical)  # what changed goes first
    for one, verdict in verdicts[:_SENTENCES]:
        yield _sentence(compared, one, verdict)
        yield _state_sentence(compared, one)
        for counted in one.counts if not one.identical else ():
            yield _count_sentence(one, counted)
        yield from _details(compared, verdict)
    if len(verdicts) > _SENTENCES:
        yield f"The table of systems has {len(verdicts) - _SENTENCES:,} more."


def _state_sentence(compared: RunComparison, one: SystemChanges) -> str:
    """What follows for a release, and followed before."""
    sides = (compared.pair.run, one.name), (compared.pair.other, one.earlier)
    now, was = (decide(run, candidate=name).state for run, name in sides)
    before = ", as before" if now == was else f"; before, {was.value}"
    return f"The state of {shorten(one.name)} is: {now.value}{before}."


@dataclass(frozen=True)
class _Verdict:
    """Which headlines got better and worse by more than chance, all tests of the page taken together."""

    better: Sequence[Comparison]
    worse: Sequence[Comparison]
    alone: Sequence[Comparison]  # significant by themselves, and not among so many tests
    tests: int

    @property
    def word(self) -> str:
        if self.better and self.worse:
            return "better and worse"
        return "better" if self.better else "worse" if self.worse else "no difference shown"


def _headlines(compared: RunComparison) -> list[Comparison]:
    """What a sentence judges by: main numbers, of which more or less is better."""
    return [
        comparison
        for comparison in compared.comparisons
        if comparison.part == HEADLINE and not describes(compared.pair.combined_run, comparison)
    ]


def _shown_together(compared: RunComparison) -> set[tuple[str, str, str]]:
    """What differs though Holm's correction is over all metrics: one of many tests is soon significant by chance."""
    tested = [comparison for comparison in _headlines(compared) if comparison.p is not None]
    corrected = holm([comparison.p for comparison in tested if comparison.p is not None])
    return {
        (comparison.metric, comparison.first, comparison.second)
        for comparison, p in zip(tested, corrected, strict=True)
        if p <= compared.alpha
    }


def _verdict(compared: RunComparison, one: SystemChanges, survivors: set[tuple[str, str, str]]) -> _Verdict:
    run, second = compared.pair.combined_run, compared.pair.called[one.earlier]
    own = [
        comparison for comparison in _headlines(compared) if (comparison.first, comparison.second) == (one.name, second)
    ]
    shown = [comparison for comparison in own if (comparison.metric, one.name, second) in survivors]
    alone = [comparison for comparison in own if comparison not in shown and comparison.significant(compared.alpha)]
    better = [comparison for comparison in shown if first_is_better(run, comparison)]
    worse = [comparison for comparison in shown if not first_is_better(run, comparison)]
    tests = sum(comparison.p is not None for comparison in _headlines(compared))
    return _Verdict(better, worse, alone, tests)


def _sentence(compared: RunComparison, one: SystemChanges, verdict: _Verdict) -> str:
    name, last = shorten(one.name), _called(compared, one)
    if one.identical:
        return f"{name} is identical in both runs: nothing changed."
    own = compared.tested(one.name, one.earlier)
    if not any(comparison.p is not None for comparison in own):
        return f"Whether {name} is better or worse than {last} cannot be said: no metric could be tested."
    if verdict.better or verdict.worse:
        sides = ("better", verdict.better, verdict.worse), ("worse", verdict.worse, verdict.better)
        whats = [_for_what(compared, shown, against) for _, shown, against in sides]
        if whats[0] == whats[1] == _SOME:
            whats[1] = " in others"
        said = [f"{how}{what}" for (how, shown, _), what in zip(sides, whats, strict=True) if shown]
        return f"{name} is {join_names(said)} than {last}."
    tests = counted_words(verdict.tests, "test")
    together = ", corrected together" if verdict.tests > 1 else ""
    this = f"{name} in {shorten(compared.label)}"
    chance = f" By itself {_titles(compared, verdict.alone)} differs, which may be chance." if verdict.alone else ""
    return (
        f"No difference is shown between {this} and {last} ({tests}{together}).{chance} "
        f"That does not show that they are equal."
    )


def _details(compared: RunComparison, verdict: _Verdict) -> Iterator[str]:
    """Which numbers are better and worse."""
    for how, shown in (("Better", verdict.better), ("Worse", verdict.worse)):
        if shown:
            yield f"{how}: {_titles(compared, shown)}."


def _for_what(compared: RunComparison, shown: Sequence[Comparison], against: Sequence[Comparison]) -> str:
    """` for privacy`, where all that is shown is of that group, and nothing of it is shown the other way."""
    run = compared.pair.combined_run
    groups, others = ({run.record(comparison.metric).group for comparison in side} for side in (shown, against))
    groups -= {"both"}
    if len(groups) == 1 and groups <= {"privacy", "utility"} and not groups & others:
        return f" for {next(iter(groups))}"
    return _SOME if against else ""


def _called(compared: RunComparison, one: SystemChanges) -> str:
    """`last`, or with its name where that is another."""
    last = shorten(compared.pair.label)
    return f"in {last}" if one.name == one.earlier else f"{shorten(one.earlier)} in {last}"


def _titles(compared: RunComparison, shown: Sequence[Comparison]) -> str:
    """`direct identifiers removed (0.808, was 0.950; p 0.0004)`, the first few."""
    run = compared.pair.combined_run
    told = []
    for comparison in shown[:_NAMED]:
        now, was = (_score(run, which, comparison) for which in (comparison.first, comparison.second))
        values = f"{_value(now)}, was {_value(was)}"
        told.append(f"{run.record(comparison.metric).title.lower()} ({values}; p {p_text(comparison.p_holm)})")
    more = len(shown) - _NAMED
    return join_names([*told, f"{more:,} more"]) if more > 0 else join_names(told)


def _score(run: Run, name: str, comparison: Comparison) -> Score | None:
    return run.parts(name, comparison.metric).get(comparison.part)


def _value(score: Score | None) -> str:
    return "–" if score is None or score.value is None else format_score(score.value)


def _count_sentence(one: SystemChanges, counted: DocumentCount) -> str:
    """`Readable direct identifiers: 26 in 19 of 42 documents, was 25; 3 are new and 2 are gone.`"""
    now, was = float(counted.now.sum()), float(counted.before.sum())
    where = int((counted.now > 0).sum())
    among = f"{_number(now)} in {where:,}" if counted.role != "attack" else _number(now)
    moved, kind = "", _KIND.get(counted.role)
    if one.identifiers is not None and kind is not None and now + was:
        new, gone = _moved(one, kind)
        kept = len(one.identifiers.documents)
        among_kept = f" in the {kept:,} documents that both runs keep" if kept < len(one.documents) else ""
        moved = f"; {new:,} new, {gone:,} gone{among_kept}" if new or gone else f"; the same ones{among_kept}"
    before = "as before" if now == was else f"before, {_number(was)}"
    documents = counted_words(len(one.documents), "document")
    return f"{_what(counted).capitalize()}: {among} of {documents}; {before}{moved}."


def _moved(one: SystemChanges, kind: Identifier) -> tuple[int, int]:
    if one.identifiers is None:
        return 0, 0
    pairs = [pair for (_, which), pair in one.identifiers.counts.items() if which == kind]
    return sum(new for new, _ in pairs), sum(gone for _, gone in pairs)


def _what(counted: DocumentCount) -> str:
    return _COUNTED.get(counted.role, _OTHER)


def _number(value: float) -> str:
    """
    >>> _number(3.0), _number(2.5)
    ('3', '2.5')
    """
    return f"{value:,.1f}".removesuffix(".0")


def _amount(value: float) -> GridEntry:
    """A count, which attacks that tie may make no whole number."""
    return count(value) if float(value).is_integer() else number(value)


# The tables.


def _systems_grid(compared: RunComparison, every: Sequence[SystemChanges]) -> Grid:
    """One row for each pair: what the tests show, and what is counted."""
    survivors = _shown_together(compared)
    counted = every[0].counts
    heads = ["against", "tests show"]
    for each in counted:
        heads += [f"{_what(each)}: is", "was", "more in", "less in"]
    rows = []
    for one in every:
        said = "identical" if one.identical else _verdict(compared, one, survivors).word
        entries = [words(f"{shorten(one.earlier)} ({shorten(compared.pair.label)})"), words(said)]
        for each in one.counts:
            amounts = float(each.now.sum()), float(each.before.sum()), *one.trend(each)
            entries += map(_amount, amounts)
        rows.append(GridRow(shorten(one.name), tuple(entries)))
    notes = ("more in, less in: documents with more of it than before, and with less",) if counted else ()
    if (more := len(compared.pair.matches) - MOST) > 0:
        notes = (*notes, f"{more:,} more pairs are not shown; the terminal and --json have their tests")
    return Grid("By system", tuple(heads), tuple(rows), "system", notes)


def _metrics_grid(compared: RunComparison, one: SystemChanges) -> Grid:
    run = compared.pair.combined_run
    rows = []
    for comparison in compared.tested(one.name, one.earlier):
        record = run.record(comparison.metric)
        neutral = describes(run, comparison)
        part = f"[{comparison.part}]" if comparison.part else ""
        arrow = ARROWS["neither" if neutral else record.better]
        rows.append(
            GridRow(
                f"{record.title} ({compared.text_of(record.text)}{part}) {arrow}".strip(),
                (
                    _entry(compared, _score(run, comparison.first, comparison)),
                    _entry(compared, _score(run, comparison.second, comparison)),
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
    return Grid(f"By metric: {_pair_title(one)}", heads, tuple(rows), "metric", notes)


def _pair_title(one: SystemChanges) -> str:
    return shorten(one.name) if one.name == one.earlier else f"{shorten(one.name)} against {shorten(one.earlier)}"


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


def _documents_grid(compared: RunComparison, one: SystemChanges) -> Iterator[Grid]:
    """The documents in which something changed, those that got worse most first."""
    if not one.counts:
        return
    places = one.changed
    shown = places if len(places) <= _DOCUMENTS else _extremes(one, places)
    told = one.identifiers.counts if one.identifiers is not None else {}
    moving = [counted for counted in one.counts if any(one.trend(counted)) or (told and counted.role in _KIND)]
    heads: list[str] = []
    for counted in moving:
        heads += [f"{_what(counted)}: is", "was"]
        heads += ["new", "gone"] if told and counted.role in _KIND else []
    rows = []
    for place in shown:
        entries: list[GridEntry] = []
        for counted in moving:
            entries += map(_amount, (float(counted.now[place]), float(counted.before[place])))
            if told and counted.role in _KIND:
                entries += _new_and_gone(one, one.documents[place], _KIND[counted.role])
        rows.append(GridRow(shorten(one.documents[place]), tuple(entries)))
    same = len(one.documents) - len(places)
    notes = [f"nothing of this changed in {counted_words(same, 'document')}"] if same else []
    notes += [f"{_what(counted)}: the same in every document" for counted in one.counts if counted not in moving]
    if len(shown) < len(places):
        notes.append(f"the {len(shown):,} of {len(places):,} documents that changed most")
    yield Grid(f"By document: {_pair_title(one)}", tuple(heads), tuple(rows), "document", tuple(notes))


def _new_and_gone(one: SystemChanges, document: str, kind: Identifier) -> Iterator[GridEntry]:
    if one.identifiers is None or document not in one.identifiers.documents:
        return iter([missing("not both runs keep its text")] * 2)
    return map(count, one.identifiers.counts.get((document, kind), (0, 0)))


def _extremes(one: SystemChanges, places: Sequence[int]) -> list[int]:
    """Of very many documents those that changed most, in the same order."""
    grave = one.counts[0].more
    most = sorted(range(len(places)), key=lambda index: (-abs(float(grave[places[index]])), index))[:_DOCUMENTS]
    return [places[index] for index in sorted(most)]


def _cases(compared: RunComparison, one: SystemChanges) -> Iterator[Cases]:
    """Identifiers that can be read now and could not, and the other way round, each in its context."""
    if one.identifiers is None:
        return
    sorts = ("Readable now, and not before", one.identifiers.new), ("No longer readable", one.identifiers.gone)
    for caption, identifiers in sorts:
        if identifiers:
            more = len(identifiers) - _CASES
            notes = (f"the first {_CASES:,}; there are {more:,} more",) if more > 0 else ()
            title = f"{caption}: {_pair_title(one)} ({len(identifiers):,})"
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
        rows += [GridRow(shorten(name), (words("system"), words(shorten(label)))) for name in alone]
        metrics = [text for text in run.rows if text not in other.rows]
        rows += [GridRow(compared.text_of(text), (words("metric"), words(shorten(label)))) for text in metrics]
    if rows:
        yield Grid("What only one run has", ("is a", "only in"), tuple(rows), "name")


def _not_compared(compared: RunComparison) -> Iterator[Grid]:
    """What both have and what still cannot be held against each other, with the reason."""
    pair = compared.pair
    both = [
        record.text for record in pair.run.metrics if record.text in pair.run.rows and record.text in pair.other.rows
    ]
    faults = [(text, pair.fault(text) or pair.combined_run.incomparable(text)) for text in both]
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
    if any(not one.identical for one in every):
        if not changes.kept:
            yield "Which identifiers are new or gone cannot be shown: one of the runs keeps no text."
        elif changes.kept < len(compared.pair.run.documents):
            kept = f"{changes.kept:,} of {counted_words(len(compared.pair.run.documents), 'document')}"
            yield f"Identifiers that are new or gone are those of the {kept} that both runs keep."
        yield (
            "An identifier that several annotators marked counts once for each of them, and is listed once. What "
            "annotators overlooked is in no table."
        )
    yield "A difference that is not shown is not excluded: the interval says how large it may be."
