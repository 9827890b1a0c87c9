"""Answers come in any order; what is made of them is the same."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, Mask
from showthrough.evaluation import checkpoints as saving
from showthrough.evaluation._chunks import ChunkResult
from showthrough.evaluation._mask_notices import MaskNoticeCounts
from showthrough.evaluation._notes import ResultStore
from showthrough.evaluation._progress import EvaluationProgress
from showthrough.evaluation.checkpoints import Checkpoints
from showthrough.metrics import Rows
from showthrough.run.journal import Journal, JournalHead, order_of
from showthrough.run.provenance import anonymization_input, corpus_input, provenance
from showthrough.run.run import Run
from showthrough.run.settings import RecordedSettings

CELL = "m", "a"
CORPUS = Corpus([Document(key, key * 3) for key in "dbaefc"], "c")
RANGES = range(2), range(2, 3), range(3, 6)


def answer(numbers: range) -> ChunkResult:
    """A chunk with a column of its own, and evidence of its first document."""
    columns = {"x": [number * 300 for number in numbers], f"y{numbers.start}": [0.5 * one for one in numbers]}
    rows = Rows(tuple(columns), np.column_stack(list(columns.values())), {CORPUS.ids[numbers.start]: {"guess": "g"}})
    return ChunkResult(
        {CELL: rows}, masks={"a": MaskNoticeCounts(len(numbers))}, free=[[(0, number)] for number in numbers]
    )


def head() -> JournalHead:
    masks = Anonymization({key: [Mask(0, 1)] for key in CORPUS.ids}, "a")
    run = Run(
        corpus_input(CORPUS), [anonymization_input(masks)], [], RecordedSettings(), [], [], {}, [], provenance()
    )  # fmt: skip
    return JournalHead(run, len(CORPUS), order_of(CORPUS.ids), "key")


@pytest.mark.parametrize("order", list(permutations(RANGES)))
@pytest.mark.parametrize("large", [False, True])
def test_the_order_of_answers_tells_nothing(
    order: tuple[range, ...], large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "_HELD", 0)
    gathered, checkpoints = EvaluationProgress(), Checkpoints(None if large else tmp_path / "part")
    checkpoints.start(head(), "by", [], large=large)
    for count, numbers in enumerate(order, 1):
        gathered.take(answer(numbers), numbers)
        checkpoints.save_if_due(gathered)
        assert gathered.done_count == sum(map(len, order[:count]))
        left = [number for stretch in gathered.iter_remaining(len(CORPUS)) for number in stretch]
        assert left == sorted(number for one in order[count:] for number in one)
    assert all((piece.answer is None) == large for piece in gathered.pieces)
    assert gathered.free == [[(0, number)] for number in range(6)]
    assert gathered.masks("a") == MaskNoticeCounts(6)
    wanted = Rows.concatenate([answer(numbers).rows[CELL] for numbers in RANGES])
    found = gathered.merge_rows()[CELL]
    assert found.columns == wanted.columns == gathered.shapes[CELL].columns == ("x", "y0", "y2", "y3")
    assert np.array_equal(found.values, wanted.values)
    store = ResultStore(gathered, [CELL], CORPUS, tmp_path)
    by_id = sorted(range(6), key=CORPUS.ids.__getitem__)
    assert list(store.documents) == sorted(CORPUS.ids)
    assert store.rows[CELL].columns == wanted.columns
    assert np.array_equal(store.rows[CELL].values, wanted.values[by_id])
    assert [*store.evidence[CELL]] == ["a", "d", "e"]
    assert np.concatenate(list(store.numbers(4))).tolist() == by_id


def test_a_journal_is_believed_for_its_own_documents_alone(tmp_path: Path) -> None:
    """An entry of another evaluation, though it is sound, is not taken for one of this."""
    from showthrough.core.errors import InputError
    from showthrough.run.journal import TITLE
    from showthrough.storage.append_log import GrowingFile, pieces_in

    found = []
    for key in ("key", "other"):
        gathered, checkpoints = EvaluationProgress(), Checkpoints(tmp_path / key)
        checkpoints.start(JournalHead(head().run, 6, "order", key), "by", [])
        gathered.take(answer(RANGES[0]), RANGES[0])
        checkpoints.save(gathered)
        checkpoints.close()
        with (tmp_path / key).open("rb") as file:
            found.append([piece for _, piece in pieces_in(file, TITLE)])
    assert Journal(tmp_path / "key").done_count == 2
    mixed = GrowingFile(tmp_path / "mixed", TITLE)
    mixed.begin(found[0][0], found[1][1])
    mixed.close()
    with pytest.raises(InputError, match="is not the journal of an unfinished run, or is damaged"):
        Journal(tmp_path / "mixed")
    twice = GrowingFile(tmp_path / "twice", TITLE)
    twice.begin(*found[0], *found[0][1:])  # as by who was stopped between writing and knowing it
    twice.close()
    assert (Journal(tmp_path / "twice").done_count, len(Journal(tmp_path / "twice").parts)) == (2, 1)
