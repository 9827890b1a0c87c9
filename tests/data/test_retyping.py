"""What a user says of types holds for every metric, for a corpus in memory and for one on disk."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    Run,
    TypedMask,
    evaluate,
    read_corpus,
)
from showthrough.data.documents import InferredMention, MappedDocuments
from showthrough.data.levels import by_type
from showthrough.data.retyping import Retyping, retype_corpus, retyped_masks
from showthrough.formats.benchmarks import tae

TEXT = "Ann of Oslo, tattoo rose, mail q@b.nz"
MARKS = (
    Mention(0, 3, "PERSON", "NO_MASK", "e1"),  # what an annotator said
    by_type(7, 11, "CITY"),
    by_type(20, 24, "TATTOO"),
    by_type(31, 37, "MAIL"),
)
CORPUS = Corpus([Document("d", TEXT, (Annotation("a", MARKS),))])
MASKS = Anonymization({"d": [TypedMask(7, 11, None, "CITY"), Mask(20, 24)]}, "some")


def levels(corpus: Corpus) -> dict[str, str]:
    return {one.entity_type: one.identifier for one in corpus.documents[0].annotations[0].mentions}


def test_a_mapped_type_takes_the_level_of_what_it_is_mapped_to() -> None:
    found = retype_corpus(CORPUS, Retyping.of("MAIL=EMAIL,TATTOO=CODE,PERSON=DATE"))
    assert levels(found) == {"DATE": "NO_MASK", "CITY": "QUASI", "CODE": "DIRECT", "EMAIL": "DIRECT"}
    stated = [one.stated for one in found.documents[0].annotations[0].mentions]
    assert stated == [True, False, False, False]  # what the annotator said stays said


def test_a_swap_happens_once() -> None:
    found = retype_corpus(CORPUS, Retyping.of("CITY=TATTOO,TATTOO=CITY"))
    assert [one.entity_type for one in found.documents[0].annotations[0].mentions] == [
        "PERSON", "TATTOO", "CITY", "MAIL",
    ]  # fmt: skip
    chain = retype_corpus(CORPUS, Retyping.of("CITY=TATTOO,TATTOO=CODE"))
    assert set(levels(chain)) == {"PERSON", "TATTOO", "CODE", "MAIL"}
    masks = retyped_masks(MASKS, Retyping.of("CITY=TATTOO,TATTOO=CITY")).of("d")
    assert [mask.entity_type for mask in masks] == ["TATTOO", ""]


def test_what_is_settled_is_settled() -> None:
    found = retype_corpus(CORPUS, Retyping.of(direct="person,tattoo", quasi=["CITY"], ignore="Mail"))
    assert levels(found) == {"PERSON": "DIRECT", "CITY": "QUASI", "TATTOO": "DIRECT"}
    assert all(one.stated for one in found.documents[0].annotations[0].mentions)


@pytest.mark.parametrize(
    "said",
    [
        Retyping.of("MAIL=EMAIL,CITY=LOC"),
        Retyping.of("CITY="),
        Retyping.of("MAIL=PERSON", direct="TATTOO", ignore="PERSON"),
        Retyping.of(quasi="MAIL,PERSON"),
    ],
)
def test_the_survey_is_what_counting_again_gives(said: Retyping) -> None:
    found = retype_corpus(CORPUS, said)
    again = Corpus(found.documents).survey
    assert found.survey.marked == again.marked
    assert (found.survey.mentions, found.survey.types) == (again.mentions, again.types)
    assert found.digest == CORPUS.digest  # of what was given


def scored(**said: str) -> Run:
    return evaluate(CORPUS, [MASKS], metrics=["er_di", "er_qi", "recall", "recall_per_type"], **said)  # type: ignore[arg-type]


def test_numbers() -> None:
    run = scored()  # quasi: CITY and TATTOO hidden, MAIL (a guess) not
    assert run["some", "er_di"].value is None
    assert run["some", "er_qi"].value == 2 / 3
    run = scored(direct="MAIL")
    assert (run["some", "er_di"].value, run["some", "er_qi"].value) == (0.0, 1.0)
    assert "|types:direct=MAIL|" in run["some", "er_di"].signature
    run = scored(map="MAIL=EMAIL")
    assert (run["some", "er_di"].value, run["some", "er_qi"].value) == (0.0, 1.0)
    assert run["some", "recall_per_type", "EMAIL"].value == 0.0
    run = scored(ignore="MAIL")
    assert (run["some", "er_di"].value, run["some", "er_qi"].value, run["some", "recall"].value) == (None, 1.0, 1.0)
    run = scored(direct="PERSON")  # an annotator said NO_MASK
    assert run["some", "er_di"].value == 0.0
    assert "types" not in scored()["some", "er_di"].signature


def test_clinical_metrics_know_it_too() -> None:
    metrics = ["phi_token", 'phi_token(type_from="replacement")']
    masks = [TypedMask(7, 11, "[ORT]", "ORT"), TypedMask(20, 24, "[TATTOO]", "TATTOO")]
    run = evaluate(CORPUS, {"a": Anonymization({"d": masks})}, metrics, map="ORT=CITY", resamples=0)
    # Oslo, rose, and q, b, nz: 2 of 5 tokens.
    assert run["a", "phi_token", "R:CITY"].value == 1.0
    spelled = 'phi_token(map="ORT=CITY", type_from="replacement")'
    assert run["a", spelled, "R:CITY"].value == 1.0
    left = evaluate(CORPUS, {"a": Anonymization({"d": masks})}, "phi_token", map="ORT=CITY", ignore="CITY", resamples=0)
    text = 'phi_token(map="CITY=")'  # what the system took for one is left out as well
    assert (left["a", text, "P"].value, left["a", text, "P:TATTOO"].value) == (1.0, 1.0)
    with pytest.raises(PlanError, match="ORT becomes CITY and that something else"):
        evaluate(CORPUS, {"a": Anonymization({"d": masks})}, metrics[1], map="ORT=CITY,CITY=ORT")


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"direct": "CIYT"}, "direct CIYT: no mention has this type; there are CITY, MAIL, PERSON, TATTOO"),
        ({"map": "CITY=LOC", "quasi": "CITY"}, "quasi CITY: no mention has this type; there are LOC, MAIL"),
        ({"map": "CIYT=LOC"}, "map CIYT: neither a mention nor a mask has this type; there are CITY, MAIL"),
        ({"direct": "MAIL", "ignore": "mail"}, "type mail: is named for direct and for ignore; expected one"),
        ({"map": "CITY=,MAIL=CITY"}, "map: CITY is left out, and another type is mapped to it"),
        ({"map": "CITY"}, "map: found 'CITY'; expected FROM=TO"),
    ],
)
def test_what_is_refused(said: dict[str, str], fault: str) -> None:
    with pytest.raises(InputError) as caught:
        scored(**said)
    assert str(caught.value).startswith(fault)


def test_mentions_without_a_type_have_a_name() -> None:
    corpus = Corpus([Document("d", "Ann left", (Annotation("a", (by_type(0, 3, ""),)),))])
    run = evaluate(corpus, [Anonymization({"d": []}, "none")], ["er_di"], direct="(no type)", resamples=0)
    assert run["none", "er_di"].value == 0.0


def test_a_corpus_on_disk_stays_there(tmp_path: Path) -> None:
    marks = [{"start_offset": 0, "end_offset": 3, "entity_type": "WHO"}]
    line = {"text": "Ann left", "annotations": {"a": {"entity_mentions": marks}}}
    lines = [json.dumps({"doc_id": f"d{number}", **line}) for number in range(9)]
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(lines))
    found = retype_corpus(read_corpus(path), Retyping.of("WHO=PERSON"))
    assert isinstance(found.documents, MappedDocuments)
    window = pickle.loads(pickle.dumps(found.part(range(3, 6), lazy=True)))  # noqa: S301 (as workers get it)
    assert [document.id for document in window] == ["d3", "d4", "d5"]
    assert window.documents[-1].annotations[0].mentions == (Mention(0, 3, "PERSON", "DIRECT"),)
    whole = evaluate(read_corpus(path), [Anonymization({f"d{n}": [] for n in range(9)}, "none")], direct="WHO")
    assert whole["none", "er_di"].value == 0.0


def test_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=20, start=0: original(self, characters, start))
    marks = [{"start_offset": 0, "end_offset": 3, "entity_type": "WHO"}]
    line = {"text": "Ann left", "annotations": {"a": {"entity_mentions": marks}}}
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(json.dumps({"doc_id": f"d{number}", **line}) for number in range(6)))
    masks = Anonymization({f"d{n}": [TypedMask(0, 3, None, "N")] if n % 2 else [] for n in range(6)}, "half")
    said = {"map": "N=PATIENT,WHO=PATIENT", "jobs": 2, "resamples": 0}
    run = evaluate(read_corpus(path), [masks], ["er_di", "phi_token"], **said)  # type: ignore[arg-type]
    assert (run["half", "er_di"].value, run["half", "phi_token", "R:PATIENT"].value) == (0.5, 0.5)


def test_masks_of_a_large_file_stay_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tae, "SMALL", 0)
    path = tmp_path / "m.json"
    path.write_text('{"d": [[7, 11, null, "ORT"]]}')
    from showthrough import read_anonymization

    masks = read_anonymization(path)
    found = retyped_masks(masks, Retyping.of("ORT=CITY"))
    assert not isinstance(found.masks, dict)
    assert found.types == {"CITY": 1}
    assert (found.digest, list(found.masks), "d" in found.masks, len(found.masks)) == (masks.digest, ["d"], True, 1)
    assert retyped_masks(masks, Retyping.of(direct="X")) is masks


def test_a_mention_is_the_same_whoever_said_its_level() -> None:
    said, inferred = Mention(0, 3, "X"), InferredMention(0, 3, "X")
    assert said == inferred
    assert inferred == said
    assert (inferred != said) is False
    assert len({said, inferred}) == 1
    assert inferred != Mention(0, 4, "X")
    assert pickle.loads(pickle.dumps(inferred)).stated is False  # noqa: S301
    one, two = (Document("d", "abc", (Annotation("a", (mark,)),)) for mark in (said, inferred))
    assert one.digest() == two.digest()
