"""Two runs of one corpus side by side: the same documents, paired by id, whoever anonymized them and whenever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product

from msgspec.structs import replace

from showthrough.core.errors import InputError, PlanError, Problem, join_names, shorten
from showthrough.core.families import input_types
from showthrough.run.records import Columns, MetricRecord
from showthrough.run.run import Run

_GROUPS = "are not the same as in this run; evaluate both with the same --group-by"
_DIGEST = 12  # characters of a digest that a message shows
# What of a signature may differ between two runs whose numbers mean the same.
_ALOUD = {"corpus", "anonymization", "missing", "confidence", "resamples", "resampling_seed", "showthrough"}


class RunPair:
    """A run, and another one of the same corpus; `label` tells the other's anonymizations of the same names apart.

    Raises InputError where the two are not of the same documents.
    """

    def __init__(self, run: Run, other: Run, label: str) -> None:
        if problems := _problems(run, other, label):
            raise InputError(problems)
        self.run, self.other, self.label = run, other, label
        self.called = _names(run, other, label)  # what the other's are called beside the run's
        self.metrics = [record for record in run.metrics if record.text in run.rows and not self.fault(record.text)]

    def fault(self, text: str) -> str:
        """Why the numbers of a metric cannot be held against each other; empty where they can."""
        records: list[MetricRecord] = []
        for run, name in ((self.run, "this run"), (self.other, self.label)):
            matches = [record for record in run.metrics if record.text == text and text in run.rows]
            if not matches:
                why = next((f": {failure.reason}" for failure in run.failures if failure.metric == text), "")
                hint = "" if why else f"; there are {join_names(run.rows)}"
                return f"has no numbers in {name}{why}{hint}"
            records += matches
        versions = [record.version for record in records]
        if versions[0] != versions[1]:
            return f"this run has version {versions[0]}, {self.label} {versions[1]}; evaluate again to compare"
        differing = _pinned_fields(self.run, text) ^ _pinned_fields(self.other, text)
        if names := sorted({field.partition(":")[0] for field in differing}):
            return f"was not computed alike in this run and in {self.label}: {join_names(names)} differ"
        return ""

    @cached_property
    def combined_run(self) -> Run:
        """One run of both, with the metrics that both have: its anonymizations first, the other's after them.

        Where one of them alone knows which documents belong together, an older program made the other: both are
        compared by the units of the one that does.
        """
        order = None
        units = self.run if self.run.joined or not self.other.joined else self.other
        groups = self.run.groups
        if units is not self.run:
            label = dict(zip(units.documents, units.groups, strict=True))
            groups = [label[document] for document in self.run.documents]
        if self.run.documents != self.other.documents:
            positions = {document: number for number, document in enumerate(self.other.documents)}
            order = [positions[document] for document in self.run.documents]
        texts = {record.text for record in self.metrics}
        return replace(
            self.run,
            anonymizations=[
                *self.run.anonymizations,
                *(
                    replace(anonymization, name=self.called[anonymization.name])
                    for anonymization in self.other.anonymizations
                ),
            ],
            metrics=self.metrics,
            scores=[
                *(
                    score
                    for score in self.run.scores
                    if score.metric in texts and score.anonymization in self.run.names
                ),
                *(
                    replace(score, anonymization=self.called[score.anonymization])
                    for score in self.other.scores
                    if score.metric in texts and score.anonymization in self.called
                ),
            ],
            rows={text: self._rows(text, order) for text in self.run.rows if text in texts},
            failures=[],
            references=[],
            evidence={},
            texts=None,
            sweeps={},
            groups=groups,
            joined=units.joined,
        )

    def _rows(self, text: str, order: Sequence[int] | None) -> dict[str, Columns]:
        own_rows, other_rows = self.run.rows[text], self.other.rows[text]
        ordered = {self.called[name]: _reorder(other_rows[name], order) for name in self.other.names}
        return {**{name: own_rows[name] for name in self.run.names}, **ordered}

    @cached_property
    def matches(self) -> list[tuple[str, str]]:
        """Which are held against each other: those of one name; where there are none, each with each."""
        shared = [name for name in self.run.names if name in self.other.names]
        return [(name, name) for name in shared] or list(product(self.run.names, self.other.names))

    @property
    def differing(self) -> list[tuple[str, str]]:
        """The same without those that are identical, by their names in the combined run."""
        pairs = [(name, earlier) for name, earlier in self.matches if not self.identical(name, earlier)]
        return [(name, self.called[earlier]) for name, earlier in pairs]

    def identical(self, name: str, earlier: str) -> bool:
        """Whether an anonymization is identical in both runs."""
        digests = [
            next(record.digest for record in run.anonymizations if record.name == which)
            for run, which in ((self.run, name), (self.other, earlier))
        ]
        return digests[0] == digests[1]


def _reorder(columns: Columns, order: Sequence[int] | None) -> Columns:
    """Columns in another order of documents; `None`: in their own."""
    if order is None:
        return columns
    return {column: [values[index] for index in order] for column, values in columns.items()}


def complete(run: Run, file: str) -> Run:
    """A run that holds all documents; raises PlanError for one that was interrupted."""
    if not run.complete:
        raise PlanError("this run was interrupted; complete it with evaluate --resume first", file)
    return run


def _problems(run: Run, other: Run, label: str) -> list[Problem]:
    def problem(location: str, message: str) -> Problem:
        return Problem(shorten(label), location, message)

    if run.corpus.digest != other.corpus.digest:
        both = [f"{shorten(side.corpus.name)} ({side.corpus.digest[:_DIGEST]})" for side in (run, other)]
        return [problem("corpus", f"is a run of {both[1]}; expected one of the same corpus, {both[0]}")]
    if run.documents == other.documents:
        return [] if run.groups == other.groups or run.joined != other.joined else [problem("groups", _GROUPS)]
    strangers = sorted({*run.documents} ^ {*other.documents})
    if strangers or len(run.documents) != len(other.documents):
        return [
            problem("documents", f"are not the same as in this run: only one of the two has {join_names(strangers)}")
        ]
    groups = [dict(zip(side.documents, side.groups, strict=False)) for side in (run, other)]
    if groups[0] != groups[1] and run.joined == other.joined:
        return [problem("groups", _GROUPS)]
    return []


def _names(run: Run, other: Run, label: str) -> dict[str, str]:
    """What each of the other's anonymizations is called where those of both stand in one table."""
    called: dict[str, str] = {}
    for name in other.names:
        used = {*run.names, *called.values()}
        numbered = (f"{name} ({label}, {number})" for number in range(2, len(used) + 3))
        called[name] = next(candidate for candidate in (name, f"{name} ({label})", *numbered) if candidate not in used)
    return called


def _pinned_fields(run: Run, text: str) -> set[str]:
    """What the numbers of a metric depend on beside the anonymization, as their signatures say it."""
    lines = [score.signature for score in run.scores if score.metric == text and score.anonymization in run.names]
    fields = {field for line in lines[:1] for field in line.split("|")}
    named = {field for field in fields if field.partition(":")[0] in _ALOUD}
    unnamed = {kind.name for kind in input_types() if not kind.named}  # digests alone say what these are
    return {_without_names(field) if field.partition(":")[0] in unnamed else field for field in fields - named}


def _without_names(field: str) -> str:
    """A field of a signature with the digests of its inputs alone.

    >>> _without_names("heard:web@3f9a,a@b@c01b")
    'heard:3f9a,c01b'
    """
    key, _, inputs = field.partition(":")
    return f"{key}:{','.join(entry.rpartition('@')[2] for entry in inputs.split(','))}"
