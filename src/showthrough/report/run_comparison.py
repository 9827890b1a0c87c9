"""Two runs of one corpus held against each other: what their tests show together, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from showthrough.core.errors import PlanError, shorten
from showthrough.metrics import HEADLINE
from showthrough.report.significance import describes, first_is_better, p_text
from showthrough.report.table import format_score
from showthrough.report.wording import counted_words, join_names
from showthrough.run.folders import PathNames
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.state import Decision, decide
from showthrough.run.pairing import RunPair
from showthrough.run.records import Comparison, Score
from showthrough.run.run import Run
from showthrough.statistics import holm
from showthrough.studies.changes import DocumentCount, Identifier, SystemChanges

KINDS: Mapping[str, Identifier] = {"direct identifiers": "DIRECT", "quasi-identifiers": "QUASI"}
_NAMED = 3  # metrics that a sentence names
_SENTENCES = 5  # pairs of which each has a sentence
_SOME = " in some numbers"
_COUNTED = {
    "direct identifiers": "readable direct identifiers",
    "quasi-identifiers": "readable indirect identifiers",
    "attack": "people found",
}
_OTHER = "what looks like an identifier"


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

    def tested(self, name: str, earlier: str) -> list[Comparison]:
        """The comparisons of two anonymizations, as they stand in the tables."""
        both = name, self.pair.called[earlier]
        return [comparison for comparison in self.comparisons if (comparison.first, comparison.second) == both]


def lead(compared: RunComparison, every: Sequence[SystemChanges]) -> Iterator[str]:
    if not every:
        yield "Nothing can be compared: one of the two runs has no anonymization."
        return
    survivors = shown_together(compared)
    verdicts = [(system, verdict_of(compared, system, survivors)) for system in every]
    verdicts.sort(key=lambda pair: pair[0].identical)  # what changed goes first
    for system, verdict in verdicts[:_SENTENCES]:
        yield _sentence(compared, system, verdict)
        yield from _state_sentences(compared, system)
        for counted in system.counts if not system.identical else ():
            yield _count_sentence(system, counted)
        yield from _details(compared, verdict)
    if len(verdicts) > _SENTENCES:
        yield f"The table of systems has {len(verdicts) - _SENTENCES:,} more."


def _state_sentences(compared: RunComparison, system: SystemChanges) -> Iterator[str]:
    """What follows for a release, and followed before; first what follows from a loss, where that is another state."""
    sides = (compared.pair.run, system.name), (compared.pair.other, system.earlier)
    now, was = (decide(run, candidate=name).state for run, name in sides)
    name, against = shorten(system.name), _against_the_earlier(compared, system)
    before = ", as before" if now == was else f"; before, {was.value}"
    if against is None or against.state == now:
        yield f"The state of {name} is: {now.value}{before}."
        return
    yield f"The state of {name}, held against {shorten(compared.pair.label)}, is: {against.state.value}."
    yield compared.text_of(against.sentence)
    yield f"Without the earlier run its state is: {now.value}{before}."


def _against_the_earlier(compared: RunComparison, system: SystemChanges) -> Decision | None:
    """As with the earlier run as a baseline; `None` where nothing changed, or they have no privacy number in common."""
    if system.identical:
        return None
    try:
        baseline = Baseline(compared.pair, name=system.earlier, shuffles=compared.shuffles)
        return decide(compared.pair.run, candidate=system.name, baseline=baseline)
    except PlanError:
        return None


@dataclass(frozen=True)
class PairVerdict:
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


def shown_together(compared: RunComparison) -> set[tuple[str, str, str]]:
    """What differs though Holm's correction is over all metrics: one of many tests is soon significant by chance."""
    tested = [comparison for comparison in _headlines(compared) if comparison.p is not None]
    corrected = holm([comparison.p for comparison in tested if comparison.p is not None])
    return {
        (comparison.metric, comparison.first, comparison.second)
        for comparison, p in zip(tested, corrected, strict=True)
        if p <= compared.alpha
    }


def verdict_of(compared: RunComparison, system: SystemChanges, survivors: set[tuple[str, str, str]]) -> PairVerdict:
    run, second = compared.pair.combined_run, compared.pair.called[system.earlier]
    own = [
        comparison
        for comparison in _headlines(compared)
        if (comparison.first, comparison.second) == (system.name, second)
    ]
    shown = [comparison for comparison in own if (comparison.metric, system.name, second) in survivors]
    alone = [comparison for comparison in own if comparison not in shown and comparison.significant(compared.alpha)]
    better = [comparison for comparison in shown if first_is_better(run, comparison)]
    worse = [comparison for comparison in shown if not first_is_better(run, comparison)]
    tests = sum(comparison.p is not None for comparison in _headlines(compared))
    return PairVerdict(better, worse, alone, tests)


def _sentence(compared: RunComparison, system: SystemChanges, verdict: PairVerdict) -> str:
    name, last = shorten(system.name), _called(compared, system)
    if system.identical:
        return f"{name} is identical in both runs: nothing changed."
    own = compared.tested(system.name, system.earlier)
    if not any(comparison.p is not None for comparison in own):
        return f"Whether {name} is better or worse than {last} cannot be said: no metric could be tested."
    if verdict.better or verdict.worse:
        sides = ("better", verdict.better, verdict.worse), ("worse", verdict.worse, verdict.better)
        whats = [_for_what(compared, shown, against) for _, shown, against in sides]
        if whats[0] == whats[1] == _SOME:
            whats[1] = " in others"
        parts = [f"{how}{what}" for (how, shown, _), what in zip(sides, whats, strict=True) if shown]
        return f"{name} is {join_names(parts)} than {last}."
    tests = counted_words(verdict.tests, "test")
    together = ", corrected together" if verdict.tests > 1 else ""
    this = f"{name} in {shorten(compared.label)}"
    chance = f" By itself {_titles(compared, verdict.alone)} differs, which may be chance." if verdict.alone else ""
    return (
        f"No difference is shown between {this} and {last} ({tests}{together}).{chance} "
        f"That does not show that they are equal."
    )


def _details(compared: RunComparison, verdict: PairVerdict) -> Iterator[str]:
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


def _called(compared: RunComparison, system: SystemChanges) -> str:
    """`last`, or with its name where that is another."""
    last = shorten(compared.pair.label)
    return f"in {last}" if system.name == system.earlier else f"{shorten(system.earlier)} in {last}"


def _titles(compared: RunComparison, shown: Sequence[Comparison]) -> str:
    """`direct identifiers removed (0.808, was 0.950; p 0.0004)`, the first few."""
    run = compared.pair.combined_run
    titles = []
    for comparison in shown[:_NAMED]:
        now, was = (score_of(run, which, comparison) for which in (comparison.first, comparison.second))
        values = f"{_value(now)}, was {_value(was)}"
        titles.append(f"{run.record(comparison.metric).title.lower()} ({values}; p {p_text(comparison.p_holm)})")
    more = len(shown) - _NAMED
    return join_names([*titles, f"{more:,} more"]) if more > 0 else join_names(titles)


def score_of(run: Run, name: str, comparison: Comparison) -> Score | None:
    return run.parts(name, comparison.metric).get(comparison.part)


def _value(score: Score | None) -> str:
    return "–" if score is None or score.value is None else format_score(score.value)


def _count_sentence(system: SystemChanges, counted: DocumentCount) -> str:
    """`Readable direct identifiers: 26 in 19 of 42 documents, was 25; 3 are new and 2 are gone.`"""
    now, was = float(counted.now.sum()), float(counted.before.sum())
    where = int((counted.now > 0).sum())
    among = f"{_number(now)} in {where:,}" if counted.role != "attack" else _number(now)
    moved, kind = "", KINDS.get(counted.role)
    if system.identifiers is not None and kind is not None and now + was:
        new, gone = _moved(system, kind)
        count = len(system.identifiers.documents)
        among_kept = f" in the {count:,} documents that both runs keep" if count < len(system.documents) else ""
        moved = f"; {new:,} new, {gone:,} gone{among_kept}" if new or gone else f"; the same ones{among_kept}"
    before = "as before" if now == was else f"before, {_number(was)}"
    documents = counted_words(len(system.documents), "document")
    return f"{what_is_counted(counted).capitalize()}: {among} of {documents}; {before}{moved}."


def _moved(system: SystemChanges, kind: Identifier) -> tuple[int, int]:
    if system.identifiers is None:
        return 0, 0
    pairs = [pair for (_, which), pair in system.identifiers.counts.items() if which == kind]
    return sum(new for new, _ in pairs), sum(gone for _, gone in pairs)


def what_is_counted(counted: DocumentCount) -> str:
    return _COUNTED.get(counted.role, _OTHER)


def _number(value: float) -> str:
    """
    >>> _number(3.0), _number(2.5)
    ('3', '2.5')
    """
    return f"{value:,.1f}".removesuffix(".0")
