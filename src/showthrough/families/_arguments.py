"""What the built-in families take from Python programs; imported where a program calls, since it names their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Annotated, Any

from msgspec import Meta

from showthrough.data.authorship import Ratings
from showthrough.data.background import Background
from showthrough.data.statements import Statements
from showthrough.families.authorship.verifiers.base import Verifier
from showthrough.families.authorship.verifiers.recorded import GivenAnswers
from showthrough.families.policies.policy import Policy

Asked = str | PathLike[str] | Verifier | GivenAnswers


@dataclass(frozen=True, kw_only=True)
class BackgroundArguments:
    """What an attacker knows."""

    background: Annotated[
        Background | Mapping[str, str] | Sequence[Background] | None,
        Meta(
            description="What an attacker knows, individual id to text; trir needs it and is added for it. Of several, "
            'a metric names its own: trir(background="web").'
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class AuthorshipArguments:
    """Who is asked about authors, answers of others, and what people say of passages."""

    verifiers: Annotated[
        Asked | Iterable[Asked],
        Meta(
            description="Who is asked who wrote the documents: verifiers, their names, or folders that train_verifier "
            "saved."
        ),
    ] = ()
    answers: Annotated[
        Mapping[str, Mapping[str, Any]],
        Meta(
            description="Answers of other verifiers, probabilities by document id for the originals and each "
            'anonymization, {"original": {…}, "A": {…}}, or these by verifier.'
        ),
    ] = field(default_factory=dict)
    ratings: Annotated[Ratings | None, Meta(description="What people say of passages.")] = None


@dataclass(frozen=True, kw_only=True)
class PolicyArguments:
    """The rules that releases are judged by."""

    policy: Annotated[
        str | PathLike[str] | Policy | None,
        Meta(
            description="The rules that releases are judged by: hipaa-safe-harbor, i2b2-2014, tab, a TOML file, or a "
            "Policy. It also says for every metric which types must be masked."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StatementArguments:
    """What must be gone from documents, and what must stay true."""

    statements: Annotated[
        Statements | None,
        Meta(description="What must be gone from documents and what must stay true; propositions is added for it."),
    ] = None
