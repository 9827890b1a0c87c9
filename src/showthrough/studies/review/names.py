"""What documents are called where nobody may be told what is hidden: names of files that every system takes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator

_LONGEST = 100  # bytes: with a number and an ending every file system has room for it
_NOT_SAFE = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.DOTALL)  # on Windows
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_TELLING = 4  # letters of a word that somebody would know again; fewer where a letter is a syllable or a word


def document_name(number: int, used: Container[str] = ()) -> str:
    """What a document is called whose id would tell something; no id that another has."""
    name = f"document-{number + 1}"
    while name in used:
        name += "x"
    return name


def tells(name: str, hidden: Iterable[str]) -> bool:
    """Whether a document's id has a word of what is hidden in it; a number counts whole, since long ids have any year.

    >>> tells("Doering_v_X", ["Mr Doering"]), tells("in-2006", ["May 2006"]), tells("S0614200600", ["May 2006"])
    (True, True, False)
    """
    folded = "".join(_WORD.findall(name.casefold()))
    numbers = set(_DIGITS.findall(name))
    words = {word for text in hidden for word in _WORD.findall(text.casefold())}
    telling = (word for word in words if len(word) >= (_TELLING if word.isascii() else 2))
    return any(word in numbers if word.isdigit() else word in folded for word in telling)


def file_names(names: Iterable[str]) -> Iterator[str]:
    """A file name for each, without its ending; no two are the same to a system that knows no capitals.

    >>> list(file_names(["a/b", "A_B", "..", "con"]))
    ['a_b', 'A_B-2', 'document-3', '_con']
    """
    used: set[str] = set()
    for number, name in enumerate(names):
        plain = _NOT_SAFE.sub("_", unicodedata.normalize("NFC", name)).strip("._-")
        usual = plain.encode()[:_LONGEST].decode(errors="ignore").rstrip("._-") or document_name(number)
        usual = f"_{usual}" if _RESERVED.fullmatch(usual) else usual
        chosen, times = usual, 1
        while _key(chosen) in used:
            times += 1
            chosen = f"{usual}-{times}"
        used.add(_key(chosen))
        yield chosen


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
