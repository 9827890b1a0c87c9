"""What changed between two runs of one corpus, by anonymization and by document; and which identifiers it is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.documents import Document
from showthrough.metrics import HEADLINE, Role
from showthrough.run.documents import RunTexts
from showthrough.run.pairing import RunPair
from showthrough.run.records import MetricRecord
from showthrough.run.roles import RESIDUAL, choose_metric, count_by_kind, goes_first, wrongs
from showthrough.run.run import Run
from showthrough.studies.cases import Context, context_of
from showthrough.studies.failures import PARTLY, Inspection

Identifier = Literal["DIRECT", "QUASI"]
_LEVELS: Mapping[Identifier, int] = {"DIRECT": 2, "QUASI": 1}
_ROLES: Mapping[Identifier, Role] = {"DIRECT": "direct identifiers", "QUASI": "quasi-identifiers"}
_EVEN = 1e-9  # what rounding makes of a difference


@dataclass(frozen=True)
class ChangedIdentifier:
    """An identifier that can be read in one release and not in the other, where it stands in the original."""

    identifier: Identifier
    entity_type: str
    document: Document
    start: int
    end: int
    how: str = ""  # it can be read, where that is not at the marked place

    @property
    def context(self) -> Context:
        return context_of(self.document.text, self.start, self.end)


@dataclass(frozen=True, eq=False)
class DocumentCount:
    """What is counted in each document: how much of it there is now, and was. Less is better."""

    metric: MetricRecord
    role: str  # what it is counted as
    now: Floats
    before: Floats

    @property
    def more(self) -> Floats:
        return self.now - self.before


@dataclass(frozen=True)
class IdentifierChanges:
    """Identifiers that can be read now and could not before, and the other way round."""

    new: Sequence[ChangedIdentifier]
    gone: Sequence[ChangedIdentifier]
    counts: Mapping[tuple[str, Identifier], tuple[int, int]]  # new and gone, for each annotator, by document
    documents: Collection[str]  # that both runs keep; of the others nobody can tell


@dataclass(frozen=True)
class SystemChanges:
    """One anonymization beside one of the earlier run."""

    name: str
    earlier: str
    identical: bool
    documents: Sequence[str]
    counts: Sequence[DocumentCount]  # the gravest first
    identifiers: IdentifierChanges | None  # `None` where one of the runs does not keep what tells

    @property
    def changed(self) -> list[int]:
        """Places of the documents in which a count changed: those that got worse most first, the better ones last."""
        if not self.counts:
            return []
        more = np.array([counted.more for counted in self.counts])
        changed = np.any(np.abs(more) > _EVEN, axis=0)
        if self.identifiers is not None:
            moved = {document for document, _ in self.identifiers.counts}
            changed |= np.array([document in moved for document in self.documents], dtype=bool)
        places = [int(index) for index in np.flatnonzero(changed)]
        return sorted(places, key=lambda index: (*(-more[:, index]).tolist(), self.documents[index]))

    def trend(self, counted: DocumentCount) -> tuple[int, int]:
        """In how many documents there is more of something than before, and in how many less."""
        return int((counted.more > _EVEN).sum()), int((counted.more < -_EVEN).sum())


class RunChanges:
    """Two runs of one corpus, looked at document by document."""

    def __init__(self, pair: RunPair) -> None:
        self.pair = pair
        joined = pair.combined_run
        kinds: tuple[Role, ...] = ("direct identifiers", "quasi-identifiers")
        records = [(role, choose_metric(joined, role)) for role in kinds]
        if not any(record for _, record in records):
            records = [(RESIDUAL, choose_metric(joined, RESIDUAL))]
        records.append(("attack", choose_metric(joined, "attack")))
        self._records = [(role, record) for role, record in records if record is not None]
        self._kept = _common_documents(pair)

    @property
    def kept(self) -> int:
        """How many documents both runs keep with their text; 0 where one keeps none."""
        return len(self._kept[0].texts.documents) if self._kept else 0

    def between(self, name: str, earlier: str) -> SystemChanges:
        counts = [
            DocumentCount(record, role, *(self._count(record, role, which) for which in self._called(name, earlier)))
            for role, record in self._records
        ]
        identical = self.pair.identical(name, earlier)
        identifiers = self._identifiers(name, earlier) if self._kept else None
        return SystemChanges(name, earlier, identical, self.pair.combined_run.documents, counts, identifiers)

    def _called(self, name: str, earlier: str) -> tuple[str, str]:
        return name, self.pair.called[earlier]

    def _count(self, record: MetricRecord, role: str, which: str) -> Floats:
        """What a metric counts as wrong in each document; of an attack, whether it finds the person."""
        joined = self.pair.combined_run
        if role != "attack":
            return np.asarray(wrongs(joined, record, which), dtype=np.float64)
        if record.counts:
            return np.asarray(count_by_kind(joined, record, which, "wrong"), dtype=np.float64)
        if joined.incomparable(record.text):
            return np.zeros(len(joined.documents))
        contest = joined.contest(record.text)
        rows = joined.rows_of(record.text, which)
        columns = {column: np.asarray(rows.column(column), dtype=np.float64) for column in rows.columns}
        values = contest.metric.combine(columns)
        # Of several attacks the number is that of the strongest: people whom others find besides are not in it.
        score = joined.parts(which, record.text).get(HEADLINE)
        arrays = {part: np.nan_to_num(np.asarray(each, dtype=np.float64)) for part, each in values.items()}
        same = (
            part for part, each in arrays.items()
            if part and score and score.value is not None and abs(each.mean() - score.value) < _EVEN
        )  # fmt: skip
        return arrays[next(same, HEADLINE)]

    def _identifiers(self, name: str, earlier: str) -> IdentifierChanges:
        sides = [self._readable(*side) for side in zip(self._kept, self._sides, (name, earlier), strict=True)]
        (now, shown_now, how_now), (before, shown_before, how_before) = sides
        counts: dict[tuple[str, Identifier], tuple[int, int]] = {}
        gold, documents = self._kept[0].gold, self._kept[0].texts.documents
        for identifier, level in _LEVELS.items():
            of_level = gold.entity_level == level
            new, gone = (
                np.bincount(gold.entity_document[chosen & of_level], minlength=len(documents))
                for chosen in (now & ~before, before & ~now)
            )
            for number in np.flatnonzero(new + gone).tolist():
                counts[documents[number].id, identifier] = int(new[number]), int(gone[number])
        return IdentifierChanges(
            self._located(now & ~before, shown_now, how_now),
            self._located(before & ~now, shown_before, how_before),
            counts,
            self._numbers,
        )

    @property
    def _sides(self) -> tuple[Run, Run]:
        return self.pair.run, self.pair.other

    def _readable(self, inspection: Inspection, run: Run, name: str) -> tuple[Bools, Ints, dict[int, str]]:
        """Which entities can be read in a release, by which mention, and of those that are elsewhere, how."""
        gold = inspection.gold
        leaking = np.flatnonzero((inspection.states(inspection.coverage(name)) <= PARTLY) & (gold.level > 0))
        readable = np.zeros(len(gold.entity_level), dtype=bool)
        _, shown = np.unique(gold.entity, return_index=True)
        entities, first = np.unique(gold.entity[leaking], return_index=True)
        readable[entities], shown[entities] = True, leaking[first]
        how: dict[int, str] = {}
        for entity, way in self._elsewhere(inspection, run, name):
            if not readable[entity]:
                how.setdefault(entity, way)
        readable[list(how)] = True
        return readable, shown, how

    def _elsewhere(self, inspection: Inspection, run: Run, name: str) -> Iterator[tuple[int, str]]:
        """Entities that the evidence of a run finds in other places of the release than marked, and how."""
        numbers, bounds = self._numbers, inspection.axis.bounds
        for identifier, level in _LEVELS.items():
            record = choose_metric(self.pair.combined_run, _ROLES[identifier])
            if record is None or not goes_first(record):
                continue
            for document, evidence in run.evidence.get(record.text, {}).get(name, {}).items():
                if document not in numbers:
                    continue
                base = int(bounds[numbers[document]])
                for location in evidence.places:
                    named = [self._marked.get((base + start, base + end), set()) for start, end in location.marked]
                    for entity in sorted(set.intersection(*named)) if location.how and named else ():
                        if inspection.gold.entity_level[entity] == level:
                            yield entity, location.how

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {document.id: number for number, document in enumerate(self._kept[0].texts.documents)}

    @cached_property
    def _marked(self) -> dict[tuple[int, int], set[int]]:
        """The entities of each span that somebody marked."""
        gold = self._kept[0].gold
        marked: dict[tuple[int, int], set[int]] = {}
        for start, end, entity in zip(gold.start.tolist(), gold.end.tolist(), gold.entity.tolist(), strict=True):
            marked.setdefault((start, end), set()).add(entity)
        return marked

    def _located(self, chosen: Bools, shown: Ints, how: Mapping[int, str]) -> list[ChangedIdentifier]:
        """Each once, though several annotators marked it: direct ones first, then by document and place."""
        inspection = self._kept[0]
        gold, documents = inspection.gold, inspection.texts.documents
        entities = np.flatnonzero(chosen & (gold.entity_level > 0))
        places = inspection.locate(gold.start[shown[entities]], gold.end[shown[entities]])
        located: dict[tuple[int, int, int, int], ChangedIdentifier] = {}
        for entity, location in zip(entities.tolist(), places, strict=True):
            level = int(gold.entity_level[entity])
            identifier: Identifier = "DIRECT" if level == _LEVELS["DIRECT"] else "QUASI"
            changed_identifier = ChangedIdentifier(
                identifier,
                gold.types[gold.entity_type[entity]],
                documents[location.document],
                location.start,
                location.end,
                how.get(entity, ""),
            )
            located.setdefault((-level, *location), changed_identifier)
        return [located[key] for key in sorted(located)]


def _common_documents(pair: RunPair) -> tuple[Inspection, ...]:
    """The documents that both runs keep, in one order, laid out for either; empty where there are none."""
    texts = pair.run.texts, pair.other.texts
    if texts[0] is None or texts[1] is None:
        return ()
    shared = {document.id for document in texts[0].documents} & {document.id for document in texts[1].documents}
    if not shared:
        return ()
    order = [document.id for document in texts[0].documents if document.id in shared]
    return tuple(Inspection(_only(side, order)) for side in texts if side is not None)


def _only(texts: RunTexts, order: Iterable[str]) -> RunTexts:
    """Some of the documents that a run keeps, in another order."""
    numbers = {document.id: number for number, document in enumerate(texts.documents)}
    places = [numbers[document] for document in order]
    return replace(
        texts,
        documents=[texts.documents[index] for index in places],
        masks={name: [masks[index] for index in places] for name, masks in texts.masks.items()},
        free=[texts.free[index] for index in places],
    )
