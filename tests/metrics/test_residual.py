"""What a detector still finds: counted by hand, with what was written and what was left."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    DETECTORS,
    Anonymization,
    Corpus,
    Detector,
    Document,
    Find,
    InputError,
    Mask,
    PlanError,
    Residual,
    Run,
    evaluate,
    read_anonymization,
)
from showthrough.data.masks import apply_masks
from showthrough.families.unannotated.residual import MOST_PLACES
from showthrough.metrics import metric_text, parse_metric
from showthrough.metrics.released_text import ReleasedText

TEXT = "Mr Ole Berg wrote to ole@berg.example on 3 May 1970."  # 12 words: ole, berg and example are three


def run_of(*masks: Mask, text: str = TEXT, **more: object) -> Run:
    return evaluate(Corpus([Document("a", text)]), {"x": Anonymization({"a": masks})}, ["residual"], **more)  # type: ignore[arg-type]


def values(run: Run) -> dict[str, float | None]:
    """What is not 0, in finds; of `documents` the share."""
    words = run.rows["residual"]["x"]["thousand_words"][0]
    scores = {part: score.value for part, score in run.parts("x", "residual").items() if score.value}
    return {part: value if part == "documents" else round(value * words, 9) for part, value in scores.items()}


def span(part: str, replacement: str | None = None, text: str = TEXT) -> Mask:
    return Mask(text.index(part), text.index(part) + len(part), replacement)


def test_nothing_masked_by_hand() -> None:
    run = run_of()
    assert run.rows["residual"]["x"]["thousand_words"] == [0.012]
    assert run["x", "residual"].value == pytest.approx(1000 * 3 / 12)  # a name, an address, a date
    assert values(run) == {"": 3, "PERSON": 1, "EMAIL": 1, "DATE": 1, "documents": 1}


def test_the_denominator_is_the_original() -> None:
    run = run_of(Mask(0, 40))  # ten of twelve words are gone
    assert run["x", "residual"].value == pytest.approx(1000 * 1 / 12)


@pytest.mark.parametrize("written", ["PERSON", "[PERSON]", "***", None, "Ona Rask", "XXXX"])
def test_a_titled_name_counts_by_its_name(written: str | None) -> None:
    assert values(run_of(span("Ole Berg", written), span("3 May 1970"))) == {"": 1, "EMAIL": 1, "documents": 1}


@pytest.mark.parametrize(
    ("masks", "count"),
    [
        ([("Ole", "PERSON")], 1),  # Mr PERSON Berg
        ([("Ole", None)], 1),  # Mr  Berg
        ([("Ole Berg", "Ona BERG")], 1),  # the surname is written again
        ([("Ole Berg", "Ole_Nordmann")], 1),
        ([("Ole Berg", "Ona Rask")], 0),
        ([("Mr Ole Berg", "Mr Ona Rask")], 0),  # the title is not what tells
    ],
)
def test_names_that_are_left_in_part(masks: list[tuple[str, str | None]], count: int) -> None:
    assert values(run_of(*(span(*mask) for mask in masks))).get("PERSON", 0) == count


def test_an_invented_date_does_not_count_and_one_that_repeats_the_year_does() -> None:
    assert "DATE" not in values(run_of(span("3 May 1970", "8 June 1981")))
    assert values(run_of(span("3 May 1970", "8 June 1970")))["DATE"] == 1
    assert values(run_of(span("3 May", "8 June")))["DATE"] == 1  # the year was left


def test_shares_of_documents_and_types_that_nothing_has() -> None:
    corpus = Corpus([Document("a", TEXT), Document("b", "All quiet here, four and five.")])
    run = evaluate(corpus, {"x": Anonymization({"a": [], "b": []})}, ["residual"])
    assert run["x", "residual", "documents"].value == 1 / 2
    assert run["x", "residual"].value == pytest.approx(1000 * 3 / 18)
    assert run["x", "residual", "IBAN"].value == 0
    assert run["everything masked", "residual"].value == 0


def test_evidence_has_places_in_both_texts() -> None:
    text = "Dear all,\nMr Ole Berg left.\nCall ole@berg.example."
    run = run_of(span("Ole Berg", "PERSON", text), text=text)
    (place,) = run.evidence["residual"]["x"]["a"].places
    released = apply_masks(text, [span("Ole Berg", "PERSON", text)])
    assert (place.entity_type, place.text, place.line) == ("EMAIL", "ole@berg.example", 3)
    assert released[place.start : place.end] == place.text
    assert text[slice(*place.original)] == place.text


def test_evidence_is_bounded_and_goes_with_the_text() -> None:
    run = run_of(text="Mr Berg; " * 50)
    assert len(run.evidence["residual"]["x"]["a"].places) == MOST_PLACES
    assert run["x", "residual"].value == pytest.approx(500)  # every second word
    assert run.without_text().evidence == {"residual": {"x": {}}}


def test_the_signature_pins_the_detector() -> None:
    assert "|detector:patterns|patterns:v1|" in run_of()["x", "residual"].signature


def test_text_form_and_unknown_detectors() -> None:
    assert metric_text(Residual("spacy(model=en_core_web_sm)")) == 'residual(detector="spacy")'
    nested = Residual('spacy(model="./a b")')
    assert parse_metric(metric_text(nested)) == nested
    with pytest.raises(PlanError, match="unknown detector; there are patterns, presidio, spacy"):
        parse_metric("residual(detector=nobody)")


def test_a_tool_that_is_not_there_is_named_before_anything_is_scored() -> None:
    metrics = ["residual", 'residual(detector="spacy(model=no_such_pipeline)")']
    with pytest.raises(InputError, match=r"metric residual.*'no_such_pipeline' is not installed"):
        evaluate(Corpus([Document("a", TEXT)]), {"x": Anonymization({"a": []})}, metrics)


def test_with_nothing_found_the_interval_is_of_finds_for_every_thousand_words() -> None:
    """20 documents of 50 words: 1 − 0.05 ** (1 / 20) = 13.9 % of them may have one, which is 20 in 1,000 words."""
    corpus = Corpus([Document(f"{number:02}", f"word{number} " * 50) for number in range(20)])
    run = evaluate(corpus, {"x": Anonymization({key: [] for key in corpus.ids})}, ["residual"])
    score = run["x", "residual"]
    assert (score.value, score.low) == (0, 0)
    assert score.high == pytest.approx((1 - 0.05 ** (1 / 20)) * 20 / 1)
    assert run["x", "residual", "documents"].high == pytest.approx(1 - 0.05 ** (1 / 20))


def test_a_system_that_leaves_much_differs_from_one_that_leaves_nothing() -> None:
    corpus = Corpus([Document(f"{number:02}", TEXT + f" word{number}" * (number + 5)) for number in range(40)])
    nothing = Anonymization({key: [] for key in corpus.ids})
    clean = Anonymization({document.id: [Mask(0, len(TEXT))] for document in corpus})
    for resamples in (200, 0):
        run = evaluate(corpus, {"much": nothing, "none": clean}, ["residual"], resamples=resamples)
        (one,) = run.compare("residual", parts=False, shuffles=199)
        if resamples:
            assert one.p_holm is not None
            assert one.p_holm < 0.05
            assert one.low is not None
            assert one.low > 0
        else:  # nothing tells how sure a 0 is
            assert (one.low, one.high, one.p) == (None, None, None)
            assert "intervals, which would show more, were not asked for" in one.note


@dataclass(frozen=True)
class Letters(Detector):
    """Every a."""

    def find(self, texts: object) -> list[list[Find]]:
        return [[Find(at, at + 1, "A") for at, sign in enumerate(text) if sign == "a"] for text in texts]  # type: ignore[attr-defined]


def test_workers_find_the_same_with_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DETECTORS, "letters", Letters())
    text = "abc a " * 50 + "." * 300_000  # so that four are more than a chunk
    corpus = Corpus([Document(str(number), text) for number in range(4)])
    masks = {"x": Anonymization({key: [Mask(0, 1, "a")] for key in corpus.ids})}
    alone, together = (
        evaluate(corpus, masks, ['residual(detector="letters")'], jobs=jobs, resamples=0, references=False)
        for jobs in (1, 2)
    )
    assert alone.rows == together.rows
    assert alone["x", 'residual(detector="letters")', "A"].value == pytest.approx(1000)  # two in two words


def test_texts_without_offsets_are_aligned(tmp_path: object) -> None:
    file = tmp_path / "released.json"  # type: ignore[operator]
    file.write_text('{"a": "Mr PERSON wrote to ole@berg.example on DATE."}')
    corpus = Corpus([Document("a", TEXT)])
    run = evaluate(corpus, {"x": read_anonymization(file, corpus)}, ["residual"])
    assert values(run) == {"": 1, "EMAIL": 1, "documents": 1}


# Released texts.


@settings(max_examples=200)
@given(st.text("ab 1", min_size=1, max_size=12), st.data())
def test_a_released_text_knows_what_was_left(text: str, data: st.DataObject) -> None:
    masks = []
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        masks.append(Mask(start, end, data.draw(st.sampled_from([None, "", "Z", "ZZ Z", "Y "]))))
    released = ReleasedText.of(text, masks)
    assert released.text == apply_masks(text, masks)
    for start in range(len(released.text)):
        for end in range(start + 1, len(released.text) + 1):
            left = any(sign.isalnum() and sign not in "YZ" for sign in released.text[start:end])
            assert released.tells(start, end) == left, (start, end)
            low, high = released.original(start, end)
            assert 0 <= low < high <= len(text)
            if not any(sign in "YZ" for sign in released.text[start:end]) and left:
                assert text[low:high].strip() != ""


HEADER = "Patient: Mr Ole Berg, MRN 4711-0815."
NOTE = "The patient was seen on 3 May 1970. A person aged 45, he was told to rest."


def test_text_that_was_moved_is_still_there() -> None:
    """Nothing is masked; the header stands at the end. Name, number, date and age are found in both."""
    corpus = Corpus([Document("a", f"{HEADER}\n{NOTE}")])
    moved = Anonymization.from_texts({"a": f"{NOTE}\n{HEADER}"}, corpus)
    run = evaluate(corpus, {"kept": Anonymization({"a": []}), "moved": moved}, ["residual"])
    assert run.rows["residual"]["kept"]["finds"] == [4]
    assert run.rows["residual"]["moved"]["finds"] == [4]


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("Mr Ona Rask", 0),  # of nobody here
        ("Mr Nordmann", 1),  # who stands elsewhere, without a title: the detector did not find him there
        ("Mr Person", 0),  # an ordinary word of this text
        ("aged 45", 0),  # a number that the text has, and not as an age
        ("file no. 4711-0815", 1),  # a number that it has, in another place
        ("file no. 4711-0816", 0),
        ("8 June 1981", 0),
        ("3 May 1970", 1),  # the other date of this text
    ],
)
def test_what_was_written_counts_where_the_original_says_it(written: str, count: int) -> None:
    """The sender's mark is replaced; all else that could be found is masked away."""
    text = "Sender: ???. A person saw K. Nordmann on 3 May 1970 (4711-0815, page 45)."
    masks = [span("???", written, text), span("3 May 1970", None, text), span("4711-0815", None, text)]
    run = run_of(*masks, text=text)
    assert run.rows["residual"]["x"]["finds"] == [count]
