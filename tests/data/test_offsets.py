"""Offsets in other units: refused where words tell, counted again where a user says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    evaluate,
    read_anonymization,
    read_corpus,
)
from showthrough.data.offsets import corpus_doubt, masks_doubt
from showthrough.data.units import Unit, from_code_points
from showthrough.formats.lines import LineDocuments

# Ten texts with two names each behind an emoji, which is two UTF-16 units and four bytes.
TEXT = "😀 Well, John Smith met Mary Jones in Oslo."
NAMES = ("John Smith", "Mary Jones")
SPANS = [(TEXT.index(name), TEXT.index(name) + len(name)) for name in NAMES]


def in_unit(unit: Unit, text: str = TEXT) -> list[tuple[int, int]]:
    flat = from_code_points(text, [offset for span in SPANS for offset in span], unit)
    return list(zip(flat[::2], flat[1::2], strict=True))


def corpus_of(spans: list[tuple[int, int]], text: str = TEXT, **said: Any) -> Corpus:
    layer = Annotation("a", tuple(Mention(*span, "PERSON", "DIRECT") for span in spans))
    return Corpus([Document(f"d{number}", text, (layer,)) for number in range(10)], **said)


def masks_of(spans: list[tuple[int, int]]) -> Anonymization:
    return Anonymization({f"d{number}": [Mask(*span) for span in spans] for number in range(10)}, "one")


RIGHT = corpus_of(SPANS)


@pytest.mark.parametrize("unit", ["utf-16", "bytes"])
def test_a_corpus_in_another_unit_is_refused_with_the_advice(unit: Unit) -> None:
    # All 20 marks begin inside a word: "ohn Smith " and "ary Jones " in UTF-16, where none does.
    wrong = corpus_of(in_unit(unit))
    doubt = corpus_doubt(wrong)
    assert doubt is not None
    assert (doubt.unit, doubt.inside, doubt.moved, doubt.left, doubt.refused) == (unit, 20, 20, 0, True)
    with pytest.raises(InputError) as raised:
        evaluate(wrong, masks_of(in_unit(unit)), "er_di", resamples=0)
    lines = str(raised.value).splitlines()
    assert len(lines) == 2  # the corpus and the masks, each by itself: both are wrong in the same way
    assert all(
        f"say --offsets {unit}, which holds for all files, or --offsets characters to insist" in one for one in lines
    )


def test_masks_alone_are_refused() -> None:
    assert corpus_doubt(RIGHT) is None
    assert masks_doubt(RIGHT, masks_of(SPANS)) is None
    with pytest.raises(
        InputError, match=r"^one: 20 of 20 marks beyond a character above U.FFFF begin or end inside a word"
    ):
        evaluate(RIGHT, masks_of(in_unit("utf-16")), "er_di", resamples=0)
    with pytest.raises(InputError, match="--offsets utf-16"):
        Anonymization.from_spans({f"d{number}": in_unit("utf-16") for number in range(10)}, RIGHT)


@pytest.mark.parametrize("offsets", ["", "utf-16", "bytes"])
@pytest.mark.parametrize("span", [(0, 99), (0, 2**63), (0, 10**30), (10**30, 10**30 + 1)])
def test_masks_past_the_end_are_told_by_pairing(span: tuple[int, int], offsets: str) -> None:
    masks = Anonymization({f"d{number}": [Mask(*span)] for number in range(10)}, "one", offsets=offsets)
    assert masks_doubt(RIGHT, masks) is None
    with pytest.raises(InputError, match="is past the end of the text"):
        evaluate(RIGHT, masks, "er_di", resamples=0)


def test_who_insists_on_characters_goes_on() -> None:
    wrong = corpus_of(in_unit("utf-16"), offsets="characters")
    masks = Anonymization(masks_of(in_unit("utf-16")).masks, "one", offsets="characters")
    assert evaluate(wrong, masks, "er_di", resamples=0)["one", "er_di"].value == 1.0
    spans = {f"d{number}": in_unit("utf-16") for number in range(10)}
    assert Anonymization.from_spans(spans, RIGHT, offsets="characters").of("d0")[0].start == SPANS[0][0] + 1
    assert evaluate(wrong, {"renamed": masks}, "er_di", resamples=0)["renamed", "er_di"].value == 1.0
    assert evaluate(wrong, masks, "er_di", resamples=0, map="PERSON=NAME")["one", "er_di"].value == 1.0


def test_who_insists_on_characters_insists_on_parts() -> None:
    wrong = corpus_of(in_unit("utf-16"), offsets="characters").part(range(3))
    masks = Anonymization(masks_of(in_unit("utf-16")).masks, "one", offsets="characters").part(wrong.ids)
    assert (wrong.offsets, masks.offsets) == ("characters", "characters")
    assert evaluate(wrong, [masks], "er_di", resamples=0)["one", "er_di"].value == 1.0


@pytest.mark.parametrize("unit", ["utf-16", "bytes"])
def test_spans_in_memory_are_counted_again(unit: Unit) -> None:
    spans = {f"d{number}": in_unit(unit) for number in range(10)}
    made = Anonymization.from_spans(spans, RIGHT, offsets=unit)
    assert [(mask.start, mask.end) for mask in made.of("d3")] == SPANS
    frame = [
        {"doc_id": f"d{number}", "start": start, "end": end, "text": name}
        for number in range(10)
        for (start, end), name in zip(in_unit(unit), NAMES, strict=True)
    ]
    made = Anonymization.from_frame(frame, RIGHT, offsets=unit)
    assert [(mask.start, mask.end) for mask in made.of("d3")] == SPANS
    texts = [{"doc_id": f"d{number}", "text": TEXT} for number in range(10)]
    corpus = Corpus.from_frame(texts, spans=frame, offsets=unit)
    assert [(one.start, one.end) for one in corpus.documents[0].annotations[0].mentions] == SPANS


def test_what_is_no_unit_is_told() -> None:
    with pytest.raises(PlanError, match="offsets: found 'utf-32'; expected characters, utf-16 or bytes"):
        Anonymization.from_spans({}, RIGHT, offsets="utf-32")
    with pytest.raises(PlanError, match="offsets: found 'utf-16' and no corpus; expected one"):
        Anonymization.from_spans({}, offsets="utf-16")
    with pytest.raises(InputError, match=r"document d0: spans\[0\]: offset 1 is inside a character"):
        Anonymization.from_spans({"d0": [(1, 3)]}, RIGHT, offsets="utf-16")


def test_marks_inside_words_that_no_unit_mends_are_taken_as_they_are() -> None:
    # "oh" of John and "ar" of Mary: inside words however one counts.
    inside = [(start + 1, start + 3) for start, _ in SPANS]
    assert corpus_doubt(corpus_of(inside)) is None


def test_texts_that_count_alike_are_never_doubted() -> None:
    plain = TEXT.replace("😀", ":)")
    assert corpus_doubt(corpus_of([(start + 2, end + 2) for start, end in SPANS], plain)) is None


def test_scripts_without_spaces_have_no_borders_to_miss() -> None:
    text = "😀田中太郎は東京で鈴木花子に会いました"
    assert corpus_doubt(corpus_of([(2, 6), (9, 13)], text)) is None


def mixed(wrong: int, total: int) -> Corpus:
    """Of so many documents with one mark each, so many in UTF-16 units and behind an emoji."""
    layers = [Annotation("a", (Mention(6 + (number < wrong), 10 + (number < wrong), "PERSON", "DIRECT"),))
              for number in range(total)]  # fmt: skip
    texts = ["😀 Hi, John left." if number < wrong else "So: , John left." for number in range(total)]
    return Corpus([Document(str(number), *pair) for number, pair in enumerate(zip(texts, zip(layers), strict=True))])


def test_more_than_a_tenth_of_all_marks_is_refused_and_less_is_noted() -> None:
    # 3 of 30 marks are a tenth, and not more; 4 of 30 are more.
    few, many = corpus_doubt(mixed(3, 30)), corpus_doubt(mixed(4, 30))
    assert few is not None
    assert many is not None
    assert (few.inside, few.moved, few.refused) == (3, 3, False)
    assert (many.inside, many.moved, many.refused) == (4, 4, True)
    run = evaluate(mixed(3, 30), Anonymization({str(n): [] for n in range(30)}, "one"), "er_di", resamples=0)
    assert any(note.startswith("3 of 3 marks beyond a character above U+FFFF") for note in run.notes)


def test_files_are_refused_and_read_with_what_is_said(tmp_path: Path) -> None:
    wrong = in_unit("utf-16")
    documents = [
        {
            "doc_id": f"d{number}",
            "text": TEXT,
            "annotations": {
                "a": {
                    "entity_mentions": [
                        {"entity_type": "PERSON", "start_offset": start, "end_offset": end, "identifier_type": "DIRECT"}
                        for start, end in wrong
                    ]
                }
            },
        }
        for number in range(10)
    ]
    corpus, lines, masks = (tmp_path / name for name in ("corpus.json", "corpus.jsonl", "masks.json"))
    corpus.write_text(json.dumps(documents), encoding="utf-8")
    lines.write_text("\n".join(map(json.dumps, documents)) + "\n", encoding="utf-8")
    masks.write_text(json.dumps({f"d{number}": wrong for number in range(10)}), encoding="utf-8")
    for path in (corpus, lines):
        with pytest.raises(InputError, match="say --offsets utf-16"):
            read_corpus(path)
        read = read_corpus(path, offsets="utf-16")
        assert [(one.start, one.end) for one in read.documents[9].annotations[0].mentions] == SPANS
        assert read_corpus(path, offsets="characters").documents[9].annotations[0].mentions[0].start == wrong[0][0]
    with pytest.raises(InputError, match=r"masks\.json: 20 of 20 marks .* say --offsets utf-16"):
        read_anonymization(masks, read)
    assert [(one.start, one.end) for one in read_anonymization(masks, read, offsets="utf-16").of("d5")] == SPANS
    with pytest.raises(InputError, match="counting offsets in utf-16 needs the corpus"):
        read_anonymization(masks, offsets="utf-16")


def test_one_side_in_each_unit_is_told_whichever_is_said(tmp_path: Path) -> None:
    """The corpus counts UTF-16 units, the masks characters: what is said of all files is wrong for one of them."""
    masks = tmp_path / "masks.json"
    masks.write_text(json.dumps({f"d{number}": SPANS for number in range(10)}), encoding="utf-8")
    # Taken as UTF-16 units, the masks begin a letter too early: " John Smit". Counted in characters, none does.
    with pytest.raises(InputError, match="say --offsets characters"):
        read_anonymization(masks, RIGHT, offsets="utf-16")


def test_documents_of_a_file_are_looked_at_once_for_what_their_offsets_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are ASCII not at all: the survey told."""
    path = tmp_path / "c.jsonl"
    layers = {"a": {"entity_mentions": [{"start_offset": 9, "end_offset": 13, "entity_type": "PERSON"}]}}
    texts = ["😀 Wells: John left", "So well: John left"] * 3
    path.write_text(
        "\n".join(json.dumps({"doc_id": str(n), "text": one, "annotations": layers}) for n, one in enumerate(texts))
    )
    read: list[str] = []
    original = LineDocuments.load_some

    def made(lines: LineDocuments, numbers: Any) -> Any:
        documents = list(original(lines, numbers))
        read.extend(document.id for document in documents)
        return documents

    monkeypatch.setattr(LineDocuments, "load_some", made)
    corpus = read_corpus(path)
    assert corpus_doubt(corpus) is None
    assert read == ["0", "2", "4", "0", "2", "4"]  # in bytes, and in UTF-16 units
