"""Ways in which a sound input goes wrong: its bytes, its lines, its values."""

from __future__ import annotations

import copy
import gzip
import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any

HOSTILE = (
    "", " ", "\0", "a\0b", "\x1b[31mred", "a\nb", "a\r\nb", "a\tb", "\ufeff", "\u202edlo", "\u2028", "\ufffe", "é", "😀", "e\u0301",
    "=1+1", "../x", "/etc/passwd", "~", "%s", "{x}", "$(x)", "<b>&amp;", "]]>", '"', "'", "\\", "|", ",", ";", "none", "null",
    "NaN", "-1", "x" * 5000, "PERSON", "d1", "nothing masked", "auto", "CON",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 1.5, -0.0, 1e308, -1e308, 1e-320, 2**31, 2**63, -(2**63) - 1, 10**30, 10**400,
    [], {}, [[]], [None], [1, 2], [[0, 1]], [[0, 5, "x", "y", "z"]], {"": ""}, {"a": {}}, ["x"], "\ud800", *HOSTILE,
)  # fmt: skip
_RAW = {"@nan@": "NaN", "@infinity@": "-Infinity", "@long@": "1" * 5000, "@exponent@": "1e999999", "@zero@": "007"}
_DEEP = 3000


def on_disk(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def bytes_of(tree: Any) -> bytes:
    """A JSON tree as a file; marks of `_RAW` become what no encoder writes."""
    text = json.dumps(tree, ensure_ascii=False)
    for mark, raw in _RAW.items():
        text = text.replace(json.dumps(mark), raw)
    return on_disk(text)


def broken_bytes(random: Random, content: bytes) -> bytes:
    """One fault below the level of characters."""
    at = random.randrange(len(content) + 1)
    to = min(len(content), at + random.choice((1, 1, 2, 5, 40)))
    match random.randrange(16):
        case 0:
            return content[:at]
        case 1:
            return content[at:]
        case 2:
            return content[:at] + content[to:]
        case 3:
            return content[:at] + bytes([random.randrange(256)]) + content[at:]
        case 4:
            flipped = bytes(one ^ (1 << random.randrange(8)) for one in content[at : at + 1])
            return content[:at] + flipped + content[at + 1 :]
        case 5:
            return content[:at] + content[at:to] * random.choice((2, 50)) + content[to:]
        case 6:
            return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"\0\0", b"\n\n ")) + content
        case 7:
            encoding = random.choice(("utf-16", "utf-32", "utf-16-le", "latin-1", "cp1252", "utf-7"))
            return content.decode("utf-8", "replace").encode(encoding, "replace")
        case 8:
            return content.replace(b"\n", random.choice((b"\r", b"\r\n", b"\0", b"\x0b", b"")))
        case 9:
            return random.choice(
                (b"", b" ", b"\n", b"{", b"[", b'"', b"[]", b"{}", b"null", b"0", b"<", b"\0", b"[[]]")
            )
        case 10:
            return content + random.choice((b"\0", b"]", b"}", b",", b"\xff", b" \n\n", b"x")) + content
        case 11:
            return (
                content[:at]
                + random.choice((b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\x80"))
                + content[at:]
            )
        case 12:
            return random.randbytes(random.choice((1, 4, 300)))
        case 13:
            return gzip.compress(content)
        case 14:
            return random.choice((b"[", b'{"a":', b"<a>", b"((")) * _DEEP + content
        case _:
            return content[:at] + on_disk(random.choice(HOSTILE)) + content[to:]


def broken_text(random: Random, text: str) -> bytes:
    """One or two faults in lines, words and numbers."""
    for _ in range(random.choice((1, 1, 2))):
        text = _broken_line(random, text) if random.random() < 0.4 else _broken_word(random, text)
    content = on_disk(text)
    return broken_bytes(random, content) if random.random() < 0.1 else content


def _broken_line(random: Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = lines[at].rstrip("\n") + lines[other]
        case 4:
            lines.insert(at, random.choice(HOSTILE) + "\n")
        case _:
            lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)]
    return "".join(lines)


def _broken_word(random: Random, text: str) -> str:
    words = list(re.finditer(r"\d+|\w+|[^\w\s]", text))
    if not words:
        return random.choice(HOSTILE)
    word = random.choice(words)
    if word[0].isdigit():
        near = (
            str(int(word[0][:9]) + random.choice((-1, 1, 1000))),
            f"-{word[0]}",
            f"{word[0]}.5",
            "9" * 30,
            "1e3",
            "٣",
        )
        other = random.choice((*near, *HOSTILE))
    else:
        other = random.choice((*HOSTILE, word[0] * 2, word[0].swapcase(), random.choice(words)[0]))
    return text[: word.start()] + other + text[word.end() :]


def broken_tree(random: Random, tree: Any) -> bytes:
    """One to three faults in a JSON tree: values, keys, lengths; and now and then in its bytes."""
    content = bytes_of(tree_broken(random, tree))
    if random.random() < 0.05 and content.startswith(b"{"):
        content = b'{"' + on_disk(random.choice(("d1", "corpus", "format", "x"))) + b'": null, ' + content[1:]
    return broken_bytes(random, content) if random.random() < 0.1 else content


def tree_broken(random: Random, tree: Any) -> Any:
    tree = copy.deepcopy(tree)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        tree = _broken_node(random, tree)
    return tree


def toml_of(tree: Any) -> bytes:
    """A tree as TOML; what TOML has no word for is written as JSON would be, and is one more fault."""
    if not isinstance(tree, dict):
        return on_disk(_toml(tree))
    return on_disk("".join(f"{json.dumps(key)} = {_toml(value)}\n" for key, value in tree.items()))


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(inside)}" for key, inside in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return _RAW.get(value, json.dumps(value)) if isinstance(value, str) else json.dumps(value)


def one_broken(random: Random, whole: Mapping[str, bytes]) -> dict[str, bytes]:
    """A model's files, one of them broken or gone; those that people edit more often than its weights."""
    at = random.choice([name for name in sorted(whole) for _ in range(4 if name.endswith((".json", ".cfg")) else 1)])
    if random.random() < 0.05:
        return {name: content for name, content in whole.items() if name != at}
    content = whole[at]
    if at.endswith(".json") and random.random() < 0.9:
        content = broken_tree(random, json.loads(content))
    elif at.endswith((".cfg", ".txt")) and random.random() < 0.8:
        content = broken_text(random, content.decode())
    else:
        content = broken_bytes(random, content)
    return {**whole, at: content}


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            waiting.append(node[key])
    return found


def _broken_node(random: Random, tree: Any) -> Any:
    places = _places(tree)
    if not places or random.random() < 0.03:
        return random.choice((random.choice(ODD), [tree], {"x": tree}))
    # By depth first, or the many numbers at the leaves would leave the few fields above them in peace.
    node, key = random.choice(places)
    if random.random() < 0.5:
        kind = random.choice(sorted({str(key) for _, key in places if isinstance(key, str)} or {""}))
        node, key = random.choice([place for place in places if place[1] == kind] or places)
    old = node[key]
    match random.randrange(10):
        case 0:
            del node[key]
        case 1 | 2 | 3 | 4:
            node[key] = copy.deepcopy(random.choice(ODD))
        case 5:
            node[key] = copy.deepcopy(random.choice(places))[0]
        case 6 if isinstance(old, int | float) and abs(old) < 2**70:
            node[key] = random.choice((old + 1, old - 1, -old, old + 0.5, old * 10**6, str(old)))
        case 6 if isinstance(old, str):
            node[key] = random.choice((old * 2, old[:-1], old.upper(), old + random.choice(HOSTILE), [old]))
        case 6:
            node[key] = [old]
        case 7 if isinstance(node, list):
            node.insert(random.randrange(len(node) + 1), copy.deepcopy(old))
        case 7:
            node[random.choice((*HOSTILE, "doc_id", "text"))] = old
        case 8:
            node[key] = random.choice(list(_RAW))
        case _:
            node[key] = {random.choice(HOSTILE): old} if random.random() < 0.5 else str(old)
    return tree


def broken_gzip(random: Random, content: bytes) -> bytes:
    """A packed file, cut or altered after it was packed, or packed again."""
    packed = gzip.compress(content, mtime=0)
    match random.randrange(8):
        case 0:
            return packed[: random.randrange(len(packed))]
        case 1:
            at = random.randrange(len(packed))
            return packed[:at] + bytes([packed[at] ^ (1 << random.randrange(8))]) + packed[at + 1 :]
        case 2:
            return packed + random.choice((b"\0", b"x", packed, packed[:10], b"\0" * 600))
        case 3:
            return gzip.compress(packed)
        case 4:
            return content
        case 5:
            return packed[:-8] + random.randbytes(8)
        case 6:
            return gzip.compress(broken_bytes(random, content))
        case _:
            return packed[:3] + bytes([random.randrange(256)]) + packed[4:]
