"""Author masking in one table: what verifiers tell before and after, how much meaning is left, what people say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from showthrough.core.errors import shorten
from showthrough.families.authorship.family import BEFORE, FALSE, LOST, OVERLAP, RATINGS, TOLD, VERIFIERS
from showthrough.families.authorship.verifiers.base import ADAPTIVE, UNANSWERED
from showthrough.families.authorship.verifiers.measures import AUC, BRIER, C_AT_1, F1, F_HALF_U, OVERALL
from showthrough.metrics import HEADLINE
from showthrough.report.table import DASH, Cell, OwnTable, ScoreColumn, column_of, format_score
from showthrough.report.wording import Clause, join_names
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import choose_metric, find_metrics, headline, in_all
from showthrough.run.run import Run

AUTHORS = "author masking"  # how titles of these tables begin
# What is told of each verifier, in this order, and what people call it; measures that are not here come last.
_MEASURES = {
    BEFORE: "c@1 before", C_AT_1: "c@1 after", LOST: "found authors lost", TOLD: "told apart", FALSE: "false alarms",
    AUC: "AUC", F_HALF_U: "F0.5u", F1: "F1", BRIER: "1 − Brier", OVERALL: "overall",
}  # fmt: skip
_COIN = 0.5  # c@1 of whoever guesses


@dataclass(frozen=True)
class Blank(Cell):
    """A number that nobody asks for in its row."""

    @property
    def value(self) -> str:
        return ""


@dataclass(frozen=True)
class AuthorsTable(OwnTable):
    """Systems as rows, each with its worst case; where several verifiers ran, a row for each of them below."""

    owners: tuple[tuple[str, str], ...] = ()  # of each row: whose it is, and of which verifier; empty: the worst case

    def explain_dashes(self) -> list[str]:
        """Why there is a dash, with the verifier's name."""
        scores = (cell.score for column in self.columns for cell in column.cells[: self.tested] if cell.score)
        lacking = [score for score in scores if score.value is None]
        return list(
            dict.fromkeys(
                f"{DASH} {score.anonymization}, {score.part or score.metric}: {score.reason}" for score in lacking
            )
        )


def masking_tables(run: Run) -> list[AuthorsTable]:
    """For each metric that asked verifiers what they tell; beside the first also meaning and sense.

    A number that no row has is left out, and why stands below.
    """
    records = find_metrics(run, "authors")
    beside = [*find_metrics(run, "meaning"), *find_metrics(run, "sense")]
    return [
        _masking_table(
            run, record, f"{AUTHORS}, {record.text}" if len(records) > 1 else AUTHORS, () if index else beside
        )
        for index, record in enumerate(records)
    ]


def _masking_table(run: Run, record: MetricRecord, title: str, beside: Sequence[MetricRecord]) -> AuthorsTable:
    asked_verifiers = verifiers(run, record)
    answered = [verifier_name for verifier_name in asked_verifiers if _has_answers(run, record, verifier_name)]
    reference_names = [reference.name for reference in run.references]
    alone = answered[0] if len(answered) == 1 else ""
    owners = [(name, verifier_name) for name in run.names for verifier_name in ("", *(() if alone else answered))]
    owners += [(name, "") for name in reference_names]
    indexes = {name: index for index, name in enumerate((*run.names, *reference_names))}
    columns = []
    for measure in _measures(run, record):
        of_each = {
            verifier_name: column_of(run, record, f"{measure}:{verifier_name}", measure) for verifier_name in answered
        }
        worst = column_of(run, record, HEADLINE, measure) if measure == C_AT_1 else of_each.get(alone)
        cells = []
        for name, verifier in owners:
            column = of_each[verifier] if verifier else worst
            cells.append(column.cells[indexes[name]] if column else Blank(None))
        better = (worst or next(iter(of_each.values()))).better if of_each else "neither"
        columns.append(ScoreColumn(measure, record.group, better, tuple(cells), _MEASURES.get(measure, "")))
    for other in beside:
        base = column_of(run, other, HEADLINE, other.text)
        cells = [Blank(None) if verifier else base.cells[indexes[name]] for name, verifier in owners]
        columns.append(replace(base, cells=tuple(cells)))
    shown_columns = [
        shown_column
        for shown_column in columns
        if any(cell.score and cell.score.value is not None for cell in shown_column.cells)
    ]
    shown_columns = shown_columns or [
        own_column for own_column in columns if own_column.head == C_AT_1
    ]  # where nobody answered it says so
    names = tuple(f"{name}, {verifier}" if verifier else name for name, verifier in owners)
    silent = [
        f"left out: {silent_verifier}: {_why(run, record, f'{C_AT_1}:{silent_verifier}')}"
        for silent_verifier in asked_verifiers
        if silent_verifier not in answered
    ]
    worst_case = (
        ()
        if len(answered) < 2
        else ("the row of an anonymization is its worst case: the verifier that recognises most authors",)
    )
    asides = (
        *worst_case,
        *silent,
        *_left_out(hidden_column for hidden_column in columns if hidden_column not in shown_columns),
    )
    return AuthorsTable(title, names, tuple(shown_columns), len(reference_names), asides=asides, owners=tuple(owners))


def verifiers(run: Run, record: MetricRecord) -> list[str]:
    """The verifiers that a metric asked, in the order of its parts."""
    parts = (part.partition(":") for name in run.names for part in run.parts(name, record.text))
    return list(dict.fromkeys(verifier for measure, colon, verifier in parts if colon and measure == C_AT_1))


def _has_answers(run: Run, record: MetricRecord, verifier: str) -> bool:
    scores = (run.parts(name, record.text).get(f"{C_AT_1}:{verifier}") for name in run.names)
    return any(score is not None and score.value is not None for score in scores)


def _why(run: Run, record: MetricRecord, part: str) -> str:
    scores = (run.parts(name, record.text).get(part) for name in run.names)
    return next((score.reason for score in scores if score and score.reason), "nobody says why")


def _measures(run: Run, record: MetricRecord) -> list[str]:
    parts = [part for name in run.names for part in run.parts(name, record.text) if ":" in part]
    measures = dict.fromkeys(part.partition(":")[0] for part in parts)
    return [
        *(measure for measure in _MEASURES if measure in measures),
        *(measure for measure in measures if measure not in _MEASURES),
    ]


def _left_out(columns: Iterable[ScoreColumn]) -> Iterator[str]:
    """Why columns are not there, a line for each reason."""
    heads: dict[str, list[str]] = {}
    for column in columns:
        for reason in dict.fromkeys(cell.score.reason for cell in column.cells if cell.score):
            heads.setdefault(reason, []).append(column.head)
    for reason, names in heads.items():
        yield f"left out, undefined for all: {', '.join(names)}: {reason}"


def author_clauses(run: Run, name: str) -> Iterator[Clause]:
    """What verifiers still tell, how much of the meaning is left and what people say, as far as a run has numbers.

    Nobody is said to be hidden: a verifier that errs is one verifier that errs.
    """
    record = choose_metric(run, "authors")
    if record and headline(run, name, record) and (best := _best(run, record, name)):
        verifier, after = best
        before = run.parts(name, record.text).get(f"{BEFORE}:{verifier}")
        earlier = f", {format_score(before.value)} on the originals" if before and before.value is not None else ""
        answered = [other for other in verifiers(run, record) if _has_answers(run, record, other)]
        among = ", the strongest one," if len(answered) > 1 else ""
        yield Clause(f"leaves the verifier {verifier}{among} a c@1 of ", format_score(after.value or 0.0), earlier)
        yield from _refound_clauses(run, record, name, verifier)
        if before and before.value is not None and _sure(before) <= _COIN:
            tells = " to do better than guessing on the originals, so what it misses now shows little"
            yield Clause("it ", "is not shown", tells)
    if (record := choose_metric(run, "meaning")) and (score := headline(run, name, record)):
        yield Clause("keeps ", f"{score.value:.2f} of 5", f" of the meaning by {record.name}", aside=True)
    if (record := choose_metric(run, "sense")) and (score := headline(run, name, record)):
        yield Clause(f"{_describe_raters(run, record, name)} its passages ", f"{score.value:.2f} of 2", aside=True)


def _describe_raters(run: Run, record: MetricRecord, name: str) -> str:
    """How many people said so, of how many documents: a few passages are no whole text."""
    columns = run.rows[record.text][name]
    people = sum(bool(np.any(values)) for column, values in columns.items() if column.startswith(f"{RATINGS}:"))
    documents = int(np.count_nonzero(columns.get(RATINGS, ())))
    if not people:
        return "people rate"
    raters = f"{people:,} people rate" if people > 1 else "one person rates"
    return f"in {documents:,} of {len(run.documents):,} documents {raters}"


def _best(run: Run, record: MetricRecord, name: str) -> tuple[str, Score] | None:
    """The verifier whose c@1 is largest, and that."""
    parts = run.parts(name, record.text)
    scores = {verifier: parts[f"{C_AT_1}:{verifier}"] for verifier in verifiers(run, record)}
    answered = [(verifier, score) for verifier, score in scores.items() if score.value is not None]
    return max(answered, key=lambda pair: pair[1].value or 0.0, default=None)


def _sure(score: Score) -> float:
    """What a number is at least, as far as its interval tells."""
    return (score.value or 0.0) if score.low is None else score.low


def _refound_clauses(run: Run, record: MetricRecord, name: str, verifier: str) -> Iterator[Clause]:
    """Of the authors that a verifier found in the originals those that it finds again; no answer is no find."""
    columns = run.rows[record.text][name]
    hits, answers = (columns.get(f"{statistic}:{verifier}") for statistic in ("found", "answer"))
    if hits is None or answers is None or not (total := in_all(hits)):
        return
    again = in_all(np.asarray(hits)[np.asarray(answers) > UNANSWERED])
    share = f" ({again / total:.0%})".replace("%", " %")
    # An author of several documents is found in one and not in another.
    statement = (
        "documents whose author it found before are still ascribed to that author"
        if run.groups
        else ("authors that it found before are still found")
    )
    yield Clause("", f"{again:,.0f} of the {total:,.0f}{share}", f" {statement}")


def verifiers_that_knew_them(run: Run) -> list[str]:
    """Which verifiers had met these documents before: what they tell of them says little about others."""
    names: dict[int, list[str]] = {}
    for verifier in run.inputs.get(VERIFIERS, []):
        names.setdefault(verifier.seen, []).append(shorten(verifier.name))
    return [
        f"verifier{'s' * (len(some) > 1)} {join_names(some)} learned from texts of {seen:,} of these "
        f"{len(run.documents):,} documents"
        for seen, some in names.items()
        if seen
    ]


def author_caveats(run: Run) -> list[str]:
    """What these clauses rest on."""
    lines = []
    if record := choose_metric(run, "authors"):
        answering = [verifier for verifier in verifiers(run, record) if _has_answers(run, record, verifier)]
        masked = (
            ""
            if ADAPTIVE in answering
            else "; none of these learned from masked texts, as an attacker who can mask texts could"
        )
        more = (
            f"Verifiers other than {join_names(answering)} may recognise more{masked}."
            if answering
            else "No verifier answered."
        )
        lines.append(
            "c@1 is the share of questions about authors that a verifier answers right; a question left open counts "
            f"as its usual share of right answers. {more}"
        )
        lines += [
            f"The {verifier}, and numbers on these say little about others."
            for verifier in verifiers_that_knew_them(run)
        ]
    meaning = choose_metric(run, "meaning")
    asked_for = {} if meaning is None else meaning.parameters
    if meaning and asked_for.get("similarity", OVERLAP) == OVERLAP and asked_for.get("vectors") == "":
        lines.append(f"{meaning.name} has no word vectors here: words that no dictionary relates count as unrelated.")
    return lines
