"""Rows of tokens and tags, as Hugging Face's datasets of named entities have them: `tokens` and `ner_tags`.

A row need not have a text. Where it has `text` (or `full_text`) tokens are found in it; where it says what follows each
token (`trailing_whitespace`) they are laid so; else a space stands between them. `offset_mapping` says where they are.
Tags that are numbers have their names in the dataset's `dataset_info.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import InputError, quote_value, shorten
from showthrough.data.documents import Annotation, Document, Mention
from showthrough.data.levels import by_type
from showthrough.data.originals import text_digest
from showthrough.formats.annotation_tools._tags import EXPECTED, TokenOffsets, locate_tokens, runs, tag_tokens
from showthrough.formats.base import Files, Fit, Format, Input, unlike
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import decode_json, exists, fail, read_bytes

_TAGS = ("ner_tags", "labels", "tags")
_NAMES = ("dataset_info.json", "dataset_infos.json")  # where a dataset says what the numbers of its tags mean
_NO_PLACE = (0, 0)  # of a tokenizer's special tokens
_IGNORED_TAG = -100  # what these have for a tag, since training leaves them out
_ANY = msgspec.json.Decoder()
_DEEP = 4  # levels of features that are searched for names
_NAMELESS = (
    "the tags are numbers without names; put the dataset's dataset_info.json beside the file, which has the names, "
    "or write names such as B-PER"
)
_JOINED = "what stood between its tokens is not in the file: a space was taken"


class _Row(msgspec.Struct, gc=False):
    aside: ClassVar = (
        "pos_tags", "chunk_tags", "lang", "langs", "language", "input_ids", "attention_mask", "token_type_ids",
        "special_tokens_mask", "word_ids",
    )  # fmt: skip

    tokens: list[str]
    ner_tags: list[str | int] | None = None
    labels: list[str | int] | None = None
    tags: list[str | int] | None = None
    id: Id = None
    document: Id = None
    text: str | None = None
    full_text: str | None = None
    trailing_whitespace: list[bool] | None = None
    offset_mapping: list[tuple[int, int]] | None = None
    group: str | int | None = None


@dataclass
class _Rows:
    """What all rows of a file share."""

    originals: Mapping[str, str]  # texts of the corpus that a system's rows belong to
    names: Mapping[str, Sequence[str]]  # of numbered tags, by key
    joined: set[bool] = field(default_factory=set)  # whether texts had to be made of tokens

    @cached_property
    def _by_letters(self) -> dict[bytes, str]:
        return {text_digest(_letters(text)): text for text in self.originals.values()}

    def text(self, row: _Row, name: str) -> str:
        """The text of a row: its own, that of the document in the corpus, or its tokens with what is known between."""
        own = row.full_text if row.text is None else row.text
        if own is not None:
            return own
        if name in self.originals:
            return self.originals[name]
        if (
            self.originals
            and (original := self._by_letters.get(text_digest(_letters("".join(row.tokens))))) is not None
        ):
            return original
        if row.trailing_whitespace is not None:
            return "".join(
                token + " " * after for token, after in zip(row.tokens, row.trailing_whitespace, strict=True)
            )
        self.joined.add(True)
        return " ".join(row.tokens)

    def tags(self, row: _Row, entry: Entry) -> tuple[str, list[str]] | None:
        """The tags by name, and their key; `None` where a row has none."""
        for key in _TAGS:
            row_tags: list[str | int] | None = getattr(row, key)
            if row_tags is not None:
                if len(row_tags) != len(row.tokens):
                    fault = f"has {len(row_tags)} tags for {len(row.tokens)} tokens; expected one each"
                    raise entry.fail(fault, key)
                if all(isinstance(tag, str) for tag in set(row_tags)):
                    return key, row_tags  # type: ignore[return-value]
                return key, [tag if isinstance(tag, str) else self._tag_name(tag, key, entry) for tag in row_tags]
        return None

    def _tag_name(self, tag: int, key: str, entry: Entry) -> str:
        names = self.names.get(key)
        if names is None:
            raise entry.fail(_NAMELESS, key)
        if not 0 <= tag < len(names):
            if tag == _IGNORED_TAG:
                return str(tag)
            raise entry.fail(f"found {tag}; expected a number below {len(names)}, of the names that there are", key)
        return names[tag]


def _letters(text: str) -> str:
    return "".join(text.split())


def _build_document(rows: _Rows, row: _Row, entry: Entry) -> Document:
    name = entry.named(row.document if row.id is None else row.id)
    spaces = row.trailing_whitespace
    if spaces is not None and len(spaces) != len(row.tokens):
        fault = f"has {len(spaces)} values for {len(row.tokens)} tokens; expected one each"
        raise entry.fail(fault, "trailing_whitespace")
    text, key_and_tags = rows.text(row, name), rows.tags(row, entry)
    group = "" if row.group is None else str(row.group)
    if key_and_tags is None:
        return Document(name, text, group=group)
    if row.offset_mapping is None and "" not in row.tokens:
        mentions = _tagged_mentions(row, text, *key_and_tags, entry)
    else:
        mentions = _mapped_mentions(row, text, *key_and_tags, entry)
    return Document(name, text, (Annotation(ANNOTATOR, tuple(mentions)),), group)


def _tagged_mentions(row: _Row, text: str, key: str, tags: Sequence[str], entry: Entry) -> list[Mention]:
    """Of tokens that all have a place in the text."""

    def wrong_tag(number: int) -> InputError:
        return entry.fail(f"found {quote_value(tags[number])}; expected {EXPECTED}", f"{key}[{number}]")

    positions = TokenOffsets(row.tokens, text, partial(_misplaced_error, row, text, entry))
    return [
        by_type(*positions.span(first, after - 1), entity_type) for first, after, entity_type in runs(tags, wrong_tag)
    ]


def _mapped_mentions(row: _Row, text: str, key: str, tags: Sequence[str], entry: Entry) -> list[Mention]:
    """Of tokens of which some may be none of the text, such as a tokenizer's special ones."""
    positions = _token_positions(row, text, entry)

    def wrong_tag(number: int) -> InputError:
        tag = numbers[number]
        return entry.fail(f"found {quote_value(tags[tag])}; expected {EXPECTED}", f"{key}[{tag}]")

    numbers: Sequence[int] = range(len(positions))
    if _NO_PLACE in positions:
        numbers = [number for number in numbers if positions[number] != _NO_PLACE]
    mentions = []
    for first, after, entity_type in runs([tags[number] for number in numbers], wrong_tag):
        start, end = positions[numbers[first]][0], positions[numbers[after - 1]][1]
        mentions.append(entry.mention(text, start, end, entity_type, field=f"tokens[{numbers[first]}]"))
    for number, position in enumerate(positions if len(numbers) < len(positions) else ()):
        if position == _NO_PLACE and tags[number] not in ("O", str(_IGNORED_TAG)):
            raise entry.fail(
                f"found {quote_value(tags[number])} at a token of no length; expected O", f"{key}[{number}]"
            )
    return mentions


def _token_positions(row: _Row, text: str, entry: Entry) -> Sequence[tuple[int, int]]:
    if row.offset_mapping is not None:
        if len(row.offset_mapping) != len(row.tokens):
            fault = f"has {len(row.offset_mapping)} places for {len(row.tokens)} tokens; expected one each"
            raise entry.fail(fault, "offset_mapping")
        return row.offset_mapping
    positions = locate_tokens(row.tokens, text, partial(_misplaced_error, row, text, entry))
    return [_NO_PLACE if start == end else (start, end) for start, end in positions]


def _misplaced_error(row: _Row, text: str, entry: Entry, number: int, at: int) -> InputError:
    token = row.tokens[number]
    return entry.fail(unlike(f"at {at}", text[at : at + len(token)], "the token is", token), f"tokens[{number}]")


def read(file: Input) -> Sequence[Document]:
    rows = _Rows(file.originals, _read_names(file.path))
    first = file.head.first
    for key in _TAGS if isinstance(first, dict) else ():
        tags = first.get(key)
        if key not in rows.names and isinstance(tags, list) and any(isinstance(tag, int) for tag in tags):
            raise fail(file.path, _NAMELESS, key)  # once, and not for every row
    documents = Objects(_Row, partial(_build_document, rows)).read(file)
    if rows.joined:
        file.remarks.others.append(_JOINED)
    return documents


def _read_names(path: Path) -> dict[str, Sequence[str]]:
    """The names of numbered tags, by key, from what a dataset says of itself in a file beside."""
    for name in _NAMES:
        beside = path.with_name(name)
        if exists(beside):
            info = decode_json(read_bytes(beside), _ANY, beside)
            configurations = info.values() if name == _NAMES[1] and isinstance(info, dict) else [info]
            features = [item.get("features") for item in configurations if isinstance(item, dict)]
            return dict(_agreed_names(beside, [item for item in features if isinstance(item, dict)]))
    return {}


def _agreed_names(path: Path, features: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Sequence[str]]]:
    for key in _TAGS:
        candidates = [names for feature in features if (names := _class_names(feature.get(key)))]
        if any(names != candidates[0] for names in candidates):
            fault = "several configurations name the tags differently; expected those of this file alone"
            raise fail(path, fault, f"features.{shorten(key)}")
        if candidates:
            yield key, candidates[0]


def _class_names(feature: Any, depth: int = _DEEP) -> list[str] | None:
    """The names of a feature that is a class label, or a list of them."""
    if isinstance(feature, list) and feature and depth:
        return _class_names(feature[0], depth - 1)
    if not isinstance(feature, dict) or not depth:
        return None
    names = feature.get("names")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return _class_names(feature.get("feature"), depth - 1)


def write(documents: Iterable[Document]) -> Files:
    """JSON Lines with the text beside its tokens."""
    return {"": b"".join(msgspec.json.encode(_build_record(document)) + b"\n" for document in documents)}


def _build_record(document: Document) -> dict[str, object]:
    tokens = list(tag_tokens(document))
    tags = {"ner_tags": [token.tag for token in tokens]} if document.annotations else {}
    group = {"group": document.group} if document.group else {}
    words = [document.text[token.start : token.end] for token in tokens]
    return {"id": document.id, "text": document.text, **group, "tokens": words, **tags}


def _recognise(head: Head) -> Fit:
    first = head.first
    if not isinstance(first, dict) or not _is_list_of(first.get("tokens"), str):
        return Fit.NO
    tagged_by = [key for key in _TAGS if _is_list_of(first.get(key), str | int)]
    if "ner_tags" in tagged_by or (tagged_by and not first.keys() & {"spans", "entities"}):
        return Fit.CERTAIN  # also where there is an id and a text, which others have
    return Fit.NO if head.json.whole else Fit.LIKELY


def _is_list_of(values: object, item_type: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, item_type) for value in values)


FORMAT = Format(
    "rows of tokens and ner_tags, as Hugging Face's datasets have: JSON Lines or a list",
    *((".jsonl", ".json"), _recognise, read, masks_from(read), write),
)
