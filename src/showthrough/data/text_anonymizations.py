"""Anonymizations that hold texts as well as masks, or instead of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, Mask, digests_of
from showthrough.data.provenance import Provenance
from showthrough.storage.columns.strings import Digests, digest_of_all, digest_of_bytes


class Rewriting(Anonymization):
    """Documents that were written anew, passage by passage: a mask is a passage, its replacement the new one.

    `written` are the texts as they were handed in, where they were: white space between passages is theirs.
    """

    def __init__(
        self,
        masks: Mapping[str, Sequence[Mask]],
        name: str = "rewriting",
        source: str = "",
        notes: Sequence[str] = (),
        provenance: Provenance | None = None,
        written: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(masks, name, source, notes, provenance)
        self.written = written or {}

    def with_name(self, name: str) -> Rewriting:
        return Rewriting(self.masks, name, self.source, self.notes, self.provenance, self.written)

    def part(self, document_ids: Sequence[str], *, lazy: bool = False) -> Rewriting:
        selection = super().part(document_ids, lazy=lazy)
        return Rewriting(
            selection.masks,
            selection.name,
            selection.source,
            selection.notes,
            selection.provenance,
            _select_texts(self.written, document_ids),
        )

    def texts(self, corpus: Corpus) -> Mapping[str, str]:
        applied = super().texts(corpus)
        return {key: self.written.get(key, text) for key, text in applied.items()}

    @cached_property
    def digest(self) -> str:
        """Changes whenever a passage changes, or a text as it was handed in."""
        texts = digests_of(self.written.items(), self.source or self.name, _text_digest)
        return digest_of_bytes(f"{digest_of_all(self.digests)} {digest_of_all(texts)}".encode()).hex()


class ReleasedTexts(Anonymization):
    """Anonymized texts by document id, as somebody released them: what was masked in them nobody knows."""

    def __init__(self, released: Mapping[str, str], name: str) -> None:
        super().__init__({}, name)
        self._released = released

    def __len__(self) -> int:
        return len(self._released)

    def with_name(self, name: str) -> ReleasedTexts:
        return ReleasedTexts(self._released, name)

    def part(self, document_ids: Sequence[str], *, lazy: bool = False) -> ReleasedTexts:
        """Those of some documents; they are in memory either way."""
        return ReleasedTexts(_select_texts(self._released, document_ids), self.name)

    def texts(self, corpus: Corpus) -> Mapping[str, str]:
        """All of them; a document that it lacks is not there."""
        return self._released

    @property
    def digests(self) -> Digests:
        """Of the text of each document, sorted."""
        return digests_of(self._released.items(), self.name, _text_digest)


def _select_texts(texts: Mapping[str, str], document_ids: Sequence[str]) -> dict[str, str]:
    return {key: texts[key] for key in document_ids if key in texts}


def _text_digest(document_id: str, text: str) -> bytes:
    return digest_of_bytes(msgspec.json.encode((document_id, text)))
