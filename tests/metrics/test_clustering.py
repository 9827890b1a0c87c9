"""Normalised mutual information of clusterings: by hand, and against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Anonymization, ClusteringAgreement, Corpus, Document, Mask, evaluate, parse_metric
from showthrough.errors import PlanError
from showthrough.metrics import HEADLINE, METRICS, Rows, kmeans, metric_text
from showthrough.metrics.clustering import TAE_MARKS, marks_pattern
from showthrough.metrics.kmeans import clusterings, silhouette
from showthrough.resources import Resources

NMI = ClusteringAgreement(embedding="lsa")


def labels(*pairs: tuple[Sequence[int], Sequence[int]]) -> Rows:
    columns: dict[str, Any] = {}
    for number, (original, anonymized) in enumerate(pairs):
        columns |= {f"original.{number}": original, f"anonymized.{number}": anonymized}
    return Rows.named(columns)


def nmi(rows: Rows) -> float:
    return float(NMI.combine(NMI.counted(rows).totals())[HEADLINE])


# --- the number -------------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    # Two clusters of two, one document astray: H(original) = ln 2; H(anonymized) of 3 and 1 = ln 4 − ¾ ln 3;
    # joint 2, 1, 1: ½ ln 2 + ½ ln 4. I = ln 2 + ln 4 − ¾ ln 3 − 1.5 ln 2 = 1.5 ln 2 − ¾ ln 3.
    shared = 1.5 * np.log(2) - 0.75 * np.log(3)
    expected = 2 * shared / (np.log(2) + np.log(4) - 0.75 * np.log(3))
    assert nmi(labels(([0, 0, 1, 1], [0, 0, 0, 1]))) == pytest.approx(expected)


def test_same_and_unrelated_clusters() -> None:
    assert nmi(labels(([0, 0, 1, 1], [1, 1, 0, 0]))) == pytest.approx(1)  # names do not matter
    assert nmi(labels(([0, 0, 1, 1], [0, 1, 0, 1]))) == 0
    assert nmi(labels(([0, 0, 1, 1], [0, 0, 0, 0]))) == 0
    assert nmi(labels(([0, 0, 0, 0], [3, 3, 3, 3]))) == 1  # nothing to tell apart, on either side


def test_repeated_clusterings_are_averaged() -> None:
    one, two = ([0, 0, 1, 1], [1, 1, 0, 0]), ([0, 0, 1, 1], [0, 1, 0, 1])
    assert nmi(labels(one, two)) == pytest.approx((1 + 0) / 2)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_as_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import normalized_mutual_info_score

    one, two = zip(*pairs, strict=True)
    assert nmi(labels((one, two))) == pytest.approx(normalized_mutual_info_score(one, two), abs=1e-9)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12), st.randoms())
def test_resampled_totals_are_those_of_resampled_rows(pairs: list[tuple[int, int]], random: Any) -> None:
    """Counting first and resampling the counts is the same as resampling documents and counting then."""
    rows = labels(tuple(zip(*pairs, strict=True)))  # type: ignore[arg-type]
    counted = NMI.counted(rows)
    drawn = [[random.randrange(len(pairs)) for _ in pairs] for _ in range(4)]
    sums = np.array([counted.values[places].sum(axis=0) for places in drawn])
    together = NMI.combine(dict(zip(counted.columns, sums.T, strict=True)))[HEADLINE]
    apart = [nmi(Rows(rows.columns, rows.values[places])) for places in drawn]
    assert together == pytest.approx(apart)


# --- k-means ----------------------------------------------------------------------------------------------------------


def blobs(seed: int, centres: int = 4, each: int = 12, size: int = 6, spread: float = 0.3) -> Any:
    random = np.random.default_rng(seed)
    middle = random.normal(size=(centres, size)) * 3
    return np.repeat(middle, each, axis=0) + random.normal(size=(centres * each, size)) * spread


def inertia(points: Any, found: Any) -> float:
    groups = [points[found == name] for name in np.unique(found)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def test_clear_clusters_are_found() -> None:
    points = blobs(0)
    for found in clusterings(points, k=4, count=3, tries=10, seed=0):
        assert inertia(points, found) == pytest.approx(inertia(points, np.repeat(range(4), 12)))


@pytest.mark.parametrize(("shape", "k"), [((60, 5), 8), ((25, 40), 4), ((127, 384), 16)])
def test_as_good_as_scikit_learn(shape: tuple[int, int], k: int) -> None:
    """On points without clusters the best of 50 tries is on average as near to its centres as scikit-learn's."""
    from sklearn.cluster import KMeans

    ratios = []
    for seed in range(6):
        points = np.random.default_rng(seed).normal(size=shape)
        (ours,) = clusterings(points, k, count=1, tries=50, seed=seed)
        assert len(np.unique(ours)) == k
        ratios.append(inertia(points, ours) / KMeans(k, n_init=50, random_state=seed).fit(points).inertia_)
    assert np.mean(ratios) == pytest.approx(1, abs=0.01)


def test_a_settled_clustering_stays() -> None:
    """Every point is nearest to the centre of its own cluster."""
    points = np.random.default_rng(2).normal(size=(80, 3))
    (found,) = clusterings(points, k=6, count=1, tries=3, seed=0)
    centres = np.array([points[found == name].mean(axis=0) for name in range(6)])
    distance = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
    assert (distance.argmin(axis=1) == found).all()


def test_seeds() -> None:
    points = np.random.default_rng(3).normal(size=(50, 4))
    one, two, other = (clusterings(points, k=5, count=3, tries=2, seed=seed) for seed in (0, 0, 1))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert any((a != b).any() for a, b in zip(one, other, strict=True))
    assert any((a != one[0]).any() for a in one[1:])  # repeats differ from each other


def test_memory_is_bounded_by_fewer_tries_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few as there is room for; and how many they are, which hangs on the machine, changes nothing."""
    points = np.random.default_rng(0).normal(size=(40, 5))  # without clear groups every start ends elsewhere
    together = []

    def watched(points: Any, firsts: Any, chances: Any) -> Any:
        together.append(len(firsts))
        return starts(points, firsts, chances)

    starts = kmeans._starts
    monkeypatch.setattr(kmeans, "_starts", watched)
    whole = clusterings(points, k=6, count=3, tries=8, seed=0)
    assert set(together) == {8}
    for cells, most in ((3 * 40 * 6 * 5, 5), (1, 1)):
        together.clear()
        monkeypatch.setattr(kmeans, "_CELLS", cells)
        monkeypatch.setattr(kmeans, "cores", lambda: 3)
        again = clusterings(points, k=6, count=3, tries=8, seed=0)
        assert max(together) == most
        assert all((one == two).all() for one, two in zip(whole, again, strict=True))


def test_fewer_places_than_clusters() -> None:
    points = np.array([[0.0], [0.0], [0.0], [1.0]])
    (found,) = clusterings(points, k=3, count=1, tries=4, seed=0)
    assert inertia(points, found) == 0


@pytest.mark.parametrize("k", [2, 5, 20])
def test_silhouette_as_scikit_learn(k: int) -> None:
    from sklearn.metrics import silhouette_score

    random = np.random.default_rng(k)
    points = random.normal(size=(40, 7))
    found = np.concatenate([np.arange(k), random.integers(0, k, size=40 - k)])
    assert silhouette(points, found) == pytest.approx(silhouette_score(points, found, metric="cosine"))


def test_silhouette_of_one_cluster_is_nothing() -> None:
    assert silhouette(np.ones((4, 2)), np.zeros(4, dtype=int)) == 0


# --- the metric -------------------------------------------------------------------------------------------------------

TOPICS = (
    "The cat sat on the mat and purred at the other cat {n}.",
    "The court dismissed the appeal of the applicant on costs {n}.",
    "Rain and snow fell on the mountain all through winter {n}.",
)
CORPUS = Corpus([Document(f"d{n}", TOPICS[n % 3].format(n=n)) for n in range(18)])


def score(masks: dict[str, list[Mask]], metric: ClusteringAgreement = NMI) -> Any:
    run = evaluate(CORPUS, {"m": Anonymization(masks)}, metrics=[metric], resamples=200)
    assert not run.failures
    return run["m", metric]


def test_masking_nothing_keeps_the_groups() -> None:
    found = score({document.id: [] for document in CORPUS})
    assert (found.value, found.low, found.high) == (1, 1, 1)


def test_masking_everything_loses_them() -> None:
    assert score({document.id: [Mask(0, len(document.text))] for document in CORPUS}).value < 0.2


def test_the_order_of_masks_does_not_matter() -> None:
    masks = {document.id: [Mask(0, 3, "A"), Mask(8, 12, None), Mask(11, 20, "B")] for document in CORPUS}
    assert score(masks) == score({key: found[::-1] for key, found in masks.items()})


def test_the_order_of_documents_does_not_matter() -> None:
    masks = Anonymization({d.id: [Mask(0, 30)] for d in CORPUS})
    turned = Corpus(list(CORPUS)[::-1])
    one, two = (evaluate(each, {"m": masks}, [NMI], resamples=0) for each in (CORPUS, turned))
    assert one["m", NMI].value == two["m", NMI].value
    text = metric_text(NMI)
    for column, found in one.rows[text]["m"].items():
        assert list(two.rows[text]["m"][column]) == list(found)[::-1]


def test_the_same_twice_and_another_seed() -> None:
    masks = {document.id: [Mask(n, n + 20)] for n, document in enumerate(CORPUS)}
    assert score(masks) == score(masks)
    assert "|seed:3|" in score(masks, ClusteringAgreement(embedding="lsa", seed=3)).signature


def test_other_anonymizations_do_not_matter() -> None:
    one = Anonymization({document.id: [Mask(0, 20)] for document in CORPUS})
    two = Anonymization({document.id: [Mask(5, 30, "X")] for document in CORPUS})
    alone = evaluate(CORPUS, {"a": one}, metrics=[NMI])
    both = evaluate(CORPUS, {"b": two, "a": one}, metrics=[NMI])
    assert alone["a", NMI].value == both["a", NMI].value


def test_rows_are_labels_and_survive_the_file(tmp_path: Any) -> None:
    run = evaluate(CORPUS, {"a": Anonymization({d.id: [] for d in CORPUS}), "b": Anonymization({d.id: [Mask(0, 30)] for d in CORPUS})}, [NMI])  # fmt: skip  # noqa: E501
    rows = run.rows['nmi(embedding="lsa")']["a"]
    assert list(rows)[:2] == ["original.0", "anonymized.0"]
    assert rows["original.0"] == rows["anonymized.0"]
    assert len(set(rows["original.0"])) in (2, 4, 8, 16)
    run.save(tmp_path / "run.json")
    again = type(run).load(tmp_path / "run.json")
    assert again.compare(NMI) == run.compare(NMI)
    (compared,) = run.compare(NMI)
    assert compared.difference == pytest.approx(run["a", NMI].value - run["b", NMI].value)  # type: ignore[operator]
    assert compared.p is not None
    assert 0 < compared.p <= 1


def test_an_anonymization_that_is_no_different_is_not_significant() -> None:
    same = {document.id: [Mask(0, 10)] for document in CORPUS}
    run = evaluate(CORPUS, {"a": Anonymization(same), "b": Anonymization(same)}, [NMI])
    (compared,) = run.compare(NMI)
    assert (compared.difference, compared.p) == (0, 1)


class Points(Resources):
    """Embeddings that a test gives: the text is the number of the point."""

    def __init__(self, points: Any) -> None:
        super().__init__()
        self.points = points

    def embedder(self, name: str) -> Any:
        return self

    def fitted(self, originals: Sequence[str], long_texts: str) -> Callable[[Sequence[str]], Any]:
        return lambda texts: np.array([self.points[int(text)] for text in texts], dtype=np.float32)


def test_the_clearest_k_counts() -> None:
    """Four groups far apart: of k = 2, 4, 8, 16 the second has the best silhouette."""
    points = blobs(5, centres=4, each=6)
    corpus = Corpus([Document(f"d{n}", str(n)) for n in range(24)])
    rows = NMI.bind(corpus, Points(points))(Anonymization({}))
    assert len(set(rows.values[:, 0])) == 4
    assert nmi(rows) == pytest.approx(1)


@pytest.mark.parametrize(("documents", "least"), [(1, 2), (3, 4)])
def test_fewer_documents_than_clusters(documents: int, least: int) -> None:
    corpus = Corpus([Document(f"d{n}", f"word{n} and more") for n in range(documents)])
    masks = Anonymization({document.id: [] for document in corpus})
    metric = ClusteringAgreement(embedding="lsa", min_k=least)
    run = evaluate(corpus, {"m": masks}, metrics=[metric])
    assert run["m", metric].value is None
    assert run["m", metric].reason == "there are fewer documents than clusters"


def test_texts_without_a_word() -> None:
    corpus = Corpus([Document(f"d{n}", "…") for n in range(4)])
    run = evaluate(corpus, {"m": Anonymization({d.id: [] for d in corpus})}, metrics=[NMI])
    assert run["m", NMI].value == 1  # one cluster before, the same after


# --- mask marks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marks", "text", "left"),
    [
        ("tae", "DATE_TIME and DATE and UPDATED", " and  and UPDATED"),  # the longest first, whole words only
        ("tae", "Mr ***, born ***", "Mr , born "),
        ("tae", "ORG_3 and ORG's", "ORG_3 and 's"),
        ("none", "PERSON", "PERSON"),
        ("X, [Y]", "X [Y] XY PERSON", "  XY PERSON"),
    ],
)
def test_marks(marks: str, text: str, left: str) -> None:
    pattern = marks_pattern(marks)
    assert (pattern.sub("", text) if pattern else text) == left


def test_marks_are_removed_before_embedding() -> None:
    names = {document.id: [Mask(0, 3, "PERSON")] for document in CORPUS}
    bare = {document.id: [Mask(0, 3, None)] for document in CORPUS}
    assert score(names).value == score(bare).value
    assert len(TAE_MARKS) == len(set(TAE_MARKS)) == 25


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('nmi(embedding="x")', "embedding='x' is not known; expected lsa, st:<name> or the path of a folder"),
        ("nmi(min_k=1)", "min_k=1 is out of range; expected 2 or more"),
        ("nmi(k_multiplier=1)", "k_multiplier=1 is out of range; expected 2 or more"),
        ("nmi(n_tries=0)", "n_tries=0 is out of range; expected 1 or more"),
        ("nmi(max_k=3, min_k=4)", "max_k=3 is less than min_k=4"),
        ("nmi(seed=-1)", "seed=-1 is out of range"),
        ('nmi(long_documents="cut")', "long_documents='cut' is not known"),
        ('nmi(embedding="lsa", long_documents="mean")', "long_documents='mean' is for models"),
    ],
)
def test_parameters_that_are_not_there(text: str, says: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_metric(text)
    assert says in str(caught.value)


def test_the_default_is_the_literatures() -> None:
    assert METRICS["nmi"].models == {"embedding": "st:all-MiniLM-L6-v2"}
