"""What a reader should know of the masks themselves: that some overlap, and that some write what they should hide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.axis import Axis
from showthrough.coverage import Coverage
from showthrough.errors import Problem
from showthrough.masks import Anonymization
from showthrough.metrics import Metric
from showthrough.metrics.masking import DEFAULT_LEXICON
from showthrough.resources import FUNCTION_WORDS
from showthrough.resources.lexicon import ALWAYS, LEXICONS
from showthrough.text import Corpus


@dataclass
class _Count:
    """Of one anonymization."""

    masks: int = 0
    overlaps: int = 0  # pairs of masks
    telling: int = 0  # masks that write a word of the original

    def add(self, coverage: Coverage, aside: frozenset[str]) -> None:
        start, end, _ = coverage.each
        self.masks += len(start)
        # Of all masks those that begin before a mask ends, less those that end before it begins; each finds itself.
        met = np.searchsorted(start, end, side="left") - np.searchsorted(np.sort(end), start, side="right")
        self.overlaps += int(met.sum() - len(start)) // 2
        text, given = coverage.axis.text, coverage.given
        spans = zip(given.start.tolist(), given.end.tolist(), given.mask.tolist(), strict=True)
        self.telling += len({mask for low, high, mask in spans if _tells(text[low:high], aside)})


def _tells(word: str, aside: frozenset[str]) -> bool:
    return word.lower() not in aside and any(map(str.isalnum, word))


def mask_notices(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """How many masks overlap or repeat words, and what the metrics at hand make of it; without metrics, all would."""
    counts = [_Count() for _ in anonymizations]
    aside = _function_words(metrics)
    for numbers in corpus.chunks():
        axis = Axis(corpus.part(numbers))
        for count, one in zip(counts, anonymizations, strict=True):
            count.add(Coverage(axis, one), aside)
    lines = []
    for count, one in zip(counts, anonymizations, strict=True):
        found = (_overlapping(count.overlaps, metrics), _telling(count.telling, count.masks, metrics))
        lines += [str(Problem("", one.name, line)) for line in found if line]
    return lines


def _function_words(metrics: Sequence[Metric]) -> frozenset[str]:
    """The words that the metrics leave aside; those of a tagger are not asked for here, its list is near enough."""
    name = next(iter(_choices(metrics, FUNCTION_WORDS)), DEFAULT_LEXICON)
    return ALWAYS | LEXICONS.get(name, LEXICONS[DEFAULT_LEXICON] if ":" in name else frozenset())


def _choices(metrics: Sequence[Metric], parameter: str) -> list[str]:
    return [metric.parameters[parameter] for metric in metrics if parameter in metric.parameters]


def _overlapping(pairs: int, metrics: Sequence[Metric]) -> str:
    if not pairs or (metrics and "joined" not in _choices(metrics, "overlaps")):
        return ""
    what = "1 pair of masks overlaps" if pairs == 1 else f"{pairs:,} pairs of masks overlap"
    return f'{what}; what is masked twice counts once (precision(overlaps="each") counts as TAB\'s script does)'


def _telling(masks: int, total: int, metrics: Sequence[Metric]) -> str:
    if not masks:
        return ""
    write = "writes" if masks == 1 else "write"
    what = f"{masks:,} of {total:,} masks {write} words of the original into the replacement (function words aside)"
    chosen = _choices(metrics, "replacements")
    if metrics and not chosen:
        return what
    if metrics and "read" not in chosen:
        return f'{what}; replacements="trusted" counts them as hidden'
    return f"{what}; entity recall and recall count these words as readable"
