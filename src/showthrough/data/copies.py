"""Finds texts that are copies of each other, by digests that ignore white space, sketches and shingles.

A shingle is five words in a row. Two texts are near copies where the sets of their shingles have a Jaccard index of 0.9
or more. To compare all with all would take for ever, so a sketch of a few bytes a document says which pairs are worth
it: one-permutation MinHash with rotation (Li, Owen and Zhang 2012; Shrivastava and Li 2014), of each minimum a byte (Li
and König 2010). A survey looks at every byte of every document, and splitting it into words would take longer than
reading it. So its sketches are of stretches of 16 bytes, one in sixteen of which is chosen by what it begins with; the
shingles themselves decide.
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

from showthrough.core.arrays import Bytes, Codes, Ints
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.columns.strings import CODEC

NEAR = 0.9  # the Jaccard index from which on two texts are near copies
SHINGLE = 5  # words
# Of fewer words, one that is changed inside always leaves less than nine in ten shingles: equal texts alone are copies.
FEWEST_WORDS = 20
BINS = 32  # bytes of a sketch in a survey
_BUFFER = 1 << 16  # bytes of texts that are looked at together: of more, memory is asked for anew each time
_STRETCH = 16  # bytes
_LEAST_BYTES = 40  # without white space, of a text that can have twenty words
_CHOSEN = 16  # of 256 stretches
_ODD = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F],
    dtype=np.uint64,
)
_NONE = np.uint64(2**64 - 1)
_SPACES = bytes(code for code in range(128) if chr(code).isspace())
_BLANKS = "\x85\xa0\u1680\u3000"  # beyond ASCII; one by one they are found sooner than by a pattern
# The same in UTF-8, of those beside quotation marks and dashes.
_PUNCTUATION_BLANKS = lazy_pattern(rb"\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)")
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # and kana: nobody writes blanks between them
_WORD = lazy_pattern(rf"[{_IDEOGRAPHS}]|[^\s{_IDEOGRAPHS}]+")


def without_spaces(text: str) -> bytes:
    """A text in UTF-8 without any white space.

    >>> without_spaces("Mr  Doe\\u2009of\\u00a0Ærø\\n") == "MrDoeofÆrø".encode()
    True
    """
    encoded = text.encode(*CODEC)
    if len(encoded) != len(text) and _has_blanks(text, encoded):
        encoded = "".join(text.split()).encode(*CODEC)
    return encoded.translate(None, _SPACES)


def _has_blanks(text: str, encoded: bytes) -> bool:
    return (b"\xe2" in encoded and _PUNCTUATION_BLANKS.search(encoded) is not None) or any(
        blank in text for blank in _BLANKS
    )


def _mix_bits(values: Codes) -> Codes:
    """Numbers of which every bit depends on every bit of the others (Stafford's mix 13, as in SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * _ODD[1]
    values = (values ^ (values >> np.uint64(27))) * _ODD[2]
    return values ^ (values >> np.uint64(31))


def _sketch_hashes(hashes: Codes, text: Ints, count: int, bins: int) -> Bytes:
    """A row of so many bytes, a power of two, for each of so many texts; zeros where it has no hashes."""
    flat = np.full(count * bins, _NONE)
    np.minimum.at(flat, text * bins + (hashes >> np.uint64(65 - bins.bit_length())).astype(np.int64), hashes)
    least: Codes = flat.reshape(count, bins)
    if (gaps := np.flatnonzero((least == _NONE).any(axis=1))).size:
        least[gaps] = _without_gaps(least[gaps])
    sketches: Bytes = ((least * _ODD[3]) >> np.uint64(56)).astype(np.uint8)
    sketches[np.bincount(text, minlength=count) == 0] = 0
    return sketches


def _without_gaps(least: Codes) -> Codes:
    """A bin that has no minimum takes the next one's, changed by how far away that is."""
    bins = least.shape[1]
    source = np.where(least == _NONE, 2 * bins, np.arange(bins))
    twice = np.concatenate((source, np.where(source < bins, source + bins, source)), axis=1)
    following = np.minimum.accumulate(twice[:, ::-1], axis=1)[:, ::-1][:, :bins]
    distance = (following - np.arange(bins)).astype(np.uint64)
    filled: Codes = np.take_along_axis(least, following % bins, axis=1) + distance * _ODD[0]
    return filled


def _sketches(contents: Sequence[bytes]) -> Bytes:
    """Of texts without white space, by stretches of their bytes."""
    joined = b"".join(contents)
    if len(joined) < _LEAST_BYTES:
        return np.zeros((len(contents), BINS), dtype=np.uint8)
    content = np.frombuffer(joined, dtype=np.uint8)
    chosen = content[:-2] * np.uint8(37)
    chosen += content[1:-1] * np.uint8(101)
    chosen += content[2:] * np.uint8(173)
    starts = np.flatnonzero(chosen[: len(joined) - _STRETCH + 1] < _CHOSEN)
    ends = np.fromiter(accumulate(map(len, contents)), dtype=np.int64, count=len(contents))
    text = np.repeat(np.arange(len(contents)), np.diff(np.searchsorted(starts, ends), prepend=0))
    complete = starts + _STRETCH <= ends[text]
    short = np.diff(ends, prepend=0) < _LEAST_BYTES
    if short.any():
        complete &= ~short[text]
    starts, text = starts[complete], text[complete]
    words = np.ndarray((len(joined) - 7,), dtype="<u8", buffer=joined, strides=(1,))
    hashes = words[starts] * _ODD[1] + _mix_bits(words[starts + 8]) * _ODD[4]
    return _sketch_hashes(_mix_bits(hashes), text, len(contents), BINS)


class Sketching:
    """Digests and sketches of texts that are added one by one; they are looked at many together."""

    def __init__(self) -> None:
        self._digests, self._sketches = bytearray(), bytearray()
        self._waiting: list[bytes] = []
        self._size = 0

    def append(self, text: str) -> None:
        content = without_spaces(text)
        self._digests += hashlib.sha256(content).digest()[:8]
        self._waiting.append(content)
        self._size += len(content)
        if self._size >= _BUFFER:
            self._sketch_waiting()

    def extend(self, digests: Codes, sketches: Bytes) -> None:
        self._sketch_waiting()
        self._digests += digests.tobytes()
        self._sketches += sketches.tobytes()

    def _sketch_waiting(self) -> None:
        if self._waiting:
            self._sketches += _sketches(self._waiting).tobytes()
            self._waiting, self._size = [], 0

    def build(self) -> tuple[Codes, Bytes]:
        """All of them; none can be added then."""
        self._sketch_waiting()
        sketches = np.frombuffer(self._sketches, dtype=np.uint8).reshape(-1, BINS)
        return np.frombuffer(self._digests, dtype="<u8"), sketches


def shingles(text: str) -> list[tuple[str, ...]]:
    """All five-word shingles of a text; none where it has too few words to tell a near copy by them."""
    words = _WORD.findall(text)
    return [*zip(*(words[offset:] for offset in range(SHINGLE)), strict=False)] if len(words) >= FEWEST_WORDS else []


def jaccard(first: Ints, second: Ints) -> float:
    """Of two sets, each sorted and without repeats: what share of all that is in either is in both."""
    both = len(np.intersect1d(first, second, assume_unique=True))
    either = len(first) + len(second) - both
    return both / either if either else 0.0


_SKETCH_BYTES = 128  # bytes of a sketch that models keep of a text
_BANDS = 32  # of four bytes each
# A byte agrees by chance once in 256 times. One standard error below 0.9: what is at the limit rather counts as seen.
_MIN_EQUAL_BYTES = round(_SKETCH_BYTES * (NEAR + (1 - NEAR) / 256 - (NEAR * (1 - NEAR) / _SKETCH_BYTES) ** 0.5))


def copy_mark(text: str) -> str:
    """By what copies of a text are known again: a sketch of its shingles, or a digest where it has too few words.

    >>> copy_mark("Mr Doe") == copy_mark(" Mr\\nDoe ") != copy_mark("Ms Doe")
    True
    """
    checksums = [zlib.crc32("\n".join(words).encode(*CODEC)) for words in shingles(text)]
    if not checksums:
        return hashlib.sha256(without_spaces(text)).hexdigest()[:32]
    hashes = _mix_bits(np.array(checksums, dtype=np.uint64) + _ODD[0])
    return b64encode(
        _sketch_hashes(hashes, np.zeros(len(checksums), dtype=np.int64), 1, _SKETCH_BYTES).tobytes()
    ).decode()


class CopyMarks:
    """The marks of some texts, which know copies of them again, also near ones."""

    def __init__(self, marks: Iterable[str]) -> None:
        self._marks = frozenset(marks)
        rows = [
            np.frombuffer(b64decode(mark), dtype=np.uint8) for mark in sorted(self._marks) if len(mark) > _SKETCH_BYTES
        ]
        self._sketches = np.stack(rows) if rows else np.zeros((0, _SKETCH_BYTES), dtype=np.uint8)
        self._by_band: dict[tuple[int, bytes], list[int]] = {}
        for number, row in enumerate(rows):
            for key in _bands(row):
                self._by_band.setdefault(key, []).append(number)

    def know(self, text: str) -> bool:
        if not self._marks:
            return False
        mark = copy_mark(text)
        if mark in self._marks or len(mark) <= _SKETCH_BYTES:
            return mark in self._marks
        row = np.frombuffer(b64decode(mark), dtype=np.uint8)
        like = sorted({number for key in _bands(row) for number in self._by_band.get(key, ())})
        return bool(like) and int((self._sketches[like] == row).sum(axis=1).max()) >= _MIN_EQUAL_BYTES


def _bands(row: Bytes) -> list[tuple[int, bytes]]:
    return [(band, bytes(part)) for band, part in enumerate(row.reshape(_BANDS, -1))]
