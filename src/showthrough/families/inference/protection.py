"""How much of what is true of people an attacker does not infer: of all attributes together, and person by person."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, ResourceError, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.data.subjects import CERTAIN
from showthrough.families.inference._people import InferenceSetup, InferenceTally
from showthrough.families.inference._spec import ANSWERS, READER, RULES, TRUTH, attacker_fault, judge_fault
from showthrough.families.inference.controls import (
    CONTROL,
    CONTROLS,
    RISK,
    SUCCESS,
    Units,
    as_good,
    risk,
    risk_interval,
)
from showthrough.families.inference.family import (
    ABOUT,
    ASKED,
    BARE,
    INFERRED,
    TAG,
    UNANSWERED,
    UNJUDGED,
    column_of,
    stratum_of,
)
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.rows import Rows, Totals

FLOOR = (
    f"the attacker {READER} finds only what can simply be read off. An attacker who knows more or thinks further may "
    f"infer more: then less is protected than these numbers say"
)
_FORMATS = "the formats spia and profiles have them, and tab where mentions say their subject"


@dataclass(frozen=True)
class _Protection(Metric):
    """What both rates share: who is asked, and the parts."""

    version = 2
    group = "privacy"
    needs = frozenset({"subjects"})
    scope = "corpus"
    neutral = (SUCCESS, CONTROL, RISK, BARE)  # success has the other direction, and the controls are the attacker's own
    tells = "what this attacker infers about people"
    roles = ("inference",)
    undefined = "no attribute that counts has an answer"
    _name: ClassVar[str]

    attacker: str = parameter(READER, "who reads and infers: reader, answers:FILE or llm:MODEL[@URL]")
    judge: str = parameter(
        RULES, "who says whether a guess is right: rules, or after them answers:FILE or llm:MODEL[@URL]"
    )
    certainty: int = parameter(3, "least certainty of the attributes that count, from 1 to 5")
    seed: int = parameter(0, "seed that draws which document serves as the control for which")

    def __post_init__(self) -> None:
        for name, fault in (("attacker", attacker_fault(self.attacker)), ("judge", judge_fault(self.judge))):
            if fault:
                raise PlanError(f"{name}: {fault}", type(self).__name__)
        if not 1 <= self.certainty <= CERTAIN:
            fault = f"certainty={quote_value(self.certainty)} is out of range; expected 1 to {CERTAIN}"
            raise PlanError(fault, type(self).__name__)
        if self.seed < 0:
            raise PlanError(f"seed={quote_value(self.seed)} is negative; expected 0 or more", type(self).__name__)

    @property
    def asks(self) -> tuple[str, ...]:
        return (self.attacker, self.judge)

    def shows(self, name: str) -> tuple[str, ...]:
        return (TRUTH,) * (name == self.judge)

    @property
    def attackers(self) -> tuple[str, ...]:
        return (self.attacker,)

    @property
    def _asking(self) -> InferenceSetup:
        return InferenceSetup(self.attacker, self.judge, self.certainty, self.seed)

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if not corpus.survey.subjects:
            fault = (
                f"no document says whom it is about, which the metric {self._name} needs; expected people: {_FORMATS}"
            )
            return [Problem(corpus.source, "", fault)]
        if self.judge.startswith(ANSWERS) and any(len(document.subjects) > 1 for document in corpus):
            fault = "recorded verdicts do not say which person of a document they are about"
            return [Problem("", f"metric {self._name}", f"{fault}; expected {RULES} or llm:MODEL as the judge")]
        return []

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        def rows(anonymized: Anonymized) -> Rows:
            tally = self._asking.tally(anonymized)
            if anonymized.name in REFERENCES and (tally.common[UNANSWERED] == tally.common[ABOUT]).all():
                raise ResourceError("nobody knows what this attacker would answer")
            return replace(Rows.named({**self._columns(tally), **tally.common}), evidence=tally.evidence)

        return rows

    @abstractmethod
    def _columns(self, tally: InferenceTally) -> Mapping[str, Floats]: ...

    def combine(self, totals: Totals) -> dict[str, Floats]:
        strata = {column: stratum for column in totals if (stratum := stratum_of(column)) is not None}
        shares = {part: ratio(totals[column_of(INFERRED, part)], totals[column]) for column, part in strata.items()}
        success, controls = shares.pop(""), {name: shares.pop(f"{CONTROL}:{name}", None) for name in CONTROLS}
        parts = {HEADLINE: 1 - success}
        parts |= {part: 1 - shares[part] for part in sorted(shares, key=_in_order)}
        parts[SUCCESS] = success
        parts |= {f"{CONTROL}:{name}": share for name, share in controls.items() if share is not None}
        parts |= {f"{RISK}:{name}": risk(success, share) for name, share in controls.items() if share is not None}
        return parts

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        measure, _, control = part.partition(":")
        if measure != RISK:
            return None
        return risk_interval(*_against(units, control), confidence)

    def why_undefined(self, part: str, totals: Totals) -> str:
        measure, _, control = part.partition(":")
        if measure not in (CONTROL, RISK) or not totals[ASKED]:
            return self.undefined
        if not totals[column_of(ASKED, part.replace(RISK, CONTROL, 1))]:
            return f"nobody answered {CONTROLS[control]}"
        return f"everything is inferred {CONTROLS[control]}: nothing is left that these texts could tell"

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        ours = {name: rows for name, rows in tables.items() if name not in REFERENCES}
        floor = [FLOOR] * (self.attacker == READER)
        return [*floor, *(line for name, rows in ours.items() for line in self._of_rows(name, rows))]

    def _of_rows(self, name: str, rows: Rows) -> Iterator[str]:
        totals = {column: float(total) for column, total in rows.totals().items()}
        if missing := int(totals[UNANSWERED]):
            yield (
                f"{shorten(name)}: {missing} of {int(totals[ABOUT])} documents about people have no answer of "
                f"{shorten(self.attacker)}: these count nowhere in {self._name}"
            )
        if missing := int(totals[UNJUDGED]):
            yield (
                f"{shorten(name)}: {missing} attributes count nowhere in {self._name}: "
                f"{shorten(self.judge)} did not say whether their guesses are right"
            )
        for control in [candidate for candidate in CONTROLS if column_of(ASKED, f"{CONTROL}:{candidate}") in totals]:
            if remark := as_good(*_against(rows, control), control):
                yield f"{shorten(name)}, {self._name}: {remark}"


def _against(units: Rows, control: str) -> tuple[Units, Units]:
    """By unit what the attack inferred, of how much, and the same of a control."""
    sides = ("", f"{CONTROL}:{control}")
    attack, other = ([units.column(column_of(statistic, of)) for statistic in (INFERRED, ASKED)] for of in sides)
    return (attack[0], attack[1]), (other[0], other[1])


def _in_order(part: str) -> tuple[int, str]:
    """Tags, then how certain, then how hard."""
    return (TAG, "certainty", "hardness").index(part.partition(":")[0]), part


@dataclass(frozen=True)
class CollectiveProtection(_Protection):
    """Share of people's attributes that an attacker does not infer from the release, each attribute weighted alike.

    SPIA (ACL 2026): every person in a document has attributes, each with a tag and a value. The attacker answers with
    people and attributes. Answered people are matched one to one with the true ones. For each tag the best agreement
    between a true and an answered value counts: 1, 0.5 for a right but less precise answer, or 0. The attacker `reader`
    finds only what the text says openly. That is a floor for what leaks: against a better attacker less is protected.
    Parts are the same by `tag`, `certainty` and `hardness`; `success`, the share inferred; `control`, the same without
    the text or with another document's; and `risk`, the risk above that control, (r − c) / (1 − c).

    CPR = 1 − Σ agreement / Σ attributes
    """

    _name = "cpr"

    @property
    def title(self) -> str:
        return "Attributes of people not read off" if self.attacker == READER else "Attributes of people not inferred"

    def _columns(self, tally: InferenceTally) -> Mapping[str, Floats]:
        return tally.by_attribute


@dataclass(frozen=True)
class IndividualProtection(_Protection):
    """Share of a person's attributes that an attacker does not infer from the release, averaged over people.

    SPIA (ACL 2026), as `cpr`, but every person counts the same, however much is known of them. The attacker `reader`
    finds only what the text says openly. That is a floor for what leaks: against a better attacker less is protected.
    Parts are those of `cpr`, counted by people, and `bare`: the share of people of whom everything was inferred.

    IPR = mean over people of 1 − Σ agreement / Σ attributes
    """

    _name = "ipr"

    @property
    def title(self) -> str:
        return "Of each person, not read off" if self.attacker == READER else "Of each person, not inferred"

    def _columns(self, tally: InferenceTally) -> Mapping[str, Floats]:
        return tally.by_person

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {**super().combine(totals), BARE: ratio(totals[BARE], totals[ASKED])}
