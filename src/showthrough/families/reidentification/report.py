"""Re-identification in reports: that attacks are too weak to tell anything, and linkability in the risk annex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from showthrough.core.errors import shorten
from showthrough.data.references import NOTHING
from showthrough.families.inference.controls import risk_interval
from showthrough.metrics import METRICS
from showthrough.report.evidence import Evidence, evaluation
from showthrough.report.section import Section
from showthrough.report.wording import join_names, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run
from showthrough.run.weak_systems import ALMOST

if TYPE_CHECKING:
    from showthrough.report.annex.cells import SignatureIndex
    from showthrough.report.sheets import Grid
    from showthrough.studies.risk.values import RiskAnnex

_BACKGROUND, _LINKING = "background", "linkability"
_TITLE, _LINKAGE = "Attack with background", "Linkage between documents"
_RIGHT, _RAN, _CONTROL, _CONTROLLED = "right:", "ran:", "control:", "controlled:"  # columns of an attack's rows


class _Reidentification(Section):
    def cautions(self, run: Run) -> Iterator[str]:
        return (line for record in find_metrics(run, "attack") for line in _weak(run, record))

    def evidence(self, run: Run, name: str) -> Iterator[Evidence]:
        attacks = [record for record in find_metrics(run, "attack") if name in run.rows[record.text]]
        known = join_names([f"“{shorten(background.name)}”" for background in run.inputs.get(_BACKGROUND, [])])
        weak = [line for record in attacks for line in _weak(run, record)]
        command = evaluation(run, f"--{_BACKGROUND} PEOPLE.json")
        if weak:
            yield Evidence(_TITLE, "weak", "too weak: it finds hardly anybody even in the originals", command)
        elif attacks:
            yield Evidence(_TITLE, "tested", f"an attacker who knows {known} looked for people")
        else:
            yield Evidence(_TITLE, "absent", "nobody tried to recognise people", command)
        if any(record.name == _LINKING and record.text in run.rows for record in run.metrics):
            yield Evidence(_LINKAGE, "tested", "documents of one person were looked for")
        else:
            can = _LINKING in METRICS
            made = evaluation(run, f"--metric {_LINKING} --group-by PERSON") if can else ""
            note = "nobody tried to find documents of one person" + ("" if can else "; no metric here does")
            yield Evidence(_LINKAGE, "absent", note, made)

    def risk_lead(self, annex: RiskAnnex) -> Iterator[str]:
        from showthrough.families.reidentification.report_annex import linkability_lead  # here: few ask for it

        return linkability_lead(annex.linkability)

    def risk_grids(self, annex: RiskAnnex, lines: SignatureIndex) -> Iterable[Grid]:
        from showthrough.families.reidentification.report_annex import linkability_grid

        return [linkability_grid(annex.linkability, lines)]


def _weak(run: Run, record: MetricRecord) -> Iterator[str]:
    for most, shown in _weaknesses(run, record):
        what = "find hardly anybody" if most < ALMOST else "are not shown to find more than guessing does,"
        yield (
            f"The attacks of {record.name} {what} even in the originals ({shown}): if they find few people, that says "
            f"nothing about any anonymization."
        )


def weak_attackers(run: Run) -> Iterator[str]:
    """The same in plain words, of whichever attack."""
    for record in find_metrics(run, "attack"):
        for most, shown in _weaknesses(run, record):
            what = "finds hardly anybody" if most < ALMOST else "is not shown to find more people than guessing does,"
            yield f"The attacker {what} even in the originals ({shown}), so a low number of people found shows nothing."


def _weaknesses(run: Run, record: MetricRecord) -> Iterator[tuple[float, str]]:
    """That attacks find hardly anybody where nothing is masked, or no more than with somebody else's document.

    What the strongest of them finds in the originals, and that in words.
    """
    if NOTHING not in run.rows[record.text]:
        return
    rows = run.units(run.rows_of(record.text, NOTHING))
    names = [column.removeprefix(_RIGHT) for column in rows.columns if column.startswith(_RIGHT)]
    by_chance = run.parts(NOTHING, record.text).get("chance")
    chance = by_chance.value or 0.0 if by_chance else 0.0
    most, shown = 0.0, ""
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
        if not shown or share > most:
            most, shown = share, f"{percent(share)} of {ran.sum():,.0f} documents; guessing {percent(guessed)}"
    if shown:
        yield most, shown


SECTION = _Reidentification()
