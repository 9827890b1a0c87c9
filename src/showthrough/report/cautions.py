"""What a reader must hear first: who hides almost nothing, and which attack is too weak to say anything."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.data.references import NOTHING
from showthrough.families.inference.controls import CONTROL, CONTROLS, SUCCESS, risk_interval
from showthrough.metrics import HEADLINE
from showthrough.report.inference import ROLES, attacker_of, called
from showthrough.report.wording import counted_words, markers, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import playing
from showthrough.run.run import Run
from showthrough.run.scant import ALMOST, Hiding, almost_nothing

_ASIDE = ", what need not be masked aside"
_RIGHT, _RAN, _CONTROL, _CONTROLLED = "right:", "ran:", "control:", "controlled:"  # columns of an attack's rows


def cautions(run: Run) -> list[str]:
    """One sentence each, of all that was measured; of a run that was interrupted nothing."""
    if not run.complete:
        return []
    scant = [(name, hiding) for name in run.names if (hiding := almost_nothing(run, name))]
    lines = [f"{name} {scant_words(run, hiding)}: what it leaves of the text is no merit." for name, hiding in scant]
    lines += [line for record in playing(run, "attack") for line in _weak(run, record)]
    lines += [line for role in ROLES for record in playing(run, role) for line in _infers_little(run, record)]
    return list(dict.fromkeys(lines))


def scant_words(run: Run, hiding: Hiding) -> str:
    """`hides almost nothing of what annotators marked (0.1 %, what need not be masked aside)`."""
    hidden, whole = round(hiding.hidden), counted_words(hiding.whole, "place")
    if hiding.by == "words":
        return f"hides almost nothing of what {markers(run)} marked ({percent(hiding.share)}{_ASIDE})"
    if hiding.by == "identifiers":
        return f"hides almost no identifier where {markers(run)} marked it ({hidden:,} of {hiding.whole:,.0f})"
    if hiding.by == "finds":
        return f"hides almost nothing that looks like an identifier to {hiding.detector} ({hidden:,} of {whole})"
    return f"masks almost nothing ({percent(hiding.share)} of the text)"


def _weak(run: Run, record: MetricRecord) -> Iterator[str]:
    """That attacks find hardly anybody where nothing is masked, or no more than with somebody else's document."""
    if NOTHING not in run.rows[record.text]:
        return
    rows = run.units(run.rows_of(record.text, NOTHING))
    names = [column.removeprefix(_RIGHT) for column in rows.columns if column.startswith(_RIGHT)]
    given = run.parts(NOTHING, record.text).get("chance")
    chance = given.value or 0.0 if given else 0.0
    found, told = 0.0, ""
    for name in names:
        right, ran, control, controlled = (
            rows.column(f"{which}{name}") for which in (_RIGHT, _RAN, _CONTROL, _CONTROLLED)
        )
        if not ran.sum():
            continue
        if not controlled.sum():  # nobody else's document could stand in
            control, controlled = ran * chance, ran
        share, guessed = float(right.sum() / ran.sum()), float(control.sum() / controlled.sum())
        ends = risk_interval((right, ran), (control, controlled), run.settings.confidence)
        if share >= ALMOST and ends is not None and ends[0] > 0:
            return
        if not told or share > found:
            found, told = share, f"{percent(share)} of {ran.sum():,.0f} documents; guessing {percent(guessed)}"
    if told:
        what = "find hardly anybody" if found < ALMOST else "are not shown to find more than guessing does,"
        yield (
            f"The attacks of {record.name} {what} even in the originals ({told}): that they find few people says "
            "nothing of any anonymization."
        )


def _infers_little(run: Run, record: MetricRecord) -> Iterator[str]:
    """That an attacker infers hardly anything from the originals, or no more than where nothing can be known."""
    parts = run.parts(NOTHING, record.text)
    score = parts.get(SUCCESS if record.better == "higher" else HEADLINE)
    if score is None or score.value is None:
        return
    known = [one.value for control in CONTROLS if (one := parts.get(f"{CONTROL}:{control}")) and one.value is not None]
    guessed = max(known, default=0.0)
    if score.value >= ALMOST and score.value > guessed:
        return
    what = "hardly anything" if score.value < ALMOST else "no more than where nothing can be known,"
    also = f", {percent(guessed)} where nothing can be known" if known else ""
    yield (
        f"{called(attacker_of(record))} infers {what} even from the originals ({percent(score.value)}{also}): that it "
        "infers little says nothing of any anonymization."
    )
