"""What a reader can still learn from a release: statements that must be gone, and statements that must stay true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import call_text, parameter
from showthrough.core.errors import PlanError, Problem, ResourceError, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import NOTHING, ORIGINALS, REFERENCES
from showthrough.data.statements import GONE, KEPT, MUST, Statement, Statements
from showthrough.families.inference._spec import ANSWERS, RULES
from showthrough.families.inference._statement_judges import (
    NLI,
    RecordedStatementVerdicts,
    StatementCase,
    StatementJudge,
    Verdict,
    check_judge,
    statement_judge_of,
)
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL
from showthrough.models.names import ENTAILMENT
from showthrough.statistics.rows import Rows, Totals

STATEMENTS = "statements"
UNJUDGED, UNFOUND = "unjudged", "unfound"
_ALL, _COUNTED, _RIGHT = "all", "counted", "right"  # columns, as are both above: each for what must be gone and kept
_SHOWN = 300  # statements of a document that are kept as evidence
_LONGEST = 200  # characters of one
_WORDS = (
    "the judge rules looks for words alone: a reader may conclude a statement from others, and the same words may say "
    "something else"
)


@dataclass(frozen=True)
class Propositions(Metric):
    """Share of the statements that must be gone which a judge no longer finds in the release.

    Somebody lists statements about each document: some must be gone, such as secrets, and others must stay true. The
    part `kept` is the share of the latter that the judge still finds. (RedacBench: Jeon et al. 2026)

    A statement counts if the judge finds it in the original; `unfound:gone` and `unfound:kept` are the shares that it
    does not. A statement that the judge cannot decide for a release is neither gone nor kept: `unjudged:gone` and
    `unjudged:kept` are these shares.

    gone = |judged gone| / |statements that must be gone and are found in the original|
    """

    group = "privacy"
    needs = frozenset({STATEMENTS})
    scope = "corpus"
    title = "Statements gone"
    tells = "which statements a reader can still learn"
    neutral = (UNJUDGED, UNFOUND)
    undefined = "there is no such statement"
    dictionaries = ("dictionary",)

    judge: str = parameter(RULES, "who says what a text says: rules, nli:MODEL, llm:MODEL[@URL] or answers:FILE")
    threshold: float = parameter(0.5, "of nli: the probability from which on a statement follows from a text")
    dictionary: str = parameter(
        "wordfreq:en", "of rules: words that say nothing, the most frequent of wordfreq:LANGUAGE or those of a file"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_judge(self.judge)
        if not 0 < self.threshold <= 1:
            raise PlanError(f"threshold={self.threshold} is out of range; expected more than 0, and 1 at most")

    @property
    def asks(self) -> tuple[str, ...]:
        return (self.judge,) if self.judge.startswith((MODEL, ANSWERS)) else ()

    def shows(self, name: str) -> tuple[str, ...]:
        return ORIGINALS, "the statements about them"

    @property
    def models(self) -> dict[str, str]:
        return {ENTAILMENT.parameter: self.judge} if self.judge.startswith(NLI) else {}

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        """Recorded verdicts have to be of these texts; of a text without verdicts nothing would be known."""
        if not self.judge.startswith(ANSWERS):
            return []
        recorded = RecordedStatementVerdicts(self.judge)
        return [
            Problem(
                recorded.source, "", f"has no verdicts on statements in {whose}; expected statements in lines of {line}"
            )
            for name, whose, line in (
                (NOTHING, ORIGINALS, 'the anonymization "original"'),
                (anonymization.name, shorten(anonymization.name), "its documents"),
            )
            if (name == NOTHING or name not in REFERENCES) and not recorded.knows(name, corpus.ids)
        ]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        statements: Statements | None = chunk.resources.inputs.get(STATEMENTS)
        if statements is None:
            raise ResourceError("no statements were given; expected --statements FILE (in Python, statements=…)")
        judge = statement_judge_of(self.judge, chunk.resources, self.dictionary, self.threshold)
        documents = [(index, document) for index, document in enumerate(chunk.corpus) if document.id in statements.of]
        about = [statements.of[document.id] for _, document in documents]

        def judged(name: str, texts: Mapping[str, str]) -> list[list[Verdict]]:
            keys = [document.id for _, document in documents]
            return _verdicts(judge, [StatementCase(name, key, texts[key], statements.of[key]) for key in keys])

        originals = judged(NOTHING, {document.id: document.text for _, document in documents})

        def rows(anonymized: Anonymized) -> Rows:
            is_original = anonymized.name == NOTHING
            verdicts = originals if is_original else judged(anonymized.name, anonymized.texts)
            columns = {f"{name}:{must}": np.zeros(len(chunk.corpus)) for name in _COLUMNS for must in MUST}
            evidence: dict[str, dict[str, Any]] = {}
            for (index, document), of_document, before, after in zip(
                documents, about, originals, verdicts, strict=True
            ):
                for statement, before_verdict, verdict in zip(of_document, before, after, strict=True):
                    for column in _columns_of(statement, before_verdict, verdict):
                        columns[f"{column}:{statement.must}"][index] += 1
                leaks = [
                    statement
                    for statement, before_verdict, verdict in zip(of_document, before, after, strict=True)
                    if statement.must == GONE and before_verdict and verdict
                ]
                if leaks and anonymized.name not in REFERENCES:
                    evidence[document.id] = {"inferred": list(map(_evidence, leaks[:_SHOWN]))}
            return replace(Rows.named(columns), evidence=evidence)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        parts: dict[str, Floats] = {}
        for must, part in ((GONE, HEADLINE), (KEPT, KEPT)):
            counted, unjudged = totals[f"{_COUNTED}:{must}"], totals[f"{UNJUDGED}:{must}"]
            # Where none at all was judged, that is no 0.
            parts[part] = np.where(unjudged < counted, ratio(totals[f"{_RIGHT}:{must}"], counted), np.nan)
            parts[f"{UNJUDGED}:{must}"] = ratio(unjudged, counted)
            parts[f"{UNFOUND}:{must}"] = ratio(totals[f"{UNFOUND}:{must}"], totals[f"{_ALL}:{must}"])
        return parts

    def why_undefined(self, part: str, totals: Totals) -> str:
        measure, _, kind = part.partition(":")
        must = kind or measure or GONE
        if not totals[f"{_ALL}:{must}"]:
            return f"no statement must be {must}"
        if not totals[f"{_COUNTED}:{must}"]:
            return f"the judge {shorten(self.judge)} finds in the originals no statement that must be {must}"
        return f"the judge {shorten(self.judge)} can decide no statement that must be {must}"

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        own, judge = call_text("propositions", self, Propositions()), shorten(self.judge)
        ours = {name: rows.totals() for name, rows in tables.items() if name not in REFERENCES and len(rows)}
        lines = [_WORDS] * (self.judge == RULES and bool(ours))
        for totals in [*ours.values()][:1]:
            unfound, every = (_sum(totals, column) for column in (UNFOUND, _ALL))
            if unfound:
                why = f"the judge {judge} does not find them in originals"
                lines.append(f"{unfound} of {every} statements do not count in {own}: {why}")
        return [*lines, *(line for name, totals in ours.items() for line in _unjudged(own, judge, name, totals))]


_COLUMNS = (_ALL, _COUNTED, _RIGHT, UNJUDGED, UNFOUND)


def _verdicts(judge: StatementJudge, cases: list[StatementCase]) -> list[list[Verdict]]:
    """Of a text without a letter or digit nobody is asked: it says nothing."""
    open_ones = [case for case in cases if any(map(str.isalnum, case.text))]
    answers = iter(judge.verdicts(open_ones) if open_ones else [])
    left = {id(case) for case in open_ones}
    return [next(answers) if id(case) in left else [False] * len(case.statements) for case in cases]


def _columns_of(statement: Statement, before: Verdict, verdict: Verdict) -> Iterator[str]:
    """The columns in which a statement counts, by what was judged of the original and of the release."""
    yield _ALL
    if not before:
        yield UNFOUND
        return
    yield _COUNTED
    if verdict is None:
        yield UNJUDGED
    elif verdict is (statement.must == KEPT):
        yield _RIGHT


def _evidence(statement: Statement) -> dict[str, Any]:
    text = shorten(statement.text, _LONGEST)
    shown = {"subject": "", "tag": f"must be {GONE}", "true": text, "guess": text}
    return shown | {"agreement": 1.0, "certainty": 0, "hardness": 0, "start": None, "end": None, "original": None}


def _sum(totals: Totals, column: str) -> int:
    return int(sum(totals[f"{column}:{must}"] for must in MUST))


def _unjudged(own: str, judge: str, name: str, totals: Totals) -> Iterator[str]:
    unjudged, counted = (_sum(totals, column) for column in (UNJUDGED, _COUNTED))
    if unjudged:
        yield (
            f"{shorten(name)}, {own}: the judge {judge} cannot decide {unjudged} of {counted} statements, "
            f"which are neither gone nor kept"
        )
