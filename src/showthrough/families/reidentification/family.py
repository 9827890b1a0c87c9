"""Re-identification: what an attacker knows of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from showthrough.core.families import Family, InputType
from showthrough.errors import PlanError, Problem, quoted, shown, some

if TYPE_CHECKING:
    from showthrough.data.background import Background
    from showthrough.data.documents import Corpus
    from showthrough.evaluation.plan import Plan
    from showthrough.families._arguments import BackgroundArguments
    from showthrough.metrics import Metric
    from showthrough.run.records import Input

NAME = "background"
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
        given = self.background
        if isinstance(given, Mapping):
            return given
        files = () if given is None else (given,) if isinstance(given, str) else given
        if len(files) > 1:
            raise PlanError(f"found {len(files)}; expected one file; in a plan, several by name", NAME)
        return {"": files[0]} if files else {}


class BackgroundInput(InputType):
    """One background, or several that metrics ask for by name: by key, which is empty where there is one alone."""

    name = NAME
    named = False

    def read(self, options: BackgroundOptions, anonymizations: Sequence[str]) -> dict[str, Background] | None:
        from showthrough.files.places import place_of
        from showthrough.formats.background import read_background

        files = options.files_by_key
        return {key: read_background(place_of(file), name=key or None) for key, file in files.items()} or None

    def accept(self, arguments: BackgroundArguments) -> dict[str, Background] | None:
        from showthrough.data.background import Background

        given = arguments.background
        if given is None:
            return None
        if isinstance(given, Background):
            return {"": given}
        if isinstance(given, Mapping):
            return {"": Background(given)}
        if isinstance(given, str) or not all(isinstance(each, Background) for each in given):
            expected = "expected a Background: read_background"
            raise PlanError(f"found a value of type {type(given).__name__}; {expected}", NAME)
        by_name = {each.name: each for each in given}  # also where there is one
        return by_name if len(by_name) == len(given) else _Repeated(given)

    def keys(self, options: BackgroundOptions) -> tuple[str, ...]:
        return tuple(options.files_by_key)

    def keys_of(self, value: Mapping[str, Background] | None) -> tuple[str, ...]:
        return tuple(value or ())

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        from showthrough.metrics import METRICS, with_parameters

        return tuple(with_parameters(METRICS[_ATTACK], background=key) for key in keys) if by_default else ()

    def items(self, value: Mapping[str, Background] | None) -> Sequence[Background]:
        return tuple((value or {}).values())

    def record(self, value: Mapping[str, Background], corpus: Corpus) -> list[Input]:
        from showthrough.run.records import Input

        return [Input(each.name, each.digest, len(each), each.source) for each in value.values()]

    def former_records(self, run: Mapping[str, Any]) -> list[Any]:
        alone, several = run.get("background"), run.get("backgrounds") or {}
        named = several.values() if isinstance(several, Mapping) else [several]  # which is then refused
        return [*([alone] if alone else []), *named]


class _Repeated(dict[str, "Background"]):
    """Backgrounds of which two have one name: the check of the plan says so."""

    def __init__(self, given: Sequence[Background]) -> None:
        super().__init__({each.name: each for each in given})
        self.names = [each.name for each in given]


class _Reidentification(Family):
    @property
    def arguments(self) -> type[BackgroundArguments]:
        from showthrough.families._arguments import BackgroundArguments

        return BackgroundArguments

    def problems(self, plan: Plan) -> Iterable[Problem]:
        from showthrough.metrics import metric_text

        known: Mapping[str, Background] = plan.inputs.get(NAME) or {}
        if isinstance(known, _Repeated):
            return [Problem("", NAME, f"found {some(known.names)}; expected unique names")]
        using = [metric for metric in plan.metrics if NAME in metric.needs]
        return _problems(known, {metric_text(each): each.parameters.get(NAME, "") for each in using}, plan.corpus.ids)

    def relocate(self, options: BackgroundOptions, plan: Path) -> dict[str, Any]:
        from showthrough.evaluation.requests import seen_from

        if not options.files_by_key:
            return {}
        places = {key: f"{NAME}.{shown(key)}" if key else NAME for key in options.files_by_key}
        files = {key: seen_from(plan, file, places[key]) for key, file in options.files_by_key.items()}
        return {NAME: files if isinstance(options.background, Mapping) else files[""]}

    def files(self, options: BackgroundOptions, metrics: Sequence[Metric]) -> list[Path]:
        from showthrough.files.places import place_of

        return [place_of(file) for file in options.files_by_key.values()]


def _problems(known: Mapping[str, Background], asked: Mapping[str, str], documents: Sequence[str]) -> Iterator[Problem]:
    """What metrics, by text form, ask for under keys that there are not, and what nobody asks for."""
    if not known:
        none = "none was given, which the metric {} needs; expected --background FILE (in Python, background=…)"
        yield from (Problem("", NAME, none.format(text)) for text in asked)
        return
    keys = [key for key in known if key]
    which = f"one of the backgrounds {some(keys)}, such as trir(background={quoted(keys[0])})" if keys else "no name"
    wrong = {text: f"asks for the background {quoted(key)}" if key else "names none"
             for text, key in asked.items() if key not in known}  # fmt: skip
    yield from (Problem("", f"metric {text}", f"{why}; expected {which}") for text, why in wrong.items())
    clean = not wrong
    for key, background in known.items():
        if key in asked.values():
            faults = background.problems(documents)
            clean = clean and not faults
            yield from faults
        elif clean:
            what = f"background {key}" if key else NAME
            clean = False
            yield Problem("", what, "was given, but no metric asks for it; expected trir among the metrics")


FAMILY = _Reidentification("reidentification", (BackgroundInput(),), options=BackgroundOptions)
