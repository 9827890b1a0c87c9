"""How faithful the surrogates of each way of replacing are, as the table of docs/metrics/fidelity.md has it.

    python benchmarks/fidelity.py meddocan     everything that annotators marked, replaced in five ways
    python benchmarks/fidelity.py tab          the same of court cases, with two releases of TAB's authors beside it

The corpora are in SHOWTHROUGH_DATA. A cell is the share of what a rule can judge, and in brackets what it cannot judge
of all that it asks about.
"""

from __future__ import annotations

import argparse

from _tab import data_folder
from clinical import records
from showthrough import Anonymization, Corpus, evaluate, read_anonymization, read_corpus
from showthrough.families.information._fidelity_rules import RULES
from showthrough.systems.replacing import WAYS, rewritten
from tasks import marked

_OTHERS = ("presidio_gpt", "manual_intact")


def table(corpus: Corpus, systems: dict[str, Anonymization], language: str) -> None:
    masks = marked(corpus)
    systems = {way: rewritten(corpus, masks, way) for way in WAYS} | systems
    run = evaluate(corpus, systems, ["fidelity"], language=language, texts=False, references=False)
    scores = {(score.anonymization, score.part): score for score in run.scores}
    print(f"| {len(corpus)} documents | {' | '.join(f'`{name}`' for name in systems)} |")
    for part in ("", "unjudged", "surrogates", *RULES, "plausible-original"):
        cells = []
        for name in systems:
            score, unjudged = scores[name, part], scores.get((name, f"unjudged:{part}"))
            interval = f" ({score.low:.3f} to {score.high:.3f})" if not part and score.low is not None else ""
            open_share = f" [{unjudged.value:.3f}]" if unjudged is not None and unjudged.value is not None else ""
            cells.append(("–" if score.value is None else f"{score.value:.3f}") + interval + open_share)
        print(f"| `{part or 'fidelity'}` | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", choices=("meddocan", "tab"))
    chosen, data = parser.parse_args(), data_folder()
    if data is None:
        return
    if chosen.corpus == "meddocan":
        table(records(data), {}, "es")
        return
    corpus = read_corpus(data / "tab/train_100.json")
    folder = data / "tab/train_anonymizations"
    table(corpus, {name: read_anonymization(folder / f"{name}.json", corpus) for name in _OTHERS}, "en")


if __name__ == "__main__":
    main()
