"""One sentence of plain words for each anonymization: what can still be read, who can be found, what is left.

A sentence says no more than was measured: what annotators marked, in these documents, by these attacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from showthrough.core.errors import shorten
from showthrough.core.families import input_types, record_for
from showthrough.data.documents import Document
from showthrough.data.masks import apply_masks
from showthrough.data.reading_form import reading_form
from showthrough.data.references import NOTHING
from showthrough.metrics.matching.entities import LEFT, NEARLY, WAYS
from showthrough.report._people import against_each_other
from showthrough.report.section import sections
from showthrough.report.wording import (
    Clause,
    assumption_words,
    counted_words,
    markers,
    may_leak,
    on_average,
    type_words,
)
from showthrough.run.records import MetricRecord
from showthrough.run.roles import (
    INFORMATION,
    PRECISION,
    RECALL,
    RESIDUAL,
    DocumentCounts,
    choose_metric,
    count_by_kind,
    find_metrics,
    headline,
    in_all,
    leaks,
)
from showthrough.run.run import WITHOUT_TEXT, Run

# These functions say how identifiers can be read in a release: where marked, elsewhere, written otherwise, encoded,
# nearly.

_, _ELSEWHERE, _OTHERWISE, _ENCODED = WAYS
# What follows a number of identifiers.
_HOW: Mapping[str, str] = {
    _ELSEWHERE: "in another place than marked",
    _OTHERWISE: "written in another way",
    _ENCODED: "encoded",
}
_CONTEXT = 3  # words before an identifier that a sentence quotes
_SENTENCE = re.compile(r"[.!?]\s+|[\r\n]+")


def readable_how(run: Run, record: MetricRecord, name: str) -> Iterator[Clause]:
    """Of the identifiers that can be read, those that cannot be where they were marked; and where one stands."""
    columns = run.rows[record.text][name]
    counts = {way: round(in_all(columns.get(f"{LEFT}:{way}", ()))) for way in _HOW}
    ways = [(way, count) for way, count in counts.items() if count]
    for index, (way, count) in enumerate(ways):
        quote = _quote(run, record, name, way)
        yield Clause("", f"{count:,}", f"{' of them' if not index else ''} {_HOW[way]}{quote}", detail=True)


def nearly_readable(run: Run, record: MetricRecord, name: str) -> Iterator[Clause]:
    """What is not counted as readable, and is nearly so."""
    count = round(in_all(run.rows[record.text][name].get(NEARLY, ())))
    if count:
        verb = "is" if count == 1 else "are"
        yield Clause(
            "",
            f"{count:,} more",
            f" {verb} nearly readable: a letter off, a part of it, initials, or a name that is also a word",
        )


def _quote(run: Run, record: MetricRecord, name: str, way: str) -> str:
    """`: "Patient: …" (note-07)`: what stands before an identifier, and never the identifier itself.

    Without the texts the document alone; nothing where no document is known.
    """
    where = DocumentCounts(run.documents, run.rows[record.text][name][f"{LEFT}:{way}"])
    document = next((key for key, _ in where.most(1)), None)
    if document is None:
        return ""
    before = _words_before(run, record, name, way, document)
    quoted = f': "{before} …"' if before else ""
    return f"{quoted} ({shorten(document)})"


def _words_before(run: Run, record: MetricRecord, name: str, way: str, key: str) -> str:
    """The words before the first such place of a document; empty where a run holds no text, or nothing stands there."""
    evidence = run.evidence.get(record.text, {}).get(name, {})
    if run.texts is None or run.provenance.get(WITHOUT_TEXT) or key not in evidence:
        return ""
    locations = [location for location in evidence[key].places if location.how == way and location.end]
    number = next((number for number, candidate in enumerate(run.texts.documents) if candidate.id == key), None)
    if not locations or number is None:
        return ""
    document = run.texts.documents[number]
    text = apply_masks(document.text, run.texts.masks[name][number])
    telling = _telling_words(document)
    for location in locations:
        words = _SENTENCE.split(text[: location.start])[-1].split()[-_CONTEXT:]
        while words and not telling.isdisjoint(reading_form(words[-1]).split()):
            words.pop()
        if words and telling.isdisjoint(reading_form(" ".join(words)).split()):
            return shorten(" ".join(words))
    return ""


def _telling_words(document: Document) -> frozenset[str]:
    """All words that somebody wants masked in a document."""
    marks = (mark for layer in document.annotations for mark in layer.mentions if mark.must_mask)
    return frozenset(word for mark in marks for word in reading_form(document.text[mark.start : mark.end]).split())


_UNITS = {"token": "words", "mention": "places", "entity": "identifiers"}
_KINDS = {"direct": "direct identifiers", "quasi": "indirect identifiers"}
LEAKED = "leaked:"  # how columns begin that count what leaks of a type
_MOSTLY = 0.5  # above this share a type is most of what leaks


def sentence(run: Run, name: str) -> list[Clause]:
    """What a run says about one anonymization: what can be read, who can be found, what is left.

    Clauses for which the run has no number are left out.
    """
    identifiers = [*_readable(run, name), *_quasi(run, name)]
    readable = [*(identifiers or _hidden_clauses(run, name)), *_uneven(run, name), *_residual_clauses(run, name)]
    family_clauses = [clause for section in sections() for clause in section.clauses(run, name)]
    return [
        *readable,
        *_attack_clauses(run, name),
        *family_clauses,
        *_information_clauses(run, name),
        *_precision_clauses(run, name),
    ]


def by_type(run: Run, record: MetricRecord, name: str) -> dict[str, DocumentCounts]:
    """What leaks of each type, by document; the type that leaks most first. Empty where the rows do not tell."""
    columns = run.rows[record.text][name]
    counts_by_type = {
        column.removeprefix(LEAKED): DocumentCounts(run.documents, counts)
        for column, counts in columns.items()
        if column.startswith(LEAKED)
    }
    return dict(sorted(counts_by_type.items(), key=lambda pair: (-pair[1].total, pair[0])))


def _readable(run: Run, name: str) -> Iterator[Clause]:
    record = choose_metric(run, "direct identifiers")
    score = headline(run, name, record)
    if record is None or score is None:  # without a marked direct identifier there is nothing to say
        return
    leaking, marked = leaks(run, record, name), in_all(count_by_kind(run, record, name, "all"))
    by = f" that {markers(run)} marked" if run.corpus.silver else ""
    things = f" direct identifiers{by}"
    released = "release" in record.roles
    having = int((np.asarray(count_by_kind(run, record, name, "all")) > 0).sum())
    if not leaking:
        unseen = may_leak(score)
        where = f"{things} readable {'in the release' if released else 'where they were marked'}"
        where += "" if having == len(run.documents) else f" ({having:,} of {_documents(run)} have any)"
        yield Clause("leaves ", f"none of {marked:,.0f}", where + assumption_words(record))
        if released:
            yield from nearly_readable(run, record, name)
        if unseen:
            yield Clause("", unseen)
        return
    where = f"{things} readable{' in the release' if released else ''}, in {len(leaking):,} of {_documents(run)}"
    all_of_them = released and leaking.total == marked
    every = f"all {marked:,.0f}" if all_of_them else f"{leaking.total:,} of {marked:,.0f}"
    yield Clause("leaves ", every, where + assumption_words(record))
    if released:
        yield from readable_how(run, record, name)
        yield from nearly_readable(run, record, name)
    types = by_type(run, record, name)
    if types:
        most, where_most = next(iter(types.items()))
        share = where_most.total / leaking.total
        if share > _MOSTLY:
            yield Clause("all" if share == 1 else "mostly", f" {type_words(most)}", detail=True)


def _quasi(run: Run, name: str) -> Iterator[Clause]:
    record = choose_metric(run, "quasi-identifiers")
    if record is None or headline(run, name, record) is None:
        return
    leaking, marked = leaks(run, record, name), in_all(count_by_kind(run, record, name, "all"))
    yield Clause("", f"{leaking.total:,} of {marked:,.0f}", " indirect identifiers can be read", aside=True)


def _hidden_clauses(run: Run, name: str) -> Iterator[Clause]:
    """How much of what was marked is hidden, where identifiers were not counted."""
    record = choose_metric(run, RECALL)
    score = headline(run, name, record)
    if record is None or score is None:
        return
    unit, kinds = (str(record.parameters.get(parameter)) for parameter in ("unit", "include"))
    of = f" of the {_UNITS[unit]}" if unit in _UNITS else " of what"
    of += f" of {_KINDS[kinds]}" if unit in _UNITS and kinds in _KINDS else ""
    idle = headline(run, NOTHING, record)
    free = f", {short_percent(idle.value)} with nothing masked" if idle and idle.value else ""
    link = " that" if unit in _UNITS else ""
    yield Clause(
        "hides ", short_percent(score.value or 0.0), f"{of}{link} {markers(run)} marked{free}{assumption_words(record)}"
    )


def _documents(run: Run) -> str:
    return counted_words(len(run.documents), "document")


def _uneven(run: Run, name: str) -> Iterator[Clause]:
    """What is seen to be readable; where none is, nothing is said: that would sound as if all were hidden."""
    record = choose_metric(run, "inconsistency")
    if record is None or headline(run, name, record) is None:
        return
    readable, strings = (round(in_all(count_by_kind(run, record, name, kind))) for kind in ("wrong", "all"))
    if readable:
        yield Clause("leaves ", f"{readable:,} of {strings:,}", " strings readable that it masks elsewhere in the text")


def _residual_clauses(run: Run, name: str) -> Iterator[Clause]:
    """What a detector still finds; where it finds nothing, nothing is said, for the same reason."""
    record = choose_metric(run, RESIDUAL)
    if record is None or headline(run, name, record) is None:
        return
    finds = count_by_kind(run, record, name, "wrong")
    if total := round(in_all(finds)):
        where = f", in {int((np.asarray(finds) > 0).sum()):,} of {_documents(run)}"
        number, noun, looks = left_of_finds(run, record, total).partition(" place")
        yield Clause("leaves ", number, f"{noun}{looks}{where}")


def left_of_finds(run: Run, record: MetricRecord, total: int) -> str:
    """`828 of 830 places that look like an identifier to patterns`, as far as it is known of how many."""
    idle = headline(run, NOTHING, record)
    every = (
        round(in_all(count_by_kind(run, record, NOTHING, "wrong"))) if idle and NOTHING in run.rows[record.text] else 0
    )
    many = f"{total:,} of {counted_words(every, 'place')}" if every >= total else counted_words(total, "place")
    singular = total == 1 and every <= 1
    return f"{many} that look{'s' * singular} like an identifier to {record.parameters.get('detector', record.name)}"


def _attack_clauses(run: Run, name: str) -> Iterator[Clause]:
    scores = [headline(run, name, record) for record in find_metrics(run, "attack")]
    risks = [score.value or 0.0 for score in scores if score]
    if risks:  # what has a number for others and none here may find more, and must not look better for it
        they = "these attacks find" if all(scores) else "the attacks that have a number here find at least"
        yield Clause(f"{they} the person of ", share_of(max(risks), len(run.documents)), " documents", aside=True)


def share_of(share: float, total: int) -> str:
    """`34 of 42`; where ties were counted in parts, `80.9 % of 42`.

    >>> share_of(0.5, 42), share_of(0.505, 42)
    ('21 of 42', '50 % of 42')
    """
    count = share * total
    is_integer = abs(count - round(count)) < 1e-6
    return f"{round(count):,} of {total:,}" if is_integer else f"{short_percent(share)} of {total:,}"


def _information_clauses(run: Run, name: str) -> Iterator[Clause]:
    record = _information(run)
    if record and (score := headline(run, name, record)):
        yield Clause("keeps ", short_percent(score.value or 0.0), f" of the information by {record.name}", aside=True)


def _information(run: Run) -> MetricRecord | None:
    return choose_metric(run, INFORMATION, "words")


def _precision_clauses(run: Run, name: str) -> Iterator[Clause]:
    record = choose_metric(run, PRECISION)
    score = headline(run, name, record)
    if record is None or score is None:
        return
    by_unit = {"token": "the words it masks", "mention": "its masks"}
    masked = by_unit.get(str(record.parameters.get("unit")), "what it masks")
    unmarked = short_percent(1 - (score.value or 0.0))
    yield Clause("", unmarked, f" of {masked} were not marked{on_average(run)}", aside=True)


def caveats(run: Run) -> list[str]:
    """What the sentences of all anonymizations rest on."""
    lines = []
    if choose_metric(run, "inconsistency"):
        lines.append(
            "Uneven masking shows only what is masked somewhere: it does not see an identifier that was missed "
            "everywhere."
        )
    if choose_metric(run, RESIDUAL):
        lines.append("A detector errs both ways: what it finds may be no identifier, and it may miss identifiers.")
    leaking = choose_metric(run, "direct identifiers")
    if leaking or choose_metric(run, PRECISION):
        lines.append(f"“Marked” is what {markers(run)} marked; what they overlooked cannot count as a leak.")
    if leaking and run.several_annotators is not False:
        lines.append(
            f"An identifier that several annotators marked counts once for each of them, as in {leaking.text}."
        )
    lines += against_each_other(run)
    for record in find_metrics(run, "attack"):
        attack_names = f" ({record.parameters['attacks']})" if "attacks" in record.parameters else ""
        attacks = f"The attacks are those of {record.name}{attack_names}{_input_words(run, record)}"
        lines.append(f"{attacks}; other attacks, or an attacker who knows more, may find more.")
    if information := _information(run):
        lines.append(f"Information is measured by {information.text}.")
    return [*lines, *(line for section in sections() for line in section.caveats(run))]


def _input_words(run: Run, record: MetricRecord) -> str:
    """` with the background “web” of 42 individuals`: of the inputs that a metric chooses, what their families say."""
    chosen_inputs = [(kind, record_for(kind.name, run.inputs.get(kind.name, []), record)) for kind in input_types()]
    return "".join(f" with {kind.describe(chosen)}" for kind, chosen in chosen_inputs if chosen)


def short_percent(value: float) -> str:
    """
    >>> short_percent(0.309), short_percent(0.0004), short_percent(0.0)
    ('31 %', '<1 %', '0 %')
    """
    if 0 < value < 0.005:
        return "<1 %"
    if 0.995 < value < 1:
        return ">99 %"
    return f"{value * 100:.0f} %"
