"""What a reader should know of the masks themselves: that some overlap, and that some write what they should hide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.errors import Problem
from showthrough.data.documents import Corpus
from showthrough.data.layout.coverage import Coverage
from showthrough.data.masks import Anonymization
from showthrough.data.text_anonymizations import Rewriting
from showthrough.metrics import READS_RELEASE, Metric
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.matching.entities import HowRead, readable_elsewhere
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.dictionary import WORDFREQ
from showthrough.models.lexicon import ALWAYS, DEFAULT_LEXICON, LEXICONS, NONE, lexicon_of

_LOOKED_AT = 1_000  # documents, about


class MaskNoticeCounts(NamedTuple):
    """Of one anonymization, on some documents."""

    masks: int = 0
    overlaps: int = 0  # pairs of masks
    telling: int = 0  # masks that write a word of the original
    elsewhere: int = 0  # direct identifiers that are hidden where they are marked, and can be read all the same
    documents: int = 0  # in which they can
    looked: int = 0  # documents in which they were looked for
    passed: int = 0  # and in which they were not

    @classmethod
    def of(cls, coverage: Coverage, aside: frozenset[str]) -> MaskNoticeCounts:
        """Counts what its masks do; the words `aside` tell nothing."""
        start, end, _ = coverage.each
        # Of all masks those that begin before a mask ends, less those that end before it begins; each finds itself.
        met = np.searchsorted(start, end, side="left") - np.searchsorted(np.sort(end), start, side="right")
        text, disclosures = coverage.axis.text, coverage.disclosures
        spans = zip(disclosures.start.tolist(), disclosures.end.tolist(), disclosures.mask.tolist(), strict=True)
        telling = {mask for low, high, mask in spans if _tells(text[low:high], aside)}
        # A name made of function words that is written again tells as well.
        words = np.bincount(coverage.tokens.origin, minlength=len(coverage.start))
        again = np.bincount(disclosures.mask, minlength=len(coverage.start))
        telling |= set(np.flatnonzero((words > 0) & (again >= words)).tolist())
        return cls(len(start), int(met.sum() - len(start)) // 2, len(telling))

    def with_elsewhere(self, anonymized: Anonymized, how: HowRead) -> MaskNoticeCounts:
        """The same, with the direct identifiers that can be read elsewhere."""
        readable = readable_elsewhere(anonymized, how)
        looked = sum(how.looks_at(document.id) for document in anonymized.chunk.corpus)  # its ids would need a survey
        passed = len(anonymized.chunk.corpus) - looked
        return self._replace(
            elsewhere=int(readable.sum()), documents=int((readable > 0).sum()), looked=looked, passed=passed
        )

    @classmethod
    def combine(cls, parts: Iterable[MaskNoticeCounts]) -> MaskNoticeCounts:
        """Those of several chunks together."""
        return cls(*map(sum, zip(cls(), *parts, strict=True)))


def _tells(word: str, aside: frozenset[str]) -> bool:
    return word.lower() not in aside and any(map(str.isalnum, word))


def tells_of_masks(anonymization: Anonymization) -> bool:
    """Whether what its masks write is worth a word: what was written anew keeps words of its original on purpose."""
    return bool(anonymization.masks) and not isinstance(anonymization, Rewriting)


def mask_counts(
    corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]
) -> dict[str, MaskNoticeCounts]:
    """What the masks of each anonymization do, where nothing else is asked of the documents."""
    aside, how = words_aside(metrics), read_elsewhere(metrics, len(corpus))
    parts: dict[str, list[MaskNoticeCounts]] = {anonymization.name: [] for anonymization in anonymizations}
    looked_at = [anonymization for anonymization in anonymizations if tells_of_masks(anonymization)]
    for numbers in corpus.chunks():
        chunk = Chunk(corpus.part(numbers))
        for system in looked_at:
            anonymized = Anonymized(chunk, system)
            counts = MaskNoticeCounts.of(anonymized.coverage, aside)
            parts[system.name].append(counts.with_elsewhere(anonymized, how) if how else counts)
        chunk.forget()
    return {name: MaskNoticeCounts.combine(counts) for name, counts in parts.items()}


def mask_notices(counts: Mapping[str, MaskNoticeCounts], metrics: Sequence[Metric]) -> list[str]:
    """How many masks overlap or repeat words, and what the metrics at hand make of it; without metrics, all would."""
    lines = []
    for name, count in counts.items():
        notices = (
            _overlap_notice(count.overlaps, metrics),
            _repeat_notice(count.telling, count.masks, metrics),
            _elsewhere(count, metrics),
        )
        lines += [str(Problem("", name, line)) for line in notices if line]
    return lines


def words_aside(metrics: Sequence[Metric]) -> frozenset[str]:
    """The words that the metrics leave aside; those of a tagger are not asked for here, its list is near enough."""
    name = next((metric.hiding_rule.function_words for metric in metrics if metric.hiding_rule), DEFAULT_LEXICON)
    return ALWAYS | LEXICONS.get(name, LEXICONS[DEFAULT_LEXICON] if ":" in name else frozenset())


def read_elsewhere(metrics: Sequence[Metric], documents: int) -> HowRead | None:
    """How direct identifiers are looked for outside their marks; None where a metric counts them, or none has marks.

    Of many documents about a thousand are looked at: who wants all of them counted has a metric for that.
    """
    if any(metric.reads_release for metric in metrics):
        return None
    if not any("gold" in metric.needs for metric in metrics):
        return None
    word_sources = _function_words(metrics)
    shipped = (name for name in word_sources if name in LEXICONS or name == NONE)  # a tagger is not asked for a note
    name = next(shipped, DEFAULT_LEXICON)
    language = next((language for language in CLOSED_CLASSES if lexicon_of(language) == name), "en")
    return HowRead(name, f"{WORDFREQ}{language}", min(1.0, _LOOKED_AT / max(documents, 1)))


def _function_words(metrics: Sequence[Metric]) -> list[str]:
    """What the metrics take for words that need not be masked, each source once."""
    return list(dict.fromkeys(metric.hiding_rule.function_words for metric in metrics if metric.hiding_rule))


def _overlap_notice(pairs: int, metrics: Sequence[Metric]) -> str:
    if not pairs or (metrics and not any(metric.parameters.get("overlaps") == "joined" for metric in metrics)):
        return ""
    statement = "1 pair of masks overlaps" if pairs == 1 else f"{pairs:,} pairs of masks overlap"
    return f'{statement}; what is masked twice counts once (precision(overlaps="each") counts as TAB\'s script does)'


def _elsewhere(count: MaskNoticeCounts, metrics: Sequence[Metric]) -> str:
    """Of several metrics one that asks for more words may call covered nothing of what this counts, so it says how."""
    how = read_elsewhere(metrics, count.looked)
    if not count.elsewhere or how is None:
        return ""
    statement = (
        "direct identifier is covered where it was marked to be masked"
        if count.elsewhere == 1
        else "direct identifiers are covered where they were marked to be masked"
    )
    if _function_words(metrics) not in ([], [how.function_words]):
        statement += f" (function words by {how.function_words} aside)"
    where = "1 document" if count.documents == 1 else f"{count.documents:,} documents"
    if count.passed:
        where += f", of {count.looked:,} looked at"
    return (
        f"{count.elsewhere:,} {statement} and can still be read elsewhere in the release of {where} "
        f"({READS_RELEASE} counts that)"
    )


def _repeat_notice(masks: int, total: int, metrics: Sequence[Metric]) -> str:
    if not masks:
        return ""
    statement = f"{masks:,} of {total:,} masks {'repeats' if masks == 1 else 'repeat'} words of the original"
    chosen = [metric.hiding_rule.replacements for metric in metrics if metric.hiding_rule]
    if metrics and not chosen:
        blind = any(metric.spans_and_types for metric in metrics)
        return f"{statement}; metrics over spans (phi_…) count these as hidden" if blind else statement
    if metrics and "read" not in chosen:
        return f'{statement}; replacements="trusted" counts them as hidden'
    return f"{statement}; these count as readable"
