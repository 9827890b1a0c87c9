"""A language model as an anonymizer: it quotes what identifies, or writes the whole text anew."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import msgspec
from rapidfuzz import fuzz

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.data.alignment import align
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask, TypedMask
from showthrough.data.provenance import INVENTED, MILLIONTHS, QUOTES, TOKENS_IN, TOKENS_OUT, UNPRICED, UNUSABLE
from showthrough.evaluation.estimate import CallEstimate
from showthrough.evaluation.refusals import is_refusal
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL, Chat, ChatQuestion, Reply
from showthrough.models.chat.consent import address_of, hosts_of, price_of
from showthrough.models.chat.estimate import QuestionTally
from showthrough.models.chat.prompts import Prompt, decode_answer, load, prompt_of
from showthrough.models.settings import AskingSettings
from showthrough.storage.reading import read_bytes
from showthrough.systems._passages import LONGEST, spoken_text, windows
from showthrough.systems.base import Anonymizer
from showthrough.systems.outside.answers import ExternalAnonymizer
from showthrough.systems.repair import Repair
from showthrough.systems.spec import language_models

Form = Literal["spans", "rewrite"]
SPANS: Form = "spans"
REWRITE: Form = "rewrite"
_PROMPTS = {SPANS: "spans.v1", REWRITE: "rewrite.v1"}
_WINDOWS = {SPANS: 6_000, REWRITE: LONGEST}  # characters that a model is given at once
_ALIKE = 90.0  # of 100: a quote with a slip of the pen is that place, and a shorter one no quote at all
_SHORTEST = 6  # letters of a quote that may have a slip
_LONGEST_QUOTE = 200  # characters; what is longer is no identifier
_WORD = re.compile(r"\w")


class _Quote(msgspec.Struct):
    text: str
    type: str = ""


class _Quotes(msgspec.Struct):
    entities: list[_Quote]


_SCHEMA = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "type": {"type": "string"}},
                "required": ["text", "type"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["entities"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class LanguageModelAnonymizer(ExternalAnonymizer):
    """Asks a language model (`llm:MODEL` or `llm:MODEL@URL`) what identifies people in a text, or to write it anew.

    With `form="spans"` it quotes what is to be hidden, and every occurrence of a quote is masked. A quote that is not
    in the text is dropped and counted. With `form="rewrite"` it writes the text, and the masks are what it changed. A
    text without a usable answer, such as a refusal, stays as it is, and its document is counted.
    """

    kind: ClassVar[str] = "llm"
    needs: ClassVar[str] = "showthrough[llm], a server with a model"
    single: ClassVar[bool] = True  # one process at a time writes the file of answers

    model: str = parameter("", "the model, with its server behind an @")
    form: Form = parameter(SPANS, "spans: it quotes what to hide; rewrite: it writes the text anew")
    prompt: str = parameter("", "a text file with a prompt of your own")
    recordings: str = parameter("", "the file that keeps its answers; usually beside what is written")
    send_text_to: str = parameter("", "a host that may get the texts, if the model is on another machine")

    def __post_init__(self) -> None:
        if self.form not in _PROMPTS:
            raise PlanError(f"found {quote_value(self.form)}; expected {SPANS} or {REWRITE}", "form")
        if self.model:
            _ = address_of(MODEL + self.model)

    @property
    def name(self) -> str:
        """Where answers are kept, and who may get the texts, change no mask."""
        bare = replace(self, recordings="", send_text_to="")
        return super(LanguageModelAnonymizer, bare).name if bare == self else bare.name

    @property
    def pinned(self) -> Mapping[str, str]:
        return {"prompt": f"{self._prompt.name}@{self._prompt.digest[:8]}"}

    @property
    def counts(self) -> Mapping[str, int]:
        """What came of its questions so far, by what is counted."""
        return dict(self._counts)

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter()

    @cached_property
    def _prompt(self) -> Prompt:
        if not self.prompt:
            return load("showthrough.systems", _PROMPTS[self.form])
        text = read_bytes(Path(self.prompt)).decode("utf-8", "replace")
        if not text.strip():
            raise PlanError(f"{shorten(self.prompt)} is empty; expected a prompt", f"anonymizer {self.kind}: prompt")
        return prompt_of(shorten(Path(self.prompt).stem), text)

    def with_asking(self, settings: AskingSettings) -> LanguageModelAnonymizer:
        """The same, asking as the settings say where it does not say so itself."""
        hosts = hosts_of(settings.send_text_to)
        host = address_of(MODEL + self.model).host if self.model else ""
        allowed = self.send_text_to or (host if host in hosts else next(iter(sorted(hosts)), ""))
        bound = replace(self, recordings=self.recordings or settings.recordings or "", send_text_to=allowed)
        bound.__dict__["_settings"] = settings
        return bound

    @cached_property
    def _settings(self) -> AskingSettings:
        return AskingSettings()

    def prepare(self) -> None:
        """Raises PlanError for what cannot be asked, or may not: before any text is sent."""
        location = f"anonymizer {self.kind}"
        if not self.model:
            raise PlanError("found no model; expected one, such as llm:qwen3@http://localhost:8000/v1", location)
        address = address_of(MODEL + self.model)
        if not self.recordings:
            fault = "its answers cost and are kept: expected --recordings FILE, or recordings='FILE' in the brackets"
            raise PlanError(fault, location)
        if not address.is_allowed(hosts_of(self.send_text_to)):
            host = shorten(address.host)
            fault = f"would send the text of all documents to {host}: --send-text-to {host} allows it"
            raise PlanError(fault, location)
        _ = self._prompt

    def questions(self, documents: Sequence[Document]) -> list[list[tuple[int, int, ChatQuestion]]]:
        """What it asks about each document: pieces of its text by their places, with the question about each."""
        return [
            [
                (start, end, self._question(document, document.text[start:end]))
                for start, end in windows(document.text, _WINDOWS[self.form])
                if any(map(str.isalnum, document.text[start:end]))
            ]
            for document in documents
        ]

    def estimate(self, documents: Sequence[Document], tally: QuestionTally) -> None:
        """Counts what would be asked; nothing is sent."""
        flat = [question for own in self.questions(documents) for _, _, question in own]
        self._chat(tally).replies(flat, self._check)

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        self.prepare()
        questions = self.questions(documents)
        flat = [question for own in questions for _, _, question in own]
        chat = self._chat()
        replies = iter(chat.replies(flat, self._check))
        self._counts.update(self.usage(chat))
        return [
            self._masks(document, [(start, end, next(replies)) for start, end, _ in own])
            for document, own in zip(documents, questions, strict=True)
        ]

    def resources(self, tally: QuestionTally | None = None) -> Resources:
        """What asks its model as the settings say, or only counts what would be asked."""
        settings = replace(self._settings, send_text_to=self.send_text_to, recordings=self.recordings or None)
        resources = Resources(asking=settings)
        resources.tally = tally
        return resources

    def usage(self, chat: Chat) -> Mapping[str, int]:
        """The tokens of what a chat answered, recorded answers too, and what they cost where that is known."""
        source, price = chat.asked(), price_of(address_of(chat.name), self._settings.price)
        sent, answered = source.tokens_in, source.tokens_out
        cost = {UNPRICED: sent + answered} if price is None else {MILLIONTHS: round(1e6 * price.of(sent, answered))}
        return {TOKENS_IN: sent, TOKENS_OUT: answered, **cost}

    def _chat(self, tally: QuestionTally | None = None) -> Chat:
        return self.resources(tally).chat(MODEL + self.model)

    def _question(self, document: Document, piece: str) -> ChatQuestion:
        about = "", document.id
        if self.form == REWRITE:
            return self._prompt.about(piece.strip(), about=about, tokens=200 + len(piece) // 2)
        return self._prompt.about(
            f"<text>\n{piece}\n</text>", schema=_SCHEMA, about=about, tokens=300 + len(piece) // 3
        )

    def _check(self, content: str) -> object:
        return decode_answer(content, _Quotes) if self.form == SPANS else spoken_text(content)

    def _masks(self, document: Document, pieces: Sequence[tuple[int, int, Reply | None]]) -> list[Mask]:
        answers = [self._usable(document.text[start:end], reply) for start, end, reply in pieces]
        self._counts[UNUSABLE] += None in answers
        answered = [(start, end, answer) for (start, end, _), answer in zip(pieces, answers, strict=True) if answer]
        written = self._spans if self.form == SPANS else self._changes
        return written(document.text, answered)

    def _usable(self, piece: str, reply: Reply | None) -> str | None:
        """What it said, unless that is nothing, or that it will not."""
        refused = reply is not None and self.form == REWRITE and is_refusal(spoken_text(reply.content), piece)
        return None if reply is None or refused else reply.content

    def _spans(self, text: str, answers: Sequence[tuple[int, int, str]]) -> list[Mask]:
        masks: list[Mask] = []
        for start, end, answer in answers:
            for quote in decode_answer(answer, _Quotes).entities:
                spans = list(quoted_spans(quote.text, text[start:end]))
                self._counts[QUOTES] += 1
                self._counts[INVENTED] += not spans
                label = quote.type.strip().upper() or "MISC"
                masks += [TypedMask(start + first, start + last, None, label) for first, last in spans]
        return _disjoint(masks)

    def _changes(self, text: str, answers: Sequence[tuple[int, int, str]]) -> list[Mask]:
        written, at = [], 0
        for start, end, answer in answers:
            piece = text[start:end]
            bare = piece.strip()  # white space around it stays
            written += [text[at:start], piece.replace(bare, spoken_text(answer), 1)]
            at = end
        return align(text, "".join([*written, text[at:]]))


def estimate_systems(corpus: Corpus, systems: Mapping[str, Anonymizer], settings: AskingSettings) -> list[CallEstimate]:
    """What the language models among systems would be asked about a corpus. Nothing is sent."""
    tally = QuestionTally()
    for name, system in systems.items():
        for part in language_models(system):
            if isinstance(part, LanguageModelAnonymizer | Repair):
                model = part.attacker if isinstance(part, Repair) else MODEL + part.model
                tally.begin(name, corpus.name, [model])
                part.estimate(list(corpus), tally)
    return [
        CallEstimate(name, corpus.name, address_of(model), count, price_of(address_of(model), settings.price))
        for (name, _, model), count in tally.counts.items()
    ]


def quoted_spans(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a text says what was quoted: everywhere on word borders, or else the one place that is nearly the same.

    White space may differ, and it may stand in capitals; another case counts only where nothing is the same.

    >>> list(quoted_spans("Ann Doe", "Ann\\nDoe met ANN DOE; Joann Doe did not.")), list(quoted_spans("Bob", "Ann"))
    ([(0, 7), (12, 19)], [])
    """
    words = quote.split()
    if not words or len(quote) > _LONGEST_QUOTE or not _WORD.search(quote):
        return
    before = r"(?<!\w)" if _WORD.match(words[0]) else ""
    after = r"(?!\w)" if _WORD.match(words[-1][-1]) else ""
    pattern = before + r"\s+".join(map(re.escape, words)) + after
    matches = list(re.finditer(pattern, text, re.IGNORECASE))
    same = [match for match in matches if match[0].split() == words or match[0].isupper()]  # "May", and not "may"
    spans = [match.span() for match in same or matches]
    if not spans and len(quote) >= _SHORTEST:
        near = fuzz.partial_ratio_alignment(quote, text, score_cutoff=_ALIKE)
        if near is not None and (bare := text[near.dest_start : near.dest_end].strip()):
            start = text.index(bare, near.dest_start)
            spans = [_whole_words(text, start, start + len(bare))]
    yield from spans


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and _WORD.match(text[start - 1]) and _WORD.match(text[start]):
        start -= 1
    while end < len(text) and _WORD.match(text[end - 1]) and _WORD.match(text[end]):
        end += 1
    return start, end


def _disjoint(masks: Sequence[Mask]) -> list[Mask]:
    """The longest of masks that overlap, the first among equals, in the order of the text."""
    result: list[Mask] = []
    taken: set[int] = set()
    for mask in sorted(masks, key=lambda mask: (mask.start - mask.end, mask.start)):
        if taken.isdisjoint(range(mask.start, mask.end)):
            taken.update(range(mask.start, mask.end))
            result.append(mask)
    return sorted(result, key=lambda mask: mask.start)
