"""What `--without-text` writes, also when it is interrupted: no word of a document, and no folder."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import showthrough.evaluation._notes
from showthrough.cli import app
from showthrough.run.run import Run

TEXTS = {
    "ann": "Ann the glaciologist feared legislation.",
    "ben": "Ben the widower climbed volcanoes.",
    "cem": "Cem the beekeeper restored violins.",
}
MASKS = {key: [[0, 3]] for key in TEXTS}
KNOWN = {
    "ann": "A glaciologist who feared legislation.",
    "ben": "A widower, he climbed volcanoes.",
    "cem": "A beekeeper who restored violins.",
}
WORDS = {word.strip(".,").lower() for text in (*TEXTS.values(), *KNOWN.values()) for word in text.split()}
WORDS -= {"a", "he", "the", "who", *TEXTS}  # ids stay, and these stand in any sentence
COMMAND = ("evaluate", "secret folder/corpus.json", "names=secret folder/masks.json",
           "--background", "secret folder/known.json", "-m", "trir", "-m", "recall",
           "-o", "run.json", "--resamples", "50")  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("secret folder")
    folder.mkdir()
    documents = [
        {
            "doc_id": key,
            "text": text,
            "annotations": {
                "one": {
                    "entity_mentions": [
                        {"start_offset": 0, "end_offset": 3, "entity_type": "PERSON", "identifier_type": "DIRECT"}
                    ]
                }
            },
        }
        for key, text in TEXTS.items()
    ]
    for name, content in {"corpus": documents, "masks": MASKS, "known": KNOWN}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def interrupted(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *options: str) -> Run:
    """A run that was stopped after the attack and before the scores."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(showthrough.evaluation._notes, "compute_scores", stop)
        assert cli(*COMMAND, *options).status == 130
    return Run.load("run.json.part")


def words_in(path: Path | str) -> set[str]:
    content = Path(path).read_text().lower()
    return {word for word in WORDS if word in content}


def alike(run: Run) -> dict[str, Any]:
    """All of a run but when it was made and how long it took."""
    aside = ("time", "seconds", "attacks")
    provenance = {key: value for key, value in run.provenance.items() if key not in aside}
    return {name: getattr(run, name) for name in run.__struct_fields__ if name != "provenance"} | provenance


def test_interrupted(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with_words = interrupted(cli, monkeypatch)
    assert "legislation" in words_in("run.json.part")
    Path("run.json.part").unlink()
    partial = interrupted(cli, monkeypatch, "--without-text")
    assert not words_in("run.json.part")
    assert "secret folder" not in Path("run.json.part").read_text()
    assert partial.rows == with_words.rows


@pytest.mark.parametrize("options", [("--without-text",), ()])
@pytest.mark.parametrize("stopped", [("--without-text",), ()])
def test_resumed(
    stopped: tuple[str, ...], options: tuple[str, ...], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was kept of what was interrupted, the whole is the same."""
    assert cli(*COMMAND, *options).status == 0
    whole = Run.load("run.json")
    Path("run.json").unlink()
    assert not interrupted(cli, monkeypatch, *stopped).complete
    assert cli(*COMMAND, *options, "--resume").status == 0
    assert alike(Run.load("run.json")) == alike(whole)
    assert bool(words_in("run.json")) != bool(options)


def test_no_folder(cli: Callable[..., Any]) -> None:
    """Of what was read, file names alone."""
    written = ("run.json", "page.html", "scores.json")
    looks = ("--html", "page.html", "--json", "scores.json")
    assert cli(*COMMAND, *looks, "--without-text").status == 0
    for name in written:
        assert "secret folder" not in Path(name).read_text()
    for name in ("corpus.json", "masks.json", "known.json"):
        assert f'<td data-head="from">{name}</td>' in Path("page.html").read_text()
    assert cli(*COMMAND, *looks, "--force").status == 0
    for name in written:
        assert "secret folder" in Path(name).read_text()
    assert cli("report", "run.json", *looks, "--force", "--without-text").status == 0
    for name in written[1:]:
        assert "secret folder" not in Path(name).read_text()


def test_no_folder_of_an_attack(cli: Callable[..., Any]) -> None:
    command = ("attack", "names=secret folder/masks.json", "--corpus", "secret folder/corpus.json",
               "--background", "secret folder/known.json", "-o", "run.json", "--json", "table.json")  # fmt: skip
    assert cli(*command).status == 0
    assert "secret folder" in Path("run.json").read_text()
    assert cli(*command, "--without-text", "--force").status == 0
    for name in ("run.json", "table.json"):
        assert "secret folder" not in Path(name).read_text()
        assert not words_in(name)


def test_no_folder_in_a_metric(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that a metric names is told by its last part, in all that is written."""
    Path("secret folder/words.txt").write_text("the\nwho\n")
    asked = ("-m", 'phi_oov(dictionary="secret folder/words.txt")', "-m", "preset:light")
    looks = [word for view in ("html", "csv", "json", "markdown", "latex") for word in (f"--{view}", f"x.{view}")]
    assert cli(*COMMAND, *asked, *looks, "--plots", "plots", "--without-text").status == 0
    written = [path for path in (*Path().glob("*.*"), *Path("plots").rglob("*.svg")) if path.is_file()]
    assert len(written) > 8
    for path in written:
        content = unpacked(path.read_text())
        assert "secret folder" not in content
        assert "secret-folder" not in path.name
        assert "words.txt" in content or path.suffix == ".svg"
    whole = Run.load("run.json")
    Path("run.json").unlink()
    assert not interrupted(cli, monkeypatch, *asked, "--without-text").complete
    assert cli(*COMMAND, *asked, "--without-text", "--resume").status == 0
    assert alike(Run.load("run.json")) == alike(whole)


def unpacked(content: str) -> str:
    """A page with what its data blocks hold."""
    blocks = re.findall(r">\s*(H4sI[\w+/=]+)\s*<", content)
    return content + "".join(gzip.decompress(base64.b64decode(block)).decode() for block in blocks)


LOOKS = [word for view in ("html", "markdown", "latex", "json") for word in (f"--{view}", f"x.{view}")]
READ = ("secret folder/corpus.json", "names=secret folder/masks.json", "none=secret folder/none.json")
ATTACK = ("attack", *READ[1:], "--corpus", READ[0], "--background", "secret folder/known.json", "--abstain")
# Commands that take it; `review` reads filled sheets then, and `verifier score` numbers alone.
COMMANDS = {
    "evaluate": ("evaluate", *READ, "--background", "secret folder/known.json", "-m", "preset:default", "-m", "trir",
                 "-m", "residual", "-m", "inconsistent", "--parts", "--signatures", "-o", "x.run", "--csv", "x.csv"),
    "evaluate systems": ("evaluate", *READ, "--with", "rules", "--background", "secret folder/known.json", "-m", "trir",
              "-m", "recall", "--no-cache", "--parts", "-o", "x.run", "--csv", "x.csv"),
    "report": ("report", "secret folder/run.json", "--parts", "--signatures", "--csv", "x.csv"),
    "attack": (*ATTACK, "--attacks", "lexical, lexical+prior", "--explain", "9", "-o", "x.run", "--json", "x.json"),
    "errors": ("errors", "secret folder/run.json", "--anonymization", "none"),
    "errors of all": ("errors", "secret folder/run.json"),
    "agreement": ("agreement", "secret folder/two.json"),
    "corpus": ("corpus", "secret folder/corpus.json"),
    "compare": ("compare", "secret folder/run.json", "secret folder/last.json", "--shuffles", "19"),
    "adjudicate": ("adjudicate", "secret folder/two.json"),
    "stress": ("stress", "secret folder/corpus.json", "--with", "rules", "--perturb", "capitals", "--resamples", "20"),
}  # fmt: skip
WORDLESS = ("errors of all", "corpus", "stress")  # in any case; the last since nothing here breaks


@pytest.mark.parametrize("command", COMMANDS)
def test_no_word_is_written_or_printed(command: str, cli: Callable[..., Any]) -> None:
    folder = Path("secret folder")
    two = json.loads((folder / "corpus.json").read_text())
    for one in two:
        mention = {"start_offset": 8, "end_offset": 15, "entity_type": "DEM", "identifier_type": "QUASI"}
        one["annotations"]["two"] = {"entity_mentions": [mention]}
    (folder / "two.json").write_text(json.dumps(two))
    (folder / "none.json").write_text(json.dumps({key: [] for key in TEXTS}))
    if "secret folder/run.json" in COMMANDS[command]:
        assert (
            cli("evaluate", *COMMANDS["evaluate"][1:-5], "-o", "secret folder/run.json", "--resamples", "50").status
            == 0
        )
    if command == "compare":
        last = ("evaluate", READ[0], READ[2].replace("none=", "names="), READ[2], "-m", "removed_di")
        assert cli(*last, "-o", "secret folder/last.json", "--resamples", "50").status == 0
    looks = {"attack": (), "compare": (*LOOKS[:2], *LOOKS[-2:])}.get(command, LOOKS)
    with_words = cli(*COMMANDS[command], *looks)
    assert bool(words_of(with_words)) == (command not in WORDLESS)  # else the question would tell nothing
    for path in Path().glob("x.*"):
        path.unlink()
    found = cli(*COMMANDS[command], *looks, "--without-text")
    assert found.status == with_words.status == 0
    assert words_of(found) == set()


def words_of(outcome: Any) -> set[str]:
    """Of all that was printed and written."""
    written = [unpacked(path.read_text()) for path in Path().glob("x.*")]
    content = "\n".join([outcome.out, outcome.err, *written]).lower()
    return {word for word in WORDS if word in content}


def test_all_commands_that_take_it_were_asked() -> None:
    taking = {
        path for path, one in _commands(get_command(app)) if any("--without-text" in each.opts for each in one.params)
    }
    assert taking == {one.partition(" ")[0] for one in COMMANDS} | {"review", "verifier score"}


def _commands(one: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if hasattr(one, "commands"):
        for name, inner in one.commands.items():
            yield from _commands(inner, (*path, name))
    else:
        yield " ".join(path), one


def test_a_finished_run_is_written_again_without_text(cli: Callable[..., Any]) -> None:
    assert cli(*COMMAND).status == 0
    assert words_in("run.json")
    outcome = cli("report", "run.json", "--without-text", "-o", "bare.json")
    assert outcome.status == 0
    assert "run written to bare.json" in outcome.out
    assert not words_in("bare.json")
    assert "secret folder" not in Path("bare.json").read_text()
    assert Run.load("bare.json").rows == Run.load("run.json").without_text().rows
    assert cli("report", "run.json", "-o", "bare.json").status == 2  # it is there
    assert cli("report", "run.json", "-o", "run.json", "--force").status == 2  # nor what it reads
