"""Author masking in one table: what verifiers tell before and after, how much meaning is left, what people say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from showthrough.metrics import HEADLINE
from showthrough.report.table import HEADLINES, Column, Table, column_of, headlines, rounded, tables
from showthrough.report.wording import Clause, listed
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import chosen, headline, playing
from showthrough.run.run import Run
from showthrough.verifiers.adaptive import ADAPTIVE
from showthrough.verifiers.base import UNANSWERED

AUTHORS = "author masking"  # the title of the table
C_AT_1, BEFORE, LOST = "c@1", "before", "lost"
# What is told of each verifier, in this order, and what people call it; measures that are not here come last.
_MEASURES = {
    BEFORE: "c@1 before", C_AT_1: "c@1 after", LOST: "found authors lost", "told": "told apart",
    "false": "false alarms", "auc": "AUC", "f0.5u": "F0.5u", "f1": "F1", "brier": "1 − Brier", "overall": "overall",
}  # fmt: skip

_COIN = 0.5  # c@1 of whoever guesses


def every_table(run: Run) -> list[Table]:
    """All tables of a run, that of author masking first."""
    return [*filter(None, [masking_table(run)]), *tables(run)]


def each_once(every: Sequence[Table]) -> list[Table]:
    """The same tables; of the headlines those that stand in that of author masking too are left out."""
    told = {column.head for table in every if table.title == AUTHORS for column in table.columns}
    kept = []
    for table in every:
        own = tuple(column for column in table.columns if column.head not in told)
        if table.title != HEADLINES:
            kept.append(table)
        elif own:
            kept.append(replace(table, columns=own))
    return kept


def masking_table(run: Run) -> Table | None:
    """Systems as rows; of each verifier its measures, then meaning and sense. `None` where nobody asked about authors.

    A number that no row has is left out, and why stands below.
    """
    if not playing(run, "authors"):
        return None
    asked = [*_of_verifiers(run), *_of_passages(run)]
    kept = [one for one in asked if any(cell.score and cell.score.value is not None for cell in one.cells)]
    main = headlines(run)
    return Table(AUTHORS, main.names, tuple(kept), main.references, asides=tuple(_left_out(run, asked, kept)))


def verifiers(run: Run, record: MetricRecord) -> list[str]:
    """The verifiers that a metric asked, in the order of its parts."""
    parts = (part.partition(":") for name in run.names for part in run.parts(name, record.text))
    return list(dict.fromkeys(verifier for measure, colon, verifier in parts if colon and measure == C_AT_1))


def _of_verifiers(run: Run) -> Iterator[Column]:
    records = playing(run, "authors")
    for record in records:
        asked = verifiers(run, record)
        yield column_of(run, record, HEADLINE, record.text, "c@1 after, worst case")
        own = f" ({record.text})" if len(records) > 1 else ""
        for verifier in asked:
            for measure in _measures(run, record, verifier):
                if measure == C_AT_1 and len(asked) == 1:  # that is the worst case
                    continue
                part = f"{measure}:{verifier}"
                yield column_of(run, record, part, f"{part}{own}", _MEASURES.get(measure, ""))


def _measures(run: Run, record: MetricRecord, verifier: str) -> list[str]:
    parts = [part for name in run.names for part in run.parts(name, record.text)]
    there = dict.fromkeys(part.partition(":")[0] for part in parts if part.partition(":")[2] == verifier)
    return [*(one for one in _MEASURES if one in there), *(one for one in there if one not in _MEASURES)]


def _of_passages(run: Run) -> Iterator[Column]:
    for record in (*playing(run, "meaning"), *playing(run, "sense")):
        yield column_of(run, record, HEADLINE, record.text)


def _left_out(run: Run, asked: list[Column], kept: list[Column]) -> Iterator[str]:
    """Why columns are not there, a line for each reason."""
    heads: dict[str, list[str]] = {}
    for column in asked:
        if column not in kept:
            reasons = {cell.score.reason: None for cell in column.cells[: len(run.names)] if cell.score}
            for reason in reasons or {"nobody has a number": None}:
                heads.setdefault(reason, []).append(column.head)
    for reason, columns in heads.items():
        yield f"left out, undefined for all: {', '.join(columns)}: {reason}"


def author_clauses(run: Run, name: str) -> Iterator[Clause]:
    """What verifiers still tell, how much of the meaning is left and what people say, as far as a run has numbers.

    Nobody is said to be hidden: a verifier that errs is one verifier that errs.
    """
    record = chosen(run, "authors")
    if record and headline(run, name, record) and (best := _best(run, record, name)):
        verifier, after = best
        before = run.parts(name, record.text).get(f"{BEFORE}:{verifier}")
        earlier = f", {rounded(before.value)} on the originals" if before and before.value is not None else ""
        among = ", the one that tells most," if len(verifiers(run, record)) > 1 else ""
        yield Clause(f"leaves the verifier {verifier}{among} a c@1 of ", rounded(after.value or 0.0), earlier)
        yield from _still_found(run, record, name, verifier)
        if before and before.value is not None and _sure(before) <= _COIN:
            tells = " to do better on the originals than somebody who guesses, so what it misses now tells little"
            yield Clause("it ", "is not shown", tells)
    if (record := chosen(run, "meaning")) and (score := headline(run, name, record)):
        yield Clause("keeps ", f"{score.value:.2f} of 5", f" of the meaning by {record.name}", aside=True)
    if (record := chosen(run, "sense")) and (score := headline(run, name, record)):
        yield Clause("people rate its passages ", f"{score.value:.2f} of 2", aside=True)


def _best(run: Run, record: MetricRecord, name: str) -> tuple[str, Score] | None:
    """The verifier whose c@1 is largest, and that."""
    parts = run.parts(name, record.text)
    scores = {verifier: parts[f"{C_AT_1}:{verifier}"] for verifier in verifiers(run, record)}
    known = [(verifier, score) for verifier, score in scores.items() if score.value is not None]
    return max(known, key=lambda pair: pair[1].value or 0.0, default=None)


def _answered(run: Run, record: MetricRecord, verifier: str) -> bool:
    scores = (run.parts(name, record.text).get(f"{C_AT_1}:{verifier}") for name in run.names)
    return any(score is not None and score.value is not None for score in scores)


def _sure(score: Score) -> float:
    """What a number is at least, as far as its interval tells."""
    return (score.value or 0.0) if score.low is None else score.low


def _still_found(run: Run, record: MetricRecord, name: str, verifier: str) -> Iterator[Clause]:
    """Of the authors that a verifier found in the originals those that it finds again; no answer is no find."""
    columns = run.rows[record.text][name]
    found, answers = (columns.get(f"{statistic}:{verifier}") for statistic in ("found", "answer"))
    if not found or not answers or not (total := sum(found)):
        return
    again = sum(number for number, answer in zip(found, answers, strict=True) if answer > UNANSWERED)
    share = f" ({again / total:.0%})".replace("%", " %")
    yield Clause("", f"{again:,.0f} of the {total:,.0f}{share}", " authors that it found before are still found")


def author_caveats(run: Run) -> list[str]:
    """What these clauses rest on."""
    lines = []
    if record := chosen(run, "authors"):
        asked = [one for one in verifiers(run, record) if _answered(run, record, one)]
        masked = (
            "" if ADAPTIVE in asked else "; none of these learned from masked texts, as whoever can mask texts could"
        )
        lines.append(
            "c@1 is the share of questions about authors that a verifier answers right; what it leaves open counts as "
            f"its usual luck. Another verifier than {listed(asked)} may tell more{masked}."
        )
    if (record := chosen(run, "meaning")) and record.parameters.get("vectors") == "":
        lines.append(f"{record.name} knows no word vectors here: words that no dictionary joins count as strangers.")
    return lines
