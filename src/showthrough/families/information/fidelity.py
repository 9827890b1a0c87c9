"""Whether surrogates make sense: of the right kind, the same for one person, dates in order, numbers that check."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import call_text, parameter
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.labels import Labels
from showthrough.data.references import ORIGINALS, REFERENCES
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.information._fidelity_rules import (
    NOT_ASKED,
    RIGHT,
    RULES,
    UNKNOWN,
    WRONG,
    Verdict,
    judge_alone,
    judge_dates,
    judge_identity,
    judge_new,
    judge_relations,
    plausibility,
)
from showthrough.families.information._surrogates import SurrogatePair, day_comes_first, surrogates_of
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL
from showthrough.models.dictionary import dictionary_from
from showthrough.statistics.rows import Rows, Totals

UNJUDGED, JUDGE, SHARE, ORIGINAL = "unjudged", "judge", "surrogates", "plausible-original"  # parts
_MASKS, _SURROGATES, _JUDGED, _FAULTLESS = "masks", "surrogates", "judged", "faultless"  # columns
_ASKED, _SAID, _RIGHT = "asked:", "said:", "right:"  # columns by rule
_ACROSS = ("one", "two", "relations")  # rules that compare surrogates of one text, or of several
_MOST = 50  # faults of a document that are kept as evidence


@dataclass(frozen=True)
class Fidelity(Metric):
    """Share of the surrogates in which no rule finds a fault.

    A surrogate is a replacement that stands for another person, place, date or number. Labels, numbers of labels, wider
    terms, descriptions and empty replacements are none; a release without surrogates has no value.

    Each rule is a part. The kind is kept (`type`), and so are `gender` and `number` where the language shows them. One
    person has one name (`one`) and two have two (`two`); people who share a surname, and places that share a town,
    still do (`relations`). Dates keep their `order` and `distances`. Forms are kept (`format`), and check digits are
    valid (`digits`). A name is neither unheard-of nor famous (`plausible`), and is not somebody else's original
    (`new`). `unjudged:RULE` is the share of what a rule asks about that it cannot judge.

    fidelity = |{s : some rule judges s, and none finds a fault}| / |{s : some rule judges s}|

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "Mrs Anna Doe, born 5 May 1970, died 9 May 2019.")])
    >>> masks = [Mask(4, 12, "John Smith"), Mask(19, 29, "1 June 1971"), Mask(36, 46, "2 June 2019")]
    >>> run = evaluate(corpus, {"x": Anonymization({"a": masks})}, metrics=["fidelity"])
    >>> [run["x", "fidelity", part].value for part in ("gender", "order", "distances")]
    [0.0, 1.0, 0.0]
    >>> run["x", "fidelity"].value  # the name has a fault, and the second date
    0.3333333333333333
    """

    group = "utility"
    scope = "corpus"
    title = "Surrogates without a fault"
    tells = "whether surrogates make sense"
    neutral = (UNJUDGED, SHARE, ORIGINAL, *(f"{UNJUDGED}:{rule}" for rule in (*RULES, JUDGE)))
    undefined = "no mask writes a surrogate: labels, wider terms, descriptions and empty replacements are none"
    dictionaries = ("dictionary",)

    within: Literal["document", "group", "corpus"] = parameter(
        "document", "where one person has one name: in a document, in those of a group, or everywhere"
    )
    dictionary: str = parameter("wordfreq:en", "words that people write: wordfreq:LANGUAGE, or a file of them")
    judge: str = parameter("", f"who judges each surrogate as well: {MODEL}MODEL[@URL]")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judge and (not self.judge.startswith(MODEL) or self.judge == MODEL):
            raise PlanError(f"judge: found {quote_value(self.judge)}; expected {MODEL}MODEL[@URL]", type(self).__name__)

    @property
    def asks(self) -> tuple[str, ...]:
        return (self.judge,) if self.judge else ()

    def shows(self, name: str) -> tuple[str, ...]:
        return (ORIGINALS,)

    def interval_fault(self, part: str) -> str:
        return self.test_fault(part)

    def test_fault(self, part: str) -> str:
        rule = part.removeprefix(f"{UNJUDGED}:")
        if self.within != "corpus" or rule not in ("", UNJUDGED, *_ACROSS):
            return ""
        return "names are compared across documents, so documents cannot be resampled one by one"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        corpus, labels = chunk.corpus, Labels(chunk.types)
        dictionary_from(self.dictionary)  # raises for a list that there is not, also where no name is looked up

        def rows(anonymized: Anonymized) -> Rows:
            read = [surrogates_of(document, anonymized.of(document.id), labels) for document in corpus]
            if isinstance(anonymized.anonymization, Rewriting):  # passages that were written anew are no surrogates
                read = [([], masks) for _, masks in read]
            pairs = [pair for own, _ in read for pair in own]
            owners = [number for number, (own, _) in enumerate(read) for _ in own]
            verdicts = self._verdicts(corpus, pairs, owners)
            if self.judge:
                from showthrough.families.information._fidelity_judge import ask_judge

                with_pairs = [(document, own) for document, (own, _) in zip(corpus, read, strict=True)]
                verdicts[JUDGE] = ask_judge(chunk.resources.chat(self.judge), anonymized.name, with_pairs)
            columns = {_MASKS: [masks for _, masks in read]} | _count(len(read), owners, verdicts)
            return replace(Rows.named(columns), evidence=_list_faults(corpus.ids, pairs, owners, verdicts))

        return rows

    def _verdicts(
        self, corpus: Corpus, pairs: Sequence[SurrogatePair], owners: Sequence[int]
    ) -> dict[str, list[Verdict]]:
        """Of each rule, what it says of all surrogates; `place` is the number of the document of each."""
        verdicts: dict[str, list[Verdict]] = {rule: [NOT_ASKED] * len(pairs) for rule in RULES}

        def put(numbers: Sequence[int], answers: Mapping[str, Sequence[Verdict]]) -> None:
            for rule, own in answers.items():
                for number, verdict in zip(numbers, own, strict=True):
                    verdicts[rule][number] = verdict

        for number, pair in enumerate(pairs):
            put([number], {rule: [verdict] for rule, verdict in judge_alone(pair, self.dictionary).items()})
        verdicts[ORIGINAL] = [plausibility(pair.hidden, pair.kind, self.dictionary) for pair in pairs]
        originals = {(pair.kind, pair.key) for pair in pairs}
        verdicts["new"] = [judge_new(pair, originals) for pair in pairs]
        dates = [pair for pair in pairs if pair.kind == "date"]
        day_first = day_comes_first(pair.hidden for pair in dates)
        if day_first is None:
            day_first = day_comes_first(pair.written for pair in dates)
        for numbers in _together(owners):
            put(numbers, judge_dates([pairs[number] for number in numbers], day_first))
        for numbers in self._read_together(corpus, owners):
            own = [pairs[number] for number in numbers]
            put(numbers, judge_identity(own) | {"relations": judge_relations(own, self.dictionary)})
        return verdicts

    def _read_together(self, corpus: Corpus, owners: Sequence[int]) -> Iterable[list[int]]:
        """The numbers of surrogates that are compared with each other, of several documents in the order of the ids."""
        if self.within == "document":
            return _together(owners)
        groups = {number: corpus.documents[number].group for number in set(owners)} if self.within == "group" else {}
        lists = sorted(_together(owners), key=lambda numbers: corpus.ids[owners[numbers[0]]])
        keys = [groups.get(owners[numbers[0]], "all") or owners[numbers[0]] for numbers in lists for _ in numbers]
        order = [number for numbers in lists for number in numbers]
        return [[order[at] for at in numbers] for numbers in _together(keys)]

    def combine(self, totals: Totals) -> dict[str, Floats]:
        surrogates = totals[_SURROGATES]
        parts: dict[str, Floats] = {
            HEADLINE: ratio(totals[_FAULTLESS], totals[_JUDGED]),
            UNJUDGED: ratio(surrogates - totals[_JUDGED], surrogates),
            SHARE: ratio(surrogates, totals[_MASKS]),
        }
        for rule in (*RULES, ORIGINAL, *([JUDGE] if f"{_ASKED}{JUDGE}" in totals else [])):
            pairs, right = totals[f"{_ASKED}{rule}"], totals[f"{_SAID}{rule}"]
            parts[rule] = ratio(totals[f"{_RIGHT}{rule}"], right)
            if rule != ORIGINAL:
                parts[f"{UNJUDGED}:{rule}"] = ratio(pairs - right, pairs)
        return parts

    def why_undefined(self, part: str, totals: Totals) -> str:
        if part == SHARE:
            return "there are no masks"
        rule = part.removeprefix(f"{UNJUDGED}:")
        if not totals[_SURROGATES]:
            return self.undefined
        if rule in (HEADLINE, UNJUDGED):
            return "no rule can judge any of the surrogates"
        pairs = totals.get(f"{_ASKED}{rule}", 0)
        return (
            "no surrogate that this rule asks about can be judged"
            if pairs
            else "this rule asks about no surrogate here"
        )

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        own = call_text("fidelity", self, Fidelity())
        sentences = []
        for name, rows in tables.items():
            totals = rows.totals() if name not in REFERENCES and len(rows) else {}
            if totals and totals[_SURROGATES]:
                left = totals[_SURROGATES] - totals[_JUDGED]
                open_ones = (
                    f"no rule can judge {left:,.0f} of them, and they do not count" if left else "rules judge all"
                )
                sentences.append(
                    f"{own}: {shorten(name)} writes {totals[_SURROGATES]:,.0f} surrogates in {totals[_MASKS]:,.0f} "
                    f"masks; {open_ones}"
                )
        return sentences


def _together(keys: Sequence[Hashable]) -> list[list[int]]:
    """The numbers of equal keys, in their order."""
    numbers: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        numbers.setdefault(key, []).append(number)
    return list(numbers.values())


def _count(documents: int, owners: Sequence[int], verdicts: Mapping[str, Sequence[Verdict]]) -> dict[str, ArrayLike]:
    """Columns of rows. What the judge says is no part of the headline."""

    def by(flags: ArrayLike) -> Floats:
        weights = np.asarray(flags, dtype=np.float64)
        return np.bincount(np.array(owners, dtype=np.int64), weights, documents).astype(np.float64)

    codes = {rule: np.array(own, dtype=np.int64) for rule, own in verdicts.items()}
    every = np.stack([codes[rule] for rule in RULES])
    judged, wrong = (every >= WRONG).any(axis=0), (every == WRONG).any(axis=0)
    columns: dict[str, ArrayLike] = {
        _SURROGATES: by(np.ones(len(owners))), _JUDGED: by(judged), _FAULTLESS: by(judged & ~wrong),
    }  # fmt: skip
    for rule, own in codes.items():
        flags = {_ASKED: own >= UNKNOWN, _SAID: own >= WRONG, _RIGHT: own == RIGHT}
        columns |= {f"{column}{rule}": by(values) for column, values in flags.items()}
    return columns


def _list_faults(
    ids: Sequence[str],
    pairs: Sequence[SurrogatePair],
    owners: Sequence[int],
    verdicts: Mapping[str, Sequence[Verdict]],
) -> dict[str, dict[str, Any]]:
    """By document the surrogates that break a rule, and which."""
    faults: dict[str, list[dict[str, Any]]] = {}
    for number, pair in enumerate(pairs):
        texts = {"original": shorten(pair.hidden), "surrogate": shorten(pair.written)}
        for rule in (*RULES, JUDGE):
            if rule in verdicts and verdicts[rule][number] == WRONG:
                fault = {"rule": rule, "start": pair.start, "end": pair.end, **texts}
                faults.setdefault(ids[owners[number]], []).append(fault)
    return {key: {"surrogates": own[:_MOST]} for key, own in faults.items()}
