"""What was inferred about people in one table, beside what a control infers; and by tag, certainty and hardness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from showthrough.core.errors import shorten
from showthrough.data.references import NOTHING
from showthrough.families.inference._spec import ANSWERS, READER
from showthrough.families.inference._verdicts import JUDGE
from showthrough.families.inference.controls import CONTROL, CONTROLS, EMPTY, OTHER, RISK, SUCCESS
from showthrough.families.inference.family import (
    ALL,
    ASKED,
    BARE,
    PEOPLE,
    TAG,
    TOP_1,
    TOP_3,
    column_of as stratum_column,
)
from showthrough.metrics import HEADLINE, Role
from showthrough.report.table import DASH, Cell, CountCell, OwnTable, ScoreColumn, ScoreTable, column_of, in_order
from showthrough.report.wording import counted_words, join_names
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import find_metrics, in_all
from showthrough.run.run import Run

ROLES: dict[Role, str] = {"inference": "inference about people", "attributes": "inference about authors"}
_KINDS = {
    TAG: "tag",
    TOP_1: "tag, first guess",
    TOP_3: "tag, three guesses",
}  # what strata are by; others by their name
_LONGEST = 60  # characters of an attacker's name in a sentence
AS_GOOD = "the control is as good as the attack: what was inferred may not come from the text"


@dataclass(frozen=True)
class InferenceTable(OwnTable):
    """Systems as rows: what was not inferred, what was, what the control infers, and the risk above it."""

    read_off: bool = False  # whether nobody but `reader` was asked


@dataclass(frozen=True)
class StrataTable(ScoreTable):
    """Tags, or how certain or hard attributes are, as rows; systems as columns."""

    @property
    def hinted(self) -> bool:
        return False

    def explain_dashes(self) -> list[str]:
        """Why there is a dash, a line for each reason."""
        names_by_reason: dict[tuple[str, str], list[str]] = {}
        for column in self.columns:
            for name, cell in zip(self.names, column.cells, strict=True):
                if cell.score is not None and cell.score.value is None and column.head != NOTHING:
                    names_by_reason.setdefault((column.head, cell.score.reason), []).append(name)
        return [f"{DASH} {head}, {', '.join(names)}: {reason}" for (head, reason), names in names_by_reason.items()]


def inferring(record: MetricRecord) -> bool:
    """Whether it tells what is inferred about people: its parts stand in tables of their own."""
    return not ROLES.keys().isdisjoint(record.roles)


def is_category(part: str) -> bool:
    """Whether it is one of several that make up a whole; controls and what is told beside them do not."""
    return ":" in part and not is_beside(part)


def is_beside(part: str) -> bool:
    """Whether it stands beside a whole and is no part of it: a control, the risk above it, a judge."""
    measure, colon, _ = part.partition(":")
    return bool(colon) and measure in (CONTROL, RISK, JUDGE)


def attacker_of(record: MetricRecord) -> str:
    return str(record.parameters.get("attacker", record.name))


def attacker_name(attacker: str) -> str:
    """An attacker in a sentence: files of answers go without their paths.

    >>> attacker_name("reader"), attacker_name("answers:/home/me/said.jsonl"), attacker_name("llm:qwen3@http://localhost:8000/v1")
    ('reader', 'the source of the recorded answers', 'llm:qwen3@http://localhost:8000/v1')
    """
    return "the source of the recorded answers" if attacker.startswith(ANSWERS) else shorten(attacker, _LONGEST)


def askings(run: Run, role: Role) -> list[list[MetricRecord]]:
    """Metrics that asked the same of the same attacker, together; those by attribute before those by person."""
    groups: list[list[MetricRecord]] = []
    for record in find_metrics(run, role):
        alike = next((group for group in groups if group[0].parameters == record.parameters), None)
        if alike is None:
            groups.append([record])
        else:
            alike.append(record)
    return [sorted(group, key=lambda record: by_person(run, record)) for group in groups]


def by_person(run: Run, record: MetricRecord) -> bool:
    """Whether people are counted, and not their attributes."""
    return any(BARE in run.parts(name, record.text) for name in run.names)


def inference_tables(run: Run) -> list[InferenceTable]:
    """A table for each attacker that was asked, of people and of authors."""
    return [
        _table(run, records, f"{title}, {_distinguishing_words(records, askings(run, role))}".removesuffix(", "))
        for role, title in ROLES.items()
        for records in askings(run, role)
    ]


def _distinguishing_words(records: Sequence[MetricRecord], every: Sequence[Sequence[MetricRecord]]) -> str:
    """What tells one asking from others: nothing, the attacker, or all that was asked for."""
    attackers = [attacker_of(group[0]) for group in every]
    own = attacker_of(records[0])
    if len(every) == 1:
        return ""
    return shorten(own, _LONGEST) if attackers.count(own) == 1 else records[0].text


def _table(run: Run, records: Sequence[MetricRecord], title: str) -> InferenceTable:
    first, reader = records[0], attacker_of(records[0]) == READER
    control = stronger_control(run, first)
    titles = {
        TOP_3: "read off in three guesses" if reader else "inferred in three guesses",
        SUCCESS: "read off" if reader else "inferred",
        f"{CONTROL}:{control}": "control",
        f"{RISK}:{control}": "risk above control",
    }
    present = {part for name in run.names for part in run.parts(name, first.text)}
    columns = [column_of(run, record, HEADLINE, record.text) for record in records]
    columns += [column_of(run, first, part, part, words) for part, words in titles.items() if part in present]
    names = (*run.names, *(reference.name for reference in run.references))
    asides = (*_about_control(run, first, control), *_bare(run, records), *usage_lines(run, records))
    return InferenceTable(title, names, tuple(columns), len(run.references), asides=asides, read_off=reader)


def stronger_control(run: Run, record: MetricRecord) -> str:
    """The control that infers most: nobody is to take luck for what a text tells. Empty where none was answered."""
    scores = [(control, _part(run, record, name, CONTROL, control)) for control in (OTHER, EMPTY) for name in run.names]
    values = [(control, score.value or 0.0) for control, score in scores if score]
    return max(values, key=lambda pair: pair[1], default=("", 0.0))[0]


def _part(run: Run, record: MetricRecord, name: str, measure: str, control: str) -> Score | None:
    score = run.parts(name, record.text).get(f"{measure}:{control}")
    return None if score is None or score.value is None else score


def risk_above(run: Run, record: MetricRecord, name: str, control: str) -> Score | None:
    """The risk above a control, where there is one."""
    return _part(run, record, name, RISK, control)


def doubt_of(run: Run, risk: Score | None) -> str:
    """What to say where an attack is not shown to be better than its control; nothing where it is.

    None is left above a control that infers everything. An interval that begins at 0 below a value above it does not
    say that both are alike: there are too few documents to tell.
    """
    if risk is None or not risk.value:
        return AS_GOOD
    return (
        f"too few documents to say whether the attack infers more than the control ({run.sample})"
        if risk.low == 0
        else ""
    )


def _about_control(run: Run, record: MetricRecord, control: str) -> Iterator[str]:
    if not control:
        reasons = [
            score.reason for name in run.names if (score := run.parts(name, record.text).get(f"{CONTROL}:{OTHER}"))
        ]
        yield f"no control: {reasons[0] if reasons else 'none was asked for'}"
        return
    yield (
        f"{CONTROL}:{control}: what the same attacker infers {CONTROLS[control]}; {RISK}:{control}: of what that "
        "leaves, the share that the attack infers"
    )
    alike: dict[str, list[str]] = {}
    for name in run.names:
        risk = risk_above(run, record, name, control)
        if risk and in_all(run.rows[record.text][name].get("inferred", ())):
            alike.setdefault(doubt_of(run, risk), []).append(name)
    yield from (f"{join_names(names)}: {doubt}" for doubt, names in alike.items() if doubt)


def _bare(run: Run, records: Sequence[MetricRecord]) -> Iterator[str]:
    """Of how many people everything was inferred."""
    for record in records:
        counts = {name: bare_of(run, record, name) for name in run.names}
        counts_words = [f"{bare:,.0f} of {people:,.0f} ({name})" for name, (bare, people) in counts.items() if people]
        if counts_words and by_person(run, record):
            how = "can be read off" if attacker_of(record) == READER else "was inferred"
            yield f"people of whom everything that counts {how}: {', '.join(counts_words)}"


def bare_of(run: Run, record: MetricRecord, name: str) -> tuple[float, float]:
    """People of whom everything was inferred, and people who were asked about."""
    columns = run.rows[record.text][name]
    return in_all(columns.get(BARE, ())), in_all(columns.get(PEOPLE, ()))


def usage_lines(run: Run, records: Sequence[MetricRecord]) -> Iterator[str]:
    """Who was asked for these metrics, a line each: the model as the server calls it, prompts, calls and tokens."""
    named = {
        str(record.parameters.get(parameter, ""))
        for record in records
        for parameter in ("attacker", "judge", "verdicts")
    }
    for usage in run.asked:
        if usage.name not in named:
            continue
        model = f"{shorten(usage.name, _LONGEST)}{f' (the server says {shorten(usage.model)})' if usage.model else ''}"
        details = [f"answers {usage.digest[:8]}"] if usage.digest else []
        details += [f"prompt {shorten(name)} {digest[:8]}" for name, digest in usage.prompts.items()]
        if usage.calls:
            details.append(
                f"{counted_words(usage.calls, 'call')}, {usage.tokens_in:,} tokens sent, {usage.tokens_out:,} received"
            )
        details += [f"{count:,} without an answer ({shorten(why)})" for why, count in usage.unanswered.items()]
        yield f"asked {model}{': ' if details else ''}{'; '.join(details)}"


def strata_tables(run: Run) -> list[StrataTable]:
    """By tag, certainty and hardness, a table each: what is inferred most first, or in their order."""
    tables = []
    for record in [candidate for candidate in run.metrics if inferring(candidate) and candidate.text in run.rows]:
        parts = list(dict.fromkeys(part for name in run.names for part in run.parts(name, record.text)))
        kinds = dict.fromkeys(part.partition(":")[0] for part in parts if is_category(part))
        if by_person(run, record) and _beside_attributes(run, record):
            kinds.pop(TAG, None)  # a person has a tag once: the numbers are the same
        tables += [
            _strata(run, record, kind, [stratum for stratum in parts if stratum.startswith(f"{kind}:")])
            for kind in kinds
        ]
    return tables


def _beside_attributes(run: Run, record: MetricRecord) -> bool:
    return any(record in group and not by_person(run, group[0]) for group in askings(run, "inference"))


def _strata(run: Run, record: MetricRecord, kind: str, parts: Sequence[str]) -> StrataTable:
    beside = [reference.name for reference in run.references if reference.name == NOTHING]
    if kind in _KINDS:
        parts = sorted(parts, key=lambda part: (_min_protection(run, record, part), part))
    else:
        parts = sorted(parts, key=in_order)
    counted = "people" if by_person(run, record) else "attributes"
    columns = [ScoreColumn(counted, record.group, "neither", tuple(_counts(run, record, parts)))]
    for name in (*run.names, *beside):
        own = run.parts(name, record.text)
        columns.append(ScoreColumn(name, record.group, record.better, tuple(Cell(own.get(part)) for part in parts)))
    names = tuple(part.removeprefix(f"{kind}:") for part in parts)
    alone = sum(other.name == record.name for other in run.metrics) == 1
    title = f"{record.name if alone else record.text} by {_KINDS.get(kind, kind)}"
    return StrataTable(title, names, tuple(columns))


def _min_protection(run: Run, record: MetricRecord, part: str) -> float:
    """How little is inferred of a stratum where most is: worst first. Without a number last."""
    values = [score.value for name in run.names if (score := run.parts(name, record.text).get(part))]
    protections = [value if record.better == "higher" else 1 - value for value in values if value is not None]
    return min(protections, default=2.0)


def _counts(run: Run, record: MetricRecord, parts: Sequence[str]) -> Iterator[Cell]:
    """How many attributes (of what counts people: people) a stratum has; the most, where some have no answer."""
    for part in parts:
        columns = stratum_column(ASKED, part), f"{ALL}:{part}"
        sums = [
            in_all(rows[column]) for name in run.names for rows in (run.rows[record.text][name],) for column in columns
            if column in rows
        ]  # fmt: skip
        yield CountCell(Score("", record.text, ASKED, max(sums), None, None, "", "") if sums else None)
