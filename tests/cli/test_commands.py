"""What each command does when all is well."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, Run, evaluate, read_anonymization, read_corpus
from showthrough.metrics import METRICS, PRESETS
from showthrough.run import journal
from showthrough.version import __version__

EVALUATE = ("evaluate", "corpus.json", "a=masks.json")


def wire(corpus: Corpus) -> list[dict[str, Any]]:
    """A corpus as TAB's JSON has it."""
    return [
        {
            "doc_id": document.id,
            "text": document.text,
            "annotations": {
                layer.annotator: {
                    "entity_mentions": [
                        {
                            "start_offset": one.start,
                            "end_offset": one.end,
                            "entity_type": one.entity_type,
                            "identifier_type": one.identifier,
                            "entity_id": one.entity_id,
                        }
                        for one in layer.mentions
                    ]
                }
                for layer in document.annotations
            },
        }
        for document in corpus
    ]


@pytest.fixture
def here(desk: Any, tiny: Corpus) -> Path:
    """The tiny corpus, two anonymizations of it, as the working directory."""
    every = {"d1": [[0, 11], [15, 19], [28, 33]], "d2": [[2, 9], [23, 25]], "d3": []}
    desk.write({"corpus.json": wire(tiny), "masks.json": {"d1": [[0, 11]], "d2": [], "d3": []}, "every.json": every})
    folder: Path = desk.folder
    return folder


def scores(path: str) -> dict[tuple[str, str, str], float | None]:
    return {(one.anonymization, one.metric, one.part): one.value for one in Run.load(path).scores}


def test_evaluate_shows_and_writes(here: Path, cli: Callable[..., Any]) -> None:
    outcome = cli(*EVALUATE, "every=every.json", "-o", "run.json", "--signatures", "--verbose")
    assert (outcome.status, outcome.err) == (0, "")
    assert "corpus: 3 documents; intervals at 95 %" in outcome.out
    assert "er_di.v4|corpus:corpus@" in outcome.out
    assert "* best of its column" in outcome.out
    # Every mark hides in the one, and d2 leaks in the other; three documents say little.
    missed = "a misses removed_di ≥ 0.95 (0.667), removed_qi ≥ 0.95 (0.000)\n    leaves 1 of 3 direct identifiers"
    assert missed in outcome.out
    assert "every is not sure to meet removed_di ≥ 0.95 (1.000, but may be " in outcome.out
    assert outcome.out.index("every is not sure") < outcome.out.index("removed_di.v3|corpus:corpus@")
    assert "run written to run.json (holds the documents' text" in outcome.out
    found = scores("run.json")
    # Mr John Doe for both annotators of d1, Ann Lee of d2: masks.json hides the first two.
    assert found["a", "er_di", ""] == found["a", "removed_di", ""] == 2 / 3
    # d1 is without a readable one, d2 is not, and nobody marked any in d3.
    assert found["a", "clean", ""] == 0.5
    assert found["every", "er_di", ""] == 1.0
    assert found["a", "er_qi", ""] == 0.0
    # Mr, John, Doe twice; Oslo; 3, May; Ann, Lee; 山, 田: 6 of 13 tokens.
    assert found["a", "recall", ""] == 6 / 13
    # Mr, John, Doe, which both annotators wanted masked.
    assert found["a", "precision", ""] == 1.0
    # Of every.json: 6 for the name, Oslo and the two of the date for one of two annotators, 4 in d2: 13 of 16.
    assert found["every", "precision", ""] == 13 / 16


def test_names_are_text_and_no_markup(here: Path, cli: Callable[..., Any]) -> None:
    outcome = cli("evaluate", "corpus.json", "[red]x[/red]=masks.json", "[/]=every.json", "-o", "[x].json")
    assert outcome.status == 0
    for name in ("[red]x[/red]", "[/]", "run written to [x].json"):
        assert name in outcome.out
    outcome = cli("compare", "[x].json")
    assert outcome.status == 0
    assert "[red]x[/red]" in outcome.out


def test_a_name_may_be_left_out(here: Path, cli: Callable[..., Any]) -> None:
    assert cli("evaluate", "corpus.json", "every.json", "masks.json", "-o", "run.json").status == 0
    assert Run.load("run.json").names == ["every", "masks"]


def test_metrics_and_presets_add_up(here: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "pair", ("recall", "er_di"))
    options = ("--preset", "pair", "-m", "er_di", "-m", 'recall(unit="mention")', "-o", "run.json")
    assert cli(*EVALUATE, *options).status == 0
    assert [record.text for record in Run.load("run.json").metrics] == ["recall", "er_di", 'recall(unit="mention")']


def test_another_source_of_function_words_gives_each_metric_once(here: Path, cli: Callable[..., Any]) -> None:
    same = 'recall(function_words="lexicon-en.1")'
    options = ("-m", "recall", "-m", same, "--function-words", "lexicon-en.1", "-o", "run.json")
    assert cli(*EVALUATE, *options).status == 0
    assert [record.text for record in Run.load("run.json").metrics] == ["recall"]


SPANISH = (
    "La paciente fue vista en la consulta por su médico, que la conocía desde hacía diez años. Dijo que el dolor era "
    "más fuerte cuando estaba de pie, y que lo tenía desde el verano."
)


def test_documents_in_another_language_are_told_with_the_remedy(tmp_path: Path, cli: Callable[..., Any]) -> None:
    mention = {"start_offset": 0, "end_offset": 11, "entity_type": "PERSON", "identifier_type": "DIRECT"}
    document = {"doc_id": "d", "text": SPANISH, "annotations": {"a": {"entity_mentions": [mention]}}}
    (tmp_path / "c.json").write_text(json.dumps([document]))
    (tmp_path / "m.json").write_text(json.dumps({"d": [[3, 11]]}))
    (tmp_path / "p.toml").write_text(
        'corpus = "c.json"\nlanguage = "es"\nmetrics = ["er_di"]\n[anonymizations]\na = "m.json"'
    )
    command = ("evaluate", tmp_path / "c.json", f"a={tmp_path / 'm.json'}", "-m", "er_di", "-o", tmp_path / "r.json")
    outcome = cli(*command)
    assert "note: the documents look like Spanish, but function words are English" in outcome.err
    assert "say --language es" in outcome.err
    assert Run.load(tmp_path / "r.json")["a", "er_di"].value == 0.0  # "La" can be read, and in English that is a word
    for told in (
        (*command, "--force", "--language", "es"),
        ("evaluate", tmp_path / "p.toml", *command[-2:], "--force"),
    ):
        outcome = cli(*told)
        assert (outcome.status, "look" in outcome.err) == (0, False)
        assert Run.load(tmp_path / "r.json")["a", 'er_di(function_words="lexicon-es.1")'].value == 1.0


def test_a_metric_whose_pipeline_is_missing_is_refused_before_any_work(here: Path, cli: Callable[..., Any]) -> None:
    lost = 'recall(function_words="spacy:no_such_pipeline")'
    outcome = cli(*EVALUATE, "-m", "er_di", "-m", lost, "-o", "run.json")
    assert outcome.status == 2
    assert f"metric {lost}: " in outcome.err
    assert not Path("run.json").exists()


def test_a_failed_metric_is_told_and_the_rest_is_kept(here: Path, cli: Callable[..., Any]) -> None:
    (here / "model").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (here / "model" / name).write_text("no model")
    lost = 'wp(ic="./model")'
    outcome = cli(*EVALUATE, "-m", "er_di", "-m", lost, "-o", "run.json")
    assert outcome.status == 1
    assert f"failed {lost}: " in outcome.out
    run = Run.load("run.json")
    assert [failure.metric for failure in run.failures] == [lost]
    assert run["a", "er_di"].value == 2 / 3


CLEAN = b'{"doc_id": "d1", "masks": [[0, 11]]}\n{"doc_id": "d2", "masks": []}\n{"doc_id": "d3", "masks": []}\n'
TABLE = "doc_id,text\nd1, of Oslo left on 3 May.\nd2,😀 Ann Lee (Oslo) knows 山田.\nd3,Nothing to see.\n".encode()
MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(("name", "content"), [("x.jsonl", CLEAN), ("x.csv", TABLE)])
def test_marks_and_line_ends_change_no_number(name: str, content: bytes, here: Path, cli: Callable[..., Any]) -> None:
    corpus = json.loads((here / "corpus.json").read_bytes())
    lines = "\n".join(map(json.dumps, corpus)).encode()
    crlf = content.replace(b"\n", b"\r\n")
    found = []
    for number, (documents, masks) in enumerate(
        [
            (lines, content),
            (MARK + lines, MARK + content),
            (lines.replace(b"\n", b"\r\n"), crlf),
            (MARK + lines.replace(b"\n", b"\r\n") + b"\r\n", MARK + crlf),
            (b"\n\n" + lines.replace(b"\n", b"\n\n"), content.rstrip(b"\n")),
        ]
    ):
        (here / "c.jsonl").write_bytes(documents)
        (here / name).write_bytes(masks)
        assert cli("evaluate", "c.jsonl", f"a={name}", "-o", f"{number}.json").status == 0
        found.append([(one.value, one.low, one.high, one.signature) for one in Run.load(f"{number}.json").scores])
    assert all(other == found[0] for other in found[1:])
    assert found[0][0][0] == 2 / 3


def test_packed_files_are_unpacked(here: Path, cli: Callable[..., Any]) -> None:
    for name in ("corpus.json", "masks.json"):
        (here / f"{name}.gz").write_bytes(gzip.compress((here / name).read_bytes()))
    assert cli(*EVALUATE, "-o", "plain.json").status == 0
    assert cli("evaluate", "corpus.json.gz", "a=masks.json.gz", "-o", "packed.json").status == 0
    assert scores("plain.json") == scores("packed.json")
    assert cli("report", "packed.json").status == 0


def test_missing_documents_count_as_unmasked_when_asked(here: Path, cli: Callable[..., Any]) -> None:
    (here / "masks.json").write_text('{"d1": [[0, 11]]}')
    assert cli(*EVALUATE, "--missing", "unmasked", "-o", "run.json").status == 0
    assert Run.load("run.json")["a", "er_di"].value == 2 / 3
    assert "|missing:unmasked|" in Run.load("run.json")["a", "er_di"].signature


def test_a_plan_reads_beside_itself_and_options_override_it(
    here: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = """
        corpus = "corpus.json"
        metrics = ["er_di", "precision"]
        seed = 7
        resamples = 20
        output = "run.json"
        [anonymizations]
        a = "masks.json"
        "b c" = { path = "every.json" }
    """
    (here / "plan.toml").write_text(plan)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert cli("evaluate", "../plan.toml").status == 0
    run = Run.load("../run.json")
    assert (run.names, [record.text for record in run.metrics]) == (["a", "b c"], ["er_di", "precision"])
    assert (run.settings.seed, run.settings.resamples, run.settings.confidence) == (7, 20, 0.95)

    options = ("--seed", "8", "--confidence", "0.9", "-j", "2", "-o", "here.json")
    assert cli("evaluate", "../plan.toml", *options).status == 0
    settings = Run.load("here.json").settings
    assert (settings.seed, settings.resamples, settings.confidence) == (8, 20, 0.9)


# --- the Text Anonymization Evaluator's configuration -----------------------------------------------------------------

CONFIGURATION: dict[str, Any] = {
    "corpus": "corpus.json",
    "anonymizations": {"First": "masks.json", "Every one": "every.json"},
    "results_file_path": "outputs/deep/results.csv",
    "metrics": {
        "Precision": {"token_level": True, "weighting_model_name": None, "weighting_max_segment_length": 100},
        "Precision_mention": {"token_level": False},
        "Recall": {"token_level": True, "include_direct": True, "include_quasi": True},
        "Recall_direct": {"include_quasi": False},
        "Recall_again_and again": {},
        "RecallPerEntityType": {},
    },
}


def test_TAE_configuration(here: Path, cli: Callable[..., Any]) -> None:  # noqa: N802 (the name of the program)
    (here / "settings").mkdir()
    # Paths are taken from the working directory, not from where the configuration is.
    (here / "settings/config.json").write_text(json.dumps(CONFIGURATION))
    outcome = cli("evaluate", "settings/config.json")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.endswith("TAE results written to outputs/deep/results.csv\n")
    with (here / "outputs/deep/results.csv").open(newline="") as file:
        head, *rows = list(csv.reader(file))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", head[0])
    assert head[1:] == ["Metric/Anonymization", "First", "Every one"]
    assert {row[0] for row in rows} == {head[0]}
    assert [row[1] for row in rows] == list(CONFIGURATION["metrics"])
    values = {row[1]: row[2:] for row in rows}
    assert values["Precision"] == [repr(1.0), repr(13 / 16)]
    # Masks whole: the name counts twice of two, Oslo and the date once of two each, two in d2: 6 of 8.
    assert values["Precision_mention"] == [repr(1.0), repr(6 / 8)]
    assert values["Recall"] == values["Recall_again_and again"] == [repr(6 / 13), repr(1.0)]
    assert values["Recall_direct"] == [repr(6 / 8), repr(1.0)]  # Mr, John, Doe twice; Ann, Lee
    # Of PERSON 6 of 10: the eight direct ones and 山, 田.
    types = {"DATETIME": 0.0, "LOC": 0.0, "PERSON": 6 / 10}
    assert values["RecallPerEntityType"] == [str(types), str(dict.fromkeys(types, 1.0))]


def test_TAE_metrics_that_are_not_there_are_failures(here: Path, cli: Callable[..., Any]) -> None:  # noqa: N802
    metrics = {"Recall": {}, "TRIR_x": {"output_folder_path": "x"}, "Precision": {}}
    (here / "config.json").write_text(json.dumps({**CONFIGURATION, "metrics": metrics}))
    outcome = cli("evaluate", "config.json", "-o", "run.json")
    assert outcome.status == 1
    assert "failed TRIR_x: " in outcome.out
    with (here / "outputs/deep/results.csv").open(newline="") as file:
        assert [row[1] for row in csv.reader(file)] == ["Metric/Anonymization", "Recall", "Precision"]
    assert [failure.metric for failure in Run.load("run.json").failures] == ["TRIR_x"]


def test_TAE_settings_come_from_the_command_line(here: Path, cli: Callable[..., Any]) -> None:  # noqa: N802
    (here / "masks.json").write_text('{"d1": [[0, 11]]}')
    (here / "config.json").write_text(json.dumps(CONFIGURATION))
    assert cli("evaluate", "config.json").status == 2
    options = ("--missing", "unmasked", "--seed", "3", "-o", "run.json")
    assert cli("evaluate", "config.json", *options).status == 0
    assert (Run.load("run.json").settings.missing, Run.load("run.json").settings.seed) == ("unmasked", 3)


# --- the other commands -----------------------------------------------------------------------------------------------


@pytest.fixture
def run(here: Path, evaluated: Callable[..., None]) -> Run:
    evaluated(*EVALUATE[1:], "every=every.json", "-o", "run.json")
    return Run.load("run.json")


def test_signatures_are_printed_beside_files_too(run: Run, cli: Callable[..., Any]) -> None:
    outcome = cli("report", "run.json", "--latex", "t.tex", "--signatures")
    assert outcome.status == 0
    assert "er_di.v4|" in outcome.out


def test_report_needs_the_run_alone(run: Run, here: Path, cli: Callable[..., Any]) -> None:
    for name in ("corpus.json", "masks.json", "every.json"):
        (here / name).unlink()
    outcome = cli("report", "run.json", "--verbose")
    assert (outcome.status, outcome.err) == (0, "")
    told = "leaves 1 of 3 direct identifiers readable in the release, in 1 of 3 documents; all names (PERSON)"
    assert told in " ".join(outcome.out.split())
    assert "removed_di.v3|" not in outcome.out
    assert "er_di.v4|" not in outcome.out  # only with --signatures
    written = ("--csv", "t.csv", "--markdown", "t.md", "--latex", "t.tex", "--json", "t.json")
    outcome = cli("report", "run.json", *written)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.split() == [word for name in written[1::2] for word in ("written", "to", name)]
    with (here / "t.csv").open(newline="") as file:
        values = [row["value"] for row in csv.DictReader(file)]
        assert values == ["" if score.value is None else str(score.value) for score in run.scores]
    assert len(json.loads((here / "t.json").read_text())["scores"]) == len(run.scores)
    latex = (here / "t.tex").read_text()
    assert latex.startswith("% needs \\usepackage{booktabs}\n")
    assert latex.count("booktabs") == 1
    scores_table, *of_parts = latex.split("\\begin{table}")[1:]
    assert "\\label{tab:scores}" in scores_table
    kinds = ("by-type", "by-how-they-can-be-read")
    removed = [f"{name}-{kind}" for name in ("removed-di", "removed-qi") for kind in kinds]
    assert re.findall(r"\\label\{tab:(.*)\}", "".join(of_parts)) == [*removed, "recall-per-type"]
    by_type = of_parts[-1]
    assert "% recall_per_type" not in scores_table  # signatures of its own metrics alone
    assert re.findall(r"^% (\w+)", by_type, re.MULTILINE) == ["recall_per_type"]
    assert "| er\\_di ↑ (privacy) |" in (here / "t.md").read_text()
    assert (here / "t.md").read_text().startswith("**Not enough evidence. ")
    assert "\n\n**corpus: 3 documents" in (here / "t.md").read_text()


def test_reports_are_replaced_only_by_force(run: Run, here: Path, cli: Callable[..., Any]) -> None:
    (here / "t.csv").write_text("precious")
    assert cli("report", "run.json", "--csv", "t.csv").status == 2
    assert (here / "t.csv").read_text() == "precious"
    assert cli("report", "run.json", "--csv", "t.csv", "--force").status == 0
    assert (here / "t.csv").read_text().startswith("anonymization,metric,part,value")


def test_a_report_goes_into_a_pipe(run: Run, here: Path, cli: Callable[..., Any]) -> None:
    """A pipe exists already, and stays one: nothing is put in its place."""
    os.mkfifo(here / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe").read_text()), daemon=True)
    reader.start()
    assert cli("report", "run.json", "--csv", "pipe").status == 0
    reader.join(timeout=60)
    assert read[0].startswith("anonymization,metric,part,value")
    assert (here / "pipe").is_fifo()


def test_compare_says_who_is_better(run: Run, cli: Callable[..., Any]) -> None:
    outcome = cli("compare", "run.json", "-m", "er_qi", "--shuffles", "99")
    assert (outcome.status, outcome.err) == (0, "")
    assert "er_qi: is the row better than the column?" in outcome.out
    assert "over 3 documents, 99 shuffles" in outcome.out
    again = cli("compare", "run.json", "-m", "er_qi", "--shuffles", "99")
    assert again.out == outcome.out
    everything = cli("compare", "run.json", "--parts", "--shuffles", "99", "--alpha", "0.5", "--seed", "1")
    assert "recall_per_type, PERSON" in everything.out


def test_a_replacement_that_gives_it_away_is_told(desk: Any, cli: Callable[..., Any]) -> None:
    desk.write({"masks.json": {"d1": [[5, 13, "John Doe"]]}})
    for command in ("validate", "evaluate"):
        outcome = cli(command, "corpus.json", "same=masks.json")
        assert outcome.status == 0
        assert outcome.err.startswith("note: same: 1 of 1 masks repeats words of the original")
        assert "Doe" not in outcome.err


def test_validate_says_what_there_is(here: Path, cli: Callable[..., Any]) -> None:
    outcome = cli("validate", "corpus.json", "masks.json", "x=every.json")
    assert (outcome.status, outcome.err) == (0, "")
    head, masks, every, end = outcome.out.splitlines()
    assert head.startswith(
        "corpus.json: 3 documents, 75 characters, 3 annotated, 4 annotation layers, 6 mentions, digest "
    )
    assert masks.startswith("masks.json: 3 documents, 1 masks, digest ")
    assert every.startswith("every.json: 3 documents, 5 masks, digest ")
    assert end == "all is well"


def test_an_anonymization_that_hides_nothing_is_told(here: Path, cli: Callable[..., Any]) -> None:
    originals = {document.id: document.text for document in read_corpus("corpus.json")}
    Path("same.json").write_text(json.dumps(originals))
    for command in ("evaluate", "validate"):
        outcome = cli(command, "corpus.json", "same=same.json", "masks.json")
        assert outcome.status == 0
        assert outcome.err == "same: no text differs from the original; nothing is masked\n"


def test_one_document_without_intervals(desk: Any) -> None:
    outcome = desk.cli("evaluate", "corpus.json", "masks.json", "--resamples", "0", "--verbose")
    assert "corpus: 1 document\n" in outcome.out
    assert "intervals" not in outcome.out
    assert "(1.000, but it has no interval)" in " ".join(outcome.out.split())
    assert "best of its column" not in outcome.out  # there is one alone


def test_metrics_are_listed_and_explained(cli: Callable[..., Any]) -> None:
    listed = cli("list", "metrics")
    assert listed.status == 0
    assert all(re.search(rf"^{name} ", listed.out, re.MULTILINE) for name in METRICS)
    assert "(identifier=quasi)" not in listed.out  # each has a sentence of its own
    one = cli("list", "metrics", "er_di")
    assert one.status == 0
    assert "ER = |{e : every to-be-masked mention of e is covered}| / |{e}|" in one.out
    assert "identifier = 'direct'" in one.out


def test_anonymize_writes_masks_that_can_be_scored(here: Path, cli: Callable[..., Any]) -> None:
    outcome = cli("anonymize", "corpus.json", "--with", "rules", "-o", "rules.json", "--no-cache")
    assert (outcome.status, outcome.err) == (0, "")
    assert re.fullmatch(
        r"rules: \d+ masks in 3 documents, [\d.,]+ documents a second, written to rules.json\n", outcome.out
    )
    assert cli("evaluate", "corpus.json", "rules.json").status == 0


def test_version(cli: Callable[..., Any]) -> None:
    outcome = cli("--version")
    assert (outcome.status, outcome.out) == (0, f"showthrough {__version__}\n")


@pytest.mark.parametrize("command", ["evaluate", "compare", "report", "validate", "list", "anonymize", "demo"])
def test_every_command_has_help(command: str, cli: Callable[..., Any]) -> None:
    outcome = cli(command, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith("Usage: ")


def test_the_command_line_and_the_library_agree(here: Path, cli: Callable[..., Any]) -> None:
    assert cli(*EVALUATE, "-o", "run.json").status == 0
    same = evaluate(read_corpus("corpus.json"), {"a": read_anonymization("masks.json")})
    assert same.scores == Run.load("run.json").scores


def test_the_folder_of_a_large_run_is_told(
    here: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "LARGE", 2)
    (folder,) = re.findall(r"^its rows are in (\S+): keep both together", cli(*EVALUATE, "-o", "r.json").out, re.M)
    assert (here / folder / "index.json").is_file()
    assert "its rows are in" not in cli(*EVALUATE, "-o", "r.zip").out
    monkeypatch.undo()
    assert "its rows are in" not in cli(*EVALUATE, "-o", "small.json").out
