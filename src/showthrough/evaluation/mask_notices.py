"""What a reader should know of the masks themselves: that some overlap, and that some write what they should hide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.axis.axis import Axis
from showthrough.axis.coverage import Coverage
from showthrough.axis.gold import DIRECT
from showthrough.data.documents import Corpus
from showthrough.data.held_texts import Rewriting
from showthrough.data.masks import Anonymization, apply_masks
from showthrough.errors import Problem
from showthrough.metrics import Metric
from showthrough.metrics.masking import DEFAULT_LEXICON
from showthrough.resources.lexicon import ALWAYS, LEXICONS

_LONG = 3  # letters and digits of a name that is looked for
_LONGEST = 200  # characters of one: what is longer is no name
_WORD = re.compile(r"\w+")


class MaskCounts(NamedTuple):
    """Of one anonymization, on some documents."""

    masks: int = 0
    overlaps: int = 0  # pairs of masks
    telling: int = 0  # masks that write a word of the original
    elsewhere: int = 0  # direct identifiers that are hidden where they are marked, and stand somewhere else
    documents: int = 0  # in which they do

    @classmethod
    def of(cls, coverage: Coverage, aside: frozenset[str]) -> MaskCounts:
        """Counts what its masks do; the words `aside` tell nothing."""
        start, end, _ = coverage.each
        # Of all masks those that begin before a mask ends, less those that end before it begins; each finds itself.
        met = np.searchsorted(start, end, side="left") - np.searchsorted(np.sort(end), start, side="right")
        text, given = coverage.axis.text, coverage.given
        spans = zip(given.start.tolist(), given.end.tolist(), given.mask.tolist(), strict=True)
        telling = {mask for low, high, mask in spans if _tells(text[low:high], aside)}
        # A name made of function words that is written again tells as well.
        words = np.bincount(coverage.tokens.origin, minlength=len(coverage.start))
        again = np.bincount(given.mask, minlength=len(coverage.start))
        telling |= set(np.flatnonzero((words > 0) & (again >= words)).tolist())
        elsewhere = list(_elsewhere_in(coverage))
        return cls(len(start), int(met.sum() - len(start)) // 2, len(telling), sum(elsewhere), len(elsewhere))

    @classmethod
    def summed(cls, parts: Iterable[MaskCounts]) -> MaskCounts:
        """Those of several chunks together."""
        return cls(*map(sum, zip(cls(), *parts, strict=True)))


def _elsewhere_in(coverage: Coverage) -> Iterator[int]:
    """How many direct identifiers are under a mask wherever they are marked, and can be read somewhere else.

    One number for each document in which there are any.
    """
    gold, axis = coverage.axis.gold, coverage.axis
    direct = np.flatnonzero(gold.level == DIRECT)
    start, end = gold.start[direct], gold.end[direct]
    last = np.searchsorted(coverage.start, start, side="right") - 1
    under = (last >= 0) & (np.append(coverage.end, 0)[last] >= end)
    given = coverage.given  # what a mask writes itself is told already
    under &= np.searchsorted(given.end, start, side="right") >= np.searchsorted(given.start, end, side="left")
    document = gold.layers.document[gold.layer[direct]]
    for number in np.unique(document[under]).tolist():
        here = slice(*np.searchsorted(document, (number, number + 1)).tolist())
        spans = zip(start[here].tolist(), end[here].tolist(), under[here].tolist(), strict=True)
        hidden: dict[str, bool] = {}
        for low, high, masked in spans:
            if high - low <= _LONGEST:
                name = axis.text[low:high].strip()
                hidden[name] = hidden.get(name, True) and masked
        released = _Released(apply_masks(axis.documents[number].text, coverage.of_documents[number]))
        if readable := sum(map(released.has, (name for name, masked in hidden.items() if masked))):
            yield readable


class _Released:
    """A text as it is released, by its words: of many names each is looked for only where its first word stands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: dict[str, list[int]] = {}
        for word in _WORD.finditer(text):
            self._places.setdefault(word[0], []).append(word.start())

    def has(self, name: str) -> bool:
        """Whether a name can be read as whole words; one of a letter or two could be anything."""
        first = _WORD.search(name)
        if first is None or sum(map(str.isalnum, name)) < _LONG:
            return False
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        starts = (place - first.start() for place in self._places.get(first[0], ()))
        return any(start >= 0 and whole.match(self._text, start) for start in starts)


def _tells(word: str, aside: frozenset[str]) -> bool:
    return word.lower() not in aside and any(map(str.isalnum, word))


def tells_of_masks(anonymization: Anonymization) -> bool:
    """Whether what its masks write is worth a word: what was written anew keeps words of its original on purpose."""
    return bool(anonymization.masks) and not isinstance(anonymization, Rewriting)


def mask_counts(
    corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]
) -> dict[str, MaskCounts]:
    """What the masks of each anonymization do, where nothing else is asked of the documents."""
    aside = words_aside(metrics)
    parts: dict[str, list[MaskCounts]] = {one.name: [] for one in anonymizations}
    looked_at = [one for one in anonymizations if tells_of_masks(one)]
    for numbers in corpus.chunks():
        axis = Axis(corpus.part(numbers))
        for one in looked_at:
            parts[one.name].append(MaskCounts.of(Coverage(axis, one), aside))
    return {name: MaskCounts.summed(counts) for name, counts in parts.items()}


def mask_notices(counts: Mapping[str, MaskCounts], metrics: Sequence[Metric]) -> list[str]:
    """How many masks overlap or repeat words, and what the metrics at hand make of it; without metrics, all would."""
    lines = []
    for name, count in counts.items():
        said = (
            _overlapping(count.overlaps, metrics),
            _telling(count.telling, count.masks, metrics),
            _elsewhere(count.elsewhere, count.documents, metrics),
        )
        lines += [str(Problem("", name, line)) for line in said if line]
    return lines


def words_aside(metrics: Sequence[Metric]) -> frozenset[str]:
    """The words that the metrics leave aside; those of a tagger are not asked for here, its list is near enough."""
    name = next((metric.hiding.function_words for metric in metrics if metric.hiding), DEFAULT_LEXICON)
    return ALWAYS | LEXICONS.get(name, LEXICONS[DEFAULT_LEXICON] if ":" in name else frozenset())


def _overlapping(pairs: int, metrics: Sequence[Metric]) -> str:
    if not pairs or (metrics and not any(metric.parameters.get("overlaps") == "joined" for metric in metrics)):
        return ""
    what = "1 pair of masks overlaps" if pairs == 1 else f"{pairs:,} pairs of masks overlap"
    return f'{what}; what is masked twice counts once (precision(overlaps="each") counts as TAB\'s script does)'


def _elsewhere(names: int, documents: int, metrics: Sequence[Metric]) -> str:
    if not names or (metrics and not any("gold" in metric.needs for metric in metrics)):
        return ""
    if any({"direct identifiers", "release"} <= {*metric.roles} for metric in metrics):
        return ""  # it counts them, and says where they stand
    what = (
        "direct identifier is masked wherever it is marked and stands"
        if names == 1
        else ("direct identifiers are masked wherever they are marked and stand")
    )
    places = "1 document" if documents == 1 else f"{documents:,} documents"
    told = f"{names:,} {what} elsewhere in what is released of {places}"
    return f"{told}; removed_di counts that, and no metric that looks at marks does"


def _telling(masks: int, total: int, metrics: Sequence[Metric]) -> str:
    if not masks:
        return ""
    write = "writes" if masks == 1 else "write"
    what = f"{masks:,} of {total:,} masks {write} words of the original into the replacement (function words aside)"
    chosen = [metric.hiding.replacements for metric in metrics if metric.hiding]
    if metrics and not chosen:
        blind = any(metric.spans_and_types for metric in metrics)
        return f"{what}; metrics over spans (phi_…) count these as hidden" if blind else what
    if metrics and "read" not in chosen:
        return f'{what}; replacements="trusted" counts them as hidden'
    return f"{what}; entity recall and recall count these words as readable"
