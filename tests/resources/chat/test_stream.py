"""Answers that come piece by piece: where they end, and what a server did not do."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import ResourceError
from showthrough.models.chat import _client
from showthrough.models.chat._client import RetryPolicy
from showthrough.models.chat._stream import AnswerStream, BrokenStreamError, JsonScanner
from showthrough.models.chat.base import AnswerSource, ChatQuestion, describe_unanswered
from showthrough.models.chat.model import LanguageModel, _Pace
from showthrough.models.chat.recordings import Recordings, read_recordings
from showthrough.models.settings import AskingSettings
from talking import DroppedError, talking

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
).filter(lambda value: isinstance(value, list | dict))


def event(content: str | None = None, **fields: Any) -> bytes:
    choice = {"index": 0, "delta": {} if content is None else {"content": content}, "finish_reason": None}
    return b"data: " + json.dumps({"choices": [{**choice, **fields}], "model": "m1"}).encode() + b"\n\n"


def counts(sent: int, came: int) -> bytes:
    usage = {"prompt_tokens": sent, "completion_tokens": came}
    return b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"


def stream_of(chunks: Iterable[bytes], tokens: int = 100, wants_json: bool = True) -> AnswerStream:
    stream = AnswerStream(wants_json, tokens)
    stream.read(chunks)
    return stream


def never_read(text: str) -> Iterator[bytes]:
    yield event(text)
    pytest.fail("the reader did not break off")


DONE = b"data: [DONE]\n\n"


# Where the JSON of an answer ends.


@given(JSON, st.sampled_from(["", " ", "<think>{ is it [this]?</think>\n", "```json\n", "```\n", "\n```"]), st.data())
def test_json_ends_where_it_ends_however_it_is_cut_into_pieces(value: Any, before: str, data: st.DataObject) -> None:
    whole = before + json.dumps(value, ensure_ascii=False)
    text = whole + data.draw(st.sampled_from(["", " and so on", "\n```", "{}"]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    scanner = JsonScanner()
    ends = [scanner.feed(text[start:end]) for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert ends[-1] == len(whole)


@pytest.mark.parametrize("text", ["Here it is: {}", "PERSON", "jason {}", "<b>{}</b>", "~~~{}"])
def test_an_answer_that_begins_with_words_has_no_end_of_json(text: str) -> None:
    scanner = JsonScanner()
    assert scanner.feed(text) is None
    assert scanner.hopeless


@pytest.mark.parametrize("text", ["", " ", "<thi", "<think>hm {", "``", "```js", "```json", '{"a": "}"', '["\\"]'])
def test_what_may_become_json_is_waited_for(text: str) -> None:
    scanner = JsonScanner()
    assert scanner.feed(text) is None
    assert not scanner.hopeless


# Streams.


def test_an_answer_with_the_counts_of_the_server() -> None:
    stream = stream_of([event('{"a":'), event(" 1}"), event(finish_reason="stop"), counts(12, 3), DONE])
    assert (stream.text, stream.model, stream.complete) == ('{"a": 1}', "m1", True)
    assert stream.usage is not None
    assert (stream.usage.prompt_tokens, stream.usage.completion_tokens) == (12, 3)
    assert (stream.was_cut, stream.ignored) == (False, set())


def test_bytes_may_part_anywhere_and_text_may_have_any_line_end() -> None:
    body = event("a\u2028b\x85c").replace(b"\\u2028", "\u2028".encode()) + b": alive\r\n\r\n"
    body += event("d", finish_reason="stop") + DONE
    chunks = [body[at : at + 1] for at in range(len(body))]
    assert stream_of(chunks, wants_json=False).text == "a\u2028b\x85cd"


def test_a_model_that_writes_on_behind_its_json_is_left() -> None:
    """The end of the JSON, eight pieces more, and the ninth ends it: 1 + 9 tokens."""
    stream = stream_of([event('{"a": 1}'), *[event(f" word{number}") for number in range(50)]])
    assert (stream.text, stream.tokens, stream.was_cut) == ('{"a": 1}', 10, False)
    assert stream.ignored == {"response_format"}


def test_a_closing_fence_is_no_writing_on() -> None:
    stream = stream_of([event('```json\n{"a": 1}'), event("\n"), event("```"), event(finish_reason="stop"), DONE])
    assert stream.text == '```json\n{"a": 1}\n```'
    assert stream.ignored == set()


def test_words_where_json_was_asked_for() -> None:
    stream = stream_of([event("Sure! {"), event("}"), event(finish_reason="length"), DONE])
    assert stream.ignored == {"response_format"}
    assert not stream.was_cut  # a longer one would begin with words as well
    assert stream_of([event("Sure!"), event(finish_reason="stop"), DONE], wants_json=False).ignored == set()


def test_a_model_that_repeats_itself_is_left() -> None:
    def forever() -> Iterator[bytes]:
        yield event('{"people": [')
        for _ in range(10_000):
            yield event('{"who": "a man"}, ')

    stream = stream_of(forever(), 4000)
    assert stream.repeats
    assert stream.tokens == 32  # the first look
    assert not stream.was_cut


def test_a_server_without_a_limit_is_left_at_twice_the_tokens() -> None:
    words = (event(f"[{number}, " if number == 0 else f"{number * number}, ") for number in range(1000))
    stream = stream_of(words, 10)
    assert (stream.tokens, stream.was_cut, stream.ignored) == (21, True, {"max_tokens"})


@pytest.mark.parametrize(
    "chunks",
    [
        [event("{")],
        [b": alive\n\n", b"data: {\n\n"],
        [b'data: {"error": {"message": "Ann Doe"}}\n\n'],
        [b"data: [1]\n\n"],
        [event("{"), DONE],
    ],
    ids=["broken off", "no JSON", "a fault", "no object", "no reason to end"],
)
def test_what_is_no_whole_answer(chunks: Sequence[bytes]) -> None:
    with pytest.raises(BrokenStreamError) as caught:
        stream_of(chunks)
    assert "Ann" not in str(caught.value)


# A model behind a server.


pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="pip install 'showthrough[llm]'")
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def ask(
    path: Path, url: str, tokens: int = 50, watch: Any = None, schema: Any = SCHEMA, count: int = 1
) -> LanguageModel:
    chat = LanguageModel(f"llm:m@{url}", AskingSettings(concurrency=1), Recordings(path), watch)
    questions = [
        ChatQuestion("Answer.", f"text {number}", "p.v1", "d", schema, ("a", "1"), tokens) for number in range(count)
    ]
    chat.replies(questions, json.loads)
    return chat


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_client, "FIRST", 0.001)


def test_an_answer_is_read_as_it_comes_and_what_was_ignored_is_recorded(tmp_path: Path) -> None:
    def rambling(_: dict[str, Any]) -> Iterator[str]:
        yield from ['{"a"', ": 1}"]
        yield from (f" and {number}" for number in range(500))

    with talking(rambling) as server:
        chat = ask(tmp_path / "answers", server.url)
    (kept,) = read_recordings(tmp_path / "answers")
    assert (kept.content, kept.tries, kept.ignored) == ('{"a": 1}', 1, ["response_format"])
    assert kept.tokens_out == 11  # two pieces, and nine behind them; the server's own count never came
    assert kept.tokens_in == (len("Answer.") + len("text 0")) // 4
    assert kept.seconds > 0
    assert server.sent[0]["stream"] is True
    assert chat.asked().ignored == {"response_format": 1}
    assert describe_unanswered([chat.asked()]) == [
        f"{chat.name}: the server ignored response_format in 1 of 1 answers: more of them are invalid or late than "
        "from a server that keeps to it"
    ]


def test_a_server_that_cannot_stream_is_asked_for_whole_answers(tmp_path: Path) -> None:
    with talking(lambda _: "{}") as server:
        server.unable = ("stream_options", "stream")
        ask(tmp_path / "answers", server.url)
    assert [recording.content for recording in read_recordings(tmp_path / "answers")] == ["{}"]
    assert [("stream_options" in sent, "stream" in sent) for sent in server.sent] == [
        (True, True),
        (False, True),
        (False, False),
    ]


def test_the_same_invalid_answer_is_asked_for_three_times(tmp_path: Path) -> None:
    with talking(lambda _: "I cannot say.") as server:
        ask(tmp_path / "answers", server.url)
    (kept,) = read_recordings(tmp_path / "answers")
    assert (kept.content, kept.tries, kept.fault) == (None, 3, "no valid answer came")


def test_a_longer_answer_is_asked_for_once(tmp_path: Path) -> None:
    """50 tokens, then 100; a model that still has not ended is no use."""

    def endless(asked: dict[str, Any]) -> Iterator[str]:
        yield from ("[", *(f"{number}, " for number in range(10 * asked["max_tokens"])))

    with talking(endless) as server:
        ask(tmp_path / "answers", server.url)
    assert [sent["max_tokens"] for sent in server.sent] == [50, 100]
    (kept,) = read_recordings(tmp_path / "answers")
    assert (kept.content, kept.tries, kept.ignored) == (None, 2, ["max_tokens"])


@pytest.mark.parametrize("endless", [False, True])
def test_an_invalid_answer_is_not_paid_again_after_a_kill(tmp_path: Path, endless: bool) -> None:
    """The first run gets one, and ends before the second try. The next run goes on with that."""

    def answering(asked: dict[str, Any]) -> str | Iterator[str]:
        if asked["seed"]:
            return "{}"
        return (f"[{number}, " for number in range(200)) if endless else "I cannot say."

    with talking(answering) as server:
        server.refuses = lambda asked: (401, "no") if asked["seed"] and len(server.sent) == 2 else None
        with pytest.raises(ResourceError, match="does not take the key"):
            ask(tmp_path / "answers", server.url, tokens=20)
        assert read_recordings(tmp_path / "answers") == []
        ask(tmp_path / "answers", server.url, tokens=20)
    longer = 40 if endless else 20
    assert [(sent["seed"], sent["max_tokens"]) for sent in server.sent] == [(0, 20), (1, longer), (1, longer)]
    (kept,) = read_recordings(tmp_path / "answers")
    assert (kept.content, kept.answers, kept.tries) == ("{}", 2, 2)
    assert kept.ignored == (["max_tokens"] if endless else ["response_format"])


def test_a_text_without_its_end_is_no_answer(tmp_path: Path) -> None:
    def repeating(_: dict[str, Any]) -> Iterator[str]:
        yield from ("It was so. " for _ in range(1000))

    with talking(repeating) as server:
        chat = LanguageModel(f"llm:m@{server.url}", AskingSettings(), Recordings(tmp_path / "answers"))
        assert chat.replies([ChatQuestion("Rewrite.", "text", "p.v1", "d", None, ("a", "1"), 2000)], str) == [None]


def test_an_answer_that_breaks_off_is_asked_for_again(tmp_path: Path) -> None:
    tries = []

    def breaking(_: dict[str, Any]) -> Iterator[str]:
        tries.append(1)
        yield "{"
        if len(tries) == 1:
            raise ConnectionAbortedError
        yield "}"

    with talking(breaking) as server:
        ask(tmp_path / "answers", server.url)
    (kept,) = read_recordings(tmp_path / "answers")
    assert (kept.content, kept.tries) == ("{}", 2)


def test_a_server_that_drops_an_answer_for_the_next_question_is_asked_one_at_a_time(tmp_path: Path) -> None:
    """As the server of llama-cpp-python does. The rest of the text would be missing, and nobody would know."""
    begun, under_way = threading.Barrier(2), Counter[str]()

    def answering(asked: dict[str, Any]) -> Iterator[str]:
        text = asked["messages"][-1]["content"]
        under_way[text] += 1
        yield "It was"
        if sum(under_way.values()) <= 2:
            begun.wait(10)  # both are being answered
            raise DroppedError
        yield " so."

    questions = [ChatQuestion("Rewrite.", f"text {n}", "p.v1", "d", None, ("a", str(n))) for n in range(2)]
    with talking(answering) as server:
        chat = LanguageModel(f"llm:m@{server.url}", AskingSettings(concurrency=2), Recordings(tmp_path / "answers"))
        replies = chat.replies(questions, str)
    assert [reply and reply.content for reply in replies] == ["It was so."] * 2
    assert under_way == {"text 0": 2, "text 1": 2}
    assert server.most_at_once == 2
    assert chat._client.one_by_one


@pytest.mark.parametrize("most", [1, 2, 5])
def test_no_more_turns_at_once_than_a_server_takes(most: int) -> None:
    policy, lock, inside, at_once = RetryPolicy(0, threading.Event()), threading.Lock(), set[int](), list[int]()

    def work(number: int) -> None:
        with policy.turn(lambda: most) as free:
            assert free
            with lock:
                inside.add(number)
                at_once.append(len(inside))
            time.sleep(0.002)
            inside.discard(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(at_once) == 12
    assert max(at_once) <= most


def test_two_questions_are_sent_until_a_server_answers(tmp_path: Path) -> None:
    """A server that drops answers has then dropped one, and no more."""
    at_once: list[int] = []
    with talking(lambda _: "{}", delay=0.05) as server:
        server.answering = lambda _: (at_once.append(server.at_once), "{}")[1]
        chat = LanguageModel(f"llm:m@{server.url}", AskingSettings(concurrency=6), Recordings(tmp_path / "answers"))
        assert chat._client.at_once == 2
        chat.replies([ChatQuestion("", f"text {n}", "p.v1", "d", SCHEMA, ("a", str(n))) for n in range(12)], json.loads)
    assert at_once[0] <= 2
    assert max(at_once) <= 6 < chat._client.at_once


@pytest.mark.parametrize(
    ("reason", "fault"), [("This model's maximum context length is 10 tokens", "longer"), ("", "")]
)
def test_a_stream_without_anything_in_it_is_asked_for_at_once(reason: str, fault: str, tmp_path: Path) -> None:
    """Some servers say why they cannot answer only where the answer is no stream."""

    def silent(asked: dict[str, Any]) -> str | Iterator[str]:
        return breaking() if asked.get("stream") else "{}"

    def breaking() -> Iterator[str]:
        raise ConnectionAbortedError
        yield ""

    with talking(silent) as server:
        server.refuses = lambda asked: (400, reason) if reason and "stream" not in asked else None
        ask(tmp_path / "answers", server.url)
    (kept,) = read_recordings(tmp_path / "answers")
    assert (kept.content, kept.tries) == (None if reason else "{}", 1)
    assert fault in kept.fault
    assert [("stream" in sent, "stream_options" in sent) for sent in server.sent] == [(True, True), (False, False)]


def test_progress_has_the_pace_before_the_first_answer_and_an_estimate_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Counting:
        tokens, one_by_one = 0, False

    now = [100.0]
    monkeypatch.setattr("showthrough.models.chat.model.time.monotonic", lambda: now[0])
    client: Any = Counting()
    pace = _Pace("m", client, 4)
    assert pace.describe(0) == "asking m"
    now[0], client.tokens = 110.0, 50
    assert pace.describe(0) == "asking m, 5 tokens a second, no whole answer yet"
    now[0], client.tokens = 140.0, 200  # one of four in 40 s: 3 × 40 s are left
    assert pace.describe(1) == "asking m, 5 tokens a second, about 2 min left"
    assert pace.describe(4) == "asking m, 5 tokens a second"
    client.one_by_one = True
    assert pace.describe(4) == "asking m, 5 tokens a second, one question at a time"


def test_a_run_of_before_has_no_ignored_options() -> None:
    assert AnswerSource(name="m").ignored == {}
