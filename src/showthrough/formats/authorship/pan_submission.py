"""What participants of PAN's author masking handed in: a folder a problem with its passages and the whole text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import InputError, Problem, at_document, quote_value, shorten
from showthrough.data.masks import Mask, apply_masks
from showthrough.formats.authorship.pan_folders import (
    MARK,
    UNKNOWN,
    homes_in,
    is_known_text,
    problem_of,
    text_in,
    twice,
)
from showthrough.formats.base import Fit, Format, Input, Passages, Texts
from showthrough.formats.objects import strict
from showthrough.formats.remarks import Remarks, keys_of
from showthrough.formats.texts import is_hidden
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import collect_results, decode_json, decoded_or_none, fail, read_bytes, stem, suffix

# Passages of a submission stand in the original where they say, or else in the order in which one reads.

_BLANK = np.array([*(code for code in range(0x3001) if chr(code).isspace()), ord(MARK)], dtype=np.uint32)
_NONE = -1


def squeeze(text: str) -> str:
    """Without white space and byte-order marks.

    >>> squeeze("\\ufeffMr  Doe\\r\\nleft.")
    'MrDoeleft.'
    """
    return "".join(text.split()).replace(MARK, "")


@dataclass(frozen=True)
class QuotedPassage:
    """A passage as a submission quotes it, and where it says it is; the end may be that of its last character."""

    original: str
    start: int
    end: int


class Original:
    """A text in which passages are looked for."""

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        self._places: Ints = np.flatnonzero(~np.isin(codes, _BLANK))  # of what is left, in the text
        self.squeezed = squeeze(text)

    def find_passages(self, passages: Sequence[QuotedPassage]) -> Ints:
        """The start and end of each in the squeezed text; -1 where it does not occur, and where it is blank."""
        quotes = [squeeze(passage.original) for passage in passages]
        sizes = np.array([len(text) for text in quotes], dtype=np.int64)
        starts = self._as_stated(passages, quotes, sizes)
        after = 0  # the end of the last passage that was found
        for number, quote in enumerate(quotes):
            if starts[number] == _NONE and quote:
                following = quotes[number + 1] if number + 1 < len(quotes) else ""
                starts[number] = self._nearest(quote, following, after)
            if starts[number] != _NONE:
                after = int(starts[number] + sizes[number])
        return np.stack([starts, np.where(starts == _NONE, _NONE, starts + sizes)], axis=1)

    def spans(self, positions: Ints) -> Ints:
        """The same in the text itself, from the first to the last character that is no white space."""
        return np.stack([self._places[positions[:, 0]], self._places[positions[:, 1] - 1] + 1], axis=1)

    def find_uncovered(self, positions: Ints) -> Ints:
        """The places in the text, white space aside, that no passage has."""
        steps = np.zeros(len(self._places) + 1, dtype=np.int64)
        np.add.at(steps, positions[:, 0], 1)
        np.add.at(steps, positions[:, 1], -1)
        left: Ints = self._places[np.cumsum(steps)[:-1] == 0]
        return left

    def _as_stated(self, passages: Sequence[QuotedPassage], quotes: Sequence[str], sizes: Ints) -> Ints:
        """Where passages stand as they say, if half of them do; the byte-order mark of a file may be counted or not."""
        best = np.full(len(quotes), _NONE, dtype=np.int64)
        if not quotes:
            return best
        stated = np.array([(passage.start, passage.end) for passage in passages], dtype=np.int64)
        for shift in (0, 1):
            starts = np.searchsorted(self._places, stated[:, 0] - shift)
            ends = [np.searchsorted(self._places, stated[:, 1] - shift + more) for more in (0, 1)]
            fitting = (sizes > 0) & np.any([starts + sizes == end for end in ends], axis=0)
            fits = [fit and self.squeezed.startswith(quote, start)
                    for fit, quote, start in zip(fitting, quotes, starts.tolist(), strict=True)]  # fmt: skip
            if sum(fits) > np.count_nonzero(best != _NONE):
                best = np.where(fits, starts, _NONE)
        trusted = 2 * np.count_nonzero(best != _NONE) >= np.count_nonzero(sizes)
        return best if trusted else np.full(len(quotes), _NONE, dtype=np.int64)

    def _nearest(self, quote: str, following: str, after: int) -> int:
        """Where a passage stands: right after the last one, else nearest to there, best with the next one behind it."""
        if self.squeezed.startswith(quote, after):
            return after
        for target in dict.fromkeys((quote + following, quote)):
            later = self.squeezed.find(target, after)
            earlier = self.squeezed.rfind(target, 0, after + len(target) - 1)
            if later == _NONE or (earlier != _NONE and after - earlier < later - after):
                later = earlier
            if later != _NONE:
                return later
        return _NONE


_NAMES = {
    "id": "obfuscation-id", "start": "original-start-charpos", "end": "original-end-charpos",
}  # fmt: skip
_OBFUSCATION = "obfuscation.json"
_ANSWERS = "answers.txt"  # of a verifier, which PAN has beside the folders
_FARTHEST = 2**62
_Position = Annotated[int, msgspec.Meta(ge=-_FARTHEST, le=_FARTHEST)]


class _Passage(msgspec.Struct, rename=_NAMES):
    original: str
    obfuscation: str
    id: str | int
    start: _Position
    end: _Position


_PASSAGES = msgspec.json.Decoder(list[_Passage])
_STRICT = msgspec.json.Decoder(strict(list[_Passage]))
_ANY = msgspec.json.Decoder()


def read(file: Input) -> Passages | Texts:
    """The passages of all problems, found in the originals; texts alone where there are no passages or no originals."""
    path = file.path
    homes = homes_in(file, lambda name: name in (_OBFUSCATION, UNKNOWN))
    if not homes:
        raise fail(path, f"holds no problem; expected folders with {_OBFUSCATION} and {UNKNOWN}")
    if problems := twice(homes, path):
        raise InputError(problems)
    if file.corpus is None or not any(_OBFUSCATION in files for files in homes.values()):
        if not all(UNKNOWN in files for files in homes.values()):
            raise fail(path, "holds passages of texts; reading it needs the corpus with the originals")
        return Texts(collect_results(homes.items(), lambda item: (problem_of(item[0]), _read_text(item[1][UNKNOWN]))))
    oddities: dict[str, _Oddity] = {}
    submissions = [_Submission(problem_of(home), home, files, oddities) for home, files in homes.items()]
    masks = dict(
        collect_results(
            submissions,
            lambda submission: (submission.name, submission.masks(file.originals.get(submission.name), file.remarks)),
        )
    )
    file.remarks.others += [oddity.sentence(description) for description, oddity in oddities.items()]
    return Passages(
        masks, {submission.name: submission.written for submission in submissions if submission.name in file.originals}
    )


def _read_text(path: Path) -> str:
    return text_in(path).replace(MARK, "")  # obfuscated, what the original begins with may stand anywhere


@dataclass
class _Oddity:
    """Something about passages that is as it is, and worth knowing."""

    example: str
    count: int = 0
    problems: set[str] = field(default_factory=set)

    def sentence(self, description: str) -> str:
        problems = f"{len(self.problems)} problem{'s' * (len(self.problems) > 1)}"
        return f"{description}: {self.count} in {problems}, such as {self.example}"


@dataclass
class _Submission:
    """What was handed in for one problem."""

    name: str
    home: Path
    files: Mapping[str, Path]
    oddities: dict[str, _Oddity]
    written: str = ""

    def masks(self, original: str | None, remarks: Remarks) -> Sequence[Mask]:
        """Its passages, each where it stands in the original; none where there is no original, which pairing tells."""
        if _OBFUSCATION not in self.files:
            fault = f"{_OBFUSCATION} is missing; expected one beside {UNKNOWN}, as other problems have"
            raise fail(self.home, fault, at_document(self.name))
        passages = self._read_passages(remarks)
        if original is None:
            return ()
        masks = self._find_masks(passages, Original(original))
        if UNKNOWN not in self.files:
            self._note_oddity(f"texts without {UNKNOWN}, made of their passages", 1)
            self.written = apply_masks(original, masks)
            return masks
        self.written = _read_text(self.files[UNKNOWN])
        if squeeze(self.written) != squeeze("".join(passage.obfuscation for passage in passages)):
            self._note_oddity(f"{UNKNOWN} that is not its passages one after the other", 1)
        return masks

    def _read_passages(self, remarks: Remarks) -> list[_Passage]:
        path = self.files[_OBFUSCATION]
        content = read_bytes(path, RECORD)
        passages: list[_Passage] | None = decoded_or_none(content, _STRICT)
        if passages is None:
            passages = decode_json(content, _PASSAGES, path, at_document(self.name))
            keys_of(list[_Passage]).look_at(decode_json(content, _ANY, path, at_document(self.name)), remarks)
        return passages

    def _find_masks(self, passages: Sequence[_Passage], original: Original) -> list[Mask]:
        """Raises InputError with all passages that are not there."""
        quoting = [passage for passage in passages if squeeze(passage.original)]
        if blank := len(passages) - len(quoting):
            self._note_oddity("passages without a word of the original, which were left aside", blank)
        spans_found = original.find_passages(
            [QuotedPassage(passage.original, passage.start, passage.end) for passage in quoting]
        )
        if problems := [
            self._absence_problem(passage)
            for passage, (start, _) in zip(quoting, spans_found, strict=True)
            if start < 0
        ]:
            raise InputError(problems)
        self._note_oddities(quoting, spans_found, original)
        spans = original.spans(spans_found).tolist()
        return [
            Mask(start, end, passage.obfuscation.replace(MARK, ""))
            for passage, (start, end) in zip(quoting, spans, strict=True)
        ]

    def _absence_problem(self, passage: _Passage) -> Problem:
        location = f"{at_document(self.name)}: {_NAMES['id']} {shorten(str(passage.id))}"
        fault = f"original {quote_value(passage.original.strip())} does not occur in the text of the corpus"
        return Problem(str(self.files[_OBFUSCATION]), location, f"{fault}; expected a passage of it, white space aside")

    def _note_oddities(self, passages: Sequence[_Passage], spans: Ints, original: Original) -> None:
        """Notes what is odd about where passages are, and what they are called."""
        names = [str(passage.id) for passage in passages]
        first: dict[str, int] = {}
        repeated = [first.setdefault(name, number) < number for number, name in enumerate(names)]
        starts, ends = spans[:, 0], spans[:, 1]
        order = np.lexsort((ends, starts))
        overlapping = np.zeros(len(names), dtype=np.bool_)
        overlapping[order[1:]] = starts[order][1:] < np.maximum.accumulate(ends[order])[:-1]
        behind = starts < np.maximum.accumulate(starts)
        for description, which in (
            ("passages whose obfuscation-id another one has", np.array(repeated, dtype=np.bool_)),
            ("passages that overlap others", overlapping),
            ("passages out of the order of the original", behind),
        ):
            if which.any():
                self._note_oddity(
                    description, int(which.sum()), f", {_NAMES['id']} {shorten(names[int(which.argmax())])}"
                )
        if len(left := original.find_uncovered(spans)):
            self._note_oddity("characters of the original that no passage covers", len(left), f", from {left[0]} on")

    def _note_oddity(self, description: str, count: int, where: str = "") -> None:
        oddity = self.oddities.setdefault(description, _Oddity(f"{shorten(self.name)}{where}"))
        oddity.count += count
        oddity.problems.add(self.name)


def _recognise(head: Head) -> Fit:
    """By a file of passages; or where all texts in folders are of problems, by their name."""
    if not head.folder:
        return Fit.NO
    files = [file for file in head.files((".json", ".txt")) if not is_hidden(file, head.path)]
    if any(file.name == _OBFUSCATION for file in files):
        return Fit.SURE
    inside = {f"{stem(file)}{suffix(file)}" for file in files if file.parent != head.path} - {_ANSWERS}
    return Fit.SURE if UNKNOWN in inside and all(name == UNKNOWN or is_known_text(name) for name in inside) else Fit.NO


FORMAT = Format(
    "PAN's author masking: a folder a problem with obfuscation.json and unknown.txt",
    (".json",),  # beside texts alone a result in JSON is none of its files
    _recognise,
    read_anonymization=read,
    in_folders=True,
    aside=(".txt",),
    sample={
        f"case-1/{_OBFUSCATION}": """\
[{"original": "Mr John Doe of Oslo left.", "original-start-charpos": 0, "original-end-charpos": 25,
  "obfuscation": "Somebody went away.", "obfuscation-id": 1}]
""",
        f"case-1/{UNKNOWN}": "Somebody went away.",
    },
)
