"""Tables of metrics, formats, attacks and anonymizers: what is built in, and what plugins bring.

A plugin comes with a package, which declares it in the entry-point group of its table:

    [project.entry-points."showthrough.metrics"]
    ours = "our_package.module:OurMetric"

or from a program, which calls `register`. A worker process has the same tables as its parent: packages are installed
there too, and what was registered is sent along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from traceback import extract_tb
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from showthrough.core.errors import PlanError, ResourceError, ShowthroughError, quote_value, shorten
from showthrough.core.installed import is_any_declared

Entry = TypeVar("Entry")
Plugins = dict[str, dict[str, Any]]  # by kind, then by name

_registries: dict[str, Registry[Any]] = {}
_expected: Plugins = {}  # sent to this process before the registry was made


class Registry(MutableMapping[str, Entry], Generic[Entry]):
    """Entries by name, the built-in ones first. These keep their names, so that a name in a result means one thing.

    `lazy` ones are written as `module:name`, as packages write theirs, and imported when they are asked for. `checked`
    makes an entry from what was imported or registered, and raises PlanError for what is none.
    """

    def __init__(
        self,
        kind: str,
        built_in: Mapping[str, Entry],
        checked: Callable[[str, object], Entry],
        lazy: Mapping[str, str] = MappingProxyType({}),
        called: bool = False,
    ) -> None:
        self.kind = kind  # in the plural, as the group is called
        self._eager = dict(built_in)
        self.built_in_names = (*built_in, *lazy)
        self._lazy = lazy
        self._called = called  # whether entries are written as calls, which have no dash in their names
        self._checked = checked
        self._registered: dict[str, Entry] = _expected.pop(kind, {})
        self._imported: dict[str, Entry | PlanError | ResourceError] = {}
        _registries[kind] = self

    @cached_property
    def _declarations(self) -> dict[str, list[str]]:
        """Where packages have what they declare; nothing is imported to find out."""
        if not is_any_declared("showthrough."):
            return {}
        from importlib.metadata import entry_points  # slow to import

        declared: dict[str, list[str]] = {}
        for entry in entry_points(group=f"showthrough.{self.kind}"):
            locations = declared.setdefault(entry.name, [])
            locations += [entry.value] if entry.value not in locations else []
        return {name: sorted(declared[name]) for name in sorted(declared) if name not in self.built_in_names}

    @property
    def built_in(self) -> dict[str, Entry]:
        """All that is no plugin's."""
        return {name: self[name] for name in self.built_in_names}

    def register(self, name: str, entry: object) -> None:
        """Enters a plugin under a name that no built-in has; raises PlanError for what is no entry of this table."""
        if name in self.built_in_names:
            raise PlanError("is built in; expected another name", f"{self._singular} {shorten(name)}")
        self._registered[name] = self._check_entry(name, entry)

    __setitem__ = register

    def __delitem__(self, name: str) -> None:
        del self._registered[name]

    def __getitem__(self, name: str) -> Entry:
        for entries in (self._eager, self._registered):
            if name in entries:
                return entries[name]
        if name not in self._imported:
            locations = (
                [self._lazy[name]] if name in self._lazy else self._declarations[name]
            )  # a KeyError: nobody has it
            try:
                self._imported[name] = self._load(name, locations)
            except (PlanError, ResourceError) as error:
                self._imported[name] = error
        entry = self._imported[name]
        if isinstance(entry, PlanError | ResourceError):
            raise entry
        return entry

    def _load(self, name: str, locations: list[str]) -> Entry:
        if len(locations) > 1:
            fault = f"is declared by more than one package: {', '.join(locations)}"
            raise PlanError(fault, f"{self._singular} {shorten(name)}")
        try:
            brought = resolve_name(locations[0].partition("[")[0].strip())  # less the extras that it names
        except Exception as error:  # whatever a package of somebody else raises: it must not keep others from working
            raise ResourceError(
                f"{self._singular} {name} ({locations[0]}) cannot be imported: {type(error).__name__}: {error}; "
                "install what its package needs, or remove the package"
            ) from error
        return self._checked(name, brought) if name in self._lazy else self._check_entry(name, brought)

    def _check_entry(self, name: str, brought: object) -> Entry:
        if not all(part.isidentifier() for part in ([name] if self._called else name.split("-"))):
            raise PlanError("expected a name of letters, digits and underscores", f"{self._singular} {shorten(name)}")
        return self._checked(name, brought)

    @property
    def _singular(self) -> str:
        return self.kind.removesuffix("s")

    def __contains__(self, name: object) -> bool:
        return name in self.built_in_names or name in self._registered or name in self._declarations

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.built_in_names, *self._registered, *self._declarations]))

    def __len__(self) -> int:
        return len(list(iter(self)))  # a list of the table itself would ask for its length

    def sound(self) -> dict[str, Entry]:
        """All entries but those of packages that cannot be imported."""
        entries = {}
        for name in self:
            with suppress(PlanError, ResourceError):
                entries[name] = self[name]
        return entries

    def fault(self, name: str) -> str:
        """Why an entry cannot be had; empty where it can."""
        try:
            _ = self[name]
        except (PlanError, ResourceError) as error:
            return str(error)
        return ""


def is_plugin(value: object) -> bool:
    """Whether a value is of somebody else's class."""
    return type(value).__module__.partition(".")[0] != "showthrough"


def describe_error(error: Exception, ours: bool = False) -> str:
    """What a plugin raised, and where; what it says is left out, since that may be the very text that must not leak.

    A plugin may raise anything, so whoever calls one catches everything. What is not the plugin's is raised again.
    """
    if ours or isinstance(error, MemoryError | ShowthroughError):
        raise error
    last = extract_tb(error.__traceback__)[-1]
    return f"raised {type(error).__name__} ({Path(last.filename).name}, line {last.lineno})"


def value_of(kind: type[Any], noun: str, name: str, brought: Any) -> Any:
    """For tables of values of a class: such a value, also from a class or a function that makes one."""
    location, expected = f"{noun} {shorten(name)}", f"a value of {kind.__name__}, or what makes one without arguments"
    makes = isinstance(brought, type) or (callable(brought) and not isinstance(brought, kind))
    try:
        value = brought() if makes else brought
    except Exception as error:  # whatever a plugin does: it is abstract, a parameter has no default, a file is missing
        raise PlanError(f"cannot be made: {error}; expected {expected}", location) from error
    if not isinstance(value, kind):
        raise PlanError(f"found {quote_value(value)}; expected {expected}", location)
    return value


def plugins() -> Plugins:
    """What programs registered in this process, for another one."""
    return {kind: dict(registry._registered) for kind, registry in _registries.items() if registry._registered}


def sync(sent: Plugins) -> None:
    """Has exactly what another process registered, also in registries that are yet to be made."""
    _expected.clear()
    _expected.update(sent)
    for kind, registry in _registries.items():
        registry._registered = _expected.pop(kind, {})
