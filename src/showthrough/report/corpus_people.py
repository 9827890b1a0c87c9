"""Who is in the documents of a corpus, as sentences and grids."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from showthrough.core.errors import shorten
from showthrough.report.corpus_types import first, label_name, rest
from showthrough.report.sheets import Grid, GridEntry, GridRow, count
from showthrough.report.wording import counted_words
from showthrough.studies.people import AttributeCounts, PeopleSummary

_LEVELS = {
    "certainty": "Certainty: how sure it is that this is true, from 1 to 5.",
    "hardness": "Hardness: how hard it is to find out, from 1 (it stands there) to 5; 0: nobody said.",
}


def people_lead(people: PeopleSummary) -> str:
    """One sentence."""
    persons = "1 person" if people.subjects == 1 else f"{people.subjects:,} people"
    where, tags = counted_words(people.documents, "document"), counted_words(len(people.tags), "tag")
    return f"{persons} in {where}, and {counted_words(people.said.values, 'value')} in {tags} that are true of them."


def people_grids(people: PeopleSummary) -> Iterator[Grid]:
    """What is said of people by tag: how certain it is, and how hard to find out."""
    yield _by_tag(people, "certainty", lambda counts: counts.certainty)
    yield _by_tag(people, "hardness", lambda counts: counts.hardness)


def _by_tag(people: PeopleSummary, measure: str, levels: Callable[[AttributeCounts], dict[int, int]]) -> Grid:
    steps = list(levels(people.said))

    def entries(counts: AttributeCounts) -> tuple[GridEntry, ...]:
        return count(counts.subjects), count(counts.values), *(count(levels(counts).get(step, 0)) for step in steps)

    rows = [GridRow(label_name(tag, "name"), entries(counts)) for tag, counts in first(people.tags)]
    rows.append(GridRow("all", entries(people.said), total=True))
    heads = ("people", "values", *(f"{measure} {shorten(str(step))}" for step in steps))
    notes = ("Somebody in two documents counts twice.", _LEVELS[measure], *rest("tags", people.tags))
    return Grid(f"People by tag and {measure}", heads, tuple(rows), "tag", notes, f"people, {measure}")
