"""Anonymizers at work: what is kept between runs, what it cost, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from showthrough import Corpus, Document, InputError, Mask, ResourceError, TypedMask
from showthrough.data.masks import Anonymization, ScoredMask
from showthrough.data.provenance import Cost, text_digest
from showthrough.formats import read_anonymization
from showthrough.formats.made_masks import encode_anonymization
from showthrough.models.cache import Cache
from showthrough.models.model_folders import TrainingRecord
from showthrough.systems import anonymize, anonymizing
from showthrough.systems._batches import peak_memory
from showthrough.systems.anonymizing import check_ready
from showthrough.systems.base import BaseAnonymizer
from showthrough.systems.mask_cache import KeptMasks
from showthrough.systems.rules import Rules

CORPUS = Corpus([Document(f"d{number}", f"Seen by Dr Ona Rask on day {number}.") for number in range(6)])


@dataclass
class Record:
    """What is asked of `Counting`, and where somebody stops it."""

    asked: list[str] = field(default_factory=list)
    stops_at: str = ""


@dataclass(frozen=True)
class Counting(BaseAnonymizer):
    """Masks the first letters."""

    kind: ClassVar[str] = "counting"
    record: ClassVar[Record] = Record()

    letters: int = 3
    revision: str = ""
    lasts: bool = True

    def masks(self, documents: Sequence[Document]) -> list[list[ScoredMask]]:
        if self.record.stops_at in [one.id for one in documents]:
            raise KeyboardInterrupt
        self.record.asked.extend(one.id for one in documents)
        return [[ScoredMask(0, self.letters, None, "NAME", 0.4), ScoredMask(8, 10, None, "TITLE", 0.9)]] * len(
            documents
        )

    @property
    def pinned(self) -> Mapping[str, str]:
        return {"model": self.revision}

    @property
    def lasting(self) -> bool:
        return self.lasts


@pytest.fixture(autouse=True)
def record(monkeypatch: pytest.MonkeyPatch) -> Record:
    made = Record()
    monkeypatch.setattr(Counting, "record", made)
    return made


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """An empty one, and batches of two documents each."""
    monkeypatch.setattr(anonymizing, "_BATCH", 60)  # characters, of which each has 29, and one stands between
    return Cache(tmp_path / "cache")


def masks_of(made: Anonymization) -> dict[str, list[Mask]]:
    return {key: list(each) for key, each in made.masks.items()}


def cost_of(made: Anonymization) -> Cost:
    assert made.provenance is not None
    assert made.provenance.cost is not None
    return made.provenance.cost


def test_what_is_kept_is_not_asked_for_again(cache: Cache, record: Record) -> None:
    first = anonymize(CORPUS, Counting(), cache=cache)
    second = anonymize(CORPUS, Counting(), cache=cache)
    assert record.asked == list(CORPUS.ids)
    assert (masks_of(second), second.digest) == (masks_of(first), first.digest)


def test_costs_are_those_of_when_it_was_found(cache: Cache) -> None:
    first = cost_of(anonymize(CORPUS, Counting(), cache=cache, replacement="suppress"))
    second = cost_of(anonymize(CORPUS, Counting(), cache=cache, replacement="suppress"))
    assert (first.earlier, second.earlier) == (0, 6)
    found = [KeptMasks(Counting(), cache).get(part) for part in anonymizing._parts(CORPUS)]
    assert second.seconds >= sum(one.seconds for one in found if one) > 0
    assert (second.documents, second.characters, second.device) == (first.documents, first.characters, first.device)


def test_another_threshold_and_another_replacement_ask_nothing_again(cache: Cache, record: Record) -> None:
    anonymize(CORPUS, Counting(), cache=cache)
    surer = anonymize(CORPUS, Counting(), cache=cache, threshold=0.5, replacement="suppress")
    assert record.asked == list(CORPUS.ids)
    assert masks_of(surer) == {key: [ScoredMask(8, 10, None, "TITLE", 0.9)] for key in CORPUS.ids}


@pytest.mark.parametrize(
    ("other", "corpus"),
    [
        (Counting(letters=4), CORPUS),
        (Counting(revision="2"), CORPUS),
        (Counting(), Corpus([Document(one.id, one.text.upper()) for one in CORPUS])),
        (Counting(), Corpus([Document(f"x{one.id}", one.text) for one in CORPUS])),
        (Counting(), Corpus([Document(one.id, one.text, group="g") for one in CORPUS])),
    ],
)
def test_another_question_has_another_answer(other: Counting, corpus: Corpus, cache: Cache, record: Record) -> None:
    anonymize(CORPUS, Counting(), cache=cache)
    anonymize(corpus, other, cache=cache)
    assert record.asked == [*CORPUS.ids, *corpus.ids]


def test_who_does_not_promise_it_is_asked_again(cache: Cache, record: Record) -> None:
    for _ in range(2):
        anonymize(CORPUS, Counting(lasts=False), cache=cache)
    assert len(record.asked) == 12
    assert list(cache.entries()) == []


def test_a_plugin_is_asked_again(cache: Cache) -> None:
    class Plugin:
        name, version = "plugin", 1
        asked = 0

        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            self.asked += len(documents)
            return [[] for _ in documents]

    plugin = Plugin()
    for _ in range(2):
        anonymize(CORPUS, plugin, cache=cache)
    assert plugin.asked == 12


def test_who_was_interrupted_goes_on(cache: Cache, record: Record) -> None:
    record.stops_at = "d4"
    with pytest.raises(KeyboardInterrupt):
        anonymize(CORPUS, Counting(), cache=cache)
    assert record.asked == ["d0", "d1", "d2", "d3"]
    record.stops_at = ""
    told: list[tuple[int, int]] = []
    made = anonymize(CORPUS, Counting(), cache=cache, progress=lambda done, total: told.append((done, total)))
    assert record.asked == list(CORPUS.ids)
    assert told == [(0, 6), (2, 6), (4, 6), (6, 6)]
    assert (list(made.masks), cost_of(made).earlier) == (list(CORPUS.ids), 4)


def test_a_damaged_entry_is_made_again(cache: Cache, record: Record) -> None:
    first = anonymize(CORPUS, Counting(), cache=cache)
    for entry in cache.entries():
        Path(entry.path).write_bytes(b"nonsense")
    assert masks_of(anonymize(CORPUS, Counting(), cache=cache)) == masks_of(first)
    assert len(record.asked) == 12


def test_entries_hold_no_text_and_no_id(cache: Cache) -> None:
    anonymize(CORPUS, Rules(), cache=cache)
    kept = b"".join(Path(entry.path).read_bytes() for entry in cache.entries())
    assert b"PERSON" in kept
    assert b"Rask" not in kept
    assert b"d1" not in kept


def test_processes_give_the_same(cache: Cache) -> None:
    alone, shared = anonymize(CORPUS, Rules()), anonymize(CORPUS, Rules(), jobs=2, cache=cache)
    assert masks_of(shared) == masks_of(alone)
    assert cost_of(alone).peak_bytes is None
    assert (cost_of(shared).peak_bytes or 0) > 10_000_000
    kept = cost_of(anonymize(CORPUS, Rules(), jobs=1, cache=cache))
    assert (kept.peak_bytes, kept.earlier) == (cost_of(shared).peak_bytes, 6)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems hand nothing down")
def test_the_memory_of_a_process_is_not_that_of_its_parent() -> None:
    """On Linux what `resource` tells is handed down to whoever is started."""
    start = "import subprocess, sys; held = b'x' * 400_000_000; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    ask = "from showthrough.systems._batches import peak_memory; print(peak_memory())"
    told = subprocess.run([sys.executable, "-c", start, ask], capture_output=True, text=True, check=True).stdout
    assert 1_000_000 < int(told) < 300_000_000
    assert (peak_memory() or 0) > 1_000_000


def test_masks_read_back_as_they_were_made(tmp_path: Path) -> None:
    """Kinds of masks stand side by side in one document where systems are joined; the digest must not change."""

    class Mixed:
        name, version = "mixed", 1

        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            kinds = [Mask(0, 4), TypedMask(5, 7, None, "WORD"), ScoredMask(8, 10, None, "TITLE", 0.5)]
            return [kinds[: place % 4] for place in range(len(documents))]

    made = anonymize(CORPUS, Mixed())
    (tmp_path / "made.json").write_bytes(encode_anonymization(made))
    read = read_anonymization(tmp_path / "made.json", CORPUS, name="mixed")
    assert masks_of(read) == masks_of(made)
    assert read.digest == made.digest
    assert read.provenance == made.provenance


def test_all_that_cannot_work_are_told_before_any_works() -> None:
    class Lacking(Counting):
        @property
        def pinned(self) -> Mapping[str, str]:
            raise ResourceError("the model 'm' is not there")

    class Unloadable(Counting):
        def prepare(self) -> None:
            raise ResourceError("the package 'p' is not installed")

    with pytest.raises(InputError) as caught:
        check_ready(CORPUS, {"one": Rules(), "two": Lacking(), "three": Unloadable()})
    assert [str(problem) for problem in caught.value.problems] == [
        "anonymizer two: the model 'm' is not there",
        "anonymizer three: the package 'p' is not installed",
    ]


def test_what_is_all_kept_need_not_be_loaded(cache: Cache) -> None:
    class Loading(Counting):
        def prepare(self) -> None:
            raise ResourceError("cannot be loaded")

    anonymize(CORPUS, Counting(), cache=cache)
    check_ready(CORPUS, {"counting": Loading()}, cache=cache)
    with pytest.raises(InputError, match="cannot be loaded"):
        check_ready(CORPUS, {"counting": Loading()})


def test_what_pins_a_model_is_asked_for_as_often_whatever_the_batches(cache: Cache) -> None:
    class Digested(Counting):
        @property
        def pinned(self) -> Mapping[str, str]:
            self.record.asked.append("pinned")  # of a large model this takes seconds
            return {}

        def prepare(self) -> None:
            pass

    anonymize(CORPUS, Digested(), cache=cache)
    asked = []
    for part in (CORPUS, CORPUS.part(range(2))):
        before = len(Digested.record.asked)
        check_ready(part, {"digested": Digested()}, cache=cache)
        asked.append(len(Digested.record.asked) - before)
    assert asked[0] == asked[1] > 0


def test_documents_of_its_training_are_refused() -> None:
    class Taught(Counting):
        @property
        def training(self) -> TrainingRecord:
            return TrainingRecord("train", "0a", tuple(text_digest(one.text) for one in CORPUS.documents[:2]))

    with pytest.raises(InputError, match=r"counting: was trained on 2 of these 6 documents \(train\)"):
        check_ready(CORPUS, {"counting": Taught()})
    made = anonymize(CORPUS, Taught(), seen=True)
    assert made.provenance is not None
    assert (made.provenance.seen, made.provenance.trained_on) == (2, "train@0a")


def test_a_process_that_is_killed_is_one_line() -> None:
    class Greedy:
        name, version = "greedy", 1

        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            import os
            import signal

            os.kill(os.getpid(), signal.SIGKILL)
            return []

    with pytest.raises(
        ResourceError, match=r"anonymizer greedy: a worker process was killed \(SIGKILL\).*fewer --jobs"
    ):
        anonymize(CORPUS, Greedy(), jobs=1)


def test_a_part_of_what_was_made_fits_the_same_part_of_the_corpus() -> None:
    from showthrough.data.pairing import check_pair

    made = anonymize(CORPUS, Rules())
    assert not check_pair(Corpus(list(CORPUS)[1:3]), made.part(["d1", "d2"]))
    other = Corpus([Document(one.id, one.text.upper()) for one in CORPUS])
    assert check_pair(other, made.part(CORPUS.ids))
