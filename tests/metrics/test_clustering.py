"""Normalised and adjusted mutual information of clusterings: by hand, and against scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from in_blocks import Blocks
from showthrough import Anonymization, ClusteringAgreement, Corpus, Document, Mask, evaluate, parse_metric
from showthrough.core.errors import PlanError
from showthrough.families.information import _kmeans
from showthrough.families.information._kmeans import clusterings, silhouette
from showthrough.families.information._mutual_information import agreement
from showthrough.families.information.clustering import TAE_MARKS, marks_pattern
from showthrough.metrics import HEADLINE, METRICS, Rows, metric_text
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.statistics import resampled_totals

NMI = ClusteringAgreement(embedding="lsa")


def labels(*pairs: tuple[Sequence[int], Sequence[int]], k: int = 2, silhouette: float = 0.5) -> Rows:
    columns: dict[str, Any] = {}
    for number, (original, anonymized) in enumerate(pairs):
        columns |= {f"original.{k}.{number}": original, f"anonymized.{k}.{number}": anonymized}
    documents = len(pairs[0][0])
    return Rows.named(columns | {f"silhouette.{k}": [silhouette] * documents, f"repeat.{k}": [0.75] * documents})


def side_by_side(*rows: Rows) -> Rows:
    return Rows(tuple(name for each in rows for name in each.columns), np.hstack([each.values for each in rows]))


def parts(rows: Rows) -> dict[str, float]:
    return {part: float(value) for part, value in NMI.combine(NMI.totals(rows)).items()}


def each_by_itself(rows: Rows) -> Rows:
    """What each document adds to the totals."""
    return Rows.concatenate([Rows.named(NMI.totals(Rows(rows.columns, row[None]))) for row in rows.values])


def nmi(rows: Rows) -> float:
    return parts(rows)[HEADLINE]


# --- the number -------------------------------------------------------------------------------------------------------


def test_documents_in_blocks_are_counted_as_all_together() -> None:
    random = np.random.default_rng(0)
    pairs = [(random.integers(0, 3, 40).tolist(), random.integers(0, 3, 40).tolist()) for _ in range(2)]
    rows = labels(*pairs)
    for size in (1, 7, 39):
        found, at_once = NMI.totals(Blocks(rows.values, size, rows.columns)), NMI.totals(rows)
        assert list(found) == list(at_once)  # cells in their order, whichever document came first
        assert [float(one) for one in found.values()] == pytest.approx([float(one) for one in at_once.values()])


def test_by_hand() -> None:
    # Two clusters of two, one document astray: H(original) = ln 2; H(anonymized) of 3 and 1 = ln 4 − ¾ ln 3;
    # joint 2, 1, 1: ½ ln 2 + ½ ln 4. I = ln 2 + ln 4 − ¾ ln 3 − 1.5 ln 2 = 1.5 ln 2 − ¾ ln 3.
    shared = 1.5 * np.log(2) - 0.75 * np.log(3)
    expected = 2 * shared / (np.log(2) + np.log(4) - 0.75 * np.log(3))
    found = parts(labels(([0, 0, 1, 1], [0, 0, 0, 1])))
    assert found[HEADLINE] == pytest.approx(expected)
    # Whichever document is alone, two of the three others are of one cluster: chance gives the same every time.
    assert found["chance"] == pytest.approx(expected)
    assert found["ami"] == pytest.approx(0)


def test_chance_by_hand() -> None:
    # abc | def and ab | cdef. H(original) = ln 2, H(anonymized) = ⅓ ln 3 + ⅔ ln 1.5, joint 2, 1, 3 of 6.
    # Of the C(6, 2) = 15 pairs that could stand where ab does, 3 + 3 lie in one cluster of the originals, and I is as
    # here; the 9 others lie across, two and two of each, and I = 0. So chance gives 6 / 15 = 0.4 of I.
    one, two = np.log(2), np.log(3) / 3 + np.log(1.5) * 2 / 3
    shared = one + two - (np.log(3) / 3 + np.log(6) / 6 + np.log(2) / 2)
    mean = (one + two) / 2
    found = parts(labels(([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1])))
    assert found[HEADLINE] == pytest.approx(shared / mean) == pytest.approx(0.47871, abs=1e-5)
    assert found["chance"] == pytest.approx(0.4 * shared / mean) == pytest.approx(0.19148, abs=1e-5)
    assert found["ami"] == pytest.approx(0.6 * shared / (mean - 0.4 * shared)) == pytest.approx(0.35525, abs=1e-5)


def test_same_and_unrelated_clusters() -> None:
    assert nmi(labels(([0, 0, 1, 1], [1, 1, 0, 0]))) == pytest.approx(1)  # names do not matter
    assert nmi(labels(([0, 0, 1, 1], [0, 1, 0, 1]))) == 0
    assert nmi(labels(([0, 0, 1, 1], [0, 0, 0, 0]))) == 0
    assert nmi(labels(([0, 0, 0, 0], [3, 3, 3, 3]))) == 1  # nothing to tell apart, on either side


@pytest.mark.parametrize(
    ("one", "two", "value"),
    [
        ([0, 0, 1, 1], [0, 0, 0, 0], 0),  # one side is a single cluster, and tells nothing
        ([0, 0, 0, 0], [0, 0, 1, 2], 0),
        ([0, 0, 0, 0], [1, 1, 1, 1], 1),  # both are: nothing to lose
        ([0, 1, 2, 3], [2, 3, 0, 1], 1),  # each document its own: whatever is permuted, nothing changes
    ],
)
def test_where_chance_cannot_change_anything(one: list[int], two: list[int], value: float) -> None:
    from sklearn.metrics import adjusted_mutual_info_score

    found = parts(labels((one, two)))
    assert [found[part] for part in (HEADLINE, "ami", "chance")] == pytest.approx([value] * 3, abs=1e-12)
    assert adjusted_mutual_info_score(one, two) == pytest.approx(value)


def test_chance_is_the_mean_over_all_permutations() -> None:
    one, two = [0, 0, 0, 1, 1, 2], [0, 1, 1, 0, 0, 2]
    permuted = [nmi(labels((one, other))) for other in permutations(two)]
    assert parts(labels((one, two)))["chance"] == pytest.approx(np.mean(permuted))


def test_labels_of_no_relation_do_not_score_0() -> None:
    """42 documents in 16 clusters: permuted labels score some 0.64, and only the adjusted number says nothing."""
    random = np.random.default_rng(0)
    one = np.arange(42) % 16
    pairs: list[Any] = [(one, random.permutation(one)) for _ in range(50)]
    found = parts(labels(*pairs, k=16))
    assert found[HEADLINE] > 0.6
    assert found["chance"] == pytest.approx(found[HEADLINE], abs=0.01)
    assert found["ami"] == pytest.approx(0, abs=0.02)


def test_repeated_clusterings_are_averaged() -> None:
    one, two = ([0, 0, 1, 1], [1, 1, 0, 0]), ([0, 0, 1, 1], [0, 1, 0, 1])
    found = parts(labels(one, two))
    assert found[HEADLINE] == pytest.approx((1 + 0) / 2)
    # Of 3 ways to halve four documents one is the same: chance is 1/3 for both; adjusted: 1 and (0 − 1/3) / (1 − 1/3).
    assert found["chance"] == pytest.approx(1 / 3)
    assert found["ami"] == pytest.approx((1 - 1 / 2) / 2)


def test_the_clearest_number_of_clusters_gives_the_headline() -> None:
    two = labels(([0, 0, 1, 1], [0, 1, 0, 1]), k=2, silhouette=0.25)
    three = labels(([0, 0, 1, 2], [0, 0, 2, 1]), k=3, silhouette=0.5)
    found = parts(side_by_side(two, three))
    assert (found[HEADLINE], found["k"], found["k=2"], found["k=3"]) == (1, 3, 0, 1)
    assert (found["lead"], found["repeat"]) == (0.25, 0.75)
    assert found["chance"] == parts(three)["chance"]
    assert "lead" not in parts(three)  # of nothing


def test_the_smaller_number_of_clusters_wins_a_tie() -> None:
    two, four = (labels(([0, 0, 1, 1], [0, 0, 1, 1]), k=k) for k in (2, 4))
    found = parts(side_by_side(four, two))
    assert (found["k"], found["lead"]) == (2, 0)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_as_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

    one, two = zip(*pairs, strict=True)
    found = parts(labels((one, two)))
    assert found[HEADLINE] == pytest.approx(normalized_mutual_info_score(one, two), abs=1e-9)
    assert found["ami"] == pytest.approx(adjusted_mutual_info_score(one, two), abs=1e-9)
    assert 0 <= found["chance"] <= 1 + 1e-9


@pytest.mark.parametrize(("documents", "k"), [(42, 2), (42, 32), (127, 8), (1000, 32)])
def test_adjusted_as_scikit_learn(documents: int, k: int) -> None:
    from sklearn.metrics import adjusted_mutual_info_score

    random = np.random.default_rng(documents)
    one = random.integers(0, k, size=documents)
    two = np.where(random.random(documents) < 0.7, one, random.integers(0, k, size=documents))
    found = parts(labels((one, two)))  # type: ignore[arg-type]
    assert found["ami"] == pytest.approx(adjusted_mutual_info_score(one, two), abs=1e-9)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12), st.randoms())
def test_resampled_totals_are_those_of_resampled_rows(pairs: list[tuple[int, int]], random: Any) -> None:
    """Adding up what documents count is the same as resampling documents and counting then."""
    rows = labels(tuple(zip(*pairs, strict=True)))  # type: ignore[arg-type]
    drawn = [[random.randrange(len(pairs)) for _ in pairs] for _ in range(4)]
    counted = each_by_itself(rows)
    sums = np.array([counted.values[places].sum(axis=0) for places in drawn])
    together = NMI.combine(dict(zip(counted.columns, sums.T, strict=True)))
    apart = [parts(Rows(rows.columns, rows.values[places])) for places in drawn]
    square = NMI.combine(dict(zip(counted.columns, sums.T.reshape(-1, 2, 2), strict=True)))
    for part, values in together.items():
        assert values == pytest.approx([each[part] for each in apart], abs=1e-12)
        assert square[part].reshape(-1) == pytest.approx(values, abs=1e-12)


def test_counts_of_other_numbers_of_documents_in_one_stack() -> None:
    cells = [(0, 0, [2.0, 4.0, 0.0]), (0, 1, [1.0, 2.0, 0.0]), (1, 1, [3.0, 6.0, 0.0])]
    found = agreement([(one, two, np.array(counts)) for one, two, counts in cells])
    for place in (0, 1):
        alone = agreement([(one, two, np.array(counts[place])) for one, two, counts in cells])
        assert [values[place] for values in found] == pytest.approx([float(value) for value in alone])
    assert np.isnan([found.nmi[2], found.chance[2]]).all()  # no document


def test_no_interval_and_no_test() -> None:
    for part in parts(labels(([0, 0, 1, 1], [0, 0, 0, 1]))):
        assert "clusters are made of all documents together" in NMI.interval_fault(part)
        assert "clusters are made of all documents together" in NMI.test_fault(part)


def test_resampled_documents_miss_the_value_itself() -> None:
    """Why there is no interval: 42 documents, 16 clusters, every second document drawn anew."""
    random = np.random.default_rng(0)
    one = np.arange(42) % 16
    two = np.where(random.random(42) < 0.5, random.permutation(one), one)
    counted = each_by_itself(labels((one, two)))  # type: ignore[arg-type]
    resampled = NMI.combine(dict(zip(counted.columns, resampled_totals(counted.values, 1000, 0).T, strict=True)))
    assert np.quantile(resampled[HEADLINE], 0.025) > nmi(labels((one, two)))  # type: ignore[arg-type]


def test_rows_of_an_earlier_version_give_no_number() -> None:
    earlier = Rows.named({"original.0": [0, 0, 1], "anonymized.0": [0, 1, 1]})
    assert np.isnan(nmi(earlier))
    with pytest.raises(KeyError, match=r"anonymized\.2\.0"):
        nmi(Rows.named({"original.2.0": [0, 0, 1]}))


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


@pytest.mark.slow
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

    starts = _kmeans._starts
    monkeypatch.setattr(_kmeans, "_starts", watched)
    whole = clusterings(points, k=6, count=3, tries=8, seed=0)
    assert set(together) == {8}
    for cells, most in ((3 * 40 * 6 * 5, 5), (1, 1)):
        together.clear()
        monkeypatch.setattr(_kmeans, "_CELLS", cells)
        monkeypatch.setattr(_kmeans, "cores", lambda: 3)
        again = clusterings(points, k=6, count=3, tries=8, seed=0)
        assert max(together) == most
        assert all((one == two).all() for one, two in zip(whole, again, strict=True))


def test_fewer_places_than_clusters() -> None:
    points = np.array([[0.0], [0.0], [0.0], [1.0]])
    (found,) = clusterings(points, k=3, count=1, tries=4, seed=0)
    assert inertia(points, found) == 0


@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("size", [3, 384])
def test_points_in_one_place_are_in_one_cluster(places: int, size: int) -> None:
    """Also where centres lie in the same place too, and only rounding tells which is nearer."""
    for seed in range(5):
        points = np.repeat(np.random.default_rng(seed).normal(size=(places, size)), 14, axis=0)
        for found in clusterings(points, k=8, count=2, tries=5, seed=seed):
            assert [len(set(each)) for each in found.reshape(places, 14)] == [1] * places
            assert len(set(found)) == places


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
    assert score({document.id: [] for document in CORPUS}).value == 1


def test_masking_everything_loses_them() -> None:
    assert score({document.id: [Mask(0, len(document.text))] for document in CORPUS}).value == 0


def test_nothing_masked_and_everything_masked() -> None:
    nothing = Anonymization({document.id: [] for document in CORPUS})
    everything = Anonymization({document.id: [Mask(0, len(document.text))] for document in CORPUS})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = evaluate(CORPUS, {"nothing": nothing, "everything": everything}, metrics=[NMI], resamples=20)
    best, worst = ({key: one.value for key, one in run.parts(name, NMI).items()} for name in run.names)
    tried = ["k=2", "k=4", "k=8", "k=16"]
    assert list(best) == list(worst) == [HEADLINE, "ami", "chance", "k", "lead", "repeat", *tried]
    assert all(best[part] == 1 for part in (HEADLINE, "ami", *tried))
    assert all(worst[part] == 0 for part in (HEADLINE, "ami", "chance", *tried))
    assert all(best[part] == worst[part] for part in ("k", "lead", "repeat"))  # of the originals alone


def test_texts_that_became_one_and_the_same() -> None:
    """A model has a vector for the empty text as well, and it is not 0."""
    points = np.vstack([blobs(5, centres=4, each=6, size=384), np.random.default_rng(0).normal(size=(1, 384))])
    corpus = Corpus([Document(f"d{n}", str(n)) for n in range(24)])
    masks = {document.id: [Mask(0, len(document.text), "24")] for document in corpus}
    found = parts(Chunk(corpus, Points(points)).rows(NMI, Anonymization(masks)))
    assert (found[HEADLINE], found["ami"], found["chance"]) == (0, 0, 0)


def test_a_part_is_the_number_with_so_many_clusters() -> None:
    masks = {document.id: [Mask(0, 25)] for document in CORPUS}
    run = evaluate(CORPUS, {"m": Anonymization(masks)}, metrics=[NMI], resamples=0)
    for k in (2, 4, 8, 16):
        alone = score(masks, ClusteringAgreement(embedding="lsa", min_k=k, max_k=k))
        assert run["m", NMI, f"k={k}"].value == alone.value
    chosen = run["m", NMI, "k"].value
    assert run["m", NMI].value == run["m", NMI, f"k={chosen:.0f}"].value


def test_how_far_repeated_clusterings_agree() -> None:
    """Clear groups are found wherever one starts; with one clustering there is nothing to repeat."""
    corpus = Corpus([Document(f"d{n}", str(n)) for n in range(24)])
    rows = Chunk(corpus, Points(blobs(5, centres=4, each=6))).rows(NMI, Anonymization({}))
    assert parts(rows)["repeat"] == pytest.approx(1)
    unclear = Chunk(corpus, Points(np.random.default_rng(0).normal(size=(24, 30)))).rows(NMI, Anonymization({}))
    assert parts(unclear)["repeat"] < 0.95
    one = ClusteringAgreement(embedding="lsa", n_clusterings=1)
    run = evaluate(CORPUS, {"m": Anonymization({d.id: [] for d in CORPUS})}, metrics=[one], resamples=0)
    assert "repeat" not in run.parts("m", one)


def test_the_order_of_masks_does_not_matter() -> None:
    masks = {document.id: [Mask(0, 3, "A"), Mask(8, 12, None), Mask(11, 20, "B")] for document in CORPUS}
    assert score(masks) == score({key: found[::-1] for key, found in masks.items()})


def test_the_order_of_documents_does_not_matter() -> None:
    masks = Anonymization({d.id: [Mask(0, 30)] for d in CORPUS})
    turned = Corpus(list(CORPUS)[::-1])
    one, two = (evaluate(each, {"m": masks}, [NMI], resamples=0) for each in (CORPUS, turned))
    assert [each.value for each in one.scores] == [each.value for each in two.scores]
    text = metric_text(NMI)
    for column, found in one.rows[text]["m"].items():
        assert list(two.rows[text]["m"][column]) == list(found)[::-1]


def named(names: Sequence[str], masks: Sequence[list[Mask]]) -> tuple[Corpus, Anonymization]:
    """The same texts under other names; three of them are there twice, masked otherwise."""
    texts = [document.text for document in CORPUS]
    documents = [Document(name, text) for name, text in zip(names, [*texts, *texts[:3]], strict=True)]
    return Corpus(documents), Anonymization(dict(zip(names, masks, strict=True)))


@pytest.mark.parametrize("embedding", ["lsa", "st:any"])
def test_the_names_of_documents_do_not_matter(embedding: str) -> None:
    """Whatever the id column says, and whichever of two equal texts comes first: the same texts, the same number."""
    count = len(CORPUS) + 3
    masks = [[Mask(n % 5, 25 + n % 7, "X" * (n % 3))] for n in range(count)]
    metric = ClusteringAgreement(embedding=embedding)
    random = np.random.default_rng(0)
    found = []
    for _ in range(3):
        corpus, masked = named([f"d{n}" for n in random.permutation(count)], masks)
        order = random.permutation(count)
        corpus = Corpus([corpus.documents[place] for place in order])
        resources = Resources() if embedding == "lsa" else Letters()
        rows = Chunk(corpus, resources).rows(metric, masked)
        found.append((parts(rows), rows.values[np.argsort(order)].tolist()))
    assert found[0] == found[1] == found[2]


class Letters(Resources):
    """Embeds by how often letters occur: a text's vector hangs on nothing but the text."""

    def embedder(self, name: str) -> Any:
        return self

    def fitted(self, originals: Sequence[str], long_texts: str) -> Callable[[Sequence[str]], Any]:
        return lambda texts: np.array([[text.count(letter) for letter in "aeinorst"] for text in texts], np.float32)


def test_a_number_of_clusters_that_hardly_leads_is_told() -> None:
    """Silhouettes of 0.5002 and 0.5: the note has both k, and what each scores. By hand: 0 with k = 2, 1 with 3."""
    two = labels(([0, 0, 1, 1], [0, 1, 0, 1]), k=2, silhouette=0.5002)
    three = labels(([0, 0, 1, 2], [0, 0, 2, 1]), k=3, silhouette=0.5)
    far = labels(([0, 0, 1, 2], [0, 0, 2, 1]), k=4, silhouette=0.48)
    (note,) = NMI.remarks({"a": side_by_side(two, three, far)}, Resources())
    assert note == (
        'nmi(embedding="lsa") depends on the number of groups: 2 and 3 fit the documents about equally well '
        "(silhouettes 0.5002 and 0.5000). With 2 or 3 groups: a 0.000 or 1.000"
    )
    assert NMI.remarks({"a": side_by_side(two, far)}, Resources()) == []  # a lead of 0.02
    assert NMI.remarks({"a": two}, Resources()) == []  # no other k
    same = labels(([0, 0, 1, 1], [0, 1, 0, 1]), k=4, silhouette=0.5)
    assert NMI.remarks({"a": side_by_side(two, same)}, Resources()) == []  # either k gives the same number
    assert NMI.remarks({"nothing masked": side_by_side(two, three)}, Resources()) == []


def test_a_lead_that_starts_make_is_told() -> None:
    """Two standard errors of 0.03 and 0.04, together 0.05: a lead up to 0.1 says nothing."""
    two = labels(([0, 0, 1, 1], [0, 1, 0, 1]), k=2, silhouette=0.5)
    for clear, notes in ((0.41, 1), (0.39, 0)):
        three = labels(([0, 0, 1, 2], [0, 0, 2, 1]), k=3, silhouette=clear)
        errors = Rows.named({"error.2": [0.03] * 4, "error.3": [0.04] * 4})
        assert len(NMI.remarks({"a": side_by_side(two, three, errors)}, Resources())) == notes


def test_an_unstable_number_of_clusters_is_a_note_of_the_run() -> None:
    """Texts of words drawn at random have no clusters: no k leads."""
    random = np.random.default_rng(1)
    words = np.array([f"w{n}" for n in range(60)])
    corpus = Corpus([Document(f"d{n}", " ".join(words[random.integers(0, 60, 40)])) for n in range(40)])
    run = evaluate(corpus, {"m": Anonymization({d.id: [Mask(0, 40)] for d in corpus})}, [NMI], resamples=0)
    near = [note for note in run.notes if "fit the documents about equally well" in note]
    assert len(near) == (run["m", NMI, "lead"].value < 0.01) == 1


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
    assert list(rows)[:2] == ["original.2.0", "anonymized.2.0"]
    assert rows["original.8.0"] == rows["anonymized.8.0"]
    assert [len(set(rows[f"original.{k}.0"])) for k in (2, 4, 8, 16)] == [2, 4, 8, 16]
    run.save(tmp_path / "run.json")
    again = type(run).load(tmp_path / "run.json")
    assert again.scores == run.scores
    assert again.rows == run.rows
    compared = next(one for one in again.compare(NMI, shuffles=9) if one.part == HEADLINE)
    assert compared.difference == pytest.approx(run["a", NMI].value - run["b", NMI].value)  # type: ignore[operator]


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
    found = parts(Chunk(corpus, Points(points)).rows(NMI, Anonymization({})))
    assert found["k"] == 4
    assert found[HEADLINE] == pytest.approx(1)


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


def test_tries_are_made_with_some_of_many_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """All points are looked at for one try, the best; or time would grow with points times tries."""
    looked_at: list[tuple[int, int]] = []
    settled = _kmeans._run_lloyd

    def counting(points: Any, centres: Any) -> Any:
        looked_at.append((len(points), len(centres)))
        return settled(points, centres)

    monkeypatch.setattr(_kmeans, "_run_lloyd", counting)
    monkeypatch.setattr(_kmeans, "SAMPLE", 40)
    random = np.random.default_rng(0)
    own = random.integers(0, 4, 500)
    points = 10 * np.eye(4)[own] + random.normal(size=(500, 4))
    for found in _kmeans.clusterings(points, 4, 2, 9, 0):
        assert len(set(zip(own.tolist(), found.tolist(), strict=True))) == 4  # the very clusters, by other names
    assert sum(size * tries for size, tries in looked_at) == 2 * (9 * 40 + 500)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('nmi(embedding="x")', "embedding='x' is not known; expected lsa, st:<name> or the path of a folder"),
        ("nmi(min_k=1)", "min_k=1 is out of range; expected 2 to 1,000"),
        ("nmi(k_multiplier=1)", "k_multiplier=1 is out of range; expected 2 to 1,000"),
        ("nmi(n_tries=0)", "n_tries=0 is out of range; expected 1 to 1,000"),
        ("nmi(n_tries=1001)", "n_tries=1001 is out of range; expected 1 to 1,000"),
        ("nmi(n_clusterings=101)", "n_clusterings=101 is out of range; expected 1 to 100"),
        ("nmi(max_k=1001)", "max_k=1001 is out of range; expected 2 to 1,000"),
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
