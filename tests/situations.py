"""Ten made-up situations of a release, each with the state that it must be given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from showthrough import Annotation, Anonymization, Background, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.reasons import ReleaseState
from showthrough.run.pairing import RunPair
from showthrough.run.thresholds import Threshold

COUNT = 200  # enough to show that 0.95 is hidden and that no more than 0.09 are found
METRICS = ["removed_di", "removed_qi", "er_di", "trir", "precision"]
WORDS = (  # noqa: SIM905 (a list of a hundred words is no easier to read)
    "amber anvil apron arrow autumn bakery barley basket beacon birch blanket bottle branch bridle bucket "
    "button cabin candle canvas carpet cellar chapel cherry chimney cinder clover cobble copper corner "
    "cotton cradle curtain daisy dipper donkey drawer ember engine farmer feather fiddle flannel forest "
    "fountain garden garlic ginger granite gravel hammer harbour harvest hazel heather hollow honey "
    "jacket kettle ladder lantern leather lemon linen lumber maple marble meadow mitten mortar mustard "
    "nettle orchard parcel parlour pebble pepper pewter pillow plaster pocket puddle quarry quilt ribbon "
    "rudder saddle saffron shovel silver spindle stable sugar sunday tavern thimble thistle timber tunnel "
    "turnip velvet walnut willow "
).split()


@dataclass(frozen=True)
class Letter:
    """A text, and where its name, its number and its town are."""

    text: str
    name: str
    number: str
    town: str

    def span(self, word: str) -> tuple[int, int]:
        start = self.text.index(word)
        return start, start + len(word)

    @property
    def marks(self) -> list[Mention]:
        kinds = (self.name, "PERSON", "DIRECT"), (self.number, "CODE", "DIRECT"), (self.town, "LOC", "QUASI")
        return [Mention(*self.span(word), kind, level, word) for word, kind, level in kinds]  # type: ignore[arg-type]

    @property
    def masks(self) -> list[Mask]:
        return [Mask(mark.start, mark.end, f"[{mark.entity_type}]") for mark in self.marks]


def letters(count: int = COUNT, seed: int = 0) -> list[Letter]:
    """Everybody has a name, a number and a town of their own; the rest of a letter tells nobody anything."""
    random = Random(seed)
    made = []
    for at in range(count):
        syllables = [random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(7)]
        name = f"{''.join(syllables[:2]).title()} {''.join(syllables[2:5]).title()}"
        town, number = f"{''.join(syllables[5:]).title()}ham{at}x", f"{7_000 + at}/{10 + at % 80}"
        rest = " ".join(random.sample(WORDS, 30))
        made.append(
            Letter(f"Ms {name}, file {number}, of {town}, wrote to us. She told of {rest}.", name, number, town)
        )
    return made


def corpus_of(made: list[Letter], annotator: str = "reader") -> Corpus:
    documents = [
        Document(f"letter-{at:03}", one.text, (Annotation(annotator, tuple(one.marks)),) if annotator else ())
        for at, one in enumerate(made)
    ]
    return Corpus(documents, "letters")


def background_of(made: list[Letter], *, weak: bool = False) -> Background:
    """What is known of everybody; to a weak attacker, nothing that any letter says."""
    known = {
        f"letter-{at:03}": "somebody else altogether"
        if weak
        else f"{one.name} of {one.town} has the number {one.number}."
        for at, one in enumerate(made)
    }
    return Background(known, "the register")


def release(made: list[Letter], change: Callable[[int, Letter], list[Mask]] | None = None) -> Anonymization:
    masks = {f"letter-{at:03}": change(at, one) if change else one.masks for at, one in enumerate(made)}
    return Anonymization(masks, "tool")


def run_of(
    made: list[Letter],
    released: Anonymization | None = None,
    *,
    annotator: str = "reader",
    weak: bool = False,
    metrics: list[str] | None = None,
) -> Run:
    chosen = metrics or (METRICS if annotator else ["trir", "residual"])
    corpus = corpus_of(made, annotator)
    return evaluate(
        corpus,
        released or release(made),
        chosen,
        background=background_of(made, weak=weak) if "trir" in chosen else None,
        resamples=200,
    )


@dataclass(frozen=True)
class Situation:
    """A run, what is asked beside it, and what must follow."""

    run: Run
    state: ReleaseState
    says: str  # in the sentence
    baseline: Baseline | None = None
    thresholds: tuple[Threshold, ...] = ()


def _safe() -> Situation:
    return Situation(run_of(letters()), ReleaseState.NO_OBJECTION, "What was tested found nothing against “tool”.")


def _one_name() -> Situation:
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[1:] if at == 7 else one.masks))
    return Situation(run, ReleaseState.DO_NOT_RELEASE, "1 of 400 direct identifiers can still be read, in 1 of 200")


def _moved() -> Situation:
    """Where names were marked they are hidden; three letters are signed."""
    made = [
        Letter(f"{one.text} Signed: {one.name}.", one.name, one.number, one.town) if at in (3, 4, 5) else one
        for at, one in enumerate(letters())
    ]
    return Situation(run_of(made), ReleaseState.DO_NOT_RELEASE, "3 of 400 direct identifiers can still be read")


def _no_annotations() -> Situation:
    return Situation(
        run_of(letters(), annotator=""), ReleaseState.NOT_ENOUGH_EVIDENCE, "Nobody marked what identifies people"
    )


def _three_masks() -> Situation:
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[:1] if at < 3 else []))
    return Situation(run, ReleaseState.DO_NOT_RELEASE, "almost nothing is hidden: 3 of 600")


def _four_documents() -> Situation:
    """Nobody attacks: of four people guessing finds one."""
    run = run_of(letters(4), metrics=METRICS[:3])
    return Situation(run, ReleaseState.NOT_ENOUGH_EVIDENCE, "There are only 4 documents to judge by")


def _copies() -> Situation:
    made = [letters(5)[at % 5] for at in range(COUNT)]
    return Situation(run_of(made), ReleaseState.NOT_ENOUGH_EVIDENCE, "5 independent documents")


def _weak_attacker() -> Situation:
    return Situation(run_of(letters(), weak=True), ReleaseState.NOT_ENOUGH_EVIDENCE, "even in the originals")


def _silver() -> Situation:
    run = run_of(letters(), annotator="silver(rules.v1)")
    return Situation(run, ReleaseState.NOT_ENOUGH_EVIDENCE, "Programs made the annotations, and nobody corrected them.")


def _regression() -> Situation:
    """Thirty towns that were hidden before can be read; the limit is met all the same: 170 of 200 are 0.85."""
    made = letters()
    now = run_of(made, release(made, lambda at, one: one.masks[:2] if at < 30 else one.masks))
    baseline = Baseline(RunPair(now, run_of(made), "last-release"), shuffles=999)
    asked = Threshold("removed_di", "min", 0.95), Threshold("removed_qi", "min", 0.75), Threshold("trir", "max", 0.3)
    says = "In “tool”, only 85 % of indirect identifiers are hidden; the earlier release hid 100 %."
    return Situation(now, ReleaseState.DO_NOT_RELEASE, says, baseline, asked)


SITUATIONS: Mapping[str, Callable[[], Situation]] = {
    "all safe": _safe,
    "one name left": _one_name,
    "moved text": _moved,
    "no annotations": _no_annotations,
    "three masks": _three_masks,
    "four documents": _four_documents,
    "copies": _copies,
    "weak attacker": _weak_attacker,
    "silver marks": _silver,
    "a regression": _regression,
}
