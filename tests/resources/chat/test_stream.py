"""Answers that come piece by piece: where they end, and what a server did not do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from showthrough.models.chat import _client
from showthrough.models.chat._stream import AnswerStream, BrokenStreamError, JsonScanner
from showthrough.models.chat.base import AnswerSource, ChatQuestion, describe_unanswered
from showthrough.models.chat.model import LanguageModel, _Pace
from showthrough.models.chat.recordings import Recordings, read_recordings
from showthrough.models.settings import AskingSettings
from talking import talking

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
    body = event("a\u2028b\x85c").replace(b"\\u2028", "\u2028".encode()) + b": alive\r\n\r\n" + event("d") + DONE
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
        [],
        [b"data: {\n\n"],
        [b'data: {"error": {"message": "Ann Doe"}}\n\n'],
        [b"data: [1]\n\n"],
    ],
    ids=["broken off", "nothing", "no JSON", "a fault", "no object"],
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


def test_progress_has_the_pace_before_the_first_answer_and_an_estimate_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Counting:
        tokens = 0

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


def test_a_run_of_before_has_no_ignored_options() -> None:
    assert AnswerSource(name="m").ignored == {}
