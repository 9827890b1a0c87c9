"""Google's Sensitive Data Protection (Cloud DLP): findings of `InspectContent`.

In its JSON a number may be text, and what is 0 may be missing. Names with capitals and with underscores are read.
`codepointRange` counts code points, `byteRange` bytes of UTF-8 (Location, API reference).
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import InputError, join_names, quote_value
from showthrough.data.masks import Mask
from showthrough.data.units import to_code_points
from showthrough.formats.objects import strict
from showthrough.formats.recognizers._containers import AnswerShape, ServiceAnswer, TextRecord, convert_or_none
from showthrough.formats.recognizers.answers import AnswerFormat, AnswerReader, build_mask
from showthrough.formats.remarks import Remarks

_UNDERSCORE = re.compile(r"_([a-z])")
_LONG = 19  # digits of a number that is no offset
_ELSEWHERE = frozenset({"recordLocation", "imageLocation", "documentLocation"})  # whose offsets are not of one text


class _Range(msgspec.Struct, gc=False):
    start: int | str = 0
    end: int | str = 0


class _Location(msgspec.Struct, gc=False, rename="camel"):
    aside: ClassVar = ("container",)

    codepoint_range: _Range | None = None
    byte_range: _Range | None = None
    content_locations: list[dict[str, Any]] | None = None


class _InfoType(msgspec.Struct, gc=False):
    aside: ClassVar = ("version", "sensitivityScore")

    name: str


class _Finding(msgspec.Struct, gc=False, rename="camel"):
    aside: ClassVar = (
        "likelihood", "createTime", "name", "quoteInfo", "resourceName", "triggerName", "labels", "jobCreateTime",
        "jobName", "findingId",
    )  # fmt: skip

    info_type: _InfoType
    location: _Location
    quote: str | None = None


class _DlpResult(msgspec.Struct, gc=False):
    findings: list[_Finding]


class _Record(TextRecord, gc=False):
    result: _DlpResult

    @property
    def value(self) -> list[_Finding]:
        return self.result.findings


_KNOWN = strict(list[_Finding])


def _is_finding(value: Any) -> bool:
    return isinstance(value, dict) and bool({"infoType", "info_type"} & value.keys()) and "location" in value


def _findings(value: Any) -> list[Any] | None:
    result = _result(value)
    if result is None:
        return None
    findings = result.get("findings", [])
    return findings if isinstance(findings, list) else None


def _result(value: Any) -> dict[str, Any] | None:
    """The object with the findings; where nothing was found, they may be missing."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("result"), dict):
        inside: dict[str, Any] = value["result"]
        return inside if inside.keys() <= _RESULT else None
    return value if "findings" in value else None


_RESULT = frozenset({"findings", "findingsTruncated", "findings_truncated"})


def _parse(answer: ServiceAnswer, remarks: Remarks | None) -> list[_Finding]:
    result = _result(answer.value) or {}
    if result.get("findingsTruncated") or result.get("findings_truncated"):
        raise answer.fail("was truncated: the service found more than it says; expected all, of shorter texts")
    findings = answer.value if isinstance(answer.value, list) else result.get("findings", [])
    plain_findings: list[_Finding] | None = convert_or_none(findings, _KNOWN)
    if plain_findings is not None:  # as most are
        return plain_findings
    if any(isinstance(finding, dict) and "info_type" in finding for finding in findings):
        findings = _with_capitals(findings)
    return answer.parse_findings(findings, _Finding, _KNOWN, remarks, "findings")  # type: ignore[no-any-return]


def _with_capitals(value: Any) -> Any:
    """The same with keys as its JSON has them: `infoType` for `info_type`."""
    if isinstance(value, list):
        return [_with_capitals(inner) for inner in value]
    if isinstance(value, dict):
        return {
            _UNDERSCORE.sub(lambda match: match[1].upper(), key): _with_capitals(inner) for key, inner in value.items()
        }
    return value


class _Masks(AnswerReader):
    def masks(self, answer: ServiceAnswer) -> list[Mask]:
        return [_mask(answer, number, finding) for number, finding in enumerate(answer.value)]


def _mask(answer: ServiceAnswer, number: int, finding: _Finding) -> Mask:
    location = finding.location
    if location.content_locations and (
        elsewhere := _ELSEWHERE & {key for inner in location.content_locations for key in inner}
    ):
        fault = f"is in a table, an image or pages ({join_names(sorted(elsewhere))}); expected a text"
        raise answer.fail(fault, f"findings[{number}]")
    span = location.codepoint_range or location.byte_range
    if span is None:
        raise answer.fail("found no codepointRange and no byteRange; expected one", f"findings[{number}].location")
    start, end = _whole(answer, number, span.start), _whole(answer, number, span.end)
    if location.codepoint_range is None:
        text = answer.original()
        try:
            start, end = to_code_points(text, (start, end), "bytes")
        except InputError as error:
            raise answer.fail(error.problems[0].message, f"findings[{number}]") from None
    answer.check_covered(start, end, finding.quote or None, "findings", number)
    return build_mask(start, end, finding.info_type.name)


def _whole(answer: ServiceAnswer, number: int, value: int | str) -> int:
    if isinstance(value, int):
        return value
    if value.isdigit() and value.isascii() and len(value) < _LONG:
        return int(value)
    raise answer.fail(f"found {quote_value(value)}; expected a whole number", f"findings[{number}].location")


SHAPE = AnswerShape(
    '"findings" with "infoType" and "location"',
    (b'"infoType"', b'"info_type"'),
    _is_finding,
    _findings,
    own=frozenset({"result", *_RESULT}),
)
_SERVICE = AnswerFormat("dlp", SHAPE, _parse, _Masks, _Record)
FORMAT = _SERVICE.format(
    "Google DLP: findings of InspectContent; by id, in a list, in records, or one alone",
    """\
[{"doc_id": "case-1", "text": "Mr John Doe of Oslo left.", "result": {"findings": [
  {"infoType": {"name": "PERSON_NAME"}, "likelihood": "LIKELY", "quote": "John Doe",
   "location": {"byteRange": {"start": "3", "end": "11"}, "codepointRange": {"start": "3", "end": "11"}}}]}}]
""",
)
