"""Authors with habits: words that they like, marks that they set, and how long their sentences are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from showthrough import Corpus, Document
from showthrough.data.documents import Authorship
from showthrough.families.authorship.verifiers.base import Question

WORDS = [
    *("the", "a", "of", "and", "to", "in", "it", "was", "he", "she", "they", "said", "went", "saw", "took", "gave"),
    *("house", "river", "garden", "letter", "morning", "evening", "stone", "quickly", "slowly", "never", "always"),
    *("perhaps", "old", "small", "green", "bright", "empty", "quiet", "because", "although", "while", "until", "which"),
]


def written(author: int, text: int, sentences: int = 12) -> str:
    """A text that an author wrote: no two of one author are equal."""
    habits = np.random.default_rng(author)
    liking = habits.dirichlet(np.full(len(WORDS), 0.3))
    length, mark = int(habits.integers(4, 16)), "!?;.,"[author % 5]
    random = np.random.default_rng(1000 * author + text + 7)
    drawn = [random.choice(WORDS, size=length, p=liking) for _ in range(sentences)]
    return "\n".join(f"{' '.join(each[:3])}{mark} {' '.join(each[3:])}.".capitalize() for each in drawn) + f" {text}\n"


def problems(count: int = 40, apart: int = 0) -> Corpus:
    """Half of them by one author, half by two; no author is in two problems."""
    documents = []
    for number in range(apart, apart + count):
        same, author = number % 2 == 0, 3 * number
        known = tuple(written(author, text) for text in range(1 + number % 3))
        unknown = written(author if same else author + 1, 9)
        documents.append(Document(f"p{number}", unknown, authorship=Authorship(known, same)))
    return Corpus(documents, "habits")


def questions_of(corpus: Corpus) -> list[Question]:
    return [Question(one.authorship.known, one.text) for one in corpus if one.authorship]


def truth_of(corpus: Corpus) -> np.ndarray:
    return np.array([bool(one.authorship and one.authorship.same) for one in corpus])


def write_problems(corpus: Corpus, folder: Path) -> Path:
    """As PAN has them."""
    for one in corpus:
        assert one.authorship is not None
        home = folder / one.id
        home.mkdir(parents=True)
        (home / "unknown.txt").write_text(one.text, encoding="utf-8")
        for number, text in enumerate(one.authorship.known, 1):
            (home / f"known{number:02}.txt").write_text(text, encoding="utf-8")
    lines = (f"{one.id} {'Y' if one.authorship and one.authorship.same else 'N'}\n" for one in corpus)
    (folder / "truth.txt").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return problems()
