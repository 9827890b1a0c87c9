"""The same attack where nothing can be known of a document: without a text, and with another document's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.data.documents import Corpus, Document
from showthrough.families.inference.base import Aim, Answer, AttackCase, Attacker
from showthrough.statistics.numerics.control import above, pick_partners, rate
from showthrough.statistics.numerics.distributions import normal_quantile, student_quantile

Units = tuple[ArrayLike, ArrayLike]  # by document, or group of documents: how much succeeded, and of how much

SUCCESS, CONTROL, RISK = "success", "control", "risk"  # parts; the last two of each control, as in `risk:empty`
EMPTY, OTHER = "empty", "other"
CONTROLS = {EMPTY: "without any text", OTHER: "from another document's text"}
_SURE = 0.95  # of a risk that is said to be above its control
_NONE = 1e-12  # what is nothing but rounding


class Answers(NamedTuple):
    """About one document, and about what stands in for it; None where there is no answer."""

    own: Answer | None
    empty: Answer | None
    other: Answer | None

    def control(self, which: str) -> Answer | None:
        return self.empty if which == EMPTY else self.other

    @property
    def open(self) -> int:
        """How many of these have no answer."""
        return [self.own, self.empty, self.other].count(None)


def stand_ins(corpus: Corpus, seed: int) -> dict[str, str]:
    """Of each document about people another one about people, never one of its own group; nothing where all are."""
    groups = corpus.survey.groups or [""] * len(corpus)
    about = [
        (document.id, group or ("", document.id))
        for document, group in zip(corpus, groups, strict=True)
        if document.subjects
    ]
    ids = [key for key, _ in about]
    partners = pick_partners(ids, [group for _, group in about], seed)
    return {key: ids[index] for key, index in zip(ids, partners.tolist(), strict=True) if index >= 0}


def answers_of(
    attacker: Attacker,
    name: str,
    documents: Sequence[Document],
    texts: Mapping[str, str],
    instead: Mapping[str, str],
    aim: Aim,
    tags: tuple[str, ...],
) -> list[Answers]:
    """What an attacker says of released texts, and of what stands in for them.

    The question about another document is the one that this document itself raises, so nobody who answers from the text
    alone has to be asked twice; who looks for what is known looks for this document's people.
    """
    cases: list[AttackCase] = []
    for document in documents:
        cases.append(AttackCase(name, document.id, texts[document.id], document.subjects, aim, tags))
        cases.append(AttackCase(name, "", "", document.subjects, aim, tags))
        if partner := instead.get(document.id):
            cases.append(AttackCase(name, partner, texts[partner], document.subjects, aim, tags))
    answers = iter(attacker.infer(cases))
    return [
        Answers(next(answers), next(answers), next(answers) if document.id in instead else None)
        for document in documents
    ]


def risk(success: ArrayLike, control: ArrayLike) -> Floats:
    """Of what the control leaves, the share that the attack finds; undefined where it leaves nothing.

    >>> risk(0.3, 0.1).round(6).item(), risk(0.1, 0.3).item()  # (0.3 − 0.1) / 0.9; what is below 0 is 0
    (0.222222, 0.0)
    """
    rate, remaining = np.asarray(success, dtype=np.float64), 1 - np.asarray(control, dtype=np.float64)
    undefined = np.full(np.broadcast(rate, remaining).shape, np.nan)
    share = np.divide(rate - 1 + remaining, remaining, out=undefined, where=remaining > _NONE)
    return np.asarray(np.clip(share, 0.0, 1.0))


def risk_interval(attack: Units, control: Units, confidence: float) -> tuple[float, float] | None:
    """Wilson's intervals of both, propagated (Giomi et al. 2023), and widened to hold the risk itself.

    >>> low, high = risk_interval(([1] * 30 + [0] * 70, [1] * 100), ([1] * 10 + [0] * 90, [1] * 100), 0.95)
    >>> round(low, 6), round(high, 6)
    (0.104635, 0.330523)
    """
    shares = [np.sum(won) / np.sum(tried) if np.sum(tried) else np.nan for won, tried in (attack, control)]
    value = float(risk(*shares))
    if np.isnan(value):
        return None
    tries, guesses = (as_trials(*units, confidence) for units in (attack, control))
    if not shares[1]:  # nothing tells how these stand together: as the attack's do
        guesses = 0.0, max(guesses[1], min(tries[1], float(np.sum(control[1]))))
    low, high = (end.item() for end in above(rate(*tries, confidence), rate(*guesses, confidence)).ends)
    return min(low, value), max(high, value)


def as_good(attack: Units, control: Units, which: str) -> str:
    """What to say where a control that infers anything cannot be told from the attack; else nothing."""
    if not np.sum(attack[0]) or not np.sum(control[0]):
        return ""
    ends = risk_interval(attack, control, _SURE)
    if ends is not None and ends[0] > 0:
        return ""
    rate, guessed = (np.sum(won) / np.sum(tried) for won, tried in (attack, control))
    better = "these documents are too few to say whether the attack is better than the control"
    alike = better if rate > guessed else "the control is as good as the attack"
    return (
        f"{rate:.1%} are inferred, and {guessed:.1%} {CONTROLS[which]}: {alike}, so what was inferred need not come "
        f"from the text"
    )


def as_trials(won: ArrayLike, tried: ArrayLike, confidence: float) -> tuple[float, float]:
    """As many independent trials as are as uncertain as a rate whose tries stand together in documents.

    With one try in every document these are the tries. Elsewhere they are divided by the design effect: how much more
    the rate varies with the documents than it would if all tries were apart (both variances without bias). As in all
    other intervals Student's t makes them fewer where few documents tell of that, though not fewer than documents that
    weigh alike; what goes beyond those counts by how even the documents are; where nothing varies a document is one
    trial; and a few that deviate are few trials.

    >>> as_trials([1, 0, 1, 1], [1, 1, 1, 1], 0.95)
    (3.0, 4.0)
    >>> as_trials([5, 5, 5], [5, 5, 5], 0.95)  # nothing varies between three documents
    (3.0, 3.0)
    """
    right, tries = (np.asarray(values, dtype=np.float64) for values in (won, tried))
    right, tries = right[tries > 0], tries[tries > 0]
    documents, total = len(tries), tries.sum()
    if not documents:
        return 0.0, 0.0
    share = right.sum() / total
    moves = (right - share * tries) ** 2
    if documents < 2 or moves.sum() <= _NONE:
        return float(share * documents), float(documents)
    varies = moves.sum() / total**2 * documents / (documents - 1)
    trials = total * share * (1 - share) / (total - 1) / varies
    speaking = moves.sum() ** 2 / (moves**2).sum()
    if total > documents:
        degrees = np.clip([2 * speaking, documents - 1], 1, documents - 1)
        widening = student_quantile(degrees, (1 + confidence) / 2) / normal_quantile((1 + confidence) / 2)
        cautious, usual = (trials / widening**2).tolist()
        alike = total**2 / (tries**2).sum()
        trials = max(cautious, min(usual, alike))
        trials = min(trials, alike + (trials - alike) * alike / documents)
    trials = float(min(trials, total, documents * speaking))
    return float(share * trials), trials
