"""How many more documents would do, held against the intervals that they would have."""

from __future__ import annotations

import numpy as np
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.run.gate.sample_size import Need, _trials, count_needed
from showthrough.run.records import Score
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.statistics.numerics.distributions import binomial_ends

LEAST = Threshold("er_di", "min", 0.95)


def score(right: float, trials: float) -> Score:
    low, high = (end.item() for end in binomial_ends(right, trials, 0.95))
    return Score("a", "er_di", "", right / trials, low, high, "", "")


def counted(threshold: Threshold, one: Score, drawn: int, confidence: float = 0.95) -> int | None:
    return count_needed(threshold, one, confidence, drawn, "document").count


@pytest.mark.parametrize("there", [1, 20, 40, 58])
def test_with_nothing_seen_it_is_the_rule_of_three(there: int) -> None:
    """ln 0.05 / ln 0.95 = 58.4: 59 documents without a leak."""
    need = count_needed(LEAST, score(there, there), 0.95, there, "document")
    assert (need.count, need.exact) == (59 - there, True)


@pytest.mark.parametrize("enough", [2, 3, 9, 66, 130, 258, 1026, 4099, 100_000])
def test_the_smallest_number_is_found_wherever_it_lies(enough: int) -> None:
    """So many without a leak show 0.05 ** (1 / enough), and one fewer does not show a little less."""
    limit = 0.05 ** (1 / (enough - 0.5))
    assert counted(Threshold("er_di", "min", limit), score(1, 1), 1) == enough - 1


@pytest.mark.parametrize("enough", range(2, 34))
def test_rounding_never_makes_it_fewer(enough: int) -> None:
    """The limit is just what so many show: one fewer is too few, and where rounding hides that, one more is said."""
    limit = score(enough, enough).low
    assert limit is not None
    assert counted(Threshold("er_di", "min", limit), score(1, 1), 1) in (enough - 1, enough)


def test_the_other_end_is_the_same_question() -> None:
    """Of 20 documents nobody was found: ln 0.05 / ln 0.91 = 31.8, so 32 would show at most 0.09."""
    assert counted(Threshold("trir", "max", 0.09), score(0, 20), 20) == 12
    # 1 of 40 found is 39 of 40 hidden; with 14 more it is 53 of 54, of which 0.9 is sure.
    assert score(52, 53).low < 0.9 <= score(53, 54).low
    assert counted(Threshold("trir", "max", 0.1), score(1, 40), 40) == 14
    assert counted(Threshold("er_di", "min", 0.9), score(39, 40), 40) == 14


def test_a_document_that_is_half_a_trial_counts_half() -> None:
    """As one-to-one assignments have it: 60 documents are 30 trials, 32 are needed, so four documents more."""
    need = count_needed(Threshold("trir", "max", 0.09), score(0, 30), 0.95, 60, "document")
    assert (need.count, need.exact, str(need)) == (4, False, "about 4 more documents without a leak would be enough")


@pytest.mark.parametrize(
    ("right", "trials", "limit"), [(39, 40, 0.9), (97, 100, 0.95), (29, 30, 0.9), (190, 200, 0.93)]
)
def test_with_leaks_seen_it_is_the_smallest_that_would_do(right: int, trials: int, limit: float) -> None:
    more = counted(Threshold("er_di", "min", limit), score(right, trials), trials)
    assert more is not None
    assert score(right + more, trials + more).low >= limit > score(right + more - 1, trials + more - 1).low


@pytest.mark.parametrize("trials", [8, 64])
def test_with_leaks_seen_it_is_about_so_many(trials: int) -> None:
    """Though each document is just one trial: nobody knows how many leaks the others will have."""
    need = count_needed(LEAST, score(trials - 1, trials), 0.95, trials, "document")
    assert (need.exact, str(need).startswith("about ")) == (False, True)


def test_with_leaks_seen_each_end_has_half_of_the_error() -> None:
    """3 of 5 trials, of ten documents: 13 more make it 9.5 of 11.5, which begins below 0.5; 14 make it 10 of 12."""
    fewer, enough = (binomial_ends(right, right + 2, 0.95)[0].item() for right in (9.5, 10))
    assert fewer < 0.5 < enough
    assert counted(Threshold("er_di", "min", 0.5), score(3, 5), 10) == 14


def test_trials_are_told_from_where_their_interval_begins() -> None:
    """One of so many leaks; each of three rounds divides what is left by 63, so that 1 / 63³ is lost at most."""
    every = [(trials, score(trials - 1, trials)) for trials in range(2, 200)]
    found = [_trials(one.value, one.low, 0.95) for _, one in every if one.value is not None and one.low is not None]
    assert found == pytest.approx([trials for trials, _ in every], rel=63**-3)


@pytest.mark.parametrize(
    ("threshold", "one", "says"),
    [
        (Threshold("er_di", "min", 1.0), score(40, 40), "no number of documents could show it"),
        (Threshold("trir", "max", 0.0), score(0, 40), "no number of documents could show it"),
        # ln 0.05 / ln (1 − 1e-12) is 3 million million: more than anybody has.
        (
            Threshold("er_di", "min", 1 - 1e-12),
            score(40, 40),
            "it is not known how many more documents would be enough",
        ),
        (
            Threshold("er_di", "min", 0.0),
            score(39, 40),
            "it is not known how many more documents would be enough",
        ),  # it is met
        (LEAST, Score("a", "x", "", None, 0.9, 1.0, "", ""), "it is not known how many more documents would be enough"),
        (LEAST, Score("a", "x", "", 3.0, 2.0, 4.0, "", ""), "it is not known how many more documents would be enough"),
        (
            LEAST,
            Score("a", "x", "", 0.96, None, None, "", ""),
            "it is not known how many more documents would be enough",
        ),
        (LEAST, Score("a", "x", "", 1.0, 1.0, 1.0, "", ""), "it is not known how many more documents would be enough"),
        (LEAST, Score("a", "x", "", 0.96, 0.0, 1.0, "", ""), "it is not known how many more documents would be enough"),
        # No number of trials has an interval without a width, and an eighth of one begins above this.
        (
            LEAST,
            Score("a", "x", "", 0.96, 0.96, 0.96, "", ""),
            "it is not known how many more documents would be enough",
        ),
        (
            LEAST,
            Score("a", "x", "", 0.96, 1e-30, 1.0, "", ""),
            "it is not known how many more documents would be enough",
        ),
    ],
)
def test_where_no_number_can_be_given(threshold: Threshold, one: Score, says: str) -> None:
    need = count_needed(threshold, one, 0.95, 40, "document")
    assert (need.count, str(need)) == (None, says)


def test_groups_are_called_so() -> None:
    assert str(Need(1, "group")) == "1 more group without a leak would be enough"


def run_of(leaking: int, documents: int) -> Run:
    """Three names a document; the first few documents leave one of them readable."""
    marks = tuple(Mention(4 * one, 4 * one + 3, "PERSON", "DIRECT", str(one)) for one in range(3))
    texts = [Document(f"d{one:03}", f"Ann Bob Cid left {one}", (Annotation("a", marks),)) for one in range(documents)]
    every = [Mask(0, 3), Mask(4, 7), Mask(8, 11)]
    masks = {one.id: every[number < leaking :] for number, one in enumerate(texts)}
    return evaluate(Corpus(texts), {"a": Anonymization(masks)}, ["er_di"], references=False)


@pytest.mark.parametrize(("leaking", "documents"), [(0, 30), (1, 40), (2, 40)])
def test_so_many_documents_do(leaking: int, documents: int) -> None:
    """Scored anew with as many more, the threshold is met; with a fifth fewer it is not."""
    run = run_of(leaking, documents)
    need = count_needed(LEAST, run["a", "er_di"], 0.95, documents, "document")
    assert need.count is not None
    slack = 0 if need.exact else int(np.ceil(0.2 * need.count))
    enough, fewer = (run_of(leaking, documents + need.count + more)["a", "er_di"].low for more in (slack, -slack - 1))
    assert fewer is not None
    assert enough is not None
    assert fewer < 0.95 <= enough
