"""What a reader must know before believing the numbers: guesses that were made, and slips in what was given.

Nothing here keeps an evaluation from going on. Each notice is one sentence; `validate` and `evaluate` print them, and a
run keeps them for its reports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from showthrough.mask_notices import mask_notices
from showthrough.masks import Anonymization
from showthrough.metrics import Metric
from showthrough.text import Corpus

Notice = Callable[[Corpus, Sequence[Anonymization], Sequence[Metric]], list[str]]
NOTICES: tuple[Notice, ...] = (mask_notices,)


def notices(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric] = ()) -> list[str]:
    """All of them, each once."""
    return list(dict.fromkeys(line for notice in NOTICES for line in notice(corpus, anonymizations, metrics)))
