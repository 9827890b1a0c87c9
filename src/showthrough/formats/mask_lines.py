"""Reads masks from JSON Lines lazily: memory holds the position of each line and what pairing needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Ints
from showthrough.core.errors import InputError, Problem, at_document, shorten
from showthrough.data.masks import Mask, NumberedMasks, ScoredMask, masks_digest
from showthrough.formats._parallel_lines import LineCollector, read_through
from showthrough.formats.base import Input
from showthrough.formats.benchmarks.tae import looked_at, masks_in
from showthrough.formats.lines import StoredLines
from showthrough.formats.remarks import Remarks, hides_marks
from showthrough.storage.columns.growing_columns import GrowingNumbers, GrowingStrings, ReusedStrings
from showthrough.storage.columns.index import find_repeats
from showthrough.storage.columns.strings import Digests, Strings, sorted_digests
from showthrough.storage.reading import ENOUGH, decode_json, decoded_or_none, fail, file_state

Record = dict[str, msgspec.Raw]
OTHERS = ("group", "annotations", "masks", "subjects")  # of a corpus, which released texts may still have
SMALL = 4_000_000  # bytes of a file whose masks are kept decoded, which takes some five times as much
_LOOK = -1  # instead of where masks reach, where one of them is no span
_FARTHEST = 2**62
_CHUNK = 256  # lines that are decoded at once for whoever asks for one after the other
FIELDS: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
_ANY = msgspec.json.Decoder()
_ID = msgspec.json.Decoder(str | int)


class RecordKeys(NamedTuple):
    """The keys under which records have what is read."""

    path: Path
    id: str
    text: str
    reported: bool = False  # whether all others were told before

    def fields(self, content: bytes | msgspec.Raw, location: str, remarks: Remarks) -> Record:
        """What a record holds, still encoded; keys that nobody knows are remarked."""
        fields = decode_json(content, FIELDS, self.path, location)
        keys_read = {self.id, self.text, *OTHERS}
        for key in (key for key in fields if key not in keys_read and not self.reported):
            remarks.unknown[key] += 1
            if hides_marks(key, decode_json(fields[key], _ANY, self.path, location, key)):
                remarks.spans.add(key)
        return fields

    def id_in(self, fields: Record, location: str) -> str:
        if self.id not in fields:
            raise fail(self.path, f"{shorten(self.id)} is missing", location)
        return str(decode_json(fields[self.id], _ID, self.path, location, self.id))


class NoMasksError(Exception):
    """A record has no masks: they are texts, or something is wrong."""


def masks_of_lines(file: Input, keys: RecordKeys) -> LineMasks:
    """The masks of a file that has some in every record; raises NoMasksError where one has none.

    Raises InputError with all that is wrong; what there is to remark is in the file's remarks then as well.
    """
    state, corpus_ids = file_state(file.path), None if file.corpus is None else file.corpus.ids
    masks = _Masks(keys, corpus_ids)
    try:
        positions = read_through(file.path, partial(_Masks, keys), masks, file.engine, file.watch)
    finally:
        file.remarks.extend(masks.remarks)
    ids = masks.ids.finish()
    if ids == corpus_ids:
        ids = corpus_ids  # which are sound, and kept anyway
    elif problems := _id_problems(ids, str(file.path)):
        raise InputError(problems)
    if masks.problems:
        raise InputError(masks.problems)
    return LineMasks(StoredLines(file.path, positions, state), ids, masks)


def _id_problems(ids: Strings, file: str) -> list[Problem]:
    """Ids that are empty or occur twice."""
    without = np.flatnonzero(np.diff(ids.ends) == 0).tolist()
    empty = [(number, "a document", "its id is empty; expected a name") for number in without]
    twice = [(number, at_document(ids[number]), "occurs twice; expected unique ids") for number, _ in find_repeats(ids)]
    return [Problem(file, location, message) for _, location, message in sorted(empty + twice, key=lambda row: row[0])]


class _Masks(LineCollector):
    """Records that are looked at: their ids, and of their masks what can be asked without reading them again."""

    def __init__(self, keys: RecordKeys, corpus_ids: Strings | None = None) -> None:
        self._keys = keys
        self.remarks = Remarks()
        self.problems: list[Problem] = []  # of masks, which are told where nothing else is wrong
        self._ids = GrowingStrings()
        self.ids: GrowingStrings | ReusedStrings = self._ids if corpus_ids is None else ReusedStrings(corpus_ids)
        self.reach, self.digests = GrowingNumbers(), bytearray()
        self.types: Counter[str] = Counter()
        self.scored = False

    def add(self, location: str, number: int, line: bytes) -> None:
        record = decoded_or_none(line, _decoder(self._keys))
        if record is not None:
            document_id, raw = str(record.id), record.masks
        else:
            fields = self._keys.fields(line, location, self.remarks)
            document_id = self._keys.id_in(fields, location)
            if "masks" not in fields:
                raise NoMasksError
            raw = fields["masks"]
        self._ids.append(document_id)
        masks: Sequence[Mask] = ()
        try:
            masks = looked_at(document_id, raw, self._keys.path)
        except InputError as error:
            if len(self.problems) <= ENOUGH:
                self.problems += error.problems
        self.reach.append(_reach(masks))
        self.digests += masks_digest(document_id, masks)
        if masks and type(masks[0]) is not Mask:
            self.types.update(mask.entity_type for mask in masks)
            self.scored |= type(masks[0]) is ScoredMask

    def extend(self, later: Self) -> None:
        self.remarks.extend(later.remarks)
        self.problems += later.problems
        self.ids.extend(later.ids.finish())
        self.reach.extend(later.reach.finish())
        self.digests += later.digests
        self.types.update(later.types)
        self.scored |= later.scored


def _reach(masks: Sequence[Mask]) -> int:
    """Where the last of them ends; of what is no span, that somebody has to look."""
    farthest = 0
    for mask in masks:
        if not 0 <= mask.start < mask.end < _FARTHEST:
            return _LOOK
        farthest = max(farthest, mask.end)
    return farthest


class _Line(msgspec.Struct):
    masks: msgspec.Raw


_LINE = msgspec.json.Decoder(_Line)


@lru_cache(maxsize=16)
def _decoder(keys: RecordKeys) -> msgspec.json.Decoder[Any]:
    """Of records in which nobody has to look at other keys."""
    other_keys = {keys.text, *OTHERS} - {keys.id, "masks"}
    names = {
        "id": keys.id,
        "masks": "masks",
        **{f"other{number}": key for number, key in enumerate(sorted(other_keys))},
    }
    fields: list[Any] = [("id", str | int), ("masks", msgspec.Raw)]
    fields += [(name, msgspec.Raw, msgspec.Raw()) for name in names if name not in ("id", "masks")]
    try:
        record = msgspec.defstruct("Record", fields, rename=names, forbid_unknown_fields=not keys.reported)
    except ValueError:  # a name that no decoder can be told to look for
        return msgspec.json.Decoder(_NoRecord)
    return msgspec.json.Decoder(record)


class _NoRecord(msgspec.Struct, forbid_unknown_fields=True):
    """What no record is."""

    id: str
    masks: msgspec.Raw
    never: None


def _decode_line(line: bytes, number: int) -> Sequence[Mask]:
    return masks_in(_LINE.decode(line).masks)


class LineMasks(NumberedMasks):
    """One document a line, decoded when it is asked for."""

    def __init__(self, lines: StoredLines, ids: Strings, masks: _Masks) -> None:
        super().__init__(ids)
        self._lines = lines
        self._reach = masks.reach.finish()
        self._digests: Digests | None = sorted_digests(masks.digests)
        self._types = dict(masks.types)
        self._scored = masks.scored
        self._cached_masks: tuple[int, list[Sequence[Mask]]] = 0, []  # masks from one number on

    @property
    def digests(self) -> Digests | None:
        return self._digests

    @cached_property
    def digest(self) -> str:
        result = super().digest
        self._digests = None  # which are made anew where anybody asks again
        return result

    @property
    def types(self) -> Mapping[str, int]:
        return self._types

    @property
    def scored(self) -> bool:
        return self._scored

    def outside(self, lengths: AnyArray) -> Ints:
        return np.flatnonzero((self._reach == _LOOK) | (self._reach > lengths))

    def load(self, numbers: Ints) -> Iterator[Sequence[Mask]]:
        for start in range(0, len(numbers), _CHUNK):
            chunk = numbers[start : start + _CHUNK]
            low, high = int(chunk[0]), int(chunk[-1]) + 1
            if high - low == len(chunk) and np.all(np.diff(chunk) == 1):
                yield from self._lines.decode_lines(low, high, _decode_line)
            else:
                yield from self._lines.taken(chunk).decode_lines(0, len(chunk), _decode_line)

    def taken(self, numbers: Ints) -> LinesWindow:
        return LinesWindow(self.ids.taken(numbers), self._lines.taken(numbers))

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        number = self._finder.number(document_id)
        if number < 0:
            raise KeyError(document_id)
        start, masks = self._cached_masks
        if not start <= number < start + len(masks):
            together = _CHUNK if number == start + len(masks) else 1
            start, masks = number, list(self.load(np.arange(number, min(number + together, len(self)))))
            self._cached_masks = start, masks
        return masks[number - start]


class LinesWindow(Mapping[str, Sequence[Mask]]):
    """Masks of the documents of a chunk: where their lines are travels, and all are decoded when one is asked for."""

    def __init__(self, ids: Strings, lines: StoredLines) -> None:
        self._ids = ids
        self._lines = lines

    @cached_property
    def _masks_by_id(self) -> dict[str, Sequence[Mask]]:
        return dict(zip(self._ids, self._lines.decode_lines(0, len(self._lines), _decode_line), strict=True))

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return self._masks_by_id[document_id]

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._masks_by_id

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_masks_by_id"}
