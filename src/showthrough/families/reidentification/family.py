"""The re-identification family: its input is the attacker's background knowledge of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from showthrough.core.errors import InputError, PlanError, Problem, join_names, quote_value, shorten
from showthrough.core.families import Family, InputType

if TYPE_CHECKING:
    from showthrough.data.background import Background
    from showthrough.data.documents import Corpus
    from showthrough.evaluation.plan import Plan
    from showthrough.families._arguments import BackgroundArguments
    from showthrough.families.reidentification.attacks.recorded import Recorded
    from showthrough.metrics import Metric
    from showthrough.report.section import Section
    from showthrough.run.records import Input
    from showthrough.run.run import Run

EPSILON = "epsilon"  # a part of `distinguish`, here for reports that do not import the metric

BACKGROUND = "background"
_ATTACK = "trir"


@dataclass(frozen=True, kw_only=True)
class BackgroundOptions:
    """What an attacker knows, in files."""

    background: Annotated[
        str | tuple[str, ...] | Mapping[str, str] | None,
        Meta(title="FILE", description="What an attacker knows, for trir."),
    ] = None

    @property
    def files_by_key(self) -> Mapping[str, str]:
        """The files by the name under which metrics ask for them, which is empty where there is one alone."""
        value = self.background
        if isinstance(value, Mapping):
            return value
        files = () if value is None else (value,) if isinstance(value, str) else value
        if len(files) > 1:
            raise PlanError(f"found {len(files)}; expected one file; in a plan, several by name", BACKGROUND)
        return {"": files[0]} if files else {}


class BackgroundInput(InputType):
    """One background, or several that metrics ask for by name: by key, which is empty where there is one alone."""

    name = BACKGROUND
    named = False
    listed = True

    def read(self, options: BackgroundOptions, anonymizations: Sequence[str]) -> dict[str, Background] | None:
        from showthrough.formats.people.background import read_background
        from showthrough.storage.paths import as_path

        files = options.files_by_key
        return {key: read_background(as_path(file), name=key or None) for key, file in files.items()} or None

    def accept(self, arguments: BackgroundArguments) -> dict[str, Background] | None:
        from showthrough.data.background import Background

        value = arguments.background
        if value is None:
            return None
        if isinstance(value, Background):
            return {"": value}
        if isinstance(value, Mapping):
            return {"": Background(value)}
        if isinstance(value, str) or not all(isinstance(background, Background) for background in value):
            expected = "expected a Background: read_background"
            raise PlanError(f"found a value of type {type(value).__name__}; {expected}", BACKGROUND)
        by_name = {background.name: background for background in value}  # also where there is one
        return by_name if len(by_name) == len(value) else _RepeatedNames(value)

    def keys(self, options: BackgroundOptions) -> tuple[str, ...]:
        return tuple(options.files_by_key)

    def keys_of(self, value: Mapping[str, Background] | None) -> tuple[str, ...]:
        return tuple(value or ())

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        from showthrough.metrics import METRICS, with_parameters

        if any(BACKGROUND in metric.needs for metric in chosen):
            return ()  # who names one says which backgrounds are used
        return tuple(with_parameters(METRICS[_ATTACK], background=key) for key in keys)

    def items(self, value: Mapping[str, Background] | None) -> Sequence[Background]:
        return tuple((value or {}).values())

    def record(self, value: Mapping[str, Background], corpus: Corpus) -> list[Input]:
        from showthrough.run.records import Input

        return [
            Input(background.name, background.digest, len(background), background.source)
            for background in value.values()
        ]

    def describe(self, record: Input) -> str:
        return f"the background “{record.name}” of {record.documents:,} individuals"

    def former_records(self, run: Mapping[str, Any]) -> list[Any]:
        alone, several = run.get("background"), run.get("backgrounds") or {}
        named = several.values() if isinstance(several, Mapping) else [several]  # which is then refused
        return [*([alone] if alone else []), *named]


class _RepeatedNames(dict[str, "Background"]):
    """Backgrounds of which two have one name: the check of the plan says so."""

    def __init__(self, backgrounds: Sequence[Background]) -> None:
        super().__init__({background.name: background for background in backgrounds})
        self.names = [background.name for background in backgrounds]


class _Reidentification(Family):
    @property
    def arguments(self) -> type[BackgroundArguments]:
        from showthrough.families._arguments import BackgroundArguments

        return BackgroundArguments

    @property
    def section(self) -> Section:
        from showthrough.families.reidentification.report import SECTION

        return SECTION

    def doubts(self, run: Run) -> Iterable[str]:
        from showthrough.families.reidentification.report import weak_attackers

        return weak_attackers(run)

    def problems(self, plan: Plan) -> Iterable[Problem]:
        from showthrough.metrics import metric_text

        backgrounds: Mapping[str, Background] = plan.inputs.get(BACKGROUND) or {}
        if isinstance(backgrounds, _RepeatedNames):
            return [Problem("", BACKGROUND, f"found {join_names(backgrounds.names)}; expected unique names")]
        faults = [
            *recorded_problems(plan.metrics, backgrounds, [item.name for item in plan.anonymizations], plan.corpus.ids)
        ]
        using = [metric for metric in plan.metrics if BACKGROUND in metric.needs]
        keys = {metric_text(metric): metric.parameters.get(BACKGROUND, "") for metric in using}
        return [*_background_problems(backgrounds, keys, plan.corpus.ids), *faults]

    def relocate(self, options: BackgroundOptions, plan: Path) -> dict[str, Any]:
        from showthrough.evaluation.requests import seen_from

        if not options.files_by_key:
            return {}
        locations = {key: f"{BACKGROUND}.{shorten(key)}" if key else BACKGROUND for key in options.files_by_key}
        files = {key: seen_from(plan, file, locations[key]) for key, file in options.files_by_key.items()}
        return {BACKGROUND: files if isinstance(options.background, Mapping) else files[""]}

    def files(self, options: BackgroundOptions, metrics: Sequence[Metric]) -> list[Path]:
        from showthrough.storage.paths import as_path

        recorded = (path for metric in metrics for part in _recorded(metric) for path in part.paths.values())
        return [as_path(file) for file in (*options.files_by_key.values(), *recorded)]


def _recorded(metric: Metric) -> Iterator[Recorded]:
    """Its attacks whose answers come from files."""
    yield from (part.attack for part in getattr(metric, "recorded", ()))


def recorded_problems(
    metrics: Sequence[Metric],
    backgrounds: Mapping[str, Background],
    anonymizations: Sequence[str],
    documents: Sequence[str],
) -> Iterator[Problem]:
    """What is wrong with files that say whom somebody named."""
    for metric in metrics:
        background = backgrounds.get(metric.parameters.get(BACKGROUND, ""))
        if background is None:
            continue
        for attack in _recorded(metric):
            try:
                yield from attack.problems(anonymizations, documents, background.profiles.of)
            except InputError as error:
                yield from error.problems


def _background_problems(
    backgrounds: Mapping[str, Background], key_by_metric: Mapping[str, str], documents: Sequence[str]
) -> Iterator[Problem]:
    """What metrics, by text form, ask for under keys that there are not, and what nobody asks for."""
    if not backgrounds:
        none = "none was given, which the metric {} needs; expected --background FILE (in Python, background=…)"
        yield from (Problem("", BACKGROUND, none.format(text)) for text in key_by_metric)
        return
    keys = [key for key in backgrounds if key]
    choice = (
        f"one of the backgrounds {join_names(keys)}, such as trir(background={quote_value(keys[0])})"
        if keys
        else "no name"
    )
    wrong = {text: f"asks for the background {quote_value(key)}" if key else "names none"
             for text, key in key_by_metric.items() if key not in backgrounds}  # fmt: skip
    yield from (Problem("", f"metric {text}", f"{why}; expected {choice}") for text, why in wrong.items())
    clean = not wrong
    for key, background in backgrounds.items():
        if key in key_by_metric.values():
            faults = background.problems(documents)
            clean = clean and not faults
            yield from faults
        elif clean:
            subject = f"background {key}" if key else BACKGROUND
            clean = False
            yield Problem("", subject, "was given, but no metric asks for it; expected trir among the metrics")


FAMILY = _Reidentification(
    "reidentification",
    (BackgroundInput(),),
    options=BackgroundOptions,
    metrics={
        "trir": ("metric:ReIdentification", {}),
        "linkability": ("linkability:Linkability", {}),
        "distinguish": ("distinguish:Distinguishing", {}),
    },
)
