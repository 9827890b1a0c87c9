"""What systems lose on perturbed corpora: paired differences over the same documents, and the documents that broke.

A number after a perturbation is made of the perturbed corpus and its own marks. The differences are over the
independent units of the original: what a document becomes belongs together with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import InputError, PlanError, Problem, ResourceError, shorten
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.pairing import check_pair
from showthrough.evaluation.api import EvaluationCall, build_plan
from showthrough.evaluation.engine import evaluate_plan
from showthrough.metrics.base import HEADLINE
from showthrough.models.cache import usual_cache
from showthrough.run.gate.checks import DOCUMENTS
from showthrough.run.records import Comparison, Input, Score
from showthrough.run.run import Run
from showthrough.studies.stress.perturbations import ORIGINAL, Perturbation, parse_perturbations, perturb
from showthrough.studies.stress.values import (
    BY_TYPE,
    CONTROL,
    METRICS,
    BrokenDocument,
    PerturbedCorpus,
    State,
    StressDifference,
    StressStudy,
)
from showthrough.systems import Anonymizer
from showthrough.systems.anonymizing import anonymize
from showthrough.systems.replacing import Way
from showthrough.systems.workbench.api import Systems, name_systems
from showthrough.systems.workbench.runner import Bench, Watched, nobody_watches

WORST = 10  # documents that are named
_ALPHA = 0.05
_BLIND = 0.005  # of the control, from which on a note says that losses may be hidden
_STRINGS = 5  # of a document that are quoted
_DIRECT, _QUASI = METRICS[:2]

Outputs = Mapping[str, Callable[[str, Corpus], Anonymization]]  # by system: what it made of a corpus of this name


def stress(
    corpus: Corpus,
    systems: Systems = (),
    perturbations: Sequence[str | Perturbation] = (),
    *,
    outputs: Outputs | None = None,
    seed: int = 0,
    replacement: Way = "label",
    threshold: float | None = None,
    watched: Watched = nobody_watches,
    shuffles: int = 9999,
    **settings: Any,
) -> StressStudy:
    """Lets systems anonymize a corpus and perturbed copies of it, and compares what they reach, paired by document.

    `systems` are as in `bench`, and `perturbations` as on the command line; the default is all of them. `outputs` read
    what systems made elsewhere: each gets the name of a corpus (`original`, `typos`) and the corpus itself. `watched`
    gives a progress for each piece of work. `settings` are those of `evaluate`, such as `language` and `resamples`.
    """
    ways = _chosen(perturbations)
    by_name = name_systems(systems)
    read = dict(outputs or {})
    if twice := next((name for name in by_name if name in read), None) or (CONTROL if CONTROL in by_name else None):
        raise PlanError("this name is used twice; expected unique names", f"system {shorten(twice)}")
    if not (by_name or read):
        raise PlanError("no system was named; expected one or more", "systems")
    if not corpus.survey.annotated:
        raise PlanError(
            "has no annotations, without which nobody can say what is lost", f"corpus {shorten(corpus.name)}"
        )
    work = _Work(by_name, read, replacement, threshold, watched, {**settings, "seed": seed})
    read_first = ways if read else ()  # what systems made elsewhere may be faulty
    work.check(chain([(ORIGINAL, corpus)], ((way.name, perturb(corpus, way, seed)) for way in read_first)))
    base = work.score(ORIGINAL, corpus)
    corpora, runs = [], {}
    for way in ways:
        perturbed = perturb(corpus, way, seed)
        counts = _count_changes(corpus, perturbed)
        corpora.append(PerturbedCorpus(way.text, way.summary, way.scope, way.rate, *counts))
        if counts[0]:
            runs[way.text] = work.score(way.name, perturbed, corpus)
    if not runs:
        raise PlanError(
            f"nothing of {shorten(corpus.name)} is changed by {', '.join(way.text for way in ways)}", "perturb"
        )
    names = [*by_name, *read]
    numbers = {document_id: number for number, document_id in enumerate(corpus.ids)}
    used = {way.text: way for way in ways}

    def exposed(document_id: str, name: str, way: str) -> list[str]:
        document = corpus.documents[numbers[document_id]]
        masks = (work.masks[variant, name].of(document_id) for variant in (ORIGINAL, used[way].name))
        return _exposed(document, used[way].apply(document, seed), *masks)

    corpora = [msgspec.structs.replace(entry, control=_control(base, runs.get(entry.name))) for entry in corpora]
    return StressStudy(
        corpus.name, corpus.digest, base.sample, base.unit_count, seed, base.settings.confidence, names, corpora,
        list(_differences(base, runs, names, corpora, shuffles)), _find_broken(base, runs, names, exposed),
        _notes(base, corpora),
    )  # fmt: skip


def _chosen(perturbations: Sequence[str | Perturbation]) -> list[Perturbation]:
    """All of them where none is named; each once."""
    texts = [way.text if isinstance(way, Perturbation) else way for way in perturbations]
    return parse_perturbations(texts)


class _Work:
    """Systems at work on one corpus after another, and what they reach on each."""

    def __init__(
        self,
        systems: Mapping[str, Anonymizer],
        outputs: Outputs,
        replacement: Way,
        threshold: float | None,
        watched: Watched,
        settings: Mapping[str, Any],
    ) -> None:
        self._systems, self._outputs = systems, outputs
        self._replacement, self._threshold, self._watched = replacement, threshold, watched
        self.masks: dict[tuple[str, str], Anonymization] = {}  # by the name of a corpus and a system
        self._settings = {"references": False, "sweeps": False, "texts": False, **settings}

    def check(self, corpora: Iterable[tuple[str, Corpus]]) -> None:
        """Reads the outputs of all corpora, the original first. Raises InputError for all that would stop the work."""
        problems: list[Problem] = []
        for name, corpus in corpora:
            if name == ORIGINAL:
                call = EvaluationCall(corpus, {}, [*METRICS, BY_TYPE], **self._settings)
                plan = build_plan(call, len(self._systems) or 1)
            for system, read in self._outputs.items():
                try:
                    self.masks[name, system] = read(name, corpus)
                except InputError as error:
                    problems += error.problems
                else:
                    problems += check_pair(corpus, self.masks[name, system], plan.settings.missing)
        if problems:
            raise InputError(problems)
        if self._systems:
            Bench(plan, self._systems, self._replacement, self._threshold, plan.settings.seen).check()

    def score(self, name: str, corpus: Corpus, original: Corpus | None = None) -> Run:
        """What all reach on a corpus; `original` says which documents belong together."""
        anonymizations = {
            **{system: self._anonymize(system, name, corpus) for system in self._systems},
            **{system: self.masks[name, system] for system in self._outputs},
            CONTROL: _mask_marks(corpus),
        }
        self.masks |= {(name, system): masks for system, masks in anonymizations.items()}
        grouped = corpus if original is None else _grouped(corpus, original)
        plan = build_plan(EvaluationCall(grouped, anonymizations, [*METRICS, BY_TYPE], **self._settings))
        with self._watched(f"scoring {name}") as progress:
            run = evaluate_plan(plan, progress=progress)
        if run.failures:
            raise ResourceError(f"{run.failures[0].metric} on {name}: {run.failures[0].reason}")
        return run

    def _anonymize(self, system: str, name: str, corpus: Corpus) -> Anonymization:
        with self._watched(f"{system}, {name}") as progress:
            return anonymize(
                corpus, self._systems[system], name=system, replacement=self._replacement, threshold=self._threshold,
                jobs=self._settings.get("jobs"), seen=bool(self._settings.get("seen")), progress=progress,
                cache=usual_cache(self._settings.get("cache", True)),
            )  # fmt: skip


def _mask_marks(corpus: Corpus) -> Anonymization:
    """A control that hides exactly what annotators marked: what it loses, the search of the release loses."""

    def masks(document: Document) -> list[Mask]:
        spans = {
            (mention.start, mention.end)
            for layer in document.annotations
            for mention in layer.mentions
            if mention.must_mask
        }
        return [Mask(*span) for span in sorted(spans)]

    return Anonymization({document.id: masks(document) for document in corpus}, CONTROL)


def _grouped(corpus: Corpus, original: Corpus) -> Corpus:
    """The perturbed corpus for scoring, its documents in the units of the original: their texts no longer show them."""
    labels = original.units.labels
    if not labels:
        return corpus
    documents = [msgspec.structs.replace(document, group=label) for document, label in zip(corpus, labels, strict=True)]
    return Corpus(documents, corpus.name)


def _count_changes(corpus: Corpus, perturbed: Corpus) -> tuple[int, int, int]:
    """Documents that are not as they were, the independent units that these are, and marks whose text is not."""
    labels = corpus.units.labels
    units: set[tuple[str, bool]] = set()
    documents = marks = 0
    for number, (before, after) in enumerate(zip(corpus, perturbed, strict=True)):
        if before.text == after.text:
            continue
        documents += 1
        units.add((labels[number], True) if labels and labels[number] else (before.id, False))
        marks += sum(old != new for old, new in zip(_marked(before), _marked(after), strict=True))
    return documents, len(units), marks


def _marked(document: Document) -> Iterator[str]:
    for layer in document.annotations:
        for mention in layer.mentions:
            yield document.text[mention.start : mention.end]


def _texts(run: Run) -> dict[str, str]:
    """The text forms of the metrics, by the names that they were asked for by: a language adds parameters."""
    return dict(zip((*METRICS, BY_TYPE), (record.text for record in run.metrics), strict=True))


def _control(base: Run, run: Run | None) -> dict[str, float | None]:
    """How far the control changes."""
    if run is None:
        return {}
    before, after = ({name: each[CONTROL, text].value for name, text in _texts(each).items()} for each in (base, run))
    pairs = {name: (before[name], after[name]) for name in METRICS}
    return {
        name: None if first is None or second is None else second - first for name, (first, second) in pairs.items()
    }


def _differences(
    base: Run, runs: Mapping[str, Run], names: Sequence[str], corpora: Sequence[PerturbedCorpus], shuffles: int
) -> Iterator[StressDifference]:
    """Every number before and after, system by system."""
    called = {(name, way): f"{name} after {way}" for name in names for way in runs}
    unseen = {entry.name: _unseen(entry.units, base.settings.confidence) for entry in corpora if entry.units}
    combined = _combined(base, runs, called)
    pairs = [(called[name, way], name) for name in names for way in runs]
    keys = {pair: (name, way) for pair, (name, way) in zip(pairs, called, strict=True)}
    tests: dict[tuple[str, str, str, str], Comparison] = {}
    for metric, text in _texts(base).items():
        record = base.record(text)
        parts = {part for name in names for part in base.parts(name, text) if not record.describes(part)}
        wanted = [HEADLINE] if metric != BY_TYPE else sorted(part for part in parts if ":" not in part)
        for test in combined.compare(text, parts=wanted, shuffles=shuffles, pairs=pairs):
            tests[(*keys[test.first, test.second], metric, test.part)] = test
    for (name, way, metric, part), test in sorted(tests.items(), key=lambda entry: names.index(entry[0][0])):
        text = _texts(base)[metric]
        scores = [each.parts(name, text).get(part) for each in (base, runs[way])]
        yield _difference((name, way, metric, part), _cautious(test, unseen[way]), *scores)


def _unseen(units: int, confidence: float) -> float:
    """The share of units that may differ although none of so many did (the upper end by Clopper and Pearson 1934)."""
    return float(1 - ((1 - confidence) / 2) ** (1 / units))


def _cautious(pair: Comparison, unseen: float) -> Comparison:
    """The comparison; where no unit differs, with what such documents may do all the same for its interval."""
    if pair.difference != 0 or pair.low != 0 or pair.high != 0:
        return pair
    return msgspec.structs.replace(pair, low=-unseen, high=unseen, note="no document differs")


def _difference(
    key: tuple[str, str, str, str], pair: Comparison, before: Score | None, after: Score | None
) -> StressDifference:
    name, way, metric, part = key
    original, perturbed = (None if score is None else score.value for score in (before, after))
    reasons = [score.reason for score in (before, after) if score is not None and score.value is None]
    note = pair.note or "; ".join(dict.fromkeys(reasons))
    return StressDifference(
        name,
        way,
        metric,
        part,
        original,
        perturbed,
        pair.difference,
        pair.low,
        pair.high,
        pair.p_holm,
        _state(pair),
        note,
    )


def _state(pair: Comparison) -> State:
    """What a difference shows: that nothing is shown does not say that nothing is lost."""
    if pair.difference is None or pair.low is None or pair.high is None:
        return "not shown" if pair.difference == 0 else "unknown"
    if pair.low <= 0 <= pair.high:
        return "not shown"
    if pair.p_holm is None or pair.p_holm > _ALPHA:
        return "unsure"
    return "loss" if pair.difference < 0 else "gain"


def _combined(base: Run, runs: Mapping[str, Run], called: Mapping[tuple[str, str], str]) -> Run:
    """One run of the original's documents, with each system as often as there are corpora."""
    names = dict.fromkeys(name for name, _ in called)
    inputs: list[Input] = [item for item in base.anonymizations if item.name in names]
    scores = [score for score in base.scores if score.anonymization in names]
    rows = {text: {name: of[name] for name in names} for text, of in base.rows.items()}
    for (name, way), label in called.items():
        run = runs[way]
        inputs += [msgspec.structs.replace(item, name=label) for item in run.anonymizations if item.name == name]
        scores += [
            msgspec.structs.replace(score, anonymization=label) for score in run.scores if score.anonymization == name
        ]
        for text in rows:
            rows[text][label] = run.rows[text][name]
    return msgspec.structs.replace(
        base, anonymizations=inputs, scores=scores, rows=rows, failures=[], references=[], evidence={}, texts=None,
        sweeps={},
    )  # fmt: skip


def _find_broken(
    base: Run, runs: Mapping[str, Run], names: Sequence[str], exposed: Callable[[str, str, str], list[str]]
) -> list[BrokenDocument]:
    """The documents of which most can be read in addition, each with the system and the perturbation that did it.

    `exposed` says what can be read: of a document, by system and perturbation.
    """
    worst: dict[int, tuple[int, int, str, str]] = {}
    for way, run in runs.items():
        for name in names:
            more = [_leaks(run, metric, name) - _leaks(base, metric, name) for metric in (_DIRECT, _QUASI)]
            for number in np.flatnonzero((more[0] > 0) | (more[1] > 0)).tolist():
                direct, quasi = int(more[0][number]), int(more[1][number])
                if (direct, quasi) > worst.get(number, (0, 0))[:2]:
                    worst[number] = direct, quasi, name, way
    ids = list(base.documents)
    first = sorted(worst, key=lambda number: (-worst[number][0], -worst[number][1], ids[number]))[:WORST]
    return [
        BrokenDocument(ids[number], name, way, max(direct, 0), max(quasi, 0), exposed(ids[number], name, way))
        for number in first
        for direct, quasi, name, way in [worst[number]]
    ]


def _leaks(run: Run, metric: str, name: str) -> Floats:
    """How many identifiers of each document can be read."""
    rows = run.rows_of(_texts(run)[metric], name)
    return np.asarray(rows.column("total") - rows.column("removed"))


def _exposed(before: Document, after: Document, masks: Sequence[Mask], later: Sequence[Mask]) -> list[str]:
    """Some of the marks that masks cover in the original, and no longer cover after a perturbation."""
    hidden, shown = ([*_covered(*pair)] for pair in ((before, masks), (after, later)))
    exposed = (text for text, was, covered in zip(_marked(after), hidden, shown, strict=True) if was and not covered)
    return list(dict.fromkeys(exposed))[:_STRINGS]


def _covered(document: Document, masks: Sequence[Mask]) -> Iterator[bool]:
    """Of every mark, whether masks cover all of its letters and digits."""
    covered = bytearray(len(document.text))
    for mask in masks:
        covered[mask.start : mask.end] = b"\1" * (mask.end - mask.start)
    for layer in document.annotations:
        for mention in layer.mentions:
            places = range(mention.start, mention.end)
            yield all(covered[at] or not document.text[at].isalnum() for at in places)


def _notes(base: Run, corpora: Sequence[PerturbedCorpus]) -> list[str]:
    notes = [note for note in base.notes if not note.startswith(CONTROL)]
    if base.unit_count < DOCUMENTS:
        few = f"{base.unit_count} independent document{'' if base.unit_count == 1 else 's'}"
        notes.append(f"too few documents to show small losses: {few}, and a gate passes with {DOCUMENTS} or more")
    for entry in corpora:
        if blind := [f"{metric} {value:+.3f}" for metric, value in entry.control.items() if (value or 0) >= _BLIND]:
            why = f"{', '.join(blind)} if exactly the marks are masked"
            notes.append(f"{entry.name}: the search finds less by itself ({why}), so losses may be larger than shown")
    if unchanged := [entry.name for entry in corpora if not entry.documents]:
        notes.append(f"changes nothing in this corpus, so nothing is known of it: {', '.join(unchanged)}")
    return notes
