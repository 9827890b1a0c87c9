"""Pages of the documentation, taken apart: their prose, blocks, files, commands, and what commands print.

- a block under a line that is a file's name in backticks and a colon is that file;
- a `sh` block has commands, one a line; a backslash continues a line, a # starts a comment;
- in a guide, `# exits 3` after a command says how it ends, and a `text` block after commands is what they print;
- `# needs the extra NAME` in a `sh` block says that its commands need more than a base install.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from typer.main import get_command

from showthrough.cli import app

ROOT = Path(__file__).resolve().parents[1]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NEEDS = re.compile(r"\s#.*\bneeds the extra (\w+)\b")
_EXITS = re.compile(r"\s#.*\bexits (\d+)\b")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    content: str


@dataclass(frozen=True)
class Step:
    """The commands of one block of a guide, each with its exit status, and what of their output the page shows."""

    commands: tuple[tuple[str, int], ...]
    shown: str | None = None
    extra: str = ""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *languages: str) -> list[Block]:
    found = [Block(*match.groups()) for match in FENCE.finditer(text_of(page))]
    return [block for block in found if block.language in languages]


def prose(page: str) -> str:
    """The page without its blocks of code."""
    return FENCE.sub("", text_of(page))


def lay_out(page: str, folder: Path) -> list[str]:
    """Writes the files that a page shows; gives their names."""
    names = []
    for name, content in NAMED.findall(text_of(page)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8", newline="")
        names.append(name)
    return names


def written_commands(page: str) -> Iterator[list[str]]:
    """The commands of a page's `sh` blocks, word by word."""
    for block in blocks(page, "sh"):
        for line in command_lines(block):
            yield shlex.split(line, comments=True)


def commands_in_text(text: str) -> Iterator[list[str]]:
    """The commands in backticks, word by word."""
    for code in re.findall(r"`(showthrough\s[^`]+)`", text):
        yield shlex.split(code)


def commands() -> dict[str, Any]:
    group: Any = get_command(app)
    context = group.context_class(group, info_name="showthrough")
    return {name: group.get_command(context, name) for name in group.list_commands(context)}


def options_of(command: Any) -> set[str]:
    own = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return own | {"--help"}


def unknown_words(words: list[str]) -> list[str]:
    """The command or the options of a written command that are not there."""
    if words[1].startswith("-"):
        return []
    command = commands().get(words[1])
    if command is None:
        return [words[1]]
    while (rest := words[2:]) and rest[0] in getattr(command, "commands", {}):
        command, words = command.commands[rest[0]], ["", *rest]
    if getattr(command, "commands", {}) and words[2:] and not words[2].startswith("-"):
        return [words[2]]  # a group of commands, and none of them
    options = [word.partition("=")[0] for word in words[2:] if word.startswith("-")]
    return [option for option in options if option not in options_of(command)]


def command_lines(block: Block) -> Iterator[str]:
    """The commands of a `sh` block, with their comments."""
    for line in block.content.replace("\\\n", " ").splitlines():
        if shlex.split(line, comments=True):
            yield line


def steps(page: str) -> list[Step]:
    """What a guide has its readers type, in order. A block of output belongs to the commands right before it."""
    found: list[Step] = []
    for match in FENCE.finditer(NAMED.sub("", text_of(page))):
        block = Block(*match.groups())
        if block.language == "sh":
            lines = tuple((line, exit_status(line)) for line in command_lines(block))
            needs = _NEEDS.search(block.content)
            found.append(Step(lines, extra=needs[1] if needs else ""))
        elif block.language == "text":
            assert found, f"{page}: output before any command"
            assert found[-1].shown is None, f"{page}: two blocks of output after one of commands"
            found[-1] = replace(found[-1], shown=block.content)
    return found


def exit_status(line: str) -> int:
    """What a command is to end with: a comment on its line says so where that is not 0."""
    said = _EXITS.search(line)
    return int(said[1]) if said else 0


def is_shown(shown: str, printed: str) -> bool:
    """Whether the lines of a block of output were printed in this order.

    `…` stands for any part of a line, and on a line of its own for any lines. Spaces at the ends of lines do not count.
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else ".*".join(map(re.escape, line.rstrip().split("…"))) + "\n"
        for line in shown.splitlines()
    )
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    return re.search(f"^{pattern}", lines, re.MULTILINE) is not None
