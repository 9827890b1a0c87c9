"""The options and arguments of the built-in families, put together for type checkers alone.

At run time `core.families.family_fields` does the same for all families, those of other packages too.
"""

from __future__ import annotations

from showthrough.families._arguments import (
    AuthorshipArguments,
    BackgroundArguments,
    PolicyArguments,
    StatementArguments,
)
from showthrough.families.authorship.family import AuthorshipOptions
from showthrough.families.inference.family import StatementOptions
from showthrough.families.policies.family import PolicyOptions
from showthrough.families.reidentification.family import BackgroundOptions


class FamilyOptions(PolicyOptions, AuthorshipOptions, StatementOptions, BackgroundOptions): ...


class FamilyArguments(PolicyArguments, AuthorshipArguments, StatementArguments, BackgroundArguments): ...
