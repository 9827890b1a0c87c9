"""Who guesses what stood under masks: by how often values occur, by a masked language model, or by asking one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from showthrough.core.errors import PlanError, quote_value
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus
from showthrough.data.reading_form import reading_form
from showthrough.families.reconstruction.slots import Slot
from showthrough.models._mask_filling import Gap, MaskFiller
from showthrough.models.chat.base import MODEL

if TYPE_CHECKING:
    from showthrough.models import Resources

FREQUENCY, FILLING = "frequency", "masked-lm:"
GUESSES = 5  # that count
_WORD = lazy_pattern(r"[^\W_]+")
_AROUND = 120  # characters on each side whose words are tried
_WORDS = 12  # that are tried, the nearest first
_SHOWN = 4
_LEAST = 1e-6  # what a text has that is not among the likeliest
_KEPT = 1 << 16  # answers of the guesser by frequency


class Guess(NamedTuple):
    """What may have stood there, how likely that is, and the words of the text that say so, where that is known."""

    text: str
    probability: float
    words: str = ""


class GuessCase(NamedTuple):
    """A released text with places where something is hidden. An empty text is the control: nothing is known then."""

    anonymization: str
    document: str
    unit: str  # what the document belongs to: nothing that is known of it may come from there
    text: str
    slots: tuple[Slot, ...]


Guesses = list[list[Guess]]  # by slot, the likeliest first
Words = list[tuple[str, float]]  # of a released text, and how much each makes a guess more likely


class Guesser(Protocol):
    """Texts with slots in, guesses out."""

    reads: bool  # whether it reads the text around a slot

    def guess(self, cases: Sequence[GuessCase]) -> list[Guesses | None]:
        """In the order of the cases; None where there is no answer, which is missing and never "not recovered"."""
        ...

    def explain(self, case: GuessCase, slot: Slot, guess: Guess) -> Words:
        """What in the text makes a guess likely."""
        ...


def guesser_fault(name: str) -> str:
    """What is wrong with the name of a guesser; empty where nothing is. Nothing is read or loaded."""
    valid = name == FREQUENCY or any(name.startswith(kind) and name != kind for kind in (FILLING, MODEL))
    return "" if valid else f"found {quote_value(name)}; expected {FREQUENCY}, {FILLING}MODEL or {MODEL}MODEL[@URL]"


def guesser_of(name: str, corpus: Corpus, resources: Resources) -> Guesser:
    """The guesser of a name for a corpus."""
    if fault := guesser_fault(name):
        raise PlanError(fault, "guesser")
    if name == FREQUENCY:
        return Frequencies.of(corpus)
    if name.startswith(FILLING):
        return Filler(resources.mask_filler(name.removeprefix(FILLING)))
    from showthrough.families.reconstruction._questions import Questioner

    return Questioner(resources.chat(name))


class _Values(NamedTuple):
    """How often values occur, in their reading form; the most frequent first; and by the words that they have."""

    counts: Counter[str]
    ordered: list[str]
    by_word: Mapping[str, list[str]]


class Frequencies:
    """The values that annotators marked in the other documents of a corpus, those of most documents first.

    A value counts once in each unit, such as the documents of one person, and for nothing in guesses about that unit:
    how often one document repeats it says little about others. The guesser reads what stands in place of a value: the
    type of a label, the length of `*****`, the words of a wider term. Values with one of these words go first. It does
    not read the text around.

    >>> guesser = Frequencies({"a": {("LOC", "Oslo")}, "b": {("LOC", "Rome"), ("AGE", "9")}, "c": {("AGE", "9")}})
    >>> case = GuessCase("x", "d", "a", "in [LOC]", (Slot(3, 8, "LOC"), Slot(3, 8)))
    >>> [[(guess.text, round(guess.probability, 2)) for guess in guesses] for guesses in guesser.guess([case])[0]]
    [[('Rome', 1.0)], [('9', 0.67), ('Rome', 0.33)]]
    """

    reads = False

    def __init__(self, by_unit: Mapping[str, set[tuple[str, str]]]) -> None:
        self._by_unit = {
            unit: {(entity_type, form) for entity_type, text in values if (form := reading_form(text))}
            for unit, values in by_unit.items()
        }
        self._all = Counter(value for values in self._by_unit.values() for value in values)
        self._writings: dict[str, Counter[str]] = defaultdict(Counter)
        for values in by_unit.values():
            for _, text in values:
                self._writings[reading_form(text)][text] += 1
        self._best = lru_cache(_KEPT)(self._find_best)
        self._values = lru_cache(_KEPT)(self._find_values)

    @classmethod
    def of(cls, corpus: Corpus) -> Frequencies:
        by_unit: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for document, unit in zip(corpus, units_of(corpus), strict=True):
            for mention in (mention for annotation in document.annotations for mention in annotation.mentions):
                if mention.must_mask:
                    by_unit[unit].add((mention.entity_type, document.text[mention.start : mention.end]))
        return cls(by_unit)

    def guess(self, cases: Sequence[GuessCase]) -> list[Guesses | None]:
        return [[self._best(case.unit, slot._replace(start=0, end=0)) for slot in case.slots] for case in cases]

    def explain(self, case: GuessCase, slot: Slot, guess: Guess) -> Words:
        return [(case.text[slot.start : slot.end].strip() or "(nothing)", guess.probability)]

    def _find_best(self, unit: str, slot: Slot) -> list[Guess]:
        """The most frequent values outside a unit. Of the first ones some may be of the unit alone."""
        values = self._values(slot.entity_type, slot.length)
        of_unit = self._by_unit.get(unit, ())
        own = Counter(form for kind, form in of_unit if form in values.counts and slot.entity_type in ("", kind))
        total = values.counts.total() - own.total()
        alike = {form for word in slot.words for form in values.by_word.get(word, ())}
        near = [*values.ordered[: GUESSES + len(own)], *alike]
        ranked = sorted({(form not in alike, own[form] - values.counts[form], form) for form in near})
        best = [(form, -count) for _, count, form in ranked if count < 0]
        return [Guess(self._written(form), count / total) for form, count in best[:GUESSES]]

    def _find_values(self, entity_type: str, length: int) -> _Values:
        """Values of a type and a length; of any length where none is so long."""
        counts: Counter[str] = Counter()
        for (kind, form), count in self._all.items():
            if entity_type in ("", kind):
                counts[form] += count
        if length:
            fitting = {form: count for form, count in counts.items() if len(self._written(form)) == length}
            counts = Counter(fitting) or counts
        by_word: dict[str, list[str]] = defaultdict(list)
        for form in counts:
            for word in {*form.split()}:
                by_word[word].append(form)
        return _Values(counts, sorted(counts, key=lambda form: (-counts[form], form)), by_word)

    def _written(self, form: str) -> str:
        """How a value is written most often."""
        return min(self._writings[form].items(), key=lambda pair: (-pair[1], pair[0]))[0]


def units_of(corpus: Corpus) -> list[str]:
    """What each document belongs to; a document that is alone belongs to itself."""
    labels = corpus.units.labels
    if not labels:
        return [f"document {key}" for key in corpus.ids]
    return [f"unit {label}" if label else f"document {key}" for key, label in zip(corpus.ids, labels, strict=True)]


def choose(texts: Sequence[tuple[str, float]], slot: Slot) -> list[Guess]:
    """The likeliest texts that a slot allows, each reading once: of its length, and first those with one of its words.

    Where no text is so long, the length rules nothing out: what looks like a length may be none.

    >>> choose([("Oslo", 0.5), ("OSLO", 0.2), ("Rome", 0.1), ("Paris", 0.1)], Slot(0, 5, length=4))
    [Guess(text='Oslo', probability=0.5, words=''), Guess(text='Rome', probability=0.1, words='')]
    """
    fitting = [pair for pair in texts if len(pair[0]) == slot.length] if slot.length else []
    forms = [(reading_form(text), text, probability) for text, probability in fitting or texts]
    forms.sort(key=lambda entry: slot.words.isdisjoint(entry[0].split()))
    guesses = {form: Guess(text, probability) for form, text, probability in reversed(forms)}
    return [guesses[form] for form in dict.fromkeys(form for form, *_ in forms)][:GUESSES]


class Filler:
    """`masked-lm:MODEL`. It reads the text around a slot, and of a placeholder the length alone."""

    reads = True

    def __init__(self, filler: MaskFiller) -> None:
        self._filler = filler

    def guess(self, cases: Sequence[GuessCase]) -> list[Guesses | None]:
        gaps = [_gap(case.text, slot) for case in cases for slot in case.slots]
        filled = iter(self._filler.fill(gaps))
        return [[choose(next(filled), slot) for slot in case.slots] for case in cases]

    def explain(self, case: GuessCase, slot: Slot, guess: Guess) -> Words:
        """The words without which the guess is less likely: how much ln p falls where a word is hidden too."""
        gap = _gap(case.text, slot)
        variants = [*_without_words(gap, self._filler.predictor.tokenizer.mask_token)]
        filled = [dict(texts) for texts in self._filler.fill([gap, *(variant for _, variant in variants)])]
        whole, *others = (math.log(max(texts.get(guess.text, 0.0), _LEAST)) for texts in filled)
        weights = [(word, whole - other) for (word, _), other in zip(variants, others, strict=True) if whole > other]
        return sorted(weights, key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]


def _gap(text: str, slot: Slot) -> Gap:
    return Gap(text[: slot.start], text[slot.end :])


def _without_words(gap: Gap, mask: str) -> Iterator[tuple[str, Gap]]:
    """Each of the nearest words, and the gap where a mask token stands in its place."""
    low = max(0, len(gap.before) - _AROUND)
    before = [match.span() for match in _WORD.finditer(gap.before, low)]
    behind = [match.span() for match in _WORD.finditer(gap.behind, 0, _AROUND)]
    near = [(len(gap.before) - end, 0, start, end) for start, end in before]
    near += [(start, 1, start, end) for start, end in behind]
    for _, side, start, end in sorted(near)[:_WORDS]:
        text = gap[side]
        hidden = f"{text[:start]}{mask}{text[end:]}"
        yield text[start:end], Gap(gap.before, hidden) if side else Gap(hidden, gap.behind)
