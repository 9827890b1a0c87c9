"""An attacker for tests: says what a test tells it to, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from showthrough.families.inference import _people
from showthrough.families.inference.base import Answer, AttackCase


class Saying:
    """Answers by a function of the case."""

    name = "reader"

    def __init__(self, says: Callable[[AttackCase], Answer | None]) -> None:
        self.says = says
        self.asked: list[AttackCase] = []

    def infer(self, cases: Sequence[AttackCase]) -> list[Answer | None]:
        self.asked += cases
        return [self.says(case) for case in cases]


@pytest.fixture
def attacked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[AttackCase], Answer | None]], Saying]:
    """Makes whatever attacker is asked for answer by a function."""

    def by(says: Callable[[AttackCase], Answer | None]) -> Saying:
        attacker = Saying(says)
        monkeypatch.setattr(_people, "attacker_of", lambda name, resources: attacker)
        return attacker

    return by
