"""Families of metrics: what each brings beside its metrics, and the registry of them.

A family declares inputs (what else is read, such as what an attacker knows), options of the command line and of plans,
arguments of Python's `evaluate`, checks and notes. An evaluation carries one mapping of inputs by name and asks the
families what each of them means, so it names none.

Built-in families are the packages of `showthrough.families`, each with a module `family`. Another package declares its
own in the entry-point group `showthrough.families`:

    [project.entry-points."showthrough.families"]
    ours = "our_package.family:FAMILY"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from showthrough.core.errors import PlanError, shorten
from showthrough.core.plugins import Registry, value_of

if TYPE_CHECKING:  # later packages, whose values pass through here; and the fields of our families, for type checkers
    from showthrough.core.errors import Problem
    from showthrough.data.documents import Corpus
    from showthrough.evaluation.plan import Plan
    from showthrough.evaluation.requests import EvaluationRequest
    from showthrough.families._fields import FamilyArguments as FamilyArguments, FamilyOptions as FamilyOptions
    from showthrough.metrics import Metric
    from showthrough.models import Resources
    from showthrough.models.chat.base import AnswerSource
    from showthrough.report.section import Section
    from showthrough.run.gate.checks import RuleCheck
    from showthrough.run.records import Input, MetricRecord
    from showthrough.run.run import Run
    from showthrough.storage.file_heads import Head

Inputs = Mapping[str, Any]  # what families read, by the name of the input


class InputType:
    """One input of a family: how it is read, which metrics belong to it, and what a run records of it.

    A metric asks for an input by having its name among its `needs`. A value is whatever the family chooses, and `None`
    where nothing was given.
    """

    name: ClassVar[str]
    travels: ClassVar[bool] = False  # whether metrics of single documents need it, which run in workers too
    named: ClassVar[bool] = True  # whether rows depend on the names of what was given, beside its content
    listed: ClassVar[bool] = False  # whether it is texts, which the page lists beside the corpus with their digests

    def read(self, options: Any, anonymizations: Sequence[str]) -> Any:
        """The value that options name, of anonymizations of these names. Raises InputError with all that is wrong."""
        return None

    def accept(self, arguments: Any) -> Any:
        """The value that a Python program hands over. Raises PlanError for what is none."""
        return None

    def keys(self, options: Any) -> tuple[str, ...]:
        """The names under which metrics can ask for what options name; nothing is read to find out."""
        return ()

    def keys_of(self, value: Any) -> tuple[str, ...]:
        """The same of a value."""
        return () if value is None else ("",)

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        """The metrics to add to those that were chosen, by a user or by default."""
        return ()

    def items(self, value: Any) -> Sequence[Any]:
        """What a value consists of, each with a name and perhaps a source."""
        return () if value is None else (value,)

    def record(self, value: Any, corpus: Corpus) -> list[Input]:
        """What a run keeps of it."""
        raise NotImplementedError

    def retype(self, value: Any, corpus: Corpus) -> Corpus:
        """The corpus with what a value says of types."""
        return corpus

    def pin_types(self, value: Any) -> str:
        """What every signature then says of it, as `name=value`."""
        return ""

    def applies(self, corpus: Corpus) -> bool:
        """Whether a corpus has what it is about."""
        return True

    def pin(self, records: Sequence[Input], metric: MetricRecord) -> str:
        """What the signature of a metric says of it: all of it, or what a parameter of its name chooses."""
        if self.name in metric.parameters:
            chosen = record_for(self.name, records, metric)
            records = [] if chosen is None else [chosen]
        return ",".join(f"{record.name}@{record.digest[:8]}" for record in records)

    def describe(self, record: Input) -> str:
        """What a sentence calls it, by its record."""
        return f"the {self.name} “{record.name}”"

    def former_records(self, run: Mapping[str, Any]) -> list[Any]:
        """Its records in a run file of before there was one mapping of inputs, as JSON values."""
        return []


def record_for(name: str, records: Sequence[Input], metric: MetricRecord) -> Input | None:
    """Of an input the record that a metric chooses by a parameter of its name; the only one where it names none."""
    key = metric.parameters.get(name)
    if key == "":
        return records[0] if records else None
    return next((record for record in records if record.name == key), None)


@dataclass(frozen=True)
class Family:
    """What a family brings. Its classes of options and arguments are frozen dataclasses of keywords.

    Options are declared as all settings are: annotated with a `Meta` that has their help.
    """

    name: str = ""
    inputs: tuple[InputType, ...] = ()
    options: type | None = None
    # Its metrics by name: where each class is, seen from the family's package, and what differs from its defaults. A
    # class is imported when somebody asks for the metric, so that who counts masks does not wait for models.
    metrics: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    # Its metrics that people are scored by against each other, where nobody says which.
    ceiling: tuple[str, ...] = ()
    # Of its metrics that may leave most documents aside, by role: how columns begin that are not zero where one counts.
    counting: Mapping[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> type | None:
        """What it takes from Python programs, imported when one calls."""
        return None

    @property
    def section(self) -> Section | None:
        """What it says of a run in reports, imported when somebody makes one."""
        return None

    def problems(self, plan: Plan) -> Iterable[Problem]:
        """What keeps its inputs from being used as they were given; found before any work starts."""
        return ()

    def content_problems(self, plan: Plan) -> Iterable[Problem]:
        """The same of what only shows once documents and anonymizations are known to belong together."""
        return ()

    def notices(self, plan: Plan) -> list[str]:
        """What a reader must know of its inputs before believing the numbers, a sentence each."""
        return []

    def doubts(self, run: Run) -> Iterable[str]:
        """Why its numbers show nothing of any anonymization of a run, a sentence each: its attacker is too weak."""
        return ()

    def checks(self, run: Run, name: str) -> Iterable[RuleCheck]:
        """What the gate asks of an anonymization beside thresholds: rules that a release must keep."""
        return ()

    def ranking(self, function_words: str, metrics: Sequence[Metric]) -> tuple[Metric, ...]:
        """The metrics whose `leaks` tell which documents are at most risk; the first weighs most."""
        return ()

    def asked(self, names: Sequence[str], resources: Resources) -> list[AnswerSource]:
        """What a run records of those who were asked, by the names that metrics give (`Metric.asks`)."""
        return []

    @property
    def reads_requests(self) -> bool:
        """Whether it reads configurations of another tool, and can say what is wrong with a file that is none."""
        return False

    def is_request(self, head: Head) -> bool:
        """Whether a file is a configuration of another tool, which `read_request` reads."""
        return False

    def read_request(self, path: Path) -> EvaluationRequest:
        """What a configuration of another tool asks to be evaluated."""
        raise NotImplementedError

    def relocate(self, options: Any, plan: Path) -> dict[str, Any]:
        """The options that name files, with files as seen from where a plan lies."""
        return {}

    def files(self, options: Any, metrics: Sequence[Metric]) -> list[Path]:
        """All files and folders that its options and metrics name."""
        return []


def _check_family(name: str, brought: object) -> Family:
    family: Family = value_of(Family, "family", name, brought)
    location = f"family {shorten(name)}"
    # Ours are tested, and their arguments name values of many modules: imported where a program calls.
    for cls in filter(None, (family.options, family.arguments) if name not in _built_in() else ()):
        try:
            fields(cls)
            make_dataclass("Tried", [], bases=(cls,), frozen=True, kw_only=True)()
        except Exception as error:  # whatever a package of somebody else declares: it must not keep others from working
            why = f"{cls.__name__} cannot be used: {type(error).__name__}: {error}"
            raise PlanError(f"{why}; expected a frozen dataclass of keywords, each with a default", location) from error
    return family


def _built_in() -> dict[str, str]:
    package = "showthrough.families"
    return {name: f"{package}.{name}.family:FAMILY" for name in import_module(package).BUILT_IN}


FAMILIES: Registry[Family] = Registry("families", {}, _check_family, lazy=_built_in())


def families() -> list[Family]:
    """All that can be imported, the built-in ones first."""
    return [*FAMILIES.sound().values()]


def ranking_metrics(function_words: str, metrics: Sequence[Metric] = ()) -> list[Metric]:
    """What shows which documents are at most risk, by all families."""
    return [metric for family in families() for metric in family.ranking(function_words, metrics)]


def input_types() -> list[InputType]:
    return [input_type for family in families() for input_type in family.inputs]


def input_type(name: str) -> InputType | None:
    return next((candidate for candidate in input_types() if candidate.name == name), None)


@lru_cache
def _fields(kind: Literal["options", "arguments"], names: tuple[str, ...]) -> type:
    bases = tuple(declared for name in names if (declared := getattr(FAMILIES[name], kind)) is not None)
    return make_dataclass(f"Family{kind.capitalize()}", [], bases=bases, frozen=True, kw_only=True)


def family_fields(kind: Literal["options", "arguments"]) -> type:
    """A dataclass with the options or arguments of all families."""
    return _fields(kind, tuple(FAMILIES.sound()))
