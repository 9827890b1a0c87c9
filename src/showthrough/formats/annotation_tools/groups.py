"""Documents that belong together, such as the records of one patient: where a corpus says so, or where to look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, quote_value
from showthrough.data.documents import Corpus, Document, map_documents

FIELD = "group"  # of a document, or the column of a table
_BY_ID = "id:"
_NAMEABLE = re.compile(r'[^\\"\x00-\x1f\ud800-\udfff]+')  # fields that a decoder can be told to look for
_TAKEN = ("doc_id", "text", "annotations")


@dataclass(frozen=True)
class GroupBy:
    """A field that holds the group, or a pattern that finds it in the id."""

    spec: str | None = None

    def __post_init__(self) -> None:
        if self.spec is None:
            return
        try:
            re.compile(self._pattern or "")
        except (re.error, OverflowError, RecursionError) as error:
            raise PlanError(f"is no regular expression: {error}", f"group-by {self.spec}") from None
        is_field = self._pattern is None and self.spec not in _TAKEN and _NAMEABLE.fullmatch(self.spec)
        if not self._pattern and not is_field:
            expected = "another field or column, or id:REGEX, such as 'id:^(\\d+)-'"
            raise PlanError(f"found {quote_value(self.spec)}; expected {expected}", "group-by")

    @property
    def _pattern(self) -> str | None:
        """What is to be found in ids, where that was asked for."""
        return self.spec.removeprefix(_BY_ID) if self.spec and self.spec.startswith(_BY_ID) else None

    @property
    def field(self) -> str:
        return FIELD if self.spec is None or self._pattern else self.spec

    def assign_groups(self, documents: Sequence[Document]) -> Sequence[Document]:
        """The documents as their reader gave them, or with the group that their ids tell."""
        return map_documents(documents, partial(_by_id, re.compile(self._pattern))) if self._pattern else documents

    def check(self, corpus: Corpus) -> None:
        """Raises InputError when groups were asked for and there are none."""
        if self.spec is None or corpus.survey.groups:
            return
        fault = "no document has this field or column; expected one that they have, or id:REGEX"
        if self._pattern:
            fault = f"matches no document id, such as {quote_value(corpus.ids[0])}"
        raise InputError(Problem(corpus.source, f"group-by {self.spec}", fault))


def _by_id(pattern: re.Pattern[str], document: Document) -> Document:
    """A document in the group that its id tells: the first captured piece, or all that matches."""
    match = pattern.search(document.id)
    group = match[1 if pattern.groups else 0] if match else ""
    return msgspec.structs.replace(document, group=group or "")
