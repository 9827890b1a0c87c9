"""Silver annotations: what programs find in a corpus, as one layer of marks that says who made it.

A program's mask covers its characters and the seams between them, so that two masks that only touch stay two. A
character or a seam is marked where at least so many programs cover it, and what hangs together is a mention, white
space at its ends aside. With a vote of one that is the union of what all found.

A mention has the type for which most was said: each mask weighs the characters that it shares with the mention, a
program's equal masks once. Between equals the program that is named first decides. Names of types are compared without
regard to case, hyphens and underscores.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from pathlib import PurePath

from msgspec import structs

from showthrough.core.call_syntax import descriptions
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.core.expected import expects
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.labels import type_of
from showthrough.data.levels import by_type
from showthrough.data.masks import Anonymization, Mask, flatten_masks
from showthrough.data.silver import silver_name
from showthrough.data.types import fold_type
from showthrough.storage.reading import collect_results
from showthrough.systems import Anonymizer, anonymize, anonymizer
from showthrough.systems.base import get_optional

Span = tuple[int, int]


@expects(corpus=Corpus)
def annotate(corpus: Corpus, anonymizers: Sequence[Anonymizer | str], vote: int = 1, *, keep: bool = False) -> Corpus:
    """The documents with what these programs find in them as annotations; where at least `vote` of them do.

    The annotator's name says that the layer is silver, and by which programs: `silver(rules.v1+presidio.v1)`. How
    mentions identify follows from their types alone; the same text of the same type in a document is one entity. Other
    layers of the corpus are left out unless they are to be kept.

    >>> silver = annotate(Corpus([Document("a", "Dr Ona Rask left. Dr Ona Rask!")]), ["rules"])
    >>> layer = silver.documents[0].annotations[0]
    >>> layer.annotator
    'silver(rules.v1)'
    >>> [(mention.start, mention.end, mention.entity_type, mention.entity_id) for mention in layer.mentions]
    [(0, 11, 'PERSON', 'e1'), (18, 29, 'PERSON', 'e1')]
    """
    if isinstance(anonymizers, str):
        anonymizers = [anonymizers]
    programs = [anonymizer(system) if isinstance(system, str) else system for system in anonymizers]
    names = [_program(system) for system in programs]
    if not programs:
        raise PlanError("none was given; expected at least one", "anonymizers")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise PlanError("is named twice; expected each once, since each has one vote", f"anonymizer {shorten(twice)}")
    if type(vote) is not int or not 1 <= vote <= len(programs):
        expected = f"a whole number from 1 to {len(programs)}, the number of anonymizers"
        raise PlanError(f"found {quote_value(vote)}; expected {expected}", "vote")
    anonymizations = collect_results(programs, lambda program: anonymize(corpus, program))
    name = silver_name(names, vote)
    documents = [_add_layer(document, anonymizations, vote, name, keep) for document in corpus]
    return Corpus(documents, corpus.name, corpus.source)


def _program(anonymizer: Anonymizer) -> str:
    """A program by its name, its version and what it was told: `spacy.v1 en_core_web_sm`; of a path the last part."""
    described: dict[str, str] = descriptions(anonymizer) if is_dataclass(anonymizer) else {}
    values = [str(getattr(anonymizer, key)) for key, description in described.items() if description]
    values = [PurePath(value).name.replace("+", " ") for value in values]
    return " ".join([f"{get_optional(anonymizer, 'kind', anonymizer.name)}.v{anonymizer.version}", *values])


def _add_layer(
    document: Document, anonymizations: Sequence[Anonymization], vote: int, name: str, keep: bool
) -> Document:
    layer = Annotation(
        name,
        tuple(
            silver_mentions(document.text, [anonymization.of(document.id) for anonymization in anonymizations], vote)
        ),
    )
    other_layers = tuple(annotation for annotation in document.annotations if keep and annotation.annotator != name)
    return structs.replace(document, annotations=(*other_layers, layer))


def silver_mentions(text: str, program_masks: Sequence[Sequence[Mask]], vote: int = 1) -> list[Mention]:
    """What at least so many programs hide of a text, with types and entities; `program_masks` are by program.

    >>> silver_mentions("Mr John Doe", [[Mask(0, 11, "PERSON")], [Mask(3, 7, "NAME")]], vote=2)[0].entity_type
    'PERSON'
    """
    spans = [trimmed for span in _find_covered(program_masks, vote) if (trimmed := _trim(text, *span))]
    types = _types(text, spans, program_masks)
    entities: dict[tuple[str, str], str] = {}
    mentions = []
    for (start, end), kind in zip(spans, types, strict=True):
        string = " ".join(text[start:end].split())
        entity = entities.setdefault((string, kind), f"e{len(entities) + 1}")
        mentions.append(by_type(start, end, kind, entity))
    return mentions


def _find_covered(program_masks: Sequence[Sequence[Mask]], vote: int) -> Iterator[Span]:
    """What enough programs cover. Characters stand at even places, the seam after each at the odd one that follows."""
    steps: Counter[int] = Counter()
    for masks in program_masks:
        for mask in flatten_masks(masks):
            steps[2 * mask.start] += 1
            steps[2 * mask.end - 1] -= 1
    covering, start = 0, None
    for position in sorted(steps):
        covering += steps[position]
        if start is None and covering >= vote:
            start = position // 2
        elif start is not None and covering < vote:
            yield start, (position + 1) // 2
            start = None


def _trim(text: str, start: int, end: int) -> Span | None:
    """A span without the white space at its ends; `None` where nothing is left."""
    covered = text[start:end]
    start += len(covered) - len(covered.lstrip())
    end = start + len(covered.strip())
    return (start, end) if start < end else None


def _types(text: str, spans: Sequence[Span], program_masks: Sequence[Sequence[Mask]]) -> list[str]:
    """The type of each span, for which most was said; empty where nobody said any."""
    weights: list[dict[str, int]] = [{} for _ in spans]  # by type as it is compared, in the order of the programs
    spelled: dict[str, str] = {}  # as the first program writes it that has it
    ends = [end for _, end in spans]
    for masks in program_masks:
        votes = dict.fromkeys((mask.start, mask.end, type_of(mask, text)) for mask in masks)
        for start, end, kind in sorted(votes):
            if not kind:
                continue
            key = fold_type(kind)
            spelled.setdefault(key, kind)
            for number in range(bisect_right(ends, start), len(spans)):
                low, high = spans[number]
                if low >= end:
                    break
                weights[number][key] = weights[number].get(key, 0) + min(end, high) - max(start, low)
    # Of equals the first is taken: `max` keeps it, and dictionaries keep the order in which things were said.
    return [spelled[max(weight, key=weight.__getitem__)] if weight else "" for weight in weights]
