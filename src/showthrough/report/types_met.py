"""Which types annotators and systems give the same spans, as a table, and what it warns of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from showthrough.core.errors import shorten
from showthrough.data.labels import NO_TYPE
from showthrough.report.sheets import Heat
from showthrough.studies.failures import NOT_MARKED, NOT_MASKED, TypePair

_TYPES_MET = "Annotators' types by the types of masks"
_TYPES = 12  # rows and columns of that table
_TYPES_NAMED = 6  # in a sentence
_OTHERS = "(others)"


def type_warnings(name: str, pairs: Sequence[TypePair]) -> list[str]:
    """That the types of masks are never those of annotators, or all one, where several are marked."""
    met = [pair for pair in pairs if not {pair.marked, pair.masked} & {NOT_MARKED, NOT_MASKED, NO_TYPE}]
    marked, masked = sorted({pair.marked for pair in met}), sorted({pair.masked for pair in met})
    total, alike = sum(pair.spans for pair in met), sum(pair.spans for pair in met if pair.marked == pair.masked)
    if len(masked) == 1 and len(marked) > 1 and 2 * alike < total:
        fault = f"All typed masks of {shorten(name)} over marked spans are {shorten(masked[0])}"
        fault += f", where annotators have {len(marked)} types."
    elif met and not alike:
        fault = f"No mask of {shorten(name)} has the type of the span that it hides. "
        fault += f"Masks have {_list(masked)}; annotators have {_list(marked)}."
    else:
        return []
    return [f"{fault} Metrics that compare types cannot judge it; evaluate --map FROM=TO takes a type as another."]


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _TYPES_NAMED} more" if len(names) > _TYPES_NAMED else ""
    return ", ".join(map(shorten, names[:_TYPES_NAMED])) + more


def types_heat(pairs: Sequence[TypePair]) -> list[Heat]:
    """The annotators' types by those of masks, the frequent ones; nothing where no mask has a type."""
    if not pairs:
        return []
    by_marked, by_masked = Counter[str](), Counter[str]()
    for pair in pairs:
        by_marked[pair.marked] += pair.spans
        by_masked[pair.masked] += pair.spans
    rows = _frequent(by_marked, (), NOT_MARKED)
    columns = _frequent(by_masked, rows, NOT_MASKED)
    values = [[0.0] * len(columns) for _ in rows]
    for pair in pairs:
        row = pair.marked if pair.marked in rows else _OTHERS
        column = pair.masked if pair.masked in columns else _OTHERS
        values[rows.index(row)][columns.index(column)] += pair.spans
    notes = (
        "Rows: annotators' types, each span once. Columns: the type of the mask that hides most of it, as metrics "
        f"take it. {NOT_MARKED}: masks over nothing that is to be masked.",
    )
    return [Heat(_TYPES_MET, tuple(rows), tuple(columns), tuple(map(tuple, values)), notes=notes)]


def _frequent(sizes: Counter[str], before: Sequence[str], last: str) -> list[str]:
    """The names with most, those of `before` first; what is left as one, then the last."""
    names = [name for name in before if name in sizes and name not in (last, _OTHERS)]
    more = sorted(sizes.keys() - {*names, last}, key=lambda name: (-sizes[name], name))
    names += more[:_TYPES]
    return names + [_OTHERS] * (len(more) > _TYPES) + [last] * (last in sizes)
