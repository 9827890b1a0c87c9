"""Privacy of authors: what can be told of somebody from what they wrote, however their names are masked?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, ResourceError, quote_value, shorten
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.data.subjects import CERTAIN
from showthrough.families.inference._authors import (
    TOP,
    AttributeScores,
    AuthorAttribute,
    author_of,
    collect_attributes,
    guesses_of,
    score_answers,
    sums,
)
from showthrough.families.inference._findings import InferenceFinding
from showthrough.families.inference._judges import expect_pairs, has_verdicts, verdict_problems
from showthrough.families.inference._people import evidence_of
from showthrough.families.inference._spec import (
    ANSWERS,
    READER,
    RULES,
    TRUTH,
    attacker_fault,
    attacker_of,
    judge_fault,
    judge_of,
)
from showthrough.families.inference._verdicts import PARTS, agreement_parts, limits_of, meetings, pair_unit_change
from showthrough.families.inference.base import Answer
from showthrough.families.inference.controls import (
    CONTROL,
    CONTROLS,
    OTHER,
    RISK,
    Answers,
    Units,
    answers_of,
    as_good,
    risk,
    risk_interval,
    stand_ins,
)
from showthrough.families.inference.family import ALL, INFERENCES, PEOPLE, RIGHT, TOP_1, TOP_3, UNANSWERED, UNJUDGED
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.rows import Rows, Totals

# Remarks tell the readers of a report how far its numbers about inference on authors can be trusted.

OWN = "own"  # of a control: what the attack itself finds of the attributes that the control was asked for
UNGUESSED = "unguessed"


def against(units: Rows, control: str) -> tuple[Units, Units]:
    """By unit what the attack inferred, of how much, and the same of a control."""
    tried = units.column(f"{ALL}:{CONTROL}:{control}")
    return (units.column(f"{RIGHT}:{OWN}:{control}"), tried), (units.column(f"{RIGHT}:{CONTROL}:{control}"), tried)


def remarks_of(attacker: str, judge: str, tables: Mapping[str, Rows]) -> list[str]:
    """A sentence each, from the rows of all anonymizations."""
    ours = {name: rows for name, rows in tables.items() if name not in REFERENCES}
    sums = {name: rows.totals() for name, rows in ours.items()}
    lines = [*_of_attack(attacker, judge, sums)]
    for name, rows in ours.items():
        lines += _of_answers(name, sums[name], attacker, judge)
        lines += _of_controls(name, rows)
    return lines


def _of_attack(attacker: str, judge: str, sums: Mapping[str, Totals]) -> Iterator[str]:
    if attacker == READER:
        yield (
            f"attributes asks {READER}, which finds only what can simply be read off: an attacker who knows more or "
            f"thinks further may infer more"
        )
    if judge.startswith(ANSWERS) and any(totals[f"{ALL}:{CONTROL}:{OTHER}"] for totals in sums.values()):
        yield (
            "nobody recorded verdicts on the controls of attributes, so rules judge them. Rules find fewer guesses "
            "right than other judges do, so the risk above a control may be too large"
        )


def _of_answers(name: str, totals: Totals, attacker: str, judge: str) -> Iterator[str]:
    if missing := int(totals[UNANSWERED]):
        yield (
            f"{shorten(name)}: {missing} documents have no answer of {shorten(attacker)}: these do not count in "
            f"attributes, and it is not known what can be inferred from them"
        )
    if missing := int(totals[UNJUDGED]):
        yield (
            f"{shorten(name)}: {missing} attributes count nowhere in attributes: {shorten(judge)} did not say whether "
            "their first guesses are right"
        )
    if (missing := int(totals[UNGUESSED])) and attacker != READER:
        yield (
            f"{shorten(name)}: the answers have no guess for {missing} of {int(totals[ALL])} attributes, "
            "which count as not inferred"
        )


def _of_controls(name: str, rows: Rows) -> Iterator[str]:
    for control in CONTROLS:
        if remark := as_good(*against(rows, control), control):
            yield f"{shorten(name)}, attributes: {remark}"


CERTAINTY, HARDNESS = "certainty", "hardness"
_HALVES = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class AuthorAttributes(Metric):
    """Share of authors' attributes, such as age or city, that an attacker's first guess gets right.

    Staab et al. 2024, SynthPAI: each document has one author, of whom some attributes are known, such as age or
    occupation. An attacker reads the release and makes up to three guesses for each. The headline is the share of
    attributes whose first guess is right. A right but less precise guess does not count, unless `partly` says
    otherwise.

    top-1 = |{attributes : the first guess is right}| / |attributes|; top-3: any of the first three is

    Parts: `top-3`; both by tag, as `top-1:age`; top-1 by `certainty:N` and `hardness:N`; `control:empty` and
    `control:other`, the same attack without a text and with another author's; `risk:empty` and `risk:other`, the share
    inferred of what these controls leave. Documents without an answer do not count.
    """

    version = 2
    group = "privacy"
    needs = frozenset({"subjects"})
    scope = "corpus"
    title = "Attributes of authors inferred"
    better = "lower"
    neutral = (CONTROL, *PARTS)
    tells = "what can be inferred about authors"
    roles = ("attributes",)
    undefined = "no attribute of an author was asked for and answered"
    counts = ((RIGHT, "wrong"), (ALL, "all"))
    fixed = (("rules", "v1"),)

    attacker: str = parameter(READER, f"who guesses: {READER}, {ANSWERS}FILE or llm:MODEL[@URL]")
    judge: str = parameter(RULES, f"who says whether a guess is right: {RULES}, {ANSWERS}FILE or llm:MODEL[@URL]")
    certainty: int = parameter(3, "least certainty of the attributes that count, 1 to 5")
    partly: float = parameter(0.0, "credit for a guess that is right but less precise: 0, 0.5 or 1")
    verdicts: str = parameter(
        "", f"verdicts to compare the judge with: {ANSWERS}FILE; empty: those in the attacker's answers, if any"
    )
    seed: int = parameter(0, "seed that draws which author's text serves as the control")

    def __post_init__(self) -> None:
        faults = {"attacker": attacker_fault(self.attacker), "judge": judge_fault(self.judge)}
        if not 1 <= self.certainty <= CERTAIN:
            faults["certainty"] = f"found {quote_value(self.certainty)}; expected 1 to {CERTAIN}"
        if self.partly not in _HALVES:
            faults["partly"] = f"found {quote_value(self.partly)}; expected 0, 0.5 or 1"
        if self.verdicts and (judge_fault(self.verdicts) or not self.verdicts.startswith(ANSWERS)):
            faults["verdicts"] = f"found {quote_value(self.verdicts)}; expected {ANSWERS}FILE"
        if self.seed < 0:
            faults["seed"] = f"found {quote_value(self.seed)}; expected 0 or more"
        for name, fault in faults.items():
            if fault:
                raise PlanError(f"{name}: {fault}", type(self).__name__)
        object.__setattr__(self, "partly", float(self.partly))

    @property
    def asks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(filter(None, (self.attacker, self.judge, self.verdicts))))

    @property
    def attackers(self) -> tuple[str, ...]:
        return (self.attacker,)

    def shows(self, name: str) -> tuple[str, ...]:
        return (TRUTH,) * (name == self.judge)

    @property
    def _reference_judge(self) -> str:
        """Whose verdicts stand beside the judge's: those that were named, or that the attacker's answers have."""
        own = self.attacker if self.attacker != self.judge and has_verdicts(self.attacker) else ""
        return self.verdicts or own

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if corpus.survey.subjects and any(author_of(document) for document in corpus):
            return verdict_problems((self.judge, self.verdicts))
        expected = "expected profiles of authors, or documents about one person each (formats profiles and spia)"
        return [Problem(corpus.source, "", f"no document says what is true of its author; {expected}")]

    def limits(self, part: str) -> tuple[float, float] | None:
        return limits_of(part) if part in PARTS else (0.0, 1.0)

    def unit_change(self, part: str, totals: Totals) -> float:
        return pair_unit_change(part, totals) if part in PARTS else 1.0

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        kind, _, which = part.partition(":")
        if kind != RISK:
            return None
        return risk_interval(*against(units, which), confidence)

    def test_fault(self, part: str) -> str:
        return "it follows from the attacker alone, without any text" if part == f"{CONTROL}:empty" else ""

    def why_undefined(self, part: str, totals: Totals) -> str:
        kind, _, which = part.partition(":")
        if kind in (CONTROL, RISK) and not totals[f"{ALL}:{CONTROL}:{which}"]:
            return f"the attacker has no answer {CONTROLS[which]}"
        return "the control leaves nothing to be inferred" if kind == RISK else self.undefined

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        return remarks_of(self.attacker, self.judge, tables)

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        documents, resources = list(chunk.corpus), chunk.resources
        attributes = collect_attributes(documents, self.certainty)
        about = sorted({attribute.document for attribute in attributes})
        tags = tuple(dict.fromkeys(attribute.tag for attribute in attributes))
        instead = stand_ins(chunk.corpus, self.seed)
        attacker, judge = attacker_of(self.attacker, resources), judge_of(self.judge, resources)
        human = judge_of(self._reference_judge, resources) if self._reference_judge else None
        ids = [document.id for document in documents]
        stand_in_flags = _flag_stand_ins(attributes, ids, instead) if self.attacker.startswith(ANSWERS) else None

        def rows(anonymized: Anonymized) -> Rows:
            name = anonymized.name
            answer_sets = answers_of(
                attacker, name, [documents[index] for index in about], anonymized.texts, instead, "author", tags
            )
            by_place = dict(zip(about, answer_sets, strict=True))
            expect_pairs(
                judge,
                self.attacker,
                sum(TOP * len(attribute.true) * by_place[attribute.document].open for attribute in attributes),
            )
            unanswered = [index for index in about if by_place[index].own is None]
            if name in REFERENCES and len(unanswered) == len(about):
                raise ResourceError("nobody knows what this attacker would answer")
            own = score_answers(attributes, _answers(by_place, len(ids), "own"), judge, human, (name, ids))
            values = self._values(attributes, own)
            for control in CONTROLS:
                answers = _answers(by_place, len(ids), control)
                tried = (
                    _flag_tried(attributes, answers, stand_in_flags)
                    if control == OTHER and stand_in_flags is not None
                    else None
                )
                values |= self._control(control, own, score_answers(attributes, answers, judge), tried)
            columns = sums([attribute.document for attribute in attributes], values, len(ids))
            answered = {
                attribute.document
                for attribute, is_answered in zip(attributes, own.answered, strict=True)
                if is_answered
            }
            columns[PEOPLE] = np.isin(np.arange(len(ids)), list(answered)).astype(np.float64)
            columns[UNANSWERED] = np.isin(np.arange(len(ids)), unanswered).astype(np.float64)
            if human is not None:
                document_indices = np.array([attribute.document for attribute in attributes], dtype=np.int64)[
                    own.owners
                ]
                columns |= meetings(own.judged, document_indices, len(ids))
            return replace(Rows.named(columns), evidence=_evidence(attributes, own, documents, anonymized))

        return rows

    def _values(self, attributes: Sequence[AuthorAttribute], own: AttributeScores) -> dict[str, Floats]:
        """By column, of each attribute: whether it counts, and what it is worth."""
        columns: dict[str, Floats] = {UNGUESSED: (own.answered & ~own.guessed).astype(np.float64)}
        columns[INFERENCES] = np.array([attribute.agreement > 0 for attribute in own.findings], dtype=np.float64)
        columns[UNJUDGED] = (own.answered & np.isnan(own.first)).astype(np.float64)
        first, best = (self._worth(labels) for labels in (own.first, own.best))
        columns |= _share(HEADLINE, first) | _share(TOP_3, best)
        labels_by_part: dict[str, list[str]] = {
            TOP_1: [attribute.tag for attribute in attributes],
            CERTAINTY: [str(attribute.true[0].certainty) for attribute in attributes],
            HARDNESS: [str(attribute.true[0].hardness or "") for attribute in attributes],  # 0 where nobody said
        }
        for part, labels in labels_by_part.items():
            for value in sorted({*labels} - {""}):
                among = np.array([attribute == value for attribute in labels])
                columns |= _share(f"{part}:{value}", np.where(among, first, np.nan))
                if part == TOP_1:
                    columns |= _share(f"{TOP_3}:{value}", np.where(among, best, np.nan))
        return columns

    def _control(
        self, which: str, own: AttributeScores, control: AttributeScores, tried: Floats | None
    ) -> dict[str, Floats]:
        """The first guesses where nothing can be known, and the attack's own about the same attributes."""
        theirs = self._worth(control.first)
        ours = self._worth(own.first)
        if tried is not None:
            theirs = np.where(tried, theirs, np.nan)
        theirs = np.where(np.isnan(ours), np.nan, theirs)
        own_share = {f"{RIGHT}:{OWN}:{which}": np.where(np.isnan(theirs), 0.0, ours)}
        return _share(f"{CONTROL}:{which}", theirs) | own_share

    def _worth(self, scores: Floats) -> Floats:
        return np.where(scores == 0.5, self.partly, scores)

    def combine(self, totals: Totals) -> dict[str, Floats]:
        parts = {HEADLINE: ratio(totals[RIGHT], totals[ALL])}
        for column in totals:
            if column.startswith(f"{ALL}:"):
                part = column.removeprefix(f"{ALL}:")
                parts[part] = ratio(totals[f"{RIGHT}:{part}"], totals[column])
        for which in CONTROLS:
            control = f"{CONTROL}:{which}"
            success = ratio(totals[f"{RIGHT}:{OWN}:{which}"], totals[f"{ALL}:{control}"])
            parts[f"{RISK}:{which}"] = risk(success, parts[control])
        return parts | agreement_parts(totals)


def _share(part: str, worth: Floats) -> dict[str, Floats]:
    """Of a part how much is inferred, and of how many attributes; those that are missing count in neither."""
    behind = f":{part}" if part else ""
    return {f"{RIGHT}{behind}": np.nan_to_num(worth), f"{ALL}{behind}": (~np.isnan(worth)).astype(np.float64)}


def _evidence(
    attributes: Sequence[AuthorAttribute], own: AttributeScores, documents: Sequence[Document], anonymized: Anonymized
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """What one of three guesses tells of each author, the most certain first."""
    findings_by_place: dict[int, list[InferenceFinding]] = {}
    for attribute, finding in zip(attributes, own.findings, strict=True):
        if finding.agreement > 0:
            findings_by_place.setdefault(attribute.document, []).append(finding)
    return {
        documents[index].id: evidence_of(findings, documents[index], anonymized)
        for index, findings in findings_by_place.items()
    }


def _answers(by_place: Mapping[int, Answers], documents: int, which: str) -> list[Answer | None]:
    return [getattr(by_place[index], which) if index in by_place else None for index in range(documents)]


def _flag_stand_ins(
    attributes: Sequence[AuthorAttribute], ids: Sequence[str], instead: Mapping[str, str]
) -> list[bool]:
    """Whether recorded answers about what stands in for a document were asked for an attribute: its author has it."""
    pairs = {(ids[attribute.document], attribute.tag) for attribute in attributes}
    return [(instead.get(ids[attribute.document], ""), attribute.tag) in pairs for attribute in attributes]


def _flag_tried(
    attributes: Sequence[AuthorAttribute], answers: Sequence[Answer | None], stand_in_flags: Sequence[bool]
) -> Floats:
    """Who was not asked for an attribute did not fail to infer it."""
    guessed = [guesses_of(answer) for answer in answers]
    return np.array(
        [
            had or attribute.tag in guessed[attribute.document]
            for attribute, had in zip(attributes, stand_in_flags, strict=True)
        ],
        dtype=bool,
    )
