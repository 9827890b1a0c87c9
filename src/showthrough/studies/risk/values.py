"""What the annex says, in full precision. It has tags, types and counts, and no value of anybody's attribute."""

from __future__ import annotations

import msgspec

from showthrough.studies.agreement.values import Estimate

THRESHOLD = 0.09


class Figure(msgspec.Struct, frozen=True):
    """A number of the run, as the run has it."""

    anonymization: str
    metric: str  # its text form
    part: str
    estimate: Estimate
    signature: str


class RiskSection(msgspec.Struct, frozen=True):
    """Numbers of the run about one risk; where there are none, why, what it takes, and a command if one will do."""

    figures: tuple[Figure, ...] = ()
    reason: str = ""
    command: str = ""


class SinglingOut(msgspec.Struct, frozen=True):
    """How many of a population are like the people of the documents, by what was inferred of them (k)."""

    anonymization: str
    metric: str  # whose attacker inferred it
    signature: str
    people: int
    narrowed: int  # people of whom something was inferred that narrows the population down
    expected: Estimate  # the mean of 1/k; 1 where nobody of the population is like them
    unique: Estimate  # the share of people with k = 1
    absent: Estimate  # with k = 0: nobody of the population is like them
    above: Estimate  # with 1/k above the threshold
    named: Estimate  # of whom a name, number or address was inferred that the population does not have
    found: Estimate  # who are named, or whose 1/k is above the threshold
    used: dict[str, int] = {}  # people of whom an attribute was inferred and used, by tag
    lacking: dict[str, int] = {}  # inferred, but the population has no such column
    vague: dict[str, int] = {}  # inferred too roughly to narrow anybody down
    strange: dict[str, int] = {}  # inferred, but the column has no such value
    remarks: tuple[str, ...] = ()


class SinglingSection(msgspec.Struct, frozen=True):
    """Singling out, by anonymization and attacker; where nothing could be said, why, and what it takes."""

    figures: tuple[SinglingOut, ...] = ()
    reason: str = ""


class IdentifierRecall(msgspec.Struct, frozen=True):
    """How much of one kind of identifier an anonymization hides."""

    anonymization: str
    recall: Estimate
    missed: Estimate  # 1 − recall; its upper end is what may still leak
    signature: str


class SafeHarborIdentifier(msgspec.Struct, frozen=True):
    """One of the eighteen kinds of 45 CFR 164.514(b)(2)(i)."""

    letter: str
    name: str
    types: tuple[str, ...]  # of the corpus
    documents: int  # with one
    hidden: tuple[IdentifierRecall, ...]
    reason: str = ""  # why it was not measured
    nothing_masked: float | None = None  # the recall of doing nothing, by the same count; None: it was not scored


class SafeHarbor(msgspec.Struct, frozen=True):
    """All eighteen, and the types that are none of them; where nobody counted mentions by type, why, and a command."""

    metric: str = ""
    identifiers: tuple[SafeHarborIdentifier, ...] = ()
    unlisted: tuple[str, ...] = ()  # types that no paragraph names
    unknown: tuple[str, ...] = ()  # types that nobody knows
    reason: str = ""
    command: str = ""


class PopulationRecord(msgspec.Struct, frozen=True):
    """The population as it was given."""

    name: str
    digest: str
    source: str
    people: int
    rows: int
    columns: tuple[str, ...]
    uncertain: int  # people with an empty cell, who may be anybody
    notes: tuple[str, ...] = ()


class RiskAnnex(msgspec.Struct, frozen=True):
    """Evidence for a decision about a release, out of one run. It decides nothing."""

    corpus: str
    documents: int
    sample: str  # what intervals are over, in words
    anonymizations: tuple[str, ...]
    confidence: float
    singling_out: SinglingSection
    linkability: RiskSection
    inference: RiskSection
    authorship: RiskSection
    safe_harbor: SafeHarbor
    population: PopulationRecord | None = None
    threshold: float = THRESHOLD
    notes: tuple[str, ...] = ()

    @property
    def sections(self) -> dict[str, SinglingSection | RiskSection | SafeHarbor]:
        """What it is about, as people call it."""
        return {
            "singling out": self.singling_out,
            "linkability": self.linkability,
            "inference": self.inference,
            "authorship": self.authorship,
            "Safe Harbor identifiers": self.safe_harbor,
        }
