"""What a corpus holds and who is in it, as a report document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from showthrough.core.errors import shorten
from showthrough.report._corpus_types import (
    NO_EDIT,
    NO_STATUS,
    WIDE,
    categories,
    coreference,
    edits,
    first,
    inference_sentence,
    label_name,
    levels_by_type,
    ratio,
    rest,
)
from showthrough.report.sheets import Grid, GridEntry, GridRow, ReportDocument, count, missing, number, share, words
from showthrough.report.wording import counted_words, percent
from showthrough.studies.description import LONG, AnnotatorMarks, CorpusPart, Description, MarkCounts, MeanDeviation
from showthrough.studies.people import AttributeCounts, PeopleSummary
from showthrough.studies.splits import SplitRecord

# These functions tell who is in the documents of a corpus, as sentences and grids.

_LEVELS = {
    "certainty": "Certainty: how sure it is that this is true, from 1 to 5.",
    "hardness": "Hardness: how hard it is to find out, from 1 (the text says it) to 5; 0: nobody said.",
}


def people_lead(people: PeopleSummary) -> str:
    """One sentence."""
    persons = "1 person" if people.subjects == 1 else f"{people.subjects:,} people"
    where, tags = counted_words(people.documents, "document"), counted_words(len(people.tags), "tag")
    return f"{persons} in {where}, and {counted_words(people.said.values, 'value')} in {tags} that are true of them."


def people_grids(people: PeopleSummary) -> Iterator[Grid]:
    """What is said of people by tag: how certain it is, and how hard to find out."""
    yield _by_tag(people, "certainty", lambda counts: counts.certainty)
    yield _by_tag(people, "hardness", lambda counts: counts.hardness)


def _by_tag(people: PeopleSummary, measure: str, levels: Callable[[AttributeCounts], dict[int, int]]) -> Grid:
    steps = list(levels(people.said))

    def entries(counts: AttributeCounts) -> tuple[GridEntry, ...]:
        return count(counts.subjects), count(counts.values), *(count(levels(counts).get(step, 0)) for step in steps)

    rows = [GridRow(label_name(tag, "name"), entries(counts)) for tag, counts in first(people.tags)]
    rows.append(GridRow("all", entries(people.said), total=True))
    heads = ("people", "values", *(f"{measure} {shorten(str(step))}" for step in steps))
    notes = ("Somebody in two documents counts twice.", _LEVELS[measure], *rest("tags", people.tags))
    return Grid(f"People by tag and {measure}", heads, tuple(rows), "tag", notes, f"people, {measure}")


_FEW = 4  # annotators of a document; documents with more of them share a row
_UNANNOTATED = "nobody annotated a document"
_UNMARKED = "no mention is marked"
_NO_REVIEW = "no document says whether it was reviewed"
_NO_CHAINS = "no two mentions share an entity id, so each counts as an entity of its own"
_NOT_SAID = "nobody said whether mentions are to be masked; only their types show it"
_PROGRAMS = "only programs marked something, and they do not decide what to mask"
_TOO_FEW = "a deviation needs two values"
_NO_TOKEN = "the texts have no token"  # noqa: S105
_DEVIATION = "Deviations are those of a sample (n − 1)."

_EntryOf = Callable[[CorpusPart], GridEntry]


def corpus_sheet(description: Description) -> ReportDocument:
    """Sentences, then tables: the whole and its splits, annotators, types, co-reference, categories, edits, people."""
    whole, splits = description.whole, description.splits
    blocks = [_general(description)]
    if whole.annotators:
        blocks += [_annotators(whole), _masked(whole)]
    if whole.marks.mentions.total:
        blocks += levels_by_type(whole)
        blocks += [coreference(description)] if whole.marks.repeated else []
        blocks += [categories(description)] if whole.marks.statuses else []
        blocks += [edits(description), _edits_by_annotator(whole)] if whole.marks.edits else []
        for name, part in first(splits, WIDE) if len(splits) > 1 else ():
            blocks += levels_by_type(part, f", split {label_name(name, 'name')}") if part.types else []
    lead, people = list(_lead(whole)), description.people
    if people:
        lead.append(people_lead(people))
        blocks += people_grids(people)
    return ReportDocument(f"Corpus {shorten(description.corpus)}", tuple(lead), tuple(blocks))


def _lead(whole: CorpusPart) -> Iterable[str]:
    documents, marks = counted_words(whole.documents, "document"), whole.marks
    if not whole.annotators:
        yield f"{documents} and no annotations: nobody marked anything."
        return
    several = sum(
        documents_read for annotators, documents_read in whole.documents_by_annotators.items() if annotators > 1
    )
    programs = sum(annotator.program for annotator in whole.annotators.values())
    people = len(whole.annotators) - programs
    sources = [counted_words(size, noun) for size, noun in ((people, "annotator"), (programs, "program")) if size]
    shared = f"{several:,} of the documents {'has' if several == 1 else 'have'}" if several else "no document has"
    layers = counted_words(whole.layers, "annotation layer")
    yield f"{documents}, {layers} by {' and '.join(sources)}; {shared} more than one layer."
    if not marks.mentions.total:
        yield "Nothing is marked in any of them."
        return
    levels = f"{marks.mentions.direct:,} direct, {marks.mentions.quasi:,} quasi, {marks.mentions.no_mask:,} no mask"
    levels += f", {marks.mentions.may_mask:,} may mask" if marks.mentions.may_mask else ""
    mentions, types = counted_words(marks.mentions.total, "mention"), counted_words(len(whole.types), "type")
    entities = f" of {marks.entities.total:,} entit{'y' if marks.entities.total == 1 else 'ies'}"
    yield f"{mentions}{entities if marks.repeated else ''} in {types}: {levels}."
    if marks.inferred:
        yield inference_sentence(marks)
    spread = whole.masked_by_annotator
    if spread.mean is not None and spread.deviation is not None:
        over = f"{spread.number:,} annotators, deviation {spread.deviation * 100:.1f} points"
        yield f"Annotators want {percent(spread.mean)} of their mentions masked on average ({over})."
    elif spread.mean is not None:
        yield f"The annotator who decided on masks wants {percent(spread.mean)} of the mentions masked."


def _general(description: Description) -> Grid:
    """One column a split, and one for all."""
    whole, splits = description.whole, description.splits
    columns = [(label_name(name, "split"), part) for name, part in first(splits, WIDE)] if len(splits) > 1 else []
    columns.append(("all", whole))
    notes = ["Tokens are runs of letters, digits and underscores; ideographs count one by one.", _DEVIATION]
    notes.append("Mentions per document are those of all its annotators; a layer is what one marked in one document.")
    if whole.layers_by_programs:
        notes.append("A program that marked documents counts as one of their annotators.")
    if len(splits) == 1:
        notes.append(f"All documents are of the split {label_name(next(iter(splits)), 'name')}.")
    elif not splits:
        notes.append("No document says which split it belongs to.")
    rows = [GridRow(name, tuple(entry_of(part) for _, part in columns)) for name, entry_of in _rows(whole)]
    heads = tuple(head for head, _ in columns)
    notes += rest("splits", splits, WIDE)
    return Grid("Documents, annotations, mentions", heads, tuple(rows), notes=tuple(notes), label="documents")


def _rows(whole: CorpusPart) -> Iterable[tuple[str, _EntryOf]]:
    """What is told of every part."""
    yield "documents", lambda part: count(part.documents)
    yield from _by_annotators(whole)
    yield "documents reviewed", _review_entry(lambda part: part.documents_reviewed)
    yield "annotators", lambda part: count(len(part.annotators))
    yield "layers", lambda part: count(part.layers)
    if whole.layers_by_programs:
        yield "layers by programs", lambda part: count(part.layers_by_programs)
    yield "layers reviewed", _review_entry(lambda part: part.layers_reviewed)
    yield "characters", lambda part: count(part.characters)
    yield "tokens", lambda part: count(part.tokens)
    yield "mentions", _of_marks(lambda marks: count(marks.mentions.total))
    yield "mentions, direct", _of_marks(lambda marks: count(marks.mentions.direct))
    yield "mentions, quasi", _of_marks(lambda marks: count(marks.mentions.quasi))
    yield "mentions, no mask", _of_marks(lambda marks: count(marks.mentions.no_mask))
    if whole.marks.mentions.may_mask:
        yield "mentions, may mask", _of_marks(lambda marks: count(marks.mentions.may_mask))
    if whole.marks.inferred:
        yield "mentions, nobody said which", _of_marks(lambda marks: count(marks.inferred))
    yield f"mentions above {LONG} characters", _of_marks(lambda marks: count(marks.long))
    yield "mentions, confidential", _of_marks(_confidential)
    for edit, _ in first(whole.marks.edits, WIDE):
        yield f"mentions, edit {shorten(edit)}", _of_marks(partial(_edit_entry, edit=edit))
    if not whole.marks.edits:
        yield "mentions, edits", _of_marks(_edit_entry)
    yield "entities", _of_marks(lambda marks: count(marks.entities.total))
    yield "mentions per entity", _of_marks(partial(_per_entity, chains=whole.marks.repeated > 0))
    yield from _spread_rows("mentions per document", lambda part: part.mentions_per_document)
    yield from _spread_rows("mentions per layer", lambda part: part.mentions_per_layer)
    yield from _spread_rows("share masked, over annotators", lambda part: part.masked_by_annotator)
    yield from _spread_rows("share masked, over layers", lambda part: part.masked_by_layer)


def _by_annotators(whole: CorpusPart) -> Iterable[tuple[str, _EntryOf]]:
    def many(part: CorpusPart, least: int, most: float) -> GridEntry:
        return count(
            sum(documents for readers, documents in part.documents_by_annotators.items() if least <= readers <= most)
        )

    numbers = whole.documents_by_annotators
    for annotators in (readers for readers in numbers if readers <= _FEW):
        name = f"with {counted_words(annotators, 'annotator')}" if annotators else "without annotations"
        yield f"documents {name}", partial(many, least=annotators, most=annotators)
    if max(numbers) > _FEW:
        yield f"documents with {_FEW + 1} annotators or more", partial(many, least=_FEW + 1, most=max(numbers))


def _review_entry(number_of: Callable[[CorpusPart], int | None]) -> _EntryOf:
    return lambda part: missing(_NO_REVIEW) if (reviewed := number_of(part)) is None else count(reviewed)


def _of_marks(entry_of: Callable[[MarkCounts], GridEntry]) -> _EntryOf:
    """Where nobody annotated there is nothing to tell of mentions, not even 0."""
    return lambda part: entry_of(part.marks) if part.annotators else missing(_UNANNOTATED)


def _confidential(marks: MarkCounts) -> GridEntry:
    return count(marks.confidential) if marks.statuses else missing(NO_STATUS)


def _edit_entry(marks: MarkCounts, edit: str = "") -> GridEntry:
    return count(marks.edits.get(edit, 0)) if marks.edits else missing(NO_EDIT)


def _per_entity(marks: MarkCounts, chains: bool) -> GridEntry:
    if not marks.mentions.total:
        return missing(_UNMARKED)
    return number(marks.chained / marks.entities.total) if chains else missing(_NO_CHAINS)


def _spread_rows(name: str, spread_of: Callable[[CorpusPart], MeanDeviation]) -> Iterable[tuple[str, _EntryOf]]:
    def mean(part: CorpusPart) -> GridEntry:
        return number(spread_of(part).mean if part.annotators else None, reason=_why_none(part))

    def deviation(part: CorpusPart) -> GridEntry:
        spread = spread_of(part)
        reason = _TOO_FEW if spread.number and part.annotators else _why_none(part)
        return number(spread.deviation if part.annotators else None, reason=reason)

    yield f"{name}, mean", mean
    yield f"{name}, deviation", deviation


def _why_none(part: CorpusPart) -> str:
    """Why there is no share that is to be masked."""
    if not part.annotators:
        return _UNANNOTATED
    if not part.marks.mentions.total:
        return _UNMARKED
    return (
        _PROGRAMS
        if all(annotator.program for annotator in part.annotators.values() if annotator.mentions)
        else _NOT_SAID
    )


def _annotators(whole: CorpusPart) -> Grid:
    def row(name: str, marks: AnnotatorMarks) -> GridRow:
        reviewed = missing(_NO_REVIEW) if whole.documents_reviewed is None else count(marks.reviewed)
        entries = [count(marks.layers), reviewed, count(marks.mentions), count(marks.entities)]
        entries.append(number(marks.mentions / marks.layers))
        return GridRow(name, (*entries, *([words("yes" if marks.program else "")] if whole.layers_by_programs else [])))

    heads = ["documents", "reviewed", "mentions", "entities", "mentions per document"]
    heads += ["program"] if whole.layers_by_programs else []
    rows = [row(label_name(name, "name"), annotator_marks) for name, annotator_marks in first(whole.annotators)]
    notes = ["Perhaps nobody has checked the marks of programs."] if whole.layers_by_programs else []
    return Grid("Annotators", tuple(heads), tuple(rows), "annotator", (*notes, *rest("annotators", whole.annotators)))


def _masked(whole: CorpusPart) -> Grid:
    """Shares that are to be masked: of mentions, and of the text."""

    def row(name: str, marks: AnnotatorMarks) -> GridRow:
        why = _NOT_SAID if marks.mentions else "an annotator marked nothing"
        extent, stated = marks.extent, marks.masked_share is not None or not marks.mentions
        return GridRow(
            name,
            (
                share(marks.masked_share, reason=why),
                *both(marks.masked_by_document, why),
                share(extent.masked_characters / extent.characters) if stated else missing(why),
                ratio(extent.masked_tokens, extent.tokens, _NO_TOKEN) if stated else missing(why),
                share(extent.marked_characters / extent.characters),
                ratio(extent.marked_tokens, extent.tokens, _NO_TOKEN),
            ),
        )

    def both(spread: MeanDeviation, why: str) -> tuple[GridEntry, GridEntry]:
        few = _TOO_FEW if spread.number else why
        return number(spread.mean, reason=why), number(spread.deviation, reason=few)

    def summary(name: str, spread: MeanDeviation) -> GridRow:
        blank = words("")
        return GridRow(name, (blank, *both(spread, _why_none(whole)), *[blank] * 4), total=True)

    heads = ("of mentions", "mean", "deviation", "of characters", "of tokens", "characters marked", "tokens marked")
    rows = [row(label_name(name, "name"), annotator_marks) for name, annotator_marks in first(whole.annotators)]
    rows.append(summary("over annotators", whole.masked_by_annotator))
    rows.append(summary("over layers", whole.masked_by_layer))
    partly = any(0 < annotator_marks.stated < annotator_marks.mentions for annotator_marks in whole.annotators.values())
    notes = [
        "Masked is what is marked as direct or quasi. Mean and deviation of an annotator are over the documents in "
        f"which the annotator marked something. {_DEVIATION} A token counts where a part of it is covered.",
        *(["Annotators said only of some mentions whether to mask them; types decide for the others."] * partly),
        *(["The rows over annotators and layers leave programs out."] if whole.layers_by_programs else []),
        *rest("annotators", whole.annotators),
    ]
    return Grid("Share that is to be masked", heads, tuple(rows), "annotator", tuple(notes), "masked")


def _edits_by_annotator(whole: CorpusPart) -> Grid:
    """What each annotator did to marks that were made beforehand; and over annotators."""
    names = [name for name, _ in first(whole.marks.edits, WIDE)]
    telling = {name: marks for name, marks in whole.annotators.items() if marks.edits}

    def row(name: str, edits: Mapping[str, int]) -> GridRow:
        counts, of = [edits.get(edit, 0) for edit in names], sum(edits.values())
        return GridRow(
            label_name(name, "name"), (*map(count, counts), *(ratio(number, of, NO_EDIT) for number in counts))
        )

    def summary(name: str, entry_of: Callable[[MeanDeviation], GridEntry]) -> GridRow:
        none = MeanDeviation(None, None, 0)
        entries = [entry_of(whole.edits_by_annotator.get(edit, none)) for edit in names]
        return GridRow(name, (*[words("")] * len(names), *entries), total=True)

    rows = [row(name, marks.edits) for name, marks in first(telling)]
    rows.append(summary("mean over annotators", lambda spread: number(spread.mean, reason=_PROGRAMS)))
    rows.append(summary("deviation", lambda spread: number(spread.deviation, reason=_TOO_FEW)))
    heads = (*map(shorten, names), *(f"{shorten(name)} share" for name in names))
    notes = (f"Mean and deviation are of shares, and leave programs out. {_DEVIATION}", *rest("annotators", telling))
    return Grid("Edits of marks made beforehand, by annotator", heads, tuple(rows), "annotator", notes, "editors")


def split_sheet(record: SplitRecord) -> ReportDocument:
    """The parts of a divided corpus: how many documents each has, and of which kinds."""
    heads = ("share", "documents", "units", "several annotators", "reviewed")
    whole = sum(len(part.documents) for part in record.parts.values())
    rows = tuple(
        GridRow(
            label_name(name, "name"),
            (
                share(len(part.documents) / whole),
                *map(count, (len(part.documents), part.units, part.several_annotators, part.reviewed)),
            ),
        )
        for name, part in record.parts.items()
    )
    parts = Grid("Parts", heads, rows, "part", ("Documents of one unit belong together.",))
    return ReportDocument("", (), (parts, *_values_by_part(record)))


def _values_by_part(record: SplitRecord) -> Iterator[Grid]:
    """How many documents of each part have each value of the field."""
    totals = Counter[str]()
    for part in record.parts.values():
        totals.update(part.values)
    if totals:
        listed = dict(totals.most_common())
        rows = tuple(
            GridRow(
                label_name(value, "value"), tuple(count(part.values.get(value, 0)) for part in record.parts.values())
            )
            for value, _ in first(listed)
        )
        heads = tuple(shorten(name) for name in record.parts)
        more = (
            (f"The first {len(rows)} of {len(listed):,} values; the record has all.",)
            if len(listed) > len(rows)
            else ()
        )
        yield Grid(f"Documents by {shorten(record.field or '')}", heads, rows, "value", more)
