"""Numbers of a run about one risk each: linking documents to people, inferring attributes, telling authors.

Where a run has no such number, a section says what to run.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from pathlib import Path

from showthrough.metrics import HEADLINE
from showthrough.run.origins import last_part
from showthrough.run.records import MetricRecord, Score
from showthrough.run.run import Run
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.risk.values import Figure, RiskSection

# Where a run does not fill a section, the command that would fill it is shown as a user types it.


def command_for(run: Run, metric: str, *, fits: bool = True) -> str:
    """The evaluation of the same files with one more metric; empty where it would not run as it stands.

    That is where a file is not known, or where what the run keeps of its documents does not fit the metric.
    """
    sources = [run.corpus.source, *(anonymization.source for anonymization in run.anonymizations)]
    if not fits or not all(sources):
        return ""
    named = [f"{anonymization.name}={anonymization.source}" for anonymization in run.anonymizations]
    output = f"risk-{metric.partition('(')[0]}.json"
    return shlex.join(["showthrough", "evaluate", run.corpus.source, *named, "--metric", metric, "-o", output])


def with_folders(command: str, run: Run) -> str:
    """The same command with files where the run says they are, for who made the run; empty where one is not there."""
    sources = [run.corpus.source, *(anonymization.source for anonymization in run.anonymizations)]
    if not all("://" in source or Path(source).exists() for source in sources):
        return ""
    paths = {last_part(run.corpus.source): run.corpus.source}
    paths |= {
        f"{anonymization.name}={last_part(anonymization.source)}": f"{anonymization.name}={anonymization.source}"
        for anonymization in run.anonymizations
    }
    return shlex.join(paths.get(word, word) for word in shlex.split(command))


def says_of_people(run: Run) -> bool:
    """Whether documents that the run keeps say who is in them."""
    return run.texts is not None and any(document.subjects for document in run.texts.documents)


def has_marks(run: Run) -> bool:
    """Whether documents that the run keeps have annotations; of a run without text nobody knows, so that it may."""
    return run.texts is None or any(document.annotations for document in run.texts.documents)


LINKING = ("trir",)
INFERRING = ("cpr", "ipr", "attributes")
TELLING = ("safety",)
SUCCESS, TOP_3 = "success", "top-3"
CONTROLS, RISKS = ("control:empty", "control:other"), ("risk:empty", "risk:other")
CONTROL, RISK = " control", " risk"  # of an attack, after its name
CHANCE, CEILING = "chance", "ceiling"
C_AT_1, BEFORE, LOST = "c@1", "before", "lost"


def linkability(run: Run) -> RiskSection:
    """Each attack's share of people found, with its control and the risk above that."""
    reason = (
        "nobody tried to link the documents to people: evaluate them with --metric trir and --background, a file of "
        "what an attacker knows of people"
    )
    return _section(run, LINKING, _of_attacks, reason)


def attacks_of(parts: Collection[str]) -> list[str]:
    """The attacks among the parts: each has a mean reciprocal rank.

    >>> attacks_of(["", "lexical", "lexical @5", "lexical mrr", "lexical control", "chance"])
    ['lexical']
    """
    return [part for part in parts if f"{part} mrr" in parts]


def _of_attacks(parts: Collection[str]) -> list[str]:
    attacks = attacks_of(parts)
    attack_parts = [f"{attack}{suffix}" for attack in attacks for suffix in ("", CONTROL, RISK)]
    return [part for part in (HEADLINE, *attack_parts, CHANCE, CEILING) if part in parts]


def inference(run: Run) -> RiskSection:
    """What attackers infer of people, with both controls and the risk above them."""
    names = (HEADLINE, SUCCESS, TOP_3, *CONTROLS, *RISKS)
    people = says_of_people(run)
    lacking = "" if people else " the corpus must say who is in it and what is true of them, then"
    return _section(
        run,
        INFERRING,
        lambda parts: [part for part in names if part in parts],
        f"nobody tried to infer attributes of people:{lacking} evaluate it with --metric cpr",
        command_for(run, "cpr", fits=people),
    )


def authorship(run: Run) -> RiskSection:
    """How well verifiers tell who wrote the texts, before and after."""

    def select(parts: Collection[str]) -> list[str]:
        return [part for part in parts if part == HEADLINE or part.partition(":")[0] in (C_AT_1, BEFORE, LOST)]

    reason = (
        "nobody tried to recognise who wrote the texts: evaluate them with --metric safety. If a field of the "
        "documents names their authors, add --group-by"
    )
    return _section(run, TELLING, select, reason)


def _section(
    run: Run,
    names: Collection[str],
    select: Callable[[Collection[str]], list[str]],
    reason: str,
    command: str = "",
) -> RiskSection:
    records = [record for record in run.metrics if record.name in names]
    figures = [figure for record in records for figure in _figures(run, record, select)]
    if figures:
        return RiskSection(tuple(figures))
    failed = [
        f"{failure.metric} failed: {failure.reason}"
        for failure in run.failures
        if failure.metric in {r.text for r in records}
    ]
    return RiskSection(reason="; ".join(failed) or reason, command=command)


def _figures(run: Run, record: MetricRecord, select: Callable[[Collection[str]], list[str]]) -> list[Figure]:
    figures = []
    for name in run.names:
        parts = run.parts(name, record.text)
        figures += [
            Figure(name, record.text, part, estimate_of(parts[part]), parts[part].signature) for part in select(parts)
        ]
    return figures


def estimate_of(score: Score) -> Estimate:
    return Estimate(score.value, score.low, score.high, score.reason, score.note)
