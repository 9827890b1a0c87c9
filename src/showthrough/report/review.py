"""What a review found, laid out for readers."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import islice

from showthrough.core.errors import printable, shorten
from showthrough.report.html.sources import policy
from showthrough.report.sheets import Case, Cases, Grid, GridRow, ReportDocument, count, number, share
from showthrough.report.wording import counted_words, percent
from showthrough.studies.review.adjudication import Adjudication, Dispute
from showthrough.studies.review.copies import Style
from showthrough.studies.review.folder import ReviewCopies
from showthrough.studies.review.outcome import ReviewOutcome

_KINDS = {
    "missing": "missing, now marked",
    "border": "borders corrected",
    "type": "types corrected",
    "masking": "masking decisions corrected",
    "confidential": "categories corrected",
    "entity": "entities corrected",
    "spurious": "marks removed",
}
PAGE_FILE = "review.html"
MOST = 200  # documents: a browser has to lay all of them out
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
nav ol { columns: 14rem; padding-left: 1.5rem; overflow-wrap: anywhere; }
article { border-top: 1px solid; margin-top: 2.5rem; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
p.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
mark { background: CanvasText; color: Canvas; border-radius: 2px; padding: 0 .3em; unicode-bidi: isolate; }
u { text-decoration-thickness: 2px; text-underline-offset: 3px; }
small { font-size: .75em; font-weight: 600; border: 1px solid; border-radius: 2px; padding: 0 .25em; }
"""
# Elements cannot cross as marks may: where they do, the end of one names it.
_MARKUP = Style(
    escape,
    lambda written: f"<mark>{escape(written)}</mark>",
    lambda label: f"<u><small>{escape(label)}</small> ",
    lambda label: f"</u>{f'<small>{escape(label)} ends</small>' if label else ''}",
)


def review_sheet(outcome: ReviewOutcome) -> ReportDocument:
    """How many documents were looked through, in how many a reader could tell who it is, and the corrections."""
    blocks: list[Grid | Cases] = [_recognition_grid(outcome), *_readers(outcome), _corrections_grid(outcome)]
    if outcome.disagreements:
        cases = tuple(
            Case(
                disagreement.document,
                disagreement.start or 0,
                disagreement.before,
                disagreement.words,
                disagreement.after,
                disagreement.note,
            )
            for disagreement in outcome.disagreements
        )
        blocks.append(Cases("Disagreements to discuss; nothing was changed", cases))
    return ReportDocument(
        f"Review of {shorten(outcome.annotator)}", tuple(_lead(outcome)), tuple(blocks), tuple(_notes(outcome))
    )


def _lead(outcome: ReviewOutcome) -> Iterator[str]:
    of = f"{outcome.reviewed:,} of {counted_words(outcome.documents, 'document')} by {shorten(outcome.annotator)}"
    yield f"{of} {'was' if outcome.reviewed == 1 else 'were'} looked through and confirmed."
    if outcome.low is None or outcome.high is None:  # nothing was looked through
        return
    sentence = f"In {outcome.told:,} of {outcome.reviewed:,} a reader could still say whom it is about"
    ends = f"{percent(outcome.low)} to {percent(outcome.high)}"
    between = f"{ends} of documents and readers like these, exact at {outcome.confidence * 100:.0f} %"
    unsure = f"; in {outcome.unsure:,} more a reader was unsure" if outcome.unsure else ""
    yield f"{sentence} ({between}){unsure}."
    changed, left = sum(outcome.applied.values()), len(outcome.disagreements)
    yield f"{counted_words(changed, 'correction')} made, {counted_words(left, 'disagreement')} left."


def _recognition_grid(outcome: ReviewOutcome) -> Grid:
    none = "no document is confirmed"
    whole = outcome.reviewed
    entry = share(outcome.share, outcome.low, outcome.high, reason=none)
    unsure = share(outcome.unsure / whole if whole else None, reason=none)
    rows = (
        GridRow("a reader could tell", (count(outcome.told), entry)),
        GridRow("unsure", (count(outcome.unsure), unsure)),
    )
    return Grid("Who it is about", ("documents", "share"), rows)


def _readers(outcome: ReviewOutcome) -> Iterator[Grid]:
    """Each two readers of the same documents; nothing where no two are."""
    rows, notes = [], {}
    for pair in outcome.readers:
        kappa = number(pair.cohen.value, pair.cohen.low, pair.cohen.high, reason=pair.cohen.reason)
        names = f"{pair.first} – {pair.second}"
        rows.append(GridRow(names, (count(pair.documents), count(pair.alike), kappa)))
        if pair.cohen.note:
            notes[f"no interval for {shorten(names)}: {pair.cohen.note}"] = True
    if rows:
        heads = ("documents", "answered alike", "Cohen's κ")
        meaning = "κ: agreement on yes, no and unsure beyond chance, over the documents that both confirmed"
        yield Grid("Each two readers", heads, tuple(rows), "readers", (meaning, *notes))


def _corrections_grid(outcome: ReviewOutcome) -> Grid:
    rows = [GridRow(_KINDS[kind], (count(marks),)) for kind, marks in outcome.applied.items()]
    rows.append(GridRow("all", (count(sum(outcome.applied.values())),), total=True))
    return Grid("Corrections", ("marks",), tuple(rows))


def _notes(outcome: ReviewOutcome) -> Iterator[str]:
    if outcome.read_twice:
        sentence = (
            f"{outcome.answered_alike:,} of {counted_words(outcome.read_twice, 'document')} that several people read"
        )
        were = "was" if outcome.read_twice == 1 else "were"
        yield f"{sentence} {were} answered alike; one reader who recognises the person is enough."


def review_page(copies: ReviewCopies) -> str:
    """The copies of the first documents, to read in a browser."""
    annotator = escape(printable(copies.assignment.annotator))
    documents = len(copies.assignment.numbers)
    more = (
        f"<p>The first {MOST} of {documents} documents; the folder copies has all of them.</p>"
        if documents > MOST
        else ""
    )
    names, articles = [], []
    for index, (name, text) in enumerate(islice(copies.pieces(_MARKUP), MOST), 1):
        title = escape(printable(name))
        names.append(f'<li><a href="#d{index}">{title}</a></li>')
        articles.append(
            f'<article id="d{index}"><h2>{index}. {title}</h2>\n<p class="text" dir="auto">{text}</p></article>'
        )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(_STYLE)}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Copies for review: {annotator}</title>\n<style>{_STYLE}</style></head>\n<body><main>\n"
        f"<h1>Copies for review: {annotator}</h1>\n"
        "<p>Bars hide what is to be masked. Confidential words that are not masked are underlined, after their "
        "category. Write answers into sheet.csv and findings into findings.csv; questions.md says how.</p>\n"
        f"{more}<nav><ol>{''.join(names)}</ol></nav>\n{chr(10).join(articles)}\n</main></body></html>\n"
    )


def adjudication_sheet(outcome: Adjudication, most: int | None = None) -> ReportDocument:
    """On how many places annotators differ, on what, what became of it, and each such place, or so many of them."""
    disputed = outcome.places - outcome.agreed
    lead = [
        f"{counted_words(len(outcome.annotators), 'annotator')}, {counted_words(outcome.shared, 'document')} of "
        f"{outcome.documents:,} with two or more of them.",
        f"{outcome.agreed:,} of {counted_words(outcome.places, 'marked place')} are marked alike by all. "
        f"Of the {disputed:,} others, people decided {outcome.decided:,}, and rules {disputed - outcome.decided:,}.",
    ]
    none = "nobody differs"
    kinds = tuple(
        GridRow(kind, (count(times), share(times / disputed if disputed else None, reason=none)))
        for kind, times in outcome.kinds.items()
    )
    followed = tuple(
        GridRow(shorten(name), (count(times), share(times / disputed if disputed else None, reason=none)))
        for name, times in outcome.followed.items()
    )
    rules = {"all others" if outcome.rules_by_type else "all": outcome.rule}
    blocks: list[Grid | Cases] = [
        Grid("What annotators differ on", ("places", "share"), kinds),
        Grid("Whose marks hold where they differ", ("places", "share"), followed, "annotator"),
    ]
    notes = [f"Rule: {'; '.join(f'{kind}: {rule}' for kind, rule in (outcome.rules_by_type | rules).items())}."]
    if outcome.disputes:
        more = most is not None and len(outcome.disputes) > most
        left_out = (f"The first {most} of {len(outcome.disputes):,}; --sheet and --html have all.",) if more else ()
        blocks.append(Cases("Where annotators differ", tuple(map(_dispute, outcome.disputes[:most])), left_out))
    return ReportDocument("Adjudication", tuple(lead), tuple(blocks), tuple(notes))


def _dispute(dispute: Dispute) -> Case:
    readings = [f"{shorten(name)}: {reading}" for name, reading in dispute.readings.items()]
    became = f"decided: {dispute.decision}" if dispute.decision else f"by rule: {dispute.by_rule}"
    remark = "; ".join([*readings, became, *([dispute.note] if dispute.note else [])])
    return Case(dispute.document, dispute.start, dispute.before, dispute.words, dispute.after, remark)
