"""Every message is one line of fewer than 500 characters and shows at most 40 characters of a document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from showthrough.core.errors import LISTED, InputError, OutputError, PlanError, Problem, ResourceError
from showthrough.systems.surrogates.replacement import Leak

LONGEST, SHOWN = 499, 40
DOCUMENT = {
    "doc_id": "d1",
    "text": "Mr John Doe of Oslo left.",
    "annotations": {
        "ann": {
            "entity_mentions": [
                {"start_offset": 3, "end_offset": 11, "entity_type": "PERSON", "identifier_type": "DIRECT"},
            ]
        }
    },
}
WORDS = [f"w{number * 7919 % 100_003}" for number in range(400)]  # no two alike: whatever is shown is found
SECRET = " ".join(WORDS)
MEGABYTE = "".join(f"{number:06d}" for number in range(170_000))


def texts(number: int = 3) -> list[str]:
    return [f"{SECRET[40 * place :]} end {place}" for place in range(number)]


def document(**changes: Any) -> dict[str, Any]:
    return {**DOCUMENT, **changes}


def mention(**changes: Any) -> dict[str, Any]:
    """A document with one more mention, which has something wrong."""
    found = json.loads(json.dumps(DOCUMENT))
    found["annotations"]["ann"]["entity_mentions"].append({"start_offset": 0, "end_offset": 1, **changes})
    return found  # type: ignore[no-any-return]


def check(err: str) -> None:
    for line in err.splitlines():
        assert len(line) <= LONGEST
    for start in range(len(SECRET) - SHOWN):
        assert SECRET[start : start + SHOWN + 1] not in err


VALIDATE = ("validate", "corpus.json", "a=masks.json")
TABLE = ("validate", "corpus.json", "a=table.csv")
CASES: dict[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {
    "a table without its header": (
        {"table.csv": "\n".join(f"d{place},{text}" for place, text in enumerate(texts()))},
        ("validate", "table.csv"),
    ),
    "swapped columns": (
        {"table.csv": "text,doc_id\n" + "\n".join(f"d{place},{text}" for place, text in enumerate(texts(60)))},
        TABLE,
    ),
    "swapped columns, twice the same": (
        {"table.csv": f"text,doc_id\n1,{SECRET}\n2,{SECRET}\n"},
        ("validate", "table.csv"),
    ),
    "swapped columns of a background": (
        {"known.csv": "doc_id,text\n" + "".join(f"{text},d{place}\n" for place, text in enumerate(texts()))},
        ("attack", "a=masks.json", "--corpus", "corpus.json", "--background", "known.csv"),
    ),
    "a line of a record": ({"a.conll": f"{SECRET}\n"}, ("validate", "a.conll")),
    "a token": ({"a.conll": f"# text = Oslo\n{SECRET.replace(' ', '')}\tO\n"}, ("validate", "a.conll")),
    "a comment": ({"a.conll": f'# text = "{SECRET}\nOslo O\n'}, ("validate", "a.conll")),
    "offsets": (
        {"a.conll": f"# global.columns = FORM START END TAG\nOslo\t{SECRET}\t{SECRET}\tO\n"},
        ("validate", "a.conll"),
    ),
    "a mark": ({"b/d1.txt": "Oslo", "b/d1.ann": f"T1 {SECRET}"}, ("validate", "b")),
    "what a mark says": ({"b/d1.txt": SECRET, "b/d1.ann": f"T1\tLOC 0 900\t{SECRET[1:901]}"}, ("validate", "b")),
    "the name of a mark": ({"b/d1.txt": "Oslo", "b/d1.ann": f"T{MEGABYTE}\tLOC 0 9"}, ("validate", "b")),
    "an attribute": (
        {"b/d1.txt": "Oslo", "b/d1.ann": f"A1\tidentifier T1 {MEGABYTE}"},
        ("validate", "b"),
    ),
    "masks by text": ({"masks.json": {text: [] for text in texts(60)}}, VALIDATE),
    "masks that are none, by text": ({"masks.json": {text: [[1]] for text in texts()}}, VALIDATE),
    "texts by text": ({"masks.json": {text: text for text in texts()}}, VALIDATE),
    "an id of a megabyte": ({"corpus.json": [document(doc_id=MEGABYTE)]}, VALIDATE),
    "an id that is there twice": ({"corpus.json": [document(doc_id=MEGABYTE)] * 2}, VALIDATE),
    "a text that is an id": ({"corpus.json": [document(doc_id=SECRET, text=1)]}, VALIDATE),
    "lines that lack texts": (
        {"a.jsonl": "\n".join(json.dumps({"doc_id": text, "other": 1}) for text in texts())},
        ("validate", "corpus.json", "a=a.jsonl"),
    ),
    "a key": ({"corpus.json": f'{{"{SECRET}": "a", "{SECRET}": "b"}}'}, ("validate", "corpus.json")),
    "an annotator": (
        {"corpus.json": [document(annotations={MEGABYTE: {"entity_mentions": [{"start_offset": 0}]}})]},
        VALIDATE,
    ),
    "an annotator whose spans are wrong": (
        {
            "corpus.json": [
                document(annotations={MEGABYTE: {"entity_mentions": [{"start_offset": 5, "end_offset": 9999}]}})
            ]
        },
        VALIDATE,
    ),
    "a level": ({"corpus.json": [mention(identifier_type=MEGABYTE)]}, VALIDATE),
    "what a span says": (
        {"corpus.json": [document(text=SECRET, annotations={"ann": {"entity_mentions": [
            {"start_offset": 0, "end_offset": 1000, "span_text": SECRET[1:1001]}]}})]},
        VALIDATE,
    ),
    "a type": (
        {"corpus.json": [mention(entity_type=MEGABYTE)], "masks.json": {"d1": [[5, 13, None, MEGABYTE[1:]]]}},
        ("evaluate", "corpus.json", "a=masks.json", "-m", "phi_token"),
    ),
    "a replacement as a type": (
        {"masks.json": {"d1": [[5, 13, SECRET]]}},
        ("evaluate", "corpus.json", "a=masks.json", "-m", 'phi_token(type_from="replacement")'),
    ),
    "a type to keep": (
        {"corpus.json": [mention(entity_type=MEGABYTE)]},
        ("apply", "--replace", "surrogate", "corpus.json", "-o", "out.json", "--keep", "X"),
    ),
    "a type to map": (
        {"corpus.json": [mention(entity_type=MEGABYTE)]},
        (*VALIDATE, "--map", "X=Y", "--direct", "Z"),
    ),
    "a type that cannot be written": (
        {"corpus.json": [mention(entity_type=f"A B {MEGABYTE}")]},
        ("convert", "corpus.json", "--to", "brat", "-o", "out"),
    ),
    "an id that cannot be a name": (
        {"corpus.json": [document(doc_id=f"a/{SECRET}")]},
        ("convert", "corpus.json", "--to", "brat", "-o", "out"),
    ),
    "two annotators": (
        {"corpus.json": [document(annotations={name: {"entity_mentions": []} for name in ("a", MEGABYTE)})]},
        ("convert", "corpus.json", "--to", "brat", "-o", "out"),
    ),
    "an entity": (
        {"a.xml": f'<!DOCTYPE a [<!ENTITY e{MEGABYTE} "x">]><a></a>'},
        ("validate", "a.xml"),
    ),
    "something outside": ({"a.xml": f'<!DOCTYPE a SYSTEM "{MEGABYTE}"><a></a>'}, ("validate", "a.xml")),
    "an element": (
        {"a.xml": f'<ROOT><RECORD ID="1"><TEXT><e{MEGABYTE}/></TEXT></RECORD></ROOT>'},
        ("validate", "a.xml"),
    ),
    "an offset": (
        {"a.xml": f'<R><TEXT>Oslo</TEXT><TAGS><LOC id="{MEGABYTE}" start="{SECRET}" end="4" TYPE="X"/></TAGS></R>'},
        ("validate", "a.xml"),
    ),
    "groups": ({"corpus.json": [document(doc_id=SECRET)]}, ("validate", "corpus.json", "--group-by", "id:^nobody")),
    "a name in a plan": (
        {"plan.toml": f'corpus = "corpus.json"\n[anonymizations]\n"{MEGABYTE}" = ""\n'},
        ("validate", "plan.toml"),
    ),
    "a key in a plan": ({"plan.toml": f'corpus = "corpus.json"\n"{MEGABYTE}" = 1\n'}, ("validate", "plan.toml")),
    "a metric in a plan": (
        {"plan.toml": f'corpus = "corpus.json"\nmetrics = ["{MEGABYTE[:100_000]}"]\n[anonymizations]\n'},
        ("validate", "plan.toml"),
    ),
    "a plan that is a document": ({"plan.toml": SECRET}, ("validate", "plan.toml")),
    "a run that is a document": ({"run.json": json.dumps(SECRET)}, ("report", "run.json")),
    "a configuration": (
        {
            "tae.json": {
                "corpus": "corpus.json",
                "anonymizations": {"a": "masks.json"},
                "metrics": {"NMI": {"mask_marks": [f"{SECRET},"]}, MEGABYTE: {}, "Recall": {MEGABYTE: 1}},
                "results_file_path": "out.csv",
            }
        },
        ("validate", "tae.json"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_refused(case: str, desk: Any) -> None:
    files, command = CASES[case]
    desk.write(files)
    outcome = desk.cli(*command)
    assert (outcome.status, outcome.out) == (2, "")
    assert 1 <= len(outcome.err.splitlines()) <= LISTED + 1
    check(outcome.err)


def test_notes(desk: Any) -> None:
    """What is no error is short, too."""
    kinds = [f"{MEGABYTE[number:]}" for number in range(30)]
    desk.write({"corpus.json": [mention(entity_type=kind) | {"doc_id": f"d{at}"} for at, kind in enumerate(kinds)]})
    desk.write({"masks.json": {f"d{number}": [[5, 13, None, kinds[0][9:]]] for number in range(30)}})
    outcome = desk.cli("validate", "corpus.json", f"{SECRET}=masks.json")
    assert outcome.status == 0
    assert "note: " in outcome.err
    check(outcome.err)


def test_a_run_with_names_of_a_megabyte(desk: Any) -> None:
    assert desk.cli("evaluate", "corpus.json", "a=masks.json", "-m", "recall", "-o", "run.json").status == 0
    run = json.loads((desk.folder / "run.json").read_text())
    for change in (
        {"anonymizations": [{**run["anonymizations"][0], "name": MEGABYTE}] * 2},
        {"rows": {MEGABYTE: run["rows"]["recall"]}},
        {"rows": {"recall": {MEGABYTE: {}}}},
        {"texts": {**run["texts"], "masks": {MEGABYTE: []}}},
        {"texts": {**run["texts"], "documents": [[SECRET, "", *run["texts"]["documents"][0][2:]]]}},
    ):
        desk.write({"other.json": {**run, **change}})
        outcome = desk.cli("report", "other.json")
        assert (outcome.status, outcome.out) == (2, "")
        check(outcome.err)


def test_what_surrogates_left() -> None:
    check(str(Leak(SECRET, SECRET, 0, len(SECRET))))


@pytest.mark.parametrize(
    "error",
    [
        InputError(Problem(MEGABYTE, MEGABYTE, MEGABYTE)),
        InputError(Problem("", "", "\x1b" * 480)),
        InputError(Problem("\x1b" * 200, "\x1b" * 200, "short")),
        PlanError(MEGABYTE, MEGABYTE),
        OutputError(f"{MEGABYTE}\n{MEGABYTE}"),
        ResourceError(f"first\nsecond {MEGABYTE}"),
    ],
)
def test_any_error(error: Exception) -> None:
    """Whoever raises it with whatever in it."""
    assert "\n" not in str(error)
    assert "\x1b" not in str(error)
    assert len(str(error)) <= LONGEST


def test_a_blank_name_is_seen() -> None:
    assert str(Problem(" ", "\n", "is not there")) == r"' ': '\n': is not there"
    assert str(Problem(" 1", "a b", "is not there")) == "' 1': a b: is not there"


def test_what_fits_is_shown_whole() -> None:
    problem = Problem("folder/" * 20 + "a.json", "document 1", "is not there; expected it")
    assert str(problem) == f"{problem.file}: {problem.place}: {problem.message}"
