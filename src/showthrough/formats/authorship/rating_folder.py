"""The folder of passages that people rate: what was drawn, and an answers file of each rater, which only grows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from showthrough.data.authorship import HIGHEST, LOWEST
from showthrough.storage.append_log import DamagedError, pieces
from showthrough.storage.reading import decode_json, exists, fail, is_folder, lines_of, read_all, read_bytes, reading

SAMPLE_FILE, ITEMS_FILE, ANSWERS = "sample.json", "items.jsonl", "answers"
TITLE = b"showthrough ratings 1"
LONGEST_COMMENT = 2_000  # characters
Value = Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]


class RatingItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A passage to be rated. Raters get its id and its text, and neither tells whose it is."""

    id: str
    document: str
    anonymization: str
    start: int  # in the original
    end: int
    text: str

    @property
    def location(self) -> str:
        """What tells it from other passages of the document."""
        return f"{self.start}-{self.end}"


class SampleDesign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the passages were drawn."""

    corpus: str  # digests
    anonymizations: dict[str, str]
    documents: int
    passages: int
    seed: int
    items: str
    short: int = 0  # passages of fewer than three words
    unchanged: int = 0
    version: str = ""


class RaterAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a rater said of a passage; without a value, that an earlier answer was taken back."""

    item: str
    value: Value | None
    comment: Annotated[str, msgspec.Meta(max_length=LONGEST_COMMENT)] = ""


_SAMPLE, _ITEM, _ANSWER = map(msgspec.json.Decoder, (SampleDesign, RatingItem, RaterAnswer))


def items_bytes(items: Sequence[RatingItem]) -> bytes:
    return b"".join(msgspec.json.encode(item) + b"\n" for item in items)


def items_digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def is_rating_folder(folder: Path) -> bool:
    return is_folder(folder) and exists(folder / SAMPLE_FILE) and exists(folder / ITEMS_FILE)


def read_items(folder: Path) -> tuple[SampleDesign, dict[str, RatingItem]]:
    """What was drawn, passages by id; raises InputError where it was changed since."""
    if not is_rating_folder(folder):
        raise fail(folder, f"has no {SAMPLE_FILE} and {ITEMS_FILE}; expected a folder that rate sample wrote")
    sample = decode_json(read_bytes(folder / SAMPLE_FILE), _SAMPLE, folder / SAMPLE_FILE)
    path = folder / ITEMS_FILE
    if items_digest(read_all(path)) != sample.items:
        raise fail(path, f"is not as {SAMPLE_FILE} knows it; expected the passages as they were drawn")
    items = [decode_json(line, _ITEM, path, f"line {number}") for number, _, line in lines_of(path)]
    return sample, {item.id: item for item in items}


def answers_file(folder: Path, rater: str) -> Path:
    return folder / ANSWERS / f"{rater}.jsonl"


def raters_of(folder: Path) -> list[str]:
    """Who has an answers file."""
    home = folder / ANSWERS
    if not exists(home):
        return []
    with reading(home):
        return sorted(path.stem for path in home.iterdir() if path.suffix == ".jsonl")


def read_answers(path: Path, items: Mapping[str, RatingItem]) -> list[RaterAnswer]:
    """All that a rater ever said, the last at the end; raises InputError for what was not written so."""
    return list(_answers(path, items)) if exists(path) else []


def _answers(path: Path, items: Mapping[str, RatingItem]) -> Iterator[RaterAnswer]:
    content = read_all(path)
    if not content.startswith(TITLE + b"\n"):
        raise fail(path, f"found another beginning; expected {TITLE.decode()}, which rate serve writes")
    try:
        for number, piece in enumerate(pieces(content, TITLE), 1):
            answer = decode_json(piece, _ANSWER, path, f"answer {number}")
            if answer.item not in items:
                raise fail(
                    path, "is of a passage that is not in this folder; expected answers to these", f"answer {number}"
                )
            yield answer
    except DamagedError:
        raise fail(path, "an answer that others follow is damaged; expected the file as it was written") from None


def latest_answers(answers: Sequence[RaterAnswer]) -> dict[str, RaterAnswer]:
    """What counts: of each passage the last answer, unless it was taken back."""
    last = {answer.item: answer for answer in answers}
    return {item: answer for item, answer in last.items() if answer.value is not None}
