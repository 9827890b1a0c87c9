"""A language model on a server that fails on schedule: no answer is lost, none is paid twice."""

from __future__ import annotations

import gzip
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import InputError, OutputError, PlanError, ResourceError
from showthrough.models.chat import _client, model as model_module
from showthrough.models.chat.base import ChatQuestion
from showthrough.models.chat.model import LanguageModel
from showthrough.models.chat.recordings import Recordings, read_recordings
from showthrough.models.settings import AskingSettings
from talking import CUT, DROPPED, FAULTS, MALFORMED, REFUSED, Talking, talking

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="pip install 'showthrough[llm]'")
PEOPLE = {"type": "object", "properties": {"people": {"type": "array"}}}


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_client, "FIRST", 0.001)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def question(text: str, about: tuple[str, str] = ("a", "1"), schema: Any = None) -> ChatQuestion:
    return ChatQuestion("Say it again.", text, "echo.v1", "d1", schema, about)


def check(content: str) -> object:
    return json.loads(content)


def echo(asked: dict[str, Any]) -> str:
    return json.dumps({"said": asked["messages"][-1]["content"]})


def model(server: Talking, path: Path, **settings: Any) -> LanguageModel:
    return LanguageModel(f"llm:m@{server.url}", AskingSettings(**settings), Recordings(path))


def texts(count: int) -> list[ChatQuestion]:
    return [question(f"text {number}", ("a", str(number))) for number in range(count)]


def said(replies: Sequence[Any]) -> list[Any]:
    return [None if one is None else json.loads(one.content)["said"] for one in replies]


@contextmanager
def plain_server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that answers each connection with some bytes, whatever it is asked."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection, suppress(OSError):
                        connection.recv(1 << 16)
                        answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.json.answers"


class TestFaults:
    def test_no_answer_is_lost_and_none_is_paid_twice(self, path: Path) -> None:
        schedule = [fault for each in FAULTS for fault in (each, None, each)]
        with talking(echo, *schedule) as server:
            asked = texts(40)
            assert said(model(server, path).replies(asked, check)) == [one.text for one in asked]
            assert set(server.answered.values()) == {1}
            assert sum(server.tries.values()) == 40 + 2 * len(FAULTS)  # one more try for each fault: one layer of them
        kept = read_recordings(path)
        assert len(kept) == 40
        assert sum(one.tries for one in kept) == 40 + 2 * len(FAULTS)
        assert sum(one.answers for one in kept) == 40 + 2  # what was malformed was paid too
        assert sum(one.tokens_out for one in kept) == 5 * (40 + 2)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_after_all_tries_it_is_said_or_missing(self, path: Path, fault: str) -> None:
        with talking(echo, *[fault] * _client.TRIES) as server:
            asked = [question("text")]
            if fault == MALFORMED:
                assert model(server, path).replies(asked, check) == [None]
                assert read_recordings(path)[0].fault.startswith("no valid answer")
                assert model(server, path).replies(asked, check) == [None]  # and is not asked again
            else:
                with pytest.raises(ResourceError, match=f"after {_client.TRIES} tries"):
                    model(server, path).replies(asked, check)
                assert said(model(server, path).replies(asked, check)) == ["text"]
            assert server.tries["text"] == (model_module._SAME if fault == MALFORMED else _client.TRIES + 1)

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
    def test_what_will_not_change_is_told_at_once(self, path: Path, status: int) -> None:
        with talking(echo) as server:
            server.refusing = status, "no such model"
            with pytest.raises(ResourceError, match=f"{status} .*no such model"):
                model(server, path, concurrency=1).replies(texts(3), check)
            assert sum(server.tries.values()) == 1

    def test_a_redirect_is_not_followed(self, path: Path) -> None:
        with talking(echo) as server, talking(echo) as other:
            server.refusing, server.elsewhere = (307, ""), f"{other.url}/chat/completions"
            with pytest.raises(ResourceError, match="that is not followed"):
                model(server, path).replies(texts(1), check)
            assert not other.tries

    def test_messages_repeat_neither_texts_nor_keys(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
        for repeated in (
            "input 'Ann Lee of Oslo' is wrong", "INPUT 'ANN LEE OF OSLO' IS WRONG", "ann  lee\nof  osló",
            "Incorrect API key: sk-very-secret", "INCORRECT API KEY: SK-VERY-SECRET",
            "cannot read: Ann", "no ANN-7", "room 4711 is no number",
        ):  # fmt: skip
            with talking(echo) as server:
                server.refusing = 400, repeated
                with pytest.raises(ResourceError, match="not shown") as found:
                    model(server, path).replies([question("Mr Doe met Ann Lee of Oslo in room 4711")], check)
                assert "ann" not in str(found.value).lower()
                assert "4711" not in str(found.value)
                assert "secret" not in str(found.value).lower()

    def test_nor_a_name_of_another_question(self, path: Path) -> None:
        with talking(echo) as server:
            server.refusing = 400, "cannot read 'Lee'"
            both = [question("no text"), question("Ann Lee of Oslo in May")]
            with pytest.raises(ResourceError, match="not shown"):
                model(server, path, concurrency=1).replies(both, check)

    def test_nor_a_name_of_an_earlier_batch(self, path: Path) -> None:
        with talking(echo) as server:
            asked = model(server, path)
            asked.replies([question("Ann Lee of Oslo in May")], check)
            server.refusing = 400, "cannot read 'Lee'"
            with pytest.raises(ResourceError, match="not shown"):
                asked.replies([question("no text")], check)

    def test_words_that_are_no_names_may_stand_in_both(self, path: Path) -> None:
        """A text begins a sentence with one, and has it small elsewhere; three digits may be any limit."""
        with talking(echo) as server:
            server.refusing = 400, "bad request: limit 100"
            with pytest.raises(ResourceError, match="400 bad request: limit 100"):
                model(server, path).replies([question("Bad as it was, 100 bad men had no request")], check)

    def test_logs_hold_neither_texts_nor_keys(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
        with caplog.at_level("DEBUG"), talking(echo, DROPPED, REFUSED, CUT) as server:
            assert said(model(server, path).replies([question("Ann Lee of Oslo")], check)) == ["Ann Lee of Oslo"]
        assert "openai" in {record.name.partition(".")[0] for record in caplog.records}
        assert "Ann Lee" not in caplog.text
        assert "secret" not in caplog.text

    @pytest.mark.parametrize("scheme", ["socks5", "gopher"])
    def test_a_proxy_that_cannot_be_used_is_told(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
        monkeypatch.setenv("HTTPS_PROXY", f"{scheme}://user:hunter2@proxy.example.org:1080")
        monkeypatch.setitem(sys.modules, "socksio", None)
        settings = AskingSettings(send_text_to="api.example.org, proxy.example.org")
        asked = LanguageModel("llm:m@https://api.example.org/v1", settings, Recordings(path))
        with pytest.raises(
            ResourceError, match=r"api\.example\.org: the proxy of the environment cannot be used"
        ) as found:
            asked.replies(texts(1), check)
        assert "hunter2" not in str(found.value)

    def test_an_answer_that_does_not_end_is_given_up(self, path: Path) -> None:
        with talking(lambda _: "x" * 20_000_000) as server:
            with pytest.raises(ResourceError, match="the last: answered with more than 16 MB; what was answered"):
                model(server, path).replies(texts(1), check)
            server.refusing = 400, "x" * 20_000_000
            with pytest.raises(ResourceError, match="the last: answered with more than 16 MB; what was answered"):
                model(server, path).replies(texts(1), check)

    def test_an_answer_that_is_packed_is_not_unpacked(self, path: Path) -> None:
        packed = gzip.compress(bytes(10_000_000))
        for status in (b"200 OK", b"500 Wrong"):
            head = b"HTTP/1.1 %s\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % (status, len(packed))
            fault = r"127\.0\.0\.1: its answer is packed, which it was asked not to do"
            with (
                plain_server(lambda to, all_=head + packed: to.sendall(all_)) as url,
                pytest.raises(ResourceError, match=fault),
            ):
                LanguageModel(f"llm:m@{url}", AskingSettings(), Recordings(path)).replies(texts(1), check)

    @pytest.mark.parametrize("before", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n"])
    def test_an_answer_has_its_time_as_a_whole(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes
    ) -> None:
        """The server ends by itself, though later: else a fault here would never end."""
        monkeypatch.setattr(_client, "_ANSWER", 0.3)
        monkeypatch.setattr(model_module, "TRIES", 1)
        ended = threading.Event()

        def drip(connection: socket.socket) -> None:
            connection.sendall(before)
            for _ in range(100):
                connection.sendall(b" ")
                if ended.wait(0.05):
                    break

        with plain_server(drip) as url:
            with pytest.raises(ResourceError, match="no answer after 1 tries, the last: no answer came in time"):
                LanguageModel(f"llm:m@{url}", AskingSettings(), Recordings(path)).replies(texts(1), check)
            ended.set()

    @pytest.mark.parametrize("repeated", ["Ann Lee of Oslo in May", "Ann Lee of Oslo"])
    def test_nor_the_text_of_another_question(self, path: Path, repeated: str) -> None:
        with talking(echo) as server:
            server.refusing = 400, f"input '{repeated}' is wrong"
            both = [question("no text"), question("Ann Lee of Oslo in May")]
            with pytest.raises(ResourceError, match="not shown"):
                model(server, path, concurrency=1).replies(both, check)

    @pytest.mark.parametrize(("status", "means"), [(404, "has no such model"), (401, "does not take the key")])
    def test_what_often_goes_wrong_is_told_also_where_the_reason_is_not(
        self, path: Path, status: int, means: str
    ) -> None:
        with talking(echo) as server:
            server.refusing = status, "The model does not exist."
            with pytest.raises(ResourceError, match=f"{status} the server {means}"):
                model(server, path).replies([question("It does not exist.")], check)

    def test_nobody_there_is_told_at_once(self, path: Path) -> None:
        with talking(echo) as server:
            asked = model(server, path)
        with pytest.raises(ResourceError, match="is the server running"):
            asked.replies(texts(1), check)

    def test_a_text_that_is_too_long_is_missing_and_the_others_are_answered(self, path: Path) -> None:
        with talking(echo) as server:
            server.refusing = 400, "max_tokens is too large: the maximum context length is 10 tokens"
            assert model(server, path).replies([question("long")], check) == [None]
            server.refusing = None
            assert said(model(server, path).replies([question("long"), question("short")], check)) == [None, "short"]
            assert server.tries["long"] == 1
        assert read_recordings(path)[0].fault == "the text is longer than the model takes"


class TestWhatServersCannot:
    @pytest.mark.parametrize("name", ["response_format", "seed", "temperature", "max_tokens"])
    def test_what_a_server_refuses_is_left_out_once_and_for_all(self, path: Path, name: str) -> None:
        with talking(echo) as server:
            server.unable = (name,)
            asked = [question(f"text {number}", schema=PEOPLE) for number in range(4)]
            assert said(model(server, path, concurrency=1).replies(asked, check)) == [one.text for one in asked]
        refused = 1 + (name == "response_format")  # of which there are two kinds
        assert sum(server.tries.values()) == len(asked) + refused
        assert all(name in one for one in server.sent[:refused])
        assert all(name not in one for one in server.sent[refused:])
        assert all(("max_completion_tokens" in one) == (name == "max_tokens") for one in server.sent[refused:])

    @pytest.mark.parametrize(
        ("status", "message"),
        [
            (400, "response_format: json_schema is not supported"),
            (422, "Input should be 'text' or 'json_object' (response_format.type)"),
            (500, "1 validation error: ('body', 'response_format', 'type') Input should be 'text' or 'json_object'"),
        ],
    )
    def test_a_server_that_takes_a_schema_in_another_form(self, path: Path, status: int, message: str) -> None:
        def refuse(sent: dict[str, Any]) -> tuple[int, str] | None:
            return (status, message) if sent["response_format"]["type"] == "json_schema" else None

        with talking(echo) as server:
            server.refuses = refuse
            asked = [question(f"text {number}", schema=PEOPLE) for number in range(3)]
            assert said(model(server, path, concurrency=1).replies(asked, check)) == [one.text for one in asked]
        forms = [one["response_format"] for one in server.sent]
        assert forms[0]["type"] == "json_schema"
        assert forms[1:] == [{"type": "json_object", "schema": PEOPLE}] * 3

    def test_a_server_out_of_order_is_not_taken_for_one_that_refuses(self, path: Path) -> None:
        with talking(echo) as server:
            server.refuses = lambda _: (500, "response_format failed") if len(server.sent) == 1 else None
            model(server, path).replies([question("text", schema=PEOPLE)], check)
        assert [one["response_format"]["type"] for one in server.sent] == ["json_schema"] * 2

    def test_one_that_can_do_nothing_beside_talking(self, path: Path) -> None:
        with talking(echo) as server:
            server.unable = "response_format", "seed", "temperature", "max_tokens", "max_completion_tokens"
            with pytest.raises(ResourceError, match="Unsupported parameter: 'max_completion_tokens'"):
                model(server, path).replies([question("text", schema=PEOPLE)], check)

    def test_what_is_sent(self, path: Path) -> None:
        with talking(echo) as server:
            model(server, path).replies([question("text", schema=PEOPLE)], check)
        sent = server.sent[0]
        assert (sent["temperature"], sent["seed"], sent["model"], sent["path"]) == (0, 0, "m", "/v1/chat/completions")
        assert sent["response_format"]["json_schema"]["schema"] == PEOPLE


class TestRecordings:
    def test_a_second_run_opens_no_socket_and_imports_no_client(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = texts(5)
        with talking(echo) as server:
            first = model(server, path)
            replies = first.replies(asked, check)
            before = path.read_bytes()
            again = model(server, path)
        monkeypatch.setattr(socket, "socket", None)
        monkeypatch.setitem(sys.modules, "openai", None)
        assert again.replies(asked, check) == replies
        assert again.asked() == first.asked()
        assert path.read_bytes() == before

    def test_only_its_owner_may_read_it(self, path: Path) -> None:
        with talking(echo) as server:
            model(server, path).replies(texts(1), check)
        assert path.stat().st_mode & 0o077 == 0

    def test_what_a_kill_left_half_written_is_asked_again_and_nothing_else(self, path: Path) -> None:
        with talking(echo) as server:
            model(server, path, concurrency=1).replies(texts(3), check)
            whole = path.read_bytes()
            for cut in (len(whole) - 3, len(whole) - 1, 10, 0):
                path.write_bytes(whole[:cut])
                server.answered.clear()
                missing = 3 - len(read_recordings(path))
                assert said(model(server, path).replies(texts(3), check)) == ["text 0", "text 1", "text 2"]
                assert sum(server.answered.values()) == missing
                assert len(read_recordings(path)) == 3

    @pytest.mark.parametrize(
        "content", [b"something else", b"showthrough answers 2\n", b"showthrough answers 1\nbad\nbad\nbad\n"]
    )
    def test_what_it_cannot_read_is_told_and_left_as_it_is(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        with pytest.raises(InputError, match="answers"):
            Recordings(path)
        assert path.read_bytes() == content

    def test_only_one_program_writes_it(self, path: Path) -> None:
        with talking(echo) as server:
            with Recordings(path).open_for_append(), pytest.raises(OutputError, match="another program is writing it"):
                model(server, path).replies(texts(1), check)
            assert not server.tries

    def test_where_nobody_said_where_answers_go_nothing_is_asked(self) -> None:
        with talking(echo) as server:
            asked = LanguageModel(f"llm:m@{server.url}", AskingSettings(), None)
            with pytest.raises(PlanError, match="--recordings"):
                asked.replies(texts(1), check)
            assert not server.tries

    def test_what_it_says_of_itself(self, path: Path) -> None:
        with talking(echo) as server:
            asked = model(server, path)
            asked.replies(texts(2), check)
        told = asked.asked()
        assert (told.model, told.prompts, told.calls) == ("told-by-server", {"echo.v1": "d1"}, 2)
        assert (told.tokens_in, told.tokens_out) == (20, 10)
        assert told.pin == f"told-by-server/echo.v1.d1@{told.digest[:8]}"
        other = model(server, path)
        other.replies(texts(1), check)
        assert other.asked().digest != told.digest  # of the answers that were used
        assert other.asked().calls == 1


class Waits(threading.Event):
    """Writes down how long somebody would wait."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.heard.append(timeout or 0.0)
        return False


class TestPace:
    def test_no_more_at_once_than_allowed(self, path: Path) -> None:
        with talking(echo, delay=0.02) as server:
            model(server, path, concurrency=3).replies(texts(12), check)
            assert server.most_at_once == 3

    def test_a_rate_spaces_questions(self) -> None:
        turns = _client.RetryPolicy(60, waits := Waits())
        for _ in range(4):
            with turns.turn() as free:
                assert free
        assert [round(wait) for wait in waits.heard] == [0, 1, 2, 3]  # one a second

    def test_whoever_is_told_to_wait_makes_all_wait(self) -> None:
        turns = _client.RetryPolicy(0, waits := Waits())
        turns.after(1, 20.0)
        with turns.turn():
            pass
        assert [round(wait) for wait in waits.heard] == [20, 20]

    def test_tries_come_later_and_later(self) -> None:
        turns = _client.RetryPolicy(0, waits := Waits())
        for tries in range(1, 12):
            turns.after(tries, None)
        limits = [min(_client.LONGEST, _client.FIRST * 2**number) for number in range(11)]
        assert all(limit / 2 <= wait <= limit for wait, limit in zip(waits.heard, limits, strict=True))

    def test_progress_is_told(self, path: Path) -> None:
        heard: list[tuple[str, int, int]] = []
        with talking(echo) as server:
            name = f"llm:m@{server.url}"
            LanguageModel(name, AskingSettings(), Recordings(path), lambda *told: heard.append(told)).replies(
                texts(4), check
            )
        assert heard[-1] == ("asking m", 4, 4)

    def test_stopping_keeps_what_was_answered(self, path: Path) -> None:
        def stop(what: str, done: int, total: int) -> None:
            if done >= 2:
                raise KeyboardInterrupt

        with talking(echo, delay=0.01) as server:
            name = f"llm:m@{server.url}"
            asked = LanguageModel(name, AskingSettings(concurrency=2), Recordings(path), stop)
            with pytest.raises(KeyboardInterrupt):
                asked.replies(texts(200), check)
            kept = len(read_recordings(path))
            assert kept == sum(server.answered.values())
            assert 2 <= kept < 200
            model(server, path).replies(texts(200), check)
            assert set(server.answered.values()) == {1}


def test_equal_questions_are_asked_once_and_known_by_all_that_they_are_about(path: Path) -> None:
    with talking(echo) as server:
        asked = model(server, path)
        asked.replies([question("same", ("a", "1")), question("same", ("a", "2"))], check)
        asked.replies([question("same", ("b", "1"))], check)
        assert server.tries["same"] == 1
    (kept,) = read_recordings(path)
    assert kept.about == [("a", "1"), ("a", "2"), ("b", "1")]
