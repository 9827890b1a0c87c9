"""Ctrl-C keeps what was finished, and --resume completes it to the very same run."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import showthrough.cli.evaluate as command
from showthrough import Interrupted, Plan, evaluate, read_anonymization, read_corpus
from showthrough.core.errors import OutputError
from showthrough.data.documents import Corpus
from showthrough.families.masking.recall import Recall
from showthrough.run.run import Run
from showthrough.storage.append_log import GrowingFile

if sys.platform != "win32":
    import fcntl

DOCUMENTS = 20
CHUNK = 60  # characters: two or three documents
EVALUATE = ("evaluate", "corpus.jsonl", "a=a.json", "b=b.jsonl", "-o", "run.json", "--resamples", "50")


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty documents whose scores differ, cut into small chunks, in the working directory."""
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path)
    original = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=CHUNK, start=0: original(self, characters, start))


def write_corpus(folder: Path, documents: int = DOCUMENTS) -> None:
    lines, masks = [], {}
    for number in range(documents):
        name = f"D{'aeiouy'[number % 6]}{'bcdfghjklmnpqrstvwxz'[number // 6 % 20]}"  # everybody has one of their own
        text = f"Mr {name} {number} of Oslo left" + "." * (number % 3)
        at = text.index("Oslo")
        mentions = [
            {"start_offset": 3, "end_offset": 6, "entity_type": "PERSON", "identifier_type": "DIRECT"},
            # A type of its own every seventh document: earlier and later chunks then have other columns.
            {"start_offset": at, "end_offset": at + 4, "entity_type": "LOC" if number % 7 else f"LOC{number}"},
        ]
        mentions[1]["identifier_type"] = "QUASI"
        layer = {"annotator": {"entity_mentions": mentions}}
        lines.append(json.dumps({"doc_id": f"d{number}", "text": text, "annotations": layer}))
        masks[f"d{number}"] = [[3, 6]] if number % 2 else [[at, at + 4, "CITY"]]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    (folder / "a.json").write_text(json.dumps(masks))
    everything = [
        json.dumps({"doc_id": key, "masks": [[0, 6], *(mask for mask in found if mask[0] > 6)]})
        for key, found in masks.items()
    ]
    (folder / "b.jsonl").write_text("\n".join(everything))


@contextmanager
def stopped(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """Ctrl-C comes when so many documents are done."""
    original = command.evaluate_plan

    def advance(done: int, total: int) -> None:
        if done >= after:
            raise KeyboardInterrupt

    def evaluate_plan(plan: Plan, **options: Any) -> Run:
        return original(plan, **{**options, "progress": advance})

    with monkeypatch.context() as patch:
        patch.setattr(command, "evaluate_plan", evaluate_plan)
        yield


def finished(cli: Callable[..., Any]) -> Run:
    """The run that nobody interrupted."""
    assert cli(*EVALUATE[:-4], "-o", "whole.json", "--resamples", "50").status == 0
    return Run.load("whole.json")


@pytest.mark.parametrize("after", [0, 1, 10, DOCUMENTS])
def test_a_stopped_run_is_completed(after: int, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = finished(cli)
    with stopped(monkeypatch, after):
        outcome = cli(*EVALUATE)
    assert (outcome.status, outcome.out) == (130, "")
    assert not Path("run.json").exists()
    part = Run.load("run.json.part")
    done = len(part.documents)
    assert outcome.err == (
        f"interrupted after {done} of {DOCUMENTS} documents; run.json.part {'holds them' if done else 'says so'}: "
        "the same command with --resume completes it\n"
    )
    assert not part.complete
    assert part.scores == []
    assert min(after, DOCUMENTS) <= done <= DOCUMENTS
    assert part.documents == whole.documents[:done]
    assert all(
        len(column) == done for names in part.rows.values() for rows in names.values() for column in rows.values()
    )

    outcome = cli(*EVALUATE, "--resume")
    assert (outcome.status, outcome.err) == (0, f"going on after {done} of {DOCUMENTS} documents\n")
    assert not Path("run.json.part").exists()
    run = Run.load("run.json")
    assert run.complete
    assert run.documents == whole.documents
    assert run.rows == whole.rows
    assert run.scores == whole.scores


def test_a_run_may_be_stopped_many_times(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = finished(cli)
    counts = []
    for after in (1, 6, 7, 15):
        with stopped(monkeypatch, after):
            assert cli(*EVALUATE, *(["--resume"] if counts else [])).status == 130
        counts.append(len(Run.load("run.json.part").documents))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] < DOCUMENTS
    assert cli(*EVALUATE, "--resume").status == 0
    run = Run.load("run.json")
    assert (run.rows, run.scores) == (whole.rows, whole.scores)


def test_nothing_to_keep_it_in(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(Path().iterdir())
    with stopped(monkeypatch, 5):
        outcome = cli(*EVALUATE[:4])
    assert outcome.status == 130
    assert outcome.err.startswith("interrupted after ")
    assert outcome.err.endswith("with -o FILE they would have been kept\n")
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("during", ["read_corpus", "read_anonymization"])
def test_stopped_while_reading(during: str, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"showthrough.evaluation.requests.{during}", stop)
    assert cli(*EVALUATE).status == 130
    assert not Path("run.json").exists()


def changed_corpus() -> None:
    path = Path("corpus.jsonl")
    path.write_text(path.read_text().replace("left", "stayed", 1))


def other_order() -> None:
    path = Path("corpus.jsonl")
    path.write_text("\n".join(reversed(path.read_text().split("\n"))))


def changed_masks() -> None:
    masks = json.loads(Path("a.json").read_text())
    masks["d19"] = []
    Path("a.json").write_text(json.dumps(masks))


@pytest.mark.parametrize(
    ("change", "options", "what"),
    [
        (changed_corpus, (), "corpus"),
        (other_order, (), "document order"),
        (changed_masks, (), "anonymizations"),
        (None, ("c=a.json",), "anonymizations"),
        (None, ("-m", "er_di"), "metrics"),
        (None, ("--seed", "1"), "settings"),
        (None, ("--confidence", "0.9"), "settings"),
        (None, ("--missing", "unmasked"), "settings"),
    ],
)
def test_another_evaluation_is_not_resumed(
    change: Callable[[], None] | None,
    options: tuple[str, ...],
    what: str,
    cli: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    before = Path("run.json.part").read_bytes()
    if change:
        change()
    outcome = cli(*EVALUATE, *options, "--resume")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"{what}: not the same as in the run to resume; start afresh without --resume\n"
    assert Path("run.json.part").read_bytes() == before


@pytest.mark.parametrize("options", [(), ("--without-text",)])
def test_another_version_of_a_metric_is_not_resumed(
    options: tuple[str, ...], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package of somebody else may change while this program stays what it is."""
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE, *options).status == 130
    monkeypatch.setattr(Recall, "version", Recall.version + 1)
    outcome = cli(*EVALUATE, *options, "--resume")
    assert outcome.err == "metrics: not the same as in the run to resume; start afresh without --resume\n"


def test_a_complete_run_is_not_resumed(cli: Callable[..., Any]) -> None:
    assert cli(*EVALUATE).status == 0
    before = Path("run.json").read_bytes()
    outcome = cli(*EVALUATE, "--resume")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "run.json: this run is complete; there is nothing to resume\n"
    assert Path("run.json").read_bytes() == before


def test_an_unfinished_run_is_not_lost_by_chance(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    outcome = cli(*EVALUATE)
    assert (outcome.status, outcome.err) == (
        2,
        "run.json.part: holds a run that was not finished; complete it with --resume, or start afresh with --force\n",
    )
    assert cli(*EVALUATE, "--force").status == 0
    assert not Path("run.json.part").exists()


def test_a_complete_run_is_replaced_by_a_complete_one_alone(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = finished(cli)
    assert cli(*EVALUATE).status == 0
    before = Path("run.json").read_bytes()
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE, "--force").status == 130
    assert Path("run.json").read_bytes() == before
    outcome = cli(*EVALUATE, "--resume")
    assert (outcome.status, outcome.err) == (
        2,
        "run.json: this run is complete; there is nothing to resume; "
        "with --force run.json.part is completed, and takes its place\n",
    )
    assert cli(*EVALUATE, "--resume", "--force").status == 0
    assert Run.load("run.json").provenance != msgspec.json.decode(before)["provenance"]
    assert Run.load("run.json").scores == whole.scores
    assert not Path("run.json.part").exists()


def test_an_incomplete_run_file_is_completed(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """As a program saves it that was interrupted; whoever is stopped again has both, and goes on from the later."""
    whole = finished(cli)
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    part = Run.load("run.json.part")
    Path("run.json.part").unlink()
    part.save("run.json")
    with stopped(monkeypatch, 12):
        assert cli(*EVALUATE, "--resume").status == 130
    assert Run.load("run.json").documents == part.documents
    done = len(Run.load("run.json.part").documents)
    assert done > len(part.documents)
    outcome = cli(*EVALUATE, "--resume")
    assert (outcome.status, outcome.err) == (0, f"going on after {done} of {DOCUMENTS} documents\n")
    assert (Run.load("run.json").rows, Run.load("run.json").scores) == (whole.rows, whole.scores)
    assert not Path("run.json.part").exists()


def test_metrics_that_are_done_are_told(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    asked = (*EVALUATE, "-m", "er", "-m", 'nmi(embedding="lsa")')
    with monkeypatch.context() as patch:
        patch.setattr("showthrough.evaluation._notes.compute_scores", stop)
        assert cli(*asked).status == 130
    outcome = cli(*asked, "--resume")
    assert (outcome.status, outcome.err.splitlines()[0]) == (
        0,
        'going on after 20 of 20 documents and nmi(embedding="lsa"), which looks at all of them',
    )


@pytest.mark.skipif(os.name != "posix", reason="locks and modes")
def test_two_at_once(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What another evaluation writes is neither resumed nor replaced; and it is for its owner alone."""
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    assert stat.S_IMODE(Path("run.json.part").stat().st_mode) == 0o600
    with Path("run.json.part").open() as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        for options in ((), ("--resume",), ("--force",)):
            outcome = cli(*EVALUATE, *options)
            assert outcome.status == 2
            assert outcome.err.startswith("run.json.part: another evaluation is writing it")
    assert cli(*EVALUATE, "--resume").status == 0


@pytest.mark.parametrize("content", [b"", b"something else", b"showthrough unfinished run 1\n", b"{}"])
def test_what_is_no_journal(content: bytes, cli: Callable[..., Any]) -> None:
    Path("run.json.part").write_bytes(content)
    outcome = cli(*EVALUATE, "--resume")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("run.json.part: is not the journal of an unfinished run, or is damaged")
    assert Path("run.json.part").read_bytes() == content
    assert cli(*EVALUATE, "--force").status == 0


@pytest.mark.parametrize("counts", [[1, 0], [1, 0, 0, 0, 0, 0, 1, 0]])
def test_a_journal_that_counts_other_things_of_masks(
    counts: list[int], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its checksums are right: too many counts once ended with a traceback, and those that lacked were taken for 0."""
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    title, *lines = Path("run.json.part").read_bytes().splitlines()
    entries = [json.loads(line.partition(b" ")[2]) for line in lines]
    changed = [entry for entry in entries if "a" in entry.get("masks", {})]
    for entry in changed:
        entry["masks"]["a"] = counts
    pieces = [json.dumps(entry).encode() for entry in entries]
    content = b"".join(b"%08x %s\n" % (zlib.crc32(piece), piece) for piece in pieces)
    Path("run.json.part").write_bytes(title + b"\n" + content)
    outcome = cli(*EVALUATE, "--resume")
    assert changed
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("run.json.part: ")


def test_what_is_read_is_no_journal(cli: Callable[..., Any]) -> None:
    Path("corpus.jsonl").rename("run.json.part")
    outcome = cli("evaluate", "run.json.part", "a=a.json", "--format", "jsonl", "-o", "run.json")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("run.json.part: is read by this command")


def test_where_it_cannot_be_kept_the_run_file_keeps_it(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object) -> None:
        raise OutputError("run.json.part: cannot be written: full")

    with monkeypatch.context() as patch, stopped(monkeypatch, 5):
        patch.setattr(GrowingFile, "draft", full)
        outcome = cli(*EVALUATE)
    assert outcome.status == 130
    assert outcome.err.startswith("note: run.json.part: cannot be written: full; going on, and trying again\n")
    assert "run.json holds them" in outcome.err
    assert not Run.load("run.json").complete
    assert cli(*EVALUATE, "--resume").status == 0


def test_resuming_nothing_starts_afresh(cli: Callable[..., Any]) -> None:
    outcome = cli(*EVALUATE, "--resume")
    assert (outcome.status, outcome.err) == (0, "run.json does not exist; starting from the beginning\n")
    assert Run.load("run.json").complete


def test_a_stopped_run_can_be_looked_at(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    outcome = cli("report", "run.json.part")
    assert (outcome.status, outcome.err) == (1, "this run was interrupted: complete it with evaluate --resume\n")


def test_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = read_corpus("corpus.jsonl")
    masks = [read_anonymization("a.json")]

    def stop(done: int, total: int) -> None:
        assert total == DOCUMENTS
        if done > 8:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        evaluate(corpus, masks, progress=stop, resamples=50)
    partial: Run = caught.value.partial
    assert 8 < len(partial.documents) < DOCUMENTS
    resumed = evaluate(corpus, masks, resume=partial, resamples=50)
    assert resumed.scores == evaluate(corpus, masks, resamples=50).scores


SLOW = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
from showthrough.data.documents import Corpus
from showthrough.metrics.chunk import Chunk

chunks, begin = Corpus.chunks, Chunk.__init__
Corpus.chunks = lambda self, characters=1000, start=0: chunks(self, characters, start)

def waiting(self, corpus, *rest, **named):
    if int(corpus.documents[0].id[1:]) > 250 and "--resume" not in sys.argv:
        Path("half-way").touch()
        time.sleep(300)  # until the signal comes
    begin(self, corpus, *rest, **named)

Chunk.__init__ = waiting
"""


@pytest.mark.slow
def test_a_signal_in_the_middle(tmp_path: Path) -> None:
    """The real program and a real signal: a module that Python loads at its start makes it wait half-way."""
    write_corpus(tmp_path, 500)
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    program = [sys.executable, "-m", "showthrough", *EVALUATE]
    process = subprocess.Popen(
        program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 180
        while not Path("half-way").exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, ""), err
    assert "Traceback" not in err
    part = Run.load("run.json.part")
    assert not part.complete
    assert 250 <= len(part.documents) < 500
    assert f"interrupted after {len(part.documents)} of 500 documents" in err

    done = subprocess.run([*program, "--resume"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, f"going on after {len(part.documents)} of 500 documents\n")
    fresh = evaluate(
        read_corpus("corpus.jsonl"),
        {"a": read_anonymization("a.json"), "b": read_anonymization("b.jsonl")},
        resamples=50,
    )
    run = Run.load("run.json")
    assert run.complete
    assert run.documents == fresh.documents
    assert run.rows == fresh.rows
    assert run.scores == fresh.scores


def test_references_are_part_of_the_plan(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE).status == 130
    assert "nothing masked" in Run.load("run.json.part").rows["recall"]
    outcome = cli(*EVALUATE, "--resume", "--no-references")
    assert outcome.status == 2
    assert outcome.err.startswith("references: not the same as in the run to resume")
    with stopped(monkeypatch, 5):
        assert cli(*EVALUATE, "--force", "--no-references").status == 130
    assert cli(*EVALUATE, "--resume", "--no-references").status == 0
    run = Run.load("run.json")
    assert run.references == []
    assert "nothing masked" not in run.rows["recall"]
