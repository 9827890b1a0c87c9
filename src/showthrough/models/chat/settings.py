"""What may be asked of language models: who hears of the documents, how fast, and where answers are kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

NOWHERE = (
    "its answers cost and are kept beside the run: name it with -o, or a file with --recordings"
    " (in Python, recordings=…)"
)


@dataclass(frozen=True, kw_only=True)
class AskingSettings:
    """How language models are asked. No number depends on it."""

    heading: ClassVar[str] = "Language models"  # in help

    send_text_to: Annotated[
        str | Collection[str],
        Meta(title="HOST", description="Text may be sent to this host, for llm:…; loopback always may; repeatable."),
    ] = ()
    recordings: Annotated[
        str | None,
        Meta(
            title="FILE", description="Where answers of language models are kept; usually RUN.answers beside the run."
        ),
    ] = None
    concurrency: Annotated[int, Meta(description="Questions to a language model that are under way at once.", ge=1)] = 8
    rate: Annotated[
        float, Meta(title="N", description="Questions a minute to a language model, at most; 0: no limit.", ge=0)
    ] = 0.0
    price: Annotated[
        str | None,
        Meta(title="IN,OUT", description="What a million tokens cost that are sent and answered, for --estimate."),
    ] = None
