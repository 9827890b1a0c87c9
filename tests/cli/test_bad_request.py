"""Requests that cannot be carried out: options, paths, plans and TAE configurations.

Each case: exit status 2, one clear line a problem that names the place, no traceback, no output file made or touched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

EVALUATE = ("evaluate", "corpus.json", "a=masks.json", "-o", "out.json")


@dataclass(frozen=True)
class Case:
    """Files beside the sound ones, a command, what every line starts with, and what the lines say."""

    name: str
    starts: str
    says: tuple[str, ...]
    files: Mapping[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = EVALUATE
    lines: int = 1


CASES: list[Case] = []


def case(name: str, starts: str, *says: str, lines: int = 1, command: tuple[str, ...] = EVALUATE, **files: Any) -> None:
    """Adds a case; `plan_toml=…` is the content of plan.toml, `x__y=…` of x/y."""
    named = {key.replace("__", "/").replace("_", "."): content for key, content in files.items()}
    CASES.append(Case(name, starts, says, named, command, lines))


def option(*options: str, starts: str, says: tuple[str, ...]) -> None:
    case(f"option {' '.join(options)}"[:60], starts, *says, command=(*EVALUATE, *options))


# --- paths ------------------------------------------------------------------------------------------------------------

case("missing corpus", "none.json: no such file", command=("evaluate", "none.json", "a=masks.json", "-o", "out.json"))
case("missing masks", "none.json: no such file", command=("evaluate", "corpus.json", "a=none.json", "-o", "out.json"))
case("two missing", "none", "none1: no", "none2: no", lines=2, command=("evaluate", "corpus.json", "none1", "none2"))
case("corpus below a file", "corpus.json/x: ", "Not a directory", command=("evaluate", "corpus.json/x", "a=masks.json"))
case("folder for a corpus", "x: holds no .txt file", x__y="", command=("evaluate", "x", "a=masks.json"))
case("folder for a plan", "x.toml: is a folder", x_toml__y="", command=("evaluate", "x.toml"))
case("folder for a run", "x: is a folder; expected a file", x__y="", command=("compare", "x"))
case("folder for gzip", "x.json.gz: holds no .txt", x_json_gz__y="", command=("evaluate", "x.json.gz", "a=masks.json"))
LONG = "x" * 300
case("corpus name too long", LONG, "name too long", command=("evaluate", LONG, "a=masks.json", "-o", "out.json"))
case("masks name too long", LONG, "name too long", command=("evaluate", "corpus.json", f"a={LONG}", "-o", "out.json"))
case("output name too long", LONG, "name too long", command=("evaluate", "corpus.json", "a=masks.json", "-o", LONG))

# --- what is asked for ------------------------------------------------------------------------------------------------

option("-m", "reca", starts="metric reca: unknown metric; ", says=("did you mean recall?",))
option("-m", "recall(unit=5)", starts="metric recall: unit: ", says=("found 5; expected text, such as",))
option("-m", "recall(unit='word')", starts="metric recall: unit='word'", says=("expected one of 'token'",))
option("-m", "recall(unt='token')", starts="metric recall: unt: unknown parameter", says=("expected one of unit",))
option("-m", "recall('mention')", starts="metric recall('mention'): ", says=("expected a name, or a call",))
option("-m", "recall(", starts="metric recall(: ", says=("expected a name, or a call",))
option("-m", "recall\nprecision", starts="metric recall\\nprecision: ", says=("expected",))
option("-m", "(" * 500, starts="metric ((((", says=("expected",))
option("-m", "f1(beta=-1)", starts="metric f1: beta=-1", says=("expected a number above 0",))
option("-m", "f1(beta=1e308)", starts="metric f1: beta=1e+308", says=("above 0, at most 1,000,000",))
option("-m", f"f1(beta={'1' * 400})", starts="metric f1: beta=1111", says=("at most 1,000,000",))
option(
    "-m", "tpi(term_alterning=99999999999999999999)", starts="metric tpi: term_alterning=9999", says=("at most 1,000",)
)
option(
    "-m", "tpi(segment_length=99999999999999999999)", starts="metric tpi: segment_length=9999", says=("1 to 1,000,000",)
)
option("-m", 'phi_oov(dictionary="a\\0b")', starts="metric phi_oov: dictionary: found 'a\\x00b'", says=("zero bytes",))
option("-m", 'wp(ic="./\\ud800")', starts="metric wp: ic: found './\\ud800'", says=("halves of characters",))
option("-m", 'recall(function_words="spacy:a\\0")', starts="metric recall: function_words: found", says=("zero bytes",))
option("-m", "f1(beta=True)", starts="metric f1: beta: ", says=("expected a number, such as 1.0",))
option("-m", "tpi(term_alterning=2.5)", starts="metric tpi: term_alterning: ", says=("whole number or text",))
option("-m", "tpi(attend_hidden=yes)", starts="metric tpi: attend_hidden: ", says=("expected True or False",))
option("-m", "tpi(ic=bert)", starts="metric tpi: ic='bert' is not known", says=("wordfreq:<language>", "hf:<name>"))
option("-m", "recall(include='')", starts="metric recall: include=''", says=("expected 'direct'",))
option("-m", "preset:nope", starts="preset nope: unknown preset", says=("there are default",))
option("--preset", "nope", starts="preset nope: unknown preset", says=("there are default",))
option(
    "--function-words", "klingon", starts="unknown source of function words 'klingon'", says=("lexicon-en.1", "none")
)
option("--function-words", "spacy:", starts="unknown source of function words", says=("spacy:<pipeline>",))
option(
    "--language", "fi", starts="language: there is no list of function words for 'fi'", says=("es", "none or spacy:")
)
option("--language", "gl", "-m", "wp(ic=wordfreq)", starts="language: wordfreq has no", says=("expected one of ar",))
option("--missing", "zero", starts="missing: found 'zero'", says=("expected error or unmasked",))
option("--confidence", "1", starts="confidence: found 1.0", says=("between 0 and 1",))
option("--confidence", "nan", starts="confidence: found nan", says=("between 0 and 1",))
option("--resamples", "-1", starts="resamples: found -1", says=("expected 0 to",))
option("--resamples", "1000000000000", starts="resamples: ", says=("expected 0 to",))
option("--seed", "-1", starts="seed: found -1", says=("expected 0 or more",))
option("-j", "0", starts="jobs: found 0", says=("expected 1 or more",))
option("--group-by", "a\tb", starts="group-by: found 'a\\tb'", says=("expected another field or column",))
option("--group-by", 'a"b', starts="group-by: found", says=("expected another field or column",))
option("--group-by", "id:(", starts="group-by id:(: is no regular expression", says=())
option("--group-by", f"id:a{{{'9' * 30}}}", starts="group-by id:a{9999", says=("is no regular expression",))
option("--csv", "none/x.csv", starts="none/x.csv: ", says=("the folder none does not exist",))
option("--csv", ".", starts=".: is a folder", says=("expected a file name",))
option("--csv", "out.json", starts="out.json: ", says=("two results",))
option("--csv", "x", "--latex", "./x", starts="x: ", says=("two results",))
option("--csv", "corpus.json", "--force", starts="corpus.json: ", says=("is read by this command",))
option("--csv", "masks.json", starts="masks.json: ", says=("is read by this command",))
option("-o", "masks.json", "--force", starts="masks.json: ", says=("is read by this command",))
option("-o", "s3://bucket/out.json", starts="s3://bucket/out.json: ", says=("written on this machine alone",))
option("-o", "none/out.json", starts="none/out.json: ", says=("does not exist",))
option("-o", ".", starts=".: is a folder", says=("expected a file name",))
option("a=masks.json", starts="anonymization a: ", says=("used twice",))
option("b=", starts="anonymization: found 'b='", says=("expected NAME=FILE",))
option("=masks.json", starts="anonymization: found '=masks.json'", says=("expected NAME=FILE",))
option("", starts="anonymization: found ''", says=("expected NAME=FILE",))
option("-m", 'recall(unit="x")', starts="metric recall: unit='x' is not known", says=("'mention'",))
option("-m", "f1(unit=x)", starts="metric f1: unit='x' is not known", says=("'mention'",))
option("-m", "f1(beta=0)", starts="metric f1: beta=0 is out of range", says=("a number above 0",))
case("no anonymization", "anonymizations: none was given", command=("evaluate", "corpus.json", "-o", "out.json"))
case("--resume without a file", "--resume needs", command=("evaluate", "corpus.json", "a=masks.json", "--resume"))
VOCABULARY = ("corpus", "--vocabulary", "corpus.json", "a=none.json", "--json", "out.json")
case("vocabulary reads all before it says anything", "none.json: no such file", command=VOCABULARY)
PAST = {"d1": [[0, 99]]}
case("vocabulary checks masks", "masks.json: document d1", masks_json=PAST, command=(*VOCABULARY[:3], "a=masks.json"))
case("vocabulary, name twice", "anonymization a: ", "used twice", command=(*VOCABULARY[:3], *["a=masks.json"] * 2))
ZERO = [{"doc_id": "a\0b", "text": "Mr Doe", "annotations": {"ann": {"entity_mentions": []}}}]
for kind in ("brat", "i2b2-2014", "meddocan"):
    case(
        f"zero byte in an id, to {kind}",
        "document a\\x00b: ",
        "cannot be the name of a file",
        corpus_json=ZERO,
        command=("convert", "corpus.json", "--to", kind, "-o", "made"),
    )
ANONYMIZE = ("anonymize", "corpus.json", "--with", "x", "-o", "out.json")
case("unknown anonymizer", "unknown anonymizer 'x'", "rules", command=ANONYMIZE)
case("anonymize a missing file", "none: no such file", command=("anonymize", "none", "--with", "rules", "-o", "x"))
case("unknown metric to explain", "metric er_dii: ", "did you mean er_di?", command=("list", "metrics", "er_dii"))
case("validate, missing", "missing: found 'x'", command=("validate", "corpus.json", "masks.json", "--missing", "x"))
case(
    "validate tells all of all files",
    "masks.json: document ",
    "zz: is not in",
    "d1: masks[0]: end 99 is past",
    "d1: masks[1]: start -1",
    lines=3,
    masks_json={"d1": [[0, 99], [-1, 2]], "zz": []},
    command=("validate", "corpus.json", "masks.json"),
)

# --- plans ------------------------------------------------------------------------------------------------------------

PLAN = ("evaluate", "plan.toml", "-o", "out.json")
SOUND = 'corpus = "corpus.json"\n[anonymizations]\na = "masks.json"\n'
for name, starts, says, content in (
    ("no TOML", "plan.toml: is not valid TOML: ", "", "corpus = ["),
    ("long number", "plan.toml: has a number of thousands of digits", "", "seed = " + "1" * 5000),
    ("deep", "plan.toml: is nested too deeply", "", "a = " + "[" * 5000),
    ("Latin-1", "plan.toml: byte 1 is not UTF-8", "", "#é".encode("latin-1")),
    ("empty", "plan.toml: corpus is missing", "", ""),
    ("unknown key", "plan.toml: colour: unknown key", "expected one of corpus", "colour = 1\n" + SOUND),
    ("unknown key of a source", "plan.toml: anonymizations", "unknown key x", SOUND + 'b = {path = "y", x = 1}'),
    ("corpus is a number", "plan.toml: corpus: ", "found a whole number", SOUND.replace('"corpus.json"', "5")),
    ("corpus is empty", "plan.toml: corpus: ", "found ''", SOUND.replace("corpus.json", "")),
    ("zero byte in a path", "plan.toml: corpus: ", "expected the path", SOUND.replace("corpus.json", "a\\u0000b")),
    ("missing corpus", "none.json: no such file", "", SOUND.replace("corpus.json", "none.json")),
    ("no anonymizations", "plan.toml: anonymizations: ", "none was given", 'corpus = "corpus.json"'),
    ("empty anonymizations", "plan.toml: anonymizations: ", "none was", 'corpus = "corpus.json"\n[anonymizations]'),
    ("name twice", "plan.toml: is not valid TOML: ", "Cannot overwrite", SOUND + 'a = "masks.json"'),
    ("unknown metric", "plan.toml: metric reca: ", "did you mean recall?", 'metrics = ["reca"]\n' + SOUND),
    ("metrics are text", "plan.toml: metrics: ", "expected a list", 'metrics = "recall"\n' + SOUND),
    ("unknown preset", "plan.toml: preset x: ", "there are", 'preset = "x"\n' + SOUND),
    ("confidence is text", "plan.toml: confidence: ", "expected a number", 'confidence = "x"\n' + SOUND),
    ("seed is true", "plan.toml: seed: ", "expected a whole number", "seed = true\n" + SOUND),
    ("jobs", "jobs: found 0", "expected 1 or more", "jobs = 0\n" + SOUND),
    ("missing", "missing: found 'x'", "expected error or unmasked", 'missing = "x"\n' + SOUND),
    ("language", "language: there is no list", "expected one of en, es", 'language = "x"\n' + SOUND),
):  # fmt: skip
    case(f"plan, {name}", starts, *filter(None, [says]), plan_toml=content, command=PLAN)
case("plan and metrics", "plan.toml: ", "expected no others", plan_toml=SOUND, command=(*PLAN, "-m", "er"))
case("plan and columns", "plan.toml: ", "expected no others", plan_toml=SOUND, command=(*PLAN, "--id-column", "id"))
case(
    "plan, output", "none/run.json: ", plan_toml='output = "none/run.json"\n' + SOUND, command=("evaluate", "plan.toml")
)

CONFIGURED = ("evaluate", "config.json", "-o", "out.json")
CONFIGURATION: dict[str, Any] = {
    "corpus": "corpus.json",
    "anonymizations": {"a": "masks.json"},
    "results_file_path": "results.csv",
    "metrics": {"Recall": {}},
}


def configuration(name: str, starts: str, *says: str, **changes: Any) -> None:
    content = {key: value for key, value in {**CONFIGURATION, **changes}.items() if value is not ...}
    case(f"TAE, {name}", starts, *says, config_json=content, command=CONFIGURED)


for lacking in CONFIGURATION:
    configuration(f"no {lacking}", "config.json: ", f"{lacking} is missing", **{lacking: ...})
configuration("unknown metric", "config.json: metrics.Rec: ", "expected one of Precision", metrics={"Rec": {}})
configuration("unknown parameter", "config.json: metrics.Recall: ", "unknown parameter x", metrics={"Recall": {"x": 1}})
configuration("parameter", "config.json: metrics.Recall: ", "true or false", metrics={"Recall": {"token_level": "yes"}})
NEITHER = {"Recall": {"include_direct": False, "include_quasi": False}}
configuration("neither", "config.json: metrics.Recall: ", "at least one", metrics=NEITHER)
configuration("metrics are a list", "config.json: metrics: ", "expected an object", metrics=["Recall"])
configuration("metrics are empty", "metrics: none was given", metrics={})
configuration("anonymizations are a list", "config.json: anonymizations: ", anonymizations=["masks.json"])
configuration("missing masks", "none.json: no such file", anonymizations={"a": "none.json"})
configuration("zero byte", "config.json: results_file_path: ", "expected the path", results_file_path="a\0b")
configuration("results over the corpus", "corpus.json: is read by this command", results_file_path="corpus.json")
configuration(
    "results below a file", "corpus.json/x.csv: ", "corpus.json is a file", results_file_path="corpus.json/x.csv"
)
TEXT = json.dumps(CONFIGURATION)
for what, name, first in (("anonymization", "a", '"x.json"'), ("metric", "Recall", "{}")):
    twice = TEXT.replace(f'{{"{name}"', f'{{"{name}": {first}, "{name}"')
    case(f"TAE, {what} twice", f"config.json: {what} {name}: occurs twice", config_json=twice, command=CONFIGURED)
case("TAE, truncated", "config.json: is not valid JSON", config_json=TEXT[:-9], command=CONFIGURED)


@pytest.mark.parametrize("case", [pytest.param(one, id=one.name) for one in CASES])
def test_bad_request(case: Case, desk: Any) -> None:
    desk.write(case.files)
    desk.refuses(*case.command, starts=case.starts, says=case.says, lines=case.lines)
    if case.command[-2:] == ("-o", "out.json"):
        desk.write({"out.json": "precious"})
        desk.refuses(*case.command, "--force", starts=case.starts, says=case.says, lines=case.lines)


def test_each_case_is_told_apart() -> None:
    assert len(CASES) == len({one.name for one in CASES})


def test_sound_requests_are_accepted(desk: Any) -> None:
    desk.write({"plan.toml": SOUND, "config.json": CONFIGURATION})
    for command in (EVALUATE, ("evaluate", "plan.toml", "-o", "plan.json"), CONFIGURED[:2]):
        assert desk.cli(*command).status == 0


@pytest.mark.parametrize("option", ["-o", "--csv", "--markdown", "--latex", "--json"])
def test_existing_results_are_kept(option: str, desk: Any) -> None:
    desk.write({"old": "precious"})
    desk.refuses(
        "evaluate", "corpus.json", "a=masks.json", option, "old", starts="old: exists already; ", says=("--force",)
    )


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("evaluate",), "Missing argument"),
        (("nonsense",), "No such command 'nonsense'"),
        ((*EVALUATE, "--nonsense"), "No such option: --nonsense"),
        ((*EVALUATE, "--seed", "x"), "Invalid value for '--seed'"),
        ((*EVALUATE, "--confidence", "x"), "Invalid value for '--confidence'"),
        (("compare", "run.json", "--alpha", "x"), "Invalid value for '--alpha'"),
        (("anonymize", "corpus.json", "-o", "out.json"), "Missing option '--with'"),
    ],
)
def test_bad_usage(command: tuple[str, ...], says: str, desk: Any) -> None:
    before = desk.snapshot()
    outcome = desk.cli(*command)
    assert outcome.status == 2
    assert outcome.err.startswith("Usage: ")
    assert says in outcome.err
    assert desk.snapshot() == before


LONG = "x" * 5000
ANONYMIZE = ("anonymize", "corpus.json", "--with", "rules", "-o", "out.json")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ((*ANONYMIZE, "--replace", LONG), "Invalid value for '--replace': "),
        ((*ANONYMIZE, f"--replace={LONG}"), "Invalid value for '--replace': "),
        ((*ANONYMIZE, "--replace", "\x1b" + LONG), "\\x1bxxx"),
        ((*ANONYMIZE, f"--{LONG}"), "No such option: --xxx"),
        ((*ANONYMIZE, f"--{LONG}=1"), "No such option: --xxx"),
        ((*ANONYMIZE, LONG), "Got unexpected extra argument(s) (xxx"),
        ((*ANONYMIZE, "--jobs", LONG), "Invalid value for '-j' / '--jobs': "),
        ((*ANONYMIZE, *(str(number) for number in range(5000))), "Got unexpected extra argument(s) (0 1"),
        ((LONG,), "No such command 'xxx"),
        ((f"--{LONG}",), "No such option: --xxx"),
    ],
)
def test_bad_usage_shows_little_of_what_is_long(command: tuple[str, ...], says: str, desk: Any) -> None:
    outcome = desk.cli(*command)
    assert outcome.status == 2
    assert says in outcome.err
    assert "x" * 40 not in outcome.err
    assert max(map(len, outcome.err.splitlines())) < 500


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "ssh://h/x.json", "a=masks.json"),
        ("evaluate", "corpus.json", "a=ssh://h/x.json"),
        ("anonymize", "ssh://h/x.json", "--with", "rules"),
        ("scan", "ssh://h/x.json"),
    ],
)
def test_a_storage_whose_package_is_missing(
    desk: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "paramiko", None)
    found = desk.cli(*arguments)
    assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
    assert found.err.startswith("ssh://h/x.json: ssh:// needs a package that is not installed: ")
