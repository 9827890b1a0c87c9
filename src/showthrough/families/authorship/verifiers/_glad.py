"""GLAD: a linear support vector machine over 24 features of a text and others (Hürlimann et al. 2015).

The machine and its cost were chosen on authors who were held out of PAN's training problems. The library's usual one,
with a radial kernel, learns problems by heart: it is right more often on those that it was trained on, and less often
on authors whom it has not seen.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.errors import UnavailableError
from showthrough.families.authorship.verifiers._calibration import Calibration, fit_and_calibrate
from showthrough.families.authorship.verifiers._ngrams import BOM, code_points, gram_codes, spaced_once
from showthrough.families.authorship.verifiers.base import KeptAnswers, Question

# The features of GLAD are 24 numbers about a text and others by one author.

TOPS = (100, 100, 100, 100, 500)  # the most frequent n-grams that make a profile, for n = 1 … 5
FEATURES = (
    *(f"dissimilarity {n}" for n in range(1, 6)),
    *(f"intersection {n}" for n in range(1, 6)),
    "punctuation", "line endings", "line statistics", "letter case", "text blocks", "tokens",
    "sentence length difference", "joint entropy", "entropy difference", "compression",
    "entropy known", "entropy unknown", "sentence length known", "sentence length unknown",
)  # fmt: skip
OF_LINES = tuple(FEATURES.index(name) for name in ("line endings", "line statistics", "text blocks"))
_MARKS = "!?;:,.-'"
_ENDINGS = ".,? !-;"
_TOKEN = re.compile(r"\w+|[^\w\s]")
# Of a sentence. Possessive, and never in the middle of a run of marks, which may be as long as the text.
_END = re.compile(r"""(?<![.!?…])[.!?…]++["'”’)\]]*+(?=\s|\Z|[A-Z][a-z])""")
_ENDED = re.compile(r"""[.!?…]["'”’)\]]*\Z""")
_CLOSING = re.compile(r"""[.!?…]["'”’)\]]*+[^\S\n]*+$""", re.MULTILINE)  # a line that ends with a sentence
_FILLED = re.compile(r"^[^\S\n]*+\S", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class _Text:
    """One text as arrays. Grams and tokens are numbered alike in all texts of a question."""

    grams: Sequence[tuple[Ints, Ints]]  # for each n: which occur, ascending, and how often
    tokens: Ints  # how often each occurs
    marks: Floats
    endings: Floats
    lines: Floats
    case: Floats
    blocks: Floats
    sentence_length: float
    entropy: float
    packed: float  # bytes, compressed, for each byte
    content: bytes  # with single blanks


def style(question: Question) -> Floats:
    """The features, in the order of their names; never NaN, however short a text is."""
    texts = [_plain(text) for text in (question.text, *question.known)]
    unknown, *known_texts = _read_texts(texts)
    pairs = [_compare(known_text, unknown) for known_text in known_texts]
    together = np.mean(pairs, axis=0) if pairs else np.zeros(13)
    own = _average(known_texts) if known_texts else unknown
    apart = [
        _cosine(own.marks, unknown.marks),
        _cosine(own.endings, unknown.endings),
        _cosine(own.lines, unknown.lines),
        abs(float((own.case - unknown.case).sum())),
        abs(float((own.blocks - unknown.blocks).sum())),
    ]
    lengths, entropies = (own.sentence_length, unknown.sentence_length), (own.entropy, unknown.entropy)
    return np.array([
        *together[:10], *apart, together[10], abs(lengths[0] - lengths[1]), together[11],
        abs(entropies[0] - entropies[1]), together[12], *entropies, *lengths,
    ])  # fmt: skip


def laid_out(question: Question) -> bool:
    """Whether all texts have lines; where one has none, features of lines tell of a program and not of an author."""
    return all("\n" in _plain(text).strip() for text in (question.text, *question.known))


def _plain(text: str) -> str:
    """Without what tells of the file alone: a mark at its beginning, and how its lines are ended."""
    return text.lstrip(BOM).replace("\r\n", "\n").replace("\r", "\n")


def _read_texts(texts: Sequence[str]) -> list[_Text]:
    """All texts of a question."""
    spaced = [spaced_once(text) for text in texts]
    points = [code_points(text) for text in spaced]
    ends = np.cumsum([0, *map(len, points)])
    characters, symbol = np.unique(np.concatenate(points), return_inverse=True)
    upper, lower = (
        np.array([test(chr(item)) for item in characters], dtype=bool) for test in (str.isupper, str.islower)
    )
    grams: list[list[tuple[Ints, Ints]]] = [[] for _ in texts]
    for n, codes in enumerate(gram_codes(symbol, len(characters), len(TOPS)), 1):
        for at, (low, high) in enumerate(pairwise(ends.tolist())):
            grams[at].append(np.unique(codes[low : max(high - n + 1, low)], return_counts=True))
    numbers: dict[str, int] = {}
    tokens = [[numbers.setdefault(item, len(numbers)) for item in _TOKEN.findall(text)] for text in texts]
    counts = [np.bincount(np.array(parts, dtype=np.int64), minlength=len(numbers)) for parts in tokens]
    capital = [(int(count[upper[symbols]].sum()), int(count[lower[symbols]].sum())) for (symbols, count), *_ in grams]
    packed = [text.encode("utf-8", "surrogatepass") for text in spaced]
    return [_describe(*parts) for parts in zip(texts, packed, grams, counts, capital, strict=True)]


def _describe(
    text: str, content: bytes, grams: Sequence[tuple[Ints, Ints]], tokens: Ints, capital: tuple[int, int]
) -> _Text:
    length, lines, blocks = max(len(text), 1), text.count("\n") + 1, text.count("\n\n") + 1
    many = int(tokens.sum())
    ends = len(_END.findall(text))
    filled = len(_FILLED.findall(text))
    sentences = max(ends + (_ENDED.search(text.rstrip()[-20:]) is None), 1) if filled else 1
    by_line = ends + filled - len(_CLOSING.findall(text))
    last = "".join(line[-1:] for line in text.split("\n"))
    between = 2 * (blocks - 1)  # characters between blocks
    return _Text(
        grams=grams,
        tokens=tokens,
        marks=np.array([text.count(mark) for mark in _MARKS]) / length,
        endings=np.array([last.count(mark) for mark in _ENDINGS]) / lines,
        lines=np.array([by_line, many, lines - filled]) / lines,
        case=np.array([capital[0] / max(capital[1], 1), capital[0] / length]),
        blocks=np.array([lines - between + blocks - 1, len(text) - between]) / blocks,
        sentence_length=many / sentences,
        entropy=_entropy(tokens),
        packed=_compression_ratio(content),
        content=content,
    )


def _average(texts: Sequence[_Text]) -> _Text:
    """The mean of what is told of one text alone."""
    first = texts[0]
    names = ("marks", "endings", "lines", "case", "blocks")
    marks, endings, lines, case, blocks = (np.mean([getattr(text, name) for text in texts], axis=0) for name in names)
    length, entropy = (
        float(np.mean([getattr(text, name) for text in texts])) for name in ("sentence_length", "entropy")
    )
    return _Text(first.grams, first.tokens, marks, endings, lines, case, blocks, length, entropy, 0.0, b"")


def _compare(reference: _Text, unknown: _Text) -> Floats:
    """Dissimilarities, intersections, cosine of tokens, joint entropy, compression."""
    profiles = [_profiles(*triple) for triple in zip(reference.grams, unknown.grams, TOPS, strict=True)]
    both = reference.tokens + unknown.tokens
    packed = (reference.packed + unknown.packed) / _compression_ratio(reference.content + unknown.content)
    rest = _cosine(reference.tokens, unknown.tokens), _entropy(both), packed
    return np.array([*(dissimilarity for dissimilarity, _ in profiles), *(shared for _, shared in profiles), *rest])


def _profiles(first: tuple[Ints, Ints], second: tuple[Ints, Ints], top: int) -> tuple[float, int]:
    """How unlike two profiles are, and how many n-grams both have. Of equally frequent ones the first go in."""
    tops = [grams[np.argsort(-counts, kind="stable")[:top]] for grams, counts in (first, second)]
    union = np.union1d(*tops)
    if not len(union):
        return 0.0, 0
    first_rates, second_rates = (_rates(profile, union) for profile in (first, second))
    return float(((2 * (first_rates - second_rates) / (first_rates + second_rates)) ** 2).sum()), len(tops[0]) + len(
        tops[1]
    ) - len(union)


def _rates(profile: tuple[Ints, Ints], target_grams: Ints) -> Floats:
    grams, counts = profile
    if not len(grams):
        return np.zeros(len(target_grams))
    index = np.minimum(np.searchsorted(grams, target_grams), len(grams) - 1)
    return np.where(grams[index] == target_grams, counts[index] / counts.sum(), 0.0)


def _cosine(first: Floats | Ints, second: Floats | Ints) -> float:
    length = float(np.sqrt((first * first).sum()) * np.sqrt((second * second).sum()))
    return float((first * second).sum()) / length if length else 0.0


def _entropy(counts: Ints) -> float:
    """In bits."""
    nonzero = counts[counts > 0]
    share = nonzero / max(int(nonzero.sum()), 1)
    return abs(float((share * np.log2(share)).sum()))


def _compression_ratio(content: bytes) -> float:
    return len(zlib.compress(content)) / max(len(content), 1)


_COST = 0.01  # of a margin that is not kept
_SAME = 1e-12  # of a deviation: a feature that does not differ
_FAR = 3.0  # deviations from the mean of training, beyond which nothing was learned


def _features_of(question: Question) -> Floats:
    """The features, and whether those of lines tell anything."""
    return np.append(style(question), laid_out(question))


_FEATURE_ROWS = KeptAnswers(_features_of, len(FEATURES) + 1)


@dataclass(frozen=True, eq=False)
class _Machine:
    """A fitted machine: with what features are scaled, and what each adds to the margin."""

    mean: Floats
    scale: Floats
    weight: Floats
    shift: float

    def margins(self, features: Floats) -> Floats:
        """Row by row, so that none depends on which others are asked for beside it.

        What is far from all that training had counts as its border does: a line is not drawn on into nowhere.
        """
        near = np.clip(_scale(features, self.mean, self.scale), -_FAR, _FAR)
        return np.asarray((near * self.weight).sum(axis=1) + self.shift)


@dataclass(frozen=True, eq=False)
class FittedGlad:
    """The machine, and how its margins become probabilities."""

    features: ClassVar[tuple[str, ...]] = FEATURES

    machine: _Machine
    calibration: Calibration

    def outside(self, questions: Sequence[Question]) -> Bools:
        """Questions × features: which are far from all that training had."""
        scaled = _scale(_FEATURE_ROWS.rows(questions), self.machine.mean, self.machine.scale)
        return np.asarray(np.abs(scaled) > _FAR)

    def answers(self, questions: Sequence[Question]) -> Floats:
        return self.calibration.chances(self.machine.margins(_FEATURE_ROWS.rows(questions)))

    def saved(self) -> Mapping[str, Floats]:
        machine = self.machine
        arrays = {
            "mean": machine.mean,
            "scale": machine.scale,
            "weight": machine.weight,
            "shift": np.array([machine.shift]),
        }
        return {**arrays, **self.calibration.saved()}


@dataclass(frozen=True)
class Glad:
    """GLAD: a support vector machine on features of style, calibrated on authors that were held out."""

    name: ClassVar[str] = "glad"
    version: ClassVar[int] = 2
    oldest: ClassVar[int] = 1

    def prepare(self, questions: Sequence[Question]) -> None:
        _library()  # nobody waits for features that nothing can learn from
        _FEATURE_ROWS.rows(questions)

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> FittedGlad:
        return FittedGlad(*fit_and_calibrate(_FEATURE_ROWS.rows(questions), same, authors, seed, _fit_machine))

    def loaded(self, arrays: Mapping[str, Floats]) -> FittedGlad:
        mean, scale, weight = (arrays[name] for name in ("mean", "scale", "weight"))
        if any(array.shape != (len(FEATURES),) for array in (mean, scale, weight)):
            raise ValueError(f"expected {len(FEATURES)} features")
        machine = _Machine(mean, scale, weight, float(arrays["shift"][0]))
        return FittedGlad(machine, Calibration.loaded(arrays))


def _scale(features: Floats, mean: Floats, scale: Floats) -> Floats:
    """Features by the statistics of training; what is not told is as usual."""
    scaled = (features[:, :-1] - mean) / scale
    scaled[np.ix_(features[:, -1] == 0, OF_LINES)] = 0.0
    return scaled


def _fit_machine(features: Floats, same: Bools) -> _Machine:
    counted = np.ones_like(features[:, :-1])
    counted[np.ix_(features[:, -1] == 0, OF_LINES)] = 0.0
    many = np.maximum(counted.sum(axis=0), 1)
    mean = (features[:, :-1] * counted).sum(axis=0) / many
    scale = np.sqrt(((features[:, :-1] - mean) ** 2 * counted).sum(axis=0) / many)
    scale[scale < _SAME] = 1.0
    scaled = _scale(features, mean, scale)
    if same.all() or not same.any():  # nothing to tell apart
        return _Machine(mean, scale, np.zeros(len(mean)), 1.0 if same.any() else -1.0)
    svc = _library().SVC(C=_COST, kernel="linear").fit(scaled, same)
    return _Machine(mean, scale, np.asarray(svc.coef_[0], dtype=np.float64), float(svc.intercept_[0]))


def _library() -> Any:
    try:
        from sklearn import svm
    except ImportError as error:
        fault = "the learner glad needs scikit-learn, which is not installed: pip install 'showthrough[authors]'"
        raise UnavailableError(fault) from error
    return svm
