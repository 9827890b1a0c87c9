"""Rules beside a learner: what they find is theirs, whatever the learner says."""

from __future__ import annotations

from collections.abc import Callable

from showthrough.anonymizers.taggers.labels import Found
from showthrough.anonymizers.taggers.tokens import Tokens

Rule = Callable[[Tokens], list[Found]]
RULES: dict[str, Rule] = {}
