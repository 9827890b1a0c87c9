"""Safety of the two submissions of PAN 2016's author masking, from the answers that were published with them."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from showthrough import Anonymization, Authorship, Corpus, Document, Run, evaluate

DATA = Path(os.environ.get("SHOWTHROUGH_DATA", "")) / "pan"
METRIC = 'safety(verifier="answers")'

pytestmark = pytest.mark.skipif("SHOWTHROUGH_DATA" not in os.environ, reason="needs PAN's files")


def read(text: str) -> dict[str, float]:
    return {name: float(answer) for name, answer in map(str.split, filter(None, text.splitlines()))}


def submitted(name: str) -> dict[str, float]:
    with tarfile.open(DATA / f"submission_{name}.tar.gz") as archive:
        (file,) = [one for one in archive.getmembers() if one.name.endswith("/answers.txt")]
        content = archive.extractfile(file)
        assert content is not None
        return read(content.read().decode())


@pytest.fixture(scope="module")
def run() -> Run:
    answers = {"original": read((DATA / "answers_original.txt").read_text()), "A": submitted("A"), "B": submitted("B")}
    corpus = Corpus([Document(key, "a text", authorship=Authorship(("a known text",))) for key in answers["original"]])
    systems = {name: Anonymization({key: [] for key in corpus.ids}) for name in "AB"}
    return evaluate(corpus, systems, [METRIC], answers=answers, resamples=200)


@pytest.mark.parametrize(("name", "after", "lost"), [("A", "0.587", 25 / 132), ("B", "0.532", 45 / 132)])
def test_c_at_1_and_lost_authors(run: Run, name: str, after: str, lost: float) -> None:
    """Of 205 problems 132 were found before; the paper prints 0.585 for A, which its own answers do not give."""
    parts = {part: score.value for part, score in run.parts(name, METRIC).items()}
    assert f"{parts['before:answers']:.3f}" == "0.656"
    assert f"{parts['c@1:answers']:.3f}" == f"{parts['']:.3f}" == after
    assert parts["lost:answers"] == pytest.approx(lost)
    assert sum(run.rows[METRIC][name]["found:answers"]) == 132


def test_all_count_as_by_the_same_author_and_that_is_said(run: Run) -> None:
    assert any(note.startswith("the corpus does not say whether these 205 documents") for note in run.notes)
