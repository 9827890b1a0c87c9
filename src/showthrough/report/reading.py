"""What a table says, in two lines. Every sentence is about what was marked in the documents at hand, and by whom."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.data.references import NOTHING
from showthrough.errors import shown
from showthrough.report.table import rounded
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import chosen, counted, headline, leaks
from showthrough.run.run import Run

_NAMED = 3  # documents that a line names
_UNITS = {"token": "tokens", "mention": "mentions", "entity": "entities"}
_KINDS = {"direct": "direct identifiers", "quasi": "quasi-identifiers"}


def reading(run: Run) -> list[str]:
    """Who leaks most, and what the most thorough one pays for it; nothing where the scores for it are not there."""
    return [line for line in (_leaks(run), _price(run)) if line]


def markers(run: Run) -> str:
    """Who marked what sentences are about: programs are no people."""
    if not run.corpus.silver:
        return "annotators"
    return "programs and annotators" if run.corpus.silver.endswith(" and others") else "programs"


def of_documents(run: Run, record: MetricRecord) -> str:
    """`the 42 documents that have any`: in the others a metric had nothing to look for."""
    count = sum(total > 0 for total in counted(run, record, run.names[0], "all"))
    return "the one document that has any" if count == 1 else f"the {count:,} documents that have any"


def may_leak(score: Score | None) -> str:
    """What a spotless score leaves open: an interval that starts at 0.931 says that 7 % may leak all the same."""
    if score is None or score.value != 1:
        return ""
    return f"up to {score.unseen * 100:.0f} % may still leak" if score.unseen else "more may leak than was seen"


def _leaks(run: Run) -> str:
    record = chosen(run, "direct identifiers")
    if record is None:
        return ""
    if not any(sum(counted(run, record, name, "all")) for name in run.names):
        return "No direct identifier was marked, so nothing can be said about whether one leaks."
    counts = {name: leaks(run, record, name) for name in run.names}
    worst = max(counts, key=lambda name: sum(counts[name].values()))
    clean = [name for name, leaking in counts.items() if not leaking]
    leave = f"{listed(clean)} {'leaves' if len(clean) == 1 else 'leave'}"
    by = f" by {markers(run)}" if run.corpus.silver else ""
    where = f"readable where it was marked{by}, in {of_documents(run, record)}{assuming(record)}{_open(run, record)}"
    if not counts[worst]:
        return f"{leave} no direct identifier {where}."
    lines = [_leak_line(run, worst, counts[worst]), *([f"{leave} none {where}"] if clean else [])]
    others = [name for name, leaking in counts.items() if leaking and name != worst]
    return "; ".join(lines + [f"{name} leaks {sum(counts[name].values()):,}" for name in others]) + "."


def _open(run: Run, record: MetricRecord) -> str:
    """How much those may leak that leak nothing here: that of the one that is least sure."""
    scores = [score for name in run.names if (score := headline(run, name, record)) and score.value == 1]
    unseen = may_leak(min(scores, key=lambda score: 1.0 if score.low is None else score.low, default=None))
    return f" (with none seen, {unseen})" if unseen else ""


def _leak_line(run: Run, name: str, leaking: dict[str, int]) -> str:
    order = sorted(leaking, key=lambda document: (-leaking[document], document))
    named = ", ".join(f"{shown(document)} ({leaking[document]})" for document in order[:_NAMED])
    more = f" and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    total = sum(leaking.values())
    things = "direct identifier" if total == 1 else "direct identifiers"
    places = "document" if len(leaking) == 1 else "documents"
    counted = "" if total == 1 or run.several_annotators is False else " (one for each annotator who marked it)"
    things += f" that {markers(run)} marked" if run.corpus.silver else ""
    return f"{name} leaks {total} {things}{counted} in {len(leaking)} {places}: {named}{more}"


def _price(run: Run) -> str:
    recall, precision = chosen(run, "recall"), chosen(run, "precision")
    values = {
        name: (hidden.value or 0.0, kept.value or 0.0)
        for name in run.names
        if (hidden := headline(run, name, recall)) and (kept := headline(run, name, precision))
    }
    if not values or recall is None or precision is None:
        return ""
    most = max(hidden for hidden, _ in values.values())
    names = [name for name, (hidden, _) in values.items() if hidden == most]
    idle = headline(run, NOTHING, recall)
    if idle is not None and idle.value and most <= idle.value:
        return ""  # what counts as hidden need not be, and nobody hid more
    things = _counted(recall)
    what = f"{percent(most)}{things and f' of the {things}'}"
    hide = "hides" if len(names) == 1 else "hide"
    if len(names) < len(values):
        line = f"{listed(names)} {hide} more of what {markers(run)} marked than the others ({what}{_idle(idle)})"
    else:
        line = f"{listed(names)} {hide} {what} {'that' if things else 'of what'} {markers(run)} marked{_idle(idle)}"
    line += assuming(recall)
    unmarked = [f"{percent(1 - values[name][1])}{f' ({name})' if len(names) > 1 else ''}" for name in names]
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
    """What recall counts: `tokens`, or `mentions of direct identifiers`; empty where it does not say."""
    unit, kinds = (str(recall.parameters.get(one)) for one in ("unit", "include"))
    return f"{_UNITS[unit]} of {_KINDS[kinds]}" if unit in _UNITS and kinds in _KINDS else _UNITS.get(unit, "")


def _not_marked(run: Run, shares: Sequence[str], precision: MetricRecord) -> str:
    """What precision leaves: that nobody marked it does not say that it could have stayed."""
    alone = len(shares) == 1
    masks = "it masks" if alone else "they mask"
    by_unit = {"token": f"the tokens that {masks}", "mention": "its masks" if alone else "their masks"}
    masked = by_unit.get(str(precision.parameters.get("unit")), f"what {masks}")
    return f"of {masked}, {listed(shares)} were not marked{on_average(run)}"


def on_average(run: Run) -> str:
    """What a share of several annotators' marks is."""
    return "" if run.several_annotators is False else ", on average over annotators"


def listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"
