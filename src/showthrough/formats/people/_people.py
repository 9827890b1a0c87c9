"""What formats that say who is in a document have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from showthrough.core.errors import InputError
from showthrough.data.documents import Document
from showthrough.data.subjects import Attribute
from showthrough.formats.base import Input, Texts
from showthrough.formats.objects import Entry, Id, Objects, W
from showthrough.storage.reading import unique

Value = str | int | float | None
Fault = tuple[str, str]  # a field, and what is wrong there


def build_attributes(tag: str, value: Value, certainty: int, hardness: int) -> tuple[Attribute, ...]:
    """One attribute; none where nothing is said."""
    text = "" if value is None else str(value)
    return (Attribute(tag, text, certainty, hardness),) if text.strip() and certainty else ()


def refuse(faults: Iterable[Fault], entry: Entry) -> None:
    """Raises InputError with all faults of a document, where there are any."""
    if problems := [problem for field, fault in faults for problem in entry.fail(fault, field).problems]:
        raise InputError(problems)


def text_alone(name: str, text: str | None, group: Id, entry: Entry) -> Document:
    """A document of which nothing is said yet."""
    if text is None:
        raise entry.fail("text is missing; expected text (answers alone are no corpus)")
    return Document(name, text, group="" if group is None else str(group))


def released_texts(objects: Objects[W]) -> Callable[[Input], Texts]:
    """A reader of texts alone: who is said to be in them is said of the originals."""

    def read(file: Input) -> Texts:
        return Texts(unique(((document.id, document.text) for document in objects.read(file)), file.path))

    return read
