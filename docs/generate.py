"""The pages, and the parts of pages, that are made from the program itself.

    python docs/generate.py            writes them
    python docs/generate.py --check    names the stale ones and exits 1

The reference of the command line is made from the help texts, the list of metrics from the table of metrics, the fields
of a run file and the public names from what they say of themselves, the tables of types from the tree of kinds, and the
output in the README from the demo. A part of a page stands between `<!-- NAME: generated -->` and `<!-- /NAME -->`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

import showthrough
from showthrough.cli import app
from showthrough.core.plugins import Registry
from showthrough.data.provenance import Cost, Provenance as Made
from showthrough.data.schemes import SCHEMES
from showthrough.data.types import NAMES, in_order, path_of, treated_as
from showthrough.metrics import HEADLINE, METRICS, PRESETS, ROLES
from showthrough.report.release import schema_text
from showthrough.report.table import ARROWS
from showthrough.run.records import (
    Comparison,
    Evidence,
    Failure,
    Input,
    MetricRecord,
    PlaceEvidence,
    Score,
    Sweep,
    Tables,
    Uneven,
    describe_fields,
)
from showthrough.run.run import Run
from showthrough.run.settings import RecordedSettings
from showthrough.run.slices import GroupScore, Slice, SliceGroup

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100  # of help texts, whatever the terminal

# Pages that are named after no single metric.
METRIC_PAGES = {
    "er_di": "er", "er_qi": "er", "f1": "f", "f2": "f", "hallucination": "readability", "ipr": "cpr",
    "meaning": "readability", "perplexity": "known_words", "rouge": "bleu",
}  # fmt: skip

# What may turn colours or other widths on in a program that writes into a pipe.
_PLAIN: dict[str, str | None] = {
    "NO_COLOR": "1", "FORCE_COLOR": None, "TTY_COMPATIBLE": None, "TTY_INTERACTIVE": None, "COLUMNS": None,
}  # fmt: skip


def metric_page(name: str) -> str:
    """The page of a metric, as seen from `docs/`: its own, or that of an entry with other parameters."""
    relatives = [other for other, metric in METRICS.built_in.items() if type(metric) is type(METRICS[name])]
    pages = [f"metrics/{METRIC_PAGES.get(one, one)}.md" for one in (name, *relatives)]
    return next((page for page in pages if (ROOT / "docs" / page).is_file()), pages[0])


def cli_page() -> str:
    """Every command's help text."""
    group: Any = get_command(app)
    head = "# The command line\n\n<!-- Made by docs/generate.py from the help texts: do not edit. -->\n\n"
    head += (
        "`showthrough --install-completion` teaches the shell that you are in (bash, zsh, fish, PowerShell)\n"
        "to complete commands, options, and the names of metrics, presets, formats, attacks, detectors,\n"
        "anonymizers, and of what a run holds. `--show-completion` prints what it would install.\n"
        "`--debug` before a command shows the traceback of an error.\n"
    )
    return "\n".join([head, *_helped(group, "showthrough", None)])


def _helped(command: Any, name: str, parent: Any) -> Iterator[str]:
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH, color=False,
        **command.context_settings,
    )  # fmt: skip
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    yield f"## {context.command_path}\n\n```text\n" + "\n".join(lines) + "\n```\n"
    for child in getattr(command, "list_commands", lambda _: [])(context):
        found = command.get_command(context, child)
        if not found.hidden:
            yield from _helped(found, child, context)


def metric_table() -> str:
    """The metrics, each with a link to its page where there is one, and the sets that have a name."""
    lines = ["| metric | group | better | what it is |", "|---|---|---|---|"]
    for name, metric in METRICS.built_in.items():
        page = metric_page(name)
        link = f"[`{name}`]({Path(page).name})" if (ROOT / "docs" / page).is_file() else f"`{name}`"
        better = ARROWS["neither" if HEADLINE in metric.neutral else metric.better]
        lines.append(f"| {link} | {metric.group} | {better} | {metric.summary} |")
    lines += ["", "| preset | metrics |", "|---|---|"]
    lines += [f"| `{name}` | {', '.join(f'`{one}`' for one in chosen)} |" for name, chosen in PRESETS.items()]
    return "\n".join(lines)


def run_fields() -> str:
    """What a run file holds: every field of a run and of what it is made of."""
    parts = {
        "": Run, "An input": Input, "A metric": MetricRecord, "The settings": RecordedSettings, "A score": Score,
        "How an anonymization was made": Made, "What that took": Cost, "What surer masks alone reach": Sweep,
        "Groups of documents": Slice, "A group": SliceGroup, "A number of a group": GroupScore,
        "A failure": Failure, "What a metric has to show of a document": Evidence, "A place in it": PlaceEvidence,
        "A string in it that is masked unevenly": Uneven, "Where the rest of a large run is": Tables,
        "What `Run.compare` gives, which is not in the file": Comparison,
    }  # fmt: skip
    lines = []
    for title, record in parts.items():
        lines += [f"{title}:", ""] if title else []
        lines += [
            "| field | |",
            "|---|---|",
            *(f"| `{name}` | {what} |" for name, what in describe_fields(record).items()),
            "",
        ]
    return "\n".join(lines[:-1])


def role_table() -> str:
    """What reports may take a metric for."""
    return "\n".join(["| role | |", "|---|---|", *(f"| `{role}` | {what} |" for role, what in ROLES.items())])


def public_names() -> str:
    """What `showthrough` exports, each name with what it says of itself."""
    lines = ["| name | |", "|---|---|"]
    for name in sorted(showthrough.__all__, key=str.casefold):
        value = getattr(showthrough, name)
        if isinstance(value, str):
            said = "The version of the program."
        elif isinstance(value, Registry):
            said = f"The registry of {value.kind}: built in, of packages, or registered by a program."
        else:
            said = (inspect.getdoc(value) or "").splitlines()[0]
        lines.append(f"| `{name}` | {said} |")
    return "\n".join(lines)


def kind_table() -> str:
    """The tree of kinds, each with what it lies below and what else it is called."""
    lines = ["| type | identifies | HIPAA | other names | lies below |", "|---|---|---|---|---|"]
    for kind in in_order():
        known, above = treated_as(kind), " > ".join(path_of(kind)[:-1])
        others = ", ".join(f"`{name}`" for name in NAMES[kind][1:])
        lines.append(f"| `{kind}` | {known.identifier.lower()} | {known.hipaa} | {others} | {above} |")
    return "\n".join(lines)


def scheme_table() -> str:
    """Who uses which names."""
    lines = ["| whose | source | types |", "|---|---|---|"]
    for name, scheme in SCHEMES.items():
        lines.append(f"| {name} | {scheme.source} | {', '.join(f'`{label}`' for label in scheme.labels)} |")
    return "\n".join(lines)


def demo_output() -> str:
    """What the demo prints, without the sentences on single systems."""
    result = CliRunner().invoke(app, ["demo"], env=_PLAIN, catch_exceptions=False)
    verdict, _, *rest = result.stdout.strip("\n").split("\n\n")
    shown = "\n…\n".join([verdict, *rest])
    return "\n".join(["```text", *(line.rstrip() for line in shown.splitlines()), "```"])


def _with(page: str, **parts: str) -> str:
    """The page with its parts made anew."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, content in parts.items():
        text = _replaced(page, text, name, content)
    return text


def _replaced(page: str, text: str, name: str, content: str) -> str:
    begin, end = f"<!-- {name}: generated -->\n", f"<!-- /{name} -->"
    found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if len(found.findall(text)) != 1:
        raise SystemExit(f"{page}: expected one part between {begin.strip()} and {end}")
    return found.sub(lambda _: f"{begin}{content}\n{end}", text)


PAGES: dict[str, Callable[[], str]] = {
    "docs/cli.md": cli_page,
    "docs/metrics/index.md": lambda: _with("docs/metrics/index.md", metrics=metric_table()),
    "docs/formats.md": lambda: _with("docs/formats.md", run=run_fields()),
    "docs/labels.md": lambda: _with("docs/labels.md", kinds=kind_table(), schemes=scheme_table()),
    "docs/public-api.md": lambda: _with("docs/public-api.md", names=public_names()),
    "docs/python.md": lambda: _with("docs/python.md", roles=role_table()),
    "README.md": lambda: _with("README.md", demo=demo_output()),
    "src/showthrough/report/release/schema.json": schema_text,
}


def is_stale(page: str) -> bool:
    path = ROOT / page
    return not path.is_file() or path.read_text(encoding="utf-8") != PAGES[page]()


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    stale = [page for page in PAGES if is_stale(page)]
    for page in stale:
        if arguments:
            print(f"{page} is stale: run make docs", file=sys.stderr)
        else:
            (ROOT / page).write_text(PAGES[page](), encoding="utf-8")
            print(f"{page} written")
    return int(bool(arguments and stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
