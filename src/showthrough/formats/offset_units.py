"""Masks whose offsets count something else than characters, as a user said, counted again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from showthrough.core.errors import InputError, at_document
from showthrough.data.masks import Mask
from showthrough.data.offsets import to_characters, unit_of
from showthrough.formats.base import Input, Masks
from showthrough.storage.reading import collect_results, fail


def needs_texts(file: Input) -> InputError:
    """That nobody can count anything but characters without a text."""
    return fail(file.path, f"counting offsets in {file.columns.offsets} needs the corpus with the originals")


def in_characters(masks: Masks, file: Input) -> Masks:
    """The same masks by characters of the originals; raises InputError with all that are none of their texts."""
    if unit_of(file.columns.offsets) is None:
        return masks
    if file.corpus is None:
        raise needs_texts(file)
    originals = file.originals

    def placed(document_id: str) -> tuple[str, Sequence[Mask]]:
        text = originals.get(document_id)
        return document_id, masks[document_id] if text is None else _placed(text, document_id)

    def _placed(text: str, document_id: str) -> Sequence[Mask]:
        new_masks = []
        for number, mask in enumerate(masks[document_id]):
            try:
                start, end = to_characters(text, mask.start, mask.end, file.columns.offsets)
            except InputError as error:
                location = f"{at_document(document_id)}: masks[{number}]"
                raise fail(file.path, error.problems[0].message, location) from None
            new_masks.append(msgspec.structs.replace(mask, start=start, end=end))
        return new_masks

    return dict(collect_results(masks, placed))
