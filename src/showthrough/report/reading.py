"""What a table says, in two lines. Every sentence is about what annotators marked in the documents at hand."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.data.references import NOTHING
from showthrough.errors import shown
from showthrough.metrics import HEADLINE
from showthrough.report.table import rounded
from showthrough.run.run import MetricRecord, Run, Score

_NAMED = 3  # documents that a line names
_UNITS = {"token": "tokens", "mention": "mentions", "entity": "entities"}
_KINDS = {"direct": "direct identifiers", "quasi": "quasi-identifiers"}


def reading(run: Run) -> list[str]:
    """Who leaks most, and what the most thorough one pays for it; nothing where the scores for it are not there."""
    return [line for line in (_leaks(run), _price(run)) if line]


def record_of(run: Run, name: str) -> MetricRecord | None:
    """A metric that was computed, whatever its parameters; of several the one that has none, or else the first."""
    found = [record for record in run.metrics if record.name == name and record.text in run.rows]
    return min(found, key=lambda record: record.text != name, default=None)


def headline(run: Run, name: str, record: MetricRecord | None) -> Score | None:
    """The number that a metric is known by; `None` where it has none for this anonymization."""
    score = None if record is None else run.parts(name, record.text).get(HEADLINE)
    return None if score is None or score.value is None else score


def of_documents(run: Run, record: MetricRecord) -> str:
    """`the 42 documents that have any`: in the others a metric had nothing to look for."""
    count = sum(total > 0 for total in run.rows[record.text][run.names[0]]["total"])
    return "the one document that has any" if count == 1 else f"the {count:,} documents that have any"


def may_leak(score: Score | None) -> str:
    """What a spotless score leaves open: an interval that starts at 0.931 says that 7 % may leak all the same."""
    if score is None or score.value != 1:
        return ""
    return f"up to {score.unseen * 100:.0f} % may still leak" if score.unseen else "more may leak than was seen"


def _leaks(run: Run) -> str:
    record = record_of(run, "er_di")
    if record is None:
        return ""
    if not any(sum(run.rows[record.text][name]["total"]) for name in run.names):
        return "No direct identifier was marked, so nothing can be said about whether one leaks."
    counts = {name: leaks(run, record, name) for name in run.names}
    worst = max(counts, key=lambda name: sum(counts[name].values()))
    clean = [name for name, found in counts.items() if not found]
    if not counts[worst]:
        leave = "leaves" if len(clean) == 1 else "leave"
        what = f"no direct identifier readable where it was marked, in {of_documents(run, record)}{assuming(record)}"
        return f"{listed(clean)} {leave} {what}{_open(run, record)}."
    line = _leak_line(run, worst, counts[worst])
    if clean:
        leave = f"{listed(clean)} {'leaves' if len(clean) == 1 else 'leave'} none readable where it was marked"
        line += f"; {leave}, in {of_documents(run, record)}{assuming(record)}{_open(run, record)}"
    others = [f"{name} leaks {sum(found.values()):,}" for name, found in counts.items() if found and name != worst]
    return "; ".join([line, *others]) + "."


def _open(run: Run, record: MetricRecord) -> str:
    """How much those may leak that leak nothing here: that of the one that is least sure."""
    scores = [score for name in run.names if (score := headline(run, name, record)) and score.value == 1]
    told = may_leak(min(scores, key=lambda score: 1.0 if score.low is None else score.low, default=None))
    return f" (with none seen, {told})" if told else ""


def leaks(run: Run, record: MetricRecord, name: str) -> dict[str, int]:
    """Documents in which a marked direct identifier can still be read, and how many (as annotators count them)."""
    columns = run.rows[record.text][name]
    return {
        document: int(total - hidden)
        for document, hidden, total in zip(run.documents, columns["hidden"], columns["total"], strict=True)
        if total > hidden
    }


def _leak_line(run: Run, name: str, found: dict[str, int]) -> str:
    order = sorted(found, key=lambda document: (-found[document], document))
    named = ", ".join(f"{shown(document)} ({found[document]})" for document in order[:_NAMED])
    more = f" and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    total = sum(found.values())
    things = "direct identifier" if total == 1 else "direct identifiers"
    places = "document" if len(found) == 1 else "documents"
    counted = "" if total == 1 or run.several_annotators is False else " (one for each annotator who marked it)"
    return f"{name} leaks {total} {things}{counted} in {len(found)} {places}: {named}{more}"


def _price(run: Run) -> str:
    recall, precision = record_of(run, "recall"), record_of(run, "precision")
    found = {
        name: (hidden.value, kept.value)
        for name in run.names
        if (hidden := headline(run, name, recall)) and (kept := headline(run, name, precision))
    }
    if not found or recall is None or precision is None:
        return ""
    most = max(hidden or 0.0 for hidden, _ in found.values())
    names = [name for name, (hidden, _) in found.items() if hidden == most]
    idle = headline(run, NOTHING, recall)
    if idle is not None and idle.value and most <= idle.value:
        return ""  # what counts as hidden need not be, and nobody hid more
    what = f"{percent(most)} of the {_counted(recall)}"
    hide = "hides" if len(names) == 1 else "hide"
    if len(names) < len(found):
        line = f"{listed(names)} {hide} more of what annotators marked than the others ({what}{_idle(idle)})"
    else:
        line = f"{listed(names)} {hide} {what} that annotators marked{_idle(idle)}"
    line += assuming(recall)
    unmarked = [f"{percent(1 - (found[name][1] or 0.0))}{f' ({name})' if len(names) > 1 else ''}" for name in names]
    return f"{line}; {_not_marked(run, unmarked, precision)}."


def _idle(score: Score | None) -> str:
    """What recall counts as hidden although nothing is masked: words that need not be."""
    return f", {percent(score.value)} with nothing masked" if score and score.value else ""


def percent(share: float) -> str:
    """
    >>> percent(0.3094), percent(0.9999), percent(1.0)
    ('30.9 %', '99.99 %', '100.0 %')
    """
    digits = len(rounded(share).partition(".")[2])  # more of them where it would look like all or nothing
    return f"{share * 100:.{max(1, digits - 2)}f} %"


def assuming(record: MetricRecord) -> str:
    """What a number takes on trust."""
    faith = []
    if record.parameters.get("replacements") == "trusted":
        faith.append("what replacements say was not read")
    if record.parameters.get("function_word_mentions") == "free":
        faith.append("names made of function words were not asked for")
    return f" ({'; '.join(faith)})" if faith else ""


def _counted(recall: MetricRecord) -> str:
    """What recall counts: `tokens`, or `mentions of direct identifiers`."""
    unit = _UNITS.get(recall.parameters.get("unit", "token"), "tokens")
    kinds = recall.parameters.get("include", "direct,quasi")
    return f"{unit} of {_KINDS[kinds]}" if kinds in _KINDS else unit


def _not_marked(run: Run, shares: Sequence[str], precision: MetricRecord) -> str:
    """What precision leaves: that nobody marked it does not say that it could have stayed."""
    alone = len(shares) == 1
    if precision.parameters.get("unit", "token") == "token":
        masked = f"the tokens that {'it masks' if alone else 'they mask'}"
    else:
        masked = "its masks" if alone else "their masks"
    each = "" if run.several_annotators is False else ", on average over annotators"
    return f"of {masked}, {listed(shares)} were not marked{each}"


def listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
