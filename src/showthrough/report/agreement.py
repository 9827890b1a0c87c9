"""Agreement of annotators as a sheet: how far they agree, what they take for what, who differs from whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from showthrough.analysis.agreement.values import (
    Agreement,
    Attribute,
    Confusion,
    Decisions,
    Estimate,
    Unit,
)
from showthrough.data.labels import NO_TYPE
from showthrough.errors import shown, some
from showthrough.report.sheets import Case, Cases, Entry, Grid, Heat, Row, Sheet, count, number, share
from showthrough.report.table import rounded
from showthrough.report.wording import counted_words, percent
from showthrough.run.records import Ceiling

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


def agreement_sheet(found: Agreement) -> Sheet:
    """What people read of it; where there is nothing to compare, the reason alone."""
    title = f"Agreement of annotators: {shown(found.corpus)}"
    if found.reason:
        return Sheet(title, (_sentence(found.reason),), (), tuple(_programs(found)))
    blocks: list[Grid | Heat | Cases] = [_coefficients(found)]
    if found.people:
        blocks.append(_people(found.people))
    if found.decisions:
        blocks.append(_decisions(found.decisions))
    blocks += [_heat(one) for one in found.confusions if one.meetings]
    blocks += [_pairs(found, unit) for unit in ("spans", "characters")]
    if found.places:
        blocks.append(_cases(found))
    return Sheet(title, tuple(_lead(found)), tuple(blocks), (*_programs(found), *_method(found)))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _programs(found: Agreement) -> Iterator[str]:
    if found.programs:
        yield f"left out, since no person made them: annotations by {some(found.programs)}"


def _lead(found: Agreement) -> Iterator[str]:
    of_all = f"{found.shared:,} of {counted_words(found.documents, 'document')}"
    yield (
        f"{of_all} {'was' if found.shared == 1 else 'were'} read by two or more people, "
        f"{counted_words(found.readers, 'annotator')} in all."
    )
    chosen: Attribute = "masking" if found.of("masking", "characters").observed.value is not None else "type"
    characters, spans = found.of(chosen, "characters"), found.of(chosen, "spans")
    if not spans.items:
        yield "Nobody marked anything in them: all agree that there is nothing, and no coefficient is defined."
        return
    what = "what to mask, and as what (direct, quasi or nothing)" if chosen == "masking" else "what is marked as what"
    seen = characters.observed
    if seen.value is not None:
        ends = "" if seen.low is None or seen.high is None else f" ({percent(seen.low)} to {percent(seen.high)})"
        yield (
            f"On {what}, two annotators say the same of {percent(seen.value)} of the characters{ends}. "
            "What nobody marks is agreed on too, so part of this is chance."
        )
    yield _beyond_chance("Beyond chance, character by character", characters.krippendorff)
    yield _beyond_chance("On whole spans, with the same borders", spans.krippendorff)
    yield f"(The bounds {TENTATIVE} and {RELIED} are Krippendorff's, 2018: a convention, and no proof of quality.)"
    if found.decisions and found.decisions[0].differing:
        worst = found.decisions[0]
        yield (
            f"{shown(_type(worst.entity_type))} has the most differences in what to mask: {worst.differing:,} of its "
            f"{counted_words(worst.compared, 'comparison')} of two annotators on a span."
        )


def _beyond_chance(where: str, alpha: Estimate) -> str:
    """A coefficient with its interval, and what the usual bounds say of both."""
    if alpha.value is None:
        return f"{where} there is no coefficient: {alpha.reason}."
    ends = "" if alpha.low is None or alpha.high is None else f" ({alpha.low:.3f} to {alpha.high:.3f})"
    said = f"{where}, Krippendorff's α is {rounded(alpha.value)}{ends}:"
    if alpha.value < TENTATIVE:
        above = alpha.high is not None and alpha.high >= TENTATIVE
        unsure = ", though the interval reaches above that" if above else f"; but {alpha.note}" if alpha.note else ""
        return f"{said} below {TENTATIVE}, usually too little to draw conclusions from{unsure}."
    bound = RELIED if alpha.value >= RELIED else TENTATIVE
    meaning = "annotations are usually relied on" if alpha.value >= RELIED else "conclusions are usually tentative"
    said = f"{said} at least {bound}, where {meaning}"
    if alpha.low is None:
        return f"{said}; but {alpha.note}."
    return f"{said}." if alpha.low >= bound else f"{said}, but the interval reaches below that: it is not sure."


def _entry(one: Estimate) -> Entry:
    return number(one.value, one.low, one.high, reason=one.reason)


def _without_interval(named: Iterable[tuple[str, Estimate]]) -> tuple[str, ...]:
    """Why numbers have no interval, each reason once."""
    notes: dict[str, list[str]] = {}
    for name, one in named:
        if one.note:
            notes.setdefault(one.note, []).append(name)
    return tuple(f"no interval for {some(dict.fromkeys(names))}: {note}" for note, names in notes.items())


def _coefficients(found: Agreement) -> Grid:
    rows, named = [], []
    for one in found.measured:
        numbers = (one.observed, one.fleiss, one.krippendorff)
        name = f"{_UNITS[one.unit]}: {_ATTRIBUTES[one.attribute]}"
        rows.append(Row(name, (count(one.items), *map(_entry, numbers))))
        named += [(name, each) for each in numbers]
    heads = ("items", "observed", "Fleiss' κ", "Krippendorff's α")
    notes = (
        "identifier: direct, quasi, no mask or not marked; masking: direct, quasi or none (no mask, or not marked)",
        "items: spans that at least one annotator marked, their starts, or all characters",
        *_without_interval(named),
    )
    return Grid("How far all annotators agree", heads, tuple(rows), "on", notes, "agreement")


def _people(people: Ceiling) -> Grid:
    metrics = list(people.people)
    rows = [("all together", people.people, True), *((name, by, False) for name, by in people.annotators.items())]
    cells = []
    for name, by, total in rows:
        humans = [by[metric] for metric in metrics]
        entries = [
            share(one.value, one.low, one.high, reason="" if one.value is not None else one.reason) for one in humans
        ]
        cells.append(Row(name, (count(max(one.documents for one in humans)), *entries), total))
    left = people.readers - len(people.annotators)
    more = (f"{left} more annotators, who share fewer documents, count in the first row alone",) if left > 0 else ()
    notes = ("what a system reaches should be read against what people reach", *more)
    caption = "Annotators as systems, each against the others"
    return Grid(caption, ("documents", *metrics), tuple(cells), "annotator", notes, "people")


def _decisions(decisions: tuple[Decisions, ...]) -> Grid:
    sums: Counter[str] = Counter()
    fields = ("compared", "direct_quasi", "direct_none", "quasi_none", "unmarked", "other_borders", "differing")
    rows = []
    for one in decisions:
        values = {name: getattr(one, name) for name in fields}
        sums.update(values)
        rows.append(_decision_row(_type(one.entity_type), values))
    rows.append(_decision_row("all", sums, total=True))
    heads = ("compared", "direct/quasi", "direct/none", "quasi/none", "not marked", "borders", "differing")
    notes = (
        "compared: pairs of annotators and exact spans that at least one of the two marked; differing: their share",
        "none: the other said no mask or did not mark that span; not marked: how often the latter",
        "borders: one did not mark that span, but something that overlaps it",
    )
    return Grid("Disagreements on masking by type", heads, tuple(rows), "type", notes, "disagreements")


def _decision_row(name: str, values: Mapping[str, int], *, total: bool = False) -> Row:
    counts = [count(many) for field, many in values.items() if field != "differing"]
    return Row(name, (*counts, share(values["differing"] / values["compared"])), total)


def _type(name: str | None) -> str:
    return _UNMARKED if name is None else name or NO_TYPE


def _heat(confusion: Confusion) -> Heat:
    """Types that meet most often; the rest of them together."""
    sizes: Counter[str | None] = Counter()
    for one in confusion.meetings:
        for kind in {one.first, one.second}:
            sizes[kind] += one.count  # type: ignore[assignment]
    most = sorted(filter(lambda kind: kind is not None, sizes), key=lambda kind: (-sizes[kind], kind or ""))
    kept = {kind: place for place, kind in enumerate(most[:_TYPES])}
    names = [_type(kind) for kind in kept] + [_OTHERS] * (len(most) > _TYPES) + [_UNMARKED]
    values = [[0.0] * len(names) for _ in names]
    for one in confusion.meetings:
        low, high = (_place_of(kind, kept, len(names)) for kind in (one.first, one.second))
        values[low][high] += one.count
        if low != high:
            values[high][low] += one.count
    caption = f"Types taken for each other ({_UNITS[confusion.unit]})"
    notes = [f"pairs of annotators, whichever of the two said which; {_UNMARKED}: not marked, by one of the two"]
    if _OTHERS in names:
        notes.append(f"{_OTHERS}: {len(most) - _TYPES} that are met less often; --json FILE writes all of them")
    return Heat(caption, tuple(names), tuple(names), tuple(map(tuple, values)), notes=tuple(notes))


def _place_of(kind: str | None, kept: dict[str | None, int], size: int) -> int:
    return size - 1 if kind is None else kept.get(kind, size - 2)


def _pairs(found: Agreement, unit: Unit) -> Grid:
    rows, named = [], []
    for pair in found.pairs:
        measured = {one.attribute: one for one in pair.measured if one.unit == unit}
        name = f"{pair.first} – {pair.second}"
        observed = measured["masking"].observed
        numbers = [observed, *(measured[attribute].cohen for attribute in _ATTRIBUTES)]
        rows.append(Row(name, (count(pair.documents), *map(_entry, numbers))))
        named += [(name, each) for each in numbers]
    notes = [*_without_interval(named)]
    if found.other_pairs:
        notes.append(
            f"{counted_words(found.other_pairs, 'more pair')} of annotators, who share fewer documents, left out"
        )
    heads = ("documents", "observed, masking", "κ type", "κ identifier", "κ status", "κ masking")
    caption = f"Each two annotators: Cohen's κ ({_UNITS[unit]})"
    return Grid(caption, heads, tuple(rows), "annotators", tuple(notes), f"pairs-{unit}")


def _cases(found: Agreement) -> Cases:
    cases = []
    for one in found.places[:_CASES]:
        said = ", ".join(f"{what} {many}" for what, many in one.said.items())
        more = f"; {one.places:,} places of this string" if one.places > 1 else ""
        cases.append(Case(one.document, one.start, one.before, one.here, one.after, f"{said}{more}"))
    notes = ["each string once, with the first place of it"]
    if len(found.places) > _CASES:
        notes.append(f"--json FILE writes the first {len(found.places)}")
    if found.places_forgotten:
        notes.append("there were too many strings to remember all of them: some may have more places than is said")
    return Cases("Where annotators differ most in what to mask", tuple(cases), tuple(notes))


def _method(found: Agreement) -> Iterator[str]:
    if found.resamples:
        yield (
            f"intervals: {found.confidence * 100:g} %, over documents, {found.resamples:,} resamples, "
            f"seed {found.seed}; definitions: docs/agreement.md"
        )
