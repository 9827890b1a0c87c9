"""The pages, and the parts of pages, that are made from the program itself.

    python docs/generate.py            writes them
    python docs/generate.py --check    names the stale ones and exits 1

The reference of the command line is made from the help texts, the list of metrics from the table of metrics, the fields
of a run file and the public names from what they say of themselves, the tables of types from the tree of kinds, and the
output in the README from the demo. The schemas and the list of all that programs rely on are files of their own,
so that a review sees each change. A part of a page stands between `<!-- NAME: generated -->` and `<!-- /NAME -->`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import msgspec
from typer.main import get_command
from typer.testing import CliRunner

import showthrough
from showthrough._former import _MOVED, FormerName
from showthrough.cli import app, former
from showthrough.core.plugins import Registry
from showthrough.data.provenance import Cost, Provenance as Made
from showthrough.data.schemes import SCHEMES
from showthrough.data.types import NAMES, in_order, path_of, treated_as
from showthrough.evaluation.plan_files import plan_keys
from showthrough.metrics import HEADLINE, METRICS, PRESETS, ROLES, base
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.report.gate import FORMAT as GATE_FORMAT, file_type
from showthrough.report.release import ReleaseSummary
from showthrough.report.release.summary import FORMAT as SUMMARY, VERSION as SUMMARY_VERSION
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
from showthrough.run.run import FORMAT as RUN_FORMAT, Run
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


def schema(record: type[msgspec.Struct], name: str, version: int, title: str) -> str:
    """The JSON Schema of a record, as a file of this version has it."""
    address = "https://json-schema.org/draft/2020-12/schema"
    content = {"$schema": address, "$id": f"urn:{name}:{version}", "title": title, **msgspec.json.schema(record)}
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def public_api() -> str:
    """All that programs rely on, a line each: names with parameters, commands with options, keys of plans, groups."""
    names = [line for name in sorted(showthrough.__all__) for line in _listed(name, getattr(showthrough, name))]
    registries = [value for name in showthrough.__all__ if isinstance(value := getattr(showthrough, name), Registry)]
    parts = {
        "Names": names,
        "Commands": [*_options(get_command(app), "showthrough")],
        "Keys of plans": [_parameter(field.name, field.default) for field in msgspec.structs.fields(plan_keys())],
        "Entry points": sorted([*(f"showthrough.{one.kind}" for one in registries), "showthrough.families"]),
    }
    return "\n".join(line for title, lines in parts.items() for line in (f"# {title}", "", *lines, ""))


def _listed(name: str, value: Any) -> Iterator[str]:
    """A name, and below a class what its instances have: no arguments again, nor what an exported base has."""
    signature = _signature(value) if callable(value) else ""
    yield name + signature
    if not isinstance(value, type):
        return
    exported = [one for other in showthrough.__all__ if isinstance(one := getattr(showthrough, other), type)]
    bases = {member for one in exported if one in value.__mro__[1:] for member in dir(one)}
    for member in sorted(set(dir(value)) - bases - set(re.findall(r"\w+", signature))):
        home = next(kind for kind in value.__mro__ if member in vars(kind) or kind is object)
        static = vars(home).get(member)
        if home.__module__.startswith("showthrough") and member[0] != "_" and type(static) is not FormerName:
            static = getattr(static, "__func__", static)
            yield f"{name}.{member}" + (_signature(static) if isinstance(static, FunctionType) else "")


def _signature(value: Any) -> str:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown, named = [], False
    for each in parameters:
        if each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL) and not named:
            named = True
            shown += ["*"] * (each.kind == each.KEYWORD_ONLY)
        shown.append(_parameter(stars.get(each.kind, "") + each.name, each.default))
    return f"({', '.join(shown)})"


def _parameter(name: str, default: Any) -> str:
    """A parameter with its default, where that is a plain value."""
    if default in (inspect.Parameter.empty, msgspec.NODEFAULT):
        return name
    plain = default is None or (isinstance(default, str | int | float | tuple) and "<" not in repr(default))
    return f"{name}={default!r}" if plain else f"{name}=…"


def _options(command: Any, path: str) -> Iterator[str]:
    """A command with its arguments and options, then those below it."""
    options = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    yield " ".join([path, *sorted("/".join([*one.opts, *one.secondary_opts]) for one in options)])
    for name, child in sorted(getattr(command, "commands", {}).items()):
        if not child.hidden:
            yield from _options(child, f"{path} {name}")


def former_names() -> str:
    """What is deprecated, and what takes its place."""
    rows = [(" ".join(old), " ".join(new)) for old, new in former.COMMANDS.items()]
    rows += [
        (f"{' '.join(command)} {old}", f"{' '.join(command)} {new}")
        for command, options in former.OPTIONS.items()
        for old, new in options.items()
    ]
    homes = Run, Comparison, Chunk, Resources, showthrough.Anonymization, showthrough.Rows
    members = (each for home in homes for each in vars(home).values() if isinstance(each, FormerName))
    rows += [(each.former, each.present) for each in members]
    rows += [(f"Metric.{old}", new) for old, new in base._FORMER.items()]
    rows += [("showthrough.systems.replacing.replacing", "make_replacer")]
    rows += [(f"showthrough.{old}", f"showthrough.{new}") for old, new in _MOVED.items()]
    return "\n".join(["| deprecated | instead |", "|---|---|", *(f"| `{old}` | `{new}` |" for old, new in rows)])


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
    "docs/releasing.md": lambda: _with("docs/releasing.md", former=former_names()),
    "docs/schemas/run-1.json": lambda: schema(Run, "showthrough-run", RUN_FORMAT, "Run file"),
    "docs/schemas/gate-1.json": lambda: schema(file_type(), "showthrough-gate", GATE_FORMAT, "Outcome of a gate"),
    "docs/python.md": lambda: _with("docs/python.md", roles=role_table()),
    "README.md": lambda: _with("README.md", demo=demo_output()),
    "src/showthrough/report/release/schema.json": lambda: schema(
        ReleaseSummary, SUMMARY, SUMMARY_VERSION, "Release summary"
    ),
    "tests/reference/public-api.txt": public_api,
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
