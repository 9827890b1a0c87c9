"""The names of columns and parts of inference metrics, for reports that do not import the metrics."""

from __future__ import annotations

INFERRED, ASKED = "inferred", "asked"  # columns, of all and of each stratum, as in `asked:AGE` and `asked hardness 1`
TAG = "tag"
BARE, UNANSWERED, UNJUDGED, ABOUT = "bare", "unanswered", "unjudged", "about_people"
PEOPLE, INFERENCES = "people", "inferences"  # who was asked about, and of whom how many attributes were inferred
RIGHT, ALL = "inferred", "attributes"  # columns; of a part with its name behind
TOP_1, TOP_3 = "top-1", "top-3"


def column_of(statistic: str, stratum: str) -> str:
    """Tags behind a colon, since tables count by them; the rest in words.

    >>> column_of("asked", "tag:AGE"), column_of("asked", "control:empty"), column_of("asked", "")
    ('asked:AGE', 'asked control empty', 'asked')
    """
    kind, _, value = stratum.partition(":")
    if kind == TAG:
        return f"{statistic}:{value}"
    return f"{statistic} {kind} {value}" if stratum else statistic


def stratum_of(column: str) -> str | None:
    """What a column of what was asked is about; `None` of other columns.

    >>> stratum_of("asked:AGE"), stratum_of("asked control empty"), stratum_of("asked"), stratum_of("unanswered")
    ('tag:AGE', 'control:empty', '', None)
    """
    about = column.removeprefix(ASKED)
    if about == column:
        return None
    return f"{TAG}{about}" if about.startswith(":") else about.strip().replace(" ", ":")
