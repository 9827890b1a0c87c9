"""CoNLL-style BIO: one token a line, its tag in the last column, an empty line between sentences.

A plain file of tokens and tags can be read, but it does not say what stood between the tokens. What is written here
does: comment lines in the manner of CoNLL-U give a record's id and its text, two columns the offsets of each token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from operator import eq
from pathlib import Path
from typing import NamedTuple

from showthrough.core.errors import QUOTED, InputError, at_document, quote_value
from showthrough.data.documents import Document, Mention
from showthrough.data.levels import by_type
from showthrough.formats.annotation_tools._tags import (
    EXPECTED,
    TokenOffsets,
    find_lines,
    parse_tag,
    runs,
    tag_tokens,
    with_line_feeds,
)
from showthrough.formats.base import Format, Input, unlike, unwritable
from showthrough.formats.clinical.phi import ANNOTATOR, build_document, fit, masks_from, silver_of
from showthrough.storage.reading import collect_results, fail, read_bytes, stem, text_of

ENDINGS = (".conll", ".bio", ".iob")
_HEADER = "# global.columns = FORM START END TAG"
_COMMENT = re.compile(r"# ?([\w.: ]+?) ?= ?(.*)")
_GAP = re.compile(r"\s*")
_DIGITS = 18  # of an offset
_OFFSET = re.compile(rf"\d{{1,{_DIGITS}}}")
_SIGNS = "#-"  # what lines start with that may be more than tokens


def read(file: Input) -> list[Document]:
    """All records of a file or of a folder's files; a system's output may have tokens alone."""
    files = file.head.files(ENDINGS)
    if not files:
        raise fail(file.path, f"holds no file that ends in {', '.join(ENDINGS)}")
    records = (record for path in files for record in _records(path))
    return collect_results(records, lambda record: record.document(file.originals.get(record.id)))


class _Offsets(NamedTuple):
    """Where tokens stand, as their lines say."""

    starts: list[int]
    ends: list[int]

    def span(self, first: int, last: int) -> tuple[int, int]:
        return self.starts[first], self.ends[last]


@dataclass
class _Record:
    """The lines of one record, as blocks: the number of the first line, and the text."""

    file: Path
    id: str
    columns: list[str]
    text: str | None = None
    annotator: str = ANNOTATOR
    blocks: list[tuple[int, str]] = field(default_factory=list)

    @property
    def lines(self) -> list[tuple[int, list[str]]]:
        """Each its number and its fields, none where a sentence ends."""
        return [
            (number, line.split("\t") if "\t" in line and line.strip() else line.split())
            for first, block in self.blocks
            for number, line in enumerate(_lines_of(block), first)
        ]

    def document(self, original: str | None) -> Document:
        text = original if self.text is None else self.text
        text = self._build_text() if text is None else text
        mentions = self._at_once(text)
        return build_document(self.id, text, self._mentions(text) if mentions is None else mentions, self.annotator)

    def _at_once(self, text: str) -> list[Mention] | None:
        """The marks where lines are as most are, by columns; `None` where some have to be looked at one by one."""
        sentences = list(_sentences([line for _, block in self.blocks for line in _lines_of(block)]))
        fields = [line.split("\t") if "\t" in line else line.split() for lines in sentences for line in lines]
        if len(set(map(len, fields))) != 1 or len(fields[0]) < 2:
            return None
        columns = list(zip(*fields, strict=True))
        if "" in columns[0] or None in map(parse_tag, set(columns[-1])):
            return None
        token_spans = self._find_tokens(columns, text)
        if token_spans is None:
            return None
        mentions, before = [], 0
        wrong = partial(self._fault, message=f"expected {EXPECTED}")  # of which there is none
        for lines in sentences:
            tags = columns[-1][before : before + len(lines)]
            for first, after, kind in runs(tags, wrong):
                mentions.append(by_type(*token_spans.span(before + first, before + after - 1), kind))
            before += len(lines)
        return mentions

    def _find_tokens(self, columns: Sequence[Sequence[str]], text: str) -> TokenOffsets | _Offsets | None:
        """Where tokens stand; `None` where one is not where it says, or not in the text."""
        at = {name: number for number, name in enumerate(self.columns[: len(columns)])}
        if not {"START", "END"} <= at.keys():
            return TokenOffsets.quick(columns[0], text)
        offset_columns = columns[at["START"]], columns[at["END"]]
        if not all(
            all(column) and "".join(column).isdecimal() and max(map(len, column)) <= _DIGITS
            for column in offset_columns
        ):
            return None
        offsets = _Offsets(*(list(map(int, column)) for column in offset_columns))
        covered = map(text.__getitem__, map(slice, offsets.starts, offsets.ends))
        return offsets if all(map(eq, covered, columns[0])) else None

    def _build_text(self) -> str:
        """Tokens with a space between, sentences with a line feed: the best guess where the file says no more."""
        sentences = groupby((fields for _, fields in self.lines), bool)
        return "\n".join(" ".join(fields[0] for fields in lines) for full, lines in sentences if full)

    def _mentions(self, text: str) -> Iterator[Mention]:
        open_at: tuple[int, int, str] | None = None
        position = 0
        for number, fields in [*self.lines, (0, [])]:
            kind, starts = None, False
            if fields:
                start, position = self._find_token(number, fields, text, position)
                tag = parse_tag(fields[-1])
                if len(fields) < 2 or tag is None:
                    line = quote_value(" ".join(fields))
                    raise self._fault(number, f"found {line}; expected a token and {EXPECTED}")
                kind, starts = tag
            if open_at is not None and (starts or kind != open_at[2]):
                yield by_type(*open_at)
                open_at = None
            if kind is not None:
                open_at = (open_at[0] if open_at else start, position, kind)

    def _find_token(self, number: int, fields: list[str], text: str, position: int) -> tuple[int, int]:
        """Where a token stands: where its line says, or next in the text."""
        token = fields[0]
        named = dict(zip(self.columns, fields, strict=False))
        if "START" in named and "END" in named:
            if not (_OFFSET.fullmatch(named["START"]) and _OFFSET.fullmatch(named["END"])):
                offsets = ", ".join(quote_value(named[column], QUOTED // 2) for column in ("START", "END"))
                raise self._fault(number, f"found the offsets {offsets}; expected numbers")
            start, end = int(named["START"]), int(named["END"])
        else:
            gap = _GAP.match(text, position)
            start = gap.end() if gap else position
            end = start + len(token)
        if text[start:end] != token:
            raise self._fault(number, unlike(f"at {start}", text[start:end], "the token is", token))
        return start, end

    def _fault(self, number: int, message: str) -> InputError:
        return fail(self.file, message, f"{at_document(self.id)}: line {number}")


def _records(file: Path) -> list[_Record]:
    records: list[_Record] = []
    columns: list[str] = []

    def current() -> _Record:
        if not records:
            records.append(_Record(file, stem(file), columns))
        return records[-1]

    content = with_line_feeds(text_of(file, read_bytes(file)))
    number, before = 1, 0
    for line in chain(find_lines(content, _SIGNS), [None]):
        block = content[before : None if line is None else line.start]
        if block and (records or not block.isspace()):
            current().blocks.append((number, block))
        if line is None:
            break
        number, before = line.number + 1, line.end
        comment = _COMMENT.fullmatch(line.text)
        if comment and comment[1] == "global.columns":
            columns += comment[2].split()
        elif comment and comment[1] == "newdoc id":
            records.append(_Record(file, _value(file, line.number, comment[2]), columns))
        elif comment and comment[1] == "text":
            current().text = _value(file, line.number, comment[2])
        elif comment and comment[1] == "annotator":
            current().annotator = _value(file, line.number, comment[2])
        elif line.text.startswith("-DOCSTART-"):
            records.append(_Record(file, f"{stem(file)}-{len(records) + 1}", columns))
        elif not comment:
            current().blocks.append((line.number, line.text))
        elif records:
            current().blocks.append((line.number, "\n"))  # other comments stand between sentences
    return records


def _lines_of(block: str) -> list[str]:
    return block.removesuffix("\n").split("\n")


def _sentences(lines: list[str]) -> Iterator[list[str]]:
    """Lines between empty ones."""
    before = 0
    for at in [*(number for number, line in enumerate(lines) if not line), len(lines)]:
        if before < at:
            yield lines[before:at]
        before = at + 1


def _value(file: Path, number: int, comment: str) -> str:
    """What a comment says: as it stands, or a JSON string."""
    try:
        return str(json.loads(comment)) if comment.startswith('"') else comment
    except ValueError:
        raise fail(file, f"found {quote_value(comment)}; expected a JSON string", f"line {number}") from None


def write(documents: Iterable[Document]) -> dict[str, bytes]:
    """All records as one file."""
    lines = [_HEADER]
    for document in documents:
        lines += (f"# newdoc id = {json.dumps(document.id)}", f"# text = {json.dumps(document.text)}")
        if silver := silver_of(document):
            lines.append(f"# annotator = {json.dumps(silver)}")
        lines += (*_lines(document), "")
    return {"": ("\n".join(lines) + "\n").encode()}


def _lines(document: Document) -> Iterator[str]:
    text, last = document.text, 0
    for token in tag_tokens(document):
        if re.search(r"\s", token.tag):
            raise unwritable(document, f"the type {quote_value(token.tag[2:])} has a space, which a tag cannot have")
        # An empty line inside an instance would end it.
        if "\n" in text[last : token.start] and not token.tag.startswith("I"):
            yield ""
        last = token.end
        yield f"{text[token.start : token.end]}\t{token.start}\t{token.end}\t{token.tag}"


FORMAT = Format(
    "CoNLL-style BIO: a token and its tag a line",
    *(ENDINGS, lambda head: fit(head, *ENDINGS), read, masks_from(read), write),
    in_folders=True,
)
