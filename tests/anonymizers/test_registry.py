"""Finding anonymizers by name: built-ins, plugins, and plugins that are broken."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import showthrough.anonymizers as anonymizers
from showthrough.anonymizers import GROUP, Anonymizer, anonymize, anonymizer, available
from showthrough.anonymizers.rules import Rules
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask
from showthrough.errors import PlanError, ResourceError


class Everything:
    name = "everything"
    version = 3

    def masks(self, document: Document) -> list[Mask]:
        return [Mask(0, len(document.text))]


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Declares plugins as installed packages would, each in a module of its own."""
    monkeypatch.syspath_prepend(tmp_path)

    def declare(**values: str) -> None:
        entries = EntryPoints(EntryPoint(name, value, GROUP) for name, value in values.items())

        def found(group: str, name: str | None = None) -> EntryPoints:
            assert group == GROUP
            return entries if name is None else entries.select(name=name)

        monkeypatch.setattr(anonymizers, "entry_points", found)

    return declare


def write(folder: Path, module: str, source: str) -> None:
    (folder / f"{module}.py").write_text(source, encoding="utf-8")


def test_the_rules_are_there_by_name() -> None:
    made = anonymizer("rules")
    assert isinstance(made, Rules)
    assert (made.name, made.version) == ("rules", 1)


def test_built_ins_are_there_without_any_metadata(declare) -> None:
    declare()
    assert list(available()) == ["rules"]
    assert isinstance(anonymizer("rules"), Rules)


def test_a_built_in_keeps_its_name(declare) -> None:
    declare(rules="elsewhere:Rules")
    assert isinstance(anonymizer("rules"), Rules)


def test_an_unknown_name_lists_what_there_is(declare) -> None:
    declare(other="elsewhere:Other")
    with pytest.raises(PlanError, match=r"unknown anonymizer 'nobody'; there are: other, rules"):
        anonymizer("nobody")


def test_a_plugin(declare, tmp_path: Path) -> None:
    write(
        tmp_path,
        "sound_plugin_of_registry_test",
        "class Sound:\n    name = 'sound'\n    version = 2\n    def masks(self, document):\n        return []\n",
    )
    declare(sound="sound_plugin_of_registry_test:Sound")
    assert list(available()) == ["rules", "sound"]
    assert anonymizer("sound").version == 2


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        ("absent_import_plugin", "import no_such_package_anywhere\n", "no_such_package_anywhere"),
        ("wrong_syntax_plugin", "class Broken(:\n", "SyntaxError"),
        ("empty_plugin", "", "Broken"),
        ("no_library_plugin", "raise OSError('libsomething.so is missing')\n", "libsomething"),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_named_only_when_asked_for(
    declare, tmp_path: Path, module: str, source: str, told: str
) -> None:
    write(tmp_path, module, source)
    declare(broken=f"{module}:Broken")
    assert "broken" in available()
    with pytest.raises(ResourceError, match=rf"'broken' \({module}:Broken\)(.|\n)*{told}"):
        anonymizer("broken")


def test_a_plugin_that_is_no_anonymizer(declare, tmp_path: Path) -> None:
    write(tmp_path, "no_anonymizer_plugin", "class Nothing:\n    pass\n")
    declare(nothing="no_anonymizer_plugin:Nothing")
    with pytest.raises(ResourceError, match=r"'nothing'.*lacks a name, a version or masks"):
        anonymizer("nothing")


def test_two_plugins_of_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    both = EntryPoints([EntryPoint("twin", "one:Twin", GROUP), EntryPoint("twin", "two:Twin", GROUP)])
    monkeypatch.setattr(anonymizers, "entry_points", lambda group, name=None: both)
    with pytest.raises(PlanError, match=r"'twin' is declared more than once: one:Twin, two:Twin"):
        anonymizer("twin")


def test_anonymize_takes_every_document() -> None:
    corpus = Corpus([Document("a", "Mr Doe"), Document("b", "Oslo")])
    result = anonymize(corpus, Everything())
    assert result.name == "everything"
    assert {name: list(masks) for name, masks in result.masks.items()} == {
        "a": [Mask(0, 6)],
        "b": [Mask(0, 4)],
    }


def test_the_protocol_recognises_what_fits() -> None:
    assert isinstance(Everything(), Anonymizer)
    assert isinstance(Rules(), Anonymizer)
    assert not isinstance(object(), Anonymizer)
