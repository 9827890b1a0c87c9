"""Who is asked about authors, and what people said: checked before any work starts, and what to know of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from showthrough.data.documents import Corpus
from showthrough.errors import Problem, quoted, shown, some
from showthrough.metrics import Metric, metric_text
from showthrough.verifiers.adaptive import ADAPTIVE
from showthrough.verifiers.given import ANSWERS, ORIGINAL, GivenAnswers
from showthrough.verifiers.seen import UNLESS, trained_on

if TYPE_CHECKING:
    from showthrough.evaluation.plan import Plan

_UNASKED = "was given, but no metric asks for it; expected {}"


def authorship_problems(plan: Plan) -> list[Problem]:
    """What keeps verifiers, answers and ratings from being used as they were given."""
    asking = {metric_text(metric): _named(metric) for metric in plan.metrics if "verifiers" in metric.needs}
    problems = [*_name_problems([one.name for one in plan.verifiers], asking), *_ratings_problems(plan)]
    for one in plan.verifiers:
        place = f"verifier {shown(one.name)}"
        if not any(one.name in named or not named for named in asking.values()):
            expected = f"it among those that {next(iter(asking))} names" if asking else "safety among the metrics"
            problems.append(Problem("", place, _UNASKED.format(expected)))
        elif isinstance(one, GivenAnswers):
            problems += _answers_problems(one, [each.name for each in plan.anonymizations], plan.corpus)
        elif not plan.settings.seen and (known := trained_on(one, plan.corpus)):
            problems.append(Problem("", place, f"{known}; {UNLESS}"))
    return problems


def _name_problems(given: Sequence[str], asking: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Names of verifiers that two have, and those that nobody has."""
    names = [*dict.fromkeys([*given, ADAPTIVE])]
    for name in names:
        if given.count(name) > 1:
            yield Problem("", f"verifier {shown(name)}", "this name is used twice; expected unique names")
    if ADAPTIVE in given:
        why = "this name is that of the verifier that learns from masked texts; expected another"
        yield Problem("", f"verifier {ADAPTIVE}", why)
    for text, named in asking.items():
        for name in named:
            if name not in names:
                expected = f"expected some of {some(names)}; --verifier and --answers give others"
                yield Problem("", f"metric {text}", f"asks for the verifier {quoted(name)}; {expected}")


def _named(metric: Metric) -> list[str]:
    """The verifiers that a metric names; none: it asks all."""
    return [name for part in str(metric.parameters.get("verifier", "")).split(",") if (name := part.strip())]


def _ratings_problems(plan: Plan) -> Iterator[Problem]:
    asking = [metric_text(metric) for metric in plan.metrics if "ratings" in metric.needs]
    if plan.ratings is not None and not asking:
        yield Problem("", "ratings", _UNASKED.format("sensibleness among the metrics"))
    if plan.ratings is None and asking:
        none = f"none were given, which the metric {asking[0]} needs"
        yield Problem("", "ratings", f"{none}; expected --ratings PLACE (in Python, ratings=…)")


def _answers_problems(given: GivenAnswers, anonymizations: Sequence[str], corpus: Corpus) -> Iterator[Problem]:
    """Answers that are missing altogether would count as unanswered, and a text nobody asked about as safe."""
    if ORIGINAL in anonymizations:
        why = "this name is that of the originals among answers; expected another"
        yield Problem("", f"anonymization {ORIGINAL}", why)
    names = [*dict.fromkeys([ORIGINAL, *anonymizations])]
    for name in given.by:
        if name not in names:
            place = f"answers {shown(name)}"
            yield Problem(given.sources.get(name, ""), place, f"is no anonymization; expected some of {some(names)}")
    for name in names:
        if name not in given.by:
            what = "the originals" if name == ORIGINAL else shown(name)
            whose = "" if given.name == ANSWERS else f"{shown(given.name)}:"
            expected = f"expected --answers {whose}{shown(name)}=FILE as well"
            yield Problem("", f"verifier {shown(given.name)}", f"has no answers about {what}; {expected}")
    if not corpus.survey.asked:
        yield Problem(corpus.source, "", "no document asks who wrote it, so that there is nothing to answer")
        return
    for name, answers in given.by.items():
        if not any(key in answers for key in corpus.ids):
            place = f"answers {shown(name)}"
            found = f"answers about {some(map(str, answers), 40)}, and no document"
            yield Problem(given.sources.get(name, ""), place, f"{found}; expected ids such as {shown(corpus.ids[0])}")


def authorship_notices(plan: Plan) -> list[str]:
    """What a reader must know of verifiers before believing what they say."""
    lines: list[str] = []
    asked = frozenset(document.id for document in plan.corpus if document.authorship) if _given(plan) else frozenset()
    for one in plan.verifiers:
        if isinstance(one, GivenAnswers):
            lines += _lacking(one, asked)
        elif plan.settings.seen and (known := trained_on(one, plan.corpus)):
            lines.append(f"the verifier {shown(one.name)} {known}")
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
