"""Authorship: who is asked about authors, and what people say of passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from msgspec import Meta

from showthrough.core.families import Family, InputType
from showthrough.errors import InputError, PlanError, Problem, quoted, shown, some

if TYPE_CHECKING:
    from showthrough.data.authorship import Ratings
    from showthrough.data.documents import Corpus
    from showthrough.evaluation.plan import Plan
    from showthrough.families._arguments import AuthorshipArguments
    from showthrough.metrics import Metric
    from showthrough.run.records import Input
    from showthrough.verifiers.base import Verifier
    from showthrough.verifiers.given import GivenAnswers

    Asked = Verifier | GivenAnswers

Files = str | tuple[str, ...]  # each as it is: a comma may stand in a path
VERIFIERS, RATINGS = "verifiers", "ratings"
_RATED = "sensibleness"
_UNASKED = "was given, but no metric asks for it; expected {}"


@dataclass(frozen=True, kw_only=True)
class AuthorshipOptions:
    """Verifiers, answers and ratings, in files and folders."""

    verifier: Annotated[
        Files, Meta(title="[NAME=]FOLDER", description="An author verifier, for safety; may be repeated.")
    ] = ()
    answers: Annotated[
        Files,
        Meta(
            title="[VERIFIER:]NAME=FILE",
            description="What a verifier answered on the originals (original=FILE) or an anonymization; repeatable.",
        ),
    ] = ()
    ratings: Annotated[
        Files, Meta(title="[NAME=]PLACE", description="What people say of passages, for sensibleness; repeatable.")
    ] = ()


class VerifiersInput(InputType):
    """Those that are asked who wrote the documents: verifiers that are loaded, then answers of others."""

    name = VERIFIERS

    def read(self, options: AuthorshipOptions, anonymizations: Sequence[str]) -> tuple[Asked, ...] | None:
        from showthrough.verifiers.asking import asked_verifiers
        from showthrough.verifiers.given import read_given

        loaded: list[Asked] = []
        problems: list[Problem] = []
        try:
            loaded += asked_verifiers(_each(options.verifier))
        except InputError as error:
            problems += error.problems
        try:
            loaded += read_given(_each(options.answers), anonymizations)
        except InputError as error:
            problems += error.problems
        if problems:
            raise InputError(problems)
        return tuple(loaded) or None

    def accept(self, arguments: AuthorshipArguments) -> tuple[Asked, ...] | None:
        from showthrough.verifiers.asking import asked_verifiers
        from showthrough.verifiers.base import Verifier
        from showthrough.verifiers.given import GivenAnswers, given_answers

        given = arguments.verifiers
        several = isinstance(given, Iterable) and not isinstance(given, str | Verifier)
        accepted: list[Asked] = []
        for each in cast(Iterable[Any], given) if several else [given]:
            if isinstance(each, str | PathLike):
                accepted += asked_verifiers([str(each)])
            elif isinstance(each, Verifier | GivenAnswers):
                accepted.append(each)
            else:
                found = f"found a value of type {type(each).__name__}"
                raise PlanError(f"{found}; expected a verifier, or its folder", VERIFIERS)
        return (*accepted, *(given_answers(arguments.answers) if arguments.answers else ())) or None

    def items(self, value: Sequence[Asked] | None) -> Sequence[Asked]:
        return value or ()

    def record(self, value: Sequence[Asked], corpus: Corpus) -> list[Input]:
        """A verifier that does not say what tells it from others of its name has its version alone."""
        from showthrough.run.records import Input
        from showthrough.verifiers.seen import seen

        return [
            Input(
                each.name,
                getattr(each, "digest", "") or f"v{each.version}",
                getattr(each, "problems", 0),
                getattr(each, "source", ""),
                seen=seen(each, corpus),
            )
            for each in value
        ]

    def former_records(self, run: Mapping[str, Any]) -> list[Any]:
        return run.get(VERIFIERS) or []


class RatingsInput(InputType):
    """What people say of passages."""

    name = RATINGS
    travels = True
    named = False

    def read(self, options: AuthorshipOptions, anonymizations: Sequence[str]) -> Ratings | None:
        from showthrough.formats.ratings import read_ratings

        given = _each(options.ratings)
        return read_ratings(given, list(anonymizations)) if given else None

    def accept(self, arguments: AuthorshipArguments) -> Ratings | None:
        from showthrough.data.authorship import Ratings

        given = arguments.ratings
        if given is not None and not isinstance(given, Ratings):
            expected = "expected Ratings: read_ratings reads them"
            raise PlanError(f"found a value of type {type(given).__name__}; {expected}", RATINGS)
        return given

    def keys(self, options: AuthorshipOptions) -> tuple[str, ...]:
        return ("",) if _each(options.ratings) else ()

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        from showthrough.metrics import METRICS

        return (METRICS[_RATED],) if keys and not any(RATINGS in metric.needs for metric in chosen) else ()

    def items(self, value: Ratings | None) -> Sequence[Ratings]:
        return ()  # their names are of files that were read

    def record(self, value: Ratings, corpus: Corpus) -> list[Input]:
        from showthrough.run.records import Input

        return [Input(value.name, value.digest, len(value), value.source)]

    def former_records(self, run: Mapping[str, Any]) -> list[Any]:
        return [run[RATINGS]] if run.get(RATINGS) else []


class _Authorship(Family):
    @property
    def arguments(self) -> type[AuthorshipArguments]:
        from showthrough.families._arguments import AuthorshipArguments

        return AuthorshipArguments

    def problems(self, plan: Plan) -> Iterable[Problem]:
        return [*_verifier_problems(plan), *_rating_problems(plan)]

    def content_problems(self, plan: Plan) -> Iterable[Problem]:
        ratings: Ratings | None = plan.inputs.get(RATINGS)
        return () if ratings is None else ratings.problems(plan.corpus, plan.anonymizations)

    def notices(self, plan: Plan) -> list[str]:
        from showthrough.verifiers.given import GivenAnswers
        from showthrough.verifiers.seen import trained_on

        lines: list[str] = []
        verifiers: Sequence[Asked] = plan.inputs.get(VERIFIERS) or ()
        given = any(isinstance(each, GivenAnswers) for each in verifiers)
        asked = frozenset(document.id for document in plan.corpus if document.authorship) if given else frozenset()
        for each in verifiers:
            if isinstance(each, GivenAnswers):
                lines += _unanswered(each, asked)
            elif plan.settings.seen and (known := trained_on(each, plan.corpus)):
                lines.append(f"the verifier {shown(each.name)} {known}")
        return lines

    def relocate(self, options: AuthorshipOptions, plan: Path) -> dict[str, Any]:
        keys = ("verifier", "answers", "ratings")
        return {key: tuple(_seen_from(plan, file, key) for file in _each(getattr(options, key))) for key in keys}

    def files(self, options: AuthorshipOptions, metrics: Sequence[Metric]) -> list[Path]:
        written = [*_each(options.verifier), *_each(options.answers), *_each(options.ratings)]
        return [Path(path) for text in written for path in dict.fromkeys((text, text.partition("=")[2] or text))]


def _each(files: Files) -> tuple[str, ...]:
    return (files,) if isinstance(files, str) else tuple(files)


def _seen_from(plan: Path, written: str, key: str) -> str:
    """What is beside a plan, `NAME=` before it or not; what is not there may be the name of an installed verifier."""
    from showthrough.evaluation.requests import path_of

    name, sign, path = written.partition("=")
    there = False
    whole = plan.parent / path_of(written, plan, key)
    with suppress(OSError):  # a name too long, which reading will tell
        there = whole.exists()
    if sign and not there:
        return f"{name}={plan.parent / path}"
    return str(whole) if there or "/" in written else written


def _verifier_problems(plan: Plan) -> Iterator[Problem]:
    """What keeps verifiers and answers from being used as they were given."""
    from showthrough.metrics import metric_text
    from showthrough.verifiers.given import GivenAnswers
    from showthrough.verifiers.seen import UNLESS, trained_on

    verifiers: Sequence[Asked] = plan.inputs.get(VERIFIERS) or ()
    asking = {metric_text(metric): _named(metric) for metric in plan.metrics if VERIFIERS in metric.needs}
    yield from _name_problems([each.name for each in verifiers], asking)
    for each in verifiers:
        place = f"verifier {shown(each.name)}"
        if not any(each.name in named or not named for named in asking.values()):
            expected = f"it among those that {next(iter(asking))} names" if asking else "safety among the metrics"
            yield Problem("", place, _UNASKED.format(expected))
        elif isinstance(each, GivenAnswers):
            yield from _answer_problems(each, [one.name for one in plan.anonymizations], plan.corpus)
        elif not plan.settings.seen and (known := trained_on(each, plan.corpus)):
            yield Problem("", place, f"{known}; {UNLESS}")


def _name_problems(given: Sequence[str], asking: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Names of verifiers that two have, and those that nobody has."""
    from showthrough.verifiers.adaptive import ADAPTIVE

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


def _rating_problems(plan: Plan) -> Iterator[Problem]:
    from showthrough.metrics import metric_text

    given = plan.inputs.get(RATINGS) is not None
    asking = [metric_text(metric) for metric in plan.metrics if RATINGS in metric.needs]
    if given and not asking:
        yield Problem("", RATINGS, _UNASKED.format("sensibleness among the metrics"))
    if not given and asking:
        none = f"none were given, which the metric {asking[0]} needs"
        yield Problem("", RATINGS, f"{none}; expected --ratings PLACE (in Python, ratings=…)")


def _answer_problems(given: GivenAnswers, anonymizations: Sequence[str], corpus: Corpus) -> Iterator[Problem]:
    """Answers that are missing altogether would count as unanswered, and a text nobody asked about as safe."""
    from showthrough.verifiers.given import ANSWERS, ORIGINAL

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


def _unanswered(given: GivenAnswers, asked: frozenset[str]) -> Iterator[str]:
    from showthrough.verifiers.given import ORIGINAL

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


FAMILY = _Authorship("authorship", (VerifiersInput(), RatingsInput()), options=AuthorshipOptions)
