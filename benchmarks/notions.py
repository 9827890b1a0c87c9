"""Whether the measures of reconstruction, linkage and distinguishing hold what their pages say, in simulations.

distinguish   ε of 0, 0.5, 1 and 3, 1,000 tries with 2,000 pairs: the bound at or below ε in at least 93 %, and
              within 0.3 of it
linkability   fresh pseudonyms: the risk is said to be above 0 in at most 5 % of corpora; pseudonyms that are kept
              half the time: the interval holds the true value in at least 93 %
recover       ways of replacing side by side on the 100 cases of TAB, where SHOWTHROUGH_DATA has them
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
from random import Random

import numpy as np

from showthrough import Anonymization, Corpus, Document, Mask, evaluate, read_anonymization, read_corpus
from showthrough.families.reidentification.distinguish import epsilon_bound
from showthrough.systems.replacing import WAYS, rewritten

EPSILONS, PAIRS, TRIES = (0.0, 0.5, 1.0, 3.0), 2000, 1000
HELD, NEAR, FALSE_ALARMS = 0.93, 0.3, 0.05
PEOPLE, EACH = 40, 3
COMMON = [f"{first}{last}" for first in ("ba", "de", "ki", "lo", "mu") for last in ("ran", "sel", "tik", "von")]


def distinguishing(seed: int) -> bool:
    """Two originals, each released truly with the probability that ε gives; both of a pair are released."""
    random, sound = np.random.default_rng(seed), True
    for epsilon in EPSILONS:
        right = random.binomial(2 * PAIRS, math.exp(epsilon) / (1 + math.exp(epsilon)), TRIES).astype(np.float64)
        bounds = epsilon_bound(right, np.full(TRIES, 2.0 * PAIRS), 0.0, 0.95)
        held, away = float((bounds <= epsilon).mean()), epsilon - float(np.median(bounds))
        sound &= held >= HELD and away <= NEAR
        print(f"distinguish, ε = {epsilon:g}: at or below ε in {held:.1%}, median {away:.3f} away")
    return sound


def pseudonyms(kept: float, seed: int) -> tuple[Corpus, Anonymization]:
    """Letters of common words about people; a document has its person's pseudonym, or else one of its own."""
    random = Random(seed)
    documents, masks = [], {}
    names = ["".join(random.choices("abcdefgh", k=8)) for _ in range(PEOPLE)]
    for at in range(PEOPLE * EACH):
        person, rest = at % PEOPLE, " ".join(random.choices(COMMON, k=15))
        documents.append(Document(f"{at:04}", f"Somebody wrote: {rest}.", group=f"person {person}"))
        name = names[person] if random.random() < kept else "".join(random.choices("abcdefgh", k=8))
        masks[f"{at:04}"] = [Mask(0, 8, name)]
    return Corpus(documents), Anonymization(masks)


def linking(draws: int) -> bool:
    sound = True
    for kept in (0.0, 0.5):
        values, intervals, alarms = [], [], 0
        for seed in range(draws):
            corpus, masks = pseudonyms(kept, seed)
            run = evaluate(corpus, {"x": masks}, metrics=["linkability"], references=False)
            score, risk = run["x", "linkability"], run["x", "linkability", "risk"]
            values.append(score.value or 0.0)
            intervals.append((score.low or 0.0, score.high or 1.0))
            alarms += (risk.low or 0.0) > 0
        truth = float(np.mean(values))
        held = float(np.mean([low <= truth <= high for low, high in intervals]))
        print(
            f"linkability, pseudonyms kept in {kept:.0%}: mean {truth:.3f}, in {held:.1%} of {draws} intervals; "
            f"a risk above 0 is claimed in {alarms / draws:.1%}"
        )
        sound &= held >= HELD and (kept > 0 or alarms <= FALSE_ALARMS * draws)
    return sound


def recovering() -> None:
    folder = Path(os.environ.get("SHOWTHROUGH_DATA", "")) / "tab"
    if not folder.is_dir():
        print("recover: SHOWTHROUGH_DATA has no TAB")
        return
    corpus = read_corpus(folder / "train_100.json")
    masks = read_anonymization(folder / "train_anonymizations" / "manual_entity.json", corpus)
    systems = {way: rewritten(corpus, masks, way) for way in WAYS}
    run = evaluate(corpus, systems, metrics=["recover"], references=False, resamples=200)
    for way in WAYS:
        scores = {score.part: score for score in run.scores if score.anonymization == way}
        first, five, control, risk = (scores[part] for part in ("", "top-5", "control", "risk-5"))
        print(
            f"recover, {way}: {first.value:.2%} at 1, {five.value:.2%} at 5, control {control.value:.2%}, risk at 5 "
            f"{risk.value:.2%} ({risk.low:.2%} to {risk.high:.2%})"
        )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--draws", type=int, default=200, help="corpora of each kind")
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    sound = [distinguishing(chosen.seed), linking(chosen.draws)]
    recovering()
    return int(not all(sound))


if __name__ == "__main__":
    raise SystemExit(main())
