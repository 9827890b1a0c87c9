"""XML read safely and to the letter: no entities, nothing from outside the file, and line ends as they were written."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NoReturn, Protocol
from xml.parsers import expat  # whatever could expand or reach outside is refused below

from showthrough.core.errors import OutputError, quote_value
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.reading import fail, read_bytes

_DECLARED = lazy_pattern(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
NOT_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN_TAGS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTES = str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})  # besides

# Python's own, for names of hosts and for its source code: no file is written in them.
_NO_FILES_ENCODING = {
    "idna", "mbcs", "oem", "palmos", "punycode", "raw-unicode-escape", "raw_unicode_escape", "undefined",
    "unicode-escape", "unicode_escape",
}  # fmt: skip


class Handler(Protocol):
    """What is told of a file, in its order."""

    def opens(self, element: str, attributes: dict[str, str], line: int) -> None: ...
    def closes(self, element: str, line: int) -> None: ...
    def says(self, text: str, written: str) -> None: ...


def walk(path: Path, handler: Handler) -> None:
    """Tells a handler what a file holds. Raises InputError where it is not well-formed, or not safe."""
    content = _to_utf8(path, read_bytes(path))
    parser = expat.ParserCreate("UTF-8")
    parser.buffer_text = False

    def says(text: str) -> None:
        # A parser has to report every line end as a line feed, and this one reports each on its own. Bytes are only
        # kept when a carriage return stays one; what was written there is still in the file.
        written = text
        if text == "\n" and content[parser.CurrentByteIndex] == ord("\r"):
            written = "\r\n" if content[parser.CurrentByteIndex + 1 : parser.CurrentByteIndex + 2] == b"\n" else "\r"
        handler.says(text, written)

    def refuse(message: str) -> NoReturn:
        raise fail(path, message, f"line {parser.CurrentLineNumber}")

    def entity(name: str, *_: object) -> None:
        danger = "entities are refused, they can fill the memory or read other files"
        refuse(f"declares the entity {quote_value(name)}; {danger}")

    def doctype(name: str, system: str | None, public: str | None, _: object) -> None:
        if outside := system or public:
            refuse(
                f"refers to {quote_value(outside)} outside the file; nothing outside is read: remove the DOCTYPE line"
            )

    def skipped(name: str, is_parameter: bool) -> None:
        written = quote_value(f"{'%' if is_parameter else '&'}{name};")
        refuse(f"refers to the entity {written}, which it does not declare; its text would be lost")

    # After a reference to an entity of declarations every other entity may be declared somewhere else, and the parser
    # would leave it out without a word. So that it tells of such references, it is asked to follow them.
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
    parser.SkippedEntityHandler = skipped
    parser.StartElementHandler = lambda element, attributes: handler.opens(
        element, attributes, parser.CurrentLineNumber
    )
    parser.EndElementHandler = lambda element: handler.closes(element, parser.CurrentLineNumber)
    parser.CharacterDataHandler = says
    parser.EntityDeclHandler = entity
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise fail(
            path, f"is not well-formed XML: {reason} (line {error.lineno}, column {error.offset + 1})"
        ) from error


def _to_utf8(path: Path, content: bytes) -> bytes:
    """The content in UTF-8, whatever encoding the file declares."""
    declared = _DECLARED.match(content)
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        if codecs.lookup(encoding).name in _NO_FILES_ENCODING:
            raise LookupError(encoding)
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        why = "as its first line says" if declared else "since its first line names no other encoding"
        raise fail(path, f"byte {error.start} is not {encoding.upper()}; expected that throughout, {why}") from error
    except (LookupError, UnicodeError):
        raise fail(path, f"declares the unknown encoding {encoding}; expected UTF-8") from None
    return text.encode("utf-8", "surrogatepass")


def escape_text(text: str, location: str) -> str:
    """Text as it stands between tags or in an attribute; every reader gets the same characters back.

    >>> escape_text('A & "B"\\r\\n', "document 1")
    'A &amp; &quot;B&quot;&#13;&#10;'
    """
    return inline(text, location).translate(_IN_ATTRIBUTES)


def inline(text: str, location: str) -> str:
    """Text between tags, with its quotes, tabs and line feeds as they are."""
    return _writable(text, location).translate(_BETWEEN_TAGS)


def cdata(text: str, location: str) -> str:
    """Text as a CDATA section. A carriage return is written as a reference: raw, every XML reader would drop it.

    >>> cdata("a\\r\\nb ]]> c", "document 1")
    '<![CDATA[a]]>&#13;<![CDATA[\\nb ]]]]><![CDATA[> c]]>'
    """
    inside = _writable(text, location).replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inside}]]>"


def _writable(text: str, location: str) -> str:
    """Raises OutputError when a text has a character that no XML file can hold."""
    if bad := NOT_XML.search(text):
        character = f"character {bad.start()} is U+{ord(bad[0]):04X}"
        raise OutputError(f"{location}: {character}, which XML cannot hold; choose another format, such as brat")
    return text
