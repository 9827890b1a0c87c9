"""The risk annex: what one run tells about the risks of a release, as evidence for those who decide."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace

from showthrough.core.errors import PlanError, join_names
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus
from showthrough.data.population import Population
from showthrough.data.references import NOTHING
from showthrough.data.types import HIPAA, ROOT, TREE, nearest, path_of, treated_as
from showthrough.evaluation.api import evaluate
from showthrough.formats.people.population import read_population
from showthrough.metrics import HEADLINE, RecallPerType, Rows
from showthrough.run.origins import last_part
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.risk._singling import complement, shares, singling_out
from showthrough.studies.risk.sections import authorship, command_for, has_marks, inference, linkability, with_folders
from showthrough.studies.risk.values import (
    IdentifierRecall,
    PopulationRecord,
    RiskAnnex,
    RiskSection,
    SafeHarbor,
    SafeHarborIdentifier,
)

# HIPAA lists eighteen types of identifiers. The types of the corpus say how many mentions of each are hidden.

ASKED = 'recall_per_type(unit="mention")'


class _CountColumns(NamedTuple):
    """Columns of a metric's rows that count by type: what is right, and what there is in all."""

    right: str
    whole: tuple[str, ...]


# The first that a run has is taken. That of PHI counts what is hidden under another type as missed.
_BY_TYPE: dict[str, _CountColumns] = {
    "recall_per_type": _CountColumns("hidden", ("total",)),
    "phi_instance": _CountColumns("C", ("C", "S", "D")),
}


def safe_harbor(run: Run) -> SafeHarbor:
    """Each kind with its recall and what of it may be missed, or why it was not measured."""
    record = _choose_metric(run)
    if record is None and (again := _counted_again(run)):
        run, record = again, _choose_metric(again)
    if record is None:
        marks = has_marks(run)
        advice = f"evaluate it with --metric {shlex.quote(ASKED)}"
        if not marks:
            advice = f"annotate the corpus, then {advice}"
        why = f"no metric of the run counts mentions by type: {advice}"
        return SafeHarbor(reason=why, command=command_for(run, ASKED, fits=marks))
    counted = _BY_TYPE[record.name]
    beside = [NOTHING] if NOTHING in run.rows[record.text] else []
    tables = {name: run.rows_of(record.text, name) for name in (*run.names, *beside)}
    types = list(dict.fromkeys(kind for rows in tables.values() for kind in _types(rows, counted)))
    nearest_kinds = {kind: nearest(kind) for kind in types}
    letters = {
        kind: treated_as(nearest_kind).hipaa if nearest_kind else "" for kind, nearest_kind in nearest_kinds.items()
    }
    pooled = {name: _pool_rows(rows, counted, letters) for name, rows in tables.items()}
    named = {letter: tuple(kind for kind in types if letters[kind] == letter) for letter in HIPAA}
    identifiers = [
        _identifier(run, record, letter, named[letter], pooled)
        if named[letter]
        else SafeHarborIdentifier(letter, HIPAA[letter], (), 0, (), _why_not(run, letter, nearest_kinds))
        for letter in HIPAA
    ]
    unlisted = tuple(kind for kind in types if nearest_kinds[kind] and not letters[kind])
    return SafeHarbor(
        record.text, tuple(identifiers), unlisted, tuple(kind for kind in types if not nearest_kinds[kind])
    )


def _choose_metric(run: Run) -> MetricRecord | None:
    """Of the metrics that count mentions by type, the first in the order above."""
    able = [record for record in run.metrics if record.name in _BY_TYPE and record.text in run.rows]
    able = [
        record for record in able if record.parameters.get("types", True) and record.parameters.get("unit") != "token"
    ]
    return min(able, key=lambda record: list(_BY_TYPE).index(record.name), default=None)


def _counted_again(run: Run) -> Run | None:
    """Mentions of the documents that a run keeps, where it keeps all of them and their marks."""
    texts = run.texts
    if texts is None or texts.chosen != "all" or not has_marks(run):
        return None
    metric = RecallPerType("mention", function_words=texts.function_words, replacements=texts.replacements)
    settings = run.settings
    again = evaluate(
        Corpus(texts.documents, run.corpus.name),
        {name: texts.anonymization(name) for name in run.names},
        [metric],
        pairing="trust",
        texts=False,
        seed=settings.seed,
        resamples=settings.resamples,
        confidence=settings.confidence,
    )
    return replace(again, groups=run.groups, joined=run.joined)  # found in files that this corpus no longer knows


def _types(rows: Rows, counted: _CountColumns) -> Iterator[str]:
    """The types that gold has; those of a system alone have nothing to be missed."""
    for column in rows.columns:
        part, colon, kind = column.partition(":")
        if colon and part in counted.whole and rows.column(column).any():
            yield kind


def _pool_rows(rows: Rows, counted: _CountColumns, letters: Mapping[str, str]) -> Rows:
    """What is right and what there is in all, by letter."""
    documents, used = len(rows), sorted({*letters.values()} - {""})
    columns = {f"{side}:{letter}": np.zeros(documents) for letter in used for side in ("right", "whole")}
    for column in rows.columns:
        part, _, kind = column.partition(":")
        letter = letters.get(kind, "")
        if letter and part == counted.right:
            columns[f"right:{letter}"] += rows.column(column)
        if letter and part in counted.whole:
            columns[f"whole:{letter}"] += rows.column(column)
    return Rows.named(columns, documents)


def _identifier(
    run: Run, record: MetricRecord, letter: str, types: tuple[str, ...], pooled: Mapping[str, Rows]
) -> SafeHarborIdentifier:
    fractions = {letter: (f"right:{letter}", f"whole:{letter}")}
    hidden, documents, nothing = [], 0, None
    for name, rows in pooled.items():
        if name == NOTHING:
            nothing = float(rows.column(f"right:{letter}").sum() / rows.column(f"whole:{letter}").sum())
            continue
        parts = run.parts(name, record.text)
        recall = shares(run, rows, fractions, "nothing of this kind is marked")[letter]
        if HEADLINE in parts and parts[HEADLINE].value is None:  # such as masks that do not say their types
            recall = Estimate(None, reason=parts[HEADLINE].reason)
        documents = int((rows.column(f"whole:{letter}") > 0).sum())
        line = next((score.signature for score in parts.values()), "")
        hidden.append(IdentifierRecall(name, recall, complement(recall), line))
    return SafeHarborIdentifier(letter, HIPAA[letter], types, documents, tuple(hidden), nothing_masked=nothing)


def _why_not(run: Run, letter: str, nearest_kinds: Mapping[str, str | None]) -> str:
    """Nothing of this kind is marked: nobody looked, none occurs, or it is marked as something coarser."""
    if letter == "Q":
        return "texts have no photographs; pictures were not looked at"
    above = {ancestor for kind in _kinds(letter) for ancestor in path_of(kind)} - {ROOT}
    wider = [kind for kind, nearest_kind in nearest_kinds.items() if nearest_kind in above]
    count = len(run.documents)
    none = f"nothing of this kind is marked in these {count:,} documents. Nobody looked for it, or there is none"
    most = 1 - (1 - run.settings.confidence) ** (1 / count) if count else 1.0
    bound = f"if annotators did look, at most {100 * most:.2g} % of such documents have one"
    apart = f". What is marked as {join_names(wider)} may hold some, and is counted there" if wider else ""
    return f"{none} ({bound}){apart}"


def _kinds(letter: str) -> list[str]:
    return [kind for kinds in TREE.values() for kind in kinds if treated_as(kind).hipaa == letter]


_Told = TypeVar("_Told", RiskSection, SafeHarbor)


@expects(run=Run)
def risk_annex(run: Run, population: Population | str | os.PathLike[str] | None = None, *, file: str = "") -> RiskAnnex:
    """Singling out, linkability, inference, authorship and HIPAA's identifiers, as far as a run measured them.

    `population` says how many people there are of each combination of attributes, or is the path of such a table;
    without one nothing is said of singling out. If the run lacks something, the annex says what to run. `file` is where
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
