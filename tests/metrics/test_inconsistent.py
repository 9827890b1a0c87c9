"""What is masked in one place and can be read in another: everything that was planted, and nothing in a clean text."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from showthrough import Anonymization, Corpus, Document, Mask, Run, TypedMask, evaluate
from showthrough.data import documents
from showthrough.data.alignment import align
from showthrough.report.privacy_utility import plane_metrics
from showthrough.report.table import tables

SENTENCES = [
    "The applicant, {}, was born in 1961 and lives in the town.",
    "On the same day the court heard {} and adjourned.",
    "The public prosecutor relied on a statement of {} in May and again on Monday.",
    "According to the report, {} left the building after two hours.",
    "The Government submitted that the case of {} had been examined by 3 judges.",
    "It was not disputed that {} paid the costs, and that the police will not appeal.",
]
FORENAMES = ["John", "Galip", "Nina", "Zdzisława", "Ayten", "Mark", "Jürgen", "Ole"]
SURNAMES = ["Smithson", "Yalman", "Holst-Christensen", "Dębowska", "Ünal", "O'Brien", "Çağlayan", "van der Berg"]
OTHERS = ["36110/97", "12 March 1996", "Diyarbakır", "Ministry of Justice", "Oslo", "AB-1234-X", "+47 22 33 44 55"]


def masks_of(text: str, *strings: str, kind: str = "") -> list[Mask]:
    """The first place of each string."""
    made = []
    for string in strings:
        start = text.index(string)
        made.append(TypedMask(start, start + len(string), None, kind) if kind else Mask(start, start + len(string)))
    return made


def scored(texts: dict[str, str], masks: dict[str, list[Mask]], **settings: object) -> Run:
    corpus = Corpus([Document(key, text) for key, text in texts.items()])
    return evaluate(corpus, {"a": Anonymization(masks)}, ["inconsistent"], resamples=0, **settings)  # type: ignore[arg-type]


def value(text: str, *strings: str, kind: str = "") -> float | None:
    """The share of the strings that can be read elsewhere in one text."""
    return scored({"d": text}, {"d": masks_of(text, *strings, kind=kind)})["a", "inconsistent"].value


def planted(string: str, random: Random) -> str:
    """The string as it may stand somewhere else."""
    words = string.split(" ")
    forms = [
        string, f"({string})", f"“{string}”", f"{string}'s", f"{string}’s", "\n".join(words), "  ".join(words),
        string.upper(), string.replace("i", "İ").upper() if "İ" in string else string,
    ]  # fmt: skip
    return random.choice(forms)


@pytest.mark.parametrize("seed", range(60))
def test_everything_that_is_planted_is_found(seed: int) -> None:
    random = Random(seed)
    name = f"{random.choice(FORENAMES)} {random.choice(SURNAMES)}"
    string = random.choice([name, random.choice(OTHERS)])
    first, second, *rest = random.sample(SENTENCES, 6)
    part = random.choice([*name.split(" ", 1)[0:1], name.split()[-1].split("-")[-1].removeprefix("O'")])
    again = part if string == name and random.random() < 0.5 else planted(string, random)
    masked, readable = first.format(string), second.format(again)
    text = "\n\n".join(random.sample([masked, readable, *(one.format("a witness") for one in rest)], 6))
    start = text.index(masked) + masked.index(string)
    found = scored({"d": text}, {"d": [Mask(start, start + len(string), random.choice([None, "[PERSON]", "X"]))]})
    assert found["a", "inconsistent"].value == 1.0, (string, again)
    (told,) = found.evidence["inconsistent"]["a"]["d"].strings
    assert told.text == string
    assert told.masked == [(start, start + len(string))]
    low, high = told.readable[0]
    assert not set(range(low, high)) & set(range(start, start + len(string)))
    # In a document of its own it is the corpus that has it, and no longer the document.
    apart = scored(
        {"d": text.replace(readable, ""), "e": readable}, {"d": [Mask(*_moved(text, readable, start, string))], "e": []}
    )
    parts = {part: score.value for part, score in apart.parts("a", "inconsistent").items()}
    assert parts == {"": 0.0, "corpus": 1.0}
    (told,) = apart.evidence["inconsistent"]["a"]["d"].strings
    assert [place[0] for place in told.elsewhere] == ["e"]


def _moved(text: str, gone: str, start: int, string: str) -> tuple[int, int]:
    start -= len(gone) if text.index(gone) < start else 0
    return start, start + len(string)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_found_where_every_occurrence_is_masked(seed: int) -> None:
    random = Random(seed)
    texts, masks = {}, {}
    strings = [f"{first} {last}" for first, last in zip(FORENAMES, SURNAMES, strict=True)] + OTHERS
    for key in ("d", "e", "f"):
        chosen = [random.choice(strings) for _ in SENTENCES]
        pieces = [sentence.format(string) for sentence, string in zip(SENTENCES, chosen, strict=True)]
        texts[key] = "\n".join(pieces)
        spans, position = [], 0
        for piece, string in zip(pieces, chosen, strict=True):
            start = position + piece.index(string)
            spans.append(Mask(start, start + len(string), random.choice([None, "X", "PERSON"])))
            position += len(piece) + 1
        # Ordinary words that are masked once and stand everywhere are no alarm.
        spans += masks_of(texts[key], *random.sample(["applicant", "Monday", "May", "3", "two hours", "the court"], 2))
        masks[key] = spans
    found = scored(texts, masks)
    assert {part: score.value for part, score in found.parts("a", "inconsistent").items()} == {"": 0.0, "corpus": 0.0}
    assert found.evidence == {}


def test_strings_are_counted_once_for_each_document() -> None:
    text = "Ann Berg met Ole. ANN BERG met Per Lund in Oslo, and Ole in Oslo."
    spans = [Mask(0, 8), Mask(13, 16), Mask(18, 26), Mask(31, 39), Mask(43, 47)]
    # Ann Berg (twice), Ole, Per Lund and Oslo are masked: 4 strings; Ole and Oslo stand there again.
    found = scored({"d": text, "e": "Then Lund left."}, {"d": spans, "e": []})
    assert found.rows["inconsistent"]["a"] == {"strings": [4, 0], "readable": [2, 0], "anywhere": [3, 0]}
    assert found["a", "inconsistent"].value == 0.5  # 2 of 4
    assert found["a", "inconsistent", "corpus"].value == 0.75  # and Lund in the other document


@pytest.mark.parametrize(
    ("text", "string", "expected"),
    [
        ("It was Ayten Yalman. Later Yalman said no.", "Ayten Yalman", 1.0),
        ("It was Ayten Brown. Later Brown said no.", "Ayten Brown", 0.0),  # an ordinary word tells beside a title
        ("It was Ayten Brown. Later Mr Brown said no.", "Ayten Brown", 1.0),
        ("He is at Kocaeli University. The University said no.", "Kocaeli University", 0.0),
        ("The Chief Inspector (Główny Inspektor). The Inspector left.", "Chief Inspector (Główny Inspektor)", 0.0),
        ("Seen by Ann Berg. Bergen is far, and Annas too.", "Ann Berg", 0.0),  # whole words alone
        ("Seen by Ann Berg. The berg was cold.", "Ann Berg", 0.0),  # a name has a capital
        ("Mr Smith came. Then Mrs Smith left.", "Mr Smith", 1.0),  # the title is no part of it
        ("ANN BERG\nThen Ann Berg left.", "ANN BERG", 1.0),  # and masked in capitals it is the same
        ("On 3 May 1996 he left. He returned in May 1998, on the 3rd.", "3 May 1996", 0.0),
        ("He left on 3 May. It was 3 May again.", "3 May", 1.0),
        ("He left in May 1996. It was 1996.", "May 1996", 0.0),
        ("He saw Brown. Brown bread is brown.", "Brown", None),  # an ordinary word of this document
        ("He saw Brown. Then Brown said no.", "Brown", 1.0),
        ("It was Tom Brown. I saw Mr Brown, and brown bread.", "Tom Brown", 1.0),
        ("It was Tom Brown. The BROWN BREAD is brown.", "Tom Brown", 0.0),
        ("It went to the Kocaeli State Court. The Court is a court of this state.", "Kocaeli State Court", 0.0),
        ("The Müllers came; so did Herr Müller.", "Müller", 1.0),  # a mask that cuts a word
        ("東京都に住む。彼は東京へ。", "東京", 1.0),
        ("Ahmet YILMAZ came. Then Yılmaz left.", "Ahmet YILMAZ", 1.0),
        ("Seen by Nu\u0301n\u0303ez. Then Núñez left.", "Nu\u0301n\u0303ez", 1.0),  # accents as characters of their own
        ("Seen by Núñez. Then Nu\u0301n\u0303ez left.", "Núñez", 1.0),
        ("Seen by Herr Preuß. Then PREUSS left.", "Preuß", 1.0),
        ("Seen by PREUSS. Then Preuß left.", "PREUSS", 1.0),
        ("Seen by Herr Preuß. Then Preuss left.", "Preuß", 1.0),
        ("RONALD MCQUILLAN\nThen McQuillan left.", "RONALD MCQUILLAN", 1.0),
        ("AT 12 ROWAN STREET\nIt is 12 Rowan Street.", "12 ROWAN STREET", 1.0),
        ("It was John Smith. Signed john smith, as ever.", "John Smith", 1.0),  # nobody else's, in small letters too
        ("It went to the Supreme Court. Any supreme court may.", "Supreme Court", 0.0),
        ("Mail to anna.lund@example.org. Or ANNA.LUND@EXAMPLE.ORG.", "anna.lund@example.org", 1.0),
        ("tom yalman came and yalman left", "tom yalman", 1.0),  # nothing here has capitals
        ("Seen by Tom Yalman. Write to t.yalman@x.org.", "Tom Yalman", 1.0),
        ("Seen by Tom Yalman. See /home/yalman/notes.", "Tom Yalman", 1.0),
        ("Seen by Tom Yalman. T o m left.", "Tom Yalman", 1.0),
        ("Seen by Tom Yalman. Ya\u200blman left.", "Tom Yalman", 1.0),
        ("Seen by Tom Yalman. Yal-\nman left.", "Tom Yalman", 1.0),
        ("Seen by Tom Yalman. Signed VG9tIFlhbG1hbg== by a machine.", "Tom Yalman", 1.0),
        ("Seen on 12 March 1996. Again on 1996-03-12.", "12 March 1996", 1.0),
        ("In case 36110/97. See 3611097.", "36110/97", 1.0),
        ("The Παπαδόπουλος case. ΠΑΠΑΔΟΠΟΥΛΟΣ left.", "Παπαδόπουλος", 1.0),
        ("It was 150 men and 150 dogs of Oslo.", "150", None),
        ("He saw Tom Smith. The smith left.", "Tom Smith", 0.0),
        ("john.smith@x.org wrote. Smith came. It was John Smith.", "John Smith", 1.0),
    ],
)  # fmt: skip
def test_what_counts_as_readable(text: str, string: str, expected: float | None) -> None:
    assert value(text, string) == expected


@pytest.mark.parametrize("string", ["the applicant", "12", "May", "Monday", "A", "two years", "of the", "Mr", "(b)"])
def test_ordinary_words_are_no_strings(string: str) -> None:
    text = f"It says {string} here, and {string} there, in Oslo."
    found = scored({"d": text}, {"d": masks_of(text, string)})["a", "inconsistent"]
    assert (found.value, found.reason != "") == (None, True)


def test_what_a_replacement_repeats_can_be_read() -> None:
    masks = {name: {"d": [Mask(0, 8, name)]} for name in ("Tom Smith", "Ann Smith", "Ann Berg")}
    found = {name: scored({"d": "Ann Berg was ill."}, of)["a", "inconsistent"].value for name, of in masks.items()}
    assert found == {"Tom Smith": 0.0, "Ann Smith": 1.0, "Ann Berg": 1.0}


def test_types_tell_names() -> None:
    text = "It was Bergen Lunden, and then Lunden came."
    assert value(text, "Bergen Lunden", kind="PERSON") == value(text, "Bergen Lunden", kind="FIRSTNAME") == 1.0
    assert value(text, "Bergen Lunden", kind="ORG") == 0.0
    assert value("It was Summer Field, and then Field came.", "Summer Field") == 0.0  # two ordinary words


def test_it_ranks_nobody() -> None:
    """Who masks one word alone leaves nothing of it: that must not look better than masking much."""
    text = "Ann Berg of Oslo. Berg was ill."
    corpus = Corpus([Document("a", text)])
    masks = {"much": [Mask(0, 8), Mask(12, 16)], "little": [Mask(12, 16)]}
    run = evaluate(corpus, {name: Anonymization({"a": masks[name]}) for name in masks}, ["inconsistent", "residual"])
    assert run["little", "inconsistent"].value == 0.0
    assert run["much", "inconsistent"].value == 0.5
    assert not any(cell.best for table in tables(run) for column in table.columns for cell in column.cells)
    assert [one.record.name for one in plane_metrics(run)] == ["residual"]


def test_only_the_corpus_couples_documents() -> None:
    texts = {
        f"d{number}": "Ann Berg and Oslo. Ann came." if number % 2 else "Ole Lund of Bergen." for number in range(9)
    }
    masks = {key: masks_of(text, *(["Ann Berg"] if "Ann" in text else ["Ole Lund"])) for key, text in texts.items()}
    corpus = Corpus([Document(key, text) for key, text in texts.items()])
    run = evaluate(corpus, {name: Anonymization(masks) for name in "ab"}, ["inconsistent"])
    assert run["a", "inconsistent"].low is not None
    assert run["a", "inconsistent", "corpus"].low is None
    assert "documents cannot be resampled" in run["a", "inconsistent", "corpus"].note
    assert {one.part: one.note != "" for one in run.compare("inconsistent")} == {"": False, "corpus": True}


def test_a_corpus_in_several_stretches_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"d{n}": f"Ann Berg{n} met Ole. Berg{n} left. Berg{(n + 1) % 5} did not." for n in range(5)}
    masks = {key: [Mask(0, 9), Mask(14, 17)] for key in texts}
    whole = scored(texts, masks)
    monkeypatch.setattr(documents.Corpus.chunks, "__defaults__", (60, 0))
    parts = scored(texts, masks)
    assert parts.scores == whole.scores
    assert parts.evidence == whole.evidence
    assert parts.rows["inconsistent"] == whole.rows["inconsistent"]


def test_without_text_no_string_is_kept() -> None:
    text = "Ann Berg left. Berg returned."
    run = scored({"d": text}, {"d": masks_of(text, "Ann Berg")})
    assert "Berg" in str(run.evidence)
    assert "Berg" not in str(run.without_text().evidence)


def test_nested_masks_take_no_quadratic_time() -> None:
    text = "Ann Berg met Ole Lund in Oslo and left. " * 2_000
    masks = [Mask(0, end) for end in range(8, len(text), 40)]
    assert scored({"d": text}, {"d": masks})["a", "inconsistent"].value is not None


def test_text_that_was_moved_is_read_where_it_stands_now() -> None:
    """The header stands at the end of the release: every place where it was marked is covered."""
    text = "Patient: Tom Yalman. He was ill and is well."
    release = "He was ill and is well. Patient: Tom Yalman."
    corpus = Corpus([Document("d", text)])
    run = evaluate(corpus, {"moved": Anonymization({"d": align(text, release)})}, ["inconsistent"], resamples=0)
    assert run["moved", "inconsistent"].value == 1.0
    assert "Tom Yalman" in run.evidence["inconsistent"]["moved"]["d"].strings[0].text


@pytest.mark.slow
@pytest.mark.skipif("SHOWTHROUGH_DATA" not in os.environ, reason="needs the TAB files")
def test_court_cases_without_annotations() -> None:
    """The manual masks of the benchmark are consistent by construction; Presidio's are not."""
    folder = Path(os.environ["SHOWTHROUGH_DATA"]) / "tab"
    cases = json.loads((folder / "train_100.json").read_text(encoding="utf-8"))
    corpus = Corpus([Document(one["doc_id"], one["text"]) for one in cases])
    read = {
        name: json.loads((folder / f"train_anonymizations/{name}.json").read_text())
        for name in ("manual_entity", "presidio")
    }
    systems = {
        name: Anonymization({key: [Mask(*mask) for mask in of] for key, of in masks.items()})
        for name, masks in read.items()
    }
    few = Corpus(corpus.documents[:10])  # all that can be told of them; of the others this alone
    run = evaluate(few, {name: one.part(few.ids) for name, one in systems.items()}, resamples=0)
    assert set(run.rows) == {record.text for record in run.metrics}
    run = evaluate(corpus, systems, ["inconsistent"], resamples=0, references=False)
    manual, presidio = (run[name, "inconsistent"].value or 0.0 for name in systems)
    assert manual < 0.01 < 0.05 < presidio
