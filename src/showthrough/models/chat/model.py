"""A language model that is asked: what is recorded is not asked again, and what is asked is recorded at once."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import msgspec

from showthrough.core.errors import PlanError, ResourceError
from showthrough.engines.base import describe_seconds
from showthrough.models.chat._client import PAID, TRIES, Client, LaterError, RetryPolicy, UnaskableError
from showthrough.models.chat.base import AnswerSource, ChatQuestion, Check, Reply
from showthrough.models.chat.consent import address_of, hosts_of
from showthrough.models.chat.estimate import QuestionTally, usual_lengths
from showthrough.models.chat.recordings import About, InvalidAnswer, Recording, Recordings, key_of
from showthrough.models.settings import NOWHERE, AskingSettings, Watch

# A pool of workers goes through a list. Ctrl-C or the first fault stops it; what is under way may still be finished.

T = TypeVar("T")
GRACE = 10.0  # seconds for what is under way when all is stopped
_TICK = 0.2  # seconds between two looks, in which signals are heard


def at_work(
    items: Sequence[T], work: Callable[[T], None], hands: int, stop: threading.Event, report: Callable[[int], None]
) -> None:
    """Does the work on all items, so many at once; `report` hears how many are done. Raises the first fault.

    Threads are daemons: a server that does not answer must not keep the program from ending.
    """
    remaining, lock = iter(items), threading.Lock()
    faults: list[BaseException] = []
    done = [0]

    def hand(home: threading.Event) -> None:
        for item in _take_items(remaining, lock, stop):
            try:
                work(item)
            except BaseException as error:  # told to whoever waits, below
                faults.append(error)
                stop.set()
            else:
                with lock:
                    done[0] += 1
        home.set()

    # Not `join`: where Ctrl-C interrupts it, Python before 3.13 takes a thread that still works for one that has ended.
    homes: list[threading.Event] = []
    try:
        for _ in range(min(hands, len(items))):
            homes.append(threading.Event())
            threading.Thread(target=hand, args=homes[-1:], daemon=True).start()
        for home in homes:
            while not home.wait(_TICK) and not stop.is_set():
                report(done[0])
    finally:
        stop.set()
        until = time.monotonic() + GRACE
        for home in homes:
            home.wait(max(0.0, until - time.monotonic()))
    report(done[0])
    if faults:
        raise faults[0]


def _take_items(remaining: Iterator[T], lock: threading.Lock, stop: threading.Event) -> Iterator[T]:
    while not stop.is_set():
        with lock:
            try:
                item = next(remaining)
            except StopIteration:
                return
        yield item


_INVALID = "no valid answer came"
_SAME = 3  # equal invalid answers to one question, after which it is asked no more


class _NewQuestion(NamedTuple):
    """A question that has no answer yet, and all that it is about."""

    key: str
    question: ChatQuestion
    about: list[About]


class LanguageModel:
    """`llm:MODEL[@URL]`, anything that speaks OpenAI's protocol. With a tally questions are only counted."""

    def __init__(
        self,
        name: str,
        settings: AskingSettings,
        recordings: Recordings | None,
        watch: Watch | None = None,
        tally: QuestionTally | None = None,
    ) -> None:
        self.name = name
        self.address = address_of(name)
        self._settings, self._watch, self._tally = settings, watch, tally
        self._hosts = hosts_of(settings.send_text_to)
        self._recordings = recordings
        self._used: dict[str, None] = {}  # keys of all that was asked, in their order

    def replies(self, questions: Sequence[ChatQuestion], check: Check) -> list[Reply | None]:
        keys = [key_of(self.name, question) for question in questions]
        self._used.update(dict.fromkeys(keys))
        about: dict[str, list[About]] = {}
        new: dict[str, _NewQuestion] = {}
        for key, question in zip(keys, questions, strict=True):
            listed = about.setdefault(key, [])
            listed.append(question.about)
            if self._recordings is None or key not in self._recordings:
                new[key] = _NewQuestion(key, question, listed)
        if self._tally is not None:
            fresh = {key: entry.question for key, entry in new.items()}
            self._tally.count(self.name, fresh, len(about) - len(new), self._usual)
        elif new:
            self._ask(list(new.values()), check)
        if self._recordings is not None and self._tally is None:
            self._recordings.note(about)
        return [self._reply(key, check) for key in keys]

    def _reply(self, key: str, check: Check) -> Reply | None:
        if self._recordings is None or key not in self._recordings:
            return None
        recording = self._recordings[key]
        if recording.content is None or not _is_valid(recording.content, check):
            return None
        return Reply(recording.content, recording.model, recording.tokens_in, recording.tokens_out)

    def asked(self) -> AnswerSource:
        recordings = self._recordings
        used = [] if recordings is None else [recordings[key] for key in sorted(self._used) if key in recordings]
        encoded = msgspec.json.encode([(recording.key, recording.content) for recording in used])
        return AnswerSource(
            name=self.name,
            digest=hashlib.blake2b(encoded, digest_size=16).hexdigest() if used else "",
            model=",".join(sorted({recording.model for recording in used if recording.model})),
            prompts={recording.prompt: recording.digest for recording in used},
            calls=sum(recording.answers for recording in used),
            tokens_in=sum(recording.tokens_in for recording in used),
            tokens_out=sum(recording.tokens_out for recording in used),
            unanswered=dict(sorted(Counter(recording.fault for recording in used if recording.fault).items())),
            ignored=dict(sorted(Counter(option for recording in used for option in recording.ignored).items())),
        )

    def expect(self, questions: int, characters: int, tokens: int) -> None:
        if self._tally is not None:
            self._tally.expect(self.name, questions, characters, tokens)

    @cached_property
    def _usual(self) -> dict[str, int]:
        """How long its answers are by prompt, as far as some are recorded."""
        recordings = (
            []
            if self._recordings is None
            else [recording for recording in self._recordings.all() if recording.name == self.name]
        )
        return usual_lengths((recording.prompt, recording.tokens_out, recording.answers) for recording in recordings)

    @cached_property
    def _client(self) -> Client:
        return Client(self.address, self._hosts)

    def _ask(self, new: Sequence[_NewQuestion], check: Check) -> None:
        if self._recordings is None:
            raise PlanError(NOWHERE, f"language model {self.name}")
        if not self.address.is_allowed(self._hosts) or self.address.leads_elsewhere(self._hosts):
            host = self.address.host
            raise PlanError(f"{host} is not this machine; --send-text-to {host} would allow it", self.name)
        recordings, client, stop = self._recordings, self._client, threading.Event()
        policy = RetryPolicy(self._settings.rate, stop)

        def work(entry: _NewQuestion) -> None:
            recording = _Try(self.name, client, policy, entry, recordings).result(check)
            if recording is not None:
                recordings.add(recording)

        pace = _Pace(self.address.model, client, len(new))

        def report_progress(done: int) -> None:
            if self._watch is not None:
                self._watch(pace.describe(done), done, len(new))

        with recordings.open_for_append(), client.connect([entry.question.text for entry in new]):
            at_work(new, work, self._settings.concurrency, stop, report_progress)


class _Pace:
    """How fast answers come: what a person who waits wants to know, before the first of them too."""

    def __init__(self, model: str, client: Client, questions: int) -> None:
        self._model, self._client, self._questions = model, client, questions
        self._began, self._tokens = time.monotonic(), client.tokens

    def describe(self, done: int) -> str:
        """`asking m, 21 tokens a second, about 4 min left`; the estimate follows from whole answers alone."""
        seconds, tokens = time.monotonic() - self._began, self._client.tokens - self._tokens
        words = [f"asking {self._model}"]
        if tokens and seconds >= 1:
            words.append(f"{tokens / seconds:,.0f} tokens a second")
            if not done:
                words.append("no whole answer yet")
        if 0 < done < self._questions and seconds >= 1:
            words.append(f"about {describe_seconds(seconds / done * (self._questions - done))} left")
        if self._client.one_by_one:
            words.append("one question at a time")
        return ", ".join(words)


class _Try:
    """One question, asked until there is an answer. What was paid before a program was killed counts."""

    def __init__(
        self, name: str, client: Client, policy: RetryPolicy, new: _NewQuestion, recordings: Recordings
    ) -> None:
        self._name, self._client, self._policy, self._new, self._recordings = name, client, policy, new, recordings
        self._paid = recordings.invalid_answers(new.key)
        self._began = time.monotonic()

    def result(self, check: Check) -> Recording | None:
        """The answer, or why there is none; None where all was stopped. Raises ResourceError after all tries."""
        paid, last = self._paid, ""
        tokens = self._new.question.tokens * (2 if any(answer.cut for answer in paid) else 1)
        for tries in range(len(paid) + 1, TRIES + 1):
            wait = None
            try:
                with self._policy.turn(lambda: self._client.at_once) as free:
                    if not free:
                        return None
                    answered = self._client.ask(self._new.question, len(paid), tokens)
            except LaterError as error:
                last, wait = str(error), error.wait
            except UnaskableError as error:
                return self._make_recording(None, tries, str(error))
            else:
                paid.append(
                    InvalidAnswer(self._new.key, len(paid), answered.reply, answered.cut, list(answered.ignored))
                )
                # A text without its end would pass for one from which much was left out; JSON shows that itself.
                whole = self._new.question.schema is not None or not (answered.cut or answered.broken)
                if whole and _is_valid(answered.reply.content, check):
                    return self._make_recording(answered.reply.content, tries)
                too_long = answered.cut and tokens > self._new.question.tokens
                if len(paid) == PAID or self._repeats_itself() or too_long:
                    return self._make_recording(None, tries, _INVALID)
                self._recordings.add_invalid(paid[-1])
                last = _INVALID
                if answered.cut:  # once: the limit is what an answer can need
                    tokens = 2 * tokens
                continue  # the server is not busy: nothing is gained by waiting
            if tries < TRIES and not self._policy.after(tries, wait):
                return None
        raise ResourceError(
            f"{self._name}: no answer after {TRIES} tries, the last: {last}; what was answered is kept, "
            "and is not asked again"
        )

    def _repeats_itself(self) -> bool:
        """Whether the model said the same three times: at temperature 0 it will again."""
        return len(self._paid) >= _SAME and len({answer.reply.content for answer in self._paid[-_SAME:]}) == 1

    def _make_recording(self, content: str | None, tries: int, fault: str = "") -> Recording:
        question, paid = self._new.question, [answer.reply for answer in self._paid]
        return Recording(
            key=self._new.key,
            name=self._name,
            prompt=question.prompt,
            digest=question.digest,
            about=sorted(set(self._new.about)),
            content=content,
            model=paid[-1].model if paid else "",
            tokens_in=sum(reply.tokens_in for reply in paid),
            tokens_out=sum(reply.tokens_out for reply in paid),
            answers=len(paid),
            tries=tries,
            fault=fault,
            ignored=sorted({option for answer in self._paid for option in answer.ignored}),
            seconds=round(time.monotonic() - self._began, 3),
        )


def _is_valid(content: str, check: Check) -> bool:
    try:
        check(content)
    except ValueError:
        return False
    return True
