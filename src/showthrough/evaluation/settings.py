"""Every setting once: the command line, plan files and Python's `evaluate` follow from the fields of these classes.

A field has a name, a type and a default, and its `Meta` says the rest: `description` is its help, `title` what stands
for its value there, `ge`, `lt` and the like are its limits. Its `extra` may have other `flags` than `--name`, and
beside a `pattern` what is `expected`, in words. A field without a `Meta` is no option. Every value is held to the type
and the limits of its field, whoever gave it. Help lists an option under its `heading`, usually that of the class that
declares it, and after the others where it is `rare`.

What a run records is declared in `run`, what models are told in `resources`, and all else here. `Settings` has all of
it, and `FileSettings` also how files are read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cache, wraps
from os import PathLike, fspath
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta

from showthrough.core.errors import PlanError, Problem, quote_value, shorten
from showthrough.core.families import family_fields
from showthrough.data.offsets import Offsets
from showthrough.data.pairing import Extra, Pairing
from showthrough.data.retyping import Retyping
from showthrough.metrics import Metric, with_parameters
from showthrough.metrics.language import ENGLISH, in_language
from showthrough.models import function_words_from
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.settings import AskingSettings, ModelSettings
from showthrough.run.settings import RecordedSettings
from showthrough.storage.reading import type_fault

if TYPE_CHECKING:
    from showthrough.core.families import FamilyOptions
else:
    FamilyOptions = family_fields("options")

Part = TypeVar("Part")
Made = TypeVar("Made")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")
Names = str | Collection[str]

_CLUSTER = {"heading": "Cluster"}
_RARE = {"rare": True}
_OF_TYPES = ("map", "direct", "quasi", "ignore", "may")


@dataclass(frozen=True, kw_only=True)
class Settings(ModelSettings, AskingSettings, RecordedSettings):
    """How anonymizations are to be evaluated, but for the inputs."""

    heading: ClassVar[str] = "What is scored"

    function_words: Annotated[
        str | None,
        Meta(
            title="SOURCE",
            description="Words that need not be masked: lexicon-en.1, none, spacy:PIPELINE.",
            extra=_RARE,
        ),
    ] = None
    language: Annotated[
        str, Meta(title="CODE", description=f"Language of the documents, for word lists: {', '.join(CLOSED_CLASSES)}.")
    ] = ENGLISH
    map: Annotated[
        str | Mapping[str, str],
        Meta(title="FROM=TO", description="Take a type as another, e.g. LOCATION=LOC; may be repeated."),
    ] = ""
    direct: Annotated[
        Names, Meta(title="TYPE", description="Mentions of this type identify directly; may be repeated.")
    ] = ()
    quasi: Annotated[
        Names, Meta(title="TYPE", description="Mentions of this type identify together with others; repeatable.")
    ] = ()
    ignore: Annotated[
        Names, Meta(title="TYPE", description="Take mentions of this type as not marked; may be repeated.")
    ] = ()
    may: Annotated[
        Names, Meta(title="TYPE", description="This type, or NO_MASK, may be masked or stay: it counts neither way.")
    ] = ()
    slices: Annotated[
        str | tuple[str, ...],
        Meta(
            title="FIELD",
            description="Score groups too: by a field or column, id:REGEX, type or identifier; may be repeated.",
            extra={"flags": ("--slice",)},
        ),
    ] = ()
    pairing: Annotated[
        Pairing, Meta(description="Whether to refuse releases that look like another document's.", extra=_RARE)
    ] = "check"
    references: Annotated[bool, Meta(description="Score nothing masked and everything masked as well.")] = True
    sweeps: Annotated[bool, Meta(description="If masks have scores, also score the surer ones alone.", extra=_RARE)] = (
        True
    )
    seen: Annotated[bool, Meta(description="Allow documents that a model was trained on; a note says so.")] = False
    vectors: Annotated[
        str | None,
        Meta(
            title="NAME",
            description="Word vectors for soundness: spacy:PIPELINE, or a GloVe or word2vec text file.",
            extra=_RARE,
        ),
    ] = None
    jobs: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            title="N",
            description="Processes that share the work. The default is 1; with Ray, one for each core.",
            extra={"flags": ("-j", "--jobs"), **_CLUSTER},
        ),
    ] = None
    engine: Annotated[
        Literal["local", "ray"],
        Meta(description="Where the work is done: on this machine, or on a Ray cluster.", extra=_CLUSTER),
    ] = "local"
    address: Annotated[
        str | None,
        Meta(
            title="HOST:PORT|auto",
            description="Address of a Ray cluster; without one, Ray uses this machine.",
            extra=_CLUSTER,
        ),
    ] = None
    types: str = field(default="", init=False)  # what these five say of types, in one line

    def __post_init__(self) -> None:
        if isinstance(self.recordings, PathLike):
            object.__setattr__(self, "recordings", fspath(self.recordings))
        types = self.retyping
        for name in _OF_TYPES:
            object.__setattr__(self, name, getattr(types, name))
        object.__setattr__(self, "types", str(types))

    @property
    def retyping(self) -> Retyping:
        """What types are to be taken for; raises PlanError where that contradicts itself."""
        return Retyping.of(self.map, self.direct, self.quasi, self.ignore, self.may)

    @property
    def recorded_settings(self) -> RecordedSettings:
        return self.part(RecordedSettings)

    @property
    def models(self) -> ModelSettings:
        return self.part(ModelSettings)

    def part(self, kind: type[Part]) -> Part:
        """The fields of a class that this one has them from."""
        return kind(**{attribute.name: getattr(self, attribute.name) for attribute in fields(kind) if attribute.init})  # type: ignore[arg-type]

    def overridden(self, overrides: Mapping[str, Any]) -> Self:
        """The same but for what is said beside it; of types that are not named there, what was said before."""
        types = Retyping.of(**{name: overrides[name] for name in _OF_TYPES if name in overrides}).over(self.retyping)
        return replace(self, **{**overrides, **{name: getattr(types, name) for name in _OF_TYPES}})

    def pinning(self, pins: Iterable[str]) -> Self:
        """The same, where signatures say more of types."""
        changed = copy(self)
        object.__setattr__(changed, "types", ";".join(filter(None, (self.types, *pins))))
        return changed

    def applied_to(self, metric: Metric) -> Metric:
        """A metric with the function words and the language that are set; other word lists that it names itself stay.

        Raises PlanError for function words that there are not, also where the metric has none, and for a language that
        lacks a list that the metric needs.
        """
        if self.function_words:
            function_words_from(self.function_words)
            metric = with_parameters(metric, function_words=self.function_words)
        if self.vectors:
            metric = with_parameters(metric, vectors=self.vectors)
        return in_language(metric, self.language, words=not self.function_words)


@dataclass(frozen=True, kw_only=True)
class FileSettings(Settings, FamilyOptions):
    """The same for inputs in files, and how these are read."""

    heading: ClassVar[str] = Settings.heading

    format: Annotated[
        str | None,
        Meta(
            title="NAME",
            description="Format of the corpus, and of other files with its ending; see list formats.",
        ),
    ] = None
    group_by: Annotated[
        str | None,
        Meta(
            title="FIELD|id:REGEX",
            description="What documents of one patient or author share: a field, a column, or a piece of the id.",
        ),
    ] = None
    id_column: Annotated[
        str | None, Meta(title="NAME", description="The column or key that holds ids; usually doc_id or id.")
    ] = None
    text_column: Annotated[
        str | None,
        Meta(
            title="NAME",
            description="The column or key that holds the (original) texts; usually text.",
            extra={"flags": ("--text-column", "--original")},
        ),
    ] = None
    released: Annotated[
        Names,
        Meta(title="NAME", description="A column beside the originals that holds released texts; may be repeated."),
    ] = ()

    names: Annotated[
        str | None,
        Meta(
            title="TABLE",
            description="What a table says of documents (doc_id) or of people (name), for --slice.",
            extra=_RARE,
        ),
    ] = None

    extra: Annotated[Extra, Meta(description="What to do about a document that is in an anonymization alone.")] = (
        "error"
    )
    offsets: Annotated[
        Offsets | None,
        Meta(
            title="characters|utf-16|bytes",
            description="What offsets in files count: Unicode code points, UTF-16 units or bytes of UTF-8.",
            extra=_RARE,
        ),
    ] = None

    @property
    def columns(self) -> dict[str, str | None]:
        return {"id_column": self.id_column, "text_column": self.text_column}


class Option(NamedTuple):
    """A field as a user meets it: an option, a key of a plan, an argument."""

    name: str
    type: Any
    default: Any
    help: str
    metavar: str | None = None
    expected: str = ""
    flags: tuple[str, ...] = ()
    heading: str = ""
    rare: bool = False


@cache
def _hints_of(kind: type[Any]) -> dict[str, Any]:
    """The types of its fields with what stands beside them: to find them takes a millisecond or two."""
    return get_type_hints(kind, include_extras=True)


def options_of(kind: type, *names: str) -> dict[str, Option]:
    """The options among the fields of a class, its own before those of others; or some of them, as they are named."""
    options = _all_options_of(kind)
    return {name: options[name] for name in names or options}


@cache
def _all_options_of(kind: type[Any]) -> dict[str, Option]:
    hints = _hints_of(kind)  # type: ignore[arg-type]  # a class has a hash
    declared = dict.fromkeys(name for base in kind.__mro__ for name in inspect.get_annotations(base))
    defaults = {attribute.name: attribute.default for attribute in fields(kind)}
    chosen = (name for name in declared if any(isinstance(annotation, Meta) for annotation in get_args(hints[name])))
    options = {name: _option(name, hints[name], defaults[name]) for name in chosen}
    headings = {
        name: vars(base).get("heading", "") for base in reversed(kind.__mro__) for name in inspect.get_annotations(base)
    }
    usual = getattr(kind, "heading", "")  # of what families declare
    return {
        name: option._replace(heading=option.heading or headings[name] or usual) for name, option in options.items()
    }


def _option(name: str, hint: Any, default: Any) -> Option:
    kind, meta = get_args(hint)
    extra = {"expected": _expectation(hint), **(meta.extra or {})}
    if get_origin(kind) is Literal:
        return Option(name, str, default, meta.description, "|".join(get_args(kind)), **extra)
    if get_origin(kind) is Union:  # the limits of one of several are for the check alone
        members = (get_args(member)[0] if get_origin(member) is Annotated else member for member in get_args(kind))
        kind = Union[tuple(members)]  # noqa: UP007 (the members are known at run time alone)
    return Option(name, kind, default, meta.description, meta.title, **extra)


def _expectation(hint: Any) -> str:
    """What a value may be by its choices or its limits; nothing where its type says all."""
    kinds = get_args(hint)
    if get_origin(hint) is Literal:
        return f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    if get_origin(hint) is Annotated:
        return _limits(kinds[1]) or _expectation(kinds[0])
    if get_origin(hint) in (Union, UnionType):
        return next(filter(None, map(_expectation, kinds)), "")
    return ""


def _limits(meta: Meta) -> str:
    """What a number may be."""
    if meta.gt is not None:
        return f"a number between {meta.gt} and {meta.lt}"
    if meta.ge is None:
        return ""
    return f"{meta.ge} or more" if meta.le is None else f"{meta.ge} to {meta.le}"


def settings_problems(settings: object) -> list[Problem]:
    """One for each value that is of another type than its field, or past its limits."""
    kind: type[Any] = type(settings)
    hints = _hints_of(kind)  # type: ignore[arg-type]  # a class has a hash
    problems = []
    for option in options_of(kind).values():
        value = getattr(settings, option.name)
        try:
            msgspec.convert(value, hints[option.name])
        except msgspec.ValidationError as error:
            field, message = type_fault(error, option.name)
            if option.expected and ", got " not in str(error):
                message = f"found {quote_value(value)}; expected {option.expected}"
            elif option.expected and message.endswith("; expected text"):
                message = f"{message.removesuffix('text')}{option.expected}"
            problems.append(Problem("", field, message.replace("null", "None")))
    return problems


def takes_arguments_of(
    kind: Callable[Arguments, Made],
) -> Callable[[Callable[[Made], Result]], Callable[Arguments, Result]]:
    """A function that takes what a class is made of: type checkers, `help` and `inspect.signature` see every argument.

    Raises PlanError for one that there is not.
    """
    hints = get_type_hints(kind)
    parameters = {
        name: parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(kind).parameters.items()
    }

    def decorate(function: Callable[[Made], Result]) -> Callable[Arguments, Result]:
        @wraps(function)
        def called(*args: Arguments.args, **values: Arguments.kwargs) -> Result:
            if strangers := [name for name in values if name not in parameters]:
                raise PlanError(f"unknown argument; expected one of {', '.join(parameters)}", shorten(strangers[0]))
            return function(kind(*args, **values))

        settings = [f"{option.name}: {option.help}" for option in options_of(kind).values()]  # type: ignore[arg-type]
        called.__doc__ = "\n    ".join([(function.__doc__ or "").rstrip(), "", *settings])
        called.__signature__ = inspect.Signature([*parameters.values()])  # type: ignore[attr-defined]
        return called

    return decorate
