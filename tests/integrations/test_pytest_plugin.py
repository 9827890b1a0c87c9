"""The plugin for pytest: what passes, and what a failure prints."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from showthrough import Corpus, Run, evaluate
from showthrough.core.errors import InputError
from showthrough.integrations.assertions import Assertions

pytest_plugins = ["pytester"]
MODULE = "showthrough.integrations.pytest_plugin"
TEXT = "Mr John Rask of Oslo left.\nSee /home/rask/. John came back."
RELEASED = "Mr [X] of [Y] left.\nSee [FILE]. He came back."
LEAKY = "Mr [X] of Oslo left.\nSee /home/rask/. He came back."


@pytest.fixture(scope="module", autouse=True)
def everything_is_imported() -> None:
    """pytester forgets what an inner session imports, and a class must not be made twice."""
    with pytest.raises(AssertionError):
        Assertions().assert_removed(LEAKY, TEXT, ["John Rask"])


def failure(assertions: Assertions, *arguments: object, **options: object) -> str:
    with pytest.raises(AssertionError) as caught:
        assertions.assert_removed(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize("marks", [["John Rask", "Oslo"], "John Rask", [(3, 12), (16, 20, "CITY")], {"text": ["Oslo"]}])
def test_what_is_gone_passes(marks: object) -> None:
    Assertions().assert_removed(RELEASED, TEXT, marks)


@pytest.mark.parametrize(
    ("released", "marks", "line"),
    [
        (LEAKY, ["Oslo"], "text: 'Oslo' can be read where it was marked"),
        (LEAKY, ["John Rask"], "text: 'rask' can be read elsewhere, in line 2 of the release"),
        ("Mr John [X] of [Y] left.", [(3, 12, "PERSON")], "text: 'John Rask' (PERSON) can be read in part where it"),
    ],
)
def test_a_failure_says_what_can_be_read_and_how(released: str, marks: object, line: str) -> None:
    said = failure(Assertions(), released, TEXT, marks)
    assert said.startswith("1 of 1 identifier can be read in the release; none may be\n")
    assert line in said


def test_a_share_may_be_allowed() -> None:
    """2 of 3 are gone."""
    texts = {"a": "Ann left.", "b": "Bob left.", "c": "Cem left."}
    released = {"a": "X left.", "b": "X left.", "c": "Cem left."}
    marks = {"a": ["Ann"], "b": ["Bob"], "c": ["Cem"]}
    Assertions.of({"min": {"removed": 0.6}}).assert_removed(released, texts, marks)
    said = failure(Assertions.of({"min": {"removed": 0.7}}), released, texts, marks)
    assert said.splitlines()[0] == "1 of 3 identifiers can be read in the release; at least 0.7 must be removed"
    assert "  c: 'Cem' can be read where it was marked" in said


def test_a_corpus_brings_its_marks() -> None:
    corpus = Corpus.from_frame(
        [{"id": "a", "text": TEXT}], spans=[{"id": "a", "start": 3, "end": 12, "entity_type": "PERSON"}]
    )
    assert "'rask' (PERSON)" in failure(Assertions(), {"a": LEAKY}, corpus)


def test_nothing_marked_shows_nothing() -> None:
    assert failure(Assertions(), RELEASED, TEXT, []).startswith("nothing is marked")


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (["Rome"], "document text: a marked string is not in the original"),
        ({"b": ["Oslo"]}, "document b: is marked and there is no such original"),
        ([(3, 900)], "900"),
    ],
)
def test_marks_that_cannot_be(marks: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Assertions().assert_removed(RELEASED, TEXT, marks)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"mni": {}}, "tool.showthrough: unknown key mni; keys: min, max, text"),
        ({"min": {"er_di": "all"}}, "tool.showthrough.min"),
        ({"text": 1}, "tool.showthrough.text"),
    ],
)
def test_a_table_that_cannot_be(table: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Assertions.of(table, "pyproject.toml")


@pytest.fixture(scope="module")
def run() -> Run:
    """Forty documents, of which two leak."""
    texts = {f"d{number}": f"Dr Rask{number} saw Mr Holt{number}." for number in range(40)}
    spans = {key: [text.index("Rask"), text.index(" saw")] for key, text in texts.items()}
    marks = [{"id": key, "start": a, "end": b, "entity_type": "PERSON"} for key, (a, b) in spans.items()]
    corpus = Corpus.from_frame([{"id": key, "text": text} for key, text in texts.items()], spans=marks)
    masks = {key: [] if key in ("d1", "d2") else [tuple(span)] for key, span in spans.items()}
    return evaluate(corpus, {"rules": masks}, ["removed_di"], resamples=50, references=False)


LIMITS = {"min_documents": 1, "min_identifiers": 1, "only": True}


def test_a_gate_that_is_passed(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json")
    table = {**LIMITS, "min": {"removed_di": 0.5}}
    for given in (run, tmp_path / "run.json", str(tmp_path / "run.json")):
        Assertions.of(table).assert_gate(given, "rules")
    Assertions.of(LIMITS).assert_gate(run, min={"removed_di": 0.94}, allow_unsure=True)  # 38 of 40 are 0.95


@pytest.mark.parametrize("texts", [True, False])
def test_a_gate_that_is_not(run: Run, texts: bool) -> None:
    with pytest.raises(AssertionError) as caught:
        Assertions.of(LIMITS).assert_gate(run if texts else run.without_text(), min={"removed_di": 0.99})
    first, check, *places = str(caught.value).splitlines()
    assert first == "rules does not pass the gate (1 of 4 checks)"
    assert check == "  removed_di ≥ 0.99: missed: 0.950"
    leaked = [f"  d{number}: 'Rask{number}' (PERSON) can be read where it was marked" for number in (1, 2)]
    assert places == (leaked if texts else ["  look at first: d1, d2"])


def plugin() -> list[str]:
    """How an inner session gets it: by its entry point, or where this copy was not installed by its name."""
    return [] if entry_points(group="pytest11", name="showthrough") else ["-p", MODULE]


TEST = f"""
def test_release(assert_removed):
    original = {{"letter-9": {TEXT!r}}}
    assert_removed({{"letter-9": {LEAKY!r}}}, original, {{"letter-9": ["John Rask", "Oslo"]}})
"""


@pytest.mark.parametrize("with_text", [True, False])
def test_what_a_test_prints(pytester: pytest.Pytester, with_text: bool) -> None:
    """Document, identifier and reason in under twelve lines; without text no word of the document."""
    pytester.makepyprojecttoml(f"[tool.showthrough]\ntext = {str(with_text).lower()}\n")
    pytester.makepyfile(TEST)
    result = pytester.runpytest(*plugin(), "-q")
    result.assert_outcomes(failed=1)
    printed = result.stdout.str()
    shown = printed.partition("= FAILURES =")[2].partition("= short test summary")[0].splitlines()[1:]
    assert 3 < len(shown) < 12
    assert any("letter-9" in line and "where it was marked" in line for line in shown)
    assert any("letter-9" in line and "elsewhere" in line for line in shown)
    assert [word in printed for word in ("'Oslo'", "'rask'")] == [with_text] * 2
    assert with_text or not re.search("Oslo|[Rr]ask|John", printed)


def test_a_test_that_passes_and_one_with_a_wrong_table(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TEST.replace(LEAKY.encode("unicode_escape").decode(), "Mr [X] left."))
    pytester.runpytest(*plugin()).assert_outcomes(passed=1)
    pytester.makepyprojecttoml("[tool.showthrough]\nmni = 1\n")
    result = pytester.runpytest(*plugin())
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*pyproject.toml: tool.showthrough: unknown key mni*"])
    assert "Traceback" not in result.stdout.str()


def test_it_costs_nothing_to_those_who_do_not_use_it() -> None:
    """The module that pytest imports loads nothing of the package but its names."""
    code = f"import sys, {MODULE}; print(*(n for n in sys.modules if n.partition('.')[0] in ('showthrough', 'numpy')))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(found) == {
        "showthrough",
        "showthrough._former",
        "showthrough.version",
        "showthrough.integrations",
        MODULE,
    }
