"""The risk annex: what one run tells about the risks of a release, as evidence for those who decide."""

from __future__ import annotations

import os
from typing import TypeVar

from msgspec.structs import replace

from showthrough.core.errors import PlanError
from showthrough.data.population import Population
from showthrough.formats.people.population import read_population
from showthrough.run.origins import last_part
from showthrough.run.run import Run
from showthrough.studies.risk.asking import with_folders
from showthrough.studies.risk.identifiers import safe_harbor
from showthrough.studies.risk.sections import authorship, inference, linkability
from showthrough.studies.risk.singling import singling_out
from showthrough.studies.risk.values import PopulationRecord, RiskAnnex, SafeHarbor, Section

_Told = TypeVar("_Told", Section, SafeHarbor)


def risk_annex(run: Run, population: Population | str | os.PathLike[str] | None = None, *, file: str = "") -> RiskAnnex:
    """Singling out, linkability, inference, authorship and HIPAA's identifiers, as far as a run measured them.

    `population` says how many people there are of each combination of attributes, or is the path of such a table;
    without one nothing is said of singling out. What the run does not have is told with what to run. `file` is where
    the run was read from, for messages.
    """
    if not run.complete:
        raise PlanError("the run was interrupted; expected a complete one: finish it with evaluate --resume", "", file)
    run = run.without_folders()  # an annex is for others
    census = population if population is None or isinstance(population, Population) else read_population(population)
    return RiskAnnex(
        run.corpus.name,
        len(run.documents),
        run.sample,
        tuple(run.names),
        run.settings.confidence,
        singling_out(run, census),
        linkability(run),
        inference(run),
        authorship(run),
        safe_harbor(run),
        None if census is None else _population_record(census),
        notes=tuple(run.notes),
    )


def for_owner(annex: RiskAnnex, run: Run) -> RiskAnnex:
    """The same annex, whose commands find files where the run says they are."""

    def placed(section: _Told) -> _Told:
        return replace(section, command=with_folders(section.command, run))

    return replace(annex, inference=placed(annex.inference), safe_harbor=placed(annex.safe_harbor))


def _population_record(population: Population) -> PopulationRecord:
    return PopulationRecord(
        population.name,
        population.digest,
        last_part(population.source),
        population.people,
        len(population),
        tuple(population.columns),
        population.uncertain,
        population.notes,
    )
