"""What a release summary says, as a value, and its JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from showthrough.core.errors import PlanError
from showthrough.core.families import input_types
from showthrough.data.references import NOTHING
from showthrough.metrics import HEADLINE
from showthrough.report.cautions import cautions, notes_on, routine_notes
from showthrough.report.evidence import evidence
from showthrough.run.folders import PathNames
from showthrough.run.gate.accepted import Accepted
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checks import BaselineCheck, ThresholdCheck
from showthrough.run.gate.grading import Grade
from showthrough.run.gate.reasons import ReleaseState
from showthrough.run.gate.state import Decision, decide
from showthrough.run.records import Input, MetricRecord
from showthrough.run.roles import ATTACKS, count_by_kind, in_all
from showthrough.run.run import Run
from showthrough.run.thresholds import End, Threshold

FORMAT: Literal["showthrough-release-summary"] = "showthrough-release-summary"
VERSION = 1

SetBy = Literal["usual", "user", "run"]


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """How a release was made, where its file says so."""

    anonymizer: Annotated[str, Meta(description="as it is requested again")]
    version: Annotated[int, Meta(description="rises whenever a mask could change")]
    replacement: Annotated[str, Meta(description="what is written in place of what is masked")]
    threshold: Annotated[float | None, Meta(description="masks with a lower score were left out; null: all masks")]
    models: Annotated[dict[str, str], Meta(description="models and programs with their revisions or digests")]
    trained_on: Annotated[str, Meta(description="the corpus that it was trained on; empty: none is known")]
    seen: Annotated[int, Meta(description="how many of the tested documents it was trained on")]
    showthrough: Annotated[str, Meta(description="version of the program that made it")]
    time: Annotated[str, Meta(description="when it was made")]


class ReleasedTexts(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be released."""

    name: Annotated[str, Meta(description="what the run calls it")]
    digest: Annotated[str, Meta(description="of all masks, in any order")]
    documents: Annotated[int, Meta(description="documents that it has")]
    file: Annotated[str, Meta(description="the file it was read from, without its folder")]
    origin: Annotated[Origin | None, Meta(description="how it was made; null: its file does not say")]


class TestedCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """The originals that it was tested against."""

    name: Annotated[str, Meta(description="what the run calls it")]
    digest: Annotated[str, Meta(description="of texts and annotations, in any order")]
    documents: Annotated[int, Meta(description="documents that were tested")]
    independent: Annotated[int, Meta(description="independent documents, or groups of them, that intervals rest on")]
    annotators: Annotated[int | None, Meta(description="people or programs who marked it; null: not known")]
    annotated: Annotated[int | None, Meta(description="documents that somebody marked; null: not known")]
    programs: Annotated[str, Meta(description="programs that made annotations; empty: people did, or nobody")]


class KnownInput(msgspec.Struct, frozen=True, kw_only=True):
    """What else a test used, such as what an attacker knew."""

    kind: Annotated[str, Meta(description="which input it is, as a plan calls it")]
    name: Annotated[str, Meta(description="what the run calls it")]
    digest: Annotated[str, Meta(description="of its content")]
    items: Annotated[int, Meta(description="documents or individuals that it has")]


class Attack(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who tried to find out what is hidden."""

    metric: Annotated[str, Meta(description="its text form")]
    title: Annotated[str, Meta(description="what it counts, in words")]
    attackers: Annotated[str, Meta(description="the attackers, as the metric names them; empty: it has but one")]


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """What a number has to reach, and who said so."""

    end: Annotated[End, Meta(description="min: at least; max: at most")]
    limit: Annotated[float, Meta(description="the limit itself, which is still good enough")]
    set_by: Annotated[
        SetBy, Meta(description="user: when the summary was written; run: at the evaluation; usual: nobody set it")
    ]
    grade: Annotated[Grade, Meta(description="how surely it is reached")]
    said: Annotated[str, Meta(description="why, in words")]


class Number(msgspec.Struct, frozen=True, kw_only=True):
    """One number with its interval, and what it had to reach."""

    metric: Annotated[str, Meta(description="the text form of the metric")]
    part: Annotated[str, Meta(description="which of its numbers; empty: the main one")]
    title: Annotated[str, Meta(description="the metric in words")]
    group: Annotated[str, Meta(description="privacy, utility, both or neither")]
    better: Annotated[Literal["higher", "lower"], Meta(description="which values are the better ones")]
    value: Annotated[float | None, Meta(description="null where there is none")]
    low: Annotated[float | None, Meta(description="lower end of its interval; null where it has none")]
    high: Annotated[float | None, Meta(description="upper end of its interval; null where it has none")]
    right: Annotated[int | None, Meta(description="how many things it counts as right; null where it counts none")]
    counted: Annotated[int | None, Meta(description="how many things it counts; null where it counts none")]
    reason: Annotated[str, Meta(description="why there is no value, or no interval")]
    nothing_masked: Annotated[float | None, Meta(description="the same on the originals; null: not known")]
    earlier: Annotated[float | None, Meta(description="what it was in the earlier run; null: nothing to compare")]
    limit: Annotated[Limit | None, Meta(description="what it had to reach; null: nothing")]
    signature: Annotated[str, Meta(description="one line that says exactly how it was computed")]
    slice: Annotated[str, Meta(description="the field whose groups the limit is for; empty: all documents")] = ""
    slice_group: Annotated[str, Meta(description="the group that the number is of; empty: all documents")] = ""


class AcceptedList(msgspec.Struct, frozen=True, kw_only=True):
    """Readable identifiers that people looked at and accepted."""

    name: Annotated[str, Meta(description="the file, without its folder")]
    digest: Annotated[str, Meta(description="SHA-256 of the file")]
    entries: Annotated[int, Meta(description="entries of the list")]
    accepted: Annotated[int, Meta(description="readable identifiers of this release that they accept")]
    by: Annotated[list[str], Meta(description="who accepted them")]


class EarlierRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the same corpus whose numbers must not get worse."""

    label: Annotated[str, Meta(description="what it is called")]
    name: Annotated[str, Meta(description="its anonymization that this one was held against")]
    digest: Annotated[str, Meta(description="of the masks of that anonymization")]
    time: Annotated[str, Meta(description="when that evaluation ended")]


class EvidenceLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the checklist of evidence."""

    title: Annotated[str, Meta(description="what there is to look at")]
    state: Annotated[
        Literal["tested", "weak", "absent"], Meta(description="weak: too little to rest on; absent: not tested")
    ]
    note: Annotated[str, Meta(description="what was looked at, or what is lacking")]
    command: Annotated[str, Meta(description="what would test it, or test it better; empty: nothing is lacking")]


class FailedMetric(msgspec.Struct, frozen=True, kw_only=True):
    """A metric that was asked for and has no numbers."""

    metric: Annotated[str, Meta(description="its text form")]
    reason: Annotated[str, Meta(description="why it has none")]


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """With what and when the tests were made."""

    showthrough: Annotated[str, Meta(description="version of the program")]
    python: str
    packages: Annotated[dict[str, str], Meta(description="installed packages that numbers may depend on")]
    models: Annotated[dict[str, str], Meta(description="models that were used, with revisions")]
    time: Annotated[str, Meta(description="when the evaluation ended")]
    seed: int
    resamples: Annotated[int, Meta(description="of the bootstrap")]
    confidence: Annotated[float, Meta(description="of the intervals")]


class ReleaseSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What was released and tested, what follows, and what is not known. It holds no text of any document."""

    format: Annotated[Literal["showthrough-release-summary"], Meta(description="what this file is")]
    version: Annotated[int, Meta(description="of the format; rises when an old reader could misread it")]
    state: Annotated[ReleaseState, Meta(description="what follows for a release")]
    sentence: Annotated[str, Meta(description="why, in one sentence")]
    reasons: Annotated[list[str], Meta(description="all that keeps the state from being better, the gravest first")]
    released: ReleasedTexts
    corpus: TestedCorpus
    inputs: list[KnownInput]
    attacks: list[Attack]
    numbers: Annotated[list[Number], Meta(description="those with limits first")]
    accepted: Annotated[AcceptedList | None, Meta(description="null: no list was given")]
    baseline: Annotated[EarlierRun | None, Meta(description="what it was held against; null: no earlier run")]
    evidence: Annotated[list[EvidenceLine], Meta(description="what was tested, and what was not")]
    failures: Annotated[list[FailedMetric], Meta(description="metrics that could not be computed")]
    notes: Annotated[list[str], Meta(description="what a reader must know before believing the numbers")]
    versions: Versions

    @property
    def page_notes(self) -> list[str]:
        """Those that warn of something, and not how something was counted."""
        routine = routine_notes(self.notes)
        return [note for note in self.notes if note not in routine]


def release_summary(
    run: Run,
    *,
    candidate: str | None = None,
    thresholds: Sequence[Threshold] = (),
    accepted: Accepted | None = None,
    baseline: Baseline | None = None,
) -> ReleaseSummary:
    """The summary of one anonymization of a run; without a candidate of the best one.

    Raises PlanError for a candidate that the run does not have, and for a run that has none at all.
    """
    if not run.anonymizations:
        raise PlanError("there is none in this run, so nothing is to be released", "anonymizations")
    decision = decide(run, candidate=candidate, thresholds=thresholds, accepted=accepted, baseline=baseline)
    name, names = decision.candidate, PathNames(run.metrics)
    bare = next(each for each in run.anonymizations if each.name == name).without_path
    inputs = [(kind, each) for kind in input_types() for each in run.inputs.get(kind.name, [])]
    summary = ReleaseSummary(
        format=FORMAT,
        version=VERSION,
        state=decision.state,
        sentence=decision.sentence,
        reasons=[reason.sentence for reason in decision.reasons],
        released=ReleasedTexts(
            name=name, digest=bare.digest, documents=bare.documents, file=bare.source, origin=_origin(bare)
        ),
        corpus=_corpus(run),
        inputs=[
            KnownInput(kind=kind.name, name=each.name, digest=each.digest, items=each.documents)
            for kind, each in inputs
        ],
        attacks=list(_attacks(run)),
        numbers=list(_numbers(run, decision, thresholds_set=bool(thresholds))),
        accepted=_accepted(accepted, decision),
        baseline=_earlier(baseline, name) if baseline else None,
        evidence=[
            EvidenceLine(title=line.title, state=line.state, note=line.note, command=line.command)
            for line in evidence(run, decision)
        ],
        failures=[FailedMetric(metric=failure.metric, reason=failure.reason) for failure in run.failures],
        notes=[*cautions(run), *decision.notes, *notes_on(run, [name])],
        versions=_versions(run),
    )
    return _without_folders(summary, names)


def summary_json(summary: ReleaseSummary) -> str:
    """The summary as JSON."""
    return msgspec.json.format(msgspec.json.encode(summary), indent=1).decode() + "\n"


def _without_folders(summary: ReleaseSummary, names: PathNames) -> ReleaseSummary:
    """The names of folders in metrics and reasons tell of people and projects."""

    def bare(value: Any) -> Any:
        if isinstance(value, str):
            return names.shorten_reason(value)
        if isinstance(value, list):
            return [bare(each) for each in value]
        if isinstance(value, dict):
            return {key: bare(each) for key, each in value.items()}
        return value

    return msgspec.convert(bare(msgspec.to_builtins(summary)), ReleaseSummary)


def _origin(released: Input) -> Origin | None:
    provenance = released.made
    if provenance is None:
        return None
    return Origin(
        anonymizer=provenance.anonymizer,
        version=provenance.version,
        replacement=provenance.replacement,
        threshold=provenance.threshold,
        models=dict(provenance.pinned),
        trained_on=provenance.trained_on,
        seen=provenance.seen,
        showthrough=provenance.showthrough,
        time=provenance.time,
    )


def _corpus(run: Run) -> TestedCorpus:
    bare = run.corpus.without_path
    annotators, annotated = _annotators(run)
    return TestedCorpus(
        name=bare.name,
        digest=bare.digest,
        documents=len(run.documents),
        independent=run.unit_count,
        annotators=annotators,
        annotated=annotated,
        programs=bare.silver,
    )


def _annotators(run: Run) -> tuple[int | None, int | None]:
    """How many marked documents, and how many documents they marked; of a part of the documents nobody can tell."""
    if run.texts is None or run.texts.chosen != "all":
        return None, None
    layers = [document.annotations for document in run.texts.documents]
    names = {layer.annotator for annotations in layers for layer in annotations}
    return len(names), sum(bool(annotations) for annotations in layers)


def _attacks(run: Run) -> Iterator[Attack]:
    for record in run.metrics:
        if record.text in run.rows and not {*ATTACKS}.isdisjoint(record.roles):
            attackers = record.parameters.get("attacks", record.parameters.get("attacker", ""))
            yield Attack(metric=record.text, title=record.title, attackers=str(attackers))


def _numbers(run: Run, decision: Decision, *, thresholds_set: bool) -> Iterator[Number]:
    """Numbers with limits in the order of the checks, then what else metrics are known by."""
    checks = decision.checks.checks if decision.checks else []
    earlier = {(check.metric, check.part): check.earlier for check in checks if isinstance(check, BaselineCheck)}
    limits = [check for check in checks if isinstance(check, ThresholdCheck)]
    explicit: SetBy = "user" if thresholds_set else "run" if run.thresholds else "usual"
    for check in limits:
        set_by: SetBy = "usual" if check.usual else explicit
        limit = Limit(end=check.end, limit=check.limit, set_by=set_by, grade=check.grade, said=check.said)
        record = next((record for record in run.metrics if record.text == check.metric), None)
        if record is not None and check.slice:
            yield _of_group(_number(run, decision.candidate, record, check.part, limit, {}), check)
        elif record is not None:
            yield _number(run, decision.candidate, record, check.part, limit, earlier)
    done = {(check.metric, check.part) for check in limits if not check.slice}
    for record in run.metrics:
        if (record.text, HEADLINE) not in done and HEADLINE in run.parts(decision.candidate, record.text):
            yield _number(run, decision.candidate, record, HEADLINE, None, earlier)


def _number(
    run: Run,
    name: str,
    record: MetricRecord,
    part: str,
    limit: Limit | None,
    earlier: Mapping[tuple[str, str], float | None],
) -> Number:
    score = run.parts(name, record.text).get(part)
    failed = next((failure.reason for failure in run.failures if failure.metric == record.text), "")
    idle = run.parts(NOTHING, record.text).get(part)
    right, counted = _counts(run, name, record) if part == HEADLINE else (None, None)
    return Number(
        metric=record.text,
        part=part,
        title=record.title,
        group=record.group,
        better=record.better,
        value=score.value if score else None,
        low=score.low if score else None,
        high=score.high if score else None,
        right=right,
        counted=counted,
        reason=(score.reason or score.note) if score else failed or "it was not computed",
        nothing_masked=idle.value if idle else None,
        earlier=earlier.get((record.text, part)),
        limit=limit,
        signature=score.signature if score else "",
    )


def _of_group(number: Number, check: ThresholdCheck) -> Number:
    """A number of all documents as that of a group, which a limit was set on."""
    return msgspec.structs.replace(
        number,
        title=f"{number.title} (in groups by {check.slice}{f': {check.group}' if check.group else ''})",
        value=check.value,
        low=check.low,
        high=check.high,
        right=None,
        counted=None,
        reason="" if check.value is not None else check.said,
        nothing_masked=None,
        slice=check.slice,
        slice_group=check.group,
    )


def _counts(run: Run, name: str, record: MetricRecord) -> tuple[int | None, int | None]:
    if record.text not in run.rows or not {"right", "all"} <= set(record.counts.values()):
        return None, None
    right, counted = (in_all(count_by_kind(run, record, name, kind)) for kind in ("right", "all"))
    return round(right), round(counted)


def _earlier(baseline: Baseline, name: str) -> EarlierRun:
    other, which = baseline.beside.other, baseline.earlier(name)
    record = next(each for each in other.anonymizations if each.name == which)
    time = str(other.provenance.get("time", ""))
    return EarlierRun(label=baseline.beside.label, name=which, digest=record.digest, time=time)


def _accepted(accepted: Accepted | None, decision: Decision) -> AcceptedList | None:
    if accepted is None:
        return None
    return AcceptedList(
        name=accepted.name,
        digest=accepted.digest,
        entries=len(accepted.entries),
        accepted=decision.accepted,
        by=list(accepted.reviewers),
    )


def _versions(run: Run) -> Versions:
    record, settings = run.provenance, run.settings
    return Versions(
        showthrough=str(record.get("showthrough", "")),
        python=str(record.get("python", "")),
        packages=dict(record.get("packages", {})),
        models=dict(record.get("models", {})),
        time=str(record.get("time", "")),
        seed=settings.seed,
        resamples=settings.resamples,
        confidence=settings.confidence,
    )
