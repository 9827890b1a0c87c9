"""`showthrough list labels`: the tree of kinds, a name's place in it, or the names of a corpus, a tool or a service."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from showthrough.cli.consoles import console
from showthrough.core.errors import PlanError, shorten
from showthrough.data.schemes import SCHEMES
from showthrough.data.types import HIPAA, NAMES, ROOT, TREE, fold_type, in_order, kind_of, path_of, treated_as

_ARROW = " > "


def show_labels(name: str | None) -> None:
    """The tree of entity types; or the place of one in it, how it identifies, and who names it so.

    A system's type counts as the annotators' where it means the same or lies below it.
    """
    if name is None:
        _show_tree()
    elif kind := kind_of(name):
        _show_kind(kind)
    elif fold_type(name) and (
        schemes := [scheme_name for scheme_name in SCHEMES if fold_type(scheme_name).startswith(fold_type(name))]
    ):
        for scheme in schemes:
            _show_scheme(scheme)
    else:
        expected = f"expected a type of the tree (showthrough list labels), or one of {', '.join(SCHEMES)}"
        raise PlanError(f"unknown name; {expected}", f"labels {shorten(name)}")


def _traits(kind: str) -> tuple[str, str]:
    treatment = treated_as(kind)
    return treatment.identifier.lower(), treatment.hipaa


def _columns(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        table.add_column(head, no_wrap=head != heads[-1])
    return table


def _show_tree() -> None:
    table = _columns("type", "identifies", "HIPAA", "other names")
    for kind in in_order():
        indent = "  " * (len(path_of(kind)) - 2)
        table.add_row(*map(Text, (indent + kind, *_traits(kind), ", ".join(NAMES[kind][1:]))))
    console().print(table)


def _show_scheme(scheme: str) -> None:
    screen = console()
    screen.print(Text(f"{scheme}: {SCHEMES[scheme].source}"))
    table = _columns("type", "identifies", "HIPAA", "path")
    for label in SCHEMES[scheme].labels:
        kind = kind_of(label) or ROOT
        table.add_row(*map(Text, (label, *_traits(kind), _ARROW.join(path_of(kind)))))
    screen.print(table)


def _show_kind(kind: str) -> None:
    level, letter = _traits(kind)
    hipaa = f"HIPAA: {letter}, {HIPAA[letter]}" if letter else "HIPAA: not listed"
    how = "directly" if level == "direct" else "together with others"
    lines = [_ARROW.join(path_of(kind)), f"identifies: {how}", hipaa]
    for spelling in NAMES[kind]:
        users = [name for name, scheme in SCHEMES.items() if fold_type(spelling) in map(fold_type, scheme.labels)]
        lines.append(f"{spelling}: {', '.join(users) or 'a common name'}")
    if below := TREE.get(kind):
        lines.append(f"below it: {', '.join(below)}")
    for line in lines:
        console().print(Text(line))
