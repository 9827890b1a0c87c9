"""The lines of CoNLL-U: documents, sentences and tokens, with what the last column says of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from showthrough.core.errors import InputError, at_document, quote_value
from showthrough.formats.annotation_tools._tags import find_lines, with_line_feeds
from showthrough.storage.reading import fail, read_bytes, stem, text_of

_COLUMNS = 10
_COMMENT = re.compile(r"#\s*([\w.]+(?: id)?)\s*(?:=\s?(.*))?", re.DOTALL)
_DIGITS = 9
_NEW = ("newdoc", "newdoc id")
_ID = re.compile(r"(\d{1,9})(-\d{1,9}|\.\d{1,9})?")
TAG_KEYS = ("NER", "NE", "NAME")


@dataclass(slots=True)
class TokenLines:
    """A token with what its lines say: that of a token of several words, and those of its words."""

    line: int
    form: str  # empty: a word that is not written, such as a pronoun left out
    misc: Mapping[str, str]
    words: list[tuple[int, Mapping[str, str]]] | None = None  # by line, of a token of several words

    def of(self, key: str) -> list[tuple[int, str]]:
        """What its lines say under a key."""
        own = [(self.line, self.misc[key])] if key in self.misc else []
        return [*own, *((line, misc[key]) for line, misc in self.words if key in misc)] if self.words else own


@dataclass
class ConlluSentence:
    line: int
    text: str | None = None
    tokens: list[TokenLines] = field(default_factory=list)

    @property
    def written_tokens(self) -> list[TokenLines]:
        return [token for token in self.tokens if token.form]


class Slice(NamedTuple):
    """One document, still to be read: its lines, and the number of the first."""

    file: Path
    id: str
    order: list[str]  # of what brackets say, from `# global.Entity`
    line: int
    text: str


@dataclass
class ConlluRecord:
    """One document."""

    file: Path
    id: str
    order: list[str]
    sentences: list[ConlluSentence] = field(default_factory=list)

    def has(self, key: str) -> bool:
        return any(
            key in token.misc or (token.words and token.of(key))
            for sentence in self.sentences
            for token in sentence.tokens
        )

    def fault(self, line: int, message: str) -> InputError:
        return fail(self.file, message, f"{at_document(self.id)}: line {line}")


def slices_of(file: Path, misc_values: set[str]) -> list[Slice]:
    """The records of a file; what their lines say in the last column is added to `misc_values`."""
    content = with_line_feeds(text_of(file, read_bytes(file)))
    slices: list[Slice] = []
    order: list[str] = []
    name, number, before = stem(file), 1, 0
    for line in chain(find_lines(content, "#"), [None]):
        key, value = _comment(line.text) if line else ("newdoc", "")
        if key == "global.Entity":
            order += value.strip().split("-")
        if key not in _NEW:
            continue
        text = content[before : line.start if line else None]
        # Before the first that is named there may be one without a name, or nothing.
        if before or any(
            _comment(text_line)[0] == "text" or text_line.strip()[:1] not in ("", "#") for text_line in text.split("\n")
        ):
            slices.append(Slice(file, name, order, number, text))
            misc_values.update(
                text_line[text_line.rfind("\t") + 1 :] for text_line in text.split("\n") if text_line[:1] != "#"
            )
        if line is not None:
            name = value.strip() or f"{stem(file)}-{len(slices) + 1}"
            number, before = line.number + 1, line.end
    return slices


def _comment(line: str) -> tuple[str, str]:
    """The key and the value of a comment; none of another line."""
    match = _COMMENT.fullmatch(line) if line[:1] == "#" else None
    return (match[1], match[2] or "") if match else ("", "")


def record_of(cut: Slice) -> ConlluRecord:
    record = ConlluRecord(cut.file, cut.id, cut.order)
    sentence: ConlluSentence | None = None
    several = 0  # the last word of the token of several words that is around
    for number, line in enumerate(cut.text.removesuffix("\n").split("\n"), cut.line):
        if not line or line.isspace():
            sentence = None
        elif line[0] == "#":
            key, value = _comment(line)
            if key == "text":
                sentence, several = ConlluSentence(number, value), 0
                record.sentences.append(sentence)
        else:
            fields = line.split("\t")
            if len(fields) != _COLUMNS or not (_is_whole(fields[0]) or _ID.fullmatch(fields[0])):
                expected = f"{_COLUMNS} columns with tabs between, the first a number"
                raise fail(cut.file, f"found {quote_value(line)}; expected {expected}", f"line {number}")
            if sentence is None:
                sentence, several = ConlluSentence(number), 0
                record.sentences.append(sentence)
            if several or not _is_whole(fields[0]):
                several = _take(sentence, fields, number, several)
            else:
                sentence.tokens.append(TokenLines(number, fields[1], pairs(fields[-1])))
    return record


def _is_whole(identity: str) -> bool:
    """Whether it is the number of a word, and of neither several nor one that is not written."""
    return identity.isdecimal() and len(identity) <= _DIGITS


@lru_cache(maxsize=65_536)  # most lines say the same
def pairs(misc: str) -> Mapping[str, str]:
    """What a last column says, by key."""
    pairs = (pair.partition("=") for pair in misc.split("|") if "=" in pair)
    return {key.upper() if key.upper() in TAG_KEYS else key: value for key, _, value in pairs}


def _take(sentence: ConlluSentence, fields: list[str], number: int, several: int) -> int:
    """Takes a line into a sentence; gives the last word of the token of several words that is around."""
    identity, form = fields[0], fields[1]
    misc = pairs(fields[-1])
    first, dash, last = identity.partition("-")
    if not dash and "." not in identity and int(first) <= several:
        around = sentence.tokens[-1]
        around.words = [*(around.words or ()), (number, misc)]
        return several
    sentence.tokens.append(TokenLines(number, "" if "." in identity else form, misc))
    return int(last) if dash else several
