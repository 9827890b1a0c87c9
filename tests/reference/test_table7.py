"""Table 7 of Pilán et al. 2022, The Text Anonymization Benchmark: two systems, two annotators."""

from __future__ import annotations

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate

TEXT = (
    "The case originated in an application (no. 12345/67) against the Kingdom of Sweden by a British national, "
    "Mr John Doe, on 1 October 2021. Mr Doe is a British researcher."
)


def spans(*phrases: str) -> list[tuple[int, int]]:
    """Where the phrases stand, each searched for after the one before."""
    found = []
    position = 0
    for phrase in phrases:
        position = TEXT.index(phrase, position)
        found.append((position, position + len(phrase)))
        position += len(phrase)
    return found


def entity(name: str, identifier: str, *phrases: str) -> list[Mention]:
    return [Mention(start, end, "", identifier, name) for start, end in spans(*phrases)]  # type: ignore[arg-type]


DIRECTS = entity("number", "DIRECT", "no. 12345/67") + entity("person", "DIRECT", "Mr John Doe", "Mr Doe")
ONE = DIRECTS + entity("nation", "QUASI", "British", "British") + entity("date", "QUASI", "1 October 2021")
TWO = (
    DIRECTS
    + entity("state", "QUASI", "Kingdom of Sweden")
    + entity("date", "QUASI", "1 October 2021")
    + entity("job", "QUASI", "researcher")
)
CORPUS = Corpus([Document("d", TEXT, (Annotation("1", tuple(ONE)), Annotation("2", tuple(TWO))))])


def system(*phrases: str) -> Anonymization:
    return Anonymization({"d": [Mask(start, end) for start, end in spans(*phrases)]})


def test_table_7() -> None:
    run = evaluate(
        CORPUS,
        {
            "1": system("no. 12345/67", "Mr John Doe", "1 October 2021", "Mr Doe"),
            "2": system("Kingdom of Sweden", "Mr John Doe", "1 October 2021", "Mr Doe"),
        },
        metrics=["er_di", "er_qi", "precision"],
        resamples=10,
    )
    assert run["1", "er_di"].value == 4 / 4
    assert run["1", "er_qi"].value == 2 / 5
    assert run["2", "er_di"].value == 2 / 4
    assert run["2", "er_qi"].value == 3 / 5
    # System 1 masks no 12345 67, Mr John Doe, 1 October 2021, Mr Doe: 11 tokens, all inside both annotators' mentions.
    assert run["1", "precision"].value == 22 / 22
    # System 2: Kingdom of Sweden (3 tokens, annotator 2 only), Mr John Doe, 1 October 2021, Mr Doe (8, both).
    assert run["2", "precision"].value == (3 * 1 + 8 * 2) / (11 * 2)
