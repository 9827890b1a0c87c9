"""Tables of what is built in and what plugins bring, and calls by which they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from showthrough import ATTACKS, METRICS, Attack, Metric, PlanError, Recall, ResourceError, parameter
from showthrough.core.call_syntax import choices, descriptions
from showthrough.core.plugins import Registry, plugins, sync
from showthrough.metrics import metric_text

Declare = Callable[..., "Registry[int]"]


def whole(name: str, brought: object) -> int:
    if not isinstance(brought, int):
        raise PlanError(f"found {brought!r}; expected a whole number", f"number {name}")
    return brought


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Declare:
    """A table of numbers, and packages that declare some in modules: `declare(two="source of a module")`."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def declare(*others: EntryPoint, **sources: str) -> Registry[int]:
        entries = [*others]
        for name, source in sources.items():
            monkeypatch.delitem(sys.modules, f"module_of_{name}", raising=False)
            (tmp_path / f"module_of_{name}.py").write_text(source, encoding="utf-8")
            entries.append(EntryPoint(name, f"module_of_{name}:number", "showthrough.numbers"))
        for number, entry in enumerate(entries):
            folder = tmp_path / f"guest_{number}-1.0.dist-info"
            folder.mkdir()
            (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugin-{number}\nVersion: 1.0\n", "utf-8")
            declared = f"[{entry.group}]\n{entry.name} = {entry.value}\n"
            (folder / "entry_points.txt").write_text(declared, encoding="utf-8")
        return Registry("numbers", {"one": 1}, whole, lazy={"pi": "math:pi", "bits": "sys:maxsize"})

    return declare


def test_what_is_built_in_comes_first_and_keeps_its_name(declare: Declare) -> None:
    table = declare(EntryPoint("one", "elsewhere:one", "showthrough.numbers"), two="number = 2")
    table.register("three", 3)
    assert list(table) == ["one", "pi", "bits", "three", "two"]
    assert (table["one"], table["two"], table["three"], table["bits"] > 2**30) == (1, 2, 3, True)
    with pytest.raises(PlanError, match="number one: is built in; expected another name"):
        table.register("one", 7)
    del table["three"]
    assert "three" not in table
    with pytest.raises(KeyError):
        table["three"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_package_anywhere", "ModuleNotFoundError: No module named 'no_such_package_anywhere'"),
        ("class Broken(:", "SyntaxError: invalid syntax"),
        ("", "AttributeError: module 'module_of_broken' has no attribute 'number'"),
        ("raise ValueError('written for another version')", "ValueError: written for another version"),
    ],
)
def test_a_broken_package_is_named_only_when_it_is_asked_for(declare: Declare, source: str, reason: str) -> None:
    table = declare(broken=source, two="number = 2")
    assert "broken" in table
    assert table.sound() == {"one": 1, "bits": table["bits"], "two": 2}
    assert table.fault("two") == ""
    for _ in range(2):  # the second time as well, though it is not imported again
        with pytest.raises(ResourceError) as caught:
            table["broken"]
        assert str(caught.value).startswith(f"number broken (module_of_broken:number) cannot be imported: {reason}")
    assert table.fault("pi") == "number pi: found 3.141592653589793; expected a whole number"


def test_two_packages_that_declare_one_name(declare: Declare) -> None:
    twins = [EntryPoint("twin", f"{place}:twin", "showthrough.numbers") for place in ("two", "one", "two")]
    with pytest.raises(PlanError, match="number twin: is declared by more than one package: one:twin, two:twin"):
        declare(*twins)["twin"]


@pytest.mark.parametrize("name", ["", "two words", "a+b", "a(b)"])
def test_a_name_must_be_one(declare: Declare, name: str) -> None:
    with pytest.raises(PlanError, match="expected a name of letters, digits and underscores"):
        declare().register(name, 2)


def test_another_process_has_what_was_registered_also_in_tables_made_later(declare: Declare) -> None:
    before = plugins()
    table = declare()
    table.register("three", 3)
    sent = plugins()
    assert sent["numbers"] == {"three": 3}
    sync({})
    assert "three" not in table
    sync(sent)
    assert table["three"] == 3
    sync({**before, "later": {"four": 4}})
    assert Registry("later", {"one": 1}, whole)["four"] == 4
    sync(before)


# Metrics and attacks.


@dataclass(frozen=True)
class Half(Metric):
    """Half of what there is."""

    group = "utility"
    title = "Half"
    undefined = "never"

    of: int = parameter(2, "what is halved")

    def bind(self, chunk: Any) -> Any: ...

    def combine(self, totals: Any) -> Any: ...


def without(**traits: object) -> type[Half]:
    return type("Lacking", (Half,), traits)


class Needy(Half):
    def __init__(self, must: int) -> None: ...


@pytest.mark.parametrize(
    ("brought", "reason"),
    [
        (7, "metric odd: found 7; expected a value of Metric, or what makes one without arguments"),
        (Metric, "metric odd: cannot be made: Can't instantiate abstract class Metric"),
        (Needy, "metric odd: cannot be made: Needy.__init__() missing 1 required positional argument"),
        (without(group="both sides"), "metric odd: group is 'both sides'; expected 'privacy' or 'utility' or 'both'"),
        (without(title=None), "metric odd: title is None; expected text"),
        (without(better="more"), "metric odd: better is 'more'; expected 'higher' or 'lower'"),
    ],
)
def test_what_is_no_metric_is_not_entered(brought: object, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        METRICS.register("odd", brought)
    assert str(caught.value).startswith(reason)
    assert "odd" not in METRICS


def test_metrics_and_attacks_have_names_that_can_be_typed() -> None:
    for table in (METRICS, ATTACKS):
        with pytest.raises(PlanError, match="a-b: expected a name of letters"):
            table.register("a-b", Half)


def test_a_class_or_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "half", Half)
    monkeypatch.setitem(METRICS, "third", Half(3))
    assert METRICS["half"] == Half(2)
    assert [metric_text(Half(each)) for each in (2, 3, 4)] == ["half", "third", "half(of=4)"]


def test_a_plugin_gives_no_built_in_metric_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "ours", Recall(unit="mention"))
    assert metric_text(METRICS["ours"]) == 'recall(unit="mention")'


def test_what_is_no_attack_is_not_entered() -> None:
    with pytest.raises(PlanError, match=r"attack odd: found Half\(of=2\); expected a value of Attack"):
        ATTACKS.register("odd", Half)


@pytest.mark.parametrize("entry", [*METRICS.built_in, *ATTACKS.built_in_names])
def test_every_parameter_is_described(entry: str) -> None:
    value: Metric | Attack = METRICS[entry] if entry in METRICS else ATTACKS[entry]
    lacking = [name for name, description in descriptions(value).items() if not description]
    assert lacking == [], f"write parameter(default, description) for {', '.join(lacking)} of {entry}"


def test_words_that_a_parameter_takes() -> None:
    assert choices(Recall)["unit"] == ("token", "character", "mention", "entity")
    assert set(choices(Recall)) < {each.name for each in fields(Recall)}
