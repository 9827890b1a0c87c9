"""What was read of an anonymization, made masks and held against the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from showthrough.core.errors import InputError, join_names, shorten
from showthrough.data.given import aligned
from showthrough.formats.base import Input, Masks, Texts
from showthrough.storage.reading import fail


def aligned_texts(texts: Texts, file: Input) -> Masks:
    """The masks of released texts, as the originals of the corpus tell them."""
    if file.corpus is None:
        raise no_corpus(file)
    check_rows(texts, file)
    tell_empty(file, empty_in(texts))
    return aligned(texts, file.corpus, str(file.path))


def no_corpus(file: Input) -> InputError:
    fault = "holds anonymized texts without offsets; reading it needs the corpus with the originals"
    return fail(file.path, fault)


def check_rows(texts: Texts, file: Input) -> None:
    """Raises InputError where released texts stand beside originals, and their ids are not the same."""
    if file.released and file.corpus is not None and list(texts) != list(file.corpus.ids):
        fault = "its rows have other ids here than the corpus has; expected the same column of ids for both"
        raise fail(file.path, f"{fault} (choose with --id-column)")


def empty_in(texts: Texts) -> list[str]:
    """The documents of which nothing is left."""
    return [key for key, text in texts.items() if not text.strip()]


def tell_empty(file: Input, empty: Sequence[str]) -> None:
    if empty:
        column = f"column {shorten(file.columns.text or '')}: " if file.released else ""
        count = "an empty text counts" if len(empty) == 1 else f"{len(empty)} empty texts count"
        file.remarks.others.append(f"{column}nothing is left of {join_names(empty)}: {count} as all suppressed")


def check_spans(file: Input, marks: Callable[[], int]) -> None:
    """Raises InputError where no mark was read, and a key that the format does not know holds what looks like some."""
    if (keys := sorted(file.remarks.spans)) and not marks():
        fault = "looks like marks, which this format has elsewhere, and no others were found"
        raise fail(file.path, f"{fault}; {file.remarks.hint()}", f"key {shorten(keys[0])}")
