"""The release summary: what somebody needs who must sign that a release may go out, on one page and as JSON.

It holds no text of any document. The JSON has a schema of its own (`schema.json`), which is made of these records; its
`version` rises when a program that reads it could misread it.
"""

from __future__ import annotations

from showthrough.report.release.summary import (
    AcceptedList,
    Attack,
    EarlierRun,
    EvidenceLine,
    FailedMetric,
    KnownInput,
    Limit,
    Number,
    Origin,
    ReleasedTexts,
    ReleaseSummary,
    TestedCorpus,
    Versions,
    release_summary,
    summary_json,
)

__all__ = [
    "AcceptedList",
    "Attack",
    "EarlierRun",
    "EvidenceLine",
    "FailedMetric",
    "KnownInput",
    "Limit",
    "Number",
    "Origin",
    "ReleaseSummary",
    "ReleasedTexts",
    "TestedCorpus",
    "Versions",
    "release_summary",
    "summary_json",
]
