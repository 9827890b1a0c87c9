"""A run without text tells no folder of what its metrics name, and is the same run otherwise."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from showthrough import Anonymization, Background, Corpus, Document, Mask, Run, evaluate
from showthrough.core.errors import Interrupted, PlanError
from showthrough.families.reidentification.report_attacks import attacks_json_text
from showthrough.report import csv_text
from showthrough.run.folders import PathNames
from showthrough.run.records import Failure, MetricRecord

PRIVATE = 'ann\'s "secret"'
SOME = Anonymization({"d1": [Mask(0, 11, "Somebody")], "d2": [], "d3": []}, "some")
ALL = Anonymization({"d1": [Mask(0, 34)], "d2": [Mask(0, 26)], "d3": [Mask(0, 15)]}, "all")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        (tmp_path / PRIVATE / name).mkdir(parents=True)
        (tmp_path / PRIVATE / name / "words.txt").write_text(f"the\n{name}\n")
    model = tmp_path / PRIVATE / "models" / "x"
    model.mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (model / name).write_text("no model")  # its metric fails
    return tmp_path / PRIVATE


def literal(path: Path | str) -> str:
    return str(path).replace('"', '\\"')


def asked(folder: Path) -> list[str]:
    lists = [f'phi_oov(dictionary="{literal(folder / name / "words.txt")}")' for name in ("one", "two")]
    return [*lists, "precision", f'tpi(ic="{literal(folder)}/models/x", chunking="none")']


def records(**parameters: str) -> list[MetricRecord]:
    return [MetricRecord(key, key, 1, key, "privacy", "higher", {key: value}) for key, value in parameters.items()]


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("dictionary", "/home/ann/secret/words.txt", "words.txt"),
        ("dictionary", "secret/words.txt@0123abcd", "words.txt@0123abcd"),
        ("dictionary", r"C:\ann\words.txt", "words.txt"),
        ("dictionary", "wordfreq:en", "wordfreq:en"),
        ("ic", "./models/x/", "./x"),  # a bare word would be a source and no folder
        ("ic", "models/x", "./x"),
        ("ic", "~/x", "./x"),
        ("ic", "hf:google-bert/bert-base-uncased", "hf:google-bert/bert-base-uncased"),
        ("function_words", "spacy:/home/ann/pipeline", "spacy:./pipeline"),
        ("base_model_name", "google-bert/bert-base-uncased", "google-bert/bert-base-uncased"),
        ("of_a_guest", "/home/ann/list", "list"),
        ("of_a_guest", "google-bert/bert-base-uncased", "google-bert/bert-base-uncased"),
        ("of_a_guest", "https://host/a/b", "https://host/a/b"),
        ("map", "A/B/C=LOC", "A/B/C=LOC"),
        ("attacks", 'lexical, dense(embedding="/ann/x")+assignment', 'lexical, dense(embedding="./x")+assignment'),
    ],
)
def test_what_is_a_path(parameter: str, value: str, expected: str) -> None:
    places = PathNames(records(**{parameter: value}))
    assert places.shorten(value) == expected
    assert PathNames(records(**{parameter: expected})).shorten(expected) == expected


def test_what_would_be_alike_is_numbered() -> None:
    places = PathNames(records(dictionary="/b/words.txt", medical="/a/words.txt", words="words.txt"))
    assert places.shorten(["/a/words.txt", "words.txt", {"/b/words.txt": "/b/words.txts"}]) == [
        "words.txt (3)", "words.txt", {"words.txt (2)": "/b/words.txts"},
    ]  # fmt: skip


def test_no_folder_anywhere(tiny: Corpus, folder: Path, tmp_path: Path) -> None:
    run = evaluate(tiny, [SOME, ALL], asked(folder), resamples=20)
    one, two, precision, tpi = (record.text for record in run.metrics)
    assert [failure.metric for failure in run.failures] == [tpi]
    run.failures.append(Failure(tpi, f"cannot open ({Path.home()}/models/x/config.json)"))
    run.notes.append(f"the words of {one} are few")
    bare = run.without_text()
    bare.save(tmp_path / "run.json")
    for content in ((tmp_path / "run.json").read_text(), csv_text(bare)):
        assert not [word for word in ("ann's", "secret", "/one/", "/two/", str(Path.home())) if word in content]
    names = [
        'phi_oov(dictionary="words.txt")', 'phi_oov(dictionary="words.txt (2)")', "precision",
        'tpi(ic="./x", chunking="none")',
    ]  # fmt: skip
    assert [record.text for record in bare.metrics] == names
    assert set(bare.rows) == set(names[:3])
    assert bare.record(names[1]).parameters["dictionary"] == "words.txt (2)"
    assert {score.metric for score in bare.scores} == set(names[:3])
    assert [bare[name, names[1]].value for name in bare.names] == [run[name, two].value for name in run.names]
    assert [bare[name, "precision"] for name in bare.names] == [run[name, precision] for name in run.names]
    assert "dictionary:words.txt (2)|" in bare["some", names[1]].signature
    assert "'./x' cannot be loaded" in bare.failures[0].reason
    assert 'ic="/path/to/it"' in bare.failures[0].reason
    assert bare.failures[1] == Failure(names[3], "cannot open (config.json)")
    assert bare.notes[-1] == f"the words of {names[0]} are few"
    assert Run.load(tmp_path / "run.json") == bare == bare.without_text()
    assert [one.p for one in bare.compare()] == [one.p for one in run.compare()]


def test_no_folder_of_an_attack() -> None:
    run = evaluate(
        Corpus([Document("ann", "Ann cut him open"), Document("bob", "Bob sold bread")]),
        [Anonymization({"ann": [Mask(0, 3)], "bob": [Mask(0, 3)]}, "names")],
        ['trir(attacks="dense(embedding=\\"lsa\\")")'],
        background=Background({"ann": "she cut and sewed", "bob": "baker of bread"}),
    )
    there = msgspec.json.decode(msgspec.json.encode(run).replace(rb'\\\"lsa', rb'\\\"/ann/x').replace(
        rb'\"lsa', rb'\"/ann/x'), type=Run)  # fmt: skip
    bare = there.without_text()
    assert b"/ann" in msgspec.json.encode(there)
    assert b"/ann" not in msgspec.json.encode(bare)
    assert 'dense(embedding="./x") mrr' in bare.parts("names", bare.metrics[0].text)
    assert 'right:dense(embedding="./x")' in bare.rows[bare.metrics[0].text]["names"]
    assert bare.evidence[bare.metrics[0].text]["names"]["ann"].attack == 'dense(embedding="./x")'
    assert attacks_json_text(bare).count("./x") > 0
    assert "/ann" not in attacks_json_text(bare)


def test_resumed(tiny: Corpus, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=20, start=0: chunks(self, characters, start))

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    whole = evaluate(tiny, [SOME, ALL], asked(folder), resamples=20)
    with pytest.raises(Interrupted) as caught:
        evaluate(tiny, [SOME, ALL], asked(folder), resamples=20, progress=stop)
    part = caught.value.partial.without_text()
    assert 0 < len(part.documents) < len(tiny)
    again = evaluate(tiny, [SOME, ALL], asked(folder), resamples=20, resume=part)
    assert (again.metrics, again.rows, again.scores) == (whole.metrics, whole.rows, whole.scores)
    assert [failure.metric for failure in again.failures] == [failure.metric for failure in whole.failures]
    with pytest.raises(PlanError, match="metrics: not the same"):
        evaluate(tiny, [SOME, ALL], asked(folder)[1:], resamples=20, resume=part)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("lexical+llm:qwen3@http://localhost:8000/v1", "lexical+llm:qwen3@http://localhost:8000/v1"),
        ("lexical+llm:org/model+assignment", "lexical+llm:org/model+assignment"),
        ("lexical+llm:/home/ann/model@http://[::1]:80/v1", "lexical+llm:./model@http://[::1]:80/v1"),
        ("llm:/home/ann/model", "llm:./model"),
    ],
)
def test_a_language_model_keeps_its_name_and_address(written: str, told: str) -> None:
    record = MetricRecord("", "", 1, "", "privacy", "higher", {"attacks": written})
    assert PathNames([record]).shorten(f'trir(attacks="{written}")') == f'trir(attacks="{told}")'
