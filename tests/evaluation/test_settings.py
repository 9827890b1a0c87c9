"""Settings exist once, and all that users meet follows from them."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
import typer
from msgspec import Meta
from typer.testing import CliRunner

import showthrough as st
from showthrough import Anonymization, Corpus, InputError, PlanError
from showthrough.cli.options import CliOptions, with_options
from showthrough.evaluation.plan_files import plan_keys, read_request
from showthrough.evaluation.settings import FileSettings, Settings, options_of, settings_problems, takes_arguments_of
from showthrough.models.settings import ModelSettings
from showthrough.run.run import RecordedSettings

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Extended(FileSettings):
    """The settings with one more."""

    machines: Annotated[int, Meta(title="N", description="Machines that share the work.", ge=1)] = 1


@dataclass(frozen=True, kw_only=True)
class Call(Extended):
    corpus: str = field(kw_only=False)


def test_an_option_is_added_in_one_place(tmp_path: Path) -> None:
    """One field, and the command line, plans, Python and checks have it."""
    app = typer.Typer(rich_markup_mode=None)
    seen: list[CliOptions] = []

    @app.command()
    @with_options(settings=options_of(Extended))
    def command(settings: CliOptions) -> None:
        seen.append(settings)

    shown = CliRunner().invoke(app, ["--help"]).output
    assert re.search(r"--machines N\s+Machines that share the work\.\s+\[default: 1\]", shown)
    assert CliRunner().invoke(app, ["--machines", "3", "--map", "A=B", "--map", "C=D"]).exit_code == 0
    assert seen == [{"machines": 3, "map": "A=B,C=D"}]

    assert "machines" in plan_keys(Extended).__struct_fields__
    (tmp_path / "plan.toml").write_text('corpus = "x"\nmachines = 4\n[anonymizations]\na = "a.json"\n')
    settings = read_request(tmp_path / "plan.toml", Extended).settings
    assert isinstance(settings, Extended)
    assert settings.machines == 4

    @takes_arguments_of(Call)
    def evaluate(call: Call) -> int:
        """Counts them."""
        return call.machines

    assert evaluate("x", machines=2) == 2
    assert inspect.signature(evaluate).parameters["machines"].default == 1
    assert "machines: Machines that share the work." in (evaluate.__doc__ or "")
    (problem,) = settings_problems(replace(settings, machines=0))
    assert (problem.place, problem.message) == ("machines", "found 0; expected 1 or more")


def test_a_setting_is_named_where_it_is_declared_and_where_it_is_used() -> None:
    """The device is the business of models: the way there from the command line, a plan or Python never names it."""
    source = ROOT / "src/showthrough"
    files = [file for room in ("cli", "evaluation", "run") for file in (source / room).rglob("*.py")]
    naming = [file.name for file in files if re.search(r"(?<!models\.)\bdevice\b", file.read_text(encoding="utf-8"))]
    assert naming == []
    assert (source / "models/settings.py").read_text(encoding="utf-8").count("    device:") == 1


@pytest.mark.parametrize("kind", [Settings, FileSettings])
def test_every_option_says_what_it_is(kind: type) -> None:
    for option in options_of(kind).values():
        assert re.fullmatch(r"[A-Z].+\.", option.help)
    fixed = {one.name for one in fields(kind) if not one.init}
    assert {one.name for one in fields(kind)} - fixed == set(options_of(kind))


def test_parts_of_the_settings() -> None:
    settings = Settings(seed=3, dtype="bf16", device="cpu", direct="PER")
    assert settings.recorded_settings == RecordedSettings(seed=3, dtype="bf16", types="direct=PER")
    assert settings.models == ModelSettings(device="cpu", dtype="bf16")
    assert type(settings.recorded_settings) is RecordedSettings  # a run holds these fields and no others


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"seed": -1}, "seed: found -1; expected 0 or more"),
        ({"seed": "3"}, "seed: found text; expected a whole number"),
        ({"seed": True}, "seed: found true or false; expected a whole number"),
        ({"resamples": 10**9}, "resamples: found 1000000000; expected 0 to 1000000"),
        ({"confidence": float("nan")}, "confidence: found nan; expected a number between 0 and 1"),
        ({"missing": "zero"}, "missing: found 'zero'; expected error or unmasked"),
        ({"jobs": 0}, "jobs: found 0; expected 1 or more"),
        ({"device": "cuda:x"}, "device: found 'cuda:x'; expected auto, cpu, cuda, cuda:<number> or mps"),
        ({"device": "cpu\n"}, "device: found 'cpu\\n'; expected auto, cpu, cuda, cuda:<number> or mps"),
        ({"dtype": "fp8"}, "dtype: found 'fp8'; expected fp32, fp16 or bf16"),
        ({"dtype": 5}, "dtype: found a whole number; expected fp32, fp16 or bf16"),
        ({"references": "no"}, "references: found text; expected true or false"),
        ({"references": None}, "references: found None; expected true or false"),
        ({"sweeps": 1}, "sweeps: found a whole number; expected true or false"),
        ({"cache": "no"}, "cache: found text; expected true or false"),
        ({"language": 5}, "language: found a whole number; expected text"),
        ({"function_words": 5}, "function_words: found a whole number; expected text or None"),
        ({"vectors": ["a"]}, "vectors: found a list […]; expected text or None"),
        ({"address": 5}, "address: found a whole number; expected text or None"),
        ({"recordings": 5}, "recordings: found a whole number; expected text or None"),
        ({"jobs": "2"}, "jobs: found text; expected a whole number or None"),
        ({"send_text_to": 5}, "send_text_to: found a whole number; expected text or a list […]"),
        ({"send_text_to": ["a", 5]}, "send_text_to[1]: found a whole number; expected text"),
        ({"direct": 5}, "direct: found 5; expected names of types"),
        ({"ignore": ["A", 5]}, "ignore: found ['A', 5]; expected names of types"),
        ({"map": {"A": 5}}, "map: found {'A': 5}; expected a mapping, or text such as LOCATION=LOC"),
        ({"map": {5: "A"}}, "map: found {5: 'A'}; expected a mapping, or text such as LOCATION=LOC"),
        ({"progress": 5}, "progress: found a value of type int; expected a function"),
        ({"watch": 5}, "watch: found a value of type int; expected a function"),
    ],
)
def test_values_out_of_range(values: dict[str, Any], problem: str, tiny: Corpus, masked: Anonymization) -> None:
    with pytest.raises(InputError) as caught:
        st.evaluate(tiny, [masked], ["er"], **values)
    assert str(caught.value) == problem


def test_settings_are_checked_before_any_work(monkeypatch: pytest.MonkeyPatch, masked: Anonymization) -> None:
    """Documents are not looked at: those of a large corpus would be decoded for nothing."""
    looked: list[object] = []
    monkeypatch.setattr(Corpus, "survey", property(looked.append))
    with pytest.raises(InputError, match=r"^references: found text; expected true or false$"):
        st.evaluate(Corpus([st.Document("a", "Ann")]), [masked], ["er"], references="no")  # type: ignore[arg-type]
    assert looked == []


@pytest.mark.parametrize("kind", [Settings, FileSettings])
def test_every_setting_is_checked(kind: type) -> None:
    """A value of a type that no setting has is refused for each of them."""

    class Stranger:
        pass

    names = set(options_of(kind)) - {"map", "direct", "quasi", "ignore", "may"}  # which are refused when they are split
    settings = kind(**dict.fromkeys(names, Stranger()))
    assert {problem.place for problem in settings_problems(settings)} == names
    for name in ("map", "direct", "quasi", "ignore", "may"):
        with pytest.raises(PlanError, match=f"^{name}: found "):
            kind(**{name: Stranger()})


def test_a_file_may_be_named_by_a_path(tmp_path: Path) -> None:
    settings = Settings(recordings=tmp_path / "kept")  # type: ignore[arg-type]
    assert settings.recordings == str(tmp_path / "kept")
    assert settings_problems(settings) == []


def test_all_that_is_wrong_is_told_at_once(tiny: Corpus, masked: Anonymization) -> None:
    with pytest.raises(InputError) as caught:
        st.evaluate(tiny, [masked], ["er"], seed=-1, jobs=0)
    assert [problem.place for problem in caught.value.problems] == ["jobs", "seed"]


@pytest.fixture
def masked(tiny: Corpus) -> Anonymization:
    return Anonymization(dict.fromkeys(tiny.ids, ()), name="none")


def test_python_shows_every_setting() -> None:
    parameters = inspect.signature(st.evaluate).parameters
    assert list(parameters)[:3] == ["corpus", "anonymizations", "metrics"]
    assert set(options_of(Settings)) <= set(parameters)
    own = {
        "answers",
        "background",
        "names",
        "policy",
        "progress",
        "ratings",
        "resume",
        "statements",
        "texts",
        "thresholds",
        "verifiers",
        "watch",
    }
    assert set(parameters) == own | set(options_of(Settings)) | {"corpus", "anonymizations", "metrics"}
    assert {one.kind for one in list(parameters.values())[3:]} == {inspect.Parameter.KEYWORD_ONLY}
    assert (parameters["resamples"].default, parameters["resamples"].annotation) == (1000, int)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    assert [name for name in parameters if f"`{name}`" not in page] == []


def test_an_argument_that_there_is_not(tiny: Corpus, masked: Anonymization) -> None:
    with pytest.raises(PlanError, match=r"^sed: unknown argument; expected one of corpus, .*\bseed\b.*$") as caught:
        st.evaluate(tiny, [masked], sed=1)  # type: ignore[call-arg]
    assert "\n" not in str(caught.value)
    for name in ("types", "format"):  # what is derived, and what concerns files
        with pytest.raises(PlanError, match=f"^{name}: unknown argument"):
            st.evaluate(tiny, [masked], **{name: "x"})


def test_names_of_types_may_come_in_any_form() -> None:
    """Also as what can be looked at only once: it must not be lost between two looks."""
    given: tuple[Any, ...] = ("A,B", ["A", "B"], {"A": 1, "B": 2}, iter(["A", "B"]))
    for names in given:
        settings = Settings(direct=names)
        assert settings.retyping.direct == ("A", "B")
        assert settings.types == replace(settings, seed=1).types == "direct=A,B"


def test_what_is_said_of_types_adds_to_a_plan() -> None:
    settings = FileSettings(map={"A": "B"}, direct="PER,LOC").overridden({"quasi": "LOC", "map": "C=D"})
    assert (settings.direct, settings.quasi, settings.map) == (("PER",), ("LOC",), {"A": "B", "C": "D"})
    with pytest.raises(PlanError, match="type PER: is named for direct and for quasi"):
        Settings(direct="PER", quasi="PER")


def test_types_are_changed_once(tiny: Corpus) -> None:
    """A plan has types as files have them; what changes places is not changed back."""
    (kind, *_) = tiny.survey.types
    plan = st.Plan(tiny, (Anonymization({}, name="x"),), (), Settings(map={kind: "NEW"}, missing="unmasked"))
    assert kind in plan.corpus.survey.types
    assert "NEW" in plan.retype().corpus.survey.types
    assert plan.settings.recorded_settings.types == f"map={kind}>NEW"


def test_a_run_records_the_same_fields_as_ever() -> None:
    assert list(msgspec.to_builtins(RecordedSettings())) == [
        "seed",
        "resamples",
        "confidence",
        "missing",
        "dtype",
        "types",
    ]
