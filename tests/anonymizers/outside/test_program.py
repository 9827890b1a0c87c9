"""Programs as anonymizers: what they are told, what they may answer, and how they end."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import showthrough as st
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.systems.outside.program import Program

CORPUS = st.Corpus([st.Document("a", "Room 12"), st.Document("b", "😀 Room 345"), st.Document("c", "No room")])
NUMBERS = """
import json, re, sys
for line in sys.stdin:
    document = json.loads(line)
    masks = [[*found.span(), "NUMBER"] for found in re.finditer(r"\\d+", document["text"])]
    print(json.dumps({"id": document["id"], "masks": masks}))
"""
ANSWERS = """
import json, sys
for line in sys.stdin:
    id = json.loads(line)["id"]
    print(ANSWER)
"""
Written = Callable[..., str]


@pytest.fixture
def program(tmp_path: Path) -> Written:
    """`program(source)`: how a program of this source is asked for."""

    def write(source: str, **parameters: Any) -> str:
        path = tmp_path / "my program.py"
        path.write_text(source, encoding="utf-8")
        command = shlex.join([sys.executable, str(path)])
        if not parameters:
            return f"cmd:{command}"
        given = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
        return f"cmd(command={command!r}, {given})"

    return write


def masks(asked: str, corpus: st.Corpus = CORPUS, **options: Any) -> dict[str, list[st.Mask]]:
    return {key: list(found) for key, found in st.anonymize(corpus, asked, **options).masks.items()}


@pytest.mark.parametrize("jobs", [None, 2])
def test_a_line_for_each_document(program: Written, jobs: int | None) -> None:
    expected = {"a": [TypedMask(5, 7, "NUMBER", "NUMBER")], "b": [TypedMask(7, 10, "NUMBER", "NUMBER")], "c": []}
    assert masks(program(NUMBERS), jobs=jobs) == expected


def test_one_that_reads_all_before_it_answers(program: Written) -> None:
    source = NUMBERS.replace("in sys.stdin", "in sys.stdin.read().splitlines()")
    assert masks(program(source, anew=True))["a"] == [TypedMask(5, 7, "NUMBER", "NUMBER")]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([[0, 4]], TypedMask(0, 4)),
        ([[0, 4, "T", 0.5]], ScoredMask(0, 4, "T", "T", 0.5)),
        ([{"start": 0, "end": 4, "entity_type": "T", "score": 1}], ScoredMask(0, 4, "T", "T", 1.0)),
        ([{"start": 0, "end": 4, "replacement": "Hall"}], TypedMask(0, 4, "Hall")),
    ],
)
def test_masks_in_whatever_shape(program: Written, answer: object, expected: st.Mask) -> None:
    source = ANSWERS.replace("ANSWER", f"json.dumps({{'id': id, 'masks': {answer!r}}})")
    assert masks(program(source))["a"] == [expected]


def test_one_that_rewrites_is_aligned(program: Written) -> None:
    source = ANSWERS.replace("ANSWER", "json.dumps({'id': id, 'text': json.loads(line)['text'].replace('12', 'N')})")
    assert masks(program(source))["a"] == [st.Mask(5, 7, "N")]


@pytest.mark.slow
def test_it_is_started_once_and_more_than_a_pipe_holds_goes_through(program: Written, tmp_path: Path) -> None:
    long = st.Corpus([st.Document(str(number), "1 " * 60_000) for number in range(5)])  # several batches
    source = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n{NUMBERS}"
    source += "    sys.stderr.write('x' * 200_000)\n"
    assert [len(found) for found in masks(program(source), long).values()] == [60_000] * 5
    assert (tmp_path / "starts").read_text() == "x"


FAULTS = {
    "'Room'": "document a: answered 'Room\\n', which is no JSON; expected a line {\"id\"",
    "'[1]'": "document a: answered [1]; expected a line",
    "'{}'": "document a: id: is missing from the answer",
    "json.dumps({'id': 'b', 'masks': []})": "document a: id: found 'b'; expected 'a': answers come in the order",
    "json.dumps({'id': id})": "document a: answered neither masks nor text",
    "json.dumps({'id': id, 'text': 3})": "document a: text: found 3; expected the anonymized text",
    "json.dumps({'id': id, 'masks': 3})": "document a: masks: found a value of type int; expected a list of spans",
    "json.dumps({'id': id, 'masks': [[0]]})": "document a: masks[0]: found [0]; expected (start, end)",
    "json.dumps({'id': id, 'masks': [['0', 1]]})": "document a: masks[0]: start: found '0'; expected a whole number",
    "json.dumps({'id': id, 'masks': [[0, 99]]})": "document a: masks[0]: end 99 is past the end of the text",
    "json.dumps({'id': id, 'masks': [[0, 1, 'T', 2]]})": "document a: masks[0]: score: found 2",
}


@pytest.mark.parametrize(("answer", "fault"), FAULTS.items())
def test_wrong_answers_are_one_line_each(program: Written, answer: str, fault: str) -> None:
    asked = "mine=" + program(ANSWERS.replace("ANSWER", answer))
    with pytest.raises(st.InputError) as caught:
        masks(asked, CORPUS.part(range(1)))
    assert fault in str(caught.value)
    assert str(caught.value).startswith("anonymizer cmd:")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("raise SystemExit(3)", "document a: the program ended with exit status 3 before it answered"),
        ("import os; os.abort()", "document a: the program was killed (SIGABRT) before it answered"),
        ("import nothing_such", "exit status 1 before it answered; it said: ModuleNotFoundError: No mo"),
        (NUMBERS + "    break", "document b: the program ended with exit status 0 before it answered"),
    ],
)
def test_one_that_ends_early_is_told_with_what_it_said(program: Written, source: str, fault: str) -> None:
    with pytest.raises(st.ResourceError) as caught:
        masks(program(source))
    assert fault in str(caught.value)


@pytest.mark.parametrize("change", ["", ".upper()", ".replace(' ', '  ')", ".replace('e', 'é')"])
def test_what_it_says_of_a_document_is_not_shown(program: Written, change: str) -> None:
    source = f"import sys, json; sys.exit('cannot do ' + json.loads(input())['text']{change})"
    with pytest.raises(st.ResourceError) as caught:
        masks(program(source), st.Corpus([st.Document("a", "Ann Lee of Stavanger is ill.")]))
    assert str(caught.value).endswith("; it said: (it repeats what it was sent, and is not shown)")


@pytest.mark.parametrize("said", ["cannot do Ann", "OSLO?", "no: 4711"])
def test_nor_is_a_name_or_a_number_of_it(program: Written, said: str) -> None:
    source = f"import sys; input(); sys.exit({said!r})"
    with pytest.raises(st.ResourceError) as caught:
        masks(program(source), st.Corpus([st.Document("a", "Ann of Oslo has room 4711.")]))
    assert str(caught.value).endswith("; it said: (it repeats what it was sent, and is not shown)")


def test_of_what_it_says_forty_characters_are_shown(program: Written) -> None:
    with pytest.raises(st.ResourceError) as caught:
        masks(program(f"raise SystemExit({'0123456789' * 20!r})"))
    assert len(str(caught.value).partition("; it said: ")[2]) == 40


def test_one_that_says_nothing_is_given_up_and_ended(program: Written, tmp_path: Path) -> None:
    source = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(100)"
    with pytest.raises(st.ResourceError, match="document a: no answer came for 1 seconds; expected a line for each"):
        masks(program(source, timeout=1))
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_one_that_is_not_there() -> None:
    with pytest.raises(st.PlanError, match="anonymizer cmd:no-such-program x: cannot start 'no-such-program': No such"):
        masks("cmd:no-such-program x")
    with pytest.raises(st.PlanError, match="found no program"):
        masks("cmd")


def test_no_shell_reads_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Program("echo $HOME; touch x").arguments == ["echo", "$HOME;", "touch", "x"]
    with pytest.raises(st.InputError, match="which is no JSON"):
        masks("cmd:echo $HOME; touch x")
    assert not (tmp_path / "x").exists()


def test_the_file_says_which_program_it_was(program: Written) -> None:
    first = st.anonymizer(program(NUMBERS))
    assert isinstance(first, Program)
    before = dict(first.pinned)
    assert list(before) == ["my program.py"]
    program(NUMBERS + "\n")
    assert dict(first.pinned) != before
    assert not first.lasting


def is_gone(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True  # nobody has asked yet how it ended
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_it_ends_with_the_command_however_that_ends(program: Written, tmp_path: Path, sent: signal.Signals) -> None:
    """A program that looks at nothing, not even at its input, is gone all the same."""
    source = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    source += f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(100)"
    (tmp_path / "corpus.json").write_text(json.dumps([{"doc_id": "a", "text": "Room 12", "annotations": {}}]))
    command = [sys.executable, "-m", "showthrough", "anonymize", str(tmp_path / "corpus.json")]
    command += ["--with", program(source), "-o", str(tmp_path / "out.json"), "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        for _ in range(400):
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
                break
            time.sleep(0.05)
        running.send_signal(sent)
    assert running.returncode != 0
    assert is_gone(int((tmp_path / "pid").read_text()))
    assert not (tmp_path / "out.json").exists()
