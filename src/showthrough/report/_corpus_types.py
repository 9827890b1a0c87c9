"""What was marked of each type, as grids: identifiers, co-reference, confidential categories, edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

from showthrough.core.errors import shorten
from showthrough.report.sheets import Grid, GridEntry, GridRow, count, missing, number, share
from showthrough.report.wording import counted_words
from showthrough.studies.description import CorpusPart, Description, Levels, MarkCounts

LONG, WIDE = 50, 12  # rows and columns that are shown; the JSON has all
NO_STATUS = "no mention says whether it is confidential"
NO_EDIT = "no mention says what the annotator did to a mark made beforehand"
_ELSEWHERE = "entities have the type of their first mention, and no entity has this one"
_OF_ENTITIES = (
    "An entity is the mentions of one annotator in one document that share an id. It has the type of the first, is "
    "direct if one of them is, else quasi if one is, and confidential if one is.",
)
_Value = TypeVar("_Value")


def levels_by_type(part: CorpusPart, where: str = "") -> list[Grid]:
    """Of mentions and entities of each type, how many are direct, quasi, not to be masked, and confidential."""
    mentions = _levels(
        *(part, "mentions", where, lambda marks: marks.mentions, lambda marks: (marks.confidential, marks.with_status)),
        [inference_sentence(part.marks)] if part.marks.inferred else [],
    )
    if not part.marks.repeated:  # entities are the mentions
        return [mentions]
    entities = _levels(
        *(part, "entities", where, lambda marks: marks.entities),
        lambda marks: (marks.confidential_entities, marks.entities_with_status),
        _OF_ENTITIES,
    )
    return [mentions, entities]


def inference_sentence(marks: MarkCounts) -> str:
    """Of how many mentions nobody said how they identify, and what they are taken for."""
    by_type, guessed = marks.inferred - marks.guessed, marks.guessed
    which, types = ("it is", "its type decides") if marks.inferred == 1 else ("they are", "their types decide")
    head = f"Of {counted_words(marks.inferred, 'mention')} nobody said whether {which} direct or quasi"
    if not guessed:
        return f"{head}: {types}."
    if not by_type:
        return f"{head}, and no type decides: they count as quasi, a guess."
    return f"{head}: types decide for {by_type:,}; quasi is a guess for {guessed:,}."


def _levels(
    part: CorpusPart,
    noun: str,
    where: str,
    levels: Callable[[MarkCounts], Levels],
    confidential: Callable[[MarkCounts], tuple[int, int]],
    notes: Sequence[str],
) -> Grid:
    of_all = levels(part.marks).total

    def entries(marks: MarkCounts) -> tuple[GridEntry, ...]:
        counts_by_level = levels(marks)
        numbers = (counts_by_level.direct, counts_by_level.quasi, counts_by_level.no_mask)
        shares = [ratio(size, counts_by_level.total, _ELSEWHERE) for size in numbers]
        counts = [count(counts_by_level.total), share(counts_by_level.total / of_all), *map(count, numbers)]
        return (*counts, *shares, ratio(*confidential(marks), NO_STATUS))

    heads = (noun, "share", "direct", "quasi", "none", "direct share", "quasi share", "none share", "confid.")
    notes = [
        *notes,
        f"None: not to be masked. Confid.: the share of confidential ones among the {noun} that say whether they are.",
    ]
    return _by_type(f"{noun.capitalize()} by type{where}", heads, part, entries, notes, f"{noun}{where}")


def coreference(description: Description) -> Grid:
    """How many mentions entities have, and whether they all read the same."""

    def entries(marks: MarkCounts) -> tuple[GridEntry, ...]:
        entities = marks.entities.total
        per = number(marks.chained / entities) if entities else missing(_ELSEWHERE)
        several = (ratio(size, entities, _ELSEWHERE) for size in (marks.repeated, marks.several_strings))
        return (count(entities), count(marks.linked), per, count(marks.most_mentions), *several)

    heads = (
        "entities", "mentions with id", "mentions per entity", "most mentions", "several mentions", "several strings",
    )  # fmt: skip
    notes = (
        "Several mentions: the share of entities with more than one mention. Several strings: the share whose "
        "mentions are not all the same, letter by letter. A mention without an id is an entity of its own.",
    )
    return _by_type("Co-reference by type", heads, description.whole, entries, notes, "coreference", description.splits)


def categories(description: Description) -> Grid:
    """What mentions say of being confidential."""

    def entries(marks: MarkCounts) -> tuple[GridEntry, ...]:
        counts = [count(marks.statuses.get(status, 0)) for status in statuses]
        return (*counts, count(marks.confidential), ratio(marks.confidential, marks.with_status, NO_STATUS))

    marks = description.whole.marks
    statuses = [*islice(marks.statuses, WIDE)]
    notes = _silent_notes(marks.with_status, marks, "categories", marks.statuses)
    heads = (*map(shorten, statuses), "confidential", "confidential share")
    return _by_type(
        "Confidential categories by type", heads, description.whole, entries, notes, "confidential", description.splits
    )


def edits(description: Description) -> Grid:
    """What annotators did to marks that were made beforehand."""

    def entries(marks: MarkCounts) -> tuple[GridEntry, ...]:
        counts = [marks.edits.get(edit, 0) for edit in names]
        return (*map(count, counts), *(ratio(edit, marks.with_edit, NO_EDIT) for edit in counts))

    marks = description.whole.marks
    names = [*islice(marks.edits, WIDE)]
    notes = _silent_notes(marks.with_edit, marks, "edits", marks.edits)
    heads = (*map(shorten, names), *(f"{shorten(edit_name)} share" for edit_name in names))
    return _by_type(
        "Edits of marks made beforehand, by type", heads, description.whole, entries, notes, "edits", description.splits
    )


def _silent_notes(stated: int, marks: MarkCounts, noun: str, names: Mapping[str, int]) -> list[str]:
    silent = marks.mentions.total - stated
    notes = (
        [f"The corpus does not say it of {counted_words(silent, 'mention')}; shares are of the other {stated:,}."]
        if silent
        else []
    )
    return notes + rest(noun, names, WIDE)


def _by_type(
    caption: str,
    heads: tuple[str, ...],
    part: CorpusPart,
    entries: Callable[[MarkCounts], tuple[GridEntry, ...]],
    notes: Sequence[str],
    label: str,
    splits: Mapping[str, CorpusPart] = MappingProxyType({}),
) -> Grid:
    """A row for each type, the most frequent first, one for all of them, and one for all of each split."""
    rows = [GridRow(label_name(name, "type"), entries(marks)) for name, marks in first(part.types)]
    rows.append(GridRow("all", entries(part.marks), total=True))
    for name, split in first(splits, WIDE) if len(splits) > 1 else ():
        rows += [GridRow(f"split {label_name(name, 'name')}", entries(split.marks), total=True)] if split.types else []
    return Grid(caption, heads, tuple(rows), "type", (*notes, *rest("types", part.types)), label)


def ratio(part: int, of: int, why: str) -> GridEntry:
    """The share of some of all, where there are any."""
    return share(part / of) if of else missing(why)


def label_name(name: str, noun: str) -> str:
    """A name of a file as tables show it."""
    return f"(no {noun})" if not name or name.isspace() else shorten(name)


def first(values: Mapping[str, _Value], most: int = LONG) -> Iterable[tuple[str, _Value]]:
    return islice(values.items(), most)


def rest(noun: str, values: Mapping[str, object], most: int = LONG) -> list[str]:
    """That there are more than are shown."""
    return [f"The first {most} of {len(values):,} {noun}; --json FILE has all."] if len(values) > most else []
