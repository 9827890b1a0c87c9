"""Alignment of rewritten texts: how many masks come back without their offsets, and how fast.

Applies four anonymizations of TAB's 100 training cases, aligns the result with the original, and prints the share of
masked characters that are masked again (at least 99.5 %), the share of other characters that are (at most 0.5 %) and
the seconds for all documents (at most 5), each in one process. Then one text of all cases joined shows how the time
grows. Needs SHOWTHROUGH_DATA.

With the anonymization's own words, a mask may keep a part of what it covers ("30 May 1996", "May 1996"), and that part
is readable and comes back unmasked. Those rows have no limit of recovery; `changed` counts only the masked words that
their replacement does not repeat. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from showthrough.data.alignment import align
from showthrough.data.masks import Mask, apply_masks

RECOVERED, SPURIOUS, SECONDS = 0.995, 0.005, 5.0
MODES: dict[str, Callable[[int, Mask], str | None]] = {
    "suppressed": lambda number, mask: None,
    "stars": lambda number, mask: "***",
    "label": lambda number, mask: "DATE_TIME",
    "numbered": lambda number, mask: f"[PERSON_{number}]",
    "own": lambda number, mask: mask.replacement,
}
LABELS = frozenset({"manual_entity", "presidio"})  # whose own replacements are labels
WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Outcome:
    recovered: float
    changed: float
    spurious: float
    seconds: float

    def meets(self, limited: bool) -> bool:
        return self.seconds <= SECONDS and self.spurious <= SPURIOUS and (not limited or self.recovered >= RECOVERED)


def covered(spans: Sequence[tuple[int, int]], length: int) -> NDArray[np.bool_]:
    painted = np.zeros(length, dtype=bool)
    for start, end in spans:
        painted[start:end] = True
    return painted


def changed_words(text: str, masks: Sequence[Mask]) -> list[tuple[int, int]]:
    """Where the words stand that a mask covers and its replacement does not repeat."""
    return [
        word.span()
        for mask in masks
        for kept in [set(WORD.findall(mask.replacement or ""))]
        for word in WORD.finditer(text, mask.start, mask.end)
        if word.group() not in kept
    ]


def measured(texts: dict[str, str], masks: dict[str, list[Mask]]) -> Outcome:
    counts = np.zeros(6)
    seconds = 0.0
    for document, text in texts.items():
        rewritten = apply_masks(text, masks[document])
        start = time.perf_counter()
        aligned = align(text, rewritten)
        seconds += time.perf_counter() - start
        found = covered([(mask.start, mask.end) for mask in aligned], len(text))
        truth = covered([(mask.start, mask.end) for mask in masks[document]], len(text))
        words = covered(changed_words(text, masks[document]), len(text))
        counts += [part.sum() for whole in (truth, words, ~truth) for part in (whole & found, whole)]
    return Outcome(counts[0] / counts[1], counts[2] / counts[3], counts[4] / counts[5], seconds)


def main() -> int:
    if "SHOWTHROUGH_DATA" not in os.environ:
        print("SHOWTHROUGH_DATA is not set; it names the folder that holds tab/train_100.json", file=sys.stderr)
        return 2
    folder = Path(os.environ["SHOWTHROUGH_DATA"]) / "tab"
    texts = {case["doc_id"]: case["text"] for case in json.loads((folder / "train_100.json").read_bytes())}
    characters = sum(map(len, texts.values()))
    print(f"{len(texts)} documents, {characters:,} characters; limit {SECONDS:.0f} s for all of them")
    print(
        f"{'anonymization':15}{'mode':12}{'recovered':>11}{'changed':>10}{'spurious':>10}{'s':>7}{'characters/s':>14}"
    )
    met = True
    for path in sorted((folder / "train_anonymizations").glob("*.json")):
        given = {key: [Mask(*mask) for mask in masks] for key, masks in json.loads(path.read_bytes()).items()}
        for mode, replaced in MODES.items():
            masks = {
                key: [Mask(mask.start, mask.end, replaced(number, mask)) for number, mask in enumerate(given[key])]
                for key in texts
            }
            outcome = measured(texts, masks)
            within = outcome.meets(limited=mode != "own" or path.stem in LABELS)
            met &= within
            print(
                f"{path.stem:15}{mode:12}{outcome.recovered:11.3%}{outcome.changed:10.3%}{outcome.spurious:10.3%}"
                f"{outcome.seconds:7.2f}{characters / outcome.seconds:14,.0f}{'' if within else '  misses a limit'}"
            )
    whole = "\n\n".join(texts.values())
    rewritten = re.sub(r"\b[A-Z]\w+ [A-Z]\w+", "NAME", whole)
    for times in (1, 2, 4):
        start = time.perf_counter()
        align(whole * times, rewritten * times)
        print(f"one text of {len(whole) * times:9,} characters: {time.perf_counter() - start:6.2f} s")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
