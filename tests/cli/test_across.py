"""`evaluate --across`: trained on each corpus, scored on each. `train tagger --curve`: on growing parts of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, InputError, read_corpus
from showthrough.studies.generalization import across
from showthrough.studies.learning_curves import growing_parts, learning_curve, score_systems
from showthrough.systems.taggers.training import train_tagger

pytestmark = pytest.mark.slow

Cli = Callable[..., Any]
NAMES = ("Rask", "Holm", "Vidal", "Brandt", "Silva", "Novak", "Okoye", "Ferro", "Lindt", "Maier", "Duval", "Sorin")
PLACES = ("Oslo", "Rome", "Lyon", "Graz", "Kiel", "Bonn", "Metz", "Bari", "Cork", "Pisa", "Brno", "Linz")


def corpus_file(path: Path, before: str, words: tuple[str, ...], after: str) -> Path:
    cases = []
    for number, word in enumerate(words):
        text = f"{before} {word} {after} for the {number + 1}th time."
        mention = {
            "start_offset": len(before) + 1, "end_offset": len(before) + 1 + len(word),
            "entity_type": "PERSON", "identifier_type": "DIRECT",
        }  # fmt: skip
        cases.append({"doc_id": word, "text": text, "annotations": {"ann": {"entity_mentions": [mention]}}})
    path.write_text(json.dumps(cases))
    return path


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    first = corpus_file(tmp_path / "people.json", "Then Mr", NAMES, "came in")
    return first, corpus_file(tmp_path / "places.json", "they all went to", PLACES, "by train")


def test_each_learns_and_each_is_scored(cli: Cli, files: tuple[Path, Path]) -> None:
    found = cli("evaluate", "--across", *files, "--with", "hmm", "--resamples", 50, "--json", "m.json")
    assert found.status == 0
    assert "people (10)" in found.out
    assert "places (2)" in found.out
    content = json.loads(Path("m.json").read_text())
    assert (content["trained"], content["scored"]) == ({"people": 10, "places": 10}, {"people": 2, "places": 2})
    f1 = {(cell["trained_on"], cell["scored_on"]): cell["scores"]["f1"]["value"] for cell in content["cells"]}
    assert len(f1) == 4
    assert f1["people", "people"] == 1
    assert f1["people", "people"] > f1["places", "people"]
    assert [one["first"] for one in content["tests"]["places"]["f1"]] == ["places"]
    again = across({"people": read_corpus(files[0]), "places": read_corpus(files[1])}, "hmm", resamples=50)
    assert {(cell.trained_on, cell.scored_on): cell.scores["f1"].value for cell in again.cells} == f1


def test_nothing_is_scored_that_was_learned_from(files: tuple[Path, Path]) -> None:
    corpus = read_corpus(files[0])
    tagger = train_tagger(corpus, "hmm", threshold=0.5)
    with pytest.raises(InputError, match="was trained on 12 of these 12 documents"):
        score_systems(corpus, {"hmm": tagger}, ["f1"])


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (("--with", "oracle"), "unknown learner or preset 'oracle'; there are: crf, svm, boosted, hmm, aramaki1"),
        (("--with", "crf", "--with", "svm"), "found 2 systems; expected one with --across"),
        (("-o", "run.json"), "output: is not for --across"),
        (("--background", "b.json"), "background: is not for --across"),
        (("--resume",), "resume: is not for --across"),
    ],
)
def test_what_it_does_not_take(cli: Cli, files: tuple[Path, Path], more: tuple[str, ...], fault: str) -> None:
    refused = cli("evaluate", "--across", *files, *more)
    assert (refused.status, refused.out) == (2, "")
    assert fault in refused.err


def test_one_corpus_is_not_enough(cli: Cli, files: tuple[Path, Path]) -> None:
    refused = cli("evaluate", "--across", files[0])
    assert (refused.status, "expected two or more" in refused.err) == (2, True)


def test_two_corpora_of_one_name_are_told_how_to_name_one(cli: Cli, files: tuple[Path, Path]) -> None:
    folder = files[0].parent / "b"
    folder.mkdir()
    other = files[0].rename(folder / files[1].name)
    refused = cli("evaluate", "--across", files[1], other)
    assert refused.status == 2
    assert f"corpus places: this name is used twice; expected another name for one: NAME={other}" in refused.err


def test_a_curve_has_a_point_for_each_part(cli: Cli, files: tuple[Path, Path]) -> None:
    people, places = files
    call = ("train", "tagger", people, "--learner", "hmm", "--threshold", 0.5, "-o", "model")
    found = cli(*call, "--curve", "--dev", places, "--json", "c.json")
    assert found.status == 0
    points = json.loads(Path("c.json").read_text())["points"]
    assert [point["documents"] for point in points] == [2, 3, 6, 12]
    assert json.loads(Path("model/model.json").read_bytes())["figures"]["curve"]["points"] == points
    assert "hmm: scores on places, by documents of people to learn from" in found.out
    assert "needs documents to score on" in cli(*call, "--force", "--curve").err
    assert "json: is of a curve" in cli(*call, "--force", "--json", "d.json").err


def test_parts_grow_and_hold_what_belongs_together(files: tuple[Path, Path]) -> None:
    corpus = read_corpus(files[0])
    parts = growing_parts(corpus, seed=3)
    ids = [set(part.ids) for part in parts]
    assert all(one < two for one, two in pairwise(ids))
    assert ids[-1] == set(corpus.ids)
    assert [set(part.ids) for part in growing_parts(Corpus(list(corpus)[::-1], "x"), seed=3)] == ids


def test_parts_without_marks_have_no_point(files: tuple[Path, Path]) -> None:
    marked, dev = read_corpus(files[0]), read_corpus(files[1])
    plain = [document for document in marked if document.id != "Rask"]
    bare = Corpus([*(marked.documents[:1]), *(type(one)(one.id, one.text) for one in plain[2:]), *plain[:2]], "few")
    curve, tagger = learning_curve(bare, dev, lambda part: train_tagger(part, "hmm", threshold=0.5), resamples=0)
    assert curve.points[-1].documents == len(bare)
    assert len(curve.points) < len(growing_parts(bare))
    assert tagger.types == ("PERSON",)
