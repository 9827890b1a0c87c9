"""The authorship family: its inputs are verifiers, their answers, and ratings of passages by people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from msgspec import Meta

from showthrough.core.errors import InputError, PlanError, Problem, join_names, quote_value, shorten
from showthrough.core.families import Family, InputType

if TYPE_CHECKING:
    from showthrough.data.authorship import Ratings
    from showthrough.data.documents import Corpus
    from showthrough.evaluation.plan import Plan
    from showthrough.families._arguments import AuthorshipArguments
    from showthrough.families.authorship.verifiers.base import Verifier
    from showthrough.families.authorship.verifiers.recorded import GivenAnswers
    from showthrough.metrics import Metric
    from showthrough.report.section import Section
    from showthrough.run.records import Input

    Asked = Verifier | GivenAnswers

# Names of parts, here for reports that do not import the metrics.
BEFORE, LOST, TOLD, FALSE = "before", "lost", "told", "false"
OVERLAP = "overlap"

Files = str | tuple[str, ...]  # each as it is: a comma may stand in a path
VERIFIERS, RATINGS = "verifiers", "ratings"
_RATED = "sensibleness"
_UNASKED = "was given, but no metric needs it; expected {}"


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
        Files, Meta(title="[NAME=]PLACE", description="People's ratings of passages, for sensibleness; repeatable.")
    ] = ()


class VerifiersInput(InputType):
    """Those that are asked who wrote the documents: verifiers that are loaded, then answers of others."""

    name = VERIFIERS

    def read(self, options: AuthorshipOptions, anonymizations: Sequence[str]) -> tuple[Asked, ...] | None:
        if not (options.verifier or options.answers):
            return None
        from showthrough.families.authorship.verifiers.recorded import read_answer_files
        from showthrough.families.authorship.verifiers.trained import parse_verifiers

        loaded: list[Asked] = []
        problems: list[Problem] = []
        try:
            loaded += parse_verifiers(_as_tuple(options.verifier))
        except InputError as error:
            problems += error.problems
        try:
            loaded += read_answer_files(_as_tuple(options.answers), anonymizations)
        except InputError as error:
            problems += error.problems
        if problems:
            raise InputError(problems)
        return tuple(loaded) or None

    def accept(self, arguments: AuthorshipArguments) -> tuple[Asked, ...] | None:
        from showthrough.families.authorship.verifiers.base import Verifier
        from showthrough.families.authorship.verifiers.recorded import GivenAnswers, parse_answers
        from showthrough.families.authorship.verifiers.trained import parse_verifiers

        argument = arguments.verifiers
        several = isinstance(argument, Iterable) and not isinstance(argument, str | Verifier)
        accepted: list[Asked] = []
        for item in cast(Iterable[Any], argument) if several else [argument]:
            if isinstance(item, str | PathLike):
                accepted += parse_verifiers([str(item)])
            elif isinstance(item, Verifier | GivenAnswers):
                accepted.append(item)
            else:
                fault = f"found a value of type {type(item).__name__}"
                raise PlanError(f"{fault}; expected a verifier, or its folder", VERIFIERS)
        return (*accepted, *(parse_answers(arguments.answers) if arguments.answers else ())) or None

    def applies(self, corpus: Corpus) -> bool:
        return bool(corpus.survey.questions)

    def items(self, value: Sequence[Asked] | None) -> Sequence[Asked]:
        return value or ()

    def record(self, value: Sequence[Asked], corpus: Corpus) -> list[Input]:
        """A verifier that does not say what tells it from others of its name has its version alone."""
        from showthrough.families.authorship.verifiers.traces import count_seen
        from showthrough.run.records import Input

        return [
            Input(
                verifier.name,
                getattr(verifier, "digest", "") or f"v{verifier.version}",
                getattr(verifier, "problems", 0),
                getattr(verifier, "source", ""),
                seen=count_seen(verifier, corpus),
            )
            for verifier in value
        ]

    def former_records(self, run: Mapping[str, Any]) -> list[Any]:
        return run.get(VERIFIERS) or []


class RatingsInput(InputType):
    """What people say of passages."""

    name = RATINGS
    travels = True
    named = False

    def read(self, options: AuthorshipOptions, anonymizations: Sequence[str]) -> Ratings | None:
        files = _as_tuple(options.ratings)
        if not files:
            return None
        from showthrough.formats.authorship.ratings import read_ratings

        return read_ratings(files, list(anonymizations))

    def accept(self, arguments: AuthorshipArguments) -> Ratings | None:
        from showthrough.data.authorship import Ratings

        ratings = arguments.ratings
        if ratings is not None and not isinstance(ratings, Ratings):
            expected = "expected Ratings: read_ratings reads them"
            raise PlanError(f"found a value of type {type(ratings).__name__}; {expected}", RATINGS)
        return ratings

    def keys(self, options: AuthorshipOptions) -> tuple[str, ...]:
        return ("",) if _as_tuple(options.ratings) else ()

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        from showthrough.metrics import METRICS

        return (METRICS[_RATED],) if keys and not any(RATINGS in metric.needs for metric in chosen) else ()

    def applies(self, corpus: Corpus) -> bool:
        return bool(corpus.survey.questions)

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

    @property
    def section(self) -> Section:
        from showthrough.families.authorship.report import SECTION

        return SECTION

    def problems(self, plan: Plan) -> Iterable[Problem]:
        return [*_verifier_problems(plan), *_rating_problems(plan)]

    def content_problems(self, plan: Plan) -> Iterable[Problem]:
        ratings: Ratings | None = plan.inputs.get(RATINGS)
        return () if ratings is None else ratings.problems(plan.corpus, plan.anonymizations)

    def notices(self, plan: Plan) -> list[str]:
        verifiers: Sequence[Asked] = plan.inputs.get(VERIFIERS) or ()
        if not verifiers:
            return []
        from showthrough.families.authorship.verifiers.recorded import GivenAnswers
        from showthrough.families.authorship.verifiers.traces import trained_on

        lines: list[str] = []
        has_answers = any(isinstance(verifier, GivenAnswers) for verifier in verifiers)
        problem_ids = (
            frozenset(document.id for document in plan.corpus if document.authorship) if has_answers else frozenset()
        )
        for verifier in verifiers:
            if isinstance(verifier, GivenAnswers):
                lines += _unanswered_notices(verifier, problem_ids)
            elif plan.settings.seen and (overlap := trained_on(verifier, plan.corpus)):
                lines.append(f"the verifier {shorten(verifier.name)} {overlap}")
        return lines

    def relocate(self, options: AuthorshipOptions, plan: Path) -> dict[str, Any]:
        keys = ("verifier", "answers", "ratings")
        return {
            key: tuple(_relocate_file(plan, file, key) for file in _as_tuple(getattr(options, key))) for key in keys
        }

    def files(self, options: AuthorshipOptions, metrics: Sequence[Metric]) -> list[Path]:
        texts = [*_as_tuple(options.verifier), *_as_tuple(options.answers), *_as_tuple(options.ratings)]
        return [Path(path) for text in texts for path in dict.fromkeys((text, text.partition("=")[2] or text))]


def _as_tuple(files: Files) -> tuple[str, ...]:
    return (files,) if isinstance(files, str) else tuple(files)


def _relocate_file(plan: Path, text: str, key: str) -> str:
    """What is beside a plan, `NAME=` before it or not; what is not there may be the name of an installed verifier."""
    from showthrough.evaluation.requests import path_of

    name, sign, path = text.partition("=")
    exists = False
    location = plan.parent / path_of(text, plan, key)
    with suppress(OSError):  # a name too long, which reading will tell
        exists = location.exists()
    if sign and not exists:
        return f"{name}={plan.parent / path}"
    return str(location) if exists or "/" in text else text


def _verifier_problems(plan: Plan) -> Iterator[Problem]:
    """What keeps verifiers and answers from being used as they were given."""
    verifiers: Sequence[Asked] = plan.inputs.get(VERIFIERS) or ()
    if not verifiers and not any(VERIFIERS in metric.needs for metric in plan.metrics):
        return
    from showthrough.families.authorship.verifiers.recorded import GivenAnswers
    from showthrough.families.authorship.verifiers.traces import UNLESS, trained_on
    from showthrough.metrics import metric_text

    asking = {metric_text(metric): _list_verifiers(metric) for metric in plan.metrics if VERIFIERS in metric.needs}
    yield from _name_problems([verifier.name for verifier in verifiers], asking)
    for verifier in verifiers:
        location = f"verifier {shorten(verifier.name)}"
        if not any(verifier.name in named or not named for named in asking.values()):
            expected = f"it among those that {next(iter(asking))} names" if asking else "safety among the metrics"
            yield Problem("", location, _UNASKED.format(expected))
        elif isinstance(verifier, GivenAnswers):
            yield from _answer_problems(
                verifier, [anonymization.name for anonymization in plan.anonymizations], plan.corpus
            )
        elif not plan.settings.seen and (overlap := trained_on(verifier, plan.corpus)):
            yield Problem("", location, f"{overlap}; {UNLESS}")


def _name_problems(verifier_names: Sequence[str], asking: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Names of verifiers that two have, and those that nobody has."""
    from showthrough.families.authorship.verifiers.adaptive import ADAPTIVE

    names = [*dict.fromkeys([*verifier_names, ADAPTIVE])]
    for name in names:
        if verifier_names.count(name) > 1:
            yield Problem("", f"verifier {shorten(name)}", "this name is used twice; expected unique names")
    if ADAPTIVE in verifier_names:
        why = "this name is that of the verifier that learns from masked texts; expected another"
        yield Problem("", f"verifier {ADAPTIVE}", why)
    for text, named in asking.items():
        for name in named:
            if name not in names:
                expected = f"expected some of {join_names(names)}; --verifier and --answers give others"
                yield Problem("", f"metric {text}", f"asks for the verifier {quote_value(name)}; {expected}")


def _list_verifiers(metric: Metric) -> list[str]:
    """The verifiers that a metric names; none: it asks all."""
    return [name for part in str(metric.parameters.get("verifier", "")).split(",") if (name := part.strip())]


def _rating_problems(plan: Plan) -> Iterator[Problem]:
    from showthrough.metrics import metric_text

    has_ratings = plan.inputs.get(RATINGS) is not None
    asking = [metric_text(metric) for metric in plan.metrics if RATINGS in metric.needs]
    if has_ratings and not asking:
        yield Problem("", RATINGS, _UNASKED.format("sensibleness among the metrics"))
    if not has_ratings and asking:
        none = f"none were given, which the metric {asking[0]} needs"
        yield Problem("", RATINGS, f"{none}; expected --ratings PLACE (in Python, ratings=…)")


def _answer_problems(verifier: GivenAnswers, anonymizations: Sequence[str], corpus: Corpus) -> Iterator[Problem]:
    """Answers that are missing altogether would count as unanswered, and a text nobody asked about as safe."""
    from showthrough.families.authorship.verifiers.recorded import ANSWERS, ORIGINAL

    if ORIGINAL in anonymizations:
        why = "this name is that of the originals among answers; expected another"
        yield Problem("", f"anonymization {ORIGINAL}", why)
    names = [*dict.fromkeys([ORIGINAL, *anonymizations])]
    for name in verifier.by:
        if name not in names:
            location = f"answers {shorten(name)}"
            yield Problem(
                verifier.sources.get(name, ""), location, f"is no anonymization; expected some of {join_names(names)}"
            )
    for name in names:
        if name not in verifier.by:
            subject = "the originals" if name == ORIGINAL else shorten(name)
            prefix = "" if verifier.name == ANSWERS else f"{shorten(verifier.name)}:"
            expected = f"expected --answers {prefix}{shorten(name)}=FILE as well"
            yield Problem("", f"verifier {shorten(verifier.name)}", f"has no answers about {subject}; {expected}")
    if not corpus.survey.questions:
        yield Problem(corpus.source, "", "no document asks who wrote it, so there is nothing to answer")
        return
    for name, answers in verifier.by.items():
        if not any(key in answers for key in corpus.ids):
            location = f"answers {shorten(name)}"
            fault = f"answers about {join_names(map(str, answers), 40)}, and no document"
            yield Problem(
                verifier.sources.get(name, ""), location, f"{fault}; expected ids such as {shorten(corpus.ids[0])}"
            )


def _unanswered_notices(verifier: GivenAnswers, problem_ids: frozenset[str]) -> Iterator[str]:
    from showthrough.families.authorship.verifiers.recorded import ORIGINAL

    for name, answers in verifier.by.items():
        subject = "the originals" if name == ORIGINAL else shorten(name)
        if lacking := len(problem_ids - answers.keys()):
            yield (
                f"{shorten(verifier.name)}: about {subject} there is no answer "
                f"to {lacking} of {len(problem_ids)} problems; these count as unanswered, which may look safer than "
                f"it is"
            )
        if strangers := [key for key in answers if key not in problem_ids]:
            fault = f"{len(strangers)} answers are to no problem here: {join_names(strangers)}"
            yield f"{shorten(verifier.name)}: about {subject} {fault}"


FAMILY = _Authorship(
    "authorship",
    (VerifiersInput(), RatingsInput()),
    options=AuthorshipOptions,
    metrics={
        "safety": ("safety:Safety", {}),
        "soundness": ("soundness:Soundness", {}),
        "sensibleness": ("sensibleness:Sensibleness", {}),
        "known_words": ("known_words:KnownWords", {}),
        "perplexity": ("known_words:Perplexity", {}),
    },
    counting={"sense": RATINGS, "authors": "problems:"},
)
