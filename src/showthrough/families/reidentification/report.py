"""Re-identification in reports: that attacks are too weak to tell anything, and linkability in the risk annex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from showthrough.core.errors import shorten
from showthrough.data.references import NOTHING
from showthrough.families.inference.controls import risk_interval
from showthrough.families.reidentification.family import EPSILON
from showthrough.metrics import HEADLINE
from showthrough.report.evidence import Evidence, evaluation
from showthrough.report.section import Section
from showthrough.report.wording import join_names, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics, headline
from showthrough.run.run import Run
from showthrough.run.weak_systems import ALMOST

if TYPE_CHECKING:
    from showthrough.report.annex.cells import SignatureIndex
    from showthrough.report.sheets import Grid
    from showthrough.studies.risk.values import RiskAnnex

_BACKGROUND = "background"
_TITLE, _LINKAGE = "Attack with background", "Linkage between documents"
_NOTION = "membership and linkage"
_BOUNDS, _BOUND_NOTION = "Distinguishing", "theoretical bounds"
_RIGHT, _RAN, _CONTROL, _CONTROLLED = "right:", "ran:", "control:", "controlled:"  # columns of an attack's rows


class _Reidentification(Section):
    def cautions(self, run: Run) -> Iterator[str]:
        for record in find_metrics(run, "attack"):
            yield from _weak(run, record)
        for record in find_metrics(run, "linkage"):
            for share in _links_nothing(run, record):
                yield (
                    f"The attack of {record.name} hardly links documents even in the originals ({share}; guessing "
                    f"gives 0.5): if it links few, that says nothing about any anonymization."
                )

    def evidence(self, run: Run, name: str) -> Iterator[Evidence]:
        attacks = [record for record in find_metrics(run, "attack") if name in run.rows[record.text]]
        names = join_names([f"“{shorten(background.name)}”" for background in run.inputs.get(_BACKGROUND, [])])
        weak = [line for record in attacks for line in _weak(run, record)]
        command = evaluation(run, f"--{_BACKGROUND} PEOPLE.json")
        if weak:
            yield Evidence(_TITLE, "weak", "too weak: it finds hardly anybody even in the originals", command, _NOTION)
        elif attacks:
            yield Evidence(_TITLE, "tested", f"an attacker who knows {names} looked for people", notion=_NOTION)
        else:
            yield Evidence(_TITLE, "absent", "nobody tried to recognise people", command, _NOTION)
        links = [record for record in find_metrics(run, "linkage") if headline(run, name, record)]
        call = evaluation(run, "--metric", "linkability", "--group-by", "PERSON")
        if any(line for record in links for line in _links_nothing(run, record)):
            note = "too weak: it hardly links documents even in the originals"
            yield Evidence(_LINKAGE, "weak", note, call, _NOTION)
        elif links:
            yield Evidence(_LINKAGE, "tested", "documents of one person were looked for", notion=_NOTION)
        else:
            yield Evidence(_LINKAGE, "absent", "nobody tried to find documents of one person", call, _NOTION)
        yield from _bounds(run, name)

    def limits(self, run: Run) -> Iterator[str]:
        if find_metrics(run, "linkage"):
            yield "another attack may link more documents of one person"
        if find_metrics(run, "distinguishing"):
            yield "a lower bound on ε is never a promise"

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
    for record in find_metrics(run, "linkage"):
        for share in _links_nothing(run, record):
            yield (
                f"The attack hardly links documents even in the originals ({share}; guessing gives 0.5), so a low "
                f"number of links shows nothing."
            )


def _links_nothing(run: Run, record: MetricRecord) -> Iterator[str]:
    """How well documents are linked where nothing is masked, if that is hardly better than guessing."""
    score = run.parts(NOTHING, record.text).get(HEADLINE)
    if score is not None and score.value is not None and score.value < 0.5 + ALMOST:
        yield f"{score.value:.2f}"


def _bounds(run: Run, name: str) -> Iterator[Evidence]:
    """Whether a claim of differential privacy was put to the test."""
    records = [record for record in find_metrics(run, "distinguishing") if headline(run, name, record)]
    if not records:
        command = evaluation(run, "--metric", "distinguish")
        note = "nobody tried to tell from which of two originals a release comes"
        yield Evidence(_BOUNDS, "absent", note, command, _BOUND_NOTION)
        return
    score = run.parts(name, records[0].text).get(EPSILON)
    bound = f": ε is at least {score.value:.2f}" if score is not None and score.value else ": no ε above 0 was shown"
    yield Evidence(_BOUNDS, "tested", f"two originals were told apart{bound}", notion=_BOUND_NOTION)


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
