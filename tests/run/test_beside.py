"""Two runs of one corpus: paired by document, whatever their order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from showthrough import Anonymization, Corpus, Document, InputError, Mask, evaluate
from showthrough.run.pairing import RunPair
from showthrough.run.run import Run

TEXTS = {f"d{one}": f"Mail x{one}@example.org or call 555-01{one:02}" for one in range(12)}


def run_of(names: dict[str, int], order: int = 1, **settings: object) -> Run:
    """Systems that mask the address of so many documents."""
    corpus = Corpus([Document(one, text) for one, text in list(TEXTS.items())[::order]])
    masks = {
        name: Anonymization(
            {one: [Mask(5, 5 + len(one) + 12)] if place < count else [] for place, one in enumerate(TEXTS)}
        )
        for name, count in names.items()
    }
    return evaluate(corpus, masks, ["residual", 'tpi(ic="wordfreq")'], **settings)  # type: ignore[arg-type]


def test_documents_are_paired_by_id() -> None:
    run = run_of({"a": 4})
    turned = RunPair(run, run_of({"a": 9}, order=-1), "old").combined_run
    straight = RunPair(run, run_of({"a": 9}), "old").combined_run
    assert turned.names == ["a", "a (old)"]
    assert turned.rows == straight.rows
    assert turned.compare("residual") == straight.compare("residual")


def test_pairs_are_tested_as_among_all() -> None:
    run = run_of({"a": 4, "b": 7, "c": 2})
    every = {(one.first, one.second): one.p for one in run.compare("residual", parts=False)}
    some = run.compare("residual", parts=False, pairs=[("a", "c"), ("b", "c")])
    assert [(one.first, one.second, one.p) for one in some] == [
        (*pair, every[pair]) for pair in [("a", "c"), ("b", "c")]
    ]
    alone = run.compare("residual", parts=False, pairs=[("a", "c")])
    assert alone[0].p_holm == alone[0].p  # corrected for the pairs that are asked for alone


def test_names_stay_apart() -> None:
    run, other = run_of({"a": 1, "a (old)": 2}), run_of({"a": 3, "b": 4})
    assert RunPair(run, other, "old").called == {"a": "a (old, 2)", "b": "b"}


def test_the_same_is_known_by_its_digest() -> None:
    beside = RunPair(run_of({"a": 3, "b": 4}), run_of({"a": 3, "b": 5}), "old")
    assert (beside.identical("a", "a"), beside.identical("b", "b")) == (True, False)


def test_what_numbers_hang_on_must_be_the_same() -> None:
    run = run_of({"a": 3})
    assert RunPair(run, run_of({"a": 4}, seed=3, resamples=50), "old").fault("residual") == ""
    lines = [
        replace(one, signature=one.signature.replace("residual.v", "detector_revision:1|residual.v"))
        for one in run.scores
    ]
    fault = RunPair(run, replace(run, scores=lines), "old").fault("residual")
    assert fault == "was not computed alike in this run and in old: detector_revision differ"
    assert RunPair(run, replace(run, scores=lines), "old").fault('tpi(ic="wordfreq")') == ""


_ONE_HAS = "old: documents: are not the same as in this run: only one of the two has d0, x"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"documents": ["x", *[*TEXTS][1:]]}, _ONE_HAS),
        ({"groups": ["g"] * 12}, "old: groups: are not the same as in this run"),
    ],
)  # fmt: skip
def test_other_documents_are_refused(change: dict[str, list[str]], says: str) -> None:
    run = run_of({"a": 3})
    with pytest.raises(InputError) as caught:
        RunPair(run, replace(run, **change), "old")
    assert str(caught.value).startswith(says)
