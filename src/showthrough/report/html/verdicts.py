"""One sentence of plain words for each anonymization: what can still be read, who can be found, what is left.

A sentence says no more than was measured: what annotators marked, in these documents, by these attacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from showthrough.report.reading import assuming, markers, may_leak, of_documents, on_average
from showthrough.run.records import MetricRecord
from showthrough.run.roles import chosen, counted, headline, leaks, playing
from showthrough.run.run import Run


@dataclass(frozen=True)
class Clause:
    """A piece of a sentence whose middle is what counts."""

    before: str
    number: str
    after: str = ""

    def __str__(self) -> str:
        return f"{self.before}{self.number}{self.after}"


def verdict(run: Run, name: str) -> list[Clause]:
    """What a run says about one anonymization: what can be read, who can be found, what is left.

    Clauses for which the run has no number are left out.
    """
    seen = [*_readable(run, name), *_uneven(run, name), *_detected(run, name)]
    return [*seen, *_found(run, name), *_kept(run, name), *_unmarked(run, name)]


def _readable(run: Run, name: str) -> Iterator[Clause]:
    record = chosen(run, "direct identifiers")
    score = headline(run, name, record)
    if record is None or score is None:  # without a marked direct identifier there is nothing to say
        return
    leaking = leaks(run, record, name)
    if not leaking:
        unseen = may_leak(score).replace(" %", _PERCENT)
        by = f" by {markers(run)}" if run.corpus.silver else ""
        where = f" readable where it was marked{by}, in {of_documents(run, record)}{assuming(record)}"
        where += f" (with none seen, {unseen})" if unseen else ""
        yield Clause("leaves ", "no direct identifier", where)
        return
    total = sum(leaking.values())
    things = "1 direct identifier" if total == 1 else f"{total:,} direct identifiers"
    things += f" that {markers(run)} marked" if run.corpus.silver else ""
    where = f" readable in {len(leaking):,} of {len(run.documents):,} documents{assuming(record)}"
    yield Clause("leaves ", things, where)


def _uneven(run: Run, name: str) -> Iterator[Clause]:
    """What is seen to be readable; where none is, nothing is said: that would sound as if all were hidden."""
    record = chosen(run, "inconsistency")
    if record is None or headline(run, name, record) is None:
        return
    readable, strings = (round(sum(counted(run, record, name, kind))) for kind in ("wrong", "all"))
    if readable:
        things = "1 string" if readable == 1 else f"{readable:,} strings"
        yield Clause("leaves ", things, f" readable that it masks elsewhere in the same document, of {strings:,}")


def _detected(run: Run, name: str) -> Iterator[Clause]:
    """What a detector still finds; where it finds nothing, nothing is said, for the same reason."""
    record = chosen(run, "residual")
    if record is None or headline(run, name, record) is None:
        return
    finds = counted(run, record, name, "wrong")
    if total := round(sum(finds)):
        things = "1 place" if total == 1 else f"{total:,} places"
        looks = f" that look{'s' * (total == 1)} like an identifier to {record.parameters.get('detector', record.name)}"
        where = f", in {sum(number > 0 for number in finds):,} of {len(run.documents):,} documents"
        yield Clause("leaves ", things, f"{looks}{where}")


def _found(run: Run, name: str) -> Iterator[Clause]:
    scores = [headline(run, name, record) for record in playing(run, "attack")]
    risks = [score.value or 0.0 for score in scores if score]
    if risks:  # what has a number for others and none here may find more, and must not look better for it
        they = "these attacks find" if all(scores) else "those of these attacks that have a number find at least"
        yield Clause(f"{they} the person of ", _percent(max(risks)), " of the documents")


def _kept(run: Run, name: str) -> Iterator[Clause]:
    record = _information(run)
    if record and (score := headline(run, name, record)):
        yield Clause("keeps ", _percent(score.value or 0.0), f" of the information by {record.name}")


def _information(run: Run) -> MetricRecord | None:
    return chosen(run, "information", "words")


def _unmarked(run: Run, name: str) -> Iterator[Clause]:
    record = chosen(run, "precision")
    score = headline(run, name, record)
    if record is None or score is None:
        return
    by_unit = {"token": "the tokens it masks", "mention": "its masks"}
    masked = by_unit.get(str(record.parameters.get("unit")), "what it masks")
    yield Clause("", _percent(1 - (score.value or 0.0)), f" of {masked} were not marked{on_average(run)}")


def caveats(run: Run) -> list[str]:
    """What the sentences of all anonymizations rest on."""
    lines = []
    if chosen(run, "inconsistency"):
        lines.append(
            "What is masked nowhere cannot be masked unevenly: an identifier that was missed throughout is not seen."
        )
    if chosen(run, "residual"):
        lines.append("What looks like an identifier may be none, and what does not may be one.")
    leaking = chosen(run, "direct identifiers")
    if leaking or chosen(run, "precision"):
        lines.append(f"“Marked” is what {markers(run)} marked; what they overlooked cannot count as a leak.")
    if leaking and run.several_annotators is not False:
        lines.append(
            f"Where several annotators marked an identifier, it counts once for each of them, as in {leaking.text}. "
            "The list of documents counts the places where it can be read."
        )
    for record in playing(run, "attack"):
        made = f" ({record.parameters['attacks']})" if "attacks" in record.parameters else ""
        known = ""
        if background := run.background_of(record):
            known = f" with the background “{background.name}” of {background.documents:,} individuals"
        attacks = f"The attacks are those of {record.name}{made}{known}"
        lines.append(f"{attacks}; another, or one who knows more, may find more.")
    if information := _information(run):
        lines.append(f"Information is what {information.text} makes of it.")
    return lines


_PERCENT = "\u202f%"


def _percent(value: float) -> str:
    """
    >>> _percent(0.309), _percent(0.0004), _percent(0.0)
    ('31\\u202f%', '<1\\u202f%', '0\\u202f%')
    """
    if 0 < value < 0.005:
        return f"<1{_PERCENT}"
    if 0.995 < value < 1:
        return f">99{_PERCENT}"
    return f"{value * 100:.0f}{_PERCENT}"
