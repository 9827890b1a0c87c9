"""Language models behind the commands: what is sent where, what is kept, what it would cost."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from showthrough import evaluate, read_anonymization, read_corpus
from showthrough.models.chat.recordings import read_recordings
from showthrough.run.run import Run
from talking import BUSY, REFUSED_FOR_A_WHILE, Talking, talking

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="pip install 'showthrough[llm]'")
COUNT = 6
QUESTIONS = 2 * COUNT + 1  # of the release, of the originals, and of no text


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    told = {"occupation": {"gold": "nurse", "hardness": 1, "certainty": 5}}
    lines = [{"profile": f"p{n}", "text": f"Quokka {n} works as a nurse.", "attributes": told} for n in range(COUNT)]
    Path("profiles.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    Path("a.json").write_text(json.dumps({f"p{number}": [[0, 6]] for number in range(COUNT)}))


def guessing(asked: dict[str, Any]) -> str:
    said = "nurse" if "nurse" in asked["messages"][-1]["content"] else "clerk"
    return json.dumps({"attributes": [{"tag": "occupation", "guesses": [said], "certainty": 4, "reasoning": "so"}]})


def metric(server: Talking | str) -> str:
    return f'attributes(attacker="llm:m@{server if isinstance(server, str) else server.url}")'


def arguments(server: Talking | str, *more: str) -> list[str]:
    return ["evaluate", "profiles.jsonl", "a=a.json", "-m", metric(server), "--resamples", "20", *more]


def test_a_run_says_whom_it_asked(cli: Callable[..., Any]) -> None:
    with talking(guessing, BUSY, REFUSED_FOR_A_WHILE) as server:
        assert cli(*arguments(server, "-o", "run.json")).status == 0
    assert set(server.answered.values()) == {1}
    assert sum(server.answered.values()) == QUESTIONS
    run = Run.load("run.json")
    assert run["a", metric(server)].value == 1.0
    (asked,) = run.asked
    assert (asked.model, asked.calls, asked.tokens_in) == ("told-by-server", QUESTIONS, 10 * QUESTIONS)
    assert list(asked.prompts) == ["author.v1"]
    assert asked.pin in run["a", metric(server)].signature
    assert f"author.v1.{asked.prompts['author.v1'][:8]}" in asked.pin
    assert Path("run.json.answers").stat().st_mode & 0o077 == 0


def test_a_second_run_opens_no_socket_and_says_the_same(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with talking(guessing) as server:
        assert cli(*arguments(server, "-o", "run.json")).status == 0
    first, kept = Run.load("run.json"), Path("run.json.answers").read_bytes()
    monkeypatch.setattr(socket, "socket", None)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    monkeypatch.setitem(sys.modules, "openai", None)
    assert cli(*arguments(server, "-o", "run.json", "--force")).status == 0
    assert cli(*arguments(server, "-o", "other.json", "--recordings", "run.json.answers")).status == 0
    for name in ("run.json", "other.json"):
        again = Run.load(name)
        assert (again.asked, again.scores) == (first.asked, first.scores)
    assert Path("run.json.answers").read_bytes() == kept
    assert not Path("other.json.answers").exists()


def test_answers_of_one_run_can_stand_for_the_model(cli: Callable[..., Any]) -> None:
    with talking(guessing) as server:
        cli(*arguments(server, "-o", "run.json", "--no-references"))
    text = 'attributes(attacker="answers:run.json.answers")'
    assert cli("evaluate", "profiles.jsonl", "a=a.json", "-m", text, "-o", "again.json").status == 0
    assert Run.load("again.json")["a", text].value == Run.load("run.json")["a", metric(server)].value == 1.0


def test_what_has_no_answer_is_missing_and_said(cli: Callable[..., Any]) -> None:
    def refusing(asked: dict[str, Any]) -> str:
        return "I would rather not." if "3 works" in json.dumps(asked) else guessing(asked)

    with talking(refusing) as server:
        found = cli(*arguments(server, "-o", "run.json", "--no-references"))
    run = Run.load("run.json")
    assert run.asked[0].unanswered == {"no valid answer came": 1}
    assert "1 question had no answer: no valid answer came" in " ".join(found.err.split())
    assert run["a", metric(server)].value == 1.0  # of the others: what is missing is neither protected nor found


class TestConsent:
    def test_no_text_leaves_the_machine_unless_somebody_says_so(
        self, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        with monkeypatch.context() as offline:
            offline.setattr(socket, "socket", None)
            found = cli(*arguments("https://api.example.org/v1", "-o", "run.json"))
        line = "would send the text of 6 documents (1 anonymization and the originals) to api.example.org"
        assert (found.status, found.err) == (2, f"{line}: --send-text-to api.example.org allows it\n")
        assert sorted(path.name for path in Path().iterdir()) == ["a.json", "profiles.jsonl"]

    @pytest.mark.parametrize(
        ("asking", "told"),
        [
            ('attributes(attacker="{0}")', "(1 anonymization)"),
            ('attributes(attacker="{0}", judge="{0}")', "(1 anonymization) and what is true of the people in them"),
            ('cpr(attacker="{0}", judge="{0}")', "(1 anonymization) and what is true of the people in them"),
            ('readability(judge="{0}")', "(1 anonymization and the originals)"),
        ],
    )
    def test_what_else_would_be_sent_is_told(
        self, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, asking: str, told: str
    ) -> None:
        """Judges see what is true of people, or the original: also where no reference is scored."""
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        asked = asking.format("llm:m@https://api.example.org/v1")
        found = cli("evaluate", "profiles.jsonl", "a=a.json", "-m", asked, "--no-references", "-o", "run.json")
        assert found.status == 2
        assert f"documents {told} to api.example.org: --send-text-to" in found.err

    def test_without_references_the_originals_stay_here(self, cli: Callable[..., Any]) -> None:
        found = cli(*arguments("http://10.0.0.1/v1", "-o", "run.json", "--no-references"))
        assert "(1 anonymization) to 10.0.0.1, unencrypted: --send-text-to 10.0.0.1 allows it" in found.err

    def test_a_judge_elsewhere_needs_it_before_the_attacker_is_asked(self, cli: Callable[..., Any]) -> None:
        with talking(guessing) as server:
            both = f'attributes(attacker="llm:m@{server.url}", judge="llm:j@https://api.example.org/v1")'
            found = cli("evaluate", "profiles.jsonl", "a=a.json", "-m", both, "-o", "run.json")
            assert found.status == 2
            assert "--send-text-to api.example.org" in found.err
            assert not server.tries

    def test_answers_need_a_place(self, cli: Callable[..., Any]) -> None:
        with talking(guessing) as server:
            found = cli(*arguments(server))
            assert found.status == 2
            assert "name it with -o, or a file with --recordings" in found.err
            assert not server.tries

    def test_a_key_is_asked_for_before_any_work(self, cli: Callable[..., Any]) -> None:
        found = cli(*arguments("https://api.example.org/v1", "-o", "run.json", "--send-text-to", "api.example.org"))
        assert (found.status, "OPENAI_API_KEY" in found.err) == (2, True)


class TestEstimate:
    def test_it_counts_and_sends_and_writes_nothing(self, cli: Callable[..., Any]) -> None:
        with talking(guessing) as server:
            before = sorted(Path().iterdir())
            found = cli(*arguments(server, "-o", "run.json", "--estimate", "--price", "2,8"))
            assert found.status == 0
            assert f"{QUESTIONS} calls to this machine" in found.out
            assert "Nothing was sent" in found.out
            assert sorted(Path().iterdir()) == before
            assert not server.tries
            cli(*arguments(server, "-o", "run.json", "--no-references"))
            asked = len(read_recordings(Path("run.json.answers")))
            found = cli(*arguments(server, "-o", "run.json", "--estimate"))
            assert f"{QUESTIONS - asked} calls to this machine" in found.out

    def test_a_price_that_nobody_knows_is_said_to_be_unknown(self, cli: Callable[..., Any]) -> None:
        found = cli(*arguments("https://api.example.org/v1", "--estimate"))
        assert "the price is not known: give it with --price IN,OUT" in found.out
        found = cli(*arguments("https://api.example.org/v1", "--estimate", "--price", "1,2"))
        assert "$1 and $2 a million tokens, as --price says" in found.out
        assert cli(*arguments("https://api.example.org/v1", "--estimate", "--price", "cheap")).status == 2

    def test_calls_that_follow_from_answers_are_counted_at_most(self, cli: Callable[..., Any]) -> None:
        def judging(asked: dict[str, Any]) -> str:
            return guessing(asked) if "occupation." in str(asked) else '{"verdict": "no"}'

        with talking(judging) as server:
            both = f'attributes(attacker="llm:m@{server.url}", judge="llm:j@{server.url}")'
            also = "evaluate", "profiles.jsonl", "a=a.json", "-m", both, "-o", "run.json"
            most = 2 * 3 * 3 * COUNT  # two releases; a text, none and another's; three guesses
            assert f"0 calls and up to {most} more, which judge the answers" in cli(*also, "--estimate").out
            assert cli(*also).status == 0
            assert 0 < sum(asked.calls for asked in Run.load("run.json").asked if asked.name.startswith("llm:j")) < most
            told = cli(*also, "--estimate").out
        assert "0 calls to this machine" in told
        assert "more" not in told

    def test_nothing_to_ask(self, cli: Callable[..., Any]) -> None:
        found = cli("evaluate", "profiles.jsonl", "a=a.json", "-m", "attributes", "--estimate")
        assert (found.status, found.out) == (0, "no metric asks a language model: nothing would be sent\n")


def test_without_text_takes_the_answers_away_unless_a_file_was_named(cli: Callable[..., Any]) -> None:
    with talking(guessing) as server:
        found = cli(*arguments(server, "-o", "run.json", "--without-text"))
        assert not Path("run.json.answers").exists()
        assert "run.json.answers removed" in found.out
        cli(*arguments(server, "-o", "named.json", "--without-text", "--recordings", "kept"))
        assert len(read_recordings(Path("kept"))) == QUESTIONS


def test_without_text_takes_nothing_away_that_was_paid_for_and_not_used(cli: Callable[..., Any]) -> None:
    with talking(guessing) as server:
        both = metric(server), metric("http://127.0.0.1:1/v1")  # where nobody is
        command = "evaluate", "profiles.jsonl", "a=a.json", "-m", both[0], "-m", both[1], "-o", "run.json"
        found = cli(*command, "--without-text")
    assert found.status == 1
    assert "run.json.answers is about people, and is still there: a metric failed" in found.out
    assert len(read_recordings(Path("run.json.answers"))) == QUESTIONS


def test_what_is_no_file_of_answers_is_left_alone(cli: Callable[..., Any]) -> None:
    Path("run.json.answers").write_text("mine")
    with talking(guessing) as server:
        found = cli(*arguments(server, "-o", "run.json", "--force"))
        assert (found.status, not server.tries) == (2, True)
    assert found.err.startswith("run.json.answers: holds something else")
    assert Path("run.json.answers").read_text() == "mine"


def test_no_word_of_a_document_is_in_messages_or_bare_runs(cli: Callable[..., Any]) -> None:
    def echoing(asked: dict[str, Any]) -> str:
        return guessing(asked).replace("so", asked["messages"][-1]["content"].replace("\n", " "))

    with talking(echoing) as server:
        server.refusing = 400, "cannot read: Quokka 3 works as a nurse."
        refused = cli(*arguments(server, "-o", "refused.json", "--without-text"))
        assert refused.status == 1
        server.refusing = None
        found = cli(*arguments(server, "-o", "run.json", "--without-text"))
    written = Path("run.json").read_text() + Path("refused.json").read_text()
    assert "Quokka" not in refused.out + refused.err + found.out + found.err + written
    assert sorted(path.name for path in Path().iterdir()) == ["a.json", "profiles.jsonl", "refused.json", "run.json"]


def test_who_resumes_what_failed_is_told_how(cli: Callable[..., Any]) -> None:
    with talking(guessing) as server:
        server.refusing = 404, ""
        assert cli(*arguments(server, "-o", "run.json")).status == 1
        found = cli(*arguments(server, "-o", "run.json", "--resume"))
        assert "--force makes it anew, and what models answered is not asked again" in found.err
        server.refusing = None
        assert cli(*arguments(server, "-o", "run.json", "--force")).status == 0


def test_a_bench_asks_before_systems_work_and_keeps_answers_beside_its_run(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "evaluate", "profiles.jsonl", "--with", "rules", "-o", "run.json", "--no-cache", "-m"
    with talking(guessing) as server:
        assert cli(*command, metric(server)).status == 0
        assert len(read_recordings(Path("run.json.answers"))) == sum(server.answered.values())
    monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", None)
    found = cli(*command, metric("https://api.example.org/v1"), "--force")
    assert found.status == 2
    assert found.err.startswith(f"would send the text of {COUNT} documents (1 anonymization and the originals) to")


@pytest.mark.skipif(sys.platform != "linux", reason="signals")
def test_a_killed_run_asks_nothing_twice_that_it_heard(cli: Callable[..., Any]) -> None:
    with talking(guessing, delay=0.15) as server:
        asked = arguments(server, "-o", "run.json", "--concurrency", "2")
        source = str(Path(__file__).parents[2] / "src")
        with subprocess.Popen(
            [sys.executable, "-m", "showthrough", *asked], env={**os.environ, "PYTHONPATH": source}
        ) as it:
            while sum(server.answered.values()) < 4 and it.poll() is None:
                time.sleep(0.01)
            it.send_signal(signal.SIGKILL)
        kept = {one.key for one in read_recordings(Path("run.json.answers"))}
        before = dict(server.answered)
        assert 2 <= len(kept) < QUESTIONS
        server.delay = 0.0
        assert cli(*asked, "--resume").status == 0
        again = sum(server.answered[said] - count for said, count in before.items())
        assert again == sum(before.values()) - len(kept)  # what was under way, and nothing else
    assert len(read_recordings(Path("run.json.answers"))) == QUESTIONS
    assert Run.load("run.json").asked[0].calls == QUESTIONS


def test_python_asks_too(tmp_path: Path) -> None:
    corpus = read_corpus("profiles.jsonl")
    release = read_anonymization("a.json", corpus, name="a")
    with talking(guessing) as server:
        run = evaluate(corpus, release, metric(server), recordings=str(tmp_path / "kept"), resamples=0)
    assert run["a", metric(server)].value == 1.0
    assert run.asked[0].calls == QUESTIONS
