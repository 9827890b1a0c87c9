"""Verdicts and the methods paragraph, in words."""

from __future__ import annotations

import msgspec

from showthrough.report._sentences import caveats, sentence
from showthrough.report.html._methods import citation, paragraph, provenance
from showthrough.run.records import Failure, MetricRecord, Score
from showthrough.run.run import Run


def with_score(run: Run, metric: str, role: str, parts: dict[str, float]) -> Run:
    """The same run with one more metric, which no package here has, and whose parts have these values everywhere."""
    record = MetricRecord(metric, metric, 1, metric, "privacy", "lower", {}, roles=(role,))
    scores = [
        Score(name, metric, part, value, None, None, "", "") for name in run.names for part, value in parts.items()
    ]
    return msgspec.structs.replace(
        run,
        metrics=[*run.metrics, record],
        scores=[*run.scores, *scores],
        rows=run.rows | {metric: {name: {} for name in run.names}},
    )


def told(run: Run, name: str) -> str:
    return "; ".join(map(str, sentence(run, name)))


def test_what_a_verdict_counts(demo_run: Run) -> None:
    columns = demo_run.rows["removed_di"]["ner"]
    readable = sum(columns["total"]) - sum(columns["removed"])
    documents = sum(total > removed for removed, total in zip(columns["removed"], columns["total"], strict=True))
    elsewhere = sum(columns["left:elsewhere"]) + sum(columns["left:otherwise"]) + sum(columns["left:encoded"])
    precision = demo_run["ner", "precision"].value or 0.0
    words = told(demo_run, "ner")
    assert words.startswith(
        f"leaves {readable:.0f} of {sum(columns['total'])} direct identifiers readable in the release, in {documents} "
        f'of 42 documents; {elsewhere:.0f} of them in another place than marked: "'
    )
    assert words.endswith(
        f"; {100 - precision * 100:.0f} % of the words it masks were not marked, on average over annotators"
    )
    assert told(demo_run, "overmask").startswith(
        f"leaves none of {sum(columns['total'])} direct identifiers readable in the release; "
    )


def test_attack_and_information_are_told_where_they_are_known(demo_run: Run) -> None:
    run = with_score(demo_run, "trir", "attack", {"": 0.309, "chance": 0.01, "ceiling": 1.0})
    run = with_score(run, "tpi", "words", {"": 0.841})
    found = "these attacks find the person of 31 % of 42 documents"
    assert f"; {found}; keeps 84 % of the information by tpi; " in told(run, "ner")
    said = " ".join(caveats(run))
    assert "what they overlooked cannot count as a leak" in said
    assert "counts once for each of them, as in removed_di" in said
    assert "The attacks are those of trir; other attacks, or an attacker who knows more, may find more." in said
    assert "Information is measured by tpi." in said


def test_the_worst_attack_counts(demo_run: Run) -> None:
    run = with_score(demo_run, "weak", "attack", {"": 0.1, "chance": 0.0, "ceiling": 1.0})
    run = with_score(run, "strong", "attack", {"": 0.996, "chance": 0.0, "ceiling": 1.0})
    assert "these attacks find the person of >99 % of 42 documents" in told(run, "ner")


def test_nothing_is_said_where_nothing_is_known(demo_run: Run) -> None:
    empty = msgspec.structs.replace(demo_run, rows={}, scores=[])
    assert (sentence(empty, "ner"), caveats(empty)) == ([], [])


def test_the_paragraph_pins_the_evaluation_down(demo_run: Run) -> None:
    run = msgspec.structs.replace(demo_run, failures=[Failure("nmi", "no model")])
    text = paragraph(run)
    assert text.startswith(
        "We scored 5 anonymizations (rules, ner, overmask, replace and annotator) of the corpus demo "
    )
    for fact in (run.corpus.digest[:8], "95 % binomial intervals", "100 resamples, seed 0", "Holm's correction",
                 "direct identifiers hidden where marked (er_di, version 4; Pilán et al. 2022)",
                 "direct identifiers removed (removed_di, version 3)", "Not computed: nmi."):  # fmt: skip
        assert fact in text


def test_one_anonymization_is_compared_with_none(demo_run: Run) -> None:
    alone = msgspec.structs.replace(demo_run, anonymizations=demo_run.anonymizations[:1])
    assert "1 anonymization (rules)" in paragraph(alone)
    assert "Holm" not in paragraph(alone)


def test_citations() -> None:
    assert citation("as in Uzuner, Luo and Szolovits 2007, section 3") == "Uzuner, Luo and Szolovits 2007"
    assert citation("F is due to van Rijsbergen (1979)") == "van Rijsbergen 1979"
    assert citation("F = 2PR / (P + R)") == ""


def test_provenance_says_what_is_known(demo_run: Run) -> None:
    facts = dict(provenance(demo_run))
    assert facts["Showthrough"] == demo_run.provenance["showthrough"]
    assert facts["Seed"] == "0"
    assert "numpy" in facts["Packages"]
