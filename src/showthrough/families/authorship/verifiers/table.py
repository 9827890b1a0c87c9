"""The tables of verifiers that packages provide and of the learners built in."""

from __future__ import annotations

from functools import partial

from showthrough.core.errors import PlanError, quote_value, suggest_name
from showthrough.core.plugins import Registry, value_of
from showthrough.families.authorship.verifiers._compression import Compression
from showthrough.families.authorship.verifiers._glad import Glad
from showthrough.families.authorship.verifiers._impostors import Impostors
from showthrough.families.authorship.verifiers._ngrams import Ngrams
from showthrough.families.authorship.verifiers.base import Verifier, VerifierLearner

VERIFIERS: Registry[Verifier] = Registry("verifiers", {}, partial(value_of, Verifier, "verifier"))
LEARNERS: dict[str, VerifierLearner] = {
    learner.name: learner for learner in (Glad(), Ngrams(), Compression(), Impostors())
}


def learner_named(name: str) -> VerifierLearner:
    """Raises PlanError for one that there is not."""
    if name not in LEARNERS:
        raise PlanError(
            f"unknown learner {quote_value(name)}; {suggest_name(name, LEARNERS)}there are: {', '.join(LEARNERS)}"
        )
    return LEARNERS[name]
