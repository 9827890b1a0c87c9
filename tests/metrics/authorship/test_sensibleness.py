"""What people say of passages: means, agreement against other implementations, and PAN's own numbers."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Anonymization, Corpus, Document, InputError, Mask, Rating, Ratings, Run, evaluate, read_ratings
from showthrough.families.authorship.sensibleness import ALPHA, KAPPA, Sensibleness
from showthrough.metrics import HEADLINE
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.statistics.agreement import fleiss, krippendorff
from showthrough.statistics.numerics.chance import ordinal_alpha

Said = list[list[int | None]]  # of each passage, what each rater said of it; None: nothing


def ratings_of(documents: dict[str, Said], name: str = "A") -> Ratings:
    return Ratings(
        Rating(document=key, anonymization=name, item=str(item), rater=f"r{rater}", value=value)
        for key, said in documents.items()
        for item, row in enumerate(said)
        for rater, value in enumerate(row)
        if value is not None
    )


def parts_of(documents: dict[str, Said], more: tuple[str, ...] = ()) -> dict[str, float]:
    corpus = Corpus([Document(key, "He came.") for key in (*documents, *more)])
    chunk = Chunk(corpus, Resources(inputs={"ratings": ratings_of(documents)}))
    rows = chunk.rows(Sensibleness(), Anonymization({}, "A"))
    return {part: value.item() for part, value in Sensibleness().combine(rows.totals()).items()}


def run_of(documents: dict[str, Said], **others: int) -> Run:
    corpus = Corpus([Document(key, f"He came to {key}.") for key in documents])
    masks = Anonymization({key: [Mask(0, 2, "X")] for key in documents}, "A")
    return evaluate(corpus, [masks], ["sensibleness"], ratings=ratings_of(documents), **others)


def test_worked_by_hand() -> None:
    """Ratings 2 2, 2 1 and 0 0 of three passages in two documents.

    κ: agreeing 1, 0, 1, so that 1/3 differ. Shares of 0, 1, 2: 1/3, 1/6, 1/2; two draws differ in 1 − 14/36 = 22/36.
    α: 2, 1 and 3 ratings, ranks 1, 2.5 and 4.5. Differing (1 + 1) · 2² / 6 = 4/3. Expected
    2 · (2·1·1.5² + 2·3·3.5² + 1·3·2²) / (6 · 5) = 6.
    """
    parts = parts_of({"a": [[2, 2], [2, 1]], "b": [[0, 0]]}, more=("c",))
    assert parts == pytest.approx(
        {HEADLINE: 7 / 6, "rater:r0": 4 / 3, "rater:r1": 1, KAPPA: 1 - (1 / 3) / (22 / 36), ALPHA: 1 - (4 / 3) / 6}
    )


def test_krippendorffs_example() -> None:
    """Krippendorff (2011), section C with missing values: α of ordinal data is 0.815."""
    met = np.zeros((5, 5))
    for unit in ("111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"):
        for one, two in permutations(map(int, unit), 2):
            met[one - 1, two - 1] += 1 / (len(unit) - 1)
    assert ordinal_alpha(met).item() == pytest.approx(0.815, abs=0.0005)


def naive_alpha(said: Said) -> float:
    """Over all pairs of values, as its definition has it."""
    units = [[value for value in row if value is not None] for row in said]
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]

    def distance(one: int, two: int) -> float:
        low, high = sorted((one, two))
        between = sum(every.count(value) for value in range(low, high + 1))
        return (between - (every.count(low) + every.count(high)) / 2) ** 2

    seen = sum(distance(*pair) / (len(unit) - 1) for unit in units for pair in permutations(unit, 2)) / len(every)
    expected = sum(distance(*pair) for pair in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - seen / expected


rows = st.lists(st.one_of(st.none(), st.integers(0, 2)), min_size=3, max_size=3).filter(any)
documents = st.dictionaries(st.sampled_from("abcd"), st.lists(rows, min_size=1, max_size=4), min_size=1)


@given(documents)
def test_agreement_is_that_of_others(said: dict[str, Said]) -> None:
    every = [row for passages in said.values() for row in passages]
    parts = parts_of(said)
    values = [value for row in every for value in row if value is not None]
    assert parts[HEADLINE] == pytest.approx(sum(values) / len(values))
    counts = [[row.count(value) for value in range(3)] for row in every]
    several = [row for row in counts if sum(row) > 1]
    for part, other in ((KAPPA, fleiss(several)), (ALPHA, krippendorff(counts, level="ordinal"))):
        assert parts[part] == pytest.approx(np.nan if other.value is None else other.value, nan_ok=True)
    if not np.isnan(parts[ALPHA]):
        assert parts[ALPHA] == pytest.approx(naive_alpha(every))
        assert -1 <= parts[ALPHA] <= 1


@settings(max_examples=25)
@given(documents)
def test_intervals_stay_where_ratings_are(said: dict[str, Said]) -> None:
    for score in run_of(said, resamples=20).scores:
        if score.low is not None and score.high is not None and score.value is not None:
            least, most = Sensibleness().limits(score.part)
            assert least <= score.low <= score.value <= score.high <= most


def test_what_all_find_sensible_is_not_sure_to_be() -> None:
    """20 documents, all rated 2: in up to 1 − 0.05^(1/20) = 13.9 % of others all may be rated 0."""
    best, worst = (run_of({f"d{n}": [[value, value]] * 3 for n in range(20)}) for value in (2, 0))
    score = best["A", "sensibleness"]
    assert (score.value, score.high) == (2.0, 2.0)
    assert score.low == pytest.approx(2 * 0.05 ** (1 / 20))
    assert worst["A", "sensibleness"].high == pytest.approx(2 - 2 * 0.05 ** (1 / 20))
    assert best["A", "sensibleness", KAPPA].value is None  # nothing tells agreement from chance


def test_perfect_agreement_says_little_where_chance_agrees_too() -> None:
    """19 passages of 2 and one of 0: chance differs in 2 · 0.95 · 0.05 = 9.5 %; a document may take 1 / 0.095 away."""
    rare = run_of({f"d{n}": [[2, 2] if n else [0, 0]] for n in range(20)})
    even = run_of({f"d{n}": [[2, 2] if n % 2 else [0, 0]] for n in range(20)})
    one, two = (run["A", "sensibleness", KAPPA] for run in (rare, even))
    assert one.value == two.value == 1.0
    assert one.low == pytest.approx(1 - (1 - 0.05 ** (1 / 20)) / 0.095)
    assert two.low == pytest.approx(1 - (1 - 0.05 ** (1 / 20)) / 0.5)
    assert rare["A", "sensibleness", ALPHA].low < even["A", "sensibleness", ALPHA].low  # type: ignore[operator]


def test_documents_that_nobody_rated_count_for_nothing() -> None:
    said: dict[str, Said] = {"a": [[2, 1]], "b": [[0, 2]]}
    alone, beside = (evaluate(
        Corpus([Document(key, "He came.") for key in keys]),
        [Anonymization({key: [] for key in keys}, "A")],
        ["sensibleness"],
        ratings=ratings_of(said),
        resamples=200,
    ) for keys in ("ab", "abcd"))  # fmt: skip
    assert alone["A", "sensibleness"].value == beside["A", "sensibleness"].value == 1.25
    assert not np.any([row[2:] for row in beside.rows["sensibleness"]["A"].values()])
    unrated = beside["nothing masked", "sensibleness"]
    assert (unrated.value, unrated.reason.partition(";")[0]) == (None, "no passage of it was rated")


def test_worker_processes_have_the_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, Said] = {f"d{number}": [[number % 3, 1]] for number in range(6)}
    alone = run_of(said, resamples=0)
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=10, start=0: chunks(self, characters, start))
    shared = run_of(said, resamples=0, jobs=2)
    assert shared.failures == []
    assert shared.rows == alone.rows


def test_ratings_are_in_the_signature() -> None:
    said: dict[str, Said] = {"a": [[2, 1]]}
    digest = ratings_of(said).digest[:8]
    assert f"ratings:ratings@{digest}" in run_of(said)["A", "sensibleness"].signature
    assert ratings_of({"a": [[2, 2]]}).digest[:8] != digest


def test_ratings_of_another_version_are_refused() -> None:
    corpus = Corpus([Document("a", "He came. She left.")])
    masks = Anonymization({"a": [Mask(0, 2, "X")]}, "A")
    rating = Rating(document="a", anonymization="A", item="0-9", rater="r", value=2)

    def problems(passage: str = "X  came.", **changed: str) -> list[str]:
        other = Rating(**{**{name: getattr(rating, name) for name in rating.__struct_fields__}, **changed})
        ratings = Ratings([other], passages={(other.anonymization, other.document): (passage,)})
        try:
            evaluate(corpus, [masks], ["sensibleness"], ratings=ratings, resamples=0)
        except InputError as error:
            return str(error).splitlines()
        return []

    assert problems() == []
    assert problems("Y came.") == [
        "ratings: document a: 'Y came.': was rated and is not in the text of A; expected ratings of this text"
    ]
    assert problems(document="b") == ["ratings: document b: was rated and is not in corpus; expected its ids"]
    assert problems(anonymization="B") == [
        "ratings: anonymization B: was rated and is not evaluated; expected ratings of A alone"
    ]
    with pytest.raises(InputError, match="has no ratings; expected at least one"):
        evaluate(corpus, [masks], ["sensibleness"], ratings=Ratings([]), resamples=0)


def test_pans_numbers(data: Path) -> None:
    """Potthast, Hagen and Stein (2016): A 1.94, B 0.57; and the same ratings in PAN's bare tables."""
    places = [f"{name}={path}" for name in "AB" for path in sorted((data / "pan").glob(f"sensibleness_{name}_*.json"))]
    ratings = read_ratings(places, ["A", "B"])
    chunk = Chunk(
        Corpus([Document(key, "x") for key in sorted({one.document for one in ratings.ratings})]),
        Resources(inputs={"ratings": ratings}),
    )
    for name, published in {"A": 1.94, "B": 0.57}.items():
        rows = chunk.rows(Sensibleness(), Anonymization({}, name))
        parts = Sensibleness().combine(rows.totals())
        bare = np.loadtxt(data / f"pan/sensibleness_{name}.csv", delimiter=",")
        assert round(parts[HEADLINE].item(), 2) == published
        assert parts[HEADLINE].item() == pytest.approx(bare.mean())
        assert sorted(parts[f"rater:{one}"].item() for one in ("dan", "mat", "pas")) == pytest.approx(
            sorted(bare.mean(axis=0))
        )
        counts = (bare[:, :, None] == np.arange(3)).sum(axis=1)
        assert parts[KAPPA].item() == pytest.approx(fleiss(counts).value)
        assert parts[ALPHA].item() == pytest.approx(krippendorff(counts, level="ordinal").value)
