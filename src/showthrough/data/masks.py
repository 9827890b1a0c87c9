"""Masks and anonymizations, and applying them to a text."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property, lru_cache
from operator import lt
from string import ascii_letters, digits
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np

from showthrough._former import FormerName
from showthrough.core.arrays import AnyArray, Ints
from showthrough.core.errors import HALF_CHARACTER, InputError, PlanError, Problem, at_document, quote_value
from showthrough.data.documents import Corpus
from showthrough.data.provenance import Provenance
from showthrough.data.reading_form import SPELLINGS, assemble_words, legible, stands_apart
from showthrough.storage.columns.index import Finder
from showthrough.storage.columns.strings import Digests, Strings, digest_of_all, digest_of_bytes, sorted_digests

T = TypeVar("T")
Score = Annotated[float, msgspec.Meta(ge=0, le=1)]  # how sure an anonymizer is
_LETTERS = frozenset(ascii_letters + digits)


class Mask(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """A span of the original text that is gone, and what replaced it (`None`: nothing)."""

    start: int
    end: int
    replacement: str | None = None

    @property
    def suppressed(self) -> bool:
        """Whether nothing readable is in its place."""
        return not (self.replacement and self.replacement.strip())

    @property
    def entity_type(self) -> str:
        """What the anonymizer took it for; empty where it did not say. A replacement is no such statement."""
        return ""

    @property
    def score(self) -> float | None:
        """How sure the anonymizer is, from 0 to 1; `None` where it did not say."""
        return None


class TypedMask(Mask, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """A mask of an anonymizer that also says what it found: `[start, end, replacement, entity_type]`."""

    entity_type: str = ""


class ScoredMask(TypedMask, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """One that also says how sure its anonymizer is: `[start, end, replacement, entity_type, score]`, from 0 to 1."""

    score: Score | None = None


def typed_mask(start: int, end: int, replacement: str | None, entity_type: str, score: float | None = None) -> Mask:
    """A mask with its type, and with how sure the anonymizer is where it says so."""
    if score is None:
        return TypedMask(start, end, replacement, entity_type)
    return ScoredMask(start, end, replacement, entity_type, score)


def score_fault(value: object) -> str:
    """What keeps a value from being a score; empty where nothing does."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return "" if number else f"found {quote_value(value)}; expected how sure the system is, a number from 0 to 1"


class NumberedMasks(Mapping[str, Sequence[Mask]]):
    """Masks of documents in a row, made when they are asked for: those of ten million documents take little memory.

    Whoever asks in the order of the documents is answered soonest, and some at a time sooner than one by one.
    """

    def __init__(self, ids: Strings) -> None:
        self.ids = ids
        self._finder = Finder(ids)

    @abstractmethod
    def load(self, numbers: Ints) -> Iterator[Sequence[Mask]]:
        """The masks of the documents of these numbers, one after the other."""

    @abstractmethod
    def taken(self, numbers: Ints) -> Mapping[str, Sequence[Mask]]:
        """The same by their ids, still to be made; it travels to other processes."""

    @property
    def digests(self) -> Digests | None:
        """Of the masks of each document, sorted, where somebody made them."""
        return None

    @cached_property
    def digest(self) -> str:
        """Of all of them."""
        digests = self.digests
        return digest_of_all(digests_of(self.items(), "", masks_digest) if digests is None else digests)

    @property
    def types(self) -> Mapping[str, int] | None:
        """How many masks have each type, where somebody counted."""
        return None

    @property
    def scored(self) -> bool:
        """Whether a mask may have a score: False where all were looked at and none has."""
        return True

    def outside(self, lengths: AnyArray) -> Ints:
        """Numbers of the documents with a mask that may be none of a text of this length, in ascending order.

        `lengths` are of all documents, in their order.
        """
        numbers = [
            number
            for number, (masks, length) in enumerate(zip(self.values(), lengths.tolist(), strict=True))
            if any(not 0 <= mask.start < mask.end <= length for mask in masks)
        ]
        return np.array(numbers, dtype=np.int64)

    def window(self, document_ids: Sequence[str]) -> Mapping[str, Sequence[Mask]]:
        """Those of some documents that are there, still to be made."""
        numbers = self._finder.numbers(document_ids)
        return self.taken(numbers[numbers >= 0])

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        number = self._finder.number(document_id)
        if number < 0:
            raise KeyError(document_id)
        return next(self.load(np.array([number])))

    def __contains__(self, document_id: object) -> bool:
        return isinstance(document_id, str) and self._finder.holds(document_id)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def items(self) -> ItemsView[str, Sequence[Mask]]:
        return _Items(self)

    def values(self) -> ValuesView[Sequence[Mask]]:
        return _Values(self)


class _Values(ValuesView[Sequence[Mask]]):
    """Masks made some documents at a time, and not looked for one by one."""

    _mapping: NumberedMasks

    def __iter__(self) -> Iterator[Sequence[Mask]]:
        return self._mapping.load(np.arange(len(self._mapping)))


class _Items(ItemsView[str, Sequence[Mask]]):
    _mapping: NumberedMasks

    def __iter__(self) -> Iterator[tuple[str, Sequence[Mask]]]:
        return zip(self._mapping.ids, self._mapping.values(), strict=True)


class DerivedMasks(Mapping[str, Sequence[Mask]], Generic[T]):
    """Masks by document id, made when they are asked for: those of a million documents take no memory."""

    def __init__(self, source: Mapping[str, T], make: Callable[[T], Sequence[Mask]]) -> None:
        self._source = source
        self._make = make

    def window(self, document_ids: Sequence[str]) -> Mapping[str, Sequence[Mask]]:
        """Those of some documents; still to be made where what they are made of is."""
        if isinstance(self._source, NumberedMasks):
            source: Any = self._source.window(document_ids)
            return DerivedMasks(source, self._make)
        return {key: self[key] for key in document_ids if key in self._source}

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return self._make(self._source[document_id])

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._source

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)


class Anonymization:
    """A named mapping from document id to masks, in any order, overlapping or not.

    >>> Anonymization({"a": [Mask(3, 6, "PERSON")]}, name="rules")
    Anonymization('rules', 1 documents)
    """

    def __init__(
        self,
        masks: Mapping[str, Sequence[Mask]],
        name: str = "anonymization",
        source: str = "",
        notes: Sequence[str] = (),
        provenance: Provenance | None = None,
        offsets: str = "",
    ) -> None:
        self.masks = masks
        self.name = name
        self.source = source
        self.notes = tuple(notes)  # what a reader must know of the file it came from, a sentence each
        self.provenance = provenance  # how it was made, where that is known
        self.offsets = offsets  # what offsets count as they were given, where somebody said it; here it is characters

    @classmethod
    def from_texts(
        cls, texts: Mapping[str, str] | Iterable[str], corpus: Corpus, name: str = "anonymization"
    ) -> Anonymization:
        """Released texts by id, or in the order of the corpus, aligned to the originals."""
        from showthrough.data.construction import (
            masks_of_texts,
            pair_with_ids,
        )  # which make anonymizations, as the others below

        return masks_of_texts(pair_with_ids(texts, corpus, "texts"), corpus, name)

    @classmethod
    def from_spans(
        cls,
        spans: Mapping[str, Iterable[Any]],
        corpus: Corpus | None = None,
        name: str = "anonymization",
        offsets: str | None = None,
    ) -> Anonymization:
        """Lists of spans by document id: `(start, end)`, `(start, end, type)`, masks, or mappings and objects with
        start, end and, where they have them, entity_type, replacement and score. With a corpus they are checked against
        it. `offsets` are what start and end count, if not characters: `utf-16` units, or `bytes` of UTF-8, of its
        texts. Where they look so, they are refused, unless `characters` insists.
        """
        from showthrough.data.construction import masks_of, pairs_of

        if not isinstance(spans, Mapping):
            raise PlanError(f"found a value of type {type(spans).__name__}; expected a mapping by document id", "spans")
        return masks_of(pairs_of(spans, "spans"), name, corpus, offsets)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        corpus: Corpus,
        id: str = "doc_id",
        text: str = "text",
        start: str = "start",
        end: str = "end",
        entity_type: str = "entity_type",
        replacement: str = "replacement",
        name: str = "anonymization",
        offsets: str | None = None,
    ) -> Anonymization:
        """A frame with one row a released text, which is aligned; or, where it has offsets, with one row a span.

        In a frame of spans a document without a row has no masks, and a `text` is what the span covers: it is checked.
        A column `score` says how sure the system is of a span, from 0 to 1.
        `offsets` are what start and end count, as in `from_spans`.
        """
        from showthrough.data._frames import anonymization_of_frame

        columns = {"id": id, "text": text, "start": start, "end": end}
        columns |= {"entity_type": entity_type, "replacement": replacement}
        return anonymization_of_frame(frame, corpus, columns, name, offsets)

    @classmethod
    def from_spacy(cls, docs: Any, corpus: Corpus, name: str = "spacy") -> Anonymization:
        """spaCy `Doc`s whose entities are masked: by id, or a list, each for the document that has the same text."""
        from showthrough.data._tool_objects import anonymization_of_docs

        return anonymization_of_docs(docs, corpus, name)

    @classmethod
    def from_presidio(cls, results: Any, corpus: Corpus, name: str = "presidio") -> Anonymization:
        """What Presidio gave for each document, by id or in the order of the corpus.

        A list of `RecognizerResult`s, with offsets of the original; or an `EngineResult`, whose items' offsets are of
        the released text: the text between them is looked for in the original. Where it fits in several places, no
        word counts as hidden that one of them keeps, and a note says so.
        """
        from showthrough.data._tool_objects import anonymization_of_results

        return anonymization_of_results(results, corpus, name)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "masks": _PackedMasks.of(self.masks)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        masks = state["masks"]
        self.__dict__.update(state, masks=masks.unpack() if isinstance(masks, _PackedMasks) else masks)

    def __len__(self) -> int:
        return len(self.masks)

    def __repr__(self) -> str:
        return f"Anonymization({self.name!r}, {len(self)} documents)"

    def of(self, document_id: str) -> Sequence[Mask]:
        """The masks of one document; none when the anonymization lacks it."""
        return self.masks.get(document_id, ())

    def texts(self, corpus: Corpus) -> Mapping[str, str]:
        """What can be read of each document, by its id, in letters that anybody can type."""
        return {document.id: read_text(document.text, self.of(document.id)) for document in corpus}

    def with_name(self, name: str) -> Anonymization:
        """The same under another name."""
        return Anonymization(self.masks, name, self.source, self.notes, self.provenance, self.offsets)

    renamed = FormerName("with_name")

    def part(self, document_ids: Sequence[str], *, lazy: bool = False) -> Anonymization:
        """The masks of some documents; with `lazy`, still to be made where they can be, which is little to send."""
        masks: Mapping[str, Sequence[Mask]]
        if isinstance(self.masks, NumberedMasks | DerivedMasks):
            masks = self.masks.window(document_ids)
            masks = masks if lazy else dict(masks)
        else:
            masks = {key: self.masks[key] for key in document_ids if key in self.masks}
        origin = self.provenance
        if origin is not None and len(masks) < len(self.masks):
            origin = msgspec.structs.replace(origin, texts="")  # the digest is of all texts
        return Anonymization(masks, self.name, self.source, provenance=origin, offsets=self.offsets)

    @cached_property
    def types(self) -> dict[str, int]:
        """The entity types that the anonymizer names, and how many masks have each."""
        counts = self.masks.types if isinstance(self.masks, NumberedMasks) else None
        if counts is None:
            counts = Counter(mask.entity_type for masks in self.masks.values() for mask in masks)
        return {type_name: counts[type_name] for type_name in sorted(counts) if type_name}

    @property
    def digests(self) -> Digests:
        """Of the masks of each document, sorted: those of parts, put together, are those of the whole."""
        stored = self.masks.digests if isinstance(self.masks, NumberedMasks) else None
        return digests_of(self.masks.items(), self.source or self.name, masks_digest) if stored is None else stored

    @cached_property
    def digest(self) -> str:
        """Changes whenever a mask changes; the order of documents and of masks does not matter."""
        return self.masks.digest if isinstance(self.masks, NumberedMasks) else digest_of_all(self.digests)


_MASK_CLASSES = (Mask, TypedMask, ScoredMask)


class _PackedMasks(NamedTuple):
    """Masks on their way to another process: as objects they would take many times as long."""

    kinds: bytes  # of each document, the place of its masks' class
    content: bytes

    @classmethod
    def of(cls, masks: Mapping[str, Sequence[Mask]]) -> Mapping[str, Sequence[Mask]] | _PackedMasks:
        """The same masks where they are not in memory, or of classes that are not ours."""
        if type(masks) is not dict or not all(type(document_masks) is list for document_masks in masks.values()):
            return masks
        try:
            classes = ({*map(type, document_masks)} or {Mask} for document_masks in masks.values())
            return cls(
                bytes(_MASK_CLASSES.index(mask_class) for (mask_class,) in classes), msgspec.msgpack.encode(masks)
            )
        except (TypeError, ValueError, OverflowError):  # a mixture, numbers of another library, half a character
            return masks

    def unpack(self) -> dict[str, Sequence[Mask]]:
        decoded = msgspec.msgpack.decode(self.content)
        kinds = [_MASK_CLASSES[mask_class] for mask_class in self.kinds]
        return {
            key: [mask_class(*mask) for mask in decoded[key]] for key, mask_class in zip(decoded, kinds, strict=True)
        }


def masks_digest(document_id: str, masks: Iterable[Mask]) -> bytes:
    """Of the masks of one document, in whatever order."""
    ordered = list(masks)
    starts = [mask.start for mask in ordered]
    if not all(map(lt, starts, starts[1:])):  # nearly all files have them in order
        ordered.sort(
            key=lambda mask: (mask.start, mask.end, *_replacement_key(mask), mask.entity_type, mask.score or 0)
        )
    return digest_of_bytes(msgspec.json.encode((document_id, ordered)))


def digests_of(values: Iterable[tuple[str, T]], file: str, digest: Callable[[str, T], bytes]) -> Digests:
    """Of what each document has, sorted; raises InputError where it is no text."""
    digests = bytearray()
    for key, value in values:
        try:
            digests += digest(key, value)
        except UnicodeEncodeError:
            raise InputError(Problem(file, at_document(key), HALF_CHARACTER)) from None
    return sorted_digests(digests)


def _replacement_key(mask: Mask) -> tuple[bool, str]:
    """What a mask writes, to be sorted by: nothing at all, then no letters, then the alphabet."""
    return mask.replacement is not None, mask.replacement or ""


def flatten_masks(masks: Iterable[Mask]) -> list[Mask]:
    """The same masks in ascending order with overlapping ones joined: a character masked twice is masked once.

    Of the replacements of joined masks the longest mask's stands, the first's among equals; of two masks of one span
    that which replaces by nothing, else the first in the alphabet, so that the order in a file says nothing. Masks that
    only touch stay apart.

    >>> flatten_masks([Mask(5, 9, "B"), Mask(0, 6, "A"), Mask(9, 10)])
    [Mask(start=0, end=9, replacement='A'), Mask(start=9, end=10, replacement=None)]
    """
    mask_list = list(masks)
    if _are_apart(mask_list):
        return mask_list  # as nearly all are
    mask_list.sort(key=_start)
    if _are_apart(mask_list):
        return mask_list
    flat: list[Mask] = []
    longest = 0
    for mask in sorted(mask_list, key=lambda mask: (mask.start, -mask.end, *_replacement_key(mask))):
        length = mask.end - mask.start
        if flat and mask.start < flat[-1].end:
            last = flat[-1]
            replacement = mask.replacement if length > longest else last.replacement
            flat[-1] = Mask(last.start, max(last.end, mask.end), replacement)
            longest = max(longest, length)
        else:
            flat.append(mask)
            longest = length
    return flat


def _start(mask: Mask) -> int:
    return mask.start


def _are_apart(masks: Sequence[Mask]) -> bool:
    """Whether masks ascend and none overlaps another."""
    reach = 0
    last = -1
    for mask in masks:
        start = mask.start
        if start < reach or start <= last:
            return False
        reach, last = mask.end, start
    return True


def as_read(text: str, masks: Iterable[Mask]) -> list[Mask]:
    """The masks of a text as whoever reads the release sees them, flattened.

    What they write is in letters that anybody can type, put together where they stood apart. A mask that writes what it
    covers, but for white space, case and signs, hides nothing: it is left out, as it is where the same release comes as
    a text.

    >>> as_read("Mr John Doe of Oslo", [Mask(3, 7, "J o h n"), Mask(8, 11, "S\u200bmith"), Mask(15, 19)])
    [Mask(start=8, end=11, replacement='Smith'), Mask(start=15, end=19, replacement=None)]
    """
    visible = []
    for mask in flatten_masks(masks):
        written = mask.replacement
        if written:
            first, plain = text[mask.start], _is_plain(written)
            # As nearly all do, it begins with another letter than what it covers.
            if not (plain and first in _LETTERS and written[0].lower() != first.lower() and not written[0].isspace()):
                covered = text[mask.start : mask.end]
                written = written if plain else assemble_words(legible(written), covered)
                if _without_signs(written) == _without_signs(legible(covered)) != "":
                    continue
        visible.append(mask if written == mask.replacement else Mask(mask.start, mask.end, written))
    return visible


@lru_cache(maxsize=1 << 14)
def _is_plain(written: str) -> bool:
    """Whether it is read as it is, as labels and names are, which are written again and again."""
    return written.isascii() and not stands_apart(written)


def _without_signs(text: str) -> str:
    return "".join(text.translate(SPELLINGS).split()).casefold()


def read_text(text: str, masks: Iterable[Mask]) -> str:
    """The anonymized text as it is read: another than `apply_masks` gives only where it is written oddly."""
    return _apply(text, as_read(text, masks))


def apply_masks(text: str, masks: Iterable[Mask]) -> str:
    """The anonymized text: every mask's span replaced by its replacement, or by nothing.

    >>> apply_masks("Mr John Doe of Oslo", [Mask(15, 19, "CITY"), Mask(3, 11)])
    'Mr  of CITY'
    """
    return _apply(text, flatten_masks(masks))


def _apply(text: str, flat: Iterable[Mask]) -> str:
    pieces: list[str] = []
    position = 0
    for mask in flat:
        pieces += (text[position : mask.start], mask.replacement or "")
        position = mask.end
    return "".join((*pieces, text[position:]))
