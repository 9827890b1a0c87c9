"""What one more rule would win, in sentences and as tables.

What is said was measured on the documents at hand: a rule that was learned from them may do less on others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from showthrough.core.errors import shorten
from showthrough.data.labels import NO_TYPE
from showthrough.report.sheets import Grid, GridEntry, GridRow, count, share, words
from showthrough.report.table import format_score
from showthrough.report.wording import counted_words
from showthrough.run.roles import PRECISION, RECALL
from showthrough.studies.rules import Rule, Step, SystemScores, Worth
from showthrough.studies.rules.patterns import AFTER, BEFORE, BEGINNING, ENDING

_LONGEST = 60  # characters of a string that are shown
_SENTENCES = 3  # rules that are told in a sentence each
_RUN, _SHORT = "capitalised words or numbers", "capitals"  # in sentences, and in tables
_LEARNED = {
    ENDING: "{run} before {word}, with it",
    BEFORE: "{run} before {word}",
    BEGINNING: "{run} after {word}, with it",
    AFTER: "{run} after {word}",
}
_MOST_DIGITS = 9
MEASURED = (
    "Each rule is the best one found, given those above it. The numbers are the metrics' with these masks added, on "
    "these documents. On other documents a rule may win less and cost more."
)
ORACLE = (
    "A row assumes a tool that finds all that annotators marked with this type, also what need not be masked, and "
    "nothing else. No tool does that: these are bounds. Each type is the best one found, given those above it."
)
_MEANING = (
    "Masks: places that a rule masks and that were not fully masked before. Hidden: identifiers that the rule hides "
    "completely and that could be read in part before, counted for each annotator."
)
_ALONE = "--json FILE also says what each would win alone, without those above it."
_CAPITALS = "Capitals: up to five capitalised words or numbers in a row."
_NOTHING = "No string or pattern was found that wins more than it costs."


def worth_blocks(worth: Worth) -> tuple[Grid, ...]:
    """The rules that could be written down, which quote documents, and the types."""
    name = shorten(worth.anonymization)
    sentences = (*worth_sentences(worth), *_remarks(worth))
    private = any(step.rule.text for step in worth.rules)
    notes = (*sentences, MEASURED, *_meanings(worth))
    rules = _grid(f"What one more rule would win: {name}", "rule", worth, worth.rules, notes, private)
    if not worth.types:
        return (rules,)
    return rules, _grid(f"What finding all of a type would win: {name}", "type", worth, worth.types, (ORACLE,), False)


def _meanings(worth: Worth) -> Iterator[str]:
    """What the words in both tables stand for."""
    steps = worth.rules + worth.types
    if steps:
        yield _MEANING
    if any(step.rule.name in _LEARNED for step in worth.rules):
        yield _CAPITALS
    if any(step.alone for step in steps):
        yield _ALONE


def worth_sentences(worth: Worth) -> tuple[str, ...]:
    """What the first rules would win, one after the other."""
    if not worth.direct_total + worth.quasi_total:
        return ("Nothing is marked to be masked here, so nothing shows what a rule would win.",)
    if not worth.leaking:
        return (
            f"{shorten(worth.anonymization)} leaves nothing readable here that annotators want masked: no rule can "
            f"win anything.",
        )
    if not worth.rules:
        return (_NOTHING,)
    before = [worth.before, *(step.after for step in worth.rules)]
    phrases = [_sentence(worth, step, now) for step, now in zip(worth.rules[:_SENTENCES], before, strict=False)]
    return (f"Masking {phrases[0]}.", *(f"Then masking {phrase}." for phrase in phrases[1:]))


def _sentence(worth: Worth, step: Step, now: SystemScores) -> str:
    """`the 14 remaining years (in 9 documents) lifts er_qi from 0.812 to 0.880 and costs 0.3 points of precision`."""
    where = f"(in {counted_words(step.documents, 'document')})"
    then = step.after
    pairs = [("direct", now.direct or 0.0, then.direct), ("quasi", now.quasi or 0.0, then.quasi)]
    changes = [(key, before, after) for key, before, after in pairs if after is not None]
    won, lost = (
        [
            f"{worth.metrics[key]} {_from_to(before, after)}"
            for key, before, after in changes
            if sign * (after - before) > 0
        ]
        for sign in (1, -1)
    )
    if not won and then.recall is not None:
        lifted = f"{worth.metrics[RECALL]} {_from_to(now.recall or 0.0, then.recall)}"
        won = [f"{lifted} (it alone hides no identifier everywhere)"]
    # A mask that joins others shows what was hidden, where the replacement of one says a word of another.
    lowers = f", but lowers {lost[0]}," if lost else ""
    cost = _cost(now, then, worth.metrics[PRECISION])
    return f"{_remaining_words(step)} {where} lifts {' and '.join(won)}{lowers}{cost}"


def _from_to(before: float, after: float) -> str:
    """With as many digits as it takes to tell them apart.

    >>> _from_to(0.81234, 0.88), _from_to(0.3280, 0.3283)
    ('from 0.812 to 0.880', 'from 0.3280 to 0.3283')
    """
    pairs = ((format_score(before, digits), format_score(after, digits)) for digits in range(3, _MOST_DIGITS))
    low, high = next((pair for pair in pairs if pair[0] != pair[1]), (format_score(before), format_score(after)))
    return f"from {low} to {high}"


def _cost(now: SystemScores, then: SystemScores, precision: str) -> str:
    if then.precision is None:
        return ""
    if now.precision is None:
        return f", with a {precision} of {format_score(then.precision)}"
    lost = points(now.precision - then.precision)
    if now.precision == then.precision:
        return f" and costs no {precision}"
    verb = "costs" if now.precision > then.precision else "wins"
    return f" and {verb} {lost} of {precision}"


def points(difference: float) -> str:
    """
    >>> points(0.0034), points(-0.01), points(0.00001)
    ('0.3 points', '1.0 point', 'less than 0.1 points')
    """
    size = abs(difference) * 100
    if size < 0.05:
        return "less than 0.1 points"
    return f"{size:.1f} point{'' if f'{size:.1f}' == '1.0' else 's'}"


def _remaining_words(step: Step) -> str:
    """`the 14 remaining years`."""
    rule, noun = step.rule, "remaining place" if step.masks == 1 else f"{step.masks:,} remaining places"
    if rule.kind == "string":
        return f"the {noun} with {_quote(rule) or 'a string that is not shown here'}"
    if rule.kind == "type":
        return f"the {noun} marked as {rule_name(rule)}"
    return f"the {noun} with {rule_name(rule, _RUN)}" if rule.name in _LEARNED else _count_words(step)


def _count_words(step: Step) -> str:
    if step.masks == 1:
        return f"the one remaining place with {step.rule.name}"
    return f"the {step.masks:,} remaining {step.rule.name}"


def rule_name(rule: Rule, run: str = _SHORT) -> str:
    """What a table calls a rule, and a run of capitalised words in it."""
    if rule.kind == "string":
        return _quote(rule) or "a string"
    if rule.kind == "type":
        return shorten(rule.name) or NO_TYPE
    if rule.name in _LEARNED:
        return _LEARNED[rule.name].format(run=run, word=_quote(rule) or "a word")
    return rule.name


def _quote(rule: Rule) -> str:
    return rule.text and f"“{shorten(rule.text, _LONGEST)}”"


def _remarks(worth: Worth) -> list[str]:
    remarks = []
    if worth.repeated:
        which = f"{worth.repeated:,} of the {worth.leaking:,} mentions that can be read"
        remarks.append(f"In {which} the replacements repeat words that they should hide: no further mask hides these.")
    if not worth.whole:
        remarks.append(
            f"All numbers are of the {counted_words(worth.documents, 'document')} that the run keeps, of "
            f"{worth.corpus:,}: they are not the run's own, and do not estimate the others."
        )
    return remarks


def _grid(
    caption: str, corner: str, worth: Worth, steps: Sequence[Step], notes: tuple[str, ...], private: bool
) -> Grid:
    names = [worth.metrics[key] for key in ("direct", "quasi", PRECISION)]
    rows = [GridRow("as it is", (*_values(worth.before), *[words("")] * 4), total=True)]
    for number, step in enumerate(steps, start=1):
        counts = map(count, (step.masks, step.documents, step.direct, step.quasi))
        rows.append(GridRow(f"{number}. {rule_name(step.rule)}", (*_values(step.after), *counts)))
    heads = (*names, "masks", "documents", "direct hidden", "quasi hidden")
    return Grid(caption, heads, tuple(rows), corner, notes, private=private)


def _values(numbers: SystemScores) -> tuple[GridEntry, ...]:
    reasons = ("no direct identifier was marked", "no indirect identifier was marked", "nothing is masked")
    values = (numbers.direct, numbers.quasi, numbers.precision)
    return tuple(share(value, reason=reason) for value, reason in zip(values, reasons, strict=True))
