"""Word vectors by name: those of a spaCy pipeline, or a text file as GloVe and word2vec write it.

All vectors of a source lean the same way, so that any two words look alike. What they share is taken out as Mu and
Viswanath (2018, All-but-the-Top) do: the mean, and the main directions, one for every hundred dimensions. A few words
tell nothing of what a language's words share: their vectors are as they stand.
"""

from __future__ import annotations

import hashlib
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any, NamedTuple, Protocol, cast

import numpy as np

from showthrough.core.arrays import Bools, Floats, Floats32, Ints
from showthrough.core.errors import InputError, ResourceError, shorten
from showthrough.models.names import at_home
from showthrough.models.pipeline import Pipeline
from showthrough.storage.compression import compression_of
from showthrough.storage.reading import exists, open_file, reading

_SPACY = "spacy:"
_SAMPLE = 20_000  # vectors that tell what all share: files have their most frequent words first
_FEWEST = 1000  # of these; with fewer, what they share is what was chosen
_PER_DIRECTION = 100  # dimensions
_HELD = 50_000  # words whose numbers stay in memory
_BLOCK = 1 << 20
_DIGITS = 9  # so that sums in another order give the same number


class UnitVectors(NamedTuple):
    """Unit vectors of some words, a row each, and which words have one."""

    vectors: Floats
    present: Bools


class WordVectorSource(Protocol):
    """Gives vectors of words, which are in lower case; a source with capitals alone has them too."""

    @property
    def revision(self) -> str: ...

    def of(self, words: Sequence[str]) -> UnitVectors: ...


def word_vectors(name: str) -> WordVectorSource:
    """The source of a name: `spacy:PIPELINE`, or the path of a file."""
    if name.startswith(_SPACY):
        return PipelineVectors(name.removeprefix(_SPACY))
    return FileVectors(at_home(name))


def no_vectors(name: str) -> bool:
    """Whether a name is that of a file which is not there."""
    return not name.startswith(_SPACY) and not exists(at_home(name))


class CommonDirections:
    """What the vectors of a source have in common, and how to take it out."""

    def __init__(self, sample: Floats) -> None:
        enough = len(sample) >= _FEWEST
        self.mean = sample.mean(axis=0) if enough else np.zeros(sample.shape[1])
        directions = sample.shape[1] // _PER_DIRECTION if enough else 0
        centred = sample - self.mean
        self.main = np.linalg.eigh(centred.T @ centred)[1][:, sample.shape[1] - directions :]

    def without(self, vectors: Floats, has_vector: Bools) -> UnitVectors:
        """Unit vectors of what is left; a word of which nothing is left has none."""
        remainder = vectors - self.mean
        remainder -= (remainder @ self.main) @ self.main.T
        size = np.linalg.norm(remainder, axis=1)
        has_vector = has_vector & (size > 0)
        unit = np.divide(remainder, size[:, None], out=np.zeros_like(remainder), where=has_vector[:, None])
        return UnitVectors(unit.round(_DIGITS), has_vector)


def _spellings(word: str) -> tuple[str, ...]:
    return word, word.capitalize(), word.upper()


class PipelineVectors:
    """The word vectors of a spaCy pipeline."""

    def __init__(self, name: str) -> None:
        self.pipeline = Pipeline(name, "no vectors")
        if not name:
            raise ResourceError("vectors: spacy: names no pipeline; expected one such as spacy:en_core_web_md")

    @property
    def revision(self) -> str:
        return self.pipeline.revision

    def of(self, words: Sequence[str]) -> UnitVectors:
        vocabulary, table = self._table
        strings, rows = vocabulary.strings, vocabulary.vectors.key2row

        def row(word: str) -> int:
            forms = (rows.get(strings[form], -1) for form in _spellings(word) if form in strings)
            return next((row_number for row_number in forms if row_number >= 0), -1)

        row_numbers = np.array([row(word) for word in words], dtype=np.int64)
        vectors = np.asarray(table[np.maximum(row_numbers, 0)], dtype=np.float64)
        return self._common.without(vectors, (row_numbers >= 0) & vectors.any(axis=1))

    @cached_property
    def _table(self) -> tuple[Any, Any]:
        vocabulary = self.pipeline.vocabulary
        table = vocabulary.vectors.data
        if vocabulary.vectors.mode != "default" or not table.size:
            raise ResourceError(
                f"the spaCy pipeline {self.pipeline.name!r} has no table of word vectors; choose one that has, such as "
                "spacy:en_core_web_md"
            )
        return vocabulary, table

    @cached_property
    def _common(self) -> CommonDirections:
        return CommonDirections(np.asarray(self._table[1][:_SAMPLE], dtype=np.float64))


class FileVectors:
    """A text file with a word and its numbers a line, with or without a line of two numbers before; also packed.

    Where each word stands is found once; numbers are read of the words that are asked for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: dict[str, Floats32 | None] = {}
        with self._readable():
            open_file(path).close()

    @cached_property
    def revision(self) -> str:
        total = hashlib.blake2b(digest_size=16)
        with self._readable(), self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                total.update(block)
        return total.hexdigest()

    def of(self, words: Sequence[str]) -> UnitVectors:
        shared = self._common
        if len(self._read) > _HELD:
            self._read.clear()
        for word in words:
            if word not in self._read:
                line = next(filter(None, map(self._line, _spellings(word))), b"")
                numbers = self._numbers(line, f"the line of {shorten(word)}") if line else None
                self._read[word] = None if numbers is None else numbers.astype(np.float32)
        nothing = np.zeros(self._width, dtype=np.float32)
        rows = [self._read[word] for word in words]
        vectors = np.array([nothing if row is None else row for row in rows], dtype=np.float64)
        has_vector = np.array([row is not None for row in rows], dtype=bool)
        return shared.without(vectors.reshape(len(words), self._width), has_vector)

    @cached_property
    def _file(self) -> IO[bytes]:
        """The lines, in a file that can be read at any place: a packed one is unpacked where nobody else can look."""
        with self._readable():
            file = open_file(self.path)
            if compression_of(self.path):
                unpacked = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115 (it stays open as long as this)
                with file:
                    copyfileobj(file, unpacked, _BLOCK)
                file = unpacked
        weakref.finalize(self, file.close)
        return file

    @cached_property
    def _width(self) -> int:
        """How many numbers a vector has, as the first one tells."""
        _, _, first = next(self._lines(), (0, 0, b""))
        if not (width := first.count(b" ")):
            raise ResourceError(f"{self.path}: holds no word vectors; expected a word and its numbers a line")
        return width

    @cached_property
    def _word_offsets(self) -> tuple[Ints, Ints]:
        """The digests of all words, in order, and where their lines begin: of two million words some 32 MB."""
        digests, offsets = [], []
        for number, offset, line in self._lines():
            if self._width_of(line, number) == self._width:
                digests.append(hash(line[: line.index(b" ")]))
                offsets.append(offset)
        keys = np.array(digests, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        return keys[order], np.array(offsets, dtype=np.int64)[order]

    def _width_of(self, line: bytes, number: int) -> int:
        """How many blanks a line has: of a word that has blanks itself too many, and no word that is asked for has."""
        width = line.count(b" ")
        if width < self._width:
            raise ResourceError(
                f"{self.path}: line {number} has {width} numbers; expected {self._width} after a word, as before"
            )
        return width

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        """All lines with vectors: their number, where they begin, and what they hold."""
        self._file.seek(0)
        offset = 0
        with self._readable():
            for number, line in enumerate(self._file, 1):
                content = line.rstrip()
                if content and not (number == 1 and content.count(b" ") == 1):
                    yield number, offset, content
                offset += len(line)

    def _line(self, word: str) -> bytes:
        """The line of a word; empty where there is none."""
        keys, offsets = self._word_offsets
        spelled = word.encode(errors="replace")
        low, high = (np.searchsorted(keys, hash(spelled), side=side) for side in ("left", "right"))
        for offset in offsets[low:high].tolist():
            self._file.seek(offset)
            line = self._file.readline().rstrip()
            if line.startswith(spelled + b" "):
                return line
        return b""

    def _numbers(self, line: bytes, where: str) -> Floats:
        try:
            values = np.array(line.split(b" ")[1:]).astype(np.float64)
        except ValueError:
            values = np.full(1, np.nan)
        if not np.isfinite(values).all():
            raise ResourceError(f"{self.path}: {where} holds something that is no number; expected a word and numbers")
        return values

    @cached_property
    def _common(self) -> CommonDirections:
        width = self._width
        complete = ((number, line) for number, _, line in self._lines() if self._width_of(line, number) == width)
        return CommonDirections(
            np.array([self._numbers(line, f"line {number}") for number, line in islice(complete, _SAMPLE)])
        )

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """What cannot be read fails who asks for vectors, and nobody else."""
        try:
            with reading(self.path):
                yield
        except InputError as error:
            raise ResourceError(str(error)) from error
