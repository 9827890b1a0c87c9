"""`validate` accepts what `evaluate` scores, and does not call well what was not read."""

from __future__ import annotations

from typing import Any

import pytest

from showthrough import Run

from .conftest import DOCUMENT, MASKS

FREE = (
    "only metrics that need none can be scored: "
    "tpi, tps, nmi, task, fidelity, bleu, rouge, trir, linkability, distinguish, readability, meaning, "
    "hallucination, propositions, residual, inconsistent, disagreement, soundness, known_words, perplexity. Some of "
    "them need a model or more files, and they do not show whether an identifier was missed"
)
TEXTS = {"d1": "Ann left.", "d2": "Bob came."}


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("texts.json", {"texts.json": TEXTS}),
        ("texts", {f"texts/{key}.txt": text for key, text in TEXTS.items()}),
        ("t.csv", {"t.csv": "doc_id,text\n" + "".join(f"{key},{text}\n" for key, text in TEXTS.items())}),
        ("c.json", {"c.json": [{"doc_id": key, "text": text, "annotation": {}} for key, text in TEXTS.items()]}),
    ],
)
def test_annotations_that_were_not_read(desk: Any, name: str, files: dict[str, Any]) -> None:
    desk.write({**files, "m.json": {"d1": [[0, 3]], "d2": []}})
    for arguments in ([], ["m.json"]):
        found = desk.cli("validate", name, *arguments)
        unread = "note: c.json: not used, since the format does not know this key: annotation\n"
        assert (found.status, found.err) == (0, unread if name == "c.json" else "")
        assert found.out.splitlines()[-1] == f"no annotations were read, so {FREE}"
    assert desk.cli("evaluate", name, "m.json", "-m", "er_di").status == 2  # which needs some
    found = desk.cli("evaluate", name, "m.json")
    assert found.status == 0
    assert found.err.startswith(
        "note: no annotations were read, so these numbers cannot show whether an identifier was missed"
    )


def test_a_preset_for_several_leaves_out_what_one_cannot_have(desk: Any) -> None:
    desk.write({"t.json": TEXTS, "m.json": {"d1": [[0, 3]], "d2": []}, "n.json": {"d1": [], "d2": []}})
    preset = ["evaluate", "t.json", "m.json", "--preset", "unannotated"]
    for more, there in (([], False), (["-m", "disagreement"], True), (["n.json"], True)):
        found = desk.cli(*preset, *more)
        assert found.status == 0
        assert ("disagree" in found.out + found.err) == there


def test_layers_without_a_mention(desk: Any) -> None:
    layer = {"a": {"mentions": [{"start": 0}]}}  # a key that nobody reads
    desk.write({"c.json": [{"doc_id": "d1", "text": "Ann left.", "annotations": layer}]})
    found = desk.cli("validate", "c.json")
    assert (found.status, found.out) == (2, "")
    assert "c.json: document d1: annotations.a: entity_mentions is missing" in found.err
    layer = {"a": {"entity_mentions": []}}
    desk.write({"c.json": [{"doc_id": "d1", "text": "Ann left.", "annotations": layer}]})
    assert desk.cli("validate", "c.json").out.splitlines()[-1] == f"no mentions: annotators marked nothing, so {FREE}"


def test_documents_without_annotations_are_told(desk: Any) -> None:
    desk.write({"gold/a.txt": "Ann", "gold/a.ann": "T1\tPERSON 0 3\tAnn\n", "gold/b.txt": "Bob"})
    desk.write({"m.json": {"a": [], "b": []}})
    for command in ("validate", "evaluate"):
        found = desk.cli(command, "gold", "m.json")
        assert found.status == 0
        assert "note: 1 of 2 documents has no annotations: metrics that need them leave those out" in found.err


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["a=masks.json", "a=masks.json"], "anonymization a: this name is used twice"),
        (["masks.json", "--missing", "x"], "missing: found 'x'"),
        (["none.json"], "none.json: no such file"),
        (["other.json"], "other.json: document d9: is not in the corpus"),
        (["masks.json", "--group-by", "ward"], "corpus.json: group-by ward: no document has this field or column"),
    ],
)
def test_both_refuse_the_same(desk: Any, arguments: list[str], fault: str) -> None:
    desk.write({"other.json": {"d1": [], "d9": []}})
    for command in ("validate", "evaluate"):
        found = desk.cli(command, "corpus.json", *arguments)
        assert (found.status, found.out) == (2, "")
        assert fault in found.err


def test_what_cannot_be_read_does_not_hide_the_rest(desk: Any) -> None:
    desk.write({"other.json": {"d1": [[0, 99]]}})
    found = desk.cli("validate", "corpus.json", "none.json", "other.json")
    assert found.status == 2
    assert [line.partition(":")[0] for line in found.err.splitlines()] == ["none.json", "other.json"]


def test_a_plan(desk: Any) -> None:
    desk.write({"plan.toml": 'corpus = "corpus.json"\nmetrics = ["er_di"]\n[anonymizations]\na = "masks.json"\n'})
    found = desk.cli("validate", "plan.toml")
    assert (found.status, found.out.splitlines()[-1]) == (0, "all is well")
    assert desk.cli("validate", "plan.toml", "masks.json").status == 2
    desk.write({"plan.toml": 'corpus = "corpus.json"\nmetrics = ["trir"]\n[anonymizations]\na = "masks.json"\n'})
    assert "background: none was given" in desk.cli("validate", "plan.toml").err


def test_all_is_well_only_where_everything_was_understood(desk: Any) -> None:
    mention = {"entity_type": "PERSON", "start_offset": 0, "end_offset": 3, "identifier_type": "DIRECT"}
    document = {"doc_id": "d1", "text": "Ann left.", "annotations": {"a": {"entity_mentions": [mention]}}}
    desk.write({"c.json": [document], "odd.json": [{**document, "colour": "red"}]})
    assert desk.cli("validate", "c.json").out.splitlines()[-1] == "all is well"
    found = desk.cli("validate", "odd.json")
    assert found.out.splitlines()[-1] == "all can be scored; 1 thing to look at: read the notes above first"
    assert found.err == "note: odd.json: not used, since the format does not know this key: colour\n"


def test_people_without_annotations(desk: Any) -> None:
    person = {"id": "a", "attributes": [{"tag": "NAME", "value": "Ann"}]}
    desk.write({"c.json": [{"doc_id": "d1", "text": "Ann left.", "subjects": [person]}]})
    found = desk.cli("validate", "c.json")
    assert (found.status, found.err) == (0, "")
    assert "0 mentions, 1 subjects, digest" in found.out
    assert "and most of them do not show whether an identifier was missed" in found.out


def test_where_a_plan_leads_out_of_its_folder_is_told(desk: Any) -> None:
    inside = 'corpus = "corpus.json"\nmetrics = ["er_di"]\noutput = "run.json"\n[anonymizations]\na = "masks.json"\n'
    outside = """corpus = "../corpus.json"
metrics = ["er_di"]
output = "../run.json"
send_text_to = ["llm.example.org"]
[anonymizations]
a = "../masks.json"
b = "link.json"
c = "own.json"
"""
    desk.write({"plan.toml": inside, "own.json": desk.folder.joinpath("masks.json").read_text()})
    folder = desk.folder / "ann"
    folder.mkdir()
    (desk.folder / "own.json").rename(folder / "own.json")
    (folder / "plan.toml").write_text(outside)
    (folder / "link.json").symlink_to(desk.folder / "masks.json")
    assert "outside" not in desk.cli("validate", "plan.toml").err
    for command in ("validate", "evaluate"):
        told = " ".join(desk.cli(command, "ann/plan.toml").err.split())
        assert told.startswith(
            "note: ann/plan.toml reads ann/../corpus.json, ann/../masks.json, ann/link.json, outside of its folder; "
            "writes ann/../run.json, outside of its folder; lets text be sent to llm.example.org"
        )


EXTRA = "note: masks: documents that are not in the corpus are left out, so no number is about them (2)"


def test_a_marked_sample_of_a_release(desk: Any) -> None:
    """Who marks a sample has releases of more documents, which count where they are marked."""
    desk.write({"masks.json": {**MASKS, "d8": [], "d9": [[0, 1]]}})
    desk.refuses(
        "evaluate", "corpus.json", "masks.json", starts="masks.json: document d", says=("--extra ignore",), lines=2
    )
    for command in ("validate", "evaluate"):
        found = desk.cli(command, "corpus.json", "masks.json", "--extra", "ignore")
        assert found.status == 0
        assert EXTRA in found.err


def test_released_texts_and_plans_have_more_documents_too(desk: Any) -> None:
    desk.write({"texts.json": {"d1": "😀 Mr X of Oslo left.", "d9": "another"}})
    desk.write({"plan.toml": 'extra = "ignore"\ncorpus = "corpus.json"\nanonymizations = {a = "texts.json"}\n'})
    assert desk.cli("evaluate", "plan.toml", "-o", "run.json").status == 0
    assert [record.documents for record in Run.load("run.json").anonymizations] == [1]


def test_what_was_made_of_all_texts_can_be_scored_on_a_sample(desk: Any) -> None:
    """A file that says of which texts it was made says it of all of them."""
    second = {**DOCUMENT, "doc_id": "d2", "text": "Ann Lee left.", "annotations": {}}
    desk.write({"all.json": [DOCUMENT, second]})
    assert desk.cli("anonymize", "all.json", "--with", "rules", "-o", "rules.json").status == 0
    assert desk.cli("evaluate", "corpus.json", "rules.json", "--extra", "ignore", "-m", "er_di").status == 0


def test_what_is_noted_is_not_called_well(desk: Any) -> None:
    """Two documents with one text, and a release that hides nothing."""
    desk.write({"copies.json": [DOCUMENT, {**DOCUMENT, "doc_id": "d2"}], "m.json": {**MASKS, "d2": MASKS["d1"]}})
    found = desk.cli("validate", "copies.json", "m.json")
    assert found.status == 0
    assert "note: " in found.err
    assert found.out.splitlines()[-1] == "all can be scored; 1 thing to look at: read the notes above first"
    desk.write({"m.json": {"d1": [], "d2": []}})
    end = desk.cli("validate", "copies.json", "m.json").out.splitlines()[-1]
    assert end == "all can be scored; 2 things to look at: read the notes above first"
