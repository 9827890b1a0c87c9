"""What is to be evaluated and how, checked as a whole before any work starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import msgspec

from showthrough.core.errors import InputError, Problem, join_names, shorten
from showthrough.core.families import Inputs, families, input_types
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.offsets import offset_problems
from showthrough.data.pairing import pair
from showthrough.data.references import REFERENCES
from showthrough.data.retyping import retype_corpus, retyped_masks
from showthrough.data.slicing import ENTITY_FIELDS, NO_TABLE, NamesTable, Slicing, parse_slices, slicings_of
from showthrough.data.text_anonymizations import ReleasedTexts
from showthrough.evaluation.release_checks import Releases, check_releases, releases_of
from showthrough.evaluation.settings import Settings, settings_problems
from showthrough.metrics import METRICS, Metric, metric_name, metric_text
from showthrough.metrics.chunk import EntityGroups
from showthrough.run.gate.parsing import fault_of
from showthrough.run.provenance import metric_record
from showthrough.run.thresholds import Threshold

_NO_ANONYMIZATION = (
    "none was given; expected at least one: NAME=FILE, or --with SYSTEM; showthrough scan searches texts alone"
)


@dataclass(frozen=True)
class Plan:
    """What is to be evaluated and how; complete and checked before any work starts."""

    corpus: Corpus
    anonymizations: tuple[Anonymization, ...]
    metrics: tuple[Metric, ...]
    settings: Settings = field(default_factory=Settings)
    unavailable: Mapping[str, str] = field(default_factory=dict)  # asked for, but cannot be computed: name to reason
    texts: bool = True  # whether the run keeps documents, for a reader to look at
    inputs: Inputs = field(default_factory=dict)  # what families of metrics read, by name
    thresholds: tuple[Threshold, ...] = ()  # what numbers are asked to reach; none of them depends on it
    names: NamesTable = NO_TABLE  # what a table says of documents or people, for slices

    @cached_property
    def slicings(self) -> list[Slicing]:
        """The groups that documents are in, by field; raises InputError for fields that make none."""
        return slicings_of(self.corpus, parse_slices(self.settings.slices), self.names)

    @cached_property
    def entity_groups(self) -> tuple[EntityGroups, ...]:
        """The groups that entities are in, by the fields of entities that are asked for."""
        types = self.corpus.survey.types
        fields = (name for name in parse_slices(self.settings.slices) if name in ENTITY_FIELDS)
        return tuple(EntityGroups.of(name, types) for name in fields)

    @cached_property
    def releases(self) -> dict[str, Releases]:
        """Whose releases these are, by anonymization; of texts whose originals nobody has, nothing is known."""
        compared = [
            anonymization for anonymization in self.anonymizations if not isinstance(anonymization, ReleasedTexts)
        ]
        return dict.fromkeys((anonymization.name for anonymization in self.anonymizations), Releases()) | releases_of(
            self.corpus, compared
        )

    def retype(self, *, early: bool = False) -> Plan:
        """The same with what the settings say of types; raises InputError for types that occur nowhere.

        To be done once, before anything is scored: types that change places would change back. It is `early` where
        systems are still to be put to work, which may have other types: nothing is refused then.
        """
        if not self.settings.retyping:
            return self._as_inputs_say()
        types = replace(self.settings.retyping, corpus=self.corpus.survey.types)
        mask_types = {kind for anonymization in self.anonymizations for kind in anonymization.types}
        read = {
            metric: frozenset(kind for anonymization in self.anonymizations for kind in metric.types_in(anonymization))
            for metric in self.metrics
        }
        problems = types.problems(self.corpus, mask_types.union(*read.values()))
        if problems and not early:
            raise InputError(problems)
        metrics = {metric: metric.with_types(types, kinds) for metric, kinds in read.items()}
        texts = {metric_text(metric): metric_text(now) for metric, now in metrics.items()}
        return replace(
            self,
            corpus=retype_corpus(self.corpus, types),
            anonymizations=tuple(retyped_masks(anonymization, types) for anonymization in self.anonymizations),
            metrics=tuple(dict.fromkeys(metrics.values())),
            thresholds=tuple(
                msgspec.structs.replace(threshold, metric=texts.get(threshold.metric, threshold.metric))
                for threshold in self.thresholds
            ),
        )._as_inputs_say()

    def _as_inputs_say(self) -> Plan:
        """The same with what inputs of families say of types, in every signature."""
        corpus, pins = self.corpus, []
        for kind in input_types():
            if kind.name in self.inputs:
                corpus = kind.retype(self.inputs[kind.name], corpus)
                pins.append(kind.pin_types(self.inputs[kind.name]))
        return replace(self, corpus=corpus, settings=self.settings.pinning(filter(None, pins)))

    def check(self) -> None:
        """Raises InputError with all that is wrong."""
        problems = []
        names = [anonymization.name for anonymization in self.anonymizations]
        if not names:
            problems.append(Problem("", "anonymizations", _NO_ANONYMIZATION))
        if not self.metrics and not self.unavailable:
            problems.append(Problem("", "metrics", "none was given; expected at least one"))
        problems += name_problems(names)
        problems += _unwritable_names(self)
        problems += [*settings_problems(self.settings), *lacking_problems(self.metrics)]
        strangers = [type(metric).__name__ for metric in self.metrics if metric_name(metric) not in METRICS]
        absent = "is not in the table; expected showthrough.METRICS to hold it"
        problems += [Problem("", f"metric {name}", absent) for name in strangers]
        asking = [metric_text(metric) for metric in self.metrics if "gold" in metric.needs]
        if asking and not self.corpus.survey.annotated:
            which = f"the metric {asking[0]} needs" if len(asking) == 1 else f"these need: {', '.join(asking)}"
            remedy = "without a choice of metrics, what needs none is scored"
            problems.append(Problem(self.corpus.source, "", f"no document has annotations, which {which}; {remedy}"))
        records = list(map(metric_record, self.metrics)) if self.thresholds else []
        faults = {str(threshold): fault_of(threshold, records) for threshold in self.thresholds}
        problems += [Problem("", f"threshold {threshold}", fault) for threshold, fault in faults.items() if fault]
        problems += [problem for family in families() for problem in family.problems(self)]
        problems += self._slice_problems()
        if problems:
            raise InputError(problems)
        pair(self.corpus, self.anonymizations, self.settings.missing)
        if doubtful := offset_problems(self.corpus, self.anonymizations):
            raise InputError(doubtful)
        if self.settings.pairing == "check":
            check_releases(self.corpus, self.anonymizations, self.releases)
        pairs = [(metric, anonymization) for anonymization in self.anonymizations for metric in self.metrics]
        unfit = dict.fromkeys(
            why for metric, anonymization in pairs for why in metric.problems(self.corpus, anonymization)
        )
        unfit |= dict.fromkeys(problem for family in families() for problem in family.content_problems(self))
        if unfit:
            raise InputError(unfit)

    def _slice_problems(self) -> list[Problem]:
        """What keeps documents from being put into groups, and limits on groups that there are not."""
        try:
            groups = {slicing.field: slicing.groups for slicing in self.slicings}
            groups |= {cut.field: cut.groups for cut in self.entity_groups}
        except InputError as error:
            return list(error.problems)
        problems = []
        if self.entity_groups and not self.corpus.survey.marked:
            fault = "nothing is marked in any document, so there are no groups of entities"
            problems += [Problem("", f"slice {cut.field}", fault) for cut in self.entity_groups]
        for threshold in self.thresholds:
            if threshold.group and threshold.group not in groups.get(threshold.slice, ()):
                fault = (
                    f"found the group {shorten(threshold.group)}; expected one of {join_names(groups[threshold.slice])}"
                )
                problems.append(Problem("", f"threshold {threshold}", fault))
        return problems


def lacking_problems(metrics: Iterable[Metric]) -> list[Problem]:
    """What metrics need that is not on this machine: nobody shall wait for the others to hear of it."""
    return [
        Problem("", f"metric {metric_text(metric)}", metric.missing_resource)
        for metric in metrics
        if metric.missing_resource
    ]


def _unwritable_names(plan: Plan) -> list[Problem]:
    """Names of files that are no UTF-8: a run could not be written that says what it was made from."""
    names = [plan.corpus.name, plan.corpus.source]
    names += [text for anonymization in plan.anonymizations for text in (anonymization.name, anonymization.source)]
    items = [item for kind in input_types() for item in kind.items(plan.inputs.get(kind.name))]
    names += [text for item in items for text in (item.name, str(getattr(item, "source", "") or ""))]
    return [
        Problem("", text, "is not UTF-8; expected names and paths in UTF-8")
        for text in dict.fromkeys(names)
        if any("\ud800" <= letter <= "\udfff" for letter in text)
    ]


def name_problems(names: Sequence[str]) -> list[Problem]:
    """Names that two rows of a table would have, or a row and a reference, or that nobody could read."""
    faults = {
        "this name is empty; expected one": [name for name in names if not name.strip()],
        "this name is used twice; expected unique names": sorted({name for name in names if names.count(name) > 1}),
        "this name is reserved for the reference row; expected another name": [
            name for name in names if name in REFERENCES
        ],
    }
    return [Problem("", f"anonymization {shorten(name)}", why) for why, bad in faults.items() for name in bad]
