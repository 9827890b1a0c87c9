"""Where anonymizations fail, as a sheet: counts by type, identifier and kind, bars, and cases in their contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from showthrough.core.errors import shorten
from showthrough.data.masks import apply_masks
from showthrough.metrics.matching.entities import NEARLY
from showthrough.report.sheets import (
    Bars,
    Case,
    Cases,
    Grid,
    GridEntry,
    GridRow,
    ReportDocument,
    count,
    missing,
    share,
)
from showthrough.report.sheets.document import Block
from showthrough.report.types_met import type_warnings, types_heat
from showthrough.report.wording import counted_words, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run
from showthrough.studies.cases import ErrorCase, context_of, in_a_line
from showthrough.studies.errors import NOTHING, DocumentSample, ErrorAnalysis, Errors, LeakCounts, LeakTally
from showthrough.studies.failures import MASK_KINDS, MaskKind
from showthrough.studies.leaks import LEAK_KINDS

TITLES: dict[str, str] = {
    "missed": "missed",
    "another": "another mention masked",
    "partly": "partly masked",
    "border": "wrong border",
    "over-masked": "over-masked",
    "no-mask": "over what may stay",
    "spurious": "spurious",
}
_SENTENCE_WORDS = {
    **TITLES,
    "another": "missed while another mention is masked",
    "border": "with a wrong border",
}  # in sentences
_LEAK_TITLES = tuple(TITLES[kind] for kind in LEAK_KINDS)
_MASK_TITLES = tuple(TITLES[kind] for kind in MASK_KINDS)
_LEAK_HEADS = ("to be masked", "leak", "share", *_LEAK_TITLES, "marks that leak")
# How an identifier can be read that is hidden where it was marked.
_HOW = {"elsewhere": "in another place", "otherwise": "written in another way"}
_SENTENCES = 5  # anonymizations of which each has a sentence; of more, the table tells
_OF_EACH_STRING = 3  # places that are shown of a string where not all can be

_LEAK_NOTES = (
    "Missed: all of it can be read, and no other mention of the entity is hidden. Another mention masked: all of it "
    "can be read, but the same annotator's entity is hidden elsewhere. Partly masked: some of it can be read. Wrong "
    "border: some of it can be read, and a mask over it also hides words outside.",
    "A span counts once for a type, even if several annotators marked it. If one of them calls it direct, it counts "
    "as direct; of several kinds, the first of these counts. Marks are counted for each annotator. Words that need "
    "not be masked, and words that replacements repeat, count as in the run's metrics.",
)
_MASK_NOTES = (
    "Over-masked: the mask hides something to be masked and words beside it. Over what may stay: the mask hides only "
    "what annotators marked as not to be masked. Spurious: nobody marked anything there. Masks that overlap count as "
    "one. The type is the annotators', or else the system's.",
)
_OVERLOOKED = "What annotators overlooked cannot count as a leak, and what they forgot to mark counts as needless."
_LEFT_OUT = "left out, since they quote documents: cases in their contexts, and the words of rules"
_ALONE = "every entity has only one mention: the annotations do not say which mentions belong together"
_NO_SPAN = "another annotator calls every such span direct"


def errors_sheet(
    errors: Errors, most: int | None = None, further: Sequence[Block] = (), elsewhere: Sequence[str] = ()
) -> ReportDocument:
    """One anonymization with its cases: all, or some of the most frequent. `further` blocks follow the counts.

    `elsewhere` says what can be read in other places than marked, which no count here covers.
    """
    if not errors.kept.annotated:
        return _unannotated_sheet(errors.kept)
    lead = [_leak_sentence(errors), *elsewhere, _mask_sentence(errors), *_sample_sentences(errors.kept)]
    lead += type_warnings(errors.anonymization, errors.types_met)
    if errors.only:
        lead.append(_chosen_sentence(errors))
    blocks: list[Block] = [_leak_grid(errors), *_bars(errors, "False negatives by type"), *_mask_grid(errors)]
    blocks += types_heat(errors.types_met)
    every = (*blocks, *further, *_case_blocks(errors, most))
    notes = [_metric_note(errors), *_notes(errors)]
    if not (errors.cases or errors.only) and (errors.spans.leaking or _mask_totals(errors)):
        notes.append(_LEFT_OUT)
    return ReportDocument(f"Where {shorten(errors.anonymization)} fails", tuple(lead), every, tuple(notes))


def read_elsewhere(run: Run, names: Sequence[str]) -> Iterator[str]:
    """That more can be read than cases show, which are of the places that annotators marked."""
    for record in _searching(run):
        for name in names:
            rows = run.rows_of(record.text, name)
            ways = [column for column in rows.columns if column.startswith("left:") and column != "left:marked"]
            if number := round(sum(float(rows.column(way).sum()) for way in ways)):
                entities = "1 direct identifier" if number == 1 else f"{number:,} direct identifiers"
                yield (
                    f"{shorten(name)}: {entities} can be read in other places than marked, or written in another way. "
                    "The counts are of marked places alone"
                )


def elsewhere_blocks(run: Run, name: str) -> list[Cases]:
    """Direct identifiers that the search of the release found in other places than marked, in their contexts."""
    texts = run.texts
    cases: dict[tuple[str, str], Case] = {}
    for record in _searching(run) if texts is not None else ():
        evidence = run.evidence.get(record.text, {}).get(name, {})
        for document, masks in zip(texts.documents, texts.masks[name], strict=True) if texts is not None else ():
            released = apply_masks(document.text, masks) if document.id in evidence else ""
            for location in evidence[document.id].places if document.id in evidence else ():
                marked = dict.fromkeys(in_a_line(document.text, *span) for span in location.marked)
                if location.how != NEARLY and location.end > location.start:
                    remark = f"{shorten(location.entity_type)}, direct, {_HOW.get(location.how, location.how)}"
                    remark += f"; marked as {', '.join(f'“{shorten(text)}”' for text in marked)}" if marked else ""
                    case = Case(
                        document.id, location.start, *context_of(released, location.start, location.end), remark
                    )
                    cases.setdefault((document.id, remark), case)
    note = "Offsets are those of the release. A list for `check --accepted` names an identifier as it was marked."
    return [Cases("Direct identifiers readable elsewhere", tuple(cases.values()), (note,))] if cases else []


def _searching(run: Run) -> list[MetricRecord]:
    """The metrics that search the release for direct identifiers."""
    return [record for record in find_metrics(run, "direct identifiers") if "release" in record.roles]


def beside_sheet(analysis: ErrorAnalysis) -> ReportDocument:
    """Several anonymizations beside each other, without cases."""
    every = analysis.anonymizations
    sample = every[0].kept
    if not sample.annotated:
        return _unannotated_sheet(sample)
    lead = [
        *map(_leak_sentence, every if len(every) <= _SENTENCES else ()),
        *(line for errors in every for line in type_warnings(errors.anonymization, errors.types_met)),
        *_sample_sentences(sample),
        "--anonymization NAME shows one of them by type and identifier, with every case in its context.",
    ]
    bars = (
        bar for errors in every for bar in _bars(errors, f"False negatives by type: {shorten(errors.anonymization)}")
    )
    blocks: tuple[Block, ...] = (_leaks_beside(every), _types_beside(every), *bars, _masks_beside(every))
    return ReportDocument("Where the anonymizations fail", tuple(lead), blocks, _notes(every[0]))


def _unannotated_sheet(sample: DocumentSample) -> ReportDocument:
    which = "The document has no" if sample.documents == 1 else f"None of the {sample.documents:,} documents has"
    sentence = f"{which} annotations, so nothing can be called a leak or a needless mask."
    scan = "`showthrough scan` searches the released texts for what still looks like an identifier."
    silver = "`showthrough annotate` marks the corpus by programs (silver marks), for people to correct."
    return ReportDocument("Where the anonymizations fail", (sentence, scan, silver, *_sample_sentences(sample)), ())


def _leak_sentence(errors: Errors) -> str:
    name, spans = shorten(errors.anonymization), errors.spans
    if not spans.total:
        return f"{name}: nothing is marked to be masked, so nothing can leak."
    mentions = f"{counted_words(spans.total, 'mention')} to be masked"
    if not spans.leaking:
        return f"{name} leaves none of {mentions} readable, except words that need not be hidden."
    kinds = ", ".join(f"{spans.kinds[kind]:,} {_SENTENCE_WORDS[kind]}" for kind in LEAK_KINDS if spans.kinds[kind])
    part = percent(spans.leaking / spans.total)
    return f"{name} leaves {spans.leaking:,} of {mentions} readable, at least in part ({part}): {kinds}."


def _mask_sentence(errors: Errors) -> str:
    totals = _mask_totals(errors)
    if not totals:
        return f"Of its {counted_words(errors.masks, 'mask')} none hides words that nobody wants masked."
    kinds = ", ".join(f"{totals[kind]:,} {TITLES[kind]}" for kind in MASK_KINDS if totals[kind])
    needless = sum(totals.values())
    return (
        f"Of its {counted_words(errors.masks, 'mask')}, {needless:,} {'hides' if needless == 1 else 'hide'} words that "
        f"nobody wants masked: {kinds}."
    )


def _chosen_sentence(errors: Errors) -> str:
    """What was asked for chooses cases, and a reader must not take the counts for theirs."""
    filters, number = _describe_filters(errors.only), len(errors.cases)
    if not number:
        return f"No case fits what was asked for: {filters}. Everything else here covers all cases."
    return f"{counted_words(number, 'case')} in context: {filters}. Everything else here covers all cases."


def _sample_sentences(sample: DocumentSample) -> list[str]:
    """Which documents the numbers are of, where these are not all."""
    sentences = []
    if sample.documents < sample.corpus:
        which = f"{sample.documents:,} of {counted_words(sample.corpus, 'document')}"
        risk = f"the {which} in which most can be read" if sample.chosen == "riskiest" else f"the first {which}"
        sentences.append(f"The run keeps {risk}: all counts here are of these only, and do not estimate the others.")
    if 0 < sample.annotated < sample.documents:
        unannotated = counted_words(sample.documents - sample.annotated, "document")
        sentences.append(f"Documents without annotations, which count nowhere: {unannotated}.")
    return sentences


def _notes(errors: Errors) -> tuple[str, ...]:
    """What to know of the counts."""
    notes = [_OVERLOOKED]
    if errors.silver:
        notes.append(f"Programs annotated ({shorten(errors.silver)}): errors are disagreements with them.")
    if errors.trusted:
        notes.append("As in the run's metrics, masks are trusted to hide what they cover: replacements are not read.")
    return tuple(notes)


def _metric_note(errors: Errors) -> str:
    """How the counts come to those of the metric."""
    marks = errors.marks
    sentence = f"For each annotator {marks.leaking:,} of {counted_words(marks.total, 'mark')} leak."
    if not errors.spared:
        return sentence
    total, leaking = marks.total + errors.spared, marks.leaking + errors.spared_leaking
    return (
        f'{sentence} recall(unit="mention") counts {leaking:,} of {total:,}. '
        f"It also counts {errors.spared:,} marked as not to be masked, because other mentions of their entities are to "
        "be masked."
    )


def _leak_entries(errors: Errors, spans: LeakTally, marks: LeakTally) -> tuple[GridEntry, ...]:
    part = spans.leaking / spans.total if spans.total else None
    kinds = {kind: count(spans.kinds[kind]) for kind in LEAK_KINDS}
    if not errors.coreference:
        kinds["another"] = missing(_ALONE)
    sums = count(spans.total), count(spans.leaking), share(part, reason="" if spans.total else _NO_SPAN)
    return *sums, *kinds.values(), count(marks.leaking)


def _leak_grid(errors: Errors) -> Grid:
    rows = [
        GridRow(
            f"{shorten(counts.entity_type)}, {counts.identifier.lower()}",
            _leak_entries(errors, counts.spans, counts.marks),
        )
        for counts in errors.leaks
    ]
    if rows:
        rows.append(GridRow("all", _leak_entries(errors, errors.spans, errors.marks), total=True))
    return Grid("Leaks by type, identifier and kind", _LEAK_HEADS, tuple(rows), "type", _LEAK_NOTES, "leaks")


def _by_type(leaks: Iterable[LeakCounts]) -> dict[str, LeakTally]:
    """Spans by type, in their order."""
    tallies: dict[str, LeakTally] = {}
    for counts in leaks:
        tallies[counts.entity_type] = tallies.get(counts.entity_type, NOTHING) + counts.spans
    return tallies


def _bars(errors: Errors, caption: str) -> list[Bars]:
    """Figure 4; nothing where nothing leaks."""
    rows = [
        (name, tuple(float(tally.kinds[kind]) for kind in LEAK_KINDS))
        for name, tally in _by_type(errors.leaks).items()
        if tally.leaking
    ]
    return [Bars(caption, _LEAK_TITLES, tuple(rows))] if rows else []


def _mask_totals(errors: Errors) -> Counter[MaskKind]:
    totals: Counter[MaskKind] = Counter()
    for counts in errors.needless:
        totals.update(counts.kinds)
    return +totals


def _mask_entries(kinds: Mapping[MaskKind, int]) -> tuple[GridEntry, ...]:
    return *(count(kinds.get(kind, 0)) for kind in MASK_KINDS), count(sum(kinds.values()))


def _mask_grid(errors: Errors) -> list[Grid]:
    """Needless masks by type; nothing where there are none."""
    rows = [GridRow(counts.entity_type, _mask_entries(counts.kinds)) for counts in errors.needless]
    if not rows:
        return []
    rows.append(GridRow("all", _mask_entries(_mask_totals(errors)), total=True))
    return [Grid("Needless masks by type", (*_MASK_TITLES, "all"), tuple(rows), "type", _MASK_NOTES, "needless")]


def _leaks_beside(every: Sequence[Errors]) -> Grid:
    rows = tuple(GridRow(errors.anonymization, _leak_entries(errors, errors.spans, errors.marks)) for errors in every)
    return Grid("Leaks by kind", _LEAK_HEADS, rows, "anonymization", _LEAK_NOTES, "leaks")


def _types_beside(every: Sequence[Errors]) -> Grid:
    by_type = [_by_type(tallies.leaks) for tallies in every]
    together = Counter({name: sum(tallies[name].leaking for tallies in by_type) for name in by_type[0]})
    names = sorted(together, key=lambda name: (-together[name], name))
    rows = tuple(
        GridRow(
            name,
            (
                count(by_type[0][name].total),
                *(share(tallies[name].leaking / tallies[name].total) for tallies in by_type),
            ),
        )
        for name in names
    )
    heads = "to be masked", *(tallies.anonymization for tallies in every)
    return Grid("Share of each type that leaks", heads, rows, "type", (), "leaks-by-type")


def _masks_beside(every: Sequence[Errors]) -> Grid:
    rows = tuple(
        GridRow(errors.anonymization, (count(errors.masks), *_mask_entries(_mask_totals(errors)))) for errors in every
    )
    heads = ("masks", *_MASK_TITLES, "all needless")
    return Grid("Needless masks", heads, rows, "anonymization", _MASK_NOTES, "needless")


def _describe_filters(only: Mapping[str, str]) -> str:
    filters = {**only, "kind": TITLES[only["kind"]]} if "kind" in only else only
    return ", ".join(value.lower() if field == "identifier" else shorten(value) for field, value in filters.items())


def _case_blocks(errors: Errors, most: int | None) -> list[Cases]:
    blocks = []
    which = f": {_describe_filters(errors.only)}" if errors.only else ""
    for caption, kinds in (("Leaks", LEAK_KINDS), ("Needless masks", MASK_KINDS)):
        cases = [case for case in errors.cases if case.kind in kinds]
        chosen = _first(cases, most)
        if not chosen:
            continue
        notes = ["The most frequent strings come first."]
        if len(chosen) < len(cases):
            notes = [f"{len(chosen):,} of {len(cases):,} are shown; --cases N shows more, and files have all of them."]
        blocks.append(Cases(f"{caption} in context{which}", tuple(map(_case, chosen)), tuple(notes)))
    return blocks


def _first(cases: Sequence[ErrorCase], most: int | None) -> Sequence[ErrorCase]:
    """So many at most: a few of each string, and further ones where there is room left."""
    if most is None or len(cases) <= most:
        return cases
    times: Counter[str] = Counter()
    few: list[int] = []
    further: list[int] = []
    for index, case in enumerate(cases):
        times[case.string] += 1
        (few if times[case.string] <= _OF_EACH_STRING else further).append(index)
    return [cases[index] for index in sorted([*few, *further][:most])]


def _case(case: ErrorCase) -> Case:
    often = f"×{case.times:,} in {counted_words(case.documents, 'document')}" if case.times > 1 else ""
    labels = ", ".join(filter(None, (shorten(case.entity_type), case.identifier.lower(), TITLES[case.kind])))
    readable = f"can be read: {case.readable}" if case.readable else ""
    repeated = "the replacement repeats words of it" if case.repeated else ""
    remark = "; ".join(filter(None, (labels, readable, repeated, often)))
    return Case(case.document, case.start, case.before, case.text, case.after, remark)
