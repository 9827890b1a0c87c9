"""A run of many documents keeps its rows in files: the same numbers and reports, in a folder or in one zip file."""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from showthrough import Corpus, Interrupted, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.core.errors import InputError, OutputError
from showthrough.report import csv_text, json_text, markdown_text
from showthrough.report.html import html_text
from showthrough.run import journal
from showthrough.run.gate.checking import Gate, check_run
from showthrough.run.pairing import RunPair
from showthrough.run.run import Run

METRICS = ("er_di", "er_qi", "recall_per_type", "precision", "residual", "inconsistent")


def scored(**options: Any) -> Run:
    corpus = read_corpus(demo.corpus_path(), name="demo")
    corpus = Corpus(list(corpus)[::-1], "demo")  # not in the order of ids
    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    chosen = {name: found[name] for name in ("rules", "ner")}
    return evaluate(corpus, chosen, METRICS, texts=True, resamples=50, **options)


@pytest.fixture(scope="module")
def runs() -> tuple[Run, Run]:
    """The same in memory and in files."""
    with pytest.MonkeyPatch.context() as patch:
        cut = Corpus.chunks
        patch.setattr(Corpus, "chunks", lambda self, characters=9000, start=0: cut(self, characters, start))
        held = scored()
        patch.setattr(journal, "LARGE", 5)
        return held, scored()


@pytest.fixture
def stored(runs: tuple[Run, Run], tmp_path: Path) -> Path:
    runs[1].save(tmp_path / "run.json")
    return tmp_path / "run.json"


def test_the_same_numbers_and_the_same_rows(runs: tuple[Run, Run]) -> None:
    held, stored = runs
    assert stored.in_files
    assert not held.in_files
    assert list(stored.documents) == sorted(held.documents) != list(held.documents)
    assert (stored.scores, stored.notes, stored.texts, stored.sweeps) == (
        held.scores,
        held.notes,
        held.texts,
        held.sweeps,
    )
    order = sorted(range(len(held.documents)), key=held.documents.__getitem__)
    for text, by_name in held.rows.items():
        for name in by_name:
            one, two = held.rows_of(text, name), stored.rows_of(text, name)
            assert one.columns == two.columns
            assert np.array_equal(one.values[order], two.values)
            assert len(two) == len(held.documents)
            assert {**held.evidence.get(text, {}).get(name, {})} == {**stored.evidence.get(text, {}).get(name, {})}
    shown = stored.evidence["residual"]["ner"]
    assert all(shown[document] == one for document, one in shown.items())
    assert "no such document" not in shown


@pytest.mark.parametrize("name", ["run.json", "run.zip"])
def test_what_is_saved_comes_back(runs: tuple[Run, Run], name: str, tmp_path: Path) -> None:
    held, stored = runs
    stored.save(tmp_path / name)
    run = Run.load(tmp_path / name)
    assert (run.documents, run.scores, run.texts) == (stored.documents, held.scores, held.texts)
    assert run.compare(shuffles=99) == held.compare(shuffles=99)
    assert (csv_text(run), markdown_text(run)) == (csv_text(held), markdown_text(held))
    assert check_run(run, Gate()).anonymizations == check_run(held, Gate()).anonymizations
    assert {**run.evidence["residual"]["ner"]} == {**held.evidence["residual"]["ner"]}
    made = [path for path in tmp_path.rglob("*") if path.exists()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} <= {0o600, 0o700}
    assert len(list(tmp_path.iterdir())) == (1 if name == "run.zip" else 2)


def test_pages_are_the_same(runs: tuple[Run, Run]) -> None:
    held, stored = runs
    stored.provenance = held.provenance
    assert html_text(stored) == html_text(held)
    assert {*msgspec.json.decode(json_text(stored))} == {*msgspec.json.decode(json_text(held))}


def test_a_small_run_in_a_zip_file(runs: tuple[Run, Run], tmp_path: Path) -> None:
    runs[0].save(tmp_path / "run.zip")
    assert Run.load(tmp_path / "run.zip").rows == runs[0].rows
    with pytest.raises(OutputError, match="exists already"):
        runs[0].save(tmp_path / "run.zip")


def test_two_runs_beside(runs: tuple[Run, Run], stored: Path) -> None:
    held, _ = runs
    run = Run.load(stored)
    pairs = [("rules", "rules (b)"), ("ner", "rules (b)")]
    wanted = RunPair(held, held, "b").combined_run.compare("er_qi", pairs=pairs, shuffles=99)
    for one, two in ((run, run), (run, held), (held, run)):
        assert RunPair(one, two, "b").combined_run.compare("er_qi", pairs=pairs, shuffles=99) == wanted


def test_without_text(runs: tuple[Run, Run], stored: Path, tmp_path: Path) -> None:
    run = Run.load(stored)
    run.without_text().save(tmp_path / "bare.json")
    bare = Run.load(tmp_path / "bare.json")
    expected = runs[0].without_text()
    assert bare.texts is None
    assert {name: {**by} for name, by in bare.evidence["residual"].items()} == expected.evidence["residual"]
    assert bare.rows_of("er_di", "ner").totals() == expected.rows_of("er_di", "ner").totals()
    word = next(iter(runs[0].evidence["residual"]["ner"].values())).places[0].text
    home = next(tmp_path.glob("bare.json.rows-*"))
    assert not any(word.encode() in path.read_bytes() for path in home.iterdir() if path.name.startswith("shown"))


def test_one_run_in_the_place_of_another(runs: tuple[Run, Run], stored: Path, tmp_path: Path) -> None:
    """The folder of a run goes with it, and only that one."""
    before = next(tmp_path.glob("run.json.rows-*"))
    stored.rename(tmp_path / "moved.json")
    runs[1].save(stored)
    assert before.exists()
    assert Run.load(tmp_path / "moved.json").scores == runs[0].scores
    second = Run.load(stored)
    second.save(stored, force=True)  # over itself
    assert second.rows_of("er_di", "ner").totals() == runs[0].rows_of("er_di", "ner").totals()
    runs[1].save(stored, force=True)
    assert len(list(tmp_path.glob("run.json.rows-*"))) == 2
    runs[0].save(stored, force=True)
    assert list(tmp_path.glob("run.json.rows-*")) == [before]
    assert list(tmp_path.glob(".*")) == []


def test_a_run_with_other_groups_over_itself(stored: Path) -> None:
    run = Run.load(stored)
    groups = [f"g{number % 3}" for number in range(len(run.documents))]
    replace(run, groups=groups).save(stored, force=True)
    assert list(Run.load(stored).groups) == groups


def test_what_cannot_be_written_leaves_the_old_run(
    runs: tuple[Run, Run], stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from showthrough.run import folder

    files = sorted(path.name for path in stored.parent.rglob("*"))
    put = folder.write_atomically

    def full(target: Path, content: bytes, **options: Any) -> None:
        if target.name == "run.json":
            raise OSError(28, "No space left on device")
        put(target, content, **options)

    monkeypatch.setattr(folder, "write_atomically", full)
    with pytest.raises(OutputError, match=r"run\.json: cannot be written: No space left on device"):
        runs[1].save(stored, force=True)
    assert sorted(path.name for path in stored.parent.rglob("*")) == files
    assert Run.load(stored).rows_of("er_di", "ner").totals() == runs[0].rows_of("er_di", "ner").totals()


def missing_folder(home: Path, run: Path) -> None:
    shutil.rmtree(home)


def missing_table(home: Path, run: Path) -> None:
    (home / "rows-0000.npy").unlink()


def replaced(path: Path, content: bytes) -> None:
    """A new file: what has another name elsewhere stays there."""
    path.unlink()
    path.write_bytes(content)


def cut_table(home: Path, run: Path) -> None:
    replaced(home / "rows-0000.npy", (home / "rows-0000.npy").read_bytes()[:-5])


def changed_index(home: Path, run: Path) -> None:
    content = (home / "index.json").read_bytes()
    (home / "index.json").write_bytes(content.replace(b"er_di", b"er_qi"))


def foreign(home: Path, run: Path) -> None:
    content = (home / "index.json").read_bytes()
    own = msgspec.json.decode(content)["id"].encode()
    (home / "index.json").write_bytes(content.replace(own, b"0" * len(own)))


def outside(home: Path, run: Path) -> None:
    run.write_bytes(run.read_bytes().replace(home.name.encode(), b"../" + home.name.encode()))


def without_tables(home: Path, run: Path) -> None:
    tree = msgspec.json.decode(run.read_bytes())
    run.write_bytes(msgspec.json.encode(tree | {"tables": None}))


def as_an_old_format(home: Path, run: Path) -> None:
    tree = msgspec.json.decode(run.read_bytes())
    run.write_bytes(msgspec.json.encode(tree | {"format": 1}))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (missing_folder, "run.json: the folder run.json.rows-"),
        (missing_table, "rows-0000.npy: is missing"),
        (cut_table, "rows-0000.npy: has "),
        (changed_index, "belongs to another run, or was changed"),
        (foreign, "belongs to another run, or was changed"),
        (outside, "run.json: tables.folder: found ../run.json.rows-"),
        (without_tables, "run.json: tables: expected them"),
        (as_an_old_format, "run.json: tables: expected them"),
    ],
)
def test_what_does_not_belong_to_it(damage: Callable[[Path, Path], None], told: str, stored: Path) -> None:
    damage(next(stored.parent.glob("run.json.rows-*")), stored)
    with pytest.raises(InputError) as caught:
        Run.load(stored)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_that_was_changed_is_told_when_it_is_looked_at(stored: Path) -> None:
    table = next(stored.parent.glob("run.json.rows-*")) / "rows-0000.npy"
    content = table.read_bytes()
    replaced(table, content[:-1] + bytes([content[-1] ^ 1]))
    run = Run.load(stored)
    with pytest.raises(InputError, match=r"rows-0000\.npy: is not as it was written with its run"):
        run.compare(shuffles=9)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("change", "packed", "told"),
    [
        (lambda found: found.pop("run.json"), False, "has no run.json"),
        (lambda found: found.pop("rows/rows-0001.npy"), False, "rows-0001.npy: is missing in the zip file"),
        (lambda found: found, True, "is packed; expected it stored"),
        (lambda found: found.update({"rows/ids.utf8": b"x"}), False, "has 1 bytes; expected"),
        (lambda found: found.update({"rows/index.json": b"{}"}), False, "belongs to another run, or was changed"),
        (lambda found: found.update({"../../outside": b"x"}), False, ""),
    ],
)
def test_other_zip_files(
    change: Callable[[dict[str, bytes]], object], packed: bool, told: str, runs: tuple[Run, Run], tmp_path: Path
) -> None:
    runs[1].save(tmp_path / "run.zip")
    found = members(tmp_path / "run.zip")
    change(found)
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "b.zip", "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as to:
        for name, content in found.items():
            to.writestr(name, content)
    if told:
        with pytest.raises(InputError) as caught:
            Run.load(tmp_path / "in" / "b.zip")
        assert told in str(caught.value)
    else:
        assert Run.load(tmp_path / "in" / "b.zip").scores == runs[0].scores
    assert not (tmp_path / "outside").exists()


def test_a_zip_file_that_unpacks_to_more_than_memory_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWTHROUGH_LIMIT", "1k")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.json", b" " * 1_000_000)
    with pytest.raises(InputError, match=r"bomb\.zip: unpacks to more than 1 KB"):
        Run.load(tmp_path / "bomb.zip")
    (tmp_path / "cut.zip").write_bytes((tmp_path / "bomb.zip").read_bytes()[:40])
    with pytest.raises(InputError, match=r"cut\.zip: is damaged, or no zip file"):
        Run.load(tmp_path / "cut.zip")


def test_an_interrupted_one_goes_on_where_it_was(
    runs: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cut = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=9000, start=0: cut(self, characters, start))
    monkeypatch.setattr(journal, "LARGE", 5)

    def stop(done: int, total: int) -> None:
        if done > 10:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        scored(progress=stop)
    partial = caught.value.partial
    assert 10 < len(partial.documents) < len(runs[0].documents)
    with pytest.raises(OutputError, match="unfinished run of so many documents"):
        partial.save(tmp_path / "run.json")
    assert scored(resume=partial).scores == runs[0].scores
