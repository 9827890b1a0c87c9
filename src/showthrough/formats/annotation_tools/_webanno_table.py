"""The lines of a WebAnno TSV file: header, sentences, tokens with their columns; and the text that they are of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

from showthrough.core.errors import InputError, Problem, at_document, quote_value
from showthrough.data.units import Unit, from_code_points, to_code_points
from showthrough.formats.annotation_tools._uima_layers import linguistic, structural
from showthrough.formats.base import unlike
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import fail, read_bytes, text_of

START = b"#FORMAT=WebAnno TSV 3"
_HEADER = re.compile(r"#T_(SP|CH|RL)=([^|]+)(.*)")
_PLACE = re.compile(r"(\d{1,9}-\d{1,9}(?:\.\d{1,9})?)\t(\d{1,12})-(\d{1,12})\t")  # sentence and token; offsets
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_UNITS: tuple[Unit, ...] = ("utf-16", "code points")


class Layer(NamedTuple):
    """A layer of the header: its columns, of which it has one even without features."""

    sort: str  # SP, CH or RL
    name: str
    features: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.features) or 1

    @property
    def is_mark(self) -> bool:
        return self.sort == "SP" and not (linguistic(self.name) or structural(self.name))

    @property
    def own(self) -> tuple[str, ...]:
        """Its features less slots, which link marks to others and take two columns."""
        return tuple(name for name in self.features if not name.startswith("ROLE_") and "." not in name)


class TokenRow(NamedTuple):
    """A token, or a piece of one."""

    line: int
    unit: str  # sentence and token, such as 1-3.1
    start: int
    end: int
    form: str
    columns: list[str]

    @property
    def is_token(self) -> bool:
        return "." not in self.unit


@dataclass
class WebAnnoSentence:
    lines: list[str] = field(default_factory=list)
    rows: list[TokenRow] = field(default_factory=list)


@dataclass
class Export:
    """A file, as far as it can be read without its text."""

    file: Path
    id: str
    annotator: str
    layers: list[Layer] = field(default_factory=list)
    sentences: list[WebAnnoSentence] = field(default_factory=list)

    @property
    def rows(self) -> Iterator[TokenRow]:
        return (row for sentence in self.sentences for row in sentence.rows)

    def fault(self, line: int, message: str) -> InputError:
        return fail(self.file, message, f"{at_document(self.id)}: line {line}")


def parse_export(file: Path, name: str, annotator: str) -> Export:
    export = Export(file, name, annotator)
    width = 0
    started = False
    rows: list[TokenRow] = []
    for number, line in enumerate(text_of(file, read_bytes(file, RECORD)).split("\n"), 1):
        line = line.removesuffix("\r")
        if number == 1:
            if not line.startswith(START.decode()):
                raise fail(file, f"starts with {quote_value(line)}; expected #FORMAT=WebAnno TSV 3.3")
        elif line[:1] != "#":
            if not line or line.isspace():
                continue
            if not started:
                raise export.fault(number, "found a token before any text; expected #Text= before it")
            rows.append(_row(export, number, line, width))
        elif line.startswith("#T_") and (layer := _HEADER.fullmatch(line)):
            features = tuple(filter(None, layer[3].split("|")))
            export.layers.append(Layer(layer[1], layer[2], features))
            width = sum(export_layer.width for export_layer in export.layers)
        elif line.startswith("#Text="):
            if not started or rows:
                started, rows = True, []
                export.sentences.append(WebAnnoSentence(rows=rows))
            export.sentences[-1].lines.append(line.removeprefix("#Text="))
    return export


def _row(export: Export, number: int, line: str, width: int) -> TokenRow:
    match = _PLACE.match(line)
    if match is None:
        raise export.fault(number, f"found {quote_value(line)}; expected 1-1<tab>0-4<tab>token and columns")
    form, *columns = line[match.end() :].split("\t")
    if columns and columns[-1] == "":  # each line ends in a tab, and no cell is empty
        columns.pop()
    if len(columns) != width:
        raise export.fault(number, f"has {len(columns)} columns after the token; expected the {width} of the header")
    start, end = int(match[2]), int(match[3])
    if end < start:
        raise export.fault(number, f"the token ends at {end} and starts at {start}; expected the end after the start")
    return TokenRow(number, match[1], start, end, form, columns)


def unescape(value: str) -> str:
    return _ESCAPED.sub(lambda match: _SIGNS.get(match[1], match[1]), value) if "\\" in value else value


def restore_text(export: Export, original: str | None, gaps: set[bool]) -> tuple[str, dict[int, int]]:
    """The text, and where each offset of the file lies in it. Its tokens tell in which way offsets count."""
    offsets = sorted({offset for row in export.rows for offset in (row.start, row.end)})
    problems: Sequence[Problem] = ()
    for unit, escaped in product(_UNITS, (True, False)):
        for candidate in (original, None) if original is not None else (None,):
            try:
                text, gap = (candidate, False) if candidate is not None else _join_sentences(export, unit, escaped)
                code_points = dict(zip(offsets, to_code_points(text, offsets, unit), strict=True))
                _check_tokens(export, text, code_points, escaped)
            except InputError as error:
                problems = problems or [_locate_problem(export, problem) for problem in error.problems]
            else:
                gaps |= {True} if gap else set()
                return text, code_points
    raise InputError(problems)


def _locate_problem(export: Export, problem: Problem) -> Problem:
    return problem if problem.file else Problem(str(export.file), at_document(export.id), problem.message)


def _join_sentences(export: Export, unit: Unit, escaped: bool) -> tuple[str, bool]:
    """The text, sentence after sentence, each where its first token starts; and whether something was put between."""
    pieces: list[str] = []
    length, gap = 0, False
    for sentence in export.sentences:
        sentence_text = "\n".join(map(unescape, sentence.lines) if escaped else sentence.lines)
        tokens = [row for row in sentence.rows if row.is_token]
        start = tokens[0].start if tokens else length + bool(pieces)
        if start < length:
            line = sentence.rows[0].line
            raise export.fault(line, f"its sentence starts at {start}, before the last one ends ({length})")
        between = ("\n" * bool(pieces)).ljust(start - length)[: start - length]
        gap |= bool(between)
        pieces += (between, sentence_text)
        length = start + from_code_points(sentence_text, [len(sentence_text)], unit)[0]
    return "".join(pieces), gap


def _check_tokens(export: Export, text: str, code_points: Mapping[int, int], escaped: bool) -> None:
    for row in export.rows:
        covered = text[code_points[row.start] : code_points[row.end]]
        if covered != (unescape(row.form) if escaped else row.form) and covered != row.form:
            raise export.fault(row.line, unlike(f"at {row.start}–{row.end}", covered, "the token is", row.form))
