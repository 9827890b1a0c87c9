"""Reads corpora and anonymizations that consist of several files, in parallel, and joins the results.

A worker returns little for each file: the positions of its documents, their survey, and encoded masks. The problems of
all files are reported together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from showthrough.core.errors import ChangedError, InputError, Problem, at_document, shorten
from showthrough.data.construction import aligned
from showthrough.data.documents import Corpus, Document, LazyDocuments
from showthrough.data.masks import Anonymization, NumberedMasks
from showthrough.data.pairing import check_pair
from showthrough.data.provenance import joined_provenance
from showthrough.data.sharded import Joining, ShardedDocuments
from showthrough.data.survey import Survey
from showthrough.engines.base import Engine, InProcess, SharedValue, Watch
from showthrough.formats._released_shards import ReleasedShards, encoded_masks
from showthrough.formats.annotation_tools.groups import GroupBy
from showthrough.formats.base import (
    ColumnNames,
    Input,
    Passages,
    Task,
    Texts,
    check_rows,
    check_spans,
    empty_in,
    no_corpus,
    tell_empty,
    without_strangers,
)
from showthrough.formats.registry import FormatChoice, chosen_for, like_another, read_in
from showthrough.formats.remarks import Remarks
from showthrough.storage.columns.index import find_repeats
from showthrough.storage.columns.spill import SMALL
from showthrough.storage.columns.strings import Strings
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import ENOUGH, fail, file_state
from showthrough.storage.shards import Shards

T = TypeVar("T")
_EXPECTED_FORMAT = "expected one format for all files, or one that is named with --format"


@dataclass(frozen=True)
class _ReadingPlan:
    """How each file is read; it travels to other processes."""

    format: str | None
    chosen: FormatChoice  # of the first file that tells
    telling: str  # that file
    columns: ColumnNames
    task: Task
    kinds: str
    elsewhere: frozenset[str] = frozenset()

    def read(self, path: Path, corpus: Corpus | None = None) -> tuple[Any, Input]:
        """What one file holds; raises InputError where it is in another format."""
        file = Input(Head(path), self.columns, corpus, Remarks(elsewhere=self.elsewhere))
        if not file.head.start:  # not even the header of a table without rows: something was lost
            raise fail(path, "is empty; expected documents, or no such file among the others")
        input_file = like_another(self.chosen, self.format, file, self.task)
        if input_file is None:
            own, _ = chosen_for(self.format, file, self.task, self.kinds)
            both = f"is in the format {own.format}, and {shorten(self.telling)} in {self.chosen.format}"
            raise fail(path, f"{both}; {_EXPECTED_FORMAT}")
        return read_in(self.chosen, input_file, self.task), input_file


def _choose_reading(
    shards: Shards, format_name: str | None, columns: ColumnNames, task: Task, kinds: str, corpus: Corpus | None
) -> _ReadingPlan:
    """As the first file tells that can be read; those before it are told when they are read."""
    first: InputError | None = None
    for path in shards.paths:
        try:
            chosen, _ = chosen_for(format_name, Input(Head(path), columns, corpus), task, kinds)
            return _ReadingPlan(format_name, chosen, str(path), columns, task, kinds)
        except InputError as error:
            first = first or error
    raise first or fail(shards.pattern, "no file matches")


def read_corpus_of(
    shards: Shards,
    format_name: str | None,
    columns: ColumnNames,
    groups: GroupBy,
    elsewhere: frozenset[str],
    kinds: str,
    engine: Engine | None = None,
    name: str | None = None,
    watch: Watch | None = None,
) -> Corpus:
    """One corpus of all files; raises InputError with all that is wrong in any of them."""
    engine = engine or InProcess()
    plan = replace(_choose_reading(shards, format_name, columns, "read", kinds, None), elsewhere=elsewhere)
    tasks = ((path, plan, groups, len(shards) > 1) for path in shards.paths)
    parts = list(_sound_parts(_report_progress(engine.in_order(_read_documents, tasks), shards, watch)))
    remarks = _join_remarks([part.remarks for part in parts])
    documents = ShardedDocuments((part.documents for part in parts), map(str, shards.paths))
    corpus = Corpus(documents, name or shards.name, str(shards.pattern), remarks.notes, columns.offsets)
    surveys = [
        (part.survey, str(path)) for part, path in zip(parts, shards.paths, strict=True) if part.survey is not None
    ]
    if not surveys:
        raise fail(shards.pattern, "the corpus is empty; expected at least one document")
    corpus.survey = Survey.merge(*zip(*surveys, strict=True))
    groups.check(corpus)
    check_spans(Input(_head_under_pattern(shards), columns, remarks=remarks), lambda: corpus.survey.mentions)
    return corpus


class _Documents(msgspec.Struct, frozen=True):
    """What came of one file of a corpus."""

    documents: Sequence[Document]
    survey: Survey | None  # none where it has no documents
    remarks: Remarks


def _read_documents(path: Path, plan: _ReadingPlan, groups: GroupBy, several: bool) -> _Documents | list[Problem]:
    try:
        state = file_state(path)
        records, file = plan.read(path)
        documents = groups.assign_groups(records)
        if several and file.remarks.numbered:
            fault = "its documents have no ids, and numbers would be the same in every file; expected ids"
            raise fail(path, f"{fault} (choose with --id-column)")
        survey = Corpus(documents, source=str(path)).traced_survey if len(documents) else None
    except InputError as error:
        return list(error.problems)
    if not hasattr(documents, "window"):  # all of it is in memory, and would travel
        documents = _Reread(path, plan, groups, state, range(len(documents)))
    return _Documents(documents, survey, _without_hint(file.remarks))


def _without_hint(remarks: Remarks) -> Remarks:
    """Without what looks at the file again: it does not travel."""
    return replace(remarks, hint=str)


def _sound_parts(parts: Iterable[T | list[Problem]]) -> Iterator[T]:
    """What was read of the files, up to one that cannot be used; then raises InputError with what is wrong in all."""
    problems: list[Problem] = []
    for part in parts:
        if isinstance(part, list):
            problems += part
        elif not problems:
            yield part
        if len(problems) > ENOUGH:
            break
    if problems:
        raise InputError(problems)


def _report_progress(parts: Iterable[T], shards: Shards, watch: Watch | None) -> Iterator[T]:
    """The same, while somebody is told how many files are read."""
    for done, part in enumerate(parts, 1):
        if watch is not None:
            watch(f"files of {shorten(shards.pattern.name)}", done, len(shards))
        yield part


def _head_under_pattern(shards: Shards) -> Head:
    """The first file, under the name of all."""
    head = Head(shards)
    head.path = shards.pattern
    return head


def _join_remarks(parts: Sequence[Remarks]) -> Remarks:
    """What there is to say of all files; the same sentence once."""
    joined = Remarks(kind=parts[0].kind, elsewhere=parts[0].elsewhere) if parts else Remarks()
    for part in parts:
        joined.extend(part)
    return joined


def _check_unique(paths: Sequence[Path], ids: Sequence[Strings]) -> None:
    """Raises InputError for documents that are in several files, with the files."""
    all_ids = Strings.concatenate(ids)
    ends = np.cumsum(list(map(len, ids)))
    problems = []
    for numbers in find_repeats(all_ids):
        path, other_path = (str(paths[int(np.searchsorted(ends, number, "right"))]) for number in numbers)
        fault = f"this id occurs in {shorten(other_path)} as well; expected unique ids"
        problems.append(Problem(path, at_document(all_ids[numbers[0]]), fault))
    if problems:
        raise InputError(problems)


@dataclass(eq=False)
class _Reread(LazyDocuments):
    """Documents of a file that is read as a whole: it is read again where they are needed. One is kept at a time."""

    path: Path
    how: _ReadingPlan
    groups: GroupBy
    state: tuple[int, int]
    rows: range

    def __len__(self) -> int:
        return len(self.rows)

    def load_range(self, start: int, stop: int) -> Iterator[Document]:
        rows = self.rows[start:stop]
        documents: Sequence[Document] = ()
        with suppress(InputError):  # every document was sound when it was looked at
            documents = _read_documents_again(self.path, self.how, self.groups, self.state)
        if file_state(self.path) != self.state or len(documents) < rows.stop:
            fault = "changed while it was read; expected it to stay as it was"
            raise ChangedError(Problem(str(self.path), "", fault))
        return iter(documents[rows.start : rows.stop])

    def window(self, start: int, stop: int) -> _Reread:
        return replace(self, rows=self.rows[start:stop])


@lru_cache(maxsize=1)
def _read_documents_again(path: Path, how: _ReadingPlan, groups: GroupBy, state: tuple[int, int]) -> Sequence[Document]:
    """The file that this process read last."""
    return groups.assign_groups(how.read(path)[0])


class _Part(Corpus):
    """The documents of one file of a corpus; who they are is known."""

    def __init__(self, corpus: Corpus, documents: ShardedDocuments, number: int) -> None:
        super().__init__(documents.shards[number], corpus.name, documents.sources[number])
        numbers = documents.numbers(number)
        self._ids = Strings.concatenate([corpus.ids.part(numbers.start, numbers.stop)])  # nothing else travels

    @property
    def ids(self) -> Strings:
        return self._ids


def _part_of(corpus: Corpus | None, number: int, shards: Shards) -> _Part | None:
    """The file of the corpus that stands in the same place, where there are as many."""
    documents = None if corpus is None else corpus.documents
    if corpus is None or not isinstance(documents, ShardedDocuments) or len(documents.sources) != len(shards):
        return None
    return _Part(corpus, documents, number)


def read_anonymization_of(
    shards: Shards,
    corpus: Corpus | None,
    format_name: str | None,
    columns: ColumnNames,
    kinds: str,
    engine: Engine | None = None,
    name: str | None = None,
    watch: Watch | None = None,
) -> Anonymization:
    """One anonymization of all files; raises InputError with all that is wrong in any of them.

    Where the corpus has as many files, and what a file masks are documents of the corpus's file in the same place,
    masks that can stay in their file do. All others are joined by id, in a private file where they are many.
    """
    engine = engine or InProcess()
    plan = _choose_reading(
        shards,
        format_name,
        columns,
        "read_anonymization",
        kinds,
        _corpus_for_reader(shards.paths[0], corpus, shards, 0),
    )
    shared_corpus = engine.share(corpus)
    tasks = ((path, plan, shared_corpus, _part_of(corpus, number, shards)) for number, path in enumerate(shards.paths))
    masks, released, summaries = Joining(SMALL), ReleasedShards(SMALL), []
    for part in _sound_parts(_report_progress(engine.in_order(_read_masks, tasks), shards, watch)):
        summaries.append(part.summary)
        if part.lazy is not None:
            masks.add_lazy(part.lazy)
        elif part.released:
            released.add(part.summary.ids, part.pieces)
        else:
            masks.add(part.summary.ids, part.pieces)
    _check_unique(shards.paths, [part.ids for part in summaries])
    remarks = _join_remarks([part.remarks for part in summaries])
    provenances = [part.remarks.provenance for part in summaries]
    remarks.provenance = joined_provenance(provenances)
    if any(provenances) and remarks.provenance is None:
        remarks.others.append("its files were not all made in the same way: how is not kept")
    file = Input(_head_under_pattern(shards), columns, corpus, remarks)
    tell_empty(file, [key for part in summaries for key in part.empty])
    if corpus is not None:
        released.join(masks, corpus, engine, file)
    check_spans(file, lambda: sum(part.marks for part in summaries))
    source = name or shards.name, str(shards.pattern)
    return Anonymization(masks.build(), *source, remarks.notes, remarks.provenance, columns.offsets)


@dataclass(frozen=True)
class _FileSummary:
    """What is kept of one file of an anonymization, beside its masks."""

    ids: Strings
    remarks: Remarks
    marks: int
    empty: Sequence[str] = ()  # documents of which nothing is left


@dataclass(frozen=True)
class _FileMasks:
    """What came of one file of an anonymization."""

    summary: _FileSummary
    lazy: NumberedMasks | None = None  # where they stay in the file
    pieces: Sequence[bytes] = ()  # else encoded masks, or texts that were released and are not aligned yet
    released: bool = False


def _corpus_for_reader(path: Path, corpus: Corpus | None, shards: Shards, number: int) -> Corpus | None:
    """What a reader sees of the corpus: the whole, unless it is the very file that a part of it was read from."""
    part = _part_of(corpus, number, shards)
    return part if part is not None and part.source == str(path) else corpus


def _read_masks(
    path: Path, plan: _ReadingPlan, whole: SharedValue[Corpus | None], part: _Part | None
) -> _FileMasks | list[Problem]:
    corpus = part if part is not None and part.source == str(path) else whole.value
    try:
        content, file = plan.read(path, corpus)
        if isinstance(content, Passages):
            raise fail(path, "holds passages that were written anew; expected one file or folder of them")
        content = without_strangers(content, replace(file, corpus=corpus))
        ids, part_ids = Strings.of(content), frozenset(part.ids if part is not None else ())
        in_part = part is not None and all(anonymization in part_ids for anonymization in content)
        if isinstance(content, Texts):
            return _build_released(content, ids, replace(file, corpus=part if in_part else corpus), in_part)
        origin = file.remarks.provenance
        if origin is not None and origin.texts and corpus is not None:
            against = part if part is not None and in_part else corpus
            anonymization = Anonymization(content, source=str(path), provenance=origin)
            if problems := check_pair(against, anonymization, "unmasked"):
                raise InputError(problems)
        marks = (
            sum(map(len, content.values())) if file.remarks.spans else 1
        )  # whether there are any is asked then alone
        summary = _FileSummary(ids, _without_hint(file.remarks), marks)
        if in_part and isinstance(content, NumberedMasks):
            return _FileMasks(summary, lazy=content)
        return _FileMasks(summary, pieces=encoded_masks(content, path))
    except InputError as error:
        return list(error.problems)


def _build_released(texts: Texts, ids: Strings, file: Input, in_part: bool) -> _FileMasks:
    """Released texts: masks where the originals are those of the same place, else as they are."""
    summary = _FileSummary(ids, _without_hint(file.remarks), len(texts), empty_in(texts))
    if file.corpus is None:
        raise no_corpus(file)
    check_rows(texts, file)
    if not in_part:
        return _FileMasks(
            summary, pieces=[text.encode("utf-8", "surrogatepass") for text in texts.values()], released=True
        )
    masks = aligned(texts, file.corpus, str(file.path))
    return _FileMasks(replace(summary, ids=Strings.of(masks)), pieces=encoded_masks(masks, file.path))


def released_texts_of(
    shards: Shards, corpus: Corpus | None, format_name: str | None, columns: ColumnNames, kinds: str
) -> tuple[Texts, Remarks] | None:
    """The released texts of all files, as they are; `None` where there are masks with offsets in one of them."""
    plan = _choose_reading(shards, format_name, columns, "read_anonymization", kinds, corpus)
    texts, ids, remarks = Texts(), [], []
    for path in shards.paths:
        content, file = plan.read(path, corpus)
        if not isinstance(content, Texts):
            return None
        texts |= content
        ids.append(Strings.of(content))
        remarks.append(file.remarks)
    _check_unique(shards.paths, ids)
    return Texts(texts), _join_remarks(remarks)
