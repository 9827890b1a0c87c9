"""One release, one score: masks with replacements, and the text that they make, give the same numbers.

What alignment cannot know is listed in docs/differences.md, "Masks and released texts"; each line has a test here.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    Annotation,
    Anonymization,
    Attribute,
    Corpus,
    Document,
    Mask,
    Mention,
    Run,
    Subject,
    TypedMask,
    apply_masks,
    evaluate,
)

GIVEN = ["John", "Zoë", "Selim", "François", "Łucja", "Aylin", "Magnus", "Ines"]
FAMILY = ["Kowalska", "Ünay", "Müller", "Nordmann", "Etxeberria", "Okonkwo", "Blixen", "Yılmaz"]
TOWNS = ["Oslo", "Gdańsk", "Izmir", "Tromsø"]
INVENTED = ["Bo Krag", "Rut Vik", "Pia Holt", "Kim Lund"]  # nobody's names here, nor towns
TEXT = "Report no. {code}. {name} of {town} came on {day} May 2019. {family}'s file was closed. We wrote to {name}."

Way = Callable[[str, random.Random], str | None]


def _letter(base: int) -> Callable[[str], str]:
    return lambda text: "".join(
        chr(base + ord(one) - 65 + (ord(one) > 90) * -6) if one.isascii() and one.isalpha() else one for one in text
    )


_MATHEMATICAL, _ALIKE = _letter(0x1D400), str.maketrans("aeopcxyHKMTB", "аеорсхуНКМТВ")
_BARE = str.maketrans("ëçŁÜüışńø", "ecLUuisno")

# What is written for a stretch: labels, stars and invented names, which hide it.
HIDING: dict[str, Way] = {
    "label": lambda text, chance: chance.choice(["[PERSON]", "PERSON_7", "<NAME>", "XXXX", "MASKED"]),
    "stars": lambda text, chance: "*" * len(text),
    "nothing": lambda text, chance: None,
    "invented": lambda text, chance: chance.choice(INVENTED),
    "accented": lambda text, chance: "Éva Šťastná",
    "possessive": lambda text, chance: "[PERSON]'s",
}
# And ways to write it again, in letters that read the same.
READABLE: dict[str, Way] = {
    "itself": lambda text, chance: text,
    "capitals": lambda text, chance: text.upper(),
    "unseen": lambda text, chance: "\u200b".join(text),
    "soft hyphens": lambda text, chance: text[0] + "\u00ad" + text[1:],
    "apart": lambda text, chance: " ".join(text.replace(" ", "")),
    "dots": lambda text, chance: ".".join(text.replace(" ", "")),
    "look-alikes": lambda text, chance: text.translate(_ALIKE),
    "mathematical": lambda text, chance: _MATHEMATICAL(text),
    "accents lost": lambda text, chance: text.translate(_BARE),
    "underscores": lambda text, chance: text.replace(" ", "_"),
}
# Case of words that were kept is the original's where the release comes as a text, and BLEU looks at it.
ALL = HIDING | {way: write for way, write in READABLE.items() if way != "capitals"}

# Those that ask what can be read of the original, or what the released text says.
READING = [
    *("er_di", "er_qi", "er", "recall", 'recall(unit="mention")', 'recall(unit="entity")', "recall_per_type"),
    *("removed_di", "removed_qi", "clean", "residual", "known_words", "cpr", "ipr", 'nmi(embedding="lsa")'),
    'trir(attacks="lexical")',
]  # fmt: skip
READING += [
    name for name, package in (("bleu", "sacrebleu"), ("rouge", "rouge_score")) if importlib.util.find_spec(package)
]
# Those that also count what was masked, whatever stands there now, the others mask by mask.
COUNTING = ["precision", "f1", "f2", 'wp(ic="wordfreq")', 'tpi(ic="wordfreq", chunking="none")']
BY_MASK = [
    "inconsistent",
    'tps(ic="wordfreq", chunking="none", similarity="ngrams")',
    "phi_span",
    "phi_leak(types=False)",
]


def corpus_of(chance: random.Random, size: int = 8) -> Corpus:
    """Documents about one person each, whose name, town and number stand in no other."""
    found = []
    for number in range(size):
        family, town = FAMILY[number % len(FAMILY)], chance.choice(TOWNS)
        name, code = f"{GIVEN[number % len(GIVEN)]} {family}", str(chance.randrange(10_000, 99_999))
        day = str(chance.randrange(11, 29))
        values = {"code": code, "name": name, "town": town, "day": day, "family": family}
        text, marks = "", []
        for piece in TEXT.replace("{", "\0{").replace("}", "}\0").split("\0"):
            if piece.startswith("{"):
                key = piece[1:-1]
                kind = {"town": "LOC", "day": "DATETIME", "code": "CODE"}.get(key, "PERSON")
                level = "QUASI" if kind in ("LOC", "DATETIME") else "DIRECT"
                entity = "e-person" if kind == "PERSON" else f"e-{key}"
                marks.append(Mention(len(text), len(text) + len(values[key]), kind, level, entity))
                piece = values[key]
            text += piece
        people = (Subject("0", (Attribute("NAME", name), Attribute("LOCATION", town))),)
        layers = (Annotation("a", tuple(marks)), Annotation("b", tuple(marks[:3])))
        found.append(Document(f"d{number}", text, layers, subjects=people))
    return Corpus(found)


def masks_of(corpus: Corpus, chance: random.Random, ways: dict[str, Way], neighbours: bool = True) -> Anonymization:
    """Most mentions, each masked in one of these ways; names also glued to a stand-in, or word by word."""
    masks: dict[str, list[Mask]] = {}
    for document in corpus:
        found = masks.setdefault(document.id, [])
        for mark in document.annotations[0].mentions:
            spans, drawn = [(mark.start, mark.end)], chance.random()
            words = document.text[mark.start : mark.end].split()
            if drawn < 0.2:
                continue
            if neighbours and len(words) > 1 and drawn < 0.4:  # neighbours, with the space between them left
                spans = [(mark.start, mark.start + len(words[0])), (mark.end - len(words[-1]), mark.end)]
            elif len(words) > 1 and drawn < 0.5:  # XXXKowalska
                found.append(Mask(mark.start, mark.end - len(words[-1]), chance.choice(["XXX", "PERSON"])))
                continue
            for start, end in spans:
                write = ways[chance.choice(list(ways))]
                found.append(Mask(start, end, write(document.text[start:end], chance)))
        if chance.random() < 0.1:
            masks[document.id] = [Mask(0, len(document.text), chance.choice([None, "[DOCUMENT]"]))]
    return Anonymization(masks, "masks")


def run_of(corpus: Corpus, masks: Anonymization, metrics: list[str]) -> Run:
    released = {document.id: apply_masks(document.text, masks.of(document.id)) for document in corpus}
    text = Anonymization.from_texts(released, corpus, "text")
    known = {document.id: document.text.replace("file was closed", "life is known") for document in corpus}
    background = known if any(metric.startswith("trir") for metric in metrics) else None
    return evaluate(
        corpus, {"masks": masks, "text": text}, metrics, background=background, resamples=0, references=False
    )


def differing(run: Run) -> dict[tuple[str, str], tuple[float | None, float | None]]:
    """Metrics and parts whose numbers differ between the two forms."""
    assert not run.failures
    found = {}
    for record in run.metrics:
        one, other = (run.parts(name, record.text) for name in ("masks", "text"))
        for part in sorted({*one, *other}):
            values = tuple(each[part].value if part in each else None for each in (one, other))
            if values[0] != pytest.approx(values[1], abs=1e-12) if None not in values else values[0] != values[1]:
                found[record.text, part] = values
    return found  # type: ignore[return-value]


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_ordinary_replacements_score_the_same_in_every_metric(seed: int) -> None:
    chance = random.Random(seed)
    corpus = corpus_of(chance)
    masks = masks_of(corpus, chance, HIDING, neighbours=False)
    assert differing(run_of(corpus, masks, READING + COUNTING + BY_MASK)) == {}


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_neighbours_score_the_same_but_where_masks_are_looked_at_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    corpus = corpus_of(chance)
    assert differing(run_of(corpus, masks_of(corpus, chance, HIDING), READING + COUNTING)) == {}


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_what_reads_the_same_is_readable_in_both_forms(seed: int) -> None:
    chance = random.Random(seed)
    corpus = corpus_of(chance)
    found = differing(run_of(corpus, masks_of(corpus, chance, ALL), READING))
    # How it can be read may be told otherwise: alignment keeps neither white space nor where a replacement began.
    assert {key: values for key, values in found.items() if not key[1].startswith("left:")} == {}


@pytest.mark.parametrize("way", READABLE)
def test_each_way_to_write_it_again_leaves_it_readable(way: str) -> None:
    """Every mention is masked and written again: nothing is hidden, as masks and as text."""
    chance = random.Random(1)
    corpus = corpus_of(chance)
    masks = Anonymization({
        document.id: [
            Mask(mark.start, mark.end, READABLE[way](document.text[mark.start : mark.end], chance))
            for mark in document.annotations[0].mentions
        ]
        for document in corpus
    })  # fmt: skip
    run = run_of(corpus, masks, ["er_di", "er_qi", "recall"])
    for name in ("masks", "text"):
        assert [run[name, metric].value for metric in ("er_di", "er_qi")] == [0, 0]


JOHN = "Mr John Doe of Oslo wrote to the court."


def two_forms(text: str, masks: list[Mask], marked: str, *metrics: str) -> dict[str, tuple[float | None, float | None]]:
    """Numbers of masks and of the text that they make, where one stretch is marked."""
    start = text.index(marked)
    marks = (Mention(start, start + len(marked), "PERSON", "DIRECT", "e"),)
    corpus = Corpus([Document("a", text, (Annotation("a", marks),))])
    run = run_of(corpus, Anonymization({"a": masks}), [*metrics])
    return {metric: (run["masks", metric].value, run["text", metric].value) for metric in metrics}


def test_names_glued_to_a_placeholder() -> None:
    """Selim is hidden, Ünay is not: 1 of 2 tokens; 1 masked token, which is marked."""
    found = two_forms("Mr Selim Ünay left.", [Mask(3, 9, "XXX")], "Selim Ünay", "er_di", "recall", "precision")
    assert found == {"er_di": (0, 0), "recall": (0.5, 0.5), "precision": (1, 1)}


def test_a_word_that_a_replacement_writes_again_was_kept_in_the_text() -> None:
    """Listed: it is readable in both; as masked words count John and Doe (2 of 2 marked) or Doe alone (1 of 1)."""
    masks = [Mask(3, 11, "John Smith"), Mask(15, 19, "Rome")]
    found = two_forms(JOHN, masks, "John Doe", "er_di", "recall", "precision")
    assert found == {"er_di": (0, 0), "recall": (0.5, 0.5), "precision": (2 / 3, 1 / 2)}


def test_a_replacement_that_says_neighbouring_words_is_taken_for_them() -> None:
    """Listed: "Oslo" for "John Doe", and the town is gone: of the text it looks as if Oslo was kept, the name gone."""
    text = "Mr John Doe, Oslo, left."
    found = two_forms(text, [Mask(3, 11, "Oslo"), Mask(13, 17)], "Oslo", "er_di")
    assert found == {"er_di": (1, 0)}  # the careful one of the two: nobody can know that it is another Oslo


def test_types_of_masks_are_not_in_a_text() -> None:
    """Listed: clinical metrics count spans and types as a system says them."""
    text = "Seen: Anna Berg."
    masks: list[Mask] = [TypedMask(6, 15, "Kim Lund", "PATIENT")]
    marks = (Mention(6, 15, "PATIENT", "DIRECT", "e"),)
    corpus = Corpus([Document("a", text, (Annotation("a", marks),))])
    run = run_of(corpus, Anonymization({"a": masks}), ["phi_strict", "phi_span", "phi_leak(types=False)"])
    assert [run["masks", "phi_strict"].value, run["text", "phi_strict"].value] == [1, None]
    assert differing(run).keys() <= {("phi_strict", part) for part in run.parts("masks", "phi_strict")}
