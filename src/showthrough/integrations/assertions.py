"""Assertions about releases and runs. A failure says in a few lines which document leaks what, and how."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value, shorten
from showthrough.data.construction import id_of, layer_of
from showthrough.data.documents import Annotation, Corpus, Document, InferredMention, Mention
from showthrough.data.labels import NO_TYPE
from showthrough.data.masks import Anonymization
from showthrough.evaluation.api import evaluate
from showthrough.run.gate.checking import DOCUMENTS, IDENTIFIERS, Gate, check_run
from showthrough.run.gate.parsing import parse_thresholds, resolve_thresholds
from showthrough.run.run import Run
from showthrough.storage.reading import type_fault
from showthrough.studies.errors import error_cases

_REMOVED = "removed"  # the metric, and the limit on it
_ONE = "text"  # the id of a text that came without one
_MOST = 4  # checks that a failure names, and places
_WHOLE = ("missed", "another")  # kinds of leaks that leave all of a mention
_HOW = {"elsewhere": "elsewhere", "otherwise": "in another spelling", "encoded": "in an encoding"}

Texts = str | Mapping[str, str]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `[tool.showthrough]`."""

    min: dict[str, float] = {}
    max: dict[str, float] = {}
    text: bool = True
    only: bool = False
    allow_unsure: bool = False
    min_documents: int = DOCUMENTS
    min_identifiers: int = IDENTIFIERS


class _Leak(NamedTuple):
    """A place where an identifier can be read."""

    document: str
    entity_type: str
    text: str
    how: str

    def line(self, with_text: bool) -> str:
        what = quote_value(" ".join(self.text.split())) if with_text else "an identifier"
        kind = f" ({shorten(self.entity_type)})" if self.entity_type not in ("", NO_TYPE) else ""
        return f"  {shorten(self.document)}: {what}{kind} can be read {self.how}"


class Assertions:
    """What releases and runs are held to. Each assertion raises AssertionError with a message of a few lines."""

    def __init__(self, table: _Table | None = None) -> None:
        self._table = table or _Table()

    @classmethod
    def of(cls, table: Mapping[str, Any], file: str = "") -> Assertions:
        """Those that a table `[tool.showthrough]` asks for. Raises InputError."""
        try:
            return cls(msgspec.convert(table, _Table))
        except msgspec.ValidationError as error:
            field, message = type_fault(error)
            place = ".".join(filter(None, ("tool.showthrough", field)))
            expected = ", ".join(_Table.__struct_fields__)
            raise InputError(Problem(file, place, f"{message}; keys: {expected}")) from None

    def assert_removed(
        self, released: Texts | Anonymization, original: Texts | Corpus, marks: Any = None, *, language: str = "en"
    ) -> None:
        """Every marked identifier is gone from the released text, wherever it stands and however it is written.

        One text and its original, or several by document id. `marks` are the identifiers: strings, which are marked
        wherever they stand in the original, or spans (`(start, end)`, `(start, end, type)`); by id if texts are. An
        annotated `Corpus` brings its own. `removed` of `[tool.showthrough.min]` is the least share that must be gone; 1
        without it.
        """
        corpus = _corpus(original, marks)
        if isinstance(released, str):
            released = {corpus.ids[0]: released} if len(corpus) == 1 else {_ONE: released}
        run = evaluate(
            corpus, {"release": released}, [_REMOVED], resamples=0, references=False, language=language, sweeps=False
        )
        if run.failures:
            raise AssertionError(f"removed could not be computed: {run.failures[0].reason}")
        share = run["release", run.metrics[0].text].value
        if share is None:
            raise AssertionError("nothing is marked, so nothing shows that an identifier was removed")
        limit = self._table.min.get(_REMOVED, 1.0)
        if share < limit:
            rows = run.rows[run.metrics[0].text]["release"]
            total, removed = (int(sum(rows[column])) for column in ("total", "removed"))
            wanted = "none may be" if limit == 1 else f"at least {limit:g} must be removed"
            many = f"{total} identifier{'' if total == 1 else 's'}"
            head = f"{total - removed} of {many} can be read in the release; {wanted}"
            raise AssertionError(self._message(head, [], _leaks(run, "release")))

    def assert_gate(
        self,
        run: Run | str | os.PathLike[str],
        anonymization: str | None = None,
        *,
        min: Mapping[str, float] | None = None,
        max: Mapping[str, float] | None = None,
        allow_unsure: bool | None = None,
    ) -> None:
        """A run, or one anonymization of it, passes the gate, as `showthrough check` decides.

        Limits that are not arguments are those of `[tool.showthrough]`; without any, the run's or the usual ones count.
        """
        table = self._table
        run = run if isinstance(run, Run) else Run.load(run)
        if not run.complete:
            raise AssertionError("the run was interrupted, so nothing can be said yet")
        limits = {"min": table.min if min is None else min, "max": table.max if max is None else max}
        gate = Gate(
            resolve_thresholds(parse_thresholds(limits), run.metrics, slices=list(run.slices)),
            [] if anonymization is None else [anonymization],
            documents=table.min_documents,
            identifiers=table.min_identifiers,
            only=table.only,
            allow_unsure=table.allow_unsure if allow_unsure is None else allow_unsure,
        )
        for checked in check_run(run, gate).anonymizations:
            if not checked.passed:
                failed = [f"{check.asked}: {check.said}" for check in checked.failed]
                many = f"{len(failed)} of {len(checked.checks)} checks"
                head = f"{shorten(checked.name)} does not pass the gate ({many})"
                leaks = () if run.texts is None else _leaks(run, checked.name)
                looks = ", ".join(shorten(look.document) for look in checked.documents[:_MOST])
                lines = [] if leaks or not looks else [f"  look at first: {looks}"]
                raise AssertionError("\n".join([self._message(head, failed, leaks), *lines]))

    def _message(self, head: str, checks: Sequence[str], leaks: Iterable[_Leak]) -> str:
        """At most ten lines: four of checks, four of places, and how many more places there are."""
        places = [*dict.fromkeys(leak.line(self._table.text) for leak in leaks)]
        more = [f"  … and {len(places) - _MOST} more places"] if len(places) > _MOST else []
        return "\n".join([head, *(f"  {shorten(line, 200)}" for line in checks[:_MOST]), *places[:_MOST], *more])


def _corpus(original: Texts | Corpus, marks: Any) -> Corpus:
    """The originals with what is marked in them. Raises InputError."""
    if isinstance(original, Corpus):
        if marks is None:
            return original
        texts: Mapping[str, str] = {document.id: document.text for document in original}
    else:
        texts = {_ONE: original} if isinstance(original, str) else original
    by_id = marks if isinstance(marks, Mapping) else dict.fromkeys(texts, marks or ())
    if strangers := [key for key in by_id if key not in texts]:
        raise PlanError("is marked and there is no such original", at_document(id_of(strangers[0], "marks")))
    return Corpus([Document(key, text, (_annotation(key, text, by_id.get(key, ())),)) for key, text in texts.items()])


def _annotation(key: str, text: str, marks: Any) -> Annotation:
    """Marks of one document. Whoever does not say otherwise means identifiers that must not be read at all."""
    marks = [marks] if isinstance(marks, str) else marks
    strings = [mark for mark in marks if isinstance(mark, str)]
    mentions = [mention for string in strings for mention in _occurrences(key, text, string)]
    [layer] = layer_of(key, [mark for mark in marks if not isinstance(mark, str)], "marks")
    direct = (
        Mention(x.start, x.end, x.entity_type, "DIRECT", x.entity_id) if isinstance(x, InferredMention) else x
        for x in layer.mentions
    )
    return Annotation("marks", (*mentions, *direct))


def _occurrences(key: str, text: str, string: str) -> Iterator[Mention]:
    start = text.find(string) if string else -1
    if start < 0:
        raise PlanError("a marked string is not in the original; expected it as it is written there", at_document(key))
    while start >= 0:
        yield Mention(start, start + len(string), "", "DIRECT", string)
        start = text.find(string, start + len(string))


def _leaks(run: Run, name: str) -> Iterator[_Leak]:
    """Where identifiers can be read: where they were marked, direct ones first, then elsewhere."""
    cases = [case for case in error_cases(run, name).cases if case.identifier]
    for case in sorted(cases, key=lambda case: case.identifier):
        how = "where it was marked" if case.kind in _WHOLE else "in part where it was marked"
        yield _Leak(case.document, case.entity_type, case.text, how)
    for record in run.metrics:
        for document, evidence in run.evidence.get(record.text, {}).get(name, {}).items():
            for place in evidence.places:
                if place.how in _HOW:
                    how = f"{_HOW[place.how]}, in line {place.line} of the release"
                    yield _Leak(document, place.entity_type, place.text, how)
