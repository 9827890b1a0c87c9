"""What a run is made of. Each field says what it is, and the page about the run file is made of that."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from showthrough._former import FormerName
from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import UNREADABLE, parsed_call
from showthrough.core.errors import PlanError, join_names, shorten
from showthrough.data.provenance import Provenance
from showthrough.metrics import Count, Group, Rows
from showthrough.run.origins import last_part, strip_folders

Columns = Mapping[str, Sequence[float]]  # of very many documents arrays, read from a file when they are asked for
_NAME = 80  # characters of a metric's text form
_EXACT = 2**53  # below which a whole number of a row is exactly that


def describe_fields(record: type) -> dict[str, str]:
    """What each field of a record is, by name.

    >>> describe_fields(Failure)
    {'metric': 'its text form', 'reason': 'why there is no number'}
    """
    hints = get_type_hints(record, include_extras=True)
    notes = {name: get_args(hint)[1] for name, hint in hints.items() if get_origin(hint) is Annotated}
    return {name: str(getattr(note, "description", note)) for name, note in notes.items()}


class Input(msgspec.Struct, frozen=True):
    """A corpus, an anonymization or another input as it was given: enough to tell whether two runs saw the same."""

    name: Annotated[str, "what tables call it"]
    digest: Annotated[str, "digest of all that counts in it, in any order"]
    documents: Annotated[
        int, "how many documents it has; of another input, such as texts about people, how many of these"
    ]
    source: Annotated[str, "the file it was read from; without the folder in a run without text"] = ""
    silver: Annotated[str, "who marked a corpus, where programs did and not people"] = ""
    made: Annotated[Provenance | None, "how an anonymization was made, where its file says so"] = None
    doubtful: Annotated[
        int, "of a corpus: documents that may belong together, because they share much, and that nobody grouped"
    ] = 0
    seen: Annotated[int, "of a trained model: how many of the run's documents it knew from its training"] = 0
    unlike: Annotated[int, "of an anonymization: how many of its releases are unlike their originals"] = 0
    of_others: Annotated[
        int,
        "of an anonymization: releases with another document's direct identifier, where nobody marked it",
    ] = 0
    annotated: Annotated[
        int | None, "of a corpus: how many documents have annotations, empty ones too; null: unknown"
    ] = None
    left_out: Annotated[tuple[str, ...], "of a corpus: types of direct identifiers that the user left out"] = ()
    lowered: Annotated[
        tuple[tuple[str, str], ...], "those that the user had taken for indirect ones, and what each is called then"
    ] = ()

    @property
    def without_path(self) -> Input:
        """With the name of its file alone: folders tell of people and projects."""
        provenance = None if self.made is None else strip_folders(self.made)
        return msgspec.structs.replace(self, source=last_part(self.source), made=provenance)


class MetricRecord(msgspec.Struct, frozen=True):
    """A metric as it was asked for, and all that a report must know of it: it need not be installed there."""

    text: Annotated[str, "its text form, which identifies it"]
    name: Annotated[str, "the nearest entry of the table of metrics"]
    version: Annotated[int, "rises when one of its numbers could change"]
    title: Annotated[str, "its name in words"]
    group: Annotated[Group, "what it measures: privacy, utility, both or neither"]
    better: Annotated[Literal["higher", "lower"], "which values are the better ones"]
    parameters: Annotated[dict[str, Any], "all of them, defaults too"]
    explanation: Annotated[str, "what it is, its formula and its source, as the metric itself says it"] = ""
    neutral: Annotated[
        tuple[str, ...], "parts, or measures of them, for which neither a higher nor a lower value is better"
    ] = ()
    roles: Annotated[tuple[str, ...], "what sentences and figures use it as"] = ()
    counts: Annotated[dict[str, Count], "what columns of its rows count: what is right, what is wrong, or all"] = {}

    def describes(self, part: str) -> bool:
        """Whether neither a higher nor a lower value of a part is better."""
        measure, colon, _ = part.partition(":")
        return part in self.neutral or bool(colon and measure in self.neutral)


def find_metric_text(text: str, records: Iterable[MetricRecord]) -> str:
    """The text form of the one metric that carries a name, and the parameters that are written with it.

    Settings of a run, such as its language, give metrics parameters that nobody writes. Empty where there is none;
    raises PlanError where there are several.

    >>> spanish = MetricRecord('f1(words="es")', "f1", 1, "", "privacy", "higher", {"words": "es"})
    >>> find_metric_text("f1", [spanish]), find_metric_text('f1(words="en")', [spanish])
    ('f1(words="es")', '')
    """
    try:
        name, parameters = parsed_call(ast.parse(text.strip(), mode="eval").body)
    except UNREADABLE:
        return ""
    texts = [
        record.text
        for record in records
        if record.name == name
        and all(key in record.parameters and record.parameters[key] == parameters[key] for key in parameters)
    ]
    if len(texts) > 1:
        raise PlanError(f"there are several; name one of {join_names(texts)}", f"metric {shorten(text)}")
    return texts[0] if texts else ""


class Score(msgspec.Struct, frozen=True):
    """One number with its interval and signature, or `None` with a reason."""

    anonymization: Annotated[str, "whose number it is"]
    metric: Annotated[str, "the text form of the metric"]
    part: Annotated[str, "which of the metric's numbers; empty: the main one"]
    value: Annotated[float | None, "the number; null where it is undefined"]
    low: Annotated[float | None, "the lower end of its interval"]
    high: Annotated[float | None, "the upper end of its interval"]
    reason: Annotated[str, "why there is no value"]
    signature: Annotated[str, "one line that says exactly how the number was computed"]
    note: Annotated[str, "why there is no interval although there is a value"] = ""

    @property
    def unseen(self) -> float:
        """With nothing seen to leak, the share that may leak all the same, in whole hundredths, rounded up; else 0."""
        if self.value != 1 or self.low is None:
            return 0.0
        return math.ceil(100 * (1 - self.low) - 1e-9) / 100

    @property
    def ends(self) -> tuple[float, float, float] | None:
        """The value with the ends of its interval, where there are all three."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return self.value, self.low, self.high

    def __repr__(self) -> str:
        """Without the signature, which is long; the numbers in full."""
        named = ", ".join(shorten(name, _NAME) for name in (self.anonymization, self.metric, self.part) if name)
        if self.ends is None:
            return f"Score({named}: {self.reason if self.value is None else self.value})"
        return f"Score({named}: {self.value}, {self.low} to {self.high})"


class Human(msgspec.Struct, frozen=True):
    """What people reach on one metric, scored as if they were a system, or `None` with a reason."""

    value: Annotated[float | None, "the number; null where it is undefined"]
    low: Annotated[float | None, "the lower end of its interval"]
    high: Annotated[float | None, "the upper end of its interval"]
    documents: Annotated[int, "documents that it was counted in: those that others marked too"]
    reason: Annotated[str, "why there is no value, or no interval"] = ""


class Ceiling(msgspec.Struct, frozen=True):
    """Annotators as systems: each against the others, on the documents that several people marked."""

    annotators: Annotated[dict[str, dict[str, Human]], "by annotator and metric; of many, those with most documents"]
    people: Annotated[dict[str, Human], "all annotators together, by metric"]
    documents: Annotated[int, "documents that several people marked"]
    reason: Annotated[str, "why there are no numbers here"] = ""
    readers: Annotated[int, "people who marked one of these documents"] = 0

    @property
    def unnamed(self) -> Ceiling:
        """The same with numbers for names: an annotator's may be a person's own."""
        named = {f"annotator {number}": by for number, by in enumerate(self.annotators.values(), 1)}
        return msgspec.structs.replace(self, annotators=named)

    def rename_metrics(self, rename: Callable[[str], str]) -> Ceiling:
        """The same with other names of the metrics, and in reasons."""
        people, *annotators = (
            {rename(text): msgspec.structs.replace(human, reason=rename(human.reason)) for text, human in by.items()}
            for by in (self.people, *self.annotators.values())
        )
        return msgspec.structs.replace(
            self, people=people, annotators=dict(zip(self.annotators, annotators, strict=True))
        )


class Sweep(msgspec.Struct, frozen=True):
    """What one anonymization would reach with fewer of its masks: those with the higher scores."""

    thresholds: Annotated[list[float], "masks with a lower score are left out; the first, 0, leaves out none"]
    masks: Annotated[list[int], "how many are left at each threshold"]
    values: Annotated[
        dict[str, list[float | None]], "by metric the number at each threshold; null where it is undefined"
    ]
    unscored: Annotated[int, "masks without a score, which are never left out"] = 0
    levels: Annotated[int, "number of different scores; if there are more than thresholds, some were chosen"] = 0

    def rename_metrics(self, rename: Callable[[str], str]) -> Sweep:
        """The same with other names of the metrics."""
        return msgspec.structs.replace(self, values={rename(text): values for text, values in self.values.items()})


class Failure(msgspec.Struct, frozen=True):
    """A metric that could not be computed, and why."""

    metric: Annotated[str, "its text form"]
    reason: Annotated[str, "why there is no number"]


class Comparison(msgspec.Struct, frozen=True):
    """Two anonymizations on one metric: the difference (first minus second) and how likely chance makes it."""

    metric: Annotated[str, "the text form of the metric"]
    part: Annotated[str, "which of the metric's numbers; empty: the main one"]
    first: Annotated[str, "the one anonymization"]
    second: Annotated[str, "the other"]
    difference: Annotated[float | None, "the first one's value minus the second one's; null where one is undefined"]
    low: Annotated[float | None, "the lower end of the difference's interval"] = None
    high: Annotated[float | None, "the upper end of the difference's interval"] = None
    p: Annotated[float | None, "how likely chance alone makes such a difference"] = None
    p_holm: Annotated[float | None, "the same, corrected for all pairs of this metric and part"] = None
    note: Annotated[str, "why there is no p although there is a difference"] = ""

    def significant(self, alpha: float) -> bool:
        return self.p_holm is not None and self.p_holm <= alpha

    @property
    def swapped(self) -> Comparison:
        """The second against the first."""
        difference, high, low = (None if value is None else -value for value in (self.difference, self.low, self.high))
        ends = {"difference": difference, "low": low, "high": high}
        return msgspec.structs.replace(self, first=self.second, second=self.first, **ends)

    turned = FormerName("swapped")


class PlaceEvidence(msgspec.Struct, frozen=True):
    """Something that was found in a released text, and where."""

    entity_type: Annotated[str, "the type that it was taken for"]
    start: Annotated[int, "where it begins in the released text"]
    end: Annotated[int, "where it ends there"]
    line: Annotated[int, "the line that it begins in, counted from 1"]
    original: Annotated[tuple[int, int], "the part of the original that it replaces"]
    text: Annotated[str, "what is written there, without its middle where it is long"]
    how: Annotated[str, "of an identifier: elsewhere, otherwise, encoded or nearly readable; else empty"] = ""
    marked: Annotated[list[tuple[int, int]], "of an identifier: where it was marked, the first few"] = []


class Uneven(msgspec.Struct, frozen=True):
    """A string that is masked in one place and can be read in another."""

    text: Annotated[str, "the string, as it is written where it is masked"]
    masked: Annotated[list[tuple[int, int]], "where it is masked: start and end, the first few"]
    readable: Annotated[list[tuple[int, int]], "where it, or a part of it, can be read in the same document"] = []
    elsewhere: Annotated[list[tuple[str, int, int]], "where else, if not there: document, start and end"] = []


class PassageEvidence(msgspec.Struct, frozen=True):
    """A passage of a document and how much of what it says was kept."""

    start: Annotated[int, "where it begins in the original"]
    end: Annotated[int, "where it ends there"]
    value: Annotated[float, "its similarity to what is there now, from 0 to 5"]


class InferenceEvidence(msgspec.Struct, frozen=True):
    """What an attacker inferred about a person, or guessed of what stood under a mask."""

    subject: Annotated[str, "the person, by the id that the corpus gives them; empty: it stood under a mask"]
    tag: Annotated[str, "what kind of attribute it is"]
    true: Annotated[str, "its value, without its middle where it is long"]
    guess: Annotated[str, "what the attacker said, the same way"]
    agreement: Annotated[float, "how far both agree: 1, or 0.5 where the guess is less precise"]
    certainty: Annotated[int, "how certain the value is, up to 5"]
    hardness: Annotated[int, "how hard it is to find out, up to 5; 0 where nobody said"]
    start: Annotated[int | None, "where in the released text it was read; null where the attacker does not say"]
    end: Annotated[int | None, "where that ends"]
    original: Annotated[tuple[int, int] | None, "the part of the original that this replaces"]
    rank: Annotated[int, "of what stood under a mask: which of the guesses was right, from 1; else 0"] = 0
    probability: Annotated[float, "how likely the guesser takes it to be; 0 where nobody says"] = 0.0
    words: Annotated[list[tuple[str, float]], "words of the released text that show it, and how much"] = []


class SurrogateEvidence(msgspec.Struct, frozen=True):
    """A surrogate that breaks a rule."""

    rule: Annotated[str, "the rule, as the metric's part is called"]
    start: Annotated[int, "where it begins in the original"]
    end: Annotated[int, "where it ends there"]
    original: Annotated[str, "what stood there, without its middle where it is long"]
    surrogate: Annotated[str, "what stands there now, the same way"]


class Evidence(msgspec.Struct, frozen=True):
    """What a metric has to show of one document.

    Of an attack its guess, where the right person ranks, by how much, and why; of a detector what it found; the strings
    that are masked unevenly; the passages that lost most of what they say; what was inferred about people; the
    surrogates that break a rule.
    """

    guess: Annotated[str | None, "the individual that an attack takes for the document's"] = None
    rank: Annotated[float | None, "the place of the right one; null where the attacker does not know the person"] = None
    margin: Annotated[float | None, "how far the right one is before the next (or behind the first)"] = None
    words: Annotated[
        list[tuple[str, float]], "words of the anonymized text that support the guess most, and how much"
    ] = []
    attack: Annotated[str, "which of the attacks said it"] = ""
    places: Annotated[list[PlaceEvidence], "what was found in the released text, the first of them"] = []
    strings: Annotated[list[Uneven], "what is masked in one place and can be read in another"] = []
    passages: Annotated[
        list[PassageEvidence], "passages of the original that lost most of their meaning, the worst first"
    ] = []
    inferred: Annotated[
        list[InferenceEvidence],
        "what an attacker inferred about people, or recovered from under masks, the surest first",
    ] = []
    reasons: Annotated[
        list[tuple[str, float]], "what supports the guess beside words; below 0: what speaks against it"
    ] = []
    surrogates: Annotated[list[SurrogateEvidence], "surrogates that break a rule, the first of them"] = []


class Tables(msgspec.Struct, frozen=True):
    """Where ids, groups, rows and evidence of very many documents are."""

    id: Annotated[str, "of the run, which the folder has too"]
    folder: Annotated[str, "beside this file; empty: in the same zip file"]
    digest: Annotated[str, "of the index of that folder, which has those of all files in it"]


def columns_of(rows: Rows) -> Columns:
    """Rows as a run file keeps them: whole numbers stay whole."""
    return {name: _plain_values(rows.values[:, index]) for index, name in enumerate(rows.columns)}


def _plain_values(values: Floats) -> list[Any]:
    if np.all((np.abs(values) < _EXACT) & (values == np.floor(values))):  # as nearly all are
        return list(values.astype(np.int64).tolist())
    return [int(value) if value.is_integer() else value for value in values.tolist()]
