"""Tables of metrics, formats, attacks and anonymizers: what is built in, and what guests bring.

A guest comes with a package, which declares it in the entry-point group of its table:

    [project.entry-points."showthrough.metrics"]
    ours = "our_package.module:OurMetric"

or from a program, which calls `register`. A worker process has the same tables as its parent: packages are installed
there too, and what was registered is sent along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from showthrough.errors import PlanError, ResourceError, shown

Entry = TypeVar("Entry")
Guests = dict[str, dict[str, Any]]  # by kind, then by name

# What importing a module that is missing, broken or written for another Python raises.
_LOADING_FAILURES = (ImportError, AttributeError, OSError, SyntaxError)
_tables: dict[str, Table[Any]] = {}
_expected: Guests = {}  # sent to this process before the table was made


class Table(MutableMapping[str, Entry], Generic[Entry]):
    """Entries by name, the built-in ones first. These keep their names, so that a name in a result means one thing.

    A package's entry is imported when it is asked for. `checked` makes an entry from what a guest brings, and raises
    PlanError for what is none.
    """

    def __init__(
        self, kind: str, built_in: Mapping[str, Entry], checked: Callable[[str, object], Entry] | None = None
    ) -> None:
        self.kind = kind  # in the plural, as the group is called
        self.built_in = dict(built_in)
        self._checked = checked
        self._registered: dict[str, Entry] = _expected.pop(kind, {})
        self._imported: dict[str, Entry] = {}
        _tables[kind] = self

    @property
    def group(self) -> str:
        return f"showthrough.{self.kind}"

    @cached_property
    def _declared(self) -> dict[str, list[EntryPoint]]:
        """What packages declare; nothing is imported to find out."""
        found: dict[str, list[EntryPoint]] = {}
        for entry in sorted(entry_points(group=self.group), key=lambda entry: (entry.name, entry.value)):
            others = found.setdefault(entry.name, [])
            if entry.value not in [other.value for other in others]:
                others.append(entry)
        return {name: entries for name, entries in found.items() if name not in self.built_in}

    def register(self, name: str, entry: object) -> None:
        """Enters a guest under a name that no built-in has; raises PlanError for what is no entry of this table."""
        if not name.isidentifier() and not all(part.isidentifier() for part in name.split("-")):
            raise PlanError("expected a name of letters, digits and underscores", f"{self._one} {shown(name)}")
        if name in self.built_in:
            raise PlanError("is built in; expected another name", f"{self._one} {shown(name)}")
        self._registered[name] = self._made(name, entry)

    def __setitem__(self, name: str, entry: Entry) -> None:
        self.register(name, entry)

    def __delitem__(self, name: str) -> None:
        del self._registered[name]

    def __getitem__(self, name: str) -> Entry:
        for known in (self.built_in, self._registered, self._imported):
            if name in known:
                return known[name]
        self._imported[name] = self._load(name)  # a KeyError where nobody has it
        return self._imported[name]

    def _load(self, name: str) -> Entry:
        entries = self._declared[name]
        if len(entries) > 1:
            rivals = ", ".join(entry.value for entry in entries)
            raise PlanError(f"is declared by more than one package: {rivals}", f"{self._one} {shown(name)}")
        try:
            found = entries[0].load()
        except _LOADING_FAILURES as error:
            raise ResourceError(
                f"{self._one} {name} ({entries[0].value}) cannot be imported: {type(error).__name__}: {error}; "
                "install what its package needs, or remove the package"
            ) from error
        return self._made(name, found)

    def _made(self, name: str, found: Any) -> Entry:
        return self._checked(name, found) if self._checked else found

    @property
    def _one(self) -> str:
        return self.kind.removesuffix("s")

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._registered or name in self._declared

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.built_in, *self._registered, *self._declared]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def sound(self) -> dict[str, Entry]:
        """All entries but those of packages that cannot be imported."""
        return {name: self[name] for name in self if not self.fault(name)}

    def fault(self, name: str) -> str:
        """Why an entry cannot be had; empty where it can."""
        try:
            _ = self[name]
        except (PlanError, ResourceError) as error:
            return str(error)
        return ""


def guests() -> Guests:
    """What programs registered in this process, for another one."""
    return {kind: dict(table._registered) for kind, table in _tables.items() if table._registered}


def adopt(sent: Guests) -> None:
    """Has exactly what another process registered, also in tables that are yet to be made."""
    _expected.clear()
    _expected.update(sent)
    for kind, table in _tables.items():
        table._registered = _expected.pop(kind, {})
