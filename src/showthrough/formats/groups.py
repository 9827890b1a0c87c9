"""Documents that belong together, such as the records of one patient: where a corpus says so, or where to look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from showthrough.data.documents import Corpus, Document, altered
from showthrough.errors import InputError, PlanError, Problem, quoted

FIELD = "group"  # of a document, or the column of a table
_BY_ID = "id:"
_NAMEABLE = re.compile(r'[^\\"\x00-\x1f\ud800-\udfff]+')  # fields that a decoder can be told to look for
_TAKEN = ("doc_id", "text", "annotations")


@dataclass(frozen=True)
class GroupBy:
    """A field that holds the group, or a pattern that finds it in the id."""

    asked: str | None = None

    def __post_init__(self) -> None:
        if self.asked is None:
            return
        try:
            re.compile(self.asked.removeprefix(_BY_ID) if self.asked.startswith(_BY_ID) else "")
        except (re.error, OverflowError, RecursionError) as error:
            raise PlanError(f"is no regular expression: {error}", f"group-by {self.asked}") from None
        named = self.asked.startswith(_BY_ID) or _NAMEABLE.fullmatch(self.asked)
        if not self.asked.removeprefix(_BY_ID) or self.asked in _TAKEN or not named:
            raise PlanError(
                f"found {quoted(self.asked)}; expected another field or column, or id:REGEX, such as 'id:^(\\d+)-'",
                "group-by",
            )

    @property
    def field(self) -> str:
        return FIELD if self.asked is None or self.asked.startswith(_BY_ID) else self.asked

    def grouped(self, documents: Sequence[Document]) -> Sequence[Document]:
        """The documents as their reader gave them, or with the group that their ids tell."""
        if self.asked is None or not self.asked.startswith(_BY_ID):
            return documents
        return altered(documents, _ById(re.compile(self.asked.removeprefix(_BY_ID))))

    def check(self, corpus: Corpus) -> None:
        """Raises InputError when groups were asked for and there are none."""
        if self.asked is None or corpus.survey.groups:
            return
        fault = "no document has this field or column; expected one that they have, or id:REGEX"
        if self.asked.startswith(_BY_ID):
            fault = f"matches no document id, such as {quoted(corpus.ids[0])}"
        raise InputError(Problem(corpus.source, f"group-by {self.asked}", fault))


@dataclass(frozen=True)
class _ById:
    """From a document to the same in the group that its id tells: the first captured piece, or all that matches."""

    pattern: re.Pattern[str]

    def __call__(self, document: Document) -> Document:
        found = self.pattern.search(document.id)
        name = "" if found is None else (found[1] if self.pattern.groups else found[0])
        return msgspec.structs.replace(document, group=name or "")
