"""The people in a document: what is wrong with them, who keeps them, and who must not hand them on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from showthrough import (
    Annotation,
    Anonymization,
    Attribute,
    Authorship,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    Subject,
    annotate,
    read_corpus,
    release,
    write_corpus,
)
from showthrough.data.retyping import Retyping, retype_corpus
from showthrough.evaluation._chunks import layers_without, with_layers
from showthrough.formats.annotation_tools.groups import GroupBy
from showthrough.systems._batches import bare
from showthrough.systems.surrogates.replacement import surrogates

DOE = Subject("doe", (Attribute("NAME", "Doe", 5, 1), Attribute("AGE", "46", 3, 4)), "who left")
MARKS = Annotation("ann", (Mention(3, 6, "PERSON", "DIRECT", "e1"), Mention(10, 14, "LOC", "QUASI", "e2")))
KNOWN = Authorship(("Doe wrote this too.",), True)
DOCUMENT = Document("a-1", "Mr Doe of Oslo", (MARKS, Annotation("bob")), subjects=(DOE,))
CORPUS = Corpus([DOCUMENT])


def written(corpus: Corpus, folder: Path) -> Corpus:
    write_corpus(corpus, folder / "c.jsonl", "jsonl", annotator="ann")
    return read_corpus(folder / "c.jsonl", group_by="id:^(.)")


KEEPERS: dict[str, Callable[[Corpus, Path], Corpus]] = {
    "groups": lambda corpus, _: Corpus(GroupBy("id:^(.)").assign_groups(corpus.documents)),
    "types": lambda corpus, _: retype_corpus(corpus, Retyping.of("PERSON=NAME", ignore="LOC")),
    "programs": lambda corpus, _: annotate(corpus, ["rules"], keep=True),
    "other annotators": lambda corpus, _: Corpus([with_layers(one, layers_without(one, "bob")) for one in corpus]),
    "files": written,
    "parts": lambda corpus, _: corpus.part(range(1), lazy=True),
}


@pytest.mark.parametrize("name", KEEPERS)
def test_who_changes_documents_keeps_people(tmp_path: Path, name: str) -> None:
    made = KEEPERS[name](CORPUS, tmp_path)
    assert [one.subjects for one in made] == [(DOE,)]
    assert (made.survey.subjects, made.survey.tags) == (1, ("AGE", "NAME"))
    assert (name == "parts") == (list(made) == [DOCUMENT])  # it did change something


RELEASERS: dict[str, Callable[[Corpus], list[Document]]] = {
    "masks": lambda corpus: list(release(corpus, Anonymization({"a-1": [Mask(3, 6, "X")]}))),
    "surrogates": lambda corpus: list(surrogates(corpus).corpus),
    "surrogates of nothing": lambda corpus: list(surrogates(corpus, keep=["PERSON", "LOC"]).corpus),
    "anonymizers": bare,
}


@pytest.mark.parametrize("name", RELEASERS)
def test_who_hands_texts_on_says_nothing_of_people(name: str) -> None:
    """The values are true of people in the original: beside a released text they would give everybody away."""
    (made,) = RELEASERS[name](CORPUS)
    assert made.subjects == ()


@pytest.mark.parametrize("name", RELEASERS)
def test_who_hands_texts_on_hands_on_no_other_text_of_the_author(name: str) -> None:
    (made,) = RELEASERS[name](Corpus([structs.replace(DOCUMENT, authorship=KNOWN)]))
    assert made.authorship is None


def test_the_digest_knows_people() -> None:
    other = Subject("doe", (Attribute("NAME", "Doe", 5, 1), Attribute("AGE", "46", 3, 3)), "who left")
    documents = [Document("a", "x"), *(Document("a", "x", subjects=(one,)) for one in (DOE, other))]
    assert len({one.digest() for one in documents}) == 3


def test_people_that_cannot_be(tmp_path: Path) -> None:
    wrong = (Attribute("", "x"), Attribute("AGE", " "), Attribute("AGE", "4", 6, -1))
    corpus = Corpus([Document("a", "x", subjects=(DOE, Subject("doe", wrong)))], source="here")
    expected = [
        "here: document a: subjects[1].id: found doe a second time; expected every subject once",
        "here: document a: subjects[1].attributes[0].tag: is empty; expected a name",
        "here: document a: subjects[1].attributes[1].value: is empty; expected what is true of the subject",
        "here: document a: subjects[1].attributes[2].certainty: found 6; expected 0 to 5",
        "here: document a: subjects[1].attributes[2].hardness: found -1; expected 0 to 5",
    ]
    with pytest.raises(InputError) as caught:
        _ = corpus.survey
    assert str(caught.value).splitlines() == expected
    said = [{"tag": one.tag, "value": one.value, "certainty": one.certainty, "hardness": one.hardness} for one in wrong]
    stated = [{"id": "doe"}, {"id": "x", "attributes": said}]
    (tmp_path / "c.json").write_text(json.dumps([{"doc_id": "a", "text": "x", "subjects": stated}]))
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path / "c.json")
    assert [line.partition("subjects")[2] for line in str(caught.value).splitlines()] == [
        line.partition("subjects")[2] for line in expected[1:]
    ]
