"""What is done is saved about every half minute, each part of it once, and what is resumed from it is the same run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, Document, Interrupted, Mask, Mention, Plan, evaluate_plan
from showthrough.core.errors import OutputError, ResourceError
from showthrough.data.background import Background
from showthrough.data.documents import Annotation
from showthrough.evaluation._mask_notices import MaskNoticeCounts
from showthrough.evaluation.checkpoints import EVERY, Checkpoints
from showthrough.evaluation.settings import Settings
from showthrough.families.information.clustering import ClusteringAgreement
from showthrough.families.reidentification.metric import ReIdentification
from showthrough.metrics import metrics_of
from showthrough.run import documents
from showthrough.run.file import read_journal
from showthrough.run.journal import Journal
from showthrough.run.run import Run
from showthrough.storage.append_log import ByteRange, GrowingFile

DOCUMENTS = 12
NAMES = ("Ada Lovelace", "Bo Berg", "Cy Young")
TEXTS = {f"d{number}": f"{NAMES[number % 3]} was in Oslo on {number + 1} May 1970." for number in range(DOCUMENTS)}
ASKED = ("precision", "recall_per_type", "residual", 'nmi(embedding="lsa")', "trir")


class Killed(BaseException):
    """As SIGKILL: nobody catches it, and nothing is done any more."""


class Clock:
    """Goes on by some seconds whenever somebody looks."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=70, start=0: original(self, characters, start))


def plan(asked: tuple[str, ...] = ASKED, **settings: Any) -> Plan:
    marked, masks = [], {}
    for number, (key, text) in enumerate(TEXTS.items()):
        end = text.index(" was")
        person = Mention(0, end, "PERSON" if number % 5 else f"PERSON{number}", "DIRECT", "e")
        marked.append(Document(key, text, (Annotation("ann", (person,)),)))
        masks[key] = [Mask(0, end if number % 2 else 3, "Mr Cy" if number % 4 else "")]
    return Plan(
        Corpus(marked, "people"),
        (Anonymization(masks, "some"), Anonymization({key: [Mask(0, 5), Mask(4, 9)] for key in masks}, "others")),
        tuple(metrics_of(asked)),
        Settings(resamples=20, **settings),
        inputs={"background": {"": Background({key: f"{text} Mathematics." for key, text in TEXTS.items()})}},
    )


def alike(run: Run) -> dict[str, Any]:
    """All of a run but when it was made and how long it took."""
    return {name: getattr(run, name) for name in run.__struct_fields__ if name != "provenance"}


def killed(path: Path, after: int, step: float = EVERY, **settings: Any) -> Journal | None:
    """What is on disk when the program is killed with so many documents done."""

    def kill(done: int, total: int) -> None:
        if done >= after:
            raise Killed

    with pytest.raises(Killed):
        evaluate_plan(plan(**settings), progress=kill, checkpoints=Checkpoints(path, clock=Clock(step)))
    return read_journal(path) if path.exists() else None


@pytest.mark.parametrize("limit", [1, 1000])  # where not all documents are kept, those at most risk are
@pytest.mark.parametrize("after", [1, 5, DOCUMENTS])
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_run_is_completed(
    after: int, jobs: int, limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MOST_DOCUMENTS", limit)
    whole = evaluate_plan(plan())
    journal = killed(tmp_path / "run.part", after, jobs=jobs)
    assert journal is not None
    assert after <= len(journal.run.documents) < after + 3
    assert not journal.run.complete
    resumed = evaluate_plan(plan(), resume=journal, checkpoints=Checkpoints(tmp_path / "run.part"))
    assert alike(resumed) == alike(whole)


def test_what_was_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even looked at, as it is where a run file alone is left."""
    journal = killed(tmp_path / "run.part", 6)
    assert journal is not None
    seen: Counter[str] = Counter()
    count = MaskNoticeCounts.of

    def counted(coverage: Any, aside: frozenset[str]) -> MaskNoticeCounts:
        seen.update(document.id for document in coverage.axis.documents)
        return count(coverage, aside)

    monkeypatch.setattr(MaskNoticeCounts, "of", counted)
    done = journal.run.documents
    resumed = evaluate_plan(plan(), resume=journal)
    assert seen == dict.fromkeys(resumed.documents[len(done) :], 2)  # by two anonymizations
    again = evaluate_plan(plan(), resume=journal.run)
    assert alike(again) == alike(resumed)
    assert set(done) < set(seen)


def test_nothing_is_written_before_it_is_due_nor_twice(tmp_path: Path) -> None:
    assert killed(tmp_path / "early", DOCUMENTS, step=0.01) is None
    journal = killed(tmp_path / "run.part", DOCUMENTS)
    assert journal is not None
    assert len(journal.parts) > 3
    assert [number for part in journal.parts for number in part.numbers] == [*range(DOCUMENTS)]
    entries = map(journal.entry, journal.parts)
    tables = [entry.rows["precision"]["some"].rows(len(entry.numbers)) for entry in entries]
    assert sum(map(len, tables)) == DOCUMENTS


def test_metrics_that_look_at_all_documents_are_saved_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "run.part", evaluate_plan(plan())

    def kill(self: object, chunk: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ReIdentification, "bind", kill)
        with pytest.raises(Killed):
            evaluate_plan(plan(), checkpoints=Checkpoints(path, clock=Clock(6)))
    journal = read_journal(path)
    assert ASKED[3] in journal.run.rows
    assert "trir" not in journal.run.rows
    monkeypatch.setattr(ClusteringAgreement, "bind", kill)
    assert alike(evaluate_plan(plan(), resume=journal)) == alike(whole)


def test_a_journal_tells_of_metrics_that_failed_on_all_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are tried again, and what was finished beside them is not done again."""
    path, whole = tmp_path / "run.part", evaluate_plan(plan())

    def fail(self: object, chunk: object) -> None:
        raise ResourceError("not there today")

    def kill(self: object, chunk: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ClusteringAgreement, "bind", fail)
        patch.setattr(ReIdentification, "bind", kill)
        with pytest.raises(Killed):
            evaluate_plan(plan(), checkpoints=Checkpoints(path, clock=Clock(EVERY)))
    journal = read_journal(path)
    assert list(journal.failures) == [ASKED[3]]
    assert journal.done_count == DOCUMENTS
    assert alike(evaluate_plan(plan(), resume=journal)) == alike(whole)


def test_a_disk_that_is_full_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add, faults, told = GrowingFile.add, [OutputError("run.part: cannot be written: full")] * 2, []

    def failing(self: GrowingFile, piece: bytes, *, durable: bool = True) -> ByteRange:
        if faults:
            raise faults.pop()
        return add(self, piece, durable=durable)

    monkeypatch.setattr(GrowingFile, "add", failing)
    checkpoints = Checkpoints(tmp_path / "run.part", tell=told.append, clock=Clock(EVERY))
    whole = evaluate_plan(plan(), checkpoints=checkpoints)
    assert told == ["run.part: cannot be written: full"]
    assert (faults, checkpoints.fault) == ([], "")
    assert read_journal(tmp_path / "run.part").run.rows == whole.rows


def test_whoever_is_stopped_between_writing_and_knowing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same is written once more: it counts once."""
    add, stops = GrowingFile.add, [KeyboardInterrupt()]

    def stopped(self: GrowingFile, piece: bytes, *, durable: bool = True) -> ByteRange:
        place = add(self, piece, durable=durable)
        if self.is_intact and stops:
            raise stops.pop()
        return place

    monkeypatch.setattr(GrowingFile, "add", stopped)
    path = tmp_path / "run.part"
    with pytest.raises(Interrupted) as caught:
        evaluate_plan(plan(), checkpoints=Checkpoints(path, clock=Clock(EVERY)))
    journal = read_journal(path)
    # Title, head, failures (none), and one entry twice.
    assert path.read_bytes().count(b"\n") == 3 + len(journal.parts) + 1
    assert journal.run.rows == caught.value.partial.rows
    assert alike(evaluate_plan(plan(), resume=journal)) == alike(evaluate_plan(plan()))


def test_a_journal_that_somebody_removed_is_begun_anew(tmp_path: Path) -> None:
    path, counts = tmp_path / "run.part", []

    def remove(done: int, total: int) -> None:
        counts.append(done)
        if len(counts) == 3:
            path.unlink()

    whole = evaluate_plan(plan(), progress=remove, checkpoints=Checkpoints(path, clock=Clock(EVERY)))
    assert read_journal(path).run.rows == whole.rows
