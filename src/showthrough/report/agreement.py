"""Agreement of annotators as a sheet: how far they agree, what they take for what, who differs from whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from showthrough.core.errors import join_names, shorten
from showthrough.data.labels import NO_TYPE
from showthrough.report.sheets import Case, Cases, Grid, GridEntry, GridRow, Heat, ReportDocument, count, number, share
from showthrough.report.table import format_score
from showthrough.report.wording import counted_words, percent
from showthrough.run.records import Ceiling
from showthrough.studies.agreement.values import Agreement, Attribute, Confusion, Decisions, Estimate, Unit
from showthrough.studies.description import LONG

RELIED, TENTATIVE = 0.8, 0.667  # Krippendorff's bounds
_UNITS: dict[Unit, str] = {"spans": "spans, exact", "starts": "spans, same start", "characters": "characters"}
_ATTRIBUTES: dict[Attribute, str] = {
    "type": "entity type",
    "identifier": "identifier",
    "confidential": "confidential status",
    "masking": "masking",
}
_TYPES = 12  # that a heat map shows
_CASES = 15
_UNMARKED, _OTHERS = "(none)", "(others)"


def agreement_sheet(agreement: Agreement) -> ReportDocument:
    """What people read of it; where there is nothing to compare, the reason alone."""
    title = f"Agreement of annotators: {shorten(agreement.corpus)}"
    if agreement.reason:
        return ReportDocument(title, (_sentence(agreement.reason),), (), tuple(_programs(agreement)))
    blocks: list[Grid | Heat | Cases] = [_coefficients(agreement)]
    if agreement.people:
        blocks.append(_people(agreement.people))
    if agreement.decisions:
        blocks += [_disputes(agreement.disputes), _decisions(agreement.decisions)]
    blocks += [_heat(confusion) for confusion in agreement.confusions if confusion.meetings]
    blocks += [_pairs(agreement, unit) for unit in ("spans", "characters")]
    if agreement.places:
        blocks.append(_cases(agreement))
    return ReportDocument(title, tuple(_lead(agreement)), tuple(blocks), (*_programs(agreement), *_method(agreement)))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _programs(agreement: Agreement) -> Iterator[str]:
    if agreement.programs:
        yield f"left out, since programs made them: annotations by {join_names(agreement.programs)}"


def _lead(agreement: Agreement) -> Iterator[str]:
    of_all = f"{agreement.shared:,} of {counted_words(agreement.documents, 'document')}"
    yield (
        f"{of_all} {'was' if agreement.shared == 1 else 'were'} read by two or more people, "
        f"{counted_words(agreement.readers, 'annotator')} in all."
    )
    chosen: Attribute = "masking" if agreement.of("masking", "characters").observed.value is not None else "type"
    characters, spans = agreement.of(chosen, "characters"), agreement.of(chosen, "spans")
    if not spans.items:
        yield "Nobody marked anything in them: all agree that there is nothing to mark, so no coefficient is defined."
        return
    subject = (
        "what to mask, and as what (direct, quasi or nothing)" if chosen == "masking" else "what is marked as what"
    )
    raw_agreement = characters.observed
    if raw_agreement.value is not None:
        ends = (
            ""
            if raw_agreement.low is None or raw_agreement.high is None
            else f" ({percent(raw_agreement.low)} to {percent(raw_agreement.high)})"
        )
        yield (
            f"On {subject}, two annotators say the same of {percent(raw_agreement.value)} of the characters{ends}. "
            "Text that nobody marks counts as agreement too, so part of this is chance."
        )
    yield _beyond_chance("Beyond chance, character by character", characters.krippendorff)
    yield _beyond_chance("On whole spans, with the same borders", spans.krippendorff)
    yield f"(The bounds {TENTATIVE} and {RELIED} are Krippendorff's, 2018: a convention, not a proof of quality.)"
    if agreement.long_spans:
        yield (
            f"{counted_words(agreement.long_spans, 'span')} {'has' if agreement.long_spans == 1 else 'have'} more than "
            f"{LONG} characters; {agreement.long_spans_shared:,} of them by two or more annotators."
        )
    else:
        yield f"No span that they marked has more than {LONG} characters."
    if agreement.decisions and agreement.decisions[0].differing:
        worst = agreement.decisions[0]
        yield (
            f"{shorten(_type(worst.entity_type))} has the most differences in what to mask: {worst.differing:,} of its "
            f"{counted_words(worst.compared, 'comparison')} of two annotators on a span."
        )


def _beyond_chance(where: str, alpha: Estimate) -> str:
    """A coefficient with its interval, and what the usual bounds say of both."""
    if alpha.value is None:
        return f"{where} there is no coefficient: {alpha.reason}."
    ends = "" if alpha.low is None or alpha.high is None else f" ({alpha.low:.3f} to {alpha.high:.3f})"
    statement = f"{where}, Krippendorff's α is {format_score(alpha.value)}{ends}:"
    if alpha.value < TENTATIVE:
        above = alpha.high is not None and alpha.high >= TENTATIVE
        unsure = ", though the interval reaches above that" if above else f"; but {alpha.note}" if alpha.note else ""
        return f"{statement} below {TENTATIVE}, usually too little to draw conclusions from{unsure}."
    bound = RELIED if alpha.value >= RELIED else TENTATIVE
    meaning = "annotations are usually relied on" if alpha.value >= RELIED else "conclusions are usually tentative"
    statement = f"{statement} at least {bound}, where {meaning}"
    if alpha.low is None:
        return f"{statement}; but {alpha.note}."
    return (
        f"{statement}." if alpha.low >= bound else f"{statement}, but the interval reaches below that: it is not sure."
    )


def _entry(estimate: Estimate) -> GridEntry:
    return number(estimate.value, estimate.low, estimate.high, reason=estimate.reason)


def _without_interval(estimates: Iterable[tuple[str, Estimate]]) -> tuple[str, ...]:
    """Why numbers have no interval, each reason once."""
    notes: dict[str, list[str]] = {}
    for name, estimate in estimates:
        if estimate.note:
            notes.setdefault(estimate.note, []).append(name)
    return tuple(f"no interval for {join_names(dict.fromkeys(names))}: {note}" for note, names in notes.items())


def _coefficients(agreement: Agreement) -> Grid:
    rows, named_estimates = [], []
    for coefficients in agreement.measured:
        numbers = (coefficients.observed, coefficients.fleiss, coefficients.krippendorff)
        name = f"{_UNITS[coefficients.unit]}: {_ATTRIBUTES[coefficients.attribute]}"
        rows.append(GridRow(name, (count(coefficients.items), *map(_entry, numbers))))
        named_estimates += [(name, estimate) for estimate in numbers]
    heads = ("items", "observed", "Fleiss' κ", "Krippendorff's α")
    notes = (
        "identifier: direct, quasi, no mask or not marked; masking: direct, quasi or none (no mask or not marked)",
        "items: spans that at least one annotator marked, their starts, or all characters",
        *_without_interval(named_estimates),
    )
    return Grid("How far all annotators agree", heads, tuple(rows), "on", notes, "agreement")


def _people(people: Ceiling) -> Grid:
    metrics = list(people.people)
    rows = [("all together", people.people, True), *((name, by, False) for name, by in people.annotators.items())]
    cells = []
    for name, by, total in rows:
        humans = [by[metric] for metric in metrics]
        entries = [
            share(
                human_score.value,
                human_score.low,
                human_score.high,
                reason="" if human_score.value is not None else human_score.reason,
            )
            for human_score in humans
        ]
        cells.append(GridRow(name, (count(max(human_score.documents for human_score in humans)), *entries), total))
    unlisted = people.readers - len(people.annotators)
    more = (
        (f"{unlisted} more annotators, who share fewer documents, count only in the first row",) if unlisted > 0 else ()
    )
    notes = ("compare what a system reaches with what people reach", *more)
    caption = "Annotators as systems, each against the others"
    return Grid(caption, ("documents", *metrics), tuple(cells), "annotator", notes, "people")


def _disputes(disputes: tuple[Decisions, ...]) -> Grid:
    """Each span once."""
    notes = (
        "spans: those that at least one annotator marked, each once, by the strongest and the weakest decision of all",
        "none: no mask, or not marked; differing: the share of spans with different decisions",
    )
    return _decision_grid("Disagreements on masking by type, each span once", disputes, "spans", notes, "disputes")


def _decisions(decisions: tuple[Decisions, ...]) -> Grid:
    """Each pair of annotators."""
    notes = (
        "compared: pairs of annotators and exact spans that at least one of the two marked; differing: their share",
        "none: the other said no mask or did not mark that span; not marked: how often the latter",
        "borders: one did not mark that span, but something that overlaps it",
    )
    return _decision_grid(
        "Disagreements on masking by type, each pair of annotators", decisions, "compared", notes, "disagreements"
    )


def _decision_grid(
    caption: str, decisions: tuple[Decisions, ...], unit: str, notes: tuple[str, ...], label: str
) -> Grid:
    sums: Counter[str] = Counter()
    fields = ("compared", "direct_quasi", "direct_none", "quasi_none", "unmarked", "other_borders", "differing")
    rows = []
    for decision in decisions:
        values = {name: getattr(decision, name) for name in fields}
        sums.update(values)
        rows.append(_decision_row(_type(decision.entity_type), values))
    rows.append(_decision_row("all", sums, total=True))
    heads = (unit, "direct/quasi", "direct/none", "quasi/none", "not marked", "borders", "differing")
    return Grid(caption, heads, tuple(rows), "type", notes, label)


def _decision_row(name: str, values: Mapping[str, int], *, total: bool = False) -> GridRow:
    counts = [count(number) for field, number in values.items() if field != "differing"]
    return GridRow(name, (*counts, share(values["differing"] / values["compared"])), total)


def _type(name: str | None) -> str:
    return _UNMARKED if name is None else name or NO_TYPE


def _heat(confusion: Confusion) -> Heat:
    """Types that meet most often; the rest of them together."""
    sizes: Counter[str | None] = Counter()
    for meeting in confusion.meetings:
        for entity_type in {meeting.first, meeting.second}:
            sizes[entity_type] += meeting.count  # type: ignore[assignment]
    most = sorted(
        filter(lambda entity_type: entity_type is not None, sizes),
        key=lambda entity_type: (-sizes[entity_type], entity_type or ""),
    )
    indexes = {entity_type: index for index, entity_type in enumerate(most[:_TYPES])}
    names = [_type(entity_type) for entity_type in indexes] + [_OTHERS] * (len(most) > _TYPES) + [_UNMARKED]
    values = [[0.0] * len(names) for _ in names]
    for meeting in confusion.meetings:
        low, high = (
            _index_of_type(entity_type, indexes, len(names)) for entity_type in (meeting.first, meeting.second)
        )
        values[low][high] += meeting.count
        if low != high:
            values[high][low] += meeting.count
    caption = f"Types taken for each other ({_UNITS[confusion.unit]})"
    notes = [f"pairs of annotators, in either order; {_UNMARKED}: not marked, by one of the two"]
    if _OTHERS in names:
        notes.append(f"{_OTHERS}: {len(most) - _TYPES} less frequent types; --json FILE writes all of them")
    return Heat(caption, tuple(names), tuple(names), tuple(map(tuple, values)), notes=tuple(notes))


def _index_of_type(entity_type: str | None, indexes: dict[str | None, int], size: int) -> int:
    return size - 1 if entity_type is None else indexes.get(entity_type, size - 2)


def _pairs(agreement: Agreement, unit: Unit) -> Grid:
    rows, named_estimates = [], []
    for pair in agreement.pairs:
        measured = {coefficients.attribute: coefficients for coefficients in pair.measured if coefficients.unit == unit}
        name = f"{pair.first} – {pair.second}"
        observed = measured["masking"].observed
        numbers = [observed, *(measured[attribute].cohen for attribute in _ATTRIBUTES)]
        rows.append(GridRow(name, (count(pair.documents), *map(_entry, numbers))))
        named_estimates += [(name, estimate) for estimate in numbers]
    notes = [*_without_interval(named_estimates)]
    if agreement.other_pairs:
        notes.append(
            f"{counted_words(agreement.other_pairs, 'more pair')} of annotators, who share fewer documents, left out"
        )
    heads = ("documents", "observed, masking", "κ type", "κ identifier", "κ status", "κ masking")
    caption = f"Each two annotators: Cohen's κ ({_UNITS[unit]})"
    return Grid(caption, heads, tuple(rows), "annotators", tuple(notes), f"pairs-{unit}")


def _cases(agreement: Agreement) -> Cases:
    cases = []
    for disagreement in agreement.places[:_CASES]:
        answers = ", ".join(f"{answer} {number}" for answer, number in disagreement.said.items())
        more = f"; {disagreement.places:,} places of this string" if disagreement.places > 1 else ""
        cases.append(
            Case(
                disagreement.document,
                disagreement.start,
                disagreement.before,
                disagreement.here,
                disagreement.after,
                f"{answers}{more}",
            )
        )
    notes = ["each string once, with the first place of it"]
    if len(agreement.places) > _CASES:
        notes.append(f"--json FILE writes the first {len(agreement.places)}")
    if agreement.places_forgotten:
        notes.append("there were too many strings to count all places: some may have more than shown")
    return Cases("Where annotators differ most in what to mask", tuple(cases), tuple(notes))


def _method(agreement: Agreement) -> Iterator[str]:
    if agreement.resamples:
        yield (
            f"intervals: {agreement.confidence * 100:g} %, over documents, {agreement.resamples:,} resamples, "
            f"seed {agreement.seed}; definitions: docs/agreement.md"
        )
