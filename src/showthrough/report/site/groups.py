"""Which systems cannot be told apart: letters, as statisticians write them beside the rows of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_lowercase

from showthrough.report.significance import ALPHA, shuffles
from showthrough.run.run import Run


def different_pairs(run: Run, metric: str) -> set[frozenset[str]] | None:
    """The pairs whose headlines differ by more than chance; `None` where nothing was tested.

    Holm's correction is over all pairs of the metric, however many there are.
    """
    if len(run.names) < 2 or not run.complete or run.incomparable(metric):
        return None
    compared = run.compare(metric, parts=False, shuffles=shuffles(run))
    if all(comparison.p_holm is None for comparison in compared):
        return None
    return {
        frozenset((comparison.first, comparison.second)) for comparison in compared if comparison.significant(ALPHA)
    }


def group_letters(names: Sequence[str], different: Collection[frozenset[str]]) -> dict[str, str]:
    """Letters for names in the order of a table: two that share one were not shown to differ.

    By insertion and absorption (Piepho 2004): begin with one group of all. For each pair that differs, divide every
    group that has both. Leave out a group that lies within another.

    >>> group_letters(["a", "b", "c"], [frozenset("ac")])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    >>> group_letters(["a", "b"], [frozenset("ab")])
    {'a': 'a', 'b': 'b'}
    """
    groups = [frozenset(names)]
    for pair in sorted(map(sorted, different)):
        whole = [group for group in groups if group.issuperset(pair)]
        rest = [group for group in groups if not group.issuperset(pair)]
        parts = {group - {name} for group in whole for name in pair}
        groups = _largest([*rest, *parts])
    order = {name: at for at, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(order[name] for name in group))
    return {name: "".join(_letter(at) for at, group in enumerate(groups) if name in group) for name in names}


def _largest(groups: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Those that lie within no other."""
    different = list(dict.fromkeys(groups))
    return [group for group in different if not any(group < other for other in different)]


def _letter(number: int) -> str:
    """a to z, then a1 to z1, and so on.

    >>> _letter(0), _letter(27)
    ('a', 'b1')
    """
    rounds, at = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[at] + (str(rounds) if rounds else "")
