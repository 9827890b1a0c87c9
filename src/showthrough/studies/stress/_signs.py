"""Perturbations between words: line breaks, other spaces, punctuation that is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from showthrough.studies.stress.carrying import Edit, Page

_SPACE = re.compile(r"(?<=\S)[ \u00a0](?=\S)")
_OTHER_SPACES = ("\u00a0", "\u2009", "  ", "\t")
_PUNCTUATION = re.compile(r"""[.,;:!?"'()\[\]«»“”‘’…。、，．：；！？「」،؛؟۔।]""")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,:](?=\d)")


def line_breaks(page: Page, rate: float) -> Iterator[Edit]:
    random = page.random()
    for start, end in page.spans:
        for match in _SPACE.finditer(page.text, start, end):
            if random.random() < rate:
                yield *match.span(), "\n"


def spaces(page: Page, rate: float) -> Iterator[Edit]:
    random = page.random()
    for match in _SPACE.finditer(page.text):
        drawn, other = random.random() < rate, random.choice(_OTHER_SPACES)
        if drawn:
            yield *match.span(), other


def no_punctuation(page: Page, rate: float) -> Iterator[Edit]:
    random = page.random()
    for match in _PUNCTUATION.finditer(page.text):
        if random.random() < rate and not _BETWEEN_DIGITS.match(page.text, match.start()):
            yield *match.span(), ""
