"""TAE: a configuration of the Text Anonymization Evaluator stands wherever a plan may."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from showthrough.core.families import Family

if TYPE_CHECKING:
    from showthrough.evaluation.requests import EvaluationRequest
    from showthrough.storage.file_heads import Head


class _TAE(Family):
    @property
    def reads_requests(self) -> bool:
        return True

    def is_request(self, head: Head) -> bool:
        from showthrough.families.tae.configuration import is_tae

        return is_tae(head)

    def read_request(self, path: Path) -> EvaluationRequest:
        from showthrough.families.tae.configuration import read_tae

        return read_tae(path)


FAMILY = _TAE("tae")
