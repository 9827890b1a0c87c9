"""Words that sentences about a run share. None says more than what was marked in the documents at hand, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from showthrough.core.errors import PlanError, ResourceError, shorten
from showthrough.data.types import kind_of
from showthrough.metrics import METRICS, metric_text
from showthrough.metrics.language import in_language
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.report.table import format_score
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import DocumentCounts
from showthrough.run.run import Run

_NAMED = 3  # documents that a line names
# What the broad types of corpora are called; a finer one goes by its own name.
_TYPES = {
    "PERSON": "names", "CODE": "codes such as case numbers", "CONTACT": "contact details", "LOCATION": "places",
    "ORGANIZATION": "organizations", "DATETIME": "dates", "DEM": "descriptions of people", "QUANTITY": "quantities",
    "MISC": "other details", "OTHER": "other details",
}  # fmt: skip


class Clause(msgspec.Struct, frozen=True):
    """A piece of a sentence whose middle is what counts."""

    before: str
    number: str
    after: str = ""
    aside: bool = False  # whether a first look can do without it
    detail: bool = False  # whether it says more of the clause before it, which a few lines can do without

    def __str__(self) -> str:
        return f"{self.before}{self.number}{self.after}"


def markers(run: Run) -> str:
    """Who marked what sentences are about: programs are no people."""
    if not run.corpus.silver:
        return "annotators"
    return "programs and annotators" if run.corpus.silver.endswith(" and others") else "programs"


def training_warnings(run: Run, names: Sequence[str]) -> list[str]:
    """Whose numbers are too good: what a model makes of documents that it has learned from says little about others."""
    seen = ((name, run.trained_on(name)) for name in names)
    return [
        f"{name} was trained on {count:,} of these {len(run.documents):,} documents" for name, count in seen if count
    ]


def may_leak(score: Score | None) -> str:
    """What a spotless score leaves open: an interval that starts at 0.931 says that 7 % may leak all the same."""
    if score is None or score.value != 1:
        return ""
    return f"up to {score.unseen * 100:.0f} % may still leak" if score.unseen else "more may leak than was seen"


def list_documents(leaking: DocumentCounts) -> str:
    """`clinic-03 (9), clinic-12 (6), clinic-10 (4) and 33 more`: the documents to look at first."""
    more = f" and {len(leaking) - _NAMED:,} more" if len(leaking) > _NAMED else ""
    return ", ".join(f"{shorten(document)} ({count})" for document, count in leaking.most(_NAMED)) + more


def type_words(entity_type: str) -> str:
    """
    >>> type_words("CODE"), type_words("PER"), type_words("PHONE"), type_words("")
    ('codes such as case numbers (CODE)', 'names (PER)', 'PHONE', 'mentions without a type')
    """
    words = _TYPES.get(kind_of(entity_type) or "")
    return f"{words} ({shorten(entity_type)})" if words else shorten(entity_type) or "mentions without a type"


def counted_words(count: float, noun: str) -> str:
    """
    >>> counted_words(1, "document"), counted_words(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{count:,.0f} {noun}{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """
    >>> percent(0.3094), percent(0.9999), percent(1.0)
    ('30.9 %', '99.99 %', '100.0 %')
    """
    digits = len(format_score(share).partition(".")[2])  # more of them where it would look like all or nothing
    return f"{share * 100:.{max(1, digits - 2)}f} %"


def percent_end(share: float) -> str:
    """The end of an interval: nobody needs more digits of it than one.

    >>> percent_end(0.0000021), percent_end(0.0), percent_end(0.023), percent_end(0.9996)
    ('under 0.1 %', '0.0 %', '2.3 %', 'over 99.9 %')
    """
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return "over 99.9 %" if 0.9995 < share < 1 else f"{share * 100:.1f} %"


def assumption_words(record: MetricRecord) -> str:
    """What a number takes on trust."""
    faith = []
    if record.parameters.get("replacements") == "trusted":
        faith.append("replacements were not read")
    if record.parameters.get("function_word_mentions") == "free":
        faith.append("names made of function words did not count")
    return f" ({'; '.join(faith)})" if faith else ""


def on_average(run: Run) -> str:
    """What a share of several annotators' marks is."""
    return "" if run.several_annotators is False else ", on average over annotators"


def join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def short_names(run: Run) -> dict[str, str]:
    """`removed_di(function_words="lexicon-es.1")` to `removed_di`, where no other metric of the run has that name."""
    names = [record.name for record in run.metrics]
    return {
        record.text: record.name
        for record in run.metrics
        if record.text != record.name and names.count(record.name) == 1 and _is_of_language(record)
    }


def _is_of_language(record: MetricRecord) -> bool:
    """Whether `--language` makes it of the metric that has this name."""
    for language in CLOSED_CLASSES:
        try:
            if metric_text(in_language(METRICS[record.name], language)) == record.text:
                return True
        except (PlanError, ResourceError):
            continue
    return False


def shortened(text: str, names: Mapping[str, str]) -> str:
    """A sentence with short names in it."""
    for full, short in names.items():
        text = text.replace(full, short)
    return text


def legend(names: Mapping[str, str]) -> list[str]:
    """What short names stand for, a line each."""
    return [f"{short} is {full}" for full, short in names.items()]
