"""Perturbations: one document in, the same document harder to read out.

Each has a rate: the share of words, or of places, that it changes. Where a word is changed, all places of a document
that have the word are changed alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from showthrough.core.call_syntax import apply_overrides, literal, placed_call
from showthrough.core.errors import PlanError, quote_value, suggest_name
from showthrough.data.documents import Corpus, Document, map_documents
from showthrough.studies.stress import _figures, _letters, _names
from showthrough.studies.stress.carrying import Edit, Page, Scope, carry, fitting_edits

ORIGINAL = "original"
_KIND = "perturb"


@dataclass(frozen=True)
class Perturbation:
    """A way to make documents harder to read, and how much of them it changes."""

    name: str
    summary: str
    scope: Scope
    rate: float
    example: tuple[str, str]
    find: Callable[[Page, float], Iterable[Edit]] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise PlanError(f"found {quote_value(self.rate)}; expected more than 0, and at most 1", "rate")

    @property
    def text(self) -> str:
        """As it is written: `typos`, or `typos(rate=0.5)` with another rate than the usual one."""
        return self.name if self.rate == PERTURBATIONS[self.name].rate else f"{self.name}(rate={literal(self.rate)})"

    def edits(self, document: Document, seed: int = 0) -> list[Edit]:
        """What it replaces in a document, in order."""
        return fitting_edits(document, self.find(Page(document, seed, self.name, self.scope), self.rate))

    def apply(self, document: Document, seed: int = 0) -> Document:
        """The document with its text perturbed and its marks carried along."""
        return carry(document, self.edits(document, seed))


_ALL: Sequence[Perturbation] = (
    Perturbation(
        "typos", "typing errors: two letters swapped, one dropped, doubled or hit beside its key", "text", 0.2,
        ("Johnson", "Jonhson"), _letters.typos,
    ),
    Perturbation(
        "ocr", "one confusion of optical character recognition in a word", "text", 0.2,
        ("Barnes", "Bames"), _letters.ocr,
    ),
    Perturbation("lowercase", "small letters", "text", 1.0, ("Mr Doe", "mr doe"), _letters.lowercase),
    Perturbation("capitals", "capital letters", "text", 1.0, ("Mr Doe", "MR DOE"), _letters.capitals),
    Perturbation(
        "homoglyphs", "letters of another script that look the same", "marks", 1.0,
        ("Doe", "D\u043ee"), _letters.homoglyphs,
    ),
    Perturbation(
        "zero-width", "invisible characters inside words", "marks", 1.0, ("Doe", "D\u200boe"), _letters.zero_width
    ),
    Perturbation("letters-apart", "spaces between letters", "names", 1.0, ("John", "J o h n"), _letters.letters_apart),
    Perturbation(
        "no-accents", "accents lost in Latin, Greek and Cyrillic letters", "text", 1.0,
        ("José", "Jose"), _letters.no_accents,
    ),
    Perturbation(
        "decomposed", "letters and their accents as characters of their own (Unicode NFD)", "text", 1.0,
        ("José", "Jose\u0301"), _letters.decomposed,
    ),
    Perturbation(
        "hyphens", "a line break with a hyphen inside long words", "marks", 1.0,
        ("Johnson", "John-\nson"), _letters.hyphens,
    ),
    Perturbation(
        "line-breaks", "line breaks for spaces inside marks", "marks", 0.7,
        ("John Doe", "John\nDoe"), _letters.line_breaks,
    ),
    Perturbation(
        "spaces", "no-break, thin and doubled spaces, and tabs", "text", 0.3,
        ("John Doe", "John\u00a0Doe"), _letters.spaces,
    ),
    Perturbation(
        "no-punctuation", "punctuation lost, except between digits", "text", 1.0,
        ("Dr. O'Brien", "Dr OBrien"), _letters.no_punctuation,
    ),
    Perturbation(
        "names", "names of persons of another origin, in Latin letters", "names", 1.0,
        ("John Doe", "Emeka Okafor"), _names.other_names,
    ),
    Perturbation("dates", "full dates in another format", "text", 1.0, ("3 May 2004", "2004-05-03"), _figures.dates),
    Perturbation("digits", "full-width digits", "text", 1.0, ("2004", "\uff12\uff10\uff10\uff14"), _figures.digits),
    Perturbation(
        "separators", "other separators in long numbers", "text", 1.0, ("36110, 1,200", "36 110, 1.200"),
        _figures.separators,
    ),
)  # fmt: skip
PERTURBATIONS = {perturbation.name: perturbation for perturbation in _ALL}


def parse_perturbations(texts: Iterable[str] = ()) -> list[Perturbation]:
    """Those that are written so, such as `typos` or `typos(rate=0.5)`; all where none is. Raises PlanError.

    >>> [perturbation.text for perturbation in parse_perturbations(["typos(rate=0.5)", "names"])]
    ['typos(rate=0.5)', 'names']
    """
    chosen = list(map(_parse, texts)) or list(PERTURBATIONS.values())
    names = [perturbation.name for perturbation in chosen]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise PlanError("is there twice; expected each perturbation once", f"{_KIND} {twice}")
    return chosen


def _parse(text: str) -> Perturbation:
    name, overrides = placed_call(text.strip(), _KIND, "typos(rate=0.5)")
    usual = PERTURBATIONS.get(name)
    if usual is None:
        hint = suggest_name(name, PERTURBATIONS)
        raise PlanError(f"unknown perturbation {quote_value(name)}; {hint}there are: {', '.join(PERTURBATIONS)}", _KIND)
    if strangers := overrides.keys() - {"rate"}:
        raise PlanError("unknown parameter; expected rate", f"{_KIND} {name}: {min(strangers)}")
    return apply_overrides(f"{_KIND} {name}", usual, overrides) if overrides else replace(usual)


def perturb(corpus: Corpus, perturbation: Perturbation, seed: int = 0) -> Corpus:
    """The corpus with every document perturbed: texts and marks change, and nothing else does."""
    documents = map_documents(corpus.documents, partial(perturbation.apply, seed=seed))
    return Corpus(documents, f"{corpus.name}, {perturbation.text}")
