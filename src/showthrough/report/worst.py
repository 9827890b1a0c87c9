"""One sentence of a release in which somebody can be read or recognised: what a number means to a person."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from showthrough.data.documents import Document
from showthrough.data.masks import Mask, apply_masks, flatten_masks
from showthrough.metrics.matching.entities import NEARLY
from showthrough.report.wording import type_words
from showthrough.run.documents import RunTexts
from showthrough.run.gate.checks import EvidenceCheck
from showthrough.run.gate.state import Decision
from showthrough.run.roles import choose_metric, find_metrics, goes_first, headline, leaks
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.studies.failures import PARTLY, FailureAnalysis

_BEFORE, _AFTER = 90, 110  # characters of a sentence that it shows at most
_GAP = "▁▁▁"  # where something was taken out and nothing stands
_TELLING = 4  # letters of a word that tells a reader something
_LONGEST = 80  # of what is marked
_END = re.compile(r"[.!?]\s+|[\r\n]+")
_WAYS: Mapping[str, str] = {
    "elsewhere": "in another place than it was marked", "otherwise": "written in another way", "encoded": "encoded",
}  # fmt: skip


@dataclass(frozen=True)
class Example:
    """Pieces of a sentence, each with whether it is what gives somebody away; and where it is."""

    document: str
    at: int  # where in the original
    pieces: Sequence[tuple[str, bool]]
    what: str  # `names (PERSON)`
    how: str = ""


def worst_example(run: Run, name: str, analysis: FailureAnalysis | None, *, attacked: bool = True) -> Example | None:
    """The worst there is: a readable direct identifier, else words by which an attack found somebody, else the rest.

    Not `attacked` leaves the words out: an attack that finds few may have guessed them. `None` where nothing of that
    kind is known, and of a run without text.
    """
    texts = run.texts
    if texts is None or analysis is None or run.provenance.get(WITHOUT_TEXT) or not run.complete:
        return None
    ways = (
        _marked(texts, name, analysis, direct=True), _elsewhere(run, texts, name, "direct identifiers"),
        _recognised(run, texts, name) if attacked else iter(()), _marked(texts, name, analysis, direct=False),
        _elsewhere(run, texts, name, "quasi-identifiers"),
    )  # fmt: skip
    return next((example for way in ways for example in way), None)


def describe_absence(
    run: Run, decision: Decision, analysis: FailureAnalysis | None, people: str = ""
) -> tuple[str, str]:
    """A heading and a sentence for a release of which no sentence is shown: why there is none.

    `people` says how many an attack found all the same; empty: none. That nothing can be read is only said where
    every marked identifier was looked for.
    """
    records = [choose_metric(run, role) for role in ("direct identifiers", "quasi-identifiers")]
    counted = [record for record in records if headline(run, decision.candidate, record)]
    if not counted:
        return (
            "No identifier was marked and counted",
            "So nobody can say which sentence of the release is the worst.",
        )
    checks = decision.checks.checks if decision.checks else []
    reasons = [item.said for item in checks if isinstance(item, EvidenceCheck) and item.about in ("nearly", "others")]
    left = any(leaks(run, record, decision.candidate).total for record in counted if record)
    if reasons or left or analysis is None or not run.complete:
        return "No sentence of the release to show", " ".join(
            reasons
        ) or "The banner and the numbers say what is known."
    attacked = f" An attack found {people} people, perhaps by guessing, so nobody is shown." if people else ""
    return (
        "No marked identifier can be read in this release",
        f"Nobody looked for what annotators did not mark.{attacked}",
    )


def _marked(texts: RunTexts, name: str, analysis: FailureAnalysis, *, direct: bool) -> Iterator[Example]:
    """In the document in which most of that kind can be read, the mention of which most can be."""
    counts = analysis.leaks[:, 0 if direct else 1]
    if not len(counts) or not counts.any():
        return
    number = int(counts.argmax())
    first = sum(len(layer.mentions) for document in texts.documents[:number] for layer in document.annotations)
    document = texts.documents[number]
    level = "DIRECT" if direct else "QUASI"
    mentions = [mark for layer in document.annotations for mark in layer.mentions]
    left = [
        (int(outcome), mark.start, mark)
        for outcome, mark in zip(analysis.outcome[first : first + len(mentions)], mentions, strict=True)
        if outcome <= PARTLY and mark.identifier == level
    ]
    if left:
        _, _, mark = min(left, key=lambda entry: entry[:2])
        released = Released(document.text, texts.masks[name][number])
        start, end = released.offset_of(mark.start), released.offset_of(mark.end)
        kind = "direct identifier" if direct else "indirect identifier"
        yield Example(
            document.id, mark.start, _sentence(released, [(start, end)]), f"{kind}: {type_words(mark.entity_type)}"
        )


class Released:
    """A released text. What was taken out and replaced by nothing is a gap that readers can see."""

    def __init__(self, text: str, masks: Sequence[Mask]) -> None:
        flat = flatten_masks(masks)
        self.text = apply_masks(text, flat)
        self._masks = flat
        self._gaps: list[int] = []
        shift = 0
        for mask in flat:
            if not mask.replacement:
                self._gaps.append(mask.start + shift)
            shift += len(mask.replacement or "") - (mask.end - mask.start)

    def offset_of(self, original: int) -> int:
        """Where a place of the original is; inside a mask, where what replaces it ends."""
        moved = original
        for mask in self._masks:
            if mask.start >= original:
                break
            moved += len(mask.replacement or "") - (min(mask.end, original) - mask.start)
        return moved

    def cut(self, start: int, end: int) -> str:
        """A stretch with its gaps."""
        pieces, at = [], start
        for gap in self._gaps[bisect_left(self._gaps, start) : bisect_left(self._gaps, end)]:
            pieces += [self.text[at:gap], _GAP]
            at = gap
        return "".join([*pieces, self.text[at:end]])


def _elsewhere(run: Run, texts: RunTexts, name: str, role: str) -> Iterator[Example]:
    record = choose_metric(run, role)  # type: ignore[arg-type] # one of two that are given here
    if record is None or not goes_first(record):
        return
    finds = run.evidence.get(record.text, {}).get(name, {})
    for number, document in enumerate(texts.documents):
        for span in finds[document.id].places if document.id in finds else ():
            if span.how != NEARLY and span.end > span.start:
                released = Released(document.text, texts.masks[name][number])
                kind = "direct identifier" if role == "direct identifiers" else "indirect identifier"
                what = f"{kind}: {type_words(span.entity_type)}"
                pieces = _sentence(released, [(span.start, span.end)])
                yield Example(document.id, span.original[0], pieces, what, _WAYS.get(span.how, ""))
                return


def _recognised(run: Run, texts: RunTexts, name: str) -> Iterator[Example]:
    """By which words an attack was surest of the right person, in the sentence that has most of them."""
    scored = [(score.value, record) for record in find_metrics(run, "attack") if (score := headline(run, name, record))]
    if not scored:
        return
    _, record = max(scored, key=lambda pair: pair[0] or 0.0)
    guesses = run.evidence.get(record.text, {}).get(name, {})
    by_id: dict[str, tuple[int, Document]] = {
        document.id: (at, document) for at, document in enumerate(texts.documents)
    }
    right = [
        (guess.margin or 0.0, key) for key, guess in guesses.items() if guess.rank == 1 and guess.words and key in by_id
    ]
    for _, key in sorted(right, key=lambda pair: (-pair[0], pair[1])):
        number, document = by_id[key]
        released = Released(document.text, texts.masks[name][number])
        words = [re.escape(word) for word, weight in guesses[key].words if weight > 0 and len(word) >= _TELLING]
        hits = (
            [match.span() for match in re.finditer(rf"\b(?:{'|'.join(words)})\b", released.text, re.IGNORECASE)]
            if words
            else []
        )
        if not hits:
            continue
        best = max(hits, key=lambda hit: (sum(abs(other[0] - hit[0]) < _AFTER for other in hits), -hit[0]))
        yield Example(key, 0, _sentence(released, hits, best), "words by which an attacker found the right person")
        return


def _sentence(
    released: Released, hits: Sequence[tuple[int, int]], around: tuple[int, int] | None = None
) -> list[tuple[str, bool]]:
    """The sentence of a place, in pieces; of a long one what is near."""
    text, (start, end) = released.text, around or hits[0]
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    opens = [match.end() for match in _END.finditer(before)]
    low = start - len(before) + (opens[-1] if opens else 0)
    closes = _END.search(after)
    high = end + (closes.start() + 1 if closes else len(after))
    pieces = [("…", not low or bool(opens))]
    at = low
    for left, right in sorted(hits):
        if at <= left and right <= high:
            pieces += [(released.cut(at, left), False), (_shortened(text[left:right]), True)]
            at = right
    pieces += [(released.cut(at, high).rstrip("\r\n"), False), ("…", closes is not None or high >= len(text))]
    first, *rest, last = pieces  # dots only where something is left out
    inner = [piece for piece in rest if piece[0]]
    return [*([] if first[1] else [("…", False)]), *inner, *([] if last[1] else [("…", False)])]


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … {text[-half:]}"
