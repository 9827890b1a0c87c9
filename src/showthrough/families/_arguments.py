"""What the built-in families take from Python programs; imported where a program calls, since it names their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from showthrough.data.authorship import Ratings
from showthrough.data.background import Background
from showthrough.families.authorship.verifiers.base import Verifier
from showthrough.families.authorship.verifiers.recorded import GivenAnswers

Asked = str | PathLike[str] | Verifier | GivenAnswers


@dataclass(frozen=True, kw_only=True)
class BackgroundArguments:
    """What an attacker knows."""

    background: Background | Mapping[str, str] | Sequence[Background] | None = None


@dataclass(frozen=True, kw_only=True)
class AuthorshipArguments:
    """Who is asked about authors, answers of others, and what people say of passages."""

    verifiers: Asked | Iterable[Asked] = ()
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ratings: Ratings | None = None
