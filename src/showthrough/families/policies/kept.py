"""Whether a release keeps a policy: of all that a rule is about, the share that is released as the rule allows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import shorten
from showthrough.data.documents import Corpus
from showthrough.data.labels import Labels
from showthrough.data.types import VERSION
from showthrough.families.policies.leaving import shows_piece, without_labels
from showthrough.families.policies.policy import Policy, Rule, Way
from showthrough.families.reconstruction.slots import way_of
from showthrough.metrics.base import HEADLINE, FunctionWordsMetric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.matching.entities import NEARLY, EntitySearch, HowRead, Readable
from showthrough.metrics.matching.forms import form_of
from showthrough.metrics.matching.search import releases_of
from showthrough.metrics.released_text import ReleasedText
from showthrough.models import Resources
from showthrough.models.lexicon import DEFAULT_LEXICON
from showthrough.statistics.rows import Rows, Totals

POLICY = "policy"
KEPT, JUDGED, BROKEN = "kept", "judged", "broken"
SHOWS, ELSEWHERE, CHANGED = "still shows", "shows elsewhere", "was masked"
_MOST_PLACES = 20  # of a document that are kept as evidence
_WAY: Mapping[str, Way] = {
    "suppressed": "suppress", "labelled": "label", "numbered": "label", "surrogate": "surrogate",
    "generalized": "generalize",
}  # fmt: skip


class Judged(NamedTuple):
    """A mention that a rule is about."""

    document: int
    start: int  # in its document
    end: int
    rule: Rule
    entity: int
    asked: int  # its place among the mentions that the search asks for; -1 where it has to stay
    direct: bool
    entity_type: str


@dataclass(frozen=True)
class PolicyKept(FunctionWordsMetric):
    """Share of what the rules of a policy are about that is released as they allow.

    `--policy` names the policy. A mention that must be masked keeps its rule when nothing of it can be read where it
    was marked but what the rule leaves (a year, say), no form of it appears anywhere else in the release, and what
    stands in its place is of a way that the rule allows. A mention that has to stay keeps its rule when nothing of it
    is masked. Parts are the rules.

    kept = |{m : m is released as its rule allows}| / |{m : a rule is about m}|

    >>> from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
    >>> marks = (Mention(0, 3, "PERSON"), Mention(9, 22, "DATE"), Mention(24, 26, "AGE"))
    >>> corpus = Corpus([Document("d", "Doe left 12 March 2019, 45.", (Annotation("a", marks),))])
    >>> masks = {"days": Anonymization({"d": [Mask(0, 3), Mask(9, 11, "**")]})}
    >>> run = evaluate(corpus, masks, metrics=["policy"], policy="hipaa-safe-harbor")
    >>> run["days", "policy"].value, run["days", "policy", "kept:(C) dates finer than a year, ages over 89"].value
    (0.5, 0.0)
    """

    group = "privacy"
    title = "Identifiers that keep the policy"
    needs = frozenset({"gold", POLICY})
    undefined: ClassVar[str] = "nothing is marked that a rule of the policy is about"
    fixed = (("annotators", "micro"), ("kinds", str(VERSION)))
    counts = ((KEPT, "right"), (JUDGED, "all"))
    dictionaries: ClassVar[tuple[str, ...]] = ("dictionary",)

    function_words: str = parameter(DEFAULT_LEXICON, "what need not be masked where it was marked: a word list")
    dictionary: str = parameter("wordfreq:en", "ordinary words, in small letters: wordfreq:LANGUAGE, or a file of them")

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        policy: Policy = chunk.resources.inputs[POLICY]
        # As the policy takes the documents, whatever the evaluation was told of types.
        own = Chunk(Corpus(list(map(policy, chunk.corpus))), chunk.resources, chunk.types)
        how = HowRead(self.function_words, self.dictionary)
        search = EntitySearch(own, how)
        judged = list(_mentions(policy, search))
        labels = Labels(chunk.types)

        def rows(anonymized: Anonymized) -> Rows:
            verdicts = _Verdicts(search, Anonymized(own, anonymized.anonymization), labels, self.dictionary)
            faults = [(mention, verdicts.fault(mention)) for mention in judged]
            document = np.array([mention.document for mention in judged], dtype=np.int64)
            broken = np.array([bool(fault) for _, fault in faults], dtype=bool)
            columns: dict[str, Floats] = {
                JUDGED: own.axis.by_document(document),
                KEPT: own.axis.by_document(document, ~broken),
            }
            for rule in policy.rules:
                mine = np.array([mention.rule is rule for mention in judged], dtype=bool)
                columns[f"{JUDGED}:{rule.label}"] = own.axis.by_document(document, mine)
                columns[f"{BROKEN}:{rule.label}"] = own.axis.by_document(document, mine & broken)
            return replace(Rows.named(columns, len(own.corpus)), evidence=verdicts.evidence(faults))

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        labels = [column.partition(":")[2] for column in totals if column.startswith(f"{JUDGED}:")]
        parts = {
            f"{KEPT}:{label}": 1 - ratio(totals[f"{BROKEN}:{label}"], totals[f"{JUDGED}:{label}"]) for label in labels
        }
        return {HEADLINE: ratio(totals[KEPT], totals[JUDGED]), **parts}

    def why_undefined(self, part: str, totals: Totals) -> str:
        return "nothing is marked that this rule is about" if part else self.undefined

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        """What no number says: rules about which nothing is marked, what no text shows, and what is not covered."""
        policy: Policy = resources.inputs[POLICY]
        totals = next((rows.totals() for rows in tables.values()), {})
        empty = [rule.id for rule in policy.rules if not np.any(totals.get(f"{JUDGED}:{rule.label}", 0))]
        lines = [f"policy {policy.name}: {policy.title} ({policy.source})"]
        if empty:
            lines.append(f"policy {policy.name}: not judged, since nothing is marked for it: {', '.join(empty)}")
        beyond = [f"{rule.label} ({rule.not_judged})" for rule in policy.rules if rule.not_judged]
        if beyond:
            lines.append(f"policy {policy.name}: cannot be judged from text: {'; '.join(beyond)}")
        if policy.not_covered:
            lines.append(f"policy {policy.name} does not cover: {'; '.join(policy.not_covered)}")
        return lines


def _mentions(policy: Policy, search: EntitySearch) -> Iterator[Judged]:
    """All mentions that a rule judges: those that must be masked, and those that have to stay."""
    gold, axis = search.gold, search.chunk.axis
    numbers = {mention: number for number, mention in enumerate(search.asked.tolist())}
    marks = (mark for layer in axis.layers.mentions for mark in layer)
    rows = zip(marks, gold.entity_document[gold.entity].tolist(), gold.entity.tolist(), strict=True)
    for number, (mark, document_index, entity) in enumerate(rows):
        rule = policy.rule_of(mark.entity_type, mark.identifier)
        if rule is not None and (number in numbers if rule.tier == "must" else rule.tier == "keep"):
            direct = mark.identifier == "DIRECT"
            yield Judged(
                document_index, mark.start, mark.end, rule, entity, numbers.get(number, -1), direct, mark.entity_type
            )


class _Verdicts:
    """What one anonymization does with mentions that rules are about."""

    def __init__(self, search: EntitySearch, anonymized: Anonymized, labels: Labels, dictionary: str) -> None:
        self._search, self._anonymized, self._labels, self._dictionary = search, anonymized, labels, dictionary
        self._documents = search.chunk.axis.documents
        self._covered = anonymized.coverage.is_covered(search.mentions, search.span_index, "read").tolist()
        self._readable: Readable = search.find_readable(anonymized)
        self._ways = self._readable.ways.tolist()
        self._released: dict[int, ReleasedText] = {}
        self._releases: dict[int, Any] = {}

    def fault(self, mention: Judged) -> str:
        """Why a mention breaks its rule; empty where it keeps it."""
        released, rule = self._release(mention), mention.rule
        original = released.original_text[mention.start : mention.end]
        low, high = place_of(released, mention.start, mention.end)
        shown = released.text[low:high]
        if rule.tier == "keep":
            return "" if _same(original, shown) else CHANGED
        # A month in another notation repeats no word, so of dates and ages what is written decides.
        leavings = rule.leavings(mention.entity_type)
        decided = any(leaving.decides for leaving in leavings)
        hidden = self._covered[mention.asked] and not decided and not shows_piece(original, shown)
        left = _unmasked(released, mention.start, mention.end)
        if _same(original, shown) or not (hidden or any(leaving.within(original, shown, left) for leaving in leavings)):
            return SHOWS
        if self._ways[mention.entity] > 1 or (self._ways[mention.entity] and self._is_elsewhere(mention, original)):
            return ELSEWHERE
        way = _WAY[way_of(shown, original, self._labels)[0]]
        if way == "surrogate" and rule.leaves(without_labels(shown), mention.entity_type):
            way = "generalize"
        return "" if way in rule.ways else f"is replaced in the way {way} (allowed: {', '.join(rule.ways)})"

    def _is_elsewhere(self, mention: Judged, original: str) -> bool:
        """Whether a whole mention can be read in the release, where its entity is left in part where it was marked."""
        index = mention.document
        if index not in self._releases:
            self._releases |= dict(releases_of(self._anonymized, self._dictionary, [index]))
        form = form_of(original, mention.entity_type, mention.direct, self._search.vocabulary)
        return form.is_searchable and self._releases[index].reads(form)

    def _release(self, mention: Judged) -> ReleasedText:
        if mention.document not in self._released:
            document = self._documents[mention.document]
            masks = self._anonymized.coverage.of_documents[mention.document]
            self._released[mention.document] = ReleasedText.of(document.text, masks)
        return self._released[mention.document]

    def evidence(self, faults: Sequence[tuple[Judged, str]]) -> dict[str, dict[str, Any]]:
        """The first leaks of each document, with the rule that each breaks."""
        places: dict[str, list[dict[str, Any]]] = {}
        for mention, fault in faults:
            document = self._documents[mention.document]
            listed = places.setdefault(document.id, []) if fault else []
            if fault and len(listed) < _MOST_PLACES:
                listed.append(self._place(mention, fault))
        return {document_id: {"places": listed} for document_id, listed in places.items()}

    def _place(self, mention: Judged, fault: str) -> dict[str, Any]:
        released = self._release(mention)
        span = (mention.start, mention.end)
        start, end = place_of(released, *span)
        text = released.text[start:end]
        if fault == ELSEWHERE:
            evidence = self._readable.evidence.get(self._documents[mention.document].id, [])
            hits = [row for _, row in evidence if span in row["marked"] and row["how"] != NEARLY]
            start, end = next(((row["start"], row["end"]) for row in hits), (0, 0))
            text = next((row["text"] for row in hits), released.original_text[slice(*span)])
        return {
            "entity_type": mention.entity_type,
            "start": start,
            "end": end,
            "line": released.text.count("\n", 0, start) + 1,
            "original": span,
            "text": shorten(text),
            "how": f"{mention.rule.label}: {fault}",
            "marked": [span],
        }


def place_of(released: ReleasedText, start: int, end: int) -> tuple[int, int]:
    """Where a release shows a span of the original, with all that masks write that overlap it.

    >>> from showthrough import Mask
    >>> released = ReleasedText.of("Mr John Doe of Oslo", [Mask(3, 11, "NAME"), Mask(12, 14)])
    >>> [place_of(released, *span) for span in ((0, 2), (3, 7), (8, 11), (15, 19))]
    [(0, 2), (3, 7), (3, 7), (9, 13)]
    """
    masks, starts = released.masks, released.starts
    ends = [mask.end for mask in masks]
    number = bisect_right(ends, start)  # the first mask that ends behind the start
    before = masks[number - 1] if number else None
    low = start if before is None else starts[number - 1] + len(before.replacement or "") + start - before.end
    if number < len(masks) and masks[number].start < start:
        low = starts[number]
    last = bisect_left([mask.start for mask in masks], end) - 1  # the last mask that begins before the end
    if last < 0:
        return low, end
    written = starts[last] + len(masks[last].replacement or "")
    return low, max(low, written + max(0, end - masks[last].end))


def _unmasked(released: ReleasedText, start: int, end: int) -> str:
    """What of a span of the original no mask covers, in pieces."""
    pieces = []
    for mask in released.masks:
        if start < mask.end and mask.start < end:
            pieces.append(released.original_text[start : max(start, mask.start)])
            start = mask.end
    return " ".join([*pieces, released.original_text[start:end]])


def _same(original: str, shown: str) -> bool:
    return original.split() == shown.split()
