"""Inference about people in reports: tables beside a control, and what may be said of one attacker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from showthrough.core.errors import shorten
from showthrough.data.references import NOTHING
from showthrough.families.inference._spec import READER
from showthrough.families.inference._verdicts import JUDGE
from showthrough.families.inference.controls import CONTROL, CONTROLS, SUCCESS
from showthrough.families.inference.report_sentences import (
    inference_caveats,
    inference_clauses,
    inference_limits,
    inferred_tags,
    worst_of,
)
from showthrough.families.inference.report_tables import (
    ROLES,
    InferenceTable,
    StrataTable,
    attacker_name,
    attacker_of,
    inference_tables,
    inferring,
    is_beside,
    is_category,
    strata_tables,
)
from showthrough.metrics import HEADLINE
from showthrough.report.evidence import Evidence, evaluation
from showthrough.report.findings import Finding
from showthrough.report.section import Section
from showthrough.report.wording import Clause, counted_words, join_names, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run
from showthrough.run.weak_systems import ALMOST

if TYPE_CHECKING:
    from showthrough.report.annex.cells import SignatureIndex
    from showthrough.report.sheets import Grid
    from showthrough.studies.risk.values import RiskAnnex

_TITLE, _USUAL = "Inference", "cpr"
_NOTION = "attribute and semantic inference"
_TAGS = 2  # that findings name of an anonymization
_DOCUMENTS = 3  # that a finding names
_WEIGHT = 0.5  # what is true of a person need not tell who they are


class _Inference(Section):
    title = "What can be inferred about people"
    label = "People"
    anchor = "people"
    template = Path(__file__).parent / "templates" / "people.html"

    def tables(self, run: Run) -> list[InferenceTable]:
        return inference_tables(run)

    def part_tables(self, run: Run) -> list[StrataTable]:
        return strata_tables(run)

    def place_of(self, record: MetricRecord, part: str) -> Literal["own", "column", ""]:
        if is_beside(part) and (inferring(record) or part.startswith(JUDGE)):
            return "column"
        return "own" if inferring(record) and is_category(part) else ""

    def clauses(self, run: Run, name: str) -> Iterator[Clause]:
        return inference_clauses(run, name)

    def caveats(self, run: Run) -> list[str]:
        return inference_caveats(run)

    def limits(self, run: Run) -> list[str]:
        return inference_limits(run)

    def cautions(self, run: Run) -> Iterator[str]:
        return (line for role in ROLES for record in find_metrics(run, role) for line in _infers_little(run, record))

    def findings(self, run: Run, name: str) -> Iterator[Finding]:
        """Of which tags most is inferred."""
        for role in ROLES:
            worst = worst_of(run, name, role)
            if worst is None:
                continue
            for tag, (inferred, every, documents) in [*inferred_tags(run, name, worst).items()][:_TAGS]:
                many = f"{inferred:,.10g} of {every:,.0f} values of {shorten(tag)}"
                read = worst.attacker == READER
                what = f"leaves {many} to be read off" if read else f"lets {attacker_name(worst.attacker)} infer {many}"
                yield Finding(
                    name,
                    f"{what}, in {len(documents):,} of {counted_words(len(run.documents), 'document')}",
                    f"most: {', '.join(shorten(document) for document, _ in documents.most(_DOCUMENTS))}",
                    weight=_WEIGHT * inferred / every * len(documents) / len(run.documents),
                )

    def evidence(self, run: Run, name: str) -> Iterator[Evidence]:
        records = [record for role in ROLES for record in find_metrics(run, role) if name in run.rows[record.text]]
        command = evaluation(run, f"--metric {_USUAL}")
        if any(line for record in records for line in _infers_little(run, record)):
            yield Evidence(
                _TITLE, "weak", "too weak: it infers hardly anything even from the originals", command, _NOTION
            )
        elif records:
            read = join_names(list(dict.fromkeys(attacker_name(attacker_of(record)) for record in records)))
            yield Evidence(_TITLE, "tested", f"{read} inferred what is true of people", notion=_NOTION)
        else:
            yield Evidence(_TITLE, "absent", "nobody tried to infer what is true of people", command, _NOTION)

    def risk_lead(self, annex: RiskAnnex) -> Iterator[str]:
        from showthrough.families.inference.report_annex import inference_lead  # here: few ask for the annex

        return inference_lead(annex.inference)

    def risk_grids(self, annex: RiskAnnex, lines: SignatureIndex) -> Iterable[Grid]:
        from showthrough.families.inference.report_annex import inference_grid

        return [inference_grid(annex.inference, lines)]


def _infers_little(run: Run, record: MetricRecord) -> Iterator[str]:
    """That an attacker infers hardly anything from the originals, or no more than where nothing can be known."""
    parts = run.parts(NOTHING, record.text)
    score = parts.get(SUCCESS if record.better == "higher" else HEADLINE)
    if score is None or score.value is None:
        return
    scores = [
        blind.value for control in CONTROLS if (blind := parts.get(f"{CONTROL}:{control}")) and blind.value is not None
    ]
    guessed = max(scores, default=0.0)
    if score.value >= ALMOST and score.value > guessed:
        return
    what = "hardly anything" if score.value < ALMOST else "no more than where nothing can be known,"
    also = f", {percent(guessed)} where nothing can be known" if scores else ""
    yield (
        f"{attacker_name(attacker_of(record))} infers {what} even from the originals ({percent(score.value)}{also}): "
        f"if it infers little, that says nothing about any anonymization."
    )


SECTION = _Inference()
