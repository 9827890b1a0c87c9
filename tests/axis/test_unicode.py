"""Offsets are Python's string indices for every script, and the arrays agree with sets of offsets."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from showthrough import (
    Annotation,
    Anonymization,
    Background,
    Corpus,
    Document,
    Mask,
    Mention,
    apply_masks,
    evaluate,
    read_anonymization,
    read_corpus,
)
from showthrough.core.errors import HALF_CHARACTER, InputError
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.masks import flatten_masks
from showthrough.models.lexicon import ALWAYS, LEXICONS, PUNCTUATION, TITLES

# On a busy machine drawing is slow at times; that is no fault of what is drawn.
PATIENT = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
SCRIPTS = {
    "combining marks": ("Cafe\u0301 of Zoe\u0308 Bru\u0308ll.", "Zoe\u0308 Bru\u0308ll"),
    "emoji": ("Hi 😀😀 from Ann 🎉!", "Ann"),
    "emoji joined": ("The 👩‍👩‍👧‍👦 of Ann 👩🏽‍⚕️ came 🇳🇴.", "Ann 👩🏽‍⚕️"),
    "right to left": ("פגשתי את דוד כהן בתל אביב", "דוד כהן"),
    "Arabic with marks": ("قابلت مُحَمَّد في القاهرة", "مُحَمَّد"),
    "Chinese": ("我在北京见到了王小明。", "王小明"),
    "Japanese": ("東京で山田太郎に会った。", "山田太郎"),
    "Korean": ("서울에서 김민수를 만났다.", "김민수"),
    "Thai": ("พบสมชายที่กรุงเทพ", "สมชาย"),
    "Devanagari": ("मैं राहुल से मिला", "राहुल"),
    "astral letters": ("𝒥𝑜𝒽𝓃 met 𐍅𐌿𐌻𐍆𐌹𐌻𐌰 twice.", "𐍅𐌿𐌻𐍆𐌹𐌻𐌰"),
    "astral ideographs": ("𠀀𠮷野家の𠮷田", "𠮷田"),
    "direction marks": ("a \u202bדוד\u202c b", "דוד"),
    "line ends": ("one\r\ntwo Ann\u2028three\x85four", "Ann"),
}


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("script", SCRIPTS)
def test_offsets_are_indices_from_file_to_score(script: str, escaped: bool, tmp_path: Path) -> None:
    text, name = SCRIPTS[script]
    start = text.index(name)
    end = start + len(name)
    mention = {"start_offset": start, "end_offset": end, "span_text": name, "identifier_type": "DIRECT"}
    document = {"doc_id": script, "text": text, "annotations": {"a": {"entity_mentions": [mention]}}}
    (tmp_path / "corpus.json").write_text(json.dumps([document], ensure_ascii=escaped), "utf-8")
    (tmp_path / "masks.json").write_text(json.dumps({script: [[start, end, "█"]]}, ensure_ascii=escaped), "utf-8")

    corpus = read_corpus(tmp_path / "corpus.json")
    masks = read_anonymization(tmp_path / "masks.json", corpus)
    [read] = corpus
    assert read.text == text
    assert read.text[read.annotations[0].mentions[0].start : read.annotations[0].mentions[0].end] == name
    assert apply_masks(read.text, masks.of(script)) == text[:start] + "█" + text[end:]
    run = evaluate(
        corpus, [masks], ["er_di", "recall", "precision", 'precision(unit="mention")'], resamples=0, references=False
    )
    assert [score.value for score in run.scores] == [1.0, 1.0, 1.0, 1.0]

    # One code point short at either end, and the name still shows through.
    for low, high in ((start + 1, end), (start, end - 1)):
        short = Anonymization({script: [Mask(low, high)]}, "short")
        assert evaluate(corpus, [short], ["er_di"], resamples=0)["short", "er_di"].value == 0.0


def is_ideograph(character: str) -> bool:
    ranges = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
    return any(low <= ord(character) <= high for low, high in ranges)


def tokens_of(text: str) -> list[tuple[int, int]]:
    """Maximal runs of word characters, ideographs one by one."""
    found: list[tuple[int, int]] = []
    for match in re.finditer(r"\w+", text):
        at = match.start()
        for index in range(match.start(), match.end()):
            if is_ideograph(text[index]):
                found += [(at, index)] * (at < index) + [(index, index + 1)]
                at = index + 1
        found += [(at, match.end())] * (at < match.end())
    return found


def axis_tokens(axis: SpanLayout) -> list[list[tuple[int, int]]]:
    """The axis's tokens, document by document, counted from where each starts."""
    spans = list(zip(axis.tokens.start.tolist(), axis.tokens.end.tolist(), strict=True))
    bounds = axis.bounds.tolist()
    return [[(start - low, end - low) for start, end in spans if low <= start < high] for low, high in pairwise(bounds)]


@given(st.lists(st.text(min_size=1).filter(lambda text: not any(map(is_ideograph, text))), min_size=1, max_size=4))
@PATIENT
def test_tokens_are_runs_of_word_characters(texts: list[str]) -> None:
    axis = SpanLayout(Corpus([Document(str(number), text) for number, text in enumerate(texts)]))
    assert axis_tokens(axis) == [[match.span() for match in re.finditer(r"\w+", text)] for text in texts]


@given(st.lists(st.text("aé_1 .\n山田𠮷😀\u0301א", min_size=1), min_size=1, max_size=4))
@PATIENT
def test_ideographs_are_tokens_of_their_own(texts: list[str]) -> None:
    axis = SpanLayout(Corpus([Document(str(number), text) for number, text in enumerate(texts)]))
    assert axis_tokens(axis) == [tokens_of(text) for text in texts]


# --- the same metrics, plainly: sets of offsets, loops, no arrays -----------------------------------------------------

LEVEL = {"NO_MASK": 0, "QUASI": 1, "DIRECT": 2}
KINDS = {"direct": 2, "quasi": 1}
Span = tuple[int, int]


def is_function_word(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    if len(word) == 1:  # "A." may be an initial; the s of "Doe's" is none
        return word in LEXICONS["lexicon-en.1"] or (word in "sS" and start > 0 and text[start - 1] in "'’")
    small = word.lower()
    return small in LEXICONS["lexicon-en.1"] | ALWAYS and not (small in TITLES and text[end : end + 1] == ".")


def ignorable(text: str) -> set[int]:
    free = {index for index, character in enumerate(text) if character in PUNCTUATION}
    for start, end in tokens_of(text):
        if is_function_word(text, start, end):
            free |= set(range(start, end))
    return free


def joined(masks: Sequence[Mask]) -> list[Span]:
    """Masks that overlap as one; masks that touch stay apart."""
    found: list[Span] = []
    for mask in sorted(masks, key=lambda mask: mask.start):
        if found and mask.start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], mask.end))
        else:
            found.append((mask.start, mask.end))
    return found


def entities(annotation: Annotation) -> list[list[Mention]]:
    by_id: dict[str, list[Mention]] = {}
    for number, mention in enumerate(annotation.mentions):
        by_id.setdefault(mention.entity_id or f"mention {number}", []).append(mention)
    return list(by_id.values())


def cut(text: str, span: Span) -> list[Span]:
    """The tokens of a span, cut off at its edges."""
    low, high = span
    return [(max(start, low), min(end, high)) for start, end in tokens_of(text) if end > low and start < high]


def read(word: str) -> str:
    """A word without its accents and capitals, which nobody needs to read it."""
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if unicodedata.category(letter)[0] != "M").casefold()


def words_of(text: str) -> set[str]:
    return {read(text[start:end]) for start, end in tokens_of(text)}


def told_again(text: str, masks: Sequence[Mask]) -> set[int]:
    """The offsets under masks that can be read in what is written there, by whichever of masks that overlap."""
    found: set[int] = set()
    for mask in flatten_masks(masks):
        joined = [one.replacement or "" for one in masks if one.start < mask.end and one.end > mask.start]
        plain = [unicodedata.normalize("NFKC", one).replace("_", " ") for one in joined]
        written, words = "\n".join([*joined, *plain]), cut(text, (mask.start, mask.end))
        sign = text[mask.start : mask.end].strip()
        if not words and sign and sign in written:
            found |= set(range(mask.start, mask.end))
        for start, end in words:
            if read(text[start:end]) in words_of(written):
                found |= set(range(start, end))
    return found


def asked_for(text: str, mention: Mention) -> set[int]:
    """The offsets of a mention that have to be hidden; all its words where it has nothing but function words."""
    span = (mention.start, mention.end)
    words = {index for start, end in cut(text, span) for index in range(start, end)}
    visible = {index for index in range(*span) if not text[index].isspace()}
    return set(range(*span)) - ignorable(text) or words or visible


class Naive:
    """All masking metrics of one anonymization, counted one by one."""

    def __init__(self, corpus: Corpus, anonymization: Anonymization) -> None:
        self.parts = [(document, anonymization.of(document.id)) for document in corpus]

    def _asked(self, kinds: str, trusting: bool) -> Iterator[tuple[str, set[int], list[Mention]]]:
        """Every entity to be masked, with its text and the offsets in it that are hidden."""
        levels = {KINDS[kind] for kind in kinds.split(",")}
        for document, masks in self.parts:
            hidden = {index for mask in masks for index in range(mask.start, mask.end)}
            if not trusting:
                hidden -= told_again(document.text, masks)
            for annotation in document.annotations:
                for mentions in entities(annotation):
                    if max(LEVEL[mention.identifier] for mention in mentions) in levels:
                        yield document.text, hidden, mentions

    def entity_recall(self, kinds: str, trusting: bool = False) -> float | None:
        found = [
            all(asked_for(text, one) <= hidden for one in mentions if one.identifier != "NO_MASK")
            for text, hidden, mentions in self._asked(kinds, trusting)
        ]
        return share(sum(found), len(found))

    def recall(self, unit: str, kinds: str, skip: bool = False, trusting: bool = False) -> float | None:
        covered = total = 0
        for text, hidden, mentions in self._asked(kinds, trusting):
            for one in mentions:
                span = (one.start, one.end)
                for start, end in cut(text, span) if unit == "token" else [span]:
                    asked = asked_for(text, one) & set(range(start, end))
                    if skip and not asked:
                        continue
                    total += 1
                    covered += asked <= hidden
        return share(covered, total)

    def precision(self, unit: str, each: bool = False) -> float | None:
        agreed = asked = 0
        for document, masks in self.parts:
            for mask in [(one.start, one.end) for one in masks] if each else joined(masks):
                for start, end in cut(document.text, mask) if unit == "token" else [mask]:
                    asked += len(document.annotations)
                    agreed += sum(
                        any(
                            one.start <= start and end <= one.end
                            for one in layer.mentions
                            if one.identifier != "NO_MASK"
                        )
                        for layer in document.annotations
                    )
        return share(agreed, asked)


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


PIECES = (
    "Mr", "Mr.", "John", "Doe", "'s", "’s", " ", " ", ", ", ". ", "of", "The", "A", "a", "and", "No", "not", "_", "3",
    "山", "田", "𠮷", "😀", "👩‍👧", "é", "e\u0301", "שלום", "\n", "(", ")", "–", "s",
)  # fmt: skip


@st.composite
def spans(draw: st.DrawFn, length: int) -> Span:
    start = draw(st.integers(0, length - 1))
    return start, draw(st.integers(start + 1, min(length, start + 12)))


WRITTEN = (
    None, "", "X", "***", "JOHN", "john of Doe", "Mr. doe", "the A", "ÉCLAIR é", "É", "田山", "😀!", "of", "NOT no",
    "_3",
)  # fmt: skip


@st.composite
def scored(draw: st.DrawFn, *, written: Sequence[str | None] = WRITTEN) -> tuple[Corpus, Anonymization]:
    """Documents of mixed scripts, up to three annotators, masks that overlap, repeat, nest and touch in any order."""
    documents = []
    masks = {}
    for number in range(draw(st.integers(1, 3))):
        text = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14)))
        mention = st.builds(
            lambda span, kind, identifier, entity: Mention(*span, kind, identifier, entity),
            spans(len(text)),
            st.sampled_from(["PERSON", "LOC"]),
            st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]),
            st.sampled_from(["", "e1", "e2"]),
        )
        layers = draw(st.lists(st.lists(mention, max_size=5).map(tuple), max_size=3))
        documents.append(
            Document(f"d{number}", text, tuple(Annotation(f"a{index}", layer) for index, layer in enumerate(layers)))
        )
        drawn = draw(st.lists(spans(len(text)), max_size=6))
        if drawn and draw(st.booleans()):
            drawn.append(drawn[0])
            if drawn[0][1] < len(text):
                drawn.append((drawn[0][1], len(text)))  # touches the first
        masks[f"d{number}"] = [Mask(*span, draw(st.sampled_from(written))) for span in draw(st.permutations(drawn))]
    if not any(document.annotations for document in documents):
        documents.append(Document("last", "Doe", (Annotation("a", (Mention(0, 3),)),)))
        masks["last"] = []
    # Marks anywhere may look as if they counted something else; here they insist.
    return Corpus(documents, offsets="characters"), Anonymization(masks, "x", offsets="characters")


@given(scored())
@PATIENT
def test_arrays_agree_with_sets_of_offsets(drawn: tuple[Corpus, Anonymization]) -> None:
    corpus, anonymization = drawn
    plain = Naive(corpus, anonymization)
    expected = {
        "er_di": plain.entity_recall("direct"),
        "er_qi": plain.entity_recall("quasi"),
        "er": plain.entity_recall("direct,quasi"),
        "recall": plain.recall("token", "direct,quasi"),
        'recall(include="direct")': plain.recall("token", "direct"),
        'recall(unit="mention")': plain.recall("mention", "direct,quasi"),
        'recall(unit="mention", include="quasi")': plain.recall("mention", "quasi"),
        'recall(ignorable="skip")': plain.recall("token", "direct,quasi", skip=True),
        'recall(unit="mention", ignorable="skip")': plain.recall("mention", "direct,quasi", skip=True),
        'er(replacements="trusted")': plain.entity_recall("direct,quasi", trusting=True),
        'recall(replacements="trusted")': plain.recall("token", "direct,quasi", trusting=True),
        'recall(ignorable="skip", replacements="trusted")': plain.recall("token", "direct,quasi", True, True),
        'precision(overlaps="each")': plain.precision("token", each=True),
        'precision(unit="mention", overlaps="each")': plain.precision("mention", each=True),
        "precision": plain.precision("token"),
        'precision(unit="mention")': plain.precision("mention"),
    }
    run = evaluate(corpus, [anonymization], expected, resamples=0)
    assert {text: run["x", text].value for text in expected} == expected


@given(scored(written=(None,)))
@PATIENT
def test_joined_masks_and_the_text_that_is_left(drawn: tuple[Corpus, Anonymization]) -> None:
    corpus, anonymization = drawn
    axis = SpanLayout(corpus)
    coverage = Coverage(axis, anonymization)
    for number, document in enumerate(corpus):
        masks = anonymization.of(document.id)
        here = coverage.document == number
        low = axis.bounds[number]
        found = zip((coverage.start[here] - low).tolist(), (coverage.end[here] - low).tolist(), strict=True)
        assert list(found) == joined(masks)
        hidden = {index for mask in masks for index in range(mask.start, mask.end)}
        left = "".join(character for index, character in enumerate(document.text) if index not in hidden)
        assert apply_masks(document.text, masks) == left


@pytest.mark.parametrize(
    ("document", "replacement", "place"),
    [
        (Document("d", "Ann \udce9 Lee"), "X", "document d"),
        (Document("d", "Ann Lee", (Annotation("a", (Mention(0, 3, "\ud800"),)),)), "X", "document d"),
        (Document("d", "Ann Lee"), "\udce9", "masks: document d"),
    ],
)
def test_half_a_character_is_refused(document: Document, replacement: str, place: str) -> None:
    """What `errors="surrogateescape"` makes of a file in another encoding."""
    masks = Anonymization({"d": [Mask(0, 3, replacement)]}, name="masks")
    with pytest.raises(InputError) as caught:
        evaluate(Corpus([document]), [masks], ['tpi(ic="uniform", chunking="none")'])
    assert str(caught.value) == f"{place}: {HALF_CHARACTER}"


def test_half_a_character_in_the_background_is_refused() -> None:
    background = Background({"a": "Oslo", "b": "Rome \udce9"}, name="known")
    with pytest.raises(InputError, match=f"^known: individual b: {HALF_CHARACTER}$"):
        background.digest  # noqa: B018
