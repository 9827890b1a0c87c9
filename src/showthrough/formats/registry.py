"""Lists the formats, and finds out which of them a file is in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from showthrough.core.errors import (
    ChangedError,
    InputError,
    OutputError,
    PlanError,
    Problem,
    ResourceError,
    join_names,
    quote_value,
    shorten,
)
from showthrough.core.plugins import Registry
from showthrough.formats import records, texts
from showthrough.formats._checks import checked_anonymization, checked_documents
from showthrough.formats.base import Fit, Format, Input, Task, can
from showthrough.formats.remarks import like_spans
from showthrough.formats.samples import nearest
from showthrough.formats.tables.rows import RowHead
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import fail, files_in, suffix

Place = TypeVar("Place", Head, Input)
_TEXTS_ALONE = ("records", "texts", "table", "folder")  # formats without a place for marks beside a text
_SAMPLE_ROWS = 50  # rows that are looked at
_LACKS: dict[Task, str] = {
    "read": "holds no corpus", "read_anonymization": "holds no anonymization", "write": "cannot be written",
}  # fmt: skip


def _entry(name: str, entry: object) -> Format:
    if name in _PLACES and isinstance(entry, dict):  # of a module with several
        entry = entry.get(name)
    if isinstance(entry, Format):
        return entry
    raise PlanError(f"found {quote_value(entry)}; expected a showthrough.formats.Format", f"format {name}")


# In the order in which they are listed. Of two that go equally well with a file, the first is taken.
_PLACES = {
    # our own
    "tab": "benchmarks.tab:LIST",
    "jsonl": "benchmarks.tab:LINES",
    "masks": "benchmarks.tae:FORMAT",
    "showthrough": "made_masks:FORMAT",
    # texts and tables
    "records": "records:FORMAT",
    "texts": "texts:FORMAT",
    "folder": "texts:FOLDER",
    "table": "tables.table:FORMAT",
    "xlsx": "tables.xlsx:FORMAT",
    "parquet": "tables.parquet:FORMAT",
    # who wrote a text
    "pan": "authorship.pan:FORMAT",
    "pan-pairs": "authorship.pan_pairs:FORMAT",
    "pan-submission": "authorship.pan_submission:FORMAT",
    # who is in a text
    "spia": "people.spia:FORMAT",
    "profiles": "people.profiles:FORMAT",
    # clinical
    "i2b2": "clinical.i2b2:FORMATS",
    "i2b2-2014": "clinical.i2b2:FORMATS",
    "i2b2-2006": "clinical.i2b2:FORMATS",
    "meddocan": "clinical.i2b2:FORMATS",
    "brat": "annotation_tools.brat:FORMAT",
    # annotation tools and data sets
    "label-studio": "annotation_tools.labelstudio:FORMAT",
    "label-studio-min": "annotation_tools.labelstudio_min:FORMAT",
    "doccano": "annotation_tools.doccano:FORMAT",
    "prodigy": "annotation_tools.prodigy:FORMAT",
    "presidio-evaluator": "recognizers.presidio_evaluator:FORMAT",
    "ai4privacy": "benchmarks.ai4privacy:FORMAT",
    "nemotron-pii": "benchmarks.nemotron:FORMAT",
    # linguists' tools
    "spacy-json": "annotation_tools.spacy_json:FORMAT",
    "spacy-pairs": "annotation_tools.spacy_json:PAIRS",
    "spacy": "annotation_tools.docbin:FORMAT",
    "token-rows": "annotation_tools.token_rows:FORMAT",
    "webanno": "annotation_tools.webanno:FORMAT",
    "xmi": "annotation_tools.xmi:FORMAT",
    "conll": "annotation_tools.conll:FORMAT",
    "conllu": "annotation_tools.conllu:FORMAT",
    # services
    "presidio": "recognizers.presidio:FORMAT",
    "comprehend": "recognizers.comprehend:FORMAT",
    "dlp": "recognizers.dlp:FORMAT",
    "azure": "recognizers.azure:FORMAT",
}
FORMATS: Registry[Format] = Registry(
    "formats", {}, _entry, lazy={name: f"showthrough.formats.{module}" for name, module in _PLACES.items()}
)
# Those that no file with JSON in it and an ending of JSON is in: they are not imported to ask them.
_NEVER_JSON = frozenset({
    "folder", "table", "xlsx", "parquet", "pan", "pan-submission", "i2b2", "i2b2-2014", "i2b2-2006", "meddocan", "brat",
    "spacy", "webanno", "conll", "conllu",
})  # fmt: skip
_JSON_ENDINGS = frozenset({".json", ".jsonl", ".ndjson"})


def format_named(name: str, task: Task | None = None) -> Format:
    """The format of this name; raises PlanError where there is none, or it cannot do what it is needed for."""
    if name not in FORMATS:
        raise PlanError(f"unknown format; there are {', '.join(FORMATS)}", f"format {name}")
    if task and not can(FORMATS[name], task):
        names = ", ".join(other for other, format in FORMATS.sound().items() if can(format, task))
        raise PlanError(f"{_LACKS[task]}; choose one of {names}", f"format {name}")
    return FORMATS[name]


def recognise_format(head: Head, task: Task) -> str | None:
    """The format that a file is in, of those that can do what is asked; `None` where none claims it.

    What a file begins with counts for more than its ending. Where a built-in format is sure plugins are not asked, so
    that what is installed does not change what a file means.
    """
    if is_run(head):
        return None
    if (certain := _first_certain(head, task)) is not None:
        return certain
    claims = _collect_claims(head, _possible_formats(head), task)
    best = max(claims, key=claims.__getitem__, default=None)  # the first among equals
    if best is not None and claims[best][0] >= Fit.SURE:
        return best
    names = (name for name in FORMATS if name not in FORMATS.built_in_names)
    plugins = {name: FORMATS[name] for name in names if not FORMATS.fault(name)}
    theirs = _collect_claims(head, plugins, task)
    most = max(theirs.values(), default=(Fit.NO, False))
    if most[0] <= (claims[best][0] if best else Fit.NO):
        return best
    rivals = [name for name, claim in theirs.items() if claim == most]
    if len(rivals) > 1:
        raise PlanError(f"may be {' or '.join(rivals)}; say which with --format", str(head.path))
    return rivals[0]


def _possible_formats(head: Head) -> dict[str, Format]:
    """The built-in formats, but those that a file of JSON is never in."""
    is_json = not head.folder and head.suffix in _JSON_ENDINGS and head.start[:1] in (b"{", b"[")
    return {name: FORMATS[name] for name in FORMATS.built_in_names if not (is_json and name in _NEVER_JSON)}


def _first_certain(head: Head, task: Task) -> str | None:
    """The first of our own formats, where it is one of these, that none after it can beat: most files are in it."""
    ours = ("tab", "jsonl", "masks")
    fits = ((name, FORMATS[name].recognise(head), FORMATS[name].endings) for name in ours if can(FORMATS[name], task))
    return next((name for name, fit, endings in fits if fit == Fit.CERTAIN and head.suffix in endings), None)


def _collect_claims(head: Head, formats: Mapping[str, Format], task: Task) -> dict[str, tuple[Fit, bool]]:
    """How well formats go with a file: what they say, then whether its ending is one of theirs."""
    able = {name: format for name, format in formats.items() if can(format, task)}
    fits = {name: _ask(name, format.recognise, head, lambda fit, _: Fit(fit)) for name, format in able.items()}
    return {name: (fit, head.suffix in able[name].endings) for name, fit in fits.items() if fit}


def _ask(name: str, function: Callable[[Place], Any], source: Place, check: Callable[[Any, Place], Any]) -> Any:
    """What a format says. A plugin's word is checked like input, and whatever is wrong with it names the plugin."""
    if name in FORMATS.built_in_names:
        return function(source)
    by = f"format {name}"
    try:
        return check(function(source), source)
    except (ChangedError, OutputError, ResourceError, MemoryError):
        raise
    except InputError as error:
        problem_places = [(problem, f"{by}: {problem.place}" if problem.place else by) for problem in error.problems]
        raise InputError(
            Problem(problem.file or str(source.path), where, problem.message) for problem, where in problem_places
        ) from error
    except Exception as error:  # of a plugin, anything
        raise fail(source.path, f"its reader failed: {type(error).__name__}: {shorten(str(error))}", by) from error


class FormatChoice(NamedTuple):
    """How a file is read: the name of a format, and of a table that of the objects that its rows are."""

    format: str
    of_rows: str | None = None


def read_as(format_name: str | None, file: Input, task: Task, kinds: str) -> Any:
    """What a file holds, as the format reads it that is asked for, or else that which it is in."""
    chosen, file = chosen_for(format_name, file, task, kinds)
    return read_in(chosen, file, task)


def chosen_for(format_name: str | None, file: Input, task: Task, kinds: str) -> tuple[FormatChoice, Input]:
    """How a file is to be read, and the file as far as it was looked at for that."""
    file = _with_head(file, look_closer(file.head), task)
    name = _format_by_columns(file, task) or format_name or recognise_format(file.head, task)
    if name is None:
        raise _unknown_format(
            file.head, kinds, {other: entry for other, entry in FORMATS.built_in.items() if can(entry, task)}
        )
    chosen = format_named(name, task)
    if format_name is None and chosen.rows and not file.released:
        rows = RowHead(chosen.rows(file))
        return FormatChoice(name, _format_of_rows(rows, task)), _with_head(file, rows, task)
    return FormatChoice(name), file


def _with_head(file: Input, head: Head, task: Task) -> Input:
    file.remarks.hint = partial(_hint, head, task)
    return replace(file, head=head)


def like_another(chosen_format: FormatChoice, format_name: str | None, file: Input, task: Task) -> Input | None:
    """A file that is to be read as another one of the same corpus is; `None` where it cannot be in that format."""
    file = _with_head(file, look_closer(file.head), task)
    chosen = format_named(chosen_format.format, task)
    if (
        format_name is None
        and not file.released
        and not _collect_claims(file.head, {chosen_format.format: chosen}, task)
    ):
        return None
    if format_name is None and chosen.rows and not file.released:
        return _with_head(file, RowHead(chosen.rows(file)), task)
    return file


def read_in(how: FormatChoice, file: Input, task: Task) -> Any:
    """What a file holds, as a format reads it."""
    if how.of_rows is not None:
        return getattr(FORMATS[how.of_rows], task)(file)
    name, chosen = how.format, format_named(how.format, task)
    check = checked_documents if task == "read" else checked_anonymization
    content = _ask(name, getattr(chosen, task), file, check)
    if file.head.folder:
        file.remarks.others += _note_other_files(file.head, chosen)
    return content


def columns_of(head: Head) -> dict[str, float]:
    """The columns of a table, or the keys of JSON records, with how long their texts are; 0 where they are no texts.

    Some rows are looked at: most texts have spaces in them.
    """
    name = None if head.folder else recognise_format(head, "read")
    rows = FORMATS[name].rows if name else None
    samples: list[dict[str, Any]] = []
    if rows is not None:
        table = rows(Input(head))
        samples = [dict(zip(table.header, cells, strict=False)) for _, cells in islice(table, _SAMPLE_ROWS)]
    elif records.is_records(head):
        values = head.values if head.lines else head.values[0] if head.values else []
        samples = [value for value in values or () if isinstance(value, dict)][:_SAMPLE_ROWS]
    return {key: _mean_length([row[key] for row in samples if row.get(key)]) for key in dict.fromkeys(chain(*samples))}


def _mean_length(cells: list[Any]) -> float:
    texts = [cell for cell in cells if isinstance(cell, str) and len(cell.split()) > 1]
    return sum(map(len, texts)) / len(texts) if 2 * len(texts) > len(cells) else 0


def look_closer(head: Head) -> Head:
    """A file as its records show what it is: seen beyond long texts and beyond records in which nothing is marked."""
    return head.closer().beginning_with(like_spans)


def _hint(head: Head, task: Task) -> str:
    """What to do with marks that the format of a file does not know: which format is nearest, and how it looks."""
    able = {name: entry for name, entry in FORMATS.built_in.items() if can(entry, task) and name not in _TEXTS_ALONE}
    like = nearest(head, able)
    return f"choose with --format; nearest is {like[0]}: {like[1]}" if like else "choose with --format"


def _note_other_files(head: Head, chosen: Format) -> list[str]:
    """That there are other files in a folder than those of the format, where there are."""
    counts = Counter(
        "hidden" if texts.is_hidden(file, head.path) else suffix(file) or "without an ending"
        for file in files_in(head.path)
        if suffix(file) not in (*chosen.endings, *chosen.aside) and not file.is_dir()
    )
    if not counts:
        return []
    endings = join_names(f"{count} {ending}" for ending, count in counts.items())
    return [f"other files in the folder were not read: {endings}"]


def _format_by_columns(file: Input, task: Task) -> str | None:
    """The format of a table by the columns that a user named: they tell more than what else is in it."""
    named = {file.columns.id, file.columns.text} - {None}
    if file.released:
        tables = (name for name, entry in FORMATS.built_in.items() if entry.rows and entry.recognise(file.head))
        name = "records" if records.is_records(file.head) else next(tables, None)
        if name is None:
            raise fail(file.path, "has no columns; expected a table, or JSON records, where released texts are in one")
        return name
    keys = file.head.json.keys.keys()
    if not (named and named <= keys and records.is_records(file.head)) or "annotations" in keys:
        return None
    sure = any(claim[0] >= Fit.SURE for claim in _collect_claims(file.head, FORMATS.sound(), task).values())
    return None if sure else "records"


# Columns without which rows in these formats are texts and no more, which tables read themselves.
_PLAIN = {"jsonl": "annotations", "records": "masks"}


def _format_of_rows(head: RowHead, task: Task) -> str | None:
    """The format of JSON objects that the rows of a table are in, where one is sure of the first row."""
    claims = _collect_claims(head, FORMATS.built_in, task)
    sure = {name: fit for name, (fit, _) in claims.items() if fit >= Fit.SURE}
    marked = [name for name in sure if _PLAIN.get(name) in (None, *head.rows.header)]
    return max(marked, key=sure.__getitem__, default=None)  # the first among equals


_RUN_KEYS = {"anonymizations", "metrics", "scores", "provenance"}


def is_run(head: Head) -> bool:
    """Whether a file is what evaluate writes, by the keys at its start."""
    return head.first_byte == b"{" and head.json.keys.keys() >= _RUN_KEYS


def _unknown_format(head: Head, kinds: str, able: Mapping[str, Format]) -> InputError:
    if head.folder:
        endings = sorted(filter(None, head.endings))
        return fail(
            head.path, f"holds no .txt file{f', but {join_names(endings)}' if endings else ''}; expected one a document"
        )
    if not head.first_byte:
        return fail(head.path, f"is empty; expected {kinds}")
    if head.suffix == ".txt":
        return fail(head.path, f"is one text; expected {kinds}")
    if is_run(head):
        return fail(head.path, f"is a run file, which report, compare, check and errors read; expected {kinds}")
    if head.json.keys:
        objects = "objects" if head.first_byte == b"[" or head.lines else "an object"
        like = nearest(head, able)
        hint = f"nearest is {like[0]}: {like[1]}; showthrough list formats shows all" if like else f"expected {kinds}"
        hint += "; --id-column and --text-column choose keys of texts" if records.is_records(head) else ""
        return fail(
            head.path, f"found {objects} with the keys {join_names(head.json.keys)}, which no format has; {hint}"
        )
    return fail(head.path, f"is not JSON: it starts with {head.first_byte.decode('latin-1')!r}; expected {kinds}")


def shared_format(name: str | None, path: str | os.PathLike[str]) -> str | None:
    """The format of an anonymization, where one was named for a corpus and all that belongs to it.

    It holds unless the file's ending is that of others, which then tell themselves: gold in one format and systems in
    others go together.
    """
    if name is None:
        return None
    chosen, head = format_named(name), Head.of(path)
    rivals = (entry for entry in FORMATS.built_in.values() if not entry.in_folders and head.suffix in entry.endings)
    if chosen.read_anonymization is None or (head.suffix not in chosen.endings and any(rivals)):
        return None
    return name


def same_format(path: str | os.PathLike[str], name: str | None) -> str:
    """The format to write in what is like a file that was read: the named one, or that which the file is in.

    Not one that says who wrote a document or who is in it: that was not changed, and is nothing to hand on.
    """
    for candidate in (name, recognise_format(look_closer(Head.of(path)), "read")):
        chosen = format_named(candidate) if candidate else None
        if candidate and chosen and chosen.write is not None and not (chosen.shows.authorship or chosen.shows.subjects):
            return candidate
    return "tab"
