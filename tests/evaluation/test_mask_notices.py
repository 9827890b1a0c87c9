"""What is told of masks that overlap, and of masks that write what they should hide."""

from __future__ import annotations

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.data.text_anonymizations import Rewriting
from showthrough.evaluation.notices import notices

TEXT = "John Doe of Oslo met the nurse. 🙂"
MARKS = (Annotation("a", (Mention(0, 8, "PERSON", "DIRECT", "e"),)),)
CORPUS = Corpus([Document("d", TEXT, MARKS), Document("e", TEXT.replace("John", "Jane"), MARKS)])


def told(*masks: Mask, metrics: tuple[str, ...] = ("er_di", "precision")) -> list[str]:
    one = Anonymization({"d": list(masks), "e": []}, "one")
    return evaluate(CORPUS, one, metrics, resamples=0).notes


JOINED = 'what is masked twice counts once (precision(overlaps="each") counts as TAB\'s script does)'


def test_masks_that_overlap_are_counted_in_pairs() -> None:
    assert told(Mask(0, 4), Mask(4, 8), Mask(12, 16)) == []  # to touch is not to overlap
    assert told(Mask(0, 8), Mask(5, 8)) == [f"one: 1 pair of masks overlaps; {JOINED}"]
    # The same mask three times is three pairs; the fourth meets all of them, the last only the fourth.
    masks = (Mask(0, 4), Mask(0, 4), Mask(0, 4), Mask(3, 9), Mask(8, 11))
    assert told(*masks) == [f"one: 7 pairs of masks overlap; {JOINED}"]


def test_overlaps_are_told_only_where_they_are_joined() -> None:
    masks = (Mask(0, 8), Mask(5, 8))
    assert told(*masks, metrics=('precision(overlaps="each")',)) == []
    assert told(*masks, metrics=("er_di",)) == []  # nothing is counted twice there
    assert len(told(*masks, metrics=('precision(overlaps="each")', "f1"))) == 1


WRITE = "words of the original"
READ = "these count as readable"


@pytest.mark.parametrize(
    ("replacement", "tells"),
    [("JOHN Smith", True), ("PERSON", False), (None, False), ("a man of them", False), ("Johnny", False)],
)
def test_masks_that_write_what_they_hide_are_counted(replacement: str | None, tells: bool) -> None:
    lines = told(Mask(0, 11, replacement), Mask(12, 16, "TOWN"))
    assert lines == ([f"one: 1 of 2 masks repeats {WRITE}; {READ}"] if tells else [])


def test_what_the_metrics_make_of_such_masks() -> None:
    masks = (Mask(0, 8, "Doe"), Mask(12, 16, "oslo"), Mask(25, 30, "X"))
    assert told(*masks) == [f"one: 2 of 3 masks repeat {WRITE}; {READ}"]
    trusting = ('er_di(replacements="trusted")', "precision")
    hidden = 'replacements="trusted" counts them as hidden'
    assert told(*masks, metrics=trusting) == [f"one: 2 of 3 masks repeat {WRITE}; {hidden}"]
    assert told(*masks, metrics=("precision",)) == [f"one: 2 of 3 masks repeat {WRITE}"]


def test_no_text_is_quoted_and_no_name_reaches_the_terminal_raw() -> None:
    one = Anonymization({"d": [Mask(0, 8, "John Doe")], "e": []}, "o\x1b[31m")
    [line] = notices(CORPUS, [one])
    assert line.startswith("o\\x1b[31m: 1 of 1 masks repeats")
    assert "John" not in line
    assert "Doe" not in line


def test_chunks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    masks = [Mask(0, 8, "Doe"), Mask(0, 8, "Doe")]
    one = Anonymization({"d": masks, "e": masks}, "one")
    whole = notices(CORPUS, [one])
    assert [line.partition(";")[0] for line in whole] == [
        "one: 2 pairs of masks overlap",
        f"one: 2 of 4 masks repeat {WRITE}",
    ]
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda corpus: chunks(corpus, 10))
    assert notices(CORPUS, [one]) == whole


def test_what_is_written_anew_may_keep_words() -> None:
    masks = {"d": [Mask(0, 31, "Here John met her."), Mask(16, 31, "John met.")], "e": []}
    assert len(notices(CORPUS, [Anonymization(masks, "one")])) == 2  # they overlap, and write a name
    assert notices(CORPUS, [Rewriting(masks, "one")]) == []
    assert evaluate(CORPUS, Rewriting(masks, "one"), ["er_di"], resamples=0).notes == []


TITLED = Corpus([Document("d", "Mr Doe left. Doe came.", (Annotation("a", (Mention(0, 6, "PERSON", "DIRECT"),)),))])


def elsewhere(corpus: Corpus, *masks: Mask, metrics: tuple[str, ...]) -> tuple[float | None, list[str]]:
    run = evaluate(corpus, Anonymization({"d": list(masks)}, "one"), metrics, resamples=0)
    return run["one", metrics[0]].value, run.notes


def test_nothing_is_called_covered_that_the_metric_calls_readable() -> None:
    """Without function words Mr is asked for: er_di is 0, and the second Doe is no news."""
    asked, usual = 'er_di(function_words="none")', "er_di"
    told = "one: 1 direct identifier is covered where it was marked to be masked{} and can still be read elsewhere in "
    rest = "the release of 1 document (removed_di counts that)"
    assert elsewhere(TITLED, Mask(3, 6), metrics=(usual,)) == (1.0, [told.format("") + rest])
    assert elsewhere(TITLED, Mask(3, 6), metrics=(asked,)) == (0.0, [])
    assert elsewhere(TITLED, Mask(0, 6), metrics=(asked,)) == (1.0, [told.format("") + rest])
    aside = " (function words by lexicon-en.1 aside)"
    assert elsewhere(TITLED, Mask(3, 6), metrics=(usual, asked)) == (1.0, [told.format(aside) + rest])


def test_what_is_marked_to_be_left_stands_elsewhere() -> None:
    marks = (Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(10, 13, "PERSON", "NO_MASK", "e"))
    corpus = Corpus([Document("d", "Doe left. Doe came.", (Annotation("a", marks),))])
    value, (note,) = elsewhere(corpus, Mask(0, 3), metrics=("er_di",))
    assert value == 1
    assert "is covered where it was marked to be masked and can still be read elsewhere" in note
