"""What an analysis of agreement says, in full precision."""

from __future__ import annotations

from typing import Literal

import msgspec

from showthrough.run.records import Ceiling

Attribute = Literal["type", "identifier", "confidential", "masking"]
Unit = Literal["characters", "spans", "starts"]

ATTRIBUTES: tuple[Attribute, ...] = ("type", "identifier", "confidential", "masking")
UNITS: tuple[Unit, ...] = ("spans", "starts", "characters")


class Estimate(msgspec.Struct, frozen=True):
    """A number with its interval over documents, or none and why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""  # why there is no value
    note: str = ""  # why there is no interval


class AgreementMeasure(msgspec.Struct, frozen=True):
    """How far all annotators agree on one attribute, seen in one kind of unit."""

    attribute: Attribute
    unit: Unit
    items: float  # characters, or spans that at least one of them marked
    observed: Estimate
    fleiss: Estimate
    krippendorff: Estimate


class PairAgreement(msgspec.Struct, frozen=True):
    """The same for two of them."""

    attribute: Attribute
    unit: Unit
    items: float
    observed: Estimate
    cohen: Estimate


class Pair(msgspec.Struct, frozen=True):
    """Two annotators and the documents that both read."""

    first: str
    second: str
    documents: int
    measured: tuple[PairAgreement, ...] = ()


class ConfusionEntry(msgspec.Struct, frozen=True):
    """How often one annotator said one type where another said the other; None: marked nothing."""

    first: str | None
    second: str | None
    count: float  # pairs of annotators, each once for every item


class Confusion(msgspec.Struct, frozen=True):
    """Which types annotators take for which, all pairs of annotators together."""

    unit: Unit
    meetings: tuple[ConfusionEntry, ...]


class Decisions(msgspec.Struct, frozen=True):
    """What pairs of annotators decided on the spans of one type that at least one of the two marked.

    `no_mask`: the other marked the same span and said that it need not be masked. `unmarked`: the other did not mark
    that span. `other_borders`: one of the two did not mark that span, but something that overlaps it.
    """

    entity_type: str
    compared: int = 0
    direct_quasi: int = 0
    direct_no_mask: int = 0
    direct_unmarked: int = 0
    quasi_no_mask: int = 0
    quasi_unmarked: int = 0
    other_borders: int = 0

    @property
    def differing(self) -> int:
        """Pairs that decide differently; no mask and unmarked are one decision."""
        return self.direct_quasi + self.direct_none + self.quasi_none

    @property
    def direct_none(self) -> int:
        return self.direct_no_mask + self.direct_unmarked

    @property
    def quasi_none(self) -> int:
        return self.quasi_no_mask + self.quasi_unmarked

    @property
    def unmarked(self) -> int:
        """Of those that differ, where the other did not mark the span."""
        return self.direct_unmarked + self.quasi_unmarked


class DisputedString(msgspec.Struct, frozen=True):
    """A string on which annotators decide differently, and the first place of it. It is text of the document."""

    document: str
    start: int
    before: str
    here: str
    after: str
    said: dict[str, int]  # how many annotators said what of this place: direct, quasi, no mask, unmarked, other borders
    differing: int  # pairs of annotators that decide differently, at all its places
    places: int  # how many there are


class Agreement(msgspec.Struct, frozen=True):
    """How far the annotators of a corpus agree, on the documents that two or more of them read."""

    corpus: str
    documents: int
    shared: int  # documents that two or more people read
    readers: int  # people who read one of these
    annotators: dict[str, int]  # people, and how many documents each read
    programs: tuple[str, ...] = ()  # annotators that are programs: left out
    reason: str = ""  # why there is nothing to say
    measured: tuple[AgreementMeasure, ...] = ()
    pairs: tuple[Pair, ...] = ()  # those that share most documents first
    other_pairs: int = 0  # that share fewer, and are not measured one by one
    confusions: tuple[Confusion, ...] = ()
    decisions: tuple[Decisions, ...] = ()  # of each pair of annotators
    disputes: tuple[Decisions, ...] = ()  # of all annotators of a span at once: the strongest and the weakest decision
    long_spans: int = 0  # spans of more than 100 characters that somebody marked
    long_spans_shared: int = 0  # of these, those that two or more marked
    people: Ceiling | None = None  # annotators as systems, each against the others
    places: tuple[DisputedString, ...] = ()
    places_forgotten: bool = False  # whether there were too many strings to remember all on the way
    resamples: int = 0
    seed: int = 0
    confidence: float = 0.95

    def without_text(self) -> Agreement:
        """The same without a word of any document."""
        return msgspec.structs.replace(self, places=())

    def of(self, attribute: Attribute, unit: Unit) -> AgreementMeasure:
        """One line of the table."""
        return next(row for row in self.measured if (row.attribute, row.unit) == (attribute, unit))
