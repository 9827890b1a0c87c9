"""Anonymizers made of others: unions keep what their parts tell, and everywhere adds occurrences and takes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as some

import showthrough as st
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.models.model_folders import TrainingRecord
from showthrough.systems.base import parameters_of
from showthrough.systems.combined import Everywhere, Union
from showthrough.systems.replacing import WAYS
from showthrough.systems.rules import Rules


@dataclass(frozen=True)
class Fixed:
    """Hides what it is told to, in every document."""

    found: tuple[st.Mask, ...] = ()
    name: str = "fixed"
    version: int = 1

    def masks(self, documents: Sequence[st.Document]) -> list[list[st.Mask]]:
        return [[one for one in self.found if one.end <= len(document.text)] for document in documents]


@dataclass(frozen=True)
class Telling(Fixed):
    """One that tells of itself as ours do."""

    pinned: Any = ()
    model_bytes: int | None = 0
    training: TrainingRecord | None = None
    device: str = "cpu"
    lasting: bool = True


def hidden(text: str, *masks: st.Mask | str, dictionary: str = "") -> list[str]:
    """What everywhere hides beside what is masked; a text says that its first occurrence is, as a person."""
    given = tuple(
        TypedMask(text.index(one), text.index(one) + len(one), None, "PERSON") if isinstance(one, str) else one
        for one in masks
    )
    made = Everywhere(Fixed(given), dictionary).masks([st.Document("a", text)])[0]
    assert made[: len(given)] == list(given)
    return [text[mask.start : mask.end] for mask in made[len(given) :]]


# Unions.


def test_a_union_has_the_masks_of_all_and_of_equal_spans_the_surest() -> None:
    one = Fixed((ScoredMask(0, 4, None, "ORG", 0.4), ScoredMask(5, 9, None, "ORG", 0.8)))
    two = Fixed((ScoredMask(0, 4, None, "PERSON", 0.6), TypedMask(5, 9, None, "LOC"), ScoredMask(2, 9, None, "X", 0.1)))
    found = Union((one, two)).masks([st.Document("a", "Anna Berg")])[0]
    assert found == [
        ScoredMask(0, 4, None, "PERSON", 0.6),
        TypedMask(5, 9, None, "LOC"),  # it says no score, so it always stays
        ScoredMask(2, 9, None, "X", 0.1),
    ]


@given(some.lists(some.tuples(some.integers(0, 5), some.integers(1, 4), some.sampled_from([None, 0.2, 0.8]))))
def test_a_threshold_leaves_of_a_union_what_it_leaves_of_its_parts(spans: list[tuple[int, int, float | None]]) -> None:
    corpus = st.Corpus([st.Document("a", "abcdefghij")])
    masks = [ScoredMask(start, start + length, None, "T", score) for start, length, score in spans]
    parts = Fixed(tuple(masks[::2])), Fixed(tuple(masks[1::2]))
    covered = [
        {place for mask in st.anonymize(corpus, one, threshold=0.5).of("a") for place in range(mask.start, mask.end)}
        for one in (*parts, Union(parts))
    ]
    assert covered[2] == covered[0] | covered[1]


def test_a_union_tells_what_its_parts_tell() -> None:
    one = Telling(name="one", pinned={"model": "a"}, model_bytes=3, training=TrainingRecord("c1", "d1", ("x", "y")))
    two = Telling(
        name="two", version=2, pinned={"model": "b"}, model_bytes=4, training=TrainingRecord("c2", "d2", ("y",))
    )
    both = Union((one, two))
    assert (both.name, both.model_bytes, both.device, both.lasting) == ("one+two", 7, "cpu", True)
    assert both.training == TrainingRecord("c1, c2", "d1, d2", ("x", "y"))
    assert both.pinned == {"1:one": "v1", "1:one: model": "a", "2:two": "v2", "2:two: model": "b"}
    assert Union((one, Fixed())).model_bytes is None  # a plugin does not say
    assert not Union((one, Fixed())).lasting
    assert Union((one, Telling(device="cuda"))).device == "cpu, cuda"
    assert Union((one, Fixed())).training == one.training
    assert parameters_of(both) == {"parts": ["one", "two"]}


def test_any_other_version_of_a_part_is_told() -> None:
    """The sum rises with each part; where one rises and another falls, what is pinned differs."""

    def told(*versions: int) -> tuple[int, tuple[tuple[str, str], ...]]:
        made = Union(tuple(Telling(name="x", version=version, pinned={}) for version in versions))
        return made.version, tuple(made.pinned.items())

    assert told(1, 2)[0] == told(2, 1)[0]
    assert len({told(1, 1), told(1, 2), told(2, 1)}) == 3
    assert told(1, 2)[0] > told(1, 1)[0]
    assert Everywhere(Telling(version=2, pinned={})).version > Everywhere(Telling(pinned={})).version


def test_documents_that_a_part_was_trained_on_are_refused() -> None:
    from showthrough.data.provenance import text_digest

    corpus = st.Corpus([st.Document("a", "Anna Berg")])
    seen = Telling(name="crf", pinned={}, training=TrainingRecord("train", "d", (text_digest("Anna Berg"),)))
    for made in (Union((Rules(), seen)), Everywhere(seen), Everywhere(Union((seen, Rules())))):
        with pytest.raises(st.PlanError, match="was trained on 1 of these 1 documents"):
            st.anonymize(corpus, made)


def test_a_part_that_gives_nonsense_is_named() -> None:
    corpus = st.Corpus([st.Document("a", "Anna"), st.Document("b", "Anna Berg")])

    class Short:
        name, version = "short", 1

        def masks(self, documents: Any) -> Any:
            return [[]]

    class Broken(Short):
        name = "broken"

        def masks(self, documents: Any) -> Any:
            return [[] for one in documents if one.text[7]]

    for made in (Union((Rules(), Short())), Everywhere(Short())):
        with pytest.raises(st.InputError, match="anonymizer short: gave 1 lists for 2 documents"):
            st.anonymize(corpus, made)
    with pytest.raises(st.InputError, match="anonymizer broken: document a: raised IndexError"):
        st.anonymize(corpus, Everywhere(Broken()))


# Everywhere.


@pytest.mark.parametrize(
    ("text", "masked", "found"),
    [
        ("Anna Berg left. Anna Berg's son, Berg and ANNA.", "Anna Berg", ["Anna Berg", "Berg", "ANNA"]),
        ("Anna  Berg left, and Anna\nBerg\u00a0too", "Anna  Berg", ["Anna\nBerg"]),
        ("Mr Berg of Berg-Hansen, Bergen, Ice\u2011Berg", "Berg", ["Berg", "Berg"]),
        ("Anna Kowalska. Ms Kowal-\nska, Kowal\u00adska and Kowal-\n  ska.", "Anna Kowalska",
         ["Kowal-\nska", "Kowal\u00adska", "Kowal-\n  ska"]),
        ("Ms Kowal-\nska. Kowalska left.", "Kowal-\nska", ["Kowalska"]),
        ("José Núñez. Jose\u0301 NU\u0301N\u0303EZ.", "José Núñez", ["Jose\u0301 NU\u0301N\u0303EZ"]),
        ("Case 4711/09, as in 4711/09 and 14711/09.", "4711/09", ["4711/09"]),
        ("Patienten Bjørn Sørensen var her. Sørensen og SØRENSENS kone.", "Bjørn Sørensen",
         ["Sørensen", "SØRENSENS"]),
        ("María del Carmen Ortiz vino. La señora Ortiz no.", "María del Carmen Ortiz", ["Ortiz"]),
        ("Ana B. Lopez is here; we saw Ana B. Lopez there.", "Ana B. Lopez", ["Ana B. Lopez"]),
        ("Ms J. Kowalska came. Later J. Kowalska left, and Kowalska, J. said so.", "J. Kowalska",
         ["J. Kowalska", "Kowalska, J"]),
        ("Mr A. Demirkan, a lawyer, and A. Demirkan, a nurse.", "A. Demirkan", ["A. Demirkan"]),
        ("田中太郎は東京に住む。田中太郎さんは医者だ。", "田中太郎", ["田中太郎"]),
        ("タナカさんが来た。タナカは帰った。タナカダさん。", "タナカ", ["タナカ", "タナカ"]),
        ("김철수는 의사다. 김철수가 왔다. 이김철수.", "김철수", ["김철수", "김철수"]),
        ("นายสมชายมาแล้ว และสมชายกลับ", "สมชาย", ["สมชาย"]),
    ],
)  # fmt: skip
def test_every_other_occurrence_is_hidden(text: str, masked: str, found: list[str]) -> None:
    assert hidden(text, masked) == found


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("the man and the dog", "the"),
        ("It may rain in May, or it may not. May it?", "may"),
        ("May it rain in May? It may.", "May"),
        ("12 men and 12 dogs", "12"),
        ("150 men and 150 dogs", "150"),
        ("a patient saw another patient", "patient"),
        ("The Patient saw a patient and a Patient", "Patient"),
        ("THE PATIENT SAW A PATIENT", "PATIENT"),
        ("the hospital called a hospital", "hospital"),
        ("Will Smith will come, if he will.", "Will Smith"),
        ("Dr Brown has a brown dog, which is brown.", "Brown"),
        ("Dr Li and Lin", "Li"),
        ("J. came and J. left", "J"),
        ("... and ...", "..."),
    ],
)
def test_ordinary_words_and_small_numbers_are_not_repeated(text: str, masked: str) -> None:
    assert hidden(text, masked) == []


def test_a_court_is_no_name_unless_it_is_said_to_be() -> None:
    text = "Hospital One. Mr Court saw the Court."
    court = text.index("Court")
    assert hidden(text, TypedMask(court, court + 5, None, "ORG")) == []
    assert hidden(text, st.Mask(court, court + 5)) == []


def test_the_words_are_those_of_the_texts_language() -> None:
    text = "Der Mann hat das Haus gesehen, und es ist nicht so, wie er es sich dachte. Das Haus war alt, und der Mann "
    text += "hatte auch nicht viel Geld, aber er wollte das Haus haben, weil es noch nicht verkauft war, sagte er."
    assert hidden(text, TypedMask(text.index("das"), text.index("das") + 3)) == []
    assert hidden("La casa e la casa", st.Mask(0, 2), dictionary="wordfreq:it") == []


def test_an_unknown_dictionary_is_told() -> None:
    with pytest.raises(st.PlanError, match="found 'xx'; expected one of"):
        st.anonymize(st.Corpus([st.Document("a", "Anna")]), 'everywhere(rules, dictionary="wordfreq:xx")')


def test_added_masks_say_what_those_say_that_they_repeat() -> None:
    text = "Anna Berg and Berg."
    document = [st.Document("a", text)]
    for mask, added in [
        (st.Mask(0, 9, "X"), st.Mask(14, 18, "X")),
        (TypedMask(0, 9, None, "PERSON"), TypedMask(14, 18, None, "PERSON")),
        (ScoredMask(0, 9, None, "PERSON", 0.7), ScoredMask(14, 18, None, "PERSON", 0.7)),
    ]:
        assert Everywhere(Fixed((mask,))).masks(document) == [[mask, added]]


def test_what_a_mask_leaves_of_an_occurrence_is_hidden_beside_it() -> None:
    text = "Kocaeli Assize Court. Later the Kocaeli Assize Court again."
    whole, part = TypedMask(0, 20, None, "ORG"), TypedMask(32, 39, None, "LOC")
    assert hidden(text, whole, part) == ["Assize Court"]


def test_a_threshold_drops_what_is_repeated_with_what_it_repeats() -> None:
    text = "Anna Berg. Anna Berg. Anna Berg."
    corpus = st.Corpus([st.Document("a", text)])
    sure, unsure = ScoredMask(0, 9, None, "PERSON", 0.9), ScoredMask(11, 20, None, "ORG", 0.3)
    made = Everywhere(Fixed((sure, unsure)))
    kept = st.anonymize(corpus, made, threshold=0.5).of("a")
    assert [(mask.start, mask.end, mask.entity_type, mask.score) for mask in kept] == [
        (0, 9, "PERSON", 0.9),
        (11, 20, "ORG", 0.9),  # as sure as the first, and called what it was called
        (22, 31, "PERSON", 0.9),
    ]
    assert st.anonymize(corpus, Everywhere(Fixed((unsure,))), threshold=0.5).of("a") == []


def test_what_a_mask_hides_is_not_told_by_the_label_of_another() -> None:
    """A mask laid over another would write BERG where Berg is hidden."""
    told, kept = TypedMask(0, 4, None, "Berg"), TypedMask(9, 13, None, "PERSON")
    assert hidden("Berg and Berg", told, kept) == []
    sure, unsure = ScoredMask(0, 4, None, "Berg", 0.9), ScoredMask(9, 13, None, "PERSON", 0.1)
    made = Everywhere(Fixed((sure, unsure))).masks([st.Document("a", "Berg and Berg")])[0]
    assert made[2:] == [ScoredMask(9, 13, None, "PERSON", 0.9)]


def test_a_document_has_no_part_in_another() -> None:
    both = [st.Document("a", "Anna Berg. Berg."), st.Document("b", "Berg and Ms Anna")]
    made = Everywhere(Fixed((TypedMask(0, 9, None, "PERSON"),)))
    assert made.masks(both) == [made.masks([one])[0] for one in both]


WORDS = ["Anna", "Berg", "BERG", "the", "1996", "2", "Oslo"]  # few, so that many stand there twice
METRICS = ["er_di", "er_qi", "er", "recall", 'recall(unit="mention")', 'recall(replacements="trusted")']


@some.composite
def cases(draw: some.DrawFn) -> tuple[st.Corpus, tuple[st.Mask, ...]]:
    words = draw(some.lists(some.sampled_from(WORDS), min_size=3, max_size=8))
    text = " ".join(words)
    starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    words_alone = some.sampled_from(list(zip(starts, ends, strict=True)))
    several = some.sampled_from([(start, end) for start in starts for end in ends if start < end])
    cut = several.map(lambda one: (one[0], max(one[0] + 1, one[1] - 1)))  # a mask may end inside a word
    span = some.one_of(words_alone, words_alone, several, cut)
    mentions = tuple(
        st.Mention(*draw(span), "PERSON", draw(some.sampled_from(["DIRECT", "QUASI"])), draw(some.sampled_from("xy")))
        for _ in range(draw(some.integers(1, 4)))
    )
    written = some.sampled_from([None, "Berg", "the Anna"])
    kind, score = some.sampled_from(["", "PERSON", "Berg", "DATE", "CITY"]), some.sampled_from([None, 0.2, 0.8])
    masks = tuple(
        ScoredMask(*draw(span), draw(written), draw(kind), draw(score)) for _ in range(draw(some.integers(2, 6)))
    )
    kinds = {(one.start, one.end): one for one in mentions}  # no annotator marks one span twice
    return st.Corpus([st.Document("a", text, (st.Annotation("b", tuple(kinds.values())),))]), masks


@settings(max_examples=100)
@given(cases(), some.sampled_from([None, 0.5]), some.sampled_from(WAYS))
def test_no_recall_ever_falls(
    case: tuple[st.Corpus, tuple[st.Mask, ...]], threshold: float | None, replacement: Any
) -> None:
    """Whatever stands in place of masks, whatever they overlap, and whatever a threshold leaves of them."""
    corpus, masks = case
    systems = {"plain": Fixed(masks), "everywhere": Everywhere(Fixed(masks))}
    made = {
        name: st.anonymize(corpus, one, threshold=threshold, replacement=replacement) for name, one in systems.items()
    }
    run = st.evaluate(corpus, made, METRICS, resamples=0)
    for metric in METRICS:
        before, after = (run[name, metric].value for name in systems)
        assert (before is None) == (after is None)
        assert before is None or after >= before, metric


def test_no_recall_falls_where_others_count_first() -> None:
    """The first Acme, which everywhere hides, is counted before Route 2; ORG_2 would tell its number."""
    text = "Acme Ltd sued Route 2. Acme Ltd and its owner lost."
    masks = TypedMask(14, 21, None, "ORG"), TypedMask(23, 31, None, "ORG")
    mentions = st.Mention(14, 21, "ORG", "DIRECT", "r"), st.Mention(0, 35, "ORG", "DIRECT", "a")
    corpus = st.Corpus([st.Document("a", text, (st.Annotation("b", mentions),))])
    systems = {"plain": Fixed(masks), "everywhere": Everywhere(Fixed(masks))}
    made = {name: st.anonymize(corpus, one, replacement="number") for name, one in systems.items()}
    run = st.evaluate(corpus, made, ["er_di"], resamples=0)
    assert run["everywhere", "er_di"].value == run["plain", "er_di"].value == 0.5
    assert made["everywhere"].texts(corpus)["a"] == "ORG_01 sued ORG_02. ORG_01 and its owner lost."


@dataclass(frozen=True)
class Given:
    """Hides what a file says."""

    masks_by_id: Any
    name: str = "given"
    version: int = 1

    def masks(self, documents: Sequence[st.Document]) -> list[list[st.Mask]]:
        return [list(self.masks_by_id.of(one.id)) for one in documents]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["presidio", "rules"])
def test_what_it_wins_on_real_cases_is_as_documented(data: Path, name: str) -> None:
    """A row of the table in docs/your-system.md, number by number."""
    page = (Path(__file__).parents[2] / "docs/your-system.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` | 0"))
    corpus = st.read_corpus(data / "tab/train_100.json")
    file = data / f"tab/train_anonymizations/{name}.json"
    plain = Rules() if name == "rules" else Given(st.read_anonymization(file, corpus))
    made = {"plain": st.anonymize(corpus, plain), "everywhere": st.anonymize(corpus, Everywhere(plain))}
    metrics = ["er_di", "er_qi", "recall", "precision", "inconsistent"]
    run = st.evaluate(corpus, made, metrics, resamples=0)
    cells = [" → ".join(f"{run[one, metric].value:.4f}" for one in made) for metric in metrics]
    assert row == f"| `{name}` | {' | '.join(cells)} |"
