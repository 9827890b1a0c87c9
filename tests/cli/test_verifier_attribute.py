"""Closed-set attribution: which of the authors of some problems wrote a text, before and after masking."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Authorship, Corpus, Document, PlanError
from showthrough.studies.attribution import attribution

Cli = Callable[..., Any]
TOPICS = (
    "the harbour froze and fishermen mended nets", "a violin needs rosin and patient fingers",
    "volcanoes grumble beneath the island villages", "my grandmother baked rye bread with caraway",
    "the locomotive whistled through alpine tunnels", "orchids dislike draughts and cold windowsills",
)  # fmt: skip


def problems(same: bool | None = True) -> Corpus:
    documents = []
    for number, topic in enumerate(TOPICS):
        known = (f"Often {topic}, as everybody knows.", f"Again {topic} today.")
        documents.append(Document(f"p{number}", f"Now {topic} once more.", authorship=Authorship(known, same)))
    return Corpus(documents, "problems")


def test_every_text_finds_its_author_until_it_is_masked() -> None:
    corpus = problems()
    masked = {one.id: "Now nothing of it is left." for one in corpus}
    found = attribution(corpus, {"masked": masked}, resamples=100, k=2)
    assert (found.texts, found.authors, found.chance) == (6, 6, 1 / 6)
    original, after = (score.measures["accuracy"] for score in found.scores)
    assert original.value == 1
    assert after.value == pytest.approx(1 / 6)  # all are tied, and share
    assert found.scores[1].measures["at_k"].value == pytest.approx(2 / 6)
    assert original.low is not None
    assert original.low < 1
    (compared,) = (one for one in found.compared if one.metric == "accuracy")
    assert (compared.first, compared.second) == ("original", "masked")
    assert compared.difference == pytest.approx(5 / 6)


def test_problems_that_share_a_known_text_have_one_author() -> None:
    first, second, *rest = problems()
    assert first.authorship
    assert second.authorship
    shared = Authorship((*second.authorship.known, first.authorship.known[0]), True)
    found = attribution(Corpus([first, Document("p1", second.text, authorship=shared), *rest], "x"), {}, resamples=0)
    assert (found.texts, found.authors) == (6, 5)
    assert found.scores[0].measures["accuracy"].value == 1


def test_texts_by_others_are_not_asked_about() -> None:
    first, *rest = problems()
    assert first.authorship
    other = Document("p0", first.text, authorship=Authorship(first.authorship.known, False))
    found = attribution(Corpus([other, *rest], "x"), {}, resamples=0)
    assert (found.texts, found.authors) == (5, 6)
    with pytest.raises(PlanError, match="found 6 authors and 0 texts to ask about"):
        attribution(problems(same=False), {})
    with pytest.raises(PlanError, match="expected one attack, such as lexical or dense"):
        attribution(problems(), {}, "lexical+assignment")


def test_the_command_shows_and_writes(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for document in problems():
        folder = tmp_path / "pan" / document.id
        folder.mkdir(parents=True)
        assert document.authorship
        for number, text in enumerate(document.authorship.known, 1):
            (folder / f"known{number:02}.txt").write_text(text)
        (folder / "unknown.txt").write_text(document.text)
    (tmp_path / "pan/truth.txt").write_text("".join(f"p{number} Y\n" for number in range(6)))
    Path("masked.json").write_text(json.dumps({f"p{number}": "Nothing of it is left here." for number in range(6)}))
    found = cli("verifier", "attribute", "pan", "M=masked.json", "--json", "a.json")
    assert (found.status, found.err) == (0, "")
    assert "6 texts, 6 authors to choose from. Guessing is right 0.167 of the time." in found.out
    content = json.loads(Path("a.json").read_text())
    assert [score["name"] for score in content["scores"]] == ["original", "M"]
    assert content["scores"][0]["measures"]["accuracy"]["value"] == 1
    refused = cli("verifier", "attribute", "pan", "original=masked.json")
    assert (refused.status, "this name is that of the originals" in refused.err) == (2, True)
