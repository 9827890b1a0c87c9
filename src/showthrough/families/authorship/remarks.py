"""Remarks in a report on how far its numbers about authors can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from showthrough.core.errors import shorten
from showthrough.data.references import REFERENCES
from showthrough.families.authorship.verifiers.adaptive import ADAPTIVE, AUTHORS
from showthrough.metrics.base import OUTSIDE
from showthrough.statistics.rows import Rows, Totals

_FEATURES = 4  # that a note names
_FALSE_ALARMS = "held_out_authors", "false_alarms"  # where a trained verifier's figures have them


def remarks_of(tables: Mapping[str, Rows], verifiers: Sequence[Any]) -> list[str]:
    """A sentence each, from the rows of all anonymizations."""
    sums = {name: rows.totals() for name, rows in tables.items() if name not in REFERENCES}
    if not sums:
        return []
    documents, first = len(next(iter(tables.values()))), next(iter(sums.values()))
    return [*_question_remarks(first, documents, verifiers), *_text_remarks(sums, documents)]


def _question_remarks(totals: Totals, documents: int, verifiers: Sequence[Any]) -> Iterator[str]:
    if untold := int(totals["untold"]):
        named = {column.partition(":")[2] for column in totals}
        shares = [(verifier.name, _false_alarms(verifier)) for verifier in verifiers if verifier.name in named]
        own = [f"{shorten(name)} {share:.0%}" for name, share in shares if share is not None]
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


def _text_remarks(sums: Mapping[str, Totals], documents: int) -> Iterator[str]:
    for name, totals in sums.items():
        if wordless := int(totals["wordless"]):
            verb = "has" if wordless == 1 else "have"
            yield (
                f"{shorten(name)}: {wordless} of {documents} released texts {verb} no word: "
                "verifiers are not asked about these, which count as unanswered"
            )
        for column in totals:
            statistic, _, verifier = column.partition(":")
            if statistic == OUTSIDE:
                yield f"{shorten(name)}: {_unlike_remark(totals, verifier)}"


def _unlike_remark(totals: Totals, verifier: str) -> str:
    """That many texts are unlike all that a verifier learned from, and by what."""
    lead, end = f"{OUTSIDE} ", f":{verifier}"
    columns = [column for column in totals if column.startswith(lead) and column.endswith(end)]
    counts = {column[len(lead) : -len(end)]: int(totals[column]) for column in columns}
    most = [f"{column} {counts[column]}" for column in sorted(counts, key=lambda feature: -counts[feature])[:_FEATURES]]
    count, problems = int(totals[f"{OUTSIDE}{end}"]), int(totals[f"problems{end}"])
    return (
        f"{count} of {problems} problems are unlike all that the verifier {shorten(verifier)} learned from "
        f"({', '.join(most)}): what it answers there is extrapolated, and a low c@1 is no evidence that authors are "
        "hidden"
    )
