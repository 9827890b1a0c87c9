"""What a reader must know before believing how well authors are hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from showthrough.data.references import REFERENCES
from showthrough.errors import shown
from showthrough.metrics.base import Rows, Totals
from showthrough.verifiers.adaptive import ADAPTIVE, AUTHORS

OUTSIDE = "outside"  # a column: problems that are unlike what a verifier learned from, of any feature or of one
_FEATURES = 4  # that a note names
_FALSE_ALARMS = "held_out_authors", "false_alarms"  # where a trained verifier's figures have them


def remarks_of(tables: Mapping[str, Rows], verifiers: Sequence[Any]) -> list[str]:
    """A sentence each, from the rows of all anonymizations."""
    sums = {name: rows.totals() for name, rows in tables.items() if name not in REFERENCES}
    if not sums:
        return []
    documents, first = len(next(iter(tables.values()))), next(iter(sums.values()))
    return [*_of_questions(first, documents, verifiers), *_of_texts(sums, documents)]


def _of_questions(totals: Totals, documents: int, verifiers: Sequence[Any]) -> Iterator[str]:
    if untold := int(totals["untold"]):
        asked = {column.partition(":")[2] for column in totals}
        shares = [(one.name, _false_alarms(one)) for one in verifiers if one.name in asked]
        own = [f"{shown(name)} {share:.0%}" for name, share in shares if share is not None]
        yield (
            f"nobody says whether these {untold} documents are by the authors of their known texts: all count as if "
            "they were, and a verifier that always says so would have a c@1 of 1"
            + (
                f"; of other authors, when they were trained, these took for the right one: {', '.join(own)}"
                * bool(own)
            )
        )
    if alone := int(totals["alone"]):
        yield (
            f"{alone} of {documents} documents count nowhere in safety: no other text of their author is known, "
            "or nobody says whether they are by the same author"
        )
    if f"problems:{ADAPTIVE}" in totals and not totals[f"problems:{ADAPTIVE}"]:
        yield (
            f"no verifier learned from masked texts, which takes at least {AUTHORS} authors: "
            "somebody who can mask texts too may tell more authors than these numbers say"
        )


def _false_alarms(verifier: Any) -> float | None:
    """What its training told of them: of a guest nobody knows what it tells."""
    share: object = getattr(verifier, "figures", None)
    for key in _FALSE_ALARMS:
        share = share.get(key) if isinstance(share, Mapping) else None
    return share if isinstance(share, float) else None


def _of_texts(sums: Mapping[str, Totals], documents: int) -> Iterator[str]:
    for name, totals in sums.items():
        if wordless := int(totals["wordless"]):
            verb = "has" if wordless == 1 else "have"
            yield (
                f"{shown(name)}: {wordless} of {documents} released texts {verb} no word: "
                "verifiers are not asked about these, which count as unanswered"
            )
        for column in totals:
            statistic, _, verifier = column.partition(":")
            if statistic == OUTSIDE:
                yield f"{shown(name)}: {_unlike(totals, verifier)}"


def _unlike(totals: Totals, verifier: str) -> str:
    """That many texts are unlike all that a verifier learned from, and by what."""
    lead, end = f"{OUTSIDE} ", f":{verifier}"
    columns = [one for one in totals if one.startswith(lead) and one.endswith(end)]
    by = {one[len(lead) : -len(end)]: int(totals[one]) for one in columns}
    most = [f"{one} {by[one]}" for one in sorted(by, key=lambda feature: -by[feature])[:_FEATURES]]
    count, asked = int(totals[f"{OUTSIDE}{end}"]), int(totals[f"problems{end}"])
    return (
        f"{count} of {asked} problems are unlike all that the verifier {shown(verifier)} learned from "
        f"({', '.join(most)}): what it answers there is extrapolated, and a low c@1 is no evidence that authors are "
        "hidden"
    )
