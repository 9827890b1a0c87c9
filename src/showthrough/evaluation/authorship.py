"""Who is asked about authors, and what people said: checked before any work starts, and what to know of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from showthrough.data.documents import Corpus
from showthrough.errors import Problem, quoted, shown, some
from showthrough.metrics import Metric, metric_text
from showthrough.verifiers.adaptive import ADAPTIVE
from showthrough.verifiers.base import Verifier
from showthrough.verifiers.given import ORIGINAL, GivenAnswers
from showthrough.verifiers.seen import seen

if TYPE_CHECKING:
    from showthrough.evaluation.plan import Plan

_UNASKED = "was given, but no metric asks for it; expected {} among the metrics"


def authorship_problems(plan: Plan) -> list[Problem]:
    """What keeps verifiers, answers and ratings from being used as they were given."""
    problems = [*_verifier_problems(plan.verifiers, plan.metrics), *_ratings_problems(plan)]
    for one in plan.verifiers:
        if isinstance(one, GivenAnswers):
            problems += _answers_problems(one, [each.name for each in plan.anonymizations], plan.corpus)
        elif not plan.settings.seen and (count := seen(one, plan.corpus)):
            expected = "expected another, or --seen to have its numbers all the same (in Python, seen=True)"
            problems.append(
                Problem("", f"verifier {shown(one.name)}", f"{_trained_on(count, plan.corpus)}; {expected}")
            )
    return problems


def _verifier_problems(verifiers: Sequence[Verifier | GivenAnswers], metrics: Sequence[Metric]) -> Iterator[Problem]:
    names = [one.name for one in verifiers]
    for name in dict.fromkeys(names):
        if name == ADAPTIVE:
            why = "this name is that of the verifier that learns from masked texts; expected another"
            yield Problem("", f"verifier {name}", why)
        elif names.count(name) > 1:
            yield Problem("", f"verifier {shown(name)}", "this name is used twice; expected unique names")
    asked = {metric_text(metric): _named(metric) for metric in metrics if "verifiers" in metric.needs}
    for text, named in asked.items():
        known = some([*names, ADAPTIVE])
        for name in named:
            if name not in (*names, ADAPTIVE):
                yield Problem("", f"metric {text}", f"asks for the verifier {quoted(name)}; expected some of {known}")
    for name in dict.fromkeys(names):
        if not any(name in named or not named for named in asked.values()):
            yield Problem("", f"verifier {shown(name)}", _UNASKED.format("safety"))


def _named(metric: Metric) -> list[str]:
    """The verifiers that a metric names; none: it asks all."""
    return [name for part in str(metric.parameters.get("verifier", "")).split(",") if (name := part.strip())]


def _ratings_problems(plan: Plan) -> Iterator[Problem]:
    asking = [metric_text(metric) for metric in plan.metrics if "ratings" in metric.needs]
    if plan.ratings is not None and not asking:
        yield Problem("", "ratings", _UNASKED.format("sensibleness"))
    if plan.ratings is None and asking:
        none = f"none were given, which the metric {asking[0]} needs"
        yield Problem("", "ratings", f"{none}; expected --ratings PLACE (in Python, ratings=…)")


def _answers_problems(given: GivenAnswers, anonymizations: Sequence[str], corpus: Corpus) -> Iterator[Problem]:
    """Answers that are missing altogether would count as unanswered, and a text nobody asked about as safe."""
    expected = [ORIGINAL, *anonymizations]
    for name in given.by:
        if name not in expected:
            place = f"{given.name}: {shown(name)}"
            yield Problem(given.sources.get(name, ""), place, f"is no anonymization; expected some of {some(expected)}")
    for name in expected:
        if name not in given.by:
            what = "the originals" if name == ORIGINAL else shown(name)
            form = f"{'' if given.name == 'answers' else f'{shown(given.name)}:'}{shown(name)}"
            yield Problem("", given.name, f"has no answers about {what}; expected --answers {form}=FILE as well")
    if not corpus.survey.asked:
        yield Problem(corpus.source, "", f"no document asks who wrote it, so that {given.name} answers nothing")
        return
    for name, answers in given.by.items():
        if not any(key in answers for key in corpus.ids):
            place = f"{given.name}: {shown(name)}"
            found = f"answers about {some(map(str, answers), 40)}, and no document"
            yield Problem(given.sources.get(name, ""), place, f"{found}; expected ids such as {shown(corpus.ids[0])}")


def authorship_notices(plan: Plan) -> list[str]:
    """What a reader must know of verifiers before believing what they say."""
    lines: list[str] = []
    asked = frozenset(document.id for document in plan.corpus if document.authorship) if _given(plan) else frozenset()
    for one in plan.verifiers:
        if isinstance(one, GivenAnswers):
            lines += _lacking(one, asked)
        elif count := seen(one, plan.corpus):
            lines.append(f"the verifier {shown(one.name)} {_trained_on(count, plan.corpus)}")
    return lines


def _given(plan: Plan) -> bool:
    return any(isinstance(one, GivenAnswers) for one in plan.verifiers)


def _lacking(given: GivenAnswers, asked: frozenset[str]) -> Iterator[str]:
    for name, answers in given.by.items():
        what = "the originals" if name == ORIGINAL else shown(name)
        if lacking := len(asked - answers.keys()):
            yield (
                f"{shown(given.name)}: about {what} there is no answer to {lacking} of {len(asked)} problems; "
                "they count as unanswered, which looks safer than it may be"
            )
        if strangers := [key for key in answers if key not in asked]:
            left = f"{len(strangers)} answers are to no problem here: {some(strangers)}"
            yield f"{shown(given.name)}: about {what} {left}"


def _trained_on(count: int, corpus: Corpus) -> str:
    whose = f"was trained on texts of {count} of these {len(corpus)} documents"
    return f"{whose}: it knows them, and its numbers say little about others"
