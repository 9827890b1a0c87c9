"""The checklist of evidence: what a decision about a release can rest on, what was looked at, and what was not.

Annotations, the search of the release and the documents are looked for by roles. Whoever attacks is a family's to say,
in its section.
"""

from __future__ import annotations

import shlex
from typing import Literal

import msgspec

from showthrough.metrics import READS_RELEASE
from showthrough.report.section import sections
from showthrough.report.wording import counted_words
from showthrough.run.gate.accepted import readable_identifiers
from showthrough.run.gate.checks import Enough, EvidenceCheck
from showthrough.run.gate.state import Decision
from showthrough.run.origins import last_part
from showthrough.run.roles import find_metrics, goes_first
from showthrough.run.run import Run

State = Literal["tested", "weak", "absent"]


class Evidence(msgspec.Struct, frozen=True):
    """One thing to look at: whether it was, what there is to say of it in a few words, and what would look at it."""

    title: str
    state: State
    note: str
    command: str = ""  # where it was not tested, or too little
    notion: str = ""  # of privacy, which it is about: docs/notions.md has six


def evidence(run: Run, decision: Decision) -> list[Evidence]:
    """The checklist for one anonymization."""
    name = decision.candidate
    attacks = [line for section in sections() for line in section.evidence(run, name)] if run.complete else []
    return [
        _annotations(run, decision),
        _searched(run, name),
        *attacks,
        _enough(run, decision),
        _independent(run, decision),
    ]


def evaluation(run: Run, *options: str) -> str:
    """The command that would test more: the same files, by their names alone, with further options.

    A file that the run does not know is a word in capitals.
    """
    named = [
        f"{system.name}={last_part(system.source)}" if system.source else f"{system.name}=FILE"
        for system in run.anonymizations[:1]
    ]
    more = ["…"] if len(run.anonymizations) > 1 else []
    corpus = last_part(run.corpus.source) or "CORPUS"
    words = (shlex.quote(word) for word in ("showthrough", "evaluate", corpus, *named))
    return " ".join([*words, *more, *options])


def _lacks(decision: Decision) -> dict[str, str]:
    checks = decision.checks.checks if decision.checks else []
    return {check.about: check.said for check in checks if isinstance(check, EvidenceCheck)}


def _annotations(run: Run, decision: Decision) -> Evidence:
    title, lacks = "Annotations", _lacks(decision)
    readable = readable_identifiers(run, decision.candidate) if run.complete else None
    if readable is None:
        return Evidence(title, "absent", "no direct identifier was marked and counted", "showthrough annotate --help")
    marked = f"{readable.marked:,} direct identifiers marked"
    if "annotations" in lacks:
        return Evidence(title, "weak", lacks["annotations"].rstrip("."), evaluation(run))
    if "silver" in lacks:
        return Evidence(title, "weak", f"{marked}, by programs alone", "showthrough review --help")
    if few := lacks.get("sample", lacks.get("others", "")):
        return Evidence(title, "weak", few.rstrip("."), "showthrough annotate --help")
    return Evidence(title, "tested", marked)


def _searched(run: Run, name: str) -> Evidence:
    title, notion = "Search of the release", "identifier removal"
    records = [record for record in find_metrics(run, "direct identifiers") if name in run.rows[record.text]]
    if any(map(goes_first, records)):
        return Evidence(title, "tested", "every release was searched from end to end", notion=notion)
    note = "only marked places were searched" if records else "no marked identifier was searched for"
    return Evidence(title, "weak" if records else "absent", note, evaluation(run, f"--metric {READS_RELEASE}"), notion)


def _enough(run: Run, decision: Decision) -> Evidence:
    checks = decision.checks.checks if decision.checks else []
    few = [check for check in checks if isinstance(check, Enough) and not check.passed]
    documents = counted_words(len(run.documents), "document")
    if not run.complete:
        return Evidence(
            "Number of documents", "weak", "the evaluation was interrupted", "showthrough evaluate --resume"
        )
    if few:
        least = few[0]
        what = "counted" if least.metric else "to judge by"
        return Evidence("Number of documents", "weak", f"{least.found:,} {what}; at least {least.needed:,} are needed")
    unsure = any(reason.kind == "unsure" for reason in decision.reasons)
    if unsure:
        return Evidence("Number of documents", "weak", f"{documents}, and some numbers stay unsure")
    return Evidence("Number of documents", "tested", documents)


def _independent(run: Run, decision: Decision) -> Evidence:
    title, count = "Independence of documents", len(run.documents)
    if run.corpus.doubtful:
        note = f"{run.corpus.doubtful:,} may be of one person"
        return Evidence(title, "weak", note, evaluation(run, "--group-by FIELD"))
    if run.unit_count < count:
        checks = decision.checks.checks if decision.checks else []
        few = any(isinstance(check, Enough) and not check.passed for check in checks)
        note = f"{run.unit_count:,} of {count:,} are independent; only these count"
        return Evidence(title, "weak" if few else "tested", note)
    return Evidence(title, "tested", "no copies, and none of the same person")
