"""Formats whose files are JSON objects, one a document: a list of them, or one a line, decoded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from operator import or_
from pathlib import Path
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import msgspec

from showthrough.core.errors import InputError, PlanError, at_document, quote_value
from showthrough.data.documents import Document, Identifier, Mention, span_fault
from showthrough.data.levels import by_type
from showthrough.data.offsets import to_characters
from showthrough.data.units import EXPECTED, reads_as
from showthrough.formats._layers import LayerGroups
from showthrough.formats.base import ColumnNames, Input, unlike
from showthrough.formats.lines import documents_in, with_fields
from showthrough.formats.remarks import Remarks, keys_of
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import (
    LITERAL_FAULTS,
    LONGEST_LITERAL,
    UNREADABLE,
    collect_results,
    decode_json,
    decoded_or_none,
    fail,
    from_json,
    of_python,
    type_fault,
)

# Strict structs refuse keys that they do not know, so msgspec finds at full speed that no key is left unread.


@lru_cache(maxsize=256)
def strict(kind: Any, aside: Any = Any) -> Any:
    """The same type, in which every struct refuses keys beyond its fields and what it names as `aside`.

    What is under those is made into values of a type: with `Raw`, which JSON alone can be decoded to, into none.
    """
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, aside)
    arguments = get_args(kind)
    strict_arguments = tuple(
        strict(argument, aside) if get_args(argument) or isinstance(argument, type) else argument
        for argument in arguments
    )
    if strict_arguments == arguments:
        return kind
    origin = get_origin(kind)
    return reduce(or_, strict_arguments) if origin in (Union, UnionType) else origin[strict_arguments]


def _struct(kind: type[msgspec.Struct], aside: Any) -> Any:
    fields: list[Any] = []
    names: dict[str, str] = {}
    for struct_field in msgspec.structs.fields(kind):
        inner = strict(struct_field.type, aside)
        if inner != struct_field.type:
            default = () if struct_field.default is msgspec.NODEFAULT else (struct_field.default,)
            fields.append((struct_field.name, inner, *default))
            names[struct_field.name] = struct_field.encode_name
    for number, key in enumerate(getattr(kind, "aside", ())):
        fields.append((f"aside_{number}", aside, msgspec.UNSET))
        names[f"aside_{number}"] = key
    return msgspec.defstruct(
        f"Strict{kind.__name__}", fields, bases=(kind,), rename=names, forbid_unknown_fields=True, kw_only=True
    )


Id = str | int | None
W = TypeVar("W", bound=msgspec.Struct)

_ANY = msgspec.json.Decoder()
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def objects_of(head: Head, kind: str = "document number") -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    """The objects of a JSON Lines file, or of a JSON list, still encoded, each with its place."""
    if head.lines:
        return ((f"line {number}", line) for number, _, line in head.numbered_lines())
    return items_of(head, kind)


def items_of(head: Head, kind: str = "document number") -> Iterator[tuple[str, msgspec.Raw]]:
    """The same of a JSON list, whatever the file's ending."""
    longest = RECORD.bytes
    alone = head.first_byte == b"{"  # a document, and no list around it
    raws = [msgspec.Raw(head.content)] if alone else decode_json(head.content, _LIST, head.path)
    for number, raw in enumerate(raws, 1):
        if len(memoryview(raw)) > longest:
            raise RECORD.exceeded_error(head.path, "has", f"{kind} {number}")
        yield f"{kind} {number}", raw


class Entry:
    """The place of one object, for messages, and what its reader needs beside the object."""

    __slots__ = ("_id", "_place", "columns", "path", "remarks")

    def __init__(self, path: Path, location: str, columns: ColumnNames, remarks: Remarks) -> None:
        self.path = path
        self._place = location
        self._id = ""
        self.columns = columns
        self.remarks = remarks

    def named(self, document_id: Id) -> str:
        """The id that an object has, which messages name from here on; empty where it has none."""
        if document_id is None:
            return ""
        if document_id == "":
            raise self.fail("its id is empty; expected a name")
        self._id = str(document_id)
        return self._id

    @property
    def location(self) -> str:
        return at_document(self._id) if self._id else self._place

    def fail(self, message: str, field: str = "") -> InputError:
        return fail(self.path, message, f"{self.location}: {field}" if field else self.location)

    def outside(self, start: int, end: int, length: int, field: str = "") -> InputError:
        """That a span is none of a text of this length."""
        return self.fail(span_fault(start, end, length, ("start", "end")), field)

    def to_characters(self, text: str, start: int, end: int, field: str = "") -> tuple[int, int]:
        """A span in characters, where a user said that offsets count something else."""
        try:
            return to_characters(text, start, end, self.columns.offsets)
        except InputError as error:
            raise self.fail(error.problems[0].message, field) from None

    def mention(
        self,
        text: str,
        start: int,
        end: int,
        entity_type: str = "",
        *,
        entity_id: str = "",
        identifier: Identifier | None = None,
        covered: str | None = None,
        field: str = "",
    ) -> Mention:
        """A mark whose span is in the text and reads as the file says, where it says so; else raises InputError."""
        if not 0 <= start < end <= len(text):
            raise self.fail(span_fault(start, end, len(text), ("start", "end"), text), field)
        if not reads_as(text[start:end], covered):
            fault = unlike(f"at {start}–{end}", text[start:end], "the file says", covered)
            raise self.fail(f"{fault}; {EXPECTED}", field)
        if identifier is None:
            return by_type(start, end, entity_type, entity_id)
        return Mention(start, end, entity_type, identifier, entity_id)


@dataclass(frozen=True)
class Objects(Generic[W]):
    """How the documents of a format are made of its objects.

    `wire` is what is read of an object; keys that it does not have are told. `--id-column` and its kin rename its
    fields `id`, `text` and `group`, where it has them. `document` makes a document of it, without an id where it has
    none, or raises InputError. It is asked once while the file is looked at, and what it remarks then is told; of
    lines, again whenever a document is needed. Where objects are `layers`, all that have one id, or one text, are one
    document. A file may also be one object.
    """

    wire: type[W]
    document: Callable[[W, Entry], Document]
    layers: bool = False

    def read(self, file: Input) -> Sequence[Document]:
        path, joined_layers = file.path, LayerGroups(file.path)
        columns = file.keys(**{field.name: field.encode_name for field in msgspec.structs.fields(self.wire)})

        look_at = partial(self._read_document, path, columns)
        add_layer = joined_layers.add if self.layers else None
        documents: Sequence[Document]
        if file.head.lines:
            again = Remarks()  # what is remarked of lines that are decoded again was told before
            documents = documents_in(file, partial(self._decode_line, path, columns, again), look_at, add_layer)
        else:
            items = enumerate(items_of(file.head), 1)
            documents = collect_results(
                items,
                lambda item: with_fields(
                    look_at(item[1][0], item[0], item[1][1], file.remarks), item[1][1], columns.fields
                ),
            )
            for document in documents if add_layer else ():
                joined_layers.add(document)
        return joined_layers.join(documents, file.remarks) if self.layers else documents

    def _read_document(
        self,
        path: Path,
        columns: ColumnNames,
        location: str,
        number: int,
        content: bytes | msgspec.Raw,
        remarks: Remarks,
    ) -> Document:
        """A document that is looked at first, with its number where it has no other name."""
        document = self._looked_at(content, Entry(path, location, columns, remarks))
        if self.layers:
            return document
        remarks.numbered += not document.id
        return _with_number(document, number)

    def _decode_line(self, path: Path, columns: ColumnNames, remarks: Remarks, line: bytes, number: int) -> Document:
        """A line that was looked at before."""
        wire = _decoder(self.wire, columns).decode(line)
        document = self.document(wire, Entry(path, f"document number {number}", columns, remarks))
        return document if self.layers else _with_number(document, number)

    def _looked_at(self, content: bytes | msgspec.Raw, entry: Entry) -> Document:
        """A document, with its keys looked at one by one where there is one that nobody knows."""
        checked: W | None = decoded_or_none(content, _decoder(strict(self.wire, msgspec.Raw), entry.columns))
        if checked is not None and _is_utf8(content):
            return self.document(checked, entry)
        value = decode_json(content, _ANY, entry.path, entry.location)
        wire = wire_of(self.wire, entry.columns)
        keys_of(wire).look_at(value, entry.remarks)
        try:
            converted = msgspec.convert(value, wire)
        except msgspec.ValidationError as error:
            field, fault = type_fault(error)
            raise entry.fail(fault, field) from None
        return self.document(converted, entry)


def _is_utf8(content: bytes | msgspec.Raw) -> bool:
    """Whether all of it is text: what is left aside was not looked at."""
    encoded = bytes(content)
    try:
        return encoded.isascii() or bool(encoded.decode())
    except UnicodeDecodeError:
        return False


def _with_number(document: Document, number: int) -> Document:
    return document if document.id else msgspec.structs.replace(document, id=str(number))


_UNUSED_KEY = "showthrough: {}"  # the key of a field whose own was named for another


@lru_cache(maxsize=64)
def wire_of(wire: Any, columns: ColumnNames) -> Any:
    """The same with other names for its fields, where a user named some; raises PlanError for what cannot be one."""
    names_by_field = {field: name for field, name in columns.overrides.items() if field in wire.__struct_fields__}
    if not names_by_field:
        return wire
    chosen_names = set(names_by_field.values())
    fields: list[Any] = []
    for field_info in msgspec.structs.fields(wire):
        optional = field_info.default is not msgspec.NODEFAULT
        if field_info.name not in names_by_field and field_info.encode_name in chosen_names:
            if not optional:
                raise PlanError(
                    f"is what this format has its {field_info.name} in; expected another key", field_info.encode_name
                )
            names_by_field[field_info.name] = _UNUSED_KEY.format(field_info.name)
        if field_info.name in names_by_field:
            fields.append(
                (field_info.name, field_info.type, field_info.default)
                if optional
                else (field_info.name, field_info.type)
            )
    try:
        return msgspec.defstruct(wire.__name__, fields, bases=(wire,), rename=names_by_field, kw_only=True)
    except ValueError:  # two fields of one name, or a name that no decoder can be told to look for
        names = " and ".join(map(quote_value, columns.overrides.values()))
        fault = "expected different keys, without quotation marks, backslashes or control characters"
        raise PlanError(f"found {names}; {fault}", "--id-column, --text-column") from None


@lru_cache(maxsize=64)
def _decoder(wire: Any, columns: ColumnNames) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(wire_of(wire, columns))


# Some lists stand in a JSON string: as JSON again, or as Python prints them. Nothing of them is ever run.

T = TypeVar("T")


def literal(content: str, decoder: msgspec.json.Decoder[T], entry: Entry, field: str) -> T:
    """What a string holds; raises InputError for anything else."""
    value: T | None = from_json(content, decoder)
    return _of_python(content, decoder, entry, field) if value is None else value


def _of_python(content: str, decoder: msgspec.json.Decoder[T], entry: Entry, field: str) -> T:
    expected = "expected a list, in JSON or as Python prints it"
    if len(content) > LONGEST_LITERAL:
        raise entry.fail(f"has {len(content)} characters; {expected}, of at most {LONGEST_LITERAL}", field)
    try:
        value = of_python(content)
    except LITERAL_FAULTS:
        raise entry.fail(f"found {quote_value(content)}; {expected}", field) from None
    try:
        return decoder.decode(msgspec.json.encode(value))
    except msgspec.ValidationError as error:
        inner, fault = type_fault(error)
        raise entry.fail(fault, f"{field}{'' if inner.startswith('[') or not inner else '.'}{inner}") from None
    except (*UNREADABLE, *LITERAL_FAULTS):  # a kind of value that JSON does not have
        raise entry.fail(f"found {quote_value(content)}; {expected}", field) from None
