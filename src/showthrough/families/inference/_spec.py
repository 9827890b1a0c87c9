"""Parses the text forms of attackers and judges: `reader`, `answers:FILE`, `llm:MODEL[@URL]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from showthrough.core.errors import PlanError, quote_value
from showthrough.models.chat.base import MODEL, AnswerSource

if TYPE_CHECKING:
    from showthrough.families.inference.base import Attacker, Judge
    from showthrough.models import Resources

READER, RULES = "reader", "rules"
ANSWERS = "answers:"  # before a file
TRUTH = "what is true of the people in them"  # what a judge gets to see beside guesses
_WRITTEN = f"{ANSWERS}FILE or {MODEL}MODEL[@URL]"


def attacker_fault(name: str) -> str:
    """What is wrong with the name of an attacker; empty where nothing is. Nothing is read or loaded."""
    return _fault(name, READER)


def judge_fault(name: str) -> str:
    return _fault(name, RULES)


def _fault(name: str, alone: str) -> str:
    is_valid = name == alone or any(name.startswith(kind) and name != kind for kind in (ANSWERS, MODEL))
    return "" if is_valid else f"found {quote_value(name)}; expected {alone}, {_WRITTEN}"


def attacker_of(name: str, resources: Resources) -> Attacker:
    """The attacker of a name, one for an evaluation. Raises PlanError for a name that is none."""
    if fault := attacker_fault(name):
        raise PlanError(fault, "attacker")
    if name == READER:
        from showthrough.families.inference._reader import AttributeReader

        return resources.once(("attacker", name), lambda: AttributeReader(resources))
    if name.startswith(ANSWERS):
        from showthrough.families.inference._answer_files import RecordedAnswers

        return resources.once(("attacker", name), lambda: RecordedAnswers(name))
    from showthrough.families.inference._interviewer import Interviewer

    return resources.once(("attacker", name), lambda: Interviewer(resources.chat(name)))


def judge_of(name: str, resources: Resources) -> Judge | None:
    """The judge of a name; none where rules alone decide."""
    if fault := judge_fault(name):
        raise PlanError(fault, "judge")
    if name == RULES:
        return None
    if name.startswith(ANSWERS):
        from showthrough.families.inference._judges import RecordedVerdicts

        return resources.once(("judge", name), lambda: RecordedVerdicts(name))
    from showthrough.families.inference._judges import ModelJudge

    return resources.once(("judge", name), lambda: ModelJudge(resources.chat(name)))


def list_sources(names: Iterable[str], resources: Resources) -> list[AnswerSource]:
    """What a run says of all who were asked. Nobody is asked for it: it follows from what is recorded."""
    records: list[AnswerSource] = []
    for name in dict.fromkeys(names):
        if name.startswith(MODEL):
            records.append(resources.chat(name).asked())
        elif name.startswith(ANSWERS):
            from showthrough.families.inference._answer_files import digest_of_answers

            records.append(AnswerSource(name, digest_of_answers(name)))
    return records
