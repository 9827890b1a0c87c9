"""Makes the texts to release: masks applied, with other replacements on request.

What was marked in the originals is not released: it would tell what was masked.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value
from showthrough.core.expected import expects
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus, Document, Mention
from showthrough.data.labels import repeats, type_of
from showthrough.data.masks import Anonymization, Mask, apply_masks, flatten_masks
from showthrough.data.pairing import Missing, check_pair
from showthrough.data.reading_form import letters_of, reading_form
from showthrough.data.text_anonymizations import Rewriting

Replacement = Literal["label", "number", "suppress"]
REPLACEMENTS: tuple[str, ...] = get_args(Replacement)
NO_LABEL = "MASKED"  # where nobody said what it was
_BETWEEN = lazy_pattern(r"[^\w/-]+")


@expects(corpus=Corpus, anonymization=Anonymization)
def release(
    corpus: Corpus, anonymization: Anonymization, replace: Replacement | None = None, missing: Missing = "error"
) -> Corpus:
    """The documents with the masks applied and without annotations; ids and groups stay.

    `replace` writes the mask's type in brackets (`label`: `[PERSON]`), the same with a number (`number`: `[PERSON_1]`)
    or nothing (`suppress`) instead of what the masks themselves write. Raises InputError where masks and documents do
    not go together, where a replacement repeats what it hides, and where nothing is left of a text. A rewriting is
    released as it was handed in: a passage may well be as it was.

    >>> corpus = Corpus([Document("a", "Mr Doe met Mr Roe and Mr Doe")])
    >>> masks = Anonymization({"a": [Mask(3, 6, "NAME"), Mask(14, 17, "NAME"), Mask(25, 28, "NAME")]})
    >>> release(corpus, masks, "number").documents[0].text
    'Mr [NAME_1] met Mr [NAME_2] and Mr [NAME_1]'
    """
    if replace is not None and replace not in REPLACEMENTS:
        raise PlanError(f"found {quote_value(replace)}; expected {', '.join(REPLACEMENTS)}", "replace")
    if problems := check_pair(corpus, anonymization, missing):
        raise InputError(problems)
    file = anonymization.source or anonymization.name
    documents = []
    texts = anonymization.texts(corpus) if replace is None and isinstance(anonymization, Rewriting) else {}
    for document in corpus:
        masks = anonymization.of(document.id)
        if replace is not None:
            masks = replaced(masks, document.text, replace, _entity_mentions(document))
        text = texts.get(document.id)
        if text is None:
            problems += _repetition_problems(masks, document, file)
            text = apply_masks(document.text, masks)
        if not text:
            fault = "nothing is left of its text; expected at least one character (--replace label leaves some)"
            problems.append(Problem(file, at_document(document.id), fault))
        documents.append(Document(document.id, text, (), document.group))
    if problems:
        raise InputError(problems)
    return Corpus(documents, corpus.name, corpus.source)


def replaced(masks: Iterable[Mask], text: str, how: Replacement, mentions: Sequence[Mention] = ()) -> list[Mask]:
    """Masks of a text that write something else, joined where they overlap; white space alone hides nothing and stays.

    A label is the mask's type, else what its replacement spells, else `MASKED`; never a word of what is masked. The
    same text has the same number, or the same entity where one of the `mentions` knows it.

    >>> replaced([Mask(3, 11, "PERSON"), Mask(8, 11)], "Mr John Doe", "label")
    [Mask(start=3, end=11, replacement='[PERSON]')]
    """
    labelled = [
        Mask(mask.start, mask.end, _label_of(mask, text)) for mask in masks if text[mask.start : mask.end].strip()
    ]
    flat = flatten_masks(labelled)
    if how == "suppress":
        return [Mask(mask.start, mask.end) for mask in flat]
    numbers = _numbers(flat, text, mentions) if how == "number" else [""] * len(flat)
    pairs = zip(flat, numbers, strict=True)
    return [Mask(mask.start, mask.end, f"[{mask.replacement}{number}]") for mask, number in pairs]


def _label_of(mask: Mask, text: str) -> str:
    label = _BETWEEN.sub("_", type_of(mask, text)).strip("_")
    return NO_LABEL if not label or repeats(label, text[mask.start : mask.end]) else label


def _numbers(masks: Sequence[Mask], text: str, mentions: Sequence[Mention]) -> list[str]:
    """`_1`, `_2`, … by label, in the order of the text."""
    strings = [" ".join(text[mask.start : mask.end].split()) for mask in masks]
    entities = _entities(masks, mentions)
    named: dict[str, set[str]] = {}
    for string, entity in zip(strings, entities, strict=True):
        named.setdefault(string, set()).update(filter(None, [entity]))
    numbers: dict[str, dict[tuple[str, str], int]] = {}
    labels = []
    for mask, string, entity in zip(masks, strings, entities, strict=True):
        # A text that nobody marked here is the entity that it is elsewhere, where it is one alone.
        entity = entity or (next(iter(named[string])) if len(named[string]) == 1 else "")
        used = numbers.setdefault(mask.replacement or "", {})
        labels.append(f"_{used.setdefault(('entity', entity) if entity else ('text', string), len(used) + 1)}")
    return labels


def _entities(masks: Sequence[Mask], mentions: Sequence[Mention]) -> list[str]:
    """For each mask the entity of the mention that shares most with it, the first among equals; empty where none does.

    The masks ascend and do not overlap, so each mention has a few neighbours among them, and not all.
    """
    starts, ends = [mask.start for mask in masks], [mask.end for mask in masks]
    best = [(0, "")] * len(masks)
    for mention in mentions:
        if not mention.entity_id:
            continue
        for number in range(bisect_right(ends, mention.start), bisect_left(starts, mention.end)):
            shared = min(ends[number], mention.end) - max(starts[number], mention.start)
            if shared > best[number][0]:
                best[number] = (shared, mention.entity_id)
    return [entity for _, entity in best]


def _entity_mentions(document: Document) -> Sequence[Mention]:
    """The mentions of the first annotator who says which are one entity."""
    layers = (layer.mentions for layer in document.annotations)
    return next((layer for layer in layers if any(mention.entity_id for mention in layer)), ())


def _repetition_problems(masks: Sequence[Mask], document: Document, file: str) -> list[Problem]:
    """Masks whose replacement is what they stand for, or holds it: it would be released."""
    problems = []
    joined = flatten_masks(masks)
    starts = [mask_joined.start for mask_joined in joined]
    for index, mask in enumerate(masks):
        covered = document.text[mask.start : mask.end]
        masked = reading_form(covered).split()
        written_mask = joined[bisect_right(starts, mask.start) - 1]  # what is written in its place
        replacement = written_mask.replacement or ""
        written = reading_form(replacement).split()
        offsets = range(len(written) - len(masked) + 1)
        again = any(written[offset : offset + len(masked)] == masked for offset in offsets)
        if masked and (again or letters_of(replacement) == letters_of(covered)):
            fault = (
                "its replacement repeats what it masks, which would be released; expected another, or --replace label"
            )
            problems.append(Problem(file, f"{at_document(document.id)}: masks[{index}]", fault))
    return problems
