"""What was inferred about people in plain words, which claim no more than one attacker showed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from showthrough.core.errors import shorten
from showthrough.data.subjects import CERTAIN
from showthrough.families.inference._spec import READER
from showthrough.families.inference.controls import CONTROL, CONTROLS, SUCCESS
from showthrough.families.inference.family import ABOUT, ALL, ASKED, INFERRED, PEOPLE, TOP_1, TOP_3, UNANSWERED
from showthrough.families.inference.report_tables import (
    AS_GOOD,
    ROLES,
    askings,
    attacker_name,
    attacker_of,
    bare_of,
    by_person,
    doubt_of,
    risk_above,
    stronger_control,
)
from showthrough.metrics import HEADLINE, Role
from showthrough.report.table import format_score
from showthrough.report.wording import Clause, counted_words, join_names, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import DocumentCounts, find_metrics, headline, in_all
from showthrough.run.run import Run

_ONE: dict[Role, str] = {"inference": "person", "attributes": "author"}


class Worst(NamedTuple):
    """The attacker that infers most from what one anonymization leaves, and the metrics that asked it."""

    records: list[MetricRecord]
    share: float  # that it infers
    alone: bool  # whether nobody else was asked
    lacking: bool  # whether somebody else was asked and has no number here

    @property
    def attacker(self) -> str:
        return attacker_of(self.records[0])


def worst_of(run: Run, name: str, role: Role) -> Worst | None:
    every = askings(run, role)
    candidates = [
        (share, asked_records)
        for asked_records in every
        if (share := _inferred_share(run, name, asked_records[0])) is not None
    ]
    if not candidates:
        return None
    share, records = max(candidates, key=lambda pair: pair[0])
    return Worst(records, share, len(every) == 1, len(candidates) < len(every))


def _inferred_share(run: Run, name: str, record: MetricRecord) -> float | None:
    """What share is inferred; of a metric whose higher values are better that is its part."""
    score = run.parts(name, record.text).get(SUCCESS if record.better == "higher" else HEADLINE)
    return None if score is None else score.value


def inference_clauses(run: Run, name: str) -> Iterator[Clause]:
    """What the attacker that infers most tells of people and of authors, and how much of it may be luck."""
    for role in ROLES:
        if worst := worst_of(run, name, role):
            yield _attack_clause(run, name, worst, role)
            yield from _unseen(run, name, worst)
            yield from _bare(run, name, worst)
            yield from _control(run, name, worst)


def _attack_clause(run: Run, name: str, worst: Worst, role: Role) -> Clause:
    record = worst.records[0]
    columns = {column: in_all(values) for column, values in run.rows[record.text][name].items()}
    count = columns.get(PEOPLE, 0)
    people = f"{count:,.0f} people" if role == "inference" and count != 1 else counted_words(count, _ONE[role])
    of = f" of {columns.get(ASKED, columns.get(ALL, 0)):,.0f} attributes of {people}"
    if by_person(run, record):
        of = f" of what is true of each of {people}, on average,"
    missing = columns.get(UNANSWERED, 0)
    about = columns.get(ABOUT, count + missing)
    where = f" ({missing:,.0f} of {about:,.0f} documents have no answer and count nowhere)" if missing else ""
    behind = f"{_guesses(run, name, record) if role == 'attributes' else ''}{where}"
    number = percent(worst.share) if worst.share else "nothing"
    if worst.attacker == READER:
        more = "" if worst.alone or worst.lacking else ", more than any other attacker that was asked infers"
        return Clause("leaves ", number, f"{of} to be simply read off{more}{behind}")
    among = " of those that have a number" if worst.lacking else ""
    most = "" if worst.alone else f", the attacker that infers most{among},"
    return Clause(f"lets {attacker_name(worst.attacker)}{most} infer ", number, f"{of}{behind}")


def _guesses(run: Run, name: str, record: MetricRecord) -> str:
    score = run.parts(name, record.text).get(TOP_3)
    also = f", {percent(score.value)} in three" if score is not None and score.value is not None else ""
    return f" with the first guess{also}"


def _unseen(run: Run, name: str, worst: Worst) -> Iterator[Clause]:
    """Nothing inferred in these documents is not nothing elsewhere."""
    score = headline(run, name, worst.records[0])
    if score is None or worst.share:
        return
    high = score.unseen if worst.records[0].better == "higher" else math.ceil(100 * (score.high or 0.0)) / 100
    yield Clause("", f"up to {high * 100:.0f} % may be" if high else "more may be than was seen")


def _bare(run: Run, name: str, worst: Worst) -> Iterator[Clause]:
    for record in worst.records:
        bare, people = bare_of(run, record, name)
        if people and bare and by_person(run, record):
            how = "can be read off" if worst.attacker == READER else "was inferred"
            yield Clause("all that counts ", f"{how} of {bare:,.0f} of {people:,.0f}", " people")


def _control(run: Run, name: str, worst: Worst) -> Iterator[Clause]:
    record = worst.records[0]
    control = stronger_control(run, record)
    risk = risk_above(run, record, name, control)
    if not worst.share:
        return
    if not control:
        yield Clause("no control was answered, so it is not known ", "how much of it is guessed", aside=True)
    elif risk is None or (doubt := doubt_of(run, risk)) == AS_GOOD:
        yield Clause("", AS_GOOD)
    else:
        score = run.parts(name, record.text).get(f"{CONTROL}:{control}")
        guessed = 0.0 if score is None else score.value or 0.0
        above = f": {doubt}" if doubt else f", a risk of {format_score(risk.value or 0.0)} above this control"
        number = percent(guessed) if guessed else "nothing"
        yield Clause(f"{CONTROLS[control]} the same attacker has ", number, above, aside=not doubt)


def inference_caveats(run: Run) -> list[str]:
    """What these clauses rest on."""
    records = [record for role in ROLES for record in find_metrics(run, role)]
    if not records:
        return []
    attackers = list(dict.fromkeys(map(attacker_of, records)))
    least = sorted({shorten(str(record.parameters.get("certainty", "?"))) for record in records})
    counts = f"An attribute counts where the corpus is at least {join_names(least)} of {CERTAIN} certain of it. "
    half = "One that is inferred less precisely counts half. " if find_metrics(run, "inference") else ""
    lines = [f"{counts}{half}Attributes that the corpus does not know of people were not asked for."]
    if READER in attackers:
        lines.append(f"{READER} finds what can simply be read off; better attackers infer more.")
    if names := [attacker_name(attacker) for attacker in attackers if attacker != READER]:
        lines.append(f"Another attacker than {join_names(list(dict.fromkeys(names)))} may infer more.")
    return lines


def inference_limits(run: Run) -> list[str]:
    """What meeting a threshold does not tell where inference was measured."""
    attackers = {attacker_of(record) for role in ROLES for record in find_metrics(run, role)}
    if attackers == {READER}:
        return ["only what can simply be read off was looked for, not what can be inferred"]
    return ["another attacker may infer more"] if attackers else []


def inferred_tags(run: Run, name: str, worst: Worst) -> dict[str, tuple[float, float, DocumentCounts]]:
    """By tag how much was inferred, of how much, and in which documents; what is inferred most first."""
    record, by_tag = worst.records[0], {}
    columns = run.rows[record.text][name]
    for column, values in columns.items():
        statistic, _, tag = column.partition(":")
        every = next((columns[key] for key in (f"{ASKED}:{tag}", f"{ALL}:{tag}") if key in columns), None)
        if statistic != INFERRED or not in_all(values) or every is None:
            continue
        if record.better == "lower" and not tag.startswith(f"{TOP_1}:"):
            continue
        by_tag[tag.removeprefix(f"{TOP_1}:")] = in_all(values), in_all(every), DocumentCounts(run.documents, values)
    return dict(sorted(by_tag.items(), key=lambda pair: (-pair[1][0], pair[0])))
