"""What a table says, in two lines."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.metrics import HEADLINE
from showthrough.run import Run

_NAMED = 3  # documents that a line names


def reading(run: Run) -> list[str]:
    """Who leaks most, and what the most thorough one pays for it; nothing where the scores for it are not there."""
    return [line for line in (_leaks(run), _price(run)) if line]


def _leaks(run: Run) -> str:
    counts = {name: leaks(run, name) for name in run.names if name in run.rows.get("er_di", {})}
    if not counts:
        return ""
    worst = max(counts, key=lambda name: sum(counts[name].values()))
    line = leak_line(worst, counts[worst])
    clean = [name for name, found in counts.items() if not found]
    if clean and worst not in clean:
        line += f"; {_listed(clean)} {'leaves' if len(clean) == 1 else 'leave'} none."
    return line


def leaks(run: Run, name: str) -> dict[str, int]:
    """Documents in which a direct identifier can still be read, and how many (as annotators count them)."""
    columns = run.rows["er_di"][name]
    return {
        document: int(total - hidden)
        for document, hidden, total in zip(run.documents, columns["hidden"], columns["total"], strict=True)
        if total > hidden
    }


def leak_line(name: str, found: dict[str, int]) -> str:
    if not found:
        return f"{name} leaves no direct identifier readable."
    order = sorted(found, key=lambda document: (-found[document], document))
    named = ", ".join(f"{document} ({found[document]})" for document in order[:_NAMED])
    more = f" and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    total = sum(found.values())
    things = "direct identifier" if total == 1 else "direct identifiers"
    places = "document" if len(found) == 1 else "documents"
    counted = "" if total == 1 else " (each annotator's counted)"
    return f"{name} leaks {total} {things}{counted} in {len(found)} {places}: {named}{more}"


def _price(run: Run) -> str:
    found = [
        (recall.value, precision.value, name)
        for name in run.names
        if (recall := run.parts(name, "recall").get(HEADLINE)) and recall.value is not None
        if (precision := run.parts(name, "precision").get(HEADLINE)) and precision.value is not None
    ]
    if not found:
        return ""
    best_recall, its_precision, name = max(found)
    return (
        f"{name} hides most of what annotators marked ({best_recall * 100:.1f} % of tokens), "
        f"and {(1 - its_precision) * 100:.1f} % of what it masks they would have kept."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
