"""What a run holds of groups of documents: the numbers of each group, and how far each differs from the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from showthrough.core.errors import shorten
from showthrough.data.slicing import MISSING
from showthrough.statistics import LEAST_UNITS

Kind = Literal["values", "lists", "numbers", "years", "types", "identifiers"]
_OF_ENTITIES = ("types", "identifiers")


class SliceGroup(msgspec.Struct, frozen=True):
    """One group of a slice."""

    name: Annotated[str, "what the documents of the group have in common"]
    documents: Annotated[int, "documents in it"]
    units: Annotated[int, "independent documents in it"]


class GroupScore(msgspec.Struct, frozen=True):
    """One number of one group, or `None` with a reason; and its difference from the rest."""

    anonymization: Annotated[str, "whose number it is"]
    metric: Annotated[str, "the text form of the metric"]
    group: Annotated[str, "the name of the group"]
    value: Annotated[float | None, "the number; null where it is undefined"]
    low: Annotated[float | None, "the lower end of its interval"]
    high: Annotated[float | None, "the upper end of its interval"]
    units: Annotated[int, "independent documents of the group that count for the number"]
    reason: Annotated[str, "why there is no value"] = ""
    note: Annotated[str, "why there is no interval although there is a value"] = ""
    even: Annotated[float | None, "as many documents that weigh alike as carry the number; null: not known"] = None
    difference: Annotated[float | None, "the number less that of the rest; null where one is undefined"] = None
    difference_low: Annotated[float | None, "the lower end of the difference's interval"] = None
    difference_high: Annotated[float | None, "the upper end of the difference's interval"] = None
    p: Annotated[float | None, "how likely chance alone makes such a difference"] = None
    p_holm: Annotated[float | None, "the same, corrected for all groups of the slice"] = None
    untested: Annotated[str, "why there is no p"] = ""

    @property
    def is_small(self) -> bool:
        """Whether the group is too small to tell anything."""
        return self.units < LEAST_UNITS


class Slice(msgspec.Struct, frozen=True):
    """The groups of one field, and the main number of every metric in each."""

    field: Annotated[str, "the field, as it was asked for"]
    kind: Annotated[Kind, "what groups are: values, entries of lists, ranges of numbers, years, types, identifiers"]
    groups: Annotated[list[SliceGroup], "all groups, in their order"]
    scores: Annotated[list[GroupScore], "every number"]
    left_out: Annotated[dict[str, str], "metrics that have no numbers here, and why"] = {}

    @property
    def of_entities(self) -> bool:
        """Whether groups are of entities, and not of documents."""
        return self.kind in _OF_ENTITIES

    def of(self, anonymization: str, metric: str) -> list[GroupScore]:
        """The numbers of all groups, in the order of the groups."""
        return [score for score in self.scores if (score.anonymization, score.metric) == (anonymization, metric)]

    def unnamed(self) -> Slice:
        """The same with numbers for the names of groups: what files say of documents may tell who they are about."""
        if self.of_entities:
            return self
        names = self.new_names
        return msgspec.structs.replace(
            self,
            groups=[msgspec.structs.replace(group, name=names[group.name]) for group in self.groups],
            scores=[msgspec.structs.replace(score, group=names[score.group]) for score in self.scores],
        )

    @property
    def new_names(self) -> dict[str, str]:
        """What groups are called where nobody may know their names."""
        if self.of_entities:
            return {group.name: group.name for group in self.groups}
        return {
            group.name: MISSING if group.name == MISSING else f"group {number}"
            for number, group in enumerate(self.groups, 1)
        }

    def rename_metrics(self, rename: Callable[[str], str]) -> Slice:
        """The same with other names of the metrics."""
        return msgspec.structs.replace(
            self,
            scores=[msgspec.structs.replace(score, metric=rename(score.metric)) for score in self.scores],
            left_out={rename(text): reason for text, reason in self.left_out.items()},
        )


def entity_slices(slices: Mapping[str, Slice]) -> list[Slice]:
    """Those whose groups are of entities, which rows have columns of."""
    return [cut for cut in slices.values() if cut.of_entities]


def worst_group(scores: Sequence[GroupScore], better: str, *, small: bool = False) -> GroupScore | None:
    """The group with the worst number, of those that are large enough to tell; with `small`, of all."""
    defined = [score for score in scores if score.value is not None and (small or not score.is_small)]
    sign = 1 if better == "higher" else -1
    return min(defined, key=lambda score: (sign * (score.value or 0.0), sign * _end(score, better)), default=None)


def _end(score: GroupScore, better: str) -> float:
    """The end of its interval that counts against it: of equal groups the less sure one is worse."""
    end = score.low if better == "higher" else score.high
    return (score.value or 0.0) if end is None else end


def largest_difference(scores: Sequence[GroupScore]) -> GroupScore | None:
    """The group that differs from the rest most surely, of those that were tested; of equal ones by most."""
    with_p = [score for score in scores if score.p_holm is not None]
    return min(with_p, key=lambda score: (score.p_holm or 0.0, -abs(score.difference or 0.0)), default=None)


def slice_fault(slices: Mapping[str, Slice], field: str, group: str, metric: str) -> str:
    """Why a limit on a group cannot be asked of a run; empty where it can."""
    cut = slices.get(field)
    if cut is None:
        there = f"there are {', '.join(map(shorten, slices))}" if slices else "the run has none"
        return f"no slice {shorten(field)}; {there}; evaluate with --slice {shorten(field)}"
    names = [each.name for each in cut.groups]
    if group and group not in names:
        listed = ", ".join(map(shorten, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
        return f"the slice {shorten(field)} has no group {shorten(group)}; there are {listed}"
    return cut.left_out.get(metric, "")
