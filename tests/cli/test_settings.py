"""The command line, a plan and Python say the same in different words."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import showthrough as st
from showthrough.cli.view_options import view_options
from showthrough.evaluation.settings import FileSettings, options_of

COMMANDS = Path(st.__path__[0]) / "cli"


def lines(function: ast.FunctionDef) -> int:
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    return (function.end_lineno or first) - first + 1


@pytest.mark.parametrize("file", sorted(COMMANDS.glob("*.py")), ids=lambda file: file.stem)
def test_commands_are_short(file: Path) -> None:
    """Build, run, write: with its signature and its decorators none has more than 60 lines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert {one.name: lines(one) for one in functions if lines(one) > 60} == {}
    assert [one.name for one in functions if len(one.args.args) > 12] == []


def numbers(run: st.Run) -> bytes:
    """All of a run but when and how fast it was made."""
    when = {key: value for key, value in run.provenance.items() if key not in ("time", "seconds")}
    return msgspec.json.encode(msgspec.structs.replace(run, provenance=when))


@pytest.mark.parametrize("named", ["masks.json", "./masks.json"])
def test_three_ways_to_say_the_same(named: str, desk: Any, cli: Callable[..., Any]) -> None:
    corpus = Path("corpus.json")
    options = ("--seed", "7", "--resamples", "50", "--confidence", "0.9", "--missing", "unmasked", "--language", "es",
               "--no-references", "--no-cache", "--map", "PERSON=PER", "--direct", "PER", "-j", "2")  # fmt: skip
    assert cli("evaluate", corpus, f"a={named}", "-m", "er", "-m", "precision", *options, "-o", "1.json").status == 0
    desk.write(
        {
            "plan.toml": 'corpus = "corpus.json"\nmetrics = ["er", "precision"]\nseed = 7\nresamples = 50\n'
            'confidence = 0.9\nmissing = "unmasked"\nlanguage = "es"\nreferences = false\ncache = false\n'
            'map = {PERSON = "PER"}\ndirect = ["PER"]\njobs = 2\noutput = "2.json"\n'
            f'[anonymizations]\na = "{named}"\n',
            "empty.toml": f'corpus = "corpus.json"\nmetrics = ["er", "precision"]\n[anonymizations]\na = "{named}"\n',
        }
    )
    assert cli("evaluate", "plan.toml").status == 0
    assert cli("evaluate", "empty.toml", *options, "-o", "3.json").status == 0
    read = st.read_corpus(corpus)
    st.evaluate(
        *(read, {"a": st.read_anonymization(named, read)}, ["er", "precision"]),
        seed=7, resamples=50, confidence=0.9, missing="unmasked", language="es", references=False, cache=False,
        map="PERSON=PER", direct=["PER"], jobs=2,
    ).save("4.json")  # fmt: skip
    runs = [st.Run.load(f"{number}.json") for number in (1, 2, 3, 4)]
    sources = {run.corpus.source for run in runs} | {run.anonymizations[0].source for run in runs}
    assert {Path(source).name for source in sources} == {"corpus.json", "masks.json"}
    assert len({numbers(run.without_text()) for run in runs}) == 1
    assert runs[0].settings.types == "map=PERSON>PER;direct=PER"


def test_every_setting_has_an_option(cli: Callable[..., Any]) -> None:
    shown = cli("evaluate", "--help").out
    for option in [*options_of(FileSettings).values(), *view_options().values()]:
        for flag in option.flags or (f"--{option.name.replace('_', '-')}",):
            assert flag in shown


def test_an_option_overrides_a_plan_also_with_the_default(desk: Any, cli: Callable[..., Any]) -> None:
    plan = 'corpus = "corpus.json"\nseed = 7\nreferences = false\n[anonymizations]\na = "masks.json"\n'
    desk.write({"plan.toml": plan})
    for number, (options, seed, references) in enumerate([((), 7, 0), (("--seed", "0", "--references"), 0, 2)]):
        assert cli("evaluate", "plan.toml", *options, "-o", f"{number}.json").status == 0
        run = st.Run.load(f"{number}.json")
        assert (run.settings.seed, len(run.references)) == (seed, references)


def test_columns_beside_a_plan_are_refused(desk: Any) -> None:
    desk.write({"plan.toml": 'corpus = "corpus.json"\n[anonymizations]\na = "masks.json"\n'})
    for command in ("evaluate", "validate"):
        desk.refuses(command, "plan.toml", "--id-column", "id", starts="plan.toml: ", says=("expected no others",))
