"""Malformed corpora and anonymizations, through the command line.

Each case: exit status 2, one clear line a problem that names the place, no traceback, no output file made or touched.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest

TEXT = "😀 Mr John Doe of Oslo left."
DOCUMENT: dict[str, Any] = {
    "doc_id": "d1",
    "text": TEXT,
    "annotations": {
        "ann": {
            "entity_mentions": [
                {
                    "start_offset": 5,
                    "end_offset": 13,
                    "entity_type": "PERSON",
                    "identifier_type": "DIRECT",
                    "entity_id": "e1",
                    "span_text": "John Doe",
                },
                {"start_offset": 17, "end_offset": 21, "entity_type": "LOC", "entity_id": "e2"},
            ]
        }
    },
}
MASKS = {"d1": [[5, 13, "PERSON"]]}
EVALUATE = ("evaluate", "corpus.json", "a=masks.json", "-o", "out.json")
DEEP = "[" * 100_000


@dataclass(frozen=True)
class Case:
    """Files beside the sound ones, a command, what every line starts with, and what the lines say."""

    name: str
    starts: str
    says: tuple[str, ...]
    files: Mapping[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = EVALUATE
    lines: int = 1


CASES: list[Case] = []


def case(name: str, starts: str, *says: str, lines: int = 1, command: tuple[str, ...] = EVALUATE, **files: Any) -> None:
    """Adds a case; `corpus_json=…` is the content of corpus.json."""
    named = {key.replace("__", "/").replace("_", "."): content for key, content in files.items()}
    CASES.append(Case(name, starts, says, named, command, lines))


def mention(name: str, field_name: str, *says: str, **changes: Any) -> None:
    """A case with the first mention changed."""
    document = deepcopy(DOCUMENT)
    document["annotations"]["ann"]["entity_mentions"][0].update(changes)
    place = "corpus.json: document d1: annotations.ann.entity_mentions[0]"
    case(f"mention, {name}", place + field_name + ": ", *says, corpus_json=[document])


def mask(name: str, place: str, *says: str, given: Any) -> None:
    """A case with one mask."""
    case(f"mask, {name}", f"masks.json: document d1: masks{place}: ", *says, masks_json={"d1": [given]})


def one_document(**changes: Any) -> list[dict[str, Any]]:
    return [{**DOCUMENT, **changes}]


def dumped(value: Any = (DOCUMENT,)) -> str:
    return json.dumps(value)


# --- JSON that is none ------------------------------------------------------------------------------------------------

NO_JSON = "corpus.json: is not valid JSON: "
case("truncated corpus", NO_JSON, "ends too early (column 59)", corpus_json=dumped()[:58])
case("truncated on line 3", NO_JSON, "line 3", corpus_json=json.dumps([DOCUMENT], indent=1)[:20])
case("truncated masks", "masks.json: is not valid JSON: ", "ends too early", masks_json='{"d1": [[3,')
case("empty file", "corpus.json: is empty; ", "expected a TAB .json", corpus_json="")
case("blank file", "corpus.json: is empty; ", "expected", corpus_json=" \n" * 5000)
case("empty masks file", "masks.json: is empty; ", "expected a TAE .json", masks_json="")
case("not JSON at all", "corpus.json: is not JSON: ", "starts with 'h'", corpus_json="hello")
case("single quotes", NO_JSON, corpus_json="[{'doc_id': 'd1'}]")
case("trailing comma", NO_JSON, corpus_json=dumped()[:-1] + ",]")
case("comment", NO_JSON, corpus_json="[/* none */]")
case("two values", NO_JSON, "more follows", ".jsonl", corpus_json="[]\n[]")
case(
    "JSON Lines named .json",
    "corpus.json: document d1: ",
    "this id occurs twice",
    corpus_json=f"{dumped(DOCUMENT)}\n{dumped(DOCUMENT)}",
)
case("NaN", NO_JSON, "invalid character", corpus_json=dumped().replace(": 5,", ": NaN,"))
case("Infinity", "masks.json: is not valid JSON: ", masks_json='{"d1": [[0, Infinity]]}')
case("line feed in a string", NO_JSON, "invalid character", corpus_json=dumped().replace("left", "\n"))
case("deep nesting", "corpus.json: is nested too deeply", corpus_json=DEEP)
case("deep nesting, closed", "corpus.json: is nested too deeply", corpus_json=DEEP + "]" * len(DEEP))
case("deep masks", "masks.json: ", "nested too deeply", masks_json='{"d1": ' + DEEP + "]" * len(DEEP) + "}")
case(
    "deep nesting in a key that nobody reads",
    "corpus.json: ",
    "nested too deeply",
    corpus_json=dumped()[:-2] + ', "more": ' + DEEP + "]" * len(DEEP) + "}]",
)

# --- characters -------------------------------------------------------------------------------------------------------

LONE = dumped().replace("left", "\\ud83d left")
case("lone high surrogate", NO_JSON, "half of a surrogate pair", corpus_json=LONE)
case("lone low surrogate", NO_JSON, "half of a surrogate pair", corpus_json=dumped().replace("left", "\\udc00"))
case(
    "surrogate as UTF-8", "corpus.json: document d1: ", "expected UTF-8", corpus_json=dumped().replace("left", "\ud83d")
)
case("lone surrogate in a mask", "masks.json: ", "surrogate pair", masks_json='{"d1": [[5, 13, "\\ud83d x"]]}')
LATIN = json.dumps(one_document(text=TEXT.replace("😀", "é") + "é"), ensure_ascii=False).encode("latin-1")
case("Latin-1", "corpus.json: document d1: is not UTF-8", "expected UTF-8", corpus_json=LATIN)
case(
    "Latin-1 masks",
    "masks.json: document d1: masks: is not UTF-8",
    masks_json='{"d1": [[5, 13, "é"]]}'.encode("latin-1"),
)
case("Latin-1 id", "masks.json: is not UTF-8", masks_json='{"dé": []}'.encode("latin-1"))
case("UTF-16", "corpus.json: is encoded in UTF-16", "expected UTF-8", corpus_json=dumped().encode("utf-16"))
case("UTF-16, big-endian", "corpus.json: is encoded in UTF-16", corpus_json=b"\xfe\xff" + dumped().encode("utf-16-be"))
case("UTF-16 without mark", "corpus.json: has a zero byte", "UTF-16", corpus_json=dumped().encode("utf-16-le"))
case("UTF-16 without mark, big-endian", "corpus.json: has a zero byte", corpus_json=dumped().encode("utf-16-be"))
case("UTF-32", "corpus.json: is encoded in UTF-32", corpus_json=dumped().encode("utf-32"))
case("byte order mark inside", NO_JSON, "byte order mark", corpus_json="[\ufeff" + dumped(DOCUMENT) + "]")
case(
    "control characters in an id reach no terminal",
    "corpus.json: document a\\nb\\x1b[31m: ",
    "text is empty",
    corpus_json=[{"doc_id": "a\nb\x1b[31m", "text": ""}],
)

# --- types at every level of a corpus ---------------------------------------------------------------------------------

case("corpus is a number", "corpus.json: is not JSON: ", "expected a TAB .json", corpus_json="5")
case("corpus is null", "corpus.json: is not JSON: ", "expected a TAB .json", corpus_json="null")
case("documents are numbers", "corpus.json: document number ", "expected an object", lines=2, corpus_json=[1, 2])
case("document is a list", "corpus.json: document number 1: ", "found a list", corpus_json=[[]])
case("id is a list", "corpus.json: document number 1: doc_id: ", "or text", corpus_json=one_document(doc_id=[]))
case(
    "id is missing",
    "corpus.json: document number 1: ",
    "doc_id is missing",
    corpus_json=[{"text": "x", "annotations": {}}],
)
case("id is empty", "corpus.json: a document: ", "id is empty", corpus_json=one_document(doc_id=""))
case(
    "text is null", "corpus.json: document d1: text: ", "found null; expected text", corpus_json=one_document(text=None)
)
case("text is missing", "corpus.json: document d1: ", "text is missing", corpus_json=[{"doc_id": "d1"}])
case(
    "text is empty", "corpus.json: document d1: ", "at least one character", corpus_json=[{"doc_id": "d1", "text": ""}]
)
case(
    "annotations are a list",
    "corpus.json: document d1: annotations: ",
    "found a list […]; expected an object {…} or null",
    corpus_json=one_document(annotations=[]),
)
case("layer is null", "corpus.json: document d1: annotations.x: ", corpus_json=one_document(annotations={"x": None}))
case(
    "mentions are an object",
    "corpus.json: document d1: annotations.x.entity_mentions: ",
    "expected a list",
    corpus_json=one_document(annotations={"x": {"entity_mentions": {}}}),
)
case(
    "mention is null",
    "corpus.json: document d1: annotations.x.entity_mentions[0]: ",
    "found null; expected an object",
    corpus_json=one_document(annotations={"x": {"entity_mentions": [None]}}),
)
mention("start is text", ".start_offset", "found text; expected a whole number", start_offset="5")
mention("start is null", ".start_offset", "found null; expected a whole number", start_offset=None)
mention("start is a float", ".start_offset", "found a decimal number; expected a whole number", start_offset=5.0)
mention("end is a fraction", ".end_offset", "found a decimal number", end_offset=12.5)
mention("end is true", ".end_offset", "found true or false", end_offset=True)
mention("identifier in small letters", ".identifier_type", "'direct'; expected DIRECT, QUASI", identifier_type="direct")
mention("identifier is a number", ".identifier_type", "found a whole number", identifier_type=1)
mention("entity type is a number", ".entity_type", "expected text", entity_type=5)
mention("entity id is a list", ".entity_id", "expected a whole number, text or null", entity_id=[])
mention("span text is a number", ".span_text", "expected text or null", span_text=8)
case(
    "two documents, both wrong",
    "corpus.json: document d",
    "document d1: text: found null",
    "document d2: text: found a whole number",
    lines=2,
    corpus_json=[{"doc_id": "d1", "text": None}, {"doc_id": "d2", "text": 2}],
)

# --- offsets ----------------------------------------------------------------------------------------------------------

mention("negative", "", "start_offset -1 is negative", start_offset=-1, span_text=None)
mention("reversed", "", "end_offset 5 is not after start_offset 13", start_offset=13, end_offset=5)
mention("equal", "", "end_offset 5 is not after start_offset 5", end_offset=5)
mention("past the end", "", "end_offset 9999 is past the end of the text (27 characters)", end_offset=9999)
mention("one past the end", "", "end_offset 28 is past the end", end_offset=28)
# The emoji is one code point and two UTF-16 units, so offsets counted in those are one too large.
mention("in UTF-16 units", "", "'ohn Doe '", "'John Doe'", "Unicode code points", start_offset=6, end_offset=14)
mention("inside a surrogate pair", "", "Unicode code points", start_offset=1, end_offset=2, span_text="😀")
mention("huge", "", f"{10**30} is past the end", end_offset=10**30)
mention("huge start", "", "is not after", start_offset=10**30)
case(
    "offset of 5,000 digits",
    "corpus.json: document d1: annotations.ann.entity_mentions[0].end_offset: ",
    "out of all range",
    corpus_json=dumped().replace(": 13", ": " + "9" * 5000),
)
mask("negative", "[0]", "start -1 is negative", given=[-1, 4])
mask("reversed", "[0]", "end 3 is not after start 7", given=[7, 3])
mask("equal", "[0]", "end 5 is not after start 5", given=[5, 5])
mask("past the end", "[0]", "end 99 is past the end of the text (27 characters)", given=[0, 99])
mask("huge", "[0]", "past the end", given=[0, 10**30])
mask("float", "[0][1]", "found a decimal number", given=[0, 4.0])
mask("true", "[0][0]", "found true or false", given=[True, 4])
mask("text", "[0][1]", "found text", given=[0, "4"])
mask("null", "[0][0]", "found null", given=[None, 4])
mask("one element", "[0]", "found a list of 1; expected a list of at least 2", given=[5])
mask("no element", "[0]", "found a list of 0", given=[])
mask("score is a text", "[0][4]", "found text; expected a number or null", given=[5, 13, "x", "y", "z"])
mask("score is too high", "[0][4]", "expected a number of 1.0 or less", given=[5, 13, "x", "y", 7])
mask("six elements", "", "found a longer list", given=[5, 13, "x", "y", 0.5, "z"])
mask("replacement is a number", "[0][2]", "expected text or null", given=[5, 13, 7])
mask("object", "[0]", "found an object {…}; expected a list", given={"start": 5, "end": 13})
mask("number", "[0]", "expected a list", given=5)
case("masks are null", "masks.json: document d1: masks: ", "found null", masks_json={"d1": None})
case("masks are an object", "masks.json: document d1: masks: ", "found an object", masks_json={"d1": {}})
case("masks are a list of numbers", "masks.json: document number ", "expected an object", lines=2, masks_json=[1, 2])
case(
    "masks and texts mixed", "masks.json: document d2: text: ", "expected text", masks_json={"d1": "x", "d2": [[0, 1]]}
)

# --- ids --------------------------------------------------------------------------------------------------------------

AGAIN = ('{"ann"', '{"ann": {"entity_mentions": []}, "ann"')
TWICE = '{"d1": [[5, 13]], "d1": [[5, 13]]}'
case("id twice in a list", "corpus.json: document d1: ", "occurs twice", corpus_json=[DOCUMENT, DOCUMENT])
case("id twice in an object", "masks.json: document d1: occurs twice", masks_json=TWICE)
case("id twice, once escaped", "masks.json: document d1: occurs twice", masks_json=TWICE.replace('"d', '"\\u0064', 1))
case(
    "id twice, and what is no UTF-8",
    "masks.json: document d1: occurs twice",
    masks_json=TWICE.encode().replace(b"}", b', "d2": "\xe5"}'),
)
case(
    "id twice, a huge number",
    "masks.json: document d1: occurs twice",
    masks_json='{"d1": ' + "9" * 6000 + ', "d1": []}',
)
case("id twice among texts", "corpus.json: document d1: occurs twice", corpus_json='{"d1": "x", "d1": "y"}')
case(
    "annotator twice",
    "corpus.json: document d1: annotator ann: occurs twice",
    corpus_json=dumped().replace(*AGAIN),
)
case(
    "annotator twice, the first damaged",
    "corpus.json: document d1: annotator ann: occurs twice",
    corpus_json=dumped().replace('{"ann"', '{"ann": 5, "ann"'),
)
case(
    "annotations twice",
    "corpus.json: document d1: key annotations: occurs twice",
    corpus_json=dumped().replace('"annotations"', '"annotations": {"b": {"entity_mentions": []}}, "annotations"'),
)
case("unknown id", "masks.json: document zz: ", "is not in the corpus corpus.json", masks_json={**MASKS, "zz": []})
case("missing document", "masks.json: document d1: ", "--missing unmasked", masks_json={})
case("empty corpus", "corpus.json: the corpus is empty", "at least one document", corpus_json="[]")
case("empty corpus, an object", "corpus.json: the corpus is empty", corpus_json="{}")
case(
    "no annotations",
    "corpus.json: no document has annotations",
    "er_di",
    "recall_per_type",
    corpus_json=one_document(annotations=None),
    command=(*EVALUATE, "--preset", "default"),
)
case(
    "texts by id have none",
    "corpus.json: no document has annotations",
    corpus_json={"d1": TEXT},
    command=(*EVALUATE, "-m", "er_di"),
)
case(
    "masks for a corpus",
    "corpus.json: looks like masks, not a corpus; the corpus comes first",
    corpus_json={"d1": [[0, 3]], "d2": []},
)

# --- JSON Lines -------------------------------------------------------------------------------------------------------

LINES = ("evaluate", "corpus.jsonl", "a=masks.json", "-o", "out.json")
LINE = dumped(DOCUMENT)
for name, starts, says, content in (
    ("CR alone", "corpus.jsonl: line 1: ", "carriage return", f"{LINE}\r{LINE}"),
    ("truncated", "corpus.jsonl: line 2: ", "invalid character (column 41)", f"{LINE}\n{LINE[:40]}\n"),
    ("byte order mark inside", "corpus.jsonl: line 2: ", "byte order mark", f"{LINE}\n\ufeff{LINE}"),
    ("id twice", "corpus.jsonl: document d1: ", "occurs twice", f"{LINE}\n{LINE}"),
    ("empty", "corpus.jsonl: the corpus is empty", "", ""),
    ("number on a line", "corpus.jsonl: line 2: ", "expected an object", f"{LINE}\n5"),
    ("text is a number", "corpus.jsonl: document d2: text: ", "expected text", LINE + '\n{"doc_id": "d2", "text": 5}'),
    ("wrong span text", "corpus.jsonl: document d1: ", "code points", LINE.replace(': "John', ': "Jane')),
    ("UTF-16", "corpus.jsonl: is encoded in UTF-16", "", LINE.encode("utf-16")),
    ("Latin-1", "corpus.jsonl: document d1: is not UTF-8", "", LINE.encode() + b"\n" + LATIN[1:-1]),
    ("annotator twice", "corpus.jsonl: document d1: annotator ann: ", "twice", LINE.replace(*AGAIN)),
):  # fmt: skip
    case(f"JSON Lines, {name}", starts, *filter(None, [says]), corpus_jsonl=content, command=LINES)
MASK_LINES = ("evaluate", "corpus.json", "a=masks.jsonl", "-o", "out.json")
for name, starts, says, content in (
    ("no id", "masks.jsonl: line 1: ", "doc_id is missing", '{"masks": []}'),
    ("id is a list", "masks.jsonl: line 1: doc_id: ", "or text", '{"doc_id": [], "masks": []}'),
    ("id twice", "masks.jsonl: document d1: ", "twice", '{"doc_id": "d1", "masks": []}\n' * 2),
    ("empty id", "masks.jsonl: a document: ", "empty", '{"doc_id": "", "masks": []}'),
    ("neither masks nor text", "masks.jsonl: document d1: ", "or masks in every document", '{"doc_id": "d1"}'),
    ("mask is a number", "masks.jsonl: document d1: masks[0]: ", "expected a list", '{"doc_id": "d1", "masks": [5]}'),
    ("text is null", "masks.jsonl: document d1: text: ", "found null", '{"doc_id": "d1", "text": null}'),
    ("empty", "masks.jsonl: document d1: ", "not here", ""),
    ("not JSON", "masks.jsonl: line 1: ", "invalid character", "hello"),
):
    case(f"masks as JSON Lines, {name}", starts, says, masks_jsonl=content, command=MASK_LINES)

# --- tables and folders -----------------------------------------------------------------------------------------------

TABLE = ("evaluate", "corpus.json", "a=texts.csv", "-o", "out.json")
for name, starts, says, content in (
    ("no such column", "texts.csv: column text: ", "found id, body; expected", "id,body\nd1,x\n"),
    ("no ids", "texts.csv: has no column doc_id or id", "not matched by their order", "text\nx\n"),
    ("column twice", "texts.csv: column text: ", "found doc_id, text, text", "doc_id,text,text\nd1,a,b\n"),
    ("empty", "texts.csv: column text: ", "found no columns", ""),
    ("row too long", "texts.csv: line 2: ", "2 columns in its header", "doc_id,text\nd1,x,y\n"),
    ("row too short", "texts.csv: line 3: ", "2 columns in its header", "doc_id,text\nd1,x\nd2\n"),
    ("unclosed quote", "texts.csv: line 3: ", "unexpected end of data", 'doc_id,text\nd1,"abc\ndef\n'),
    ("quote inside", "texts.csv: line 2: ", "not a well-formed table", 'doc_id,text\nd1,"a"b\n'),
    ("id twice", "texts.csv: document d1: ", "occurs twice", "doc_id,text\nd1,a\nd1,b\n"),
    ("id empty", "texts.csv: line 3: ", "id is empty", "doc_id,text\nd1,a\n,b\n"),
    ("unknown id", "texts.csv: document zz: ", "not in the corpus", "doc_id,text\nd1,a\nzz,b\n"),
    ("no rows", "texts.csv: document d1: ", "not here", "doc_id,text\n"),
    (
        "Latin-1",
        "texts.csv: byte 15 is not UTF-8",
        "which spreadsheet programs call CSV UTF-8",
        "doc_id,text\nd1,é\n".encode("latin-1"),
    ),
):
    case(f"table, {name}", starts, *filter(None, [says]), texts_csv=content, command=TABLE)
case(
    "table, chosen column missing",
    "texts.csv: column body: ",
    "--text-column",
    texts_csv="doc_id,text\nd1,x\n",
    command=(*TABLE, "--text-column", "body"),
)
FOLDER = ("evaluate", "corpus.json", "a=folder", "-o", "out.json")
PACKED = gzip.compress(b"x")
case("folder without texts", "folder: holds no .txt file", folder__a_md="x", command=FOLDER)
case(
    "folder, id twice",
    "folder: document d1: occurs twice",
    folder__d1_txt="x",
    folder__d1_txt_gz=PACKED,
    command=FOLDER,
)
case("folder, Latin-1", "folder/d1.txt: byte 1 is not UTF-8", folder__d1_txt="xé".encode("latin-1"), command=FOLDER)
case("folder, unknown id", "folder: document zz: ", "not in", folder__d1_txt="x", folder__zz_txt="y", command=FOLDER)
case("folder, a folder in it", "folder/d1.txt: is a folder", folder__d1_txt__x="", command=FOLDER)
TWO = [DOCUMENT, {"doc_id": "d2", "text": "x"}]
case("folder, one missing", "folder: document d1: ", "not here", folder__d2_txt="x", corpus_json=TWO, command=FOLDER)

# --- gzip -------------------------------------------------------------------------------------------------------------

PACKED = gzip.compress(dumped().encode())
GZIP = ("evaluate", "corpus.json.gz", "a=masks.json", "-o", "out.json")
case("gzip cut off", "corpus.json.gz: cannot be read: damaged", corpus_json_gz=PACKED[:60], command=GZIP)
DAMAGED = PACKED[:-8] + b"12345678"
case("gzip with a wrong sum", "corpus.json.gz: cannot be read: damaged", corpus_json_gz=DAMAGED, command=GZIP)
case("gzip that is none", "corpus.json.gz: cannot be read: ", "not a gzip file", corpus_json_gz=dumped(), command=GZIP)
case("gzip of nothing", "corpus.json.gz: is empty", corpus_json_gz=b"", command=GZIP)
case("gzip without its ending", "corpus.json: is packed with gzip", "ends in .gz", corpus_json=PACKED)
case(
    "gzip of lines, cut off",
    "corpus.jsonl.gz: cannot be read: damaged",
    corpus_jsonl_gz=gzip.compress(LINE.encode())[:60],
    command=("evaluate", "corpus.jsonl.gz", "a=masks.json", "-o", "out.json"),
)


I2B2 = "<ROOT><RECORD ID='1'><TEXT>Mr <PHI TYPE='PATIENT'>Doe</PHI></TEXT></RECORD></ROOT>"
for encoding in ("undefined", "idna", "punycode", "unicode_escape", "hex", "base64", "mbcs", "nonsense"):
    case(
        f"XML in {encoding}",
        f"c.xml: declares the unknown encoding {encoding}; expected UTF-8",
        c_xml=f'<?xml version="1.0" encoding="{encoding}"?>{I2B2}',
        command=("convert", "c.xml", "--to", "tab", "-o", "out.json"),
    )
case(
    "damaged gzip of records",
    "c.xml.gz: cannot be read: damaged",
    c_xml_gz=gzip.compress(I2B2.encode())[:-8] + b"\0" * 8,
    command=("apply", "--replace", "surrogate", "c.xml.gz", "-o", "out.json"),
)


@pytest.mark.parametrize("case", [pytest.param(one, id=one.name) for one in CASES])
def test_bad_input(case: Case, desk: Any) -> None:
    desk.write({"corpus.json": [DOCUMENT], "masks.json": MASKS, **case.files})
    desk.refuses(*case.command, starts=case.starts, says=case.says, lines=case.lines)
    desk.write({"out.json": "precious"})
    desk.refuses(*case.command, "--force", starts=case.starts, says=case.says, lines=case.lines)


def test_there_are_enough_cases_and_each_is_told_apart() -> None:
    assert len(CASES) == len({one.name for one in CASES}) >= 75


def test_sound_files_are_accepted(desk: Any) -> None:
    desk.write({"corpus.json": [DOCUMENT], "masks.json": MASKS})
    assert desk.cli(*EVALUATE).status == 0
    assert (desk.folder / "out.json").exists()
