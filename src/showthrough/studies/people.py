"""Who is in the documents of a corpus, and what is said of them, counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import Struct

from showthrough.data.documents import Corpus


class AttributeCounts(Struct, frozen=True, kw_only=True):
    """What is said of people under one tag, or under all of them."""

    subjects: int  # of whom it is said
    values: int
    certainty: dict[int, int]  # how many values are so certain
    hardness: dict[int, int]  # how many are so hard to find out; 0: nobody said


class PeopleSummary(Struct, frozen=True, kw_only=True):
    documents: int  # in which there is somebody
    subjects: int  # somebody in two documents counts twice
    said: AttributeCounts
    tags: dict[str, AttributeCounts]  # what is said of most first


def people_in(corpus: Corpus) -> PeopleSummary | None:
    """`None` where no document says who is in it."""
    if not corpus.survey.subjects:
        return None
    documents = subjects = 0
    somebody = 0  # of whom anything is said
    levels: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    having: Counter[str] = Counter()
    for document in corpus:
        documents += bool(document.subjects)
        subjects += len(document.subjects)
        for subject in document.subjects:
            somebody += bool(subject.attributes)
            having.update({attribute.tag for attribute in subject.attributes})
            for attribute in subject.attributes:
                levels[attribute.tag][attribute.certainty, attribute.hardness] += 1
    tags = {tag: _count_attributes(having[tag], counts.items()) for tag, counts in levels.items()}
    ordered = dict(sorted(tags.items(), key=lambda item: (-item[1].values, item[0])))
    everything = _count_attributes(somebody, (item for counts in levels.values() for item in counts.items()))
    return PeopleSummary(documents=documents, subjects=subjects, said=everything, tags=ordered)


def _count_attributes(subjects: int, levels: Iterable[tuple[tuple[int, int], int]]) -> AttributeCounts:
    certainty: Counter[int] = Counter()
    hardness: Counter[int] = Counter()
    for (certain, hard), many in levels:
        certainty[certain] += many
        hardness[hard] += many
    in_order = (dict(sorted(counts.items())) for counts in (certainty, hardness))
    return AttributeCounts(
        subjects=subjects, values=certainty.total(), certainty=next(in_order), hardness=next(in_order)
    )
