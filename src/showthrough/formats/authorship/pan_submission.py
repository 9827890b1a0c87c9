"""What participants of PAN's author masking handed in: a folder a problem with its passages and the whole text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.data.masks import Mask, apply_masks
from showthrough.errors import InputError, Problem, at_document, quoted, shown
from showthrough.files.heads import Head
from showthrough.files.limits import RECORD
from showthrough.files.reading import decoded, decoded_or_none, fail, gathered, read_bytes, stem, suffix
from showthrough.formats.base import Fit, Format, Input, Passages, Texts
from showthrough.formats.folder import hidden
from showthrough.formats.pan_folders import MARK, UNKNOWN, homes_in, is_known, problem_of, text_in, twice
from showthrough.formats.pan_passages import Original, Stated, squeezed
from showthrough.formats.remarks import Remarks, keys_of
from showthrough.formats.strict import strict

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
        return Texts(gathered(homes.items(), lambda item: (problem_of(item[0]), _text(item[1][UNKNOWN]))))
    oddities: dict[str, _Oddity] = {}
    given = [_Given(problem_of(home), home, files, oddities) for home, files in homes.items()]
    masks = dict(gathered(given, lambda one: (one.name, one.masks(file.originals.get(one.name), file.remarks))))
    file.remarks.others += [oddity.sentence(what) for what, oddity in oddities.items()]
    return Passages(masks, {one.name: one.written for one in given if one.name in file.originals})


def _text(path: Path) -> str:
    return text_in(path).replace(MARK, "")  # obfuscated, what the original begins with may stand anywhere


@dataclass
class _Oddity:
    """Something about passages that is as it is, and worth knowing."""

    example: str
    count: int = 0
    problems: set[str] = field(default_factory=set)

    def sentence(self, what: str) -> str:
        problems = f"{len(self.problems)} problem{'s' * (len(self.problems) > 1)}"
        return f"{what}: {self.count} in {problems}, such as {self.example}"


@dataclass
class _Given:
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
        passages = self._passages(remarks)
        if original is None:
            return ()
        masks = self._found(passages, Original(original))
        if UNKNOWN not in self.files:
            self._odd(f"texts without {UNKNOWN}, made of their passages", 1)
            self.written = apply_masks(original, masks)
            return masks
        self.written = _text(self.files[UNKNOWN])
        if squeezed(self.written) != squeezed("".join(one.obfuscation for one in passages)):
            self._odd(f"{UNKNOWN} that is not its passages one after the other", 1)
        return masks

    def _passages(self, remarks: Remarks) -> list[_Passage]:
        path = self.files[_OBFUSCATION]
        content = read_bytes(path, RECORD)
        found: list[_Passage] | None = decoded_or_none(content, _STRICT)
        if found is None:
            found = decoded(content, _PASSAGES, path, at_document(self.name))
            keys_of(list[_Passage]).look_at(decoded(content, _ANY, path, at_document(self.name)), remarks)
        return found

    def _found(self, passages: Sequence[_Passage], original: Original) -> list[Mask]:
        """Raises InputError with all passages that are not there."""
        quoting = [one for one in passages if squeezed(one.original)]
        if blank := len(passages) - len(quoting):
            self._odd("passages without a word of the original, which were left aside", blank)
        found = original.found([Stated(one.original, one.start, one.end) for one in quoting])
        if problems := [self._absent(one) for one, (start, _) in zip(quoting, found, strict=True) if start < 0]:
            raise InputError(problems)
        self._look_at(quoting, found, original)
        spans = original.spans(found).tolist()
        return [
            Mask(start, end, one.obfuscation.replace(MARK, ""))
            for one, (start, end) in zip(quoting, spans, strict=True)
        ]

    def _absent(self, passage: _Passage) -> Problem:
        place = f"{at_document(self.name)}: {_NAMES['id']} {shown(str(passage.id))}"
        fault = f"original {quoted(passage.original.strip())} does not occur in the text of the corpus"
        return Problem(str(self.files[_OBFUSCATION]), place, f"{fault}; expected a passage of it, white space aside")

    def _look_at(self, passages: Sequence[_Passage], found: NDArray[np.int64], original: Original) -> None:
        """Notes what is odd about where passages are, and what they are called."""
        names = [str(one.id) for one in passages]
        first: dict[str, int] = {}
        seen = [first.setdefault(name, number) < number for number, name in enumerate(names)]
        starts, ends = found[:, 0], found[:, 1]
        order = np.lexsort((ends, starts))
        overlapping = np.zeros(len(names), dtype=np.bool_)
        overlapping[order[1:]] = starts[order][1:] < np.maximum.accumulate(ends[order])[:-1]
        behind = starts < np.maximum.accumulate(starts)
        for what, which in (
            ("passages whose obfuscation-id another one has", np.array(seen, dtype=np.bool_)),
            ("passages that overlap others", overlapping),
            ("passages out of the order of the original", behind),
        ):
            if which.any():
                self._odd(what, int(which.sum()), f", {_NAMES['id']} {shown(names[int(which.argmax())])}")
        if len(left := original.uncovered(found)):
            self._odd("characters of the original that no passage covers", len(left), f", from {left[0]} on")

    def _odd(self, what: str, count: int, where: str = "") -> None:
        odd = self.oddities.setdefault(what, _Oddity(f"{shown(self.name)}{where}"))
        odd.count += count
        odd.problems.add(self.name)


def _recognise(head: Head) -> Fit:
    """By a file of passages; or where all texts in folders are of problems, by their name."""
    if not head.folder:
        return Fit.NO
    files = [one for one in head.files((".json", ".txt")) if not hidden(one, head.path)]
    if any(one.name == _OBFUSCATION for one in files):
        return Fit.SURE
    inside = {f"{stem(one)}{suffix(one)}" for one in files if one.parent != head.path} - {_ANSWERS}
    return Fit.SURE if UNKNOWN in inside and all(name == UNKNOWN or is_known(name) for name in inside) else Fit.NO


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
