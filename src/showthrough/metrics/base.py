"""What a metric is: a frozen value that turns documents into rows, and rows into numbers."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import check_choices, parameters
from showthrough.core.errors import Problem, ResourceError, quote_value
from showthrough.core.plugins import describe_error, is_plugin
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.retyping import Retyping
from showthrough.metrics.chunk import Anonymized, Chunk, HidingRule
from showthrough.models import Resources, function_word_models, function_words_from
from showthrough.statistics.rows import Rows, Totals

Group = Literal["privacy", "utility", "both", "neither"]
SMALLEST, LARGEST = 1e-100, 1e15  # numbers of a row, 0 aside
HEADLINE = ""  # the part that a metric is known by
OUTSIDE = "outside"  # a column: items unlike what a model learned from, of any feature or of one
Count = Literal["right", "wrong", "all"]
Role = Literal[
    "direct identifiers",
    "quasi-identifiers",
    "release",
    "recall",
    "precision",
    "information",
    "words",
    "attack",
    "inference",
    "attributes",
    "F, P and R",
    "inconsistency",
    "residual",
    "authors",
    "reconstruction",
    "linkage",
    "distinguishing",
    "sense",
    "meaning",
]
# What reports may take a metric for, whatever it is called, and what they then rely on.
ROLES: dict[Role, str] = {
    "direct identifiers": "the share of direct identifiers that are hidden, with their counts (`right` and `all`), "
    "and by type those that are not (`leaked:TYPE`), where known",
    "quasi-identifiers": "the same of quasi-identifiers",
    "release": "identifiers are looked for in the whole release, not only where they were marked. The parts `left:…` "
    "say how they can be read; `nearly`, `generalized` and `chance` are further parts; places are the evidence",
    "recall": "the share of what annotators marked that is hidden",
    "precision": "the share of what is masked that annotators marked",
    "information": "how much of the information is left, replacements included",
    "words": "how much of the information is left in words that are still there",
    "attack": "the share of documents whose individual is found, with the parts `chance` and `ceiling`",
    "inference": "the share of true attributes of people that an attacker does not infer. It has the parts "
    "`success`, `control:…` and `risk:…`; what was inferred is the evidence",
    "attributes": "the share of true attributes of authors that an attacker's first guess gets right. It has the "
    "parts `top-3`, `control:…` and `risk:…`, and the same evidence",
    "reconstruction": "the share of masked mentions that a guesser recovers, with the parts `control`, `risk` and "
    "`words`, and the parameter `guesser`",
    "linkage": "how well documents of one person are told from others in a release, with the part `control`",
    "distinguishing": "how often a release is traced to the right one of two originals, with the part `epsilon`",
    "F, P and R": "F, with precision and recall as the parts `P` and `R`",
    "inconsistency": "the share of masked strings that can be read elsewhere, with their counts (`wrong` and `all`)",
    "sense": "how sensible people find what was written, from 0 to 2, with the parts `rater:NAME`, `kappa` and `alpha`",
    "residual": "what a detector still finds, with its counts (`wrong`) and the parameter `detector`",
    "meaning": "how much of what passages say is kept, from 0 to 5, and the passages that lost most as evidence",
    "authors": "how well authors are recognised, with the parts `c@1:NAME`, `before:NAME` and `lost:NAME` of each",
}


# Methods by their names of 0.1: what a metric of a package declares under one of them counts, for one release.
_FORMER = {
    "bounded": "is_bounded", "one_each": "unit_change", "lacking": "missing_resource", "hiding": "hiding_rule",
    "taken_for": "infer_types", "retyped": "with_types",
}  # fmt: skip


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """part / whole, and NaN (undefined, not zero) where the whole is 0."""
    above, below = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    undefined = np.full(np.broadcast(above, below).shape, np.nan)
    return np.asarray(np.divide(above, below, out=undefined, where=below != 0))


@dataclass(frozen=True)
class Metric(ABC):
    """A name, a version and parameters. Two equal metrics give equal numbers.

    A subclass is a frozen dataclass whose fields are the parameters. `bind` is called once for a chunk of documents
    (all of them, where `scope` is "corpus") and returns a function from a look at one anonymization to its rows.
    `combine` turns summed rows into values by part: the headline under `HEADLINE`, others by name. It works on arrays
    of any shape, so the same code gives the number and all of its resamples; NaN means undefined.
    """

    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[str]] = frozenset()
    group: ClassVar[Group]
    scope: ClassVar[Literal["document", "corpus"]] = "document"
    slow: ClassVar[bool] = False  # a million characters may take minutes, though it asks no model
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    unbounded: ClassVar[tuple[str, ...]] = ()  # parts that may lie below 0 or above 1
    apart: ClassVar[bool] = True  # whether documents can be drawn and exchanged one by one
    undefined: ClassVar[str]  # why there may be no value
    tells: ClassVar[str] = ""  # what it can tell where nobody marked anything, such as "how much text is left"
    spans_and_types: ClassVar[bool] = False  # it compares these alone: neither how they identify nor what is written
    reads_release: ClassVar[bool] = False  # whether it looks for identifiers anywhere in the released text
    fixed: ClassVar[tuple[tuple[str, str], ...]] = ()  # choices that are no parameter but belong to the signature
    counts: ClassVar[tuple[tuple[str, Count], ...]] = ()  # which columns count what is right, wrong, or all
    dictionaries: ClassVar[tuple[str, ...]] = ()  # parameters that name a list of words, such as wordfreq:en

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        for former, present in _FORMER.items():
            if former in vars(cls) and present not in vars(cls):
                warn(f"{cls.__name__}.{former} is now {present}", DeprecationWarning, 3)
                setattr(cls, present, vars(cls)[former])

    def __post_init__(self) -> None:
        """Raises PlanError when a parameter has none of the words that it takes."""
        check_choices(self)

    @abstractmethod
    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]: ...

    @abstractmethod
    def combine(self, totals: Totals) -> dict[str, Floats]: ...

    def totals(self, rows: Rows) -> Totals:
        """The sums of the rows, or of what a metric whose rows are labels counts from them."""
        return rows.totals()

    def is_bounded(self, part: str) -> bool:
        """Whether a part lies between 0 and 1, as a share does."""
        return part not in self.unbounded

    def limits(self, part: str) -> tuple[float, float] | None:
        """Between which values a part lies; `None` where nothing bounds it above."""
        return (0.0, 1.0) if self.is_bounded(part) else None

    def unit_change(self, part: str, totals: Totals) -> float:
        """What a part would be with one in every document: where none was seen, its interval is in this unit.

        At an end of other limits than 0 and 1: by how much it would be away from there.
        """
        return 1.0

    def interval_fault(self, part: str) -> str:
        """Why a part can have no interval from resampled documents; empty where it can."""
        return ""

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        """The interval of a part that has a formula of its own; `units` are documents, or groups of them."""
        return None

    def test_fault(self, part: str) -> str:
        """Why two anonymizations cannot be tested on a part by exchanging documents; empty where they can."""
        return ""

    def why_undefined(self, part: str, totals: Totals) -> str:
        """Why a part has no value at some sums."""
        return self.undefined

    def by_chance(self, anonymized: Anonymized, other_documents: Sequence[Sequence[int]]) -> dict[str, float | None]:
        """Parts that no rows make: what would be found by chance, of each document in others, by number."""
        return {}

    def leaks(self, rows: Rows) -> Floats:
        """How much of each document can still be read; asked of metrics that rank documents by their risk."""
        raise NotImplementedError

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        """What a reader must know of the rows of all anonymizations, by name; a sentence each."""
        return []

    @property
    def models(self) -> dict[str, str]:
        """The models that it asks for: the parameter that names each, and its name."""
        return {}

    @property
    def missing_resource(self) -> str:
        """What has to be on this machine and is not, and how to get it. Users see it before anything is read."""
        return ""

    @property
    def asks(self) -> tuple[str, ...]:
        """Who infers or judges for it, by name, such as `reader` or `llm:gpt-4.1-mini`."""
        return ()

    @property
    def attackers(self) -> tuple[str, ...]:
        """Who attacks for it, by name, such as `reader` or `lexical`: those that must not have made the release."""
        return ()

    def shows(self, name: str) -> tuple[str, ...]:
        """What somebody whom it asks gets to see beside released texts, such as `the originals`."""
        return ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of documents that it reads, as `--slice` spells them: files are read with these."""
        return ()

    @property
    def asks_late(self) -> bool:
        """Whether it has to load or train models before it knows what it asks."""
        return False

    @property
    def title(self) -> str:
        """Its name as people read it, such as `Direct identifiers hidden`."""
        raise AttributeError("title")  # each states its own

    @property
    def summary(self) -> str:
        """What it measures, in one sentence: the first line of its docstring, unless parameters decide."""
        return (inspect.getdoc(self) or "").partition("\n")[0]

    @property
    def explanation(self) -> str:
        """The summary, and what its docstring says before an example."""
        rest = (inspect.getdoc(self) or "").partition("\n")[2].partition(">>>")[0]
        return f"{self.summary}\n{rest}".strip()

    @property
    def roles(self) -> tuple[Role, ...]:
        """What reports may take it for (`ROLES`), whatever it is called."""
        return ()

    @property
    def neutral(self) -> tuple[str, ...]:
        """Parts, or measures of them, that only describe."""
        return ()

    @property
    def only_language(self) -> str:
        """The one language that it can read, such as `en`; empty where it reads any."""
        return ""

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What its signature says beside the parameters."""
        return self.fixed

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        """What keeps this metric from scoring an anonymization; asked before any work starts."""
        return []

    @property
    def hiding_rule(self) -> HidingRule | None:
        """When a mention is hidden to it, if it shows what can still be read of mentions."""
        return None

    def types_in(self, anonymization: Anonymization) -> frozenset[str]:
        """The entity types that it reads in an anonymization."""
        return frozenset()

    def infer_types(self, types: Iterable[str], anonymization: Anonymization) -> dict[str, str]:
        """The types that it reads in an anonymization and takes for others, which are among these of the corpus."""
        return {}

    def with_types(self, types: Retyping, read: frozenset[str]) -> Metric:
        """The same, knowing what a user says of types; `read` are those it reads in the anonymizations."""
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        return parameters(self)


class FunctionWordsMetric(Metric):
    """A metric with the parameter `function_words`: words that it leaves aside."""

    function_words: str

    def __post_init__(self) -> None:
        """Raises PlanError for a source of words that there is not, too."""
        super().__post_init__()
        function_words_from(self.function_words)

    @property
    def models(self) -> dict[str, str]:
        return function_word_models(self.function_words)


def beyond(column: ArrayLike) -> bool:
    """Whether one of these numbers is none of a metric's, and would be infinite or nothing in a product of two."""
    sizes = np.abs(np.asarray(column, dtype=np.float64))
    return bool(((sizes > LARGEST) | ((sizes > 0) & (sizes < SMALLEST))).any())


def failure_of(metric: Metric, error: Exception) -> str:
    """Why a metric failed; what is no failure of a metric is raised again."""
    if isinstance(error, ResourceError):
        return str(error)
    return f"{type(metric).__name__} {describe_error(error, ours=not is_plugin(metric))}"


def sound_parts(metric: Metric, rows: Rows) -> None:
    """Raises ResourceError where a metric combines rows to something else than numbers by part."""
    parts = metric.combine(metric.totals(rows))
    numbers = isinstance(parts, dict) and all(
        isinstance(part, str) and np.shape(value) == () and np.asarray(value).dtype.kind in "fiu"
        for part, value in parts.items()
    )
    if not numbers:
        expected = "expected numbers by part, such as {HEADLINE: …}"
        raise ResourceError(f"{type(metric).__name__} combined its rows to {quote_value(parts)}; {expected}")


def sound(metric: Metric, rows: object, documents: int) -> Rows:
    """What a metric returned, checked like input: a plugin's mistake must not come out as a number."""
    name = type(metric).__name__
    if not isinstance(rows, Rows):
        raise ResourceError(f"{name} returned a value of type {type(rows).__name__}; expected Rows")
    if not all(isinstance(column, str) for column in rows.columns) or len({*rows.columns}) < len(rows.columns):
        raise ResourceError(f"{name} returned the columns {quote_value(rows.columns)}; expected texts, each once")
    shape, expected = np.shape(rows.values), (documents, len(rows.columns))
    if shape != expected or np.asarray(rows.values).dtype.kind not in "fiub":
        size, expected_size = (" × ".join(map(str, sizes)) for sizes in (shape, expected))
        raise ResourceError(f"{name} returned {size} values; expected {expected_size} numbers, a row for each document")
    if not np.isfinite(rows.values).all():
        raise ResourceError(f"{name} returned rows with a value that is infinite or no number; expected finite ones")
    if is_plugin(metric) and beyond(rows.values):
        raise ResourceError(f"{name} returned numbers beyond all sense; expected 0, or {SMALLEST:g} to {LARGEST:g}")
    if is_plugin(metric) and (lacking := [column for column, _ in metric.counts if column not in rows.columns]):
        raise ResourceError(f"{name} says what {lacking[0]} counts, which is no column of its rows")
    return rows
