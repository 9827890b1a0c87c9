"""Whose releases are: counted by hand on texts that one can read, and on TAB's cases with ids moved by one."""

from __future__ import annotations

import re

import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, Run, evaluate
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.refusals import is_refusal
from showthrough.evaluation.release_checks import Releases, release_notices, releases_of
from showthrough.evaluation.settings import Settings
from showthrough.metrics import parse_metric

# Four texts of 24 words that share nothing but "the", "was" and "in"; placeholders stand for the two names of each.
TEXTS = {
    "a": "Ann Lee sold apples and pears near the old harbour of Bergen until her shop was flooded in spring after "
    "weeks of rain upstream.",
    "b": "Bob Ray teaches physics at a village school where the roof was mended by parents who came in from nearby "
    "farms on Saturday mornings.",
    "c": "Cleo Fox drives night buses through tunnels under mountains because the pay was better than in kitchens that "
    "closed early every winter Monday.",
    "d": "Dan Poe repairs violins using glue boiled from bones which the museum was hiding in crates behind paintings "
    "nobody had catalogued before today.",
}
CORPUS = Corpus([Document(key, text) for key, text in TEXTS.items()])
KEYS = list(TEXTS)


def released(text: str) -> str:
    """With a placeholder for the two words of the name."""
    return re.sub(r"^\w+ \w+", "[NAME]", text)


RELEASED = {key: released(text) for key, text in TEXTS.items()}
SHIFTED = dict(zip(KEYS, [*list(RELEASED.values())[1:], RELEASED["a"]], strict=True))


def found(texts: dict[str, str], corpus: Corpus = CORPUS) -> Releases:
    return releases_of(corpus, [Anonymization.from_texts(texts, corpus, "one")])["one"]


def test_releases_of_their_own_documents_are_nothing_to_tell() -> None:
    # 22 words of 23 are kept: S = 22/23 with their own.
    assert found(RELEASED) == Releases([], 0, {})
    assert found(TEXTS) == Releases([], 0, {})


def test_releases_under_the_next_id_are_told_with_their_owners() -> None:
    # The text of b shares 22 of its 23 words with b, and with a "the … was … in", 3 of 23: 0.96 is 0.1 more than 0.13.
    assert found(SHIFTED).others == {"a": "b", "b": "c", "c": "d", "d": "a"}


def test_masks_are_asked_as_the_text_that_they_make() -> None:
    masks = {key: [Mask(0, len(TEXTS[key]), SHIFTED[key])] for key in KEYS}
    assert releases_of(CORPUS, [Anonymization(masks, "one")])["one"].others == found(SHIFTED).others


@pytest.mark.parametrize(("words", "told"), [(19, False), (20, True)])
def test_of_fewer_than_twenty_words_nobody_can_tell(words: int, told: bool) -> None:
    short = " ".join(re.findall(r"\w+", TEXTS["b"])[:words])
    assert bool(found({**TEXTS, "a": short}).others) is told


def shared_with(own: int) -> Corpus:
    """A document that has so many of the twenty words of another, in the same order, and else words of its own."""
    words = [f"word{number}" for number in range(20)]
    mine = [*words[:own], *(f"mine{number}" for number in range(20 - own))]
    return Corpus([Document("own", " ".join(mine)), Document("other", " ".join(words))])


def test_a_tenth_more_is_paired_wrongly_and_less_is_not() -> None:
    # The release is the other's text: S = 1 with it. Own S = 18/20 = 0.9 is 0.1 less, 19/20 = 0.95 is not.
    for own, others in ((18, {"own": "other"}), (19, {})):
        corpus = shared_with(own)
        text = corpus.documents[1].text
        assert found({"own": text, "other": text}, corpus).others == others


def test_copies_have_no_wrong_owner() -> None:
    texts = {f"{key}{copy}": TEXTS[key] for copy in range(3) for key in KEYS}
    corpus = Corpus([Document(key, text) for key, text in texts.items()])
    moved = {key: released(TEXTS[key[0]]) for key in texts}  # whichever copy's they are
    assert found(moved, corpus) == Releases([], 0, {})


def test_how_many_are_an_error() -> None:
    one, two, three = ({str(number): "z" for number in range(count)} for count in (1, 2, 3))
    assert not Releases().is_error(10)
    assert Releases(others=one).is_error(20)  # 1 of 20 is 5 %
    assert not Releases(others=one).is_error(21)
    assert not Releases(others=two).is_error(41)  # 2 of 41 is 4.9 %
    assert Releases(others=three).is_error(1_000_000)


def plan_of(texts: dict[str, str], pairing: str = "check") -> Plan:
    one = Anonymization.from_texts(texts, CORPUS, "one")
    return Plan(CORPUS, (one,), (parse_metric("tps"),), Settings(pairing=pairing))  # type: ignore[arg-type]


def test_a_plan_refuses_them_and_names_the_remedy() -> None:
    with pytest.raises(InputError) as raised:
        plan_of(SHIFTED).check()
    assert str(raised.value) == (
        "one: 4 of 4 releases are other documents' than the id says (a has the text of b, b has the text of c, "
        "c has the text of d, d has the text of a); expected each document's own: correct the ids, or go on with "
        '--pairing trust (in Python, pairing="trust")'
    )


def run_of(texts: dict[str, str], corpus: Corpus = CORPUS, **settings: str) -> Run:
    one = Anonymization.from_texts(texts, corpus, "one")
    return evaluate(corpus, one, "residual", resamples=0, texts=False, **settings)  # type: ignore[arg-type]


def test_python_refuses_them_too_and_goes_on_where_they_are_trusted() -> None:
    with pytest.raises(InputError, match="other documents' than the id says"):
        run_of(SHIFTED)
    run = run_of(SHIFTED, pairing="trust")
    [note] = [note for note in run.notes if "than the id says" in note]
    assert note.endswith("; they are scored as they are, because of --pairing trust")


def test_what_is_too_little_for_an_error_is_noted() -> None:
    # 41 documents: 20 words of their own each. The first two are exchanged: 2 of 41 is less than 5 %, and than three.
    corpus = Corpus(
        [Document(str(n), " ".join(f"w{n}x{word}" for word in range(25)) + " and so on") for n in range(41)]
    )
    texts = {document.id: document.text for document in corpus}
    texts["0"], texts["1"] = texts["1"], texts["0"]
    run = run_of(texts, corpus)
    told = "one: 2 of 41 releases are other documents' than the id says (0 has the text of 1, 1 has the text of 0)"
    assert f"{told}; they are scored as they are" in run.notes


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request, as it contains personal information.",
    "Sorry, I’m unable to process this document.",
    "As an AI language model, I do not work on personal data.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "Lo siento, pero no puedo ayudar con eso.",
    "Je suis désolé, mais je ne peux pas traiter ce texte.",
    "Mi dispiace, ma non posso aiutarti.",
    "Desculpe, mas não posso ajudar com isso.",
    "Het spijt me, maar ik kan hier niet mee helpen.",
    "很抱歉，我无法处理此请求。",
]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_refusals_are_unlike_their_originals(refusal: str) -> None:
    releases = found({**RELEASED, "b": refusal})
    assert (releases.unlike, releases.refusals, releases.others) == (["b"], 1, {})


def test_what_the_original_says_itself_is_no_refusal() -> None:
    said = "I'm sorry, but I can't help with that, Ann wrote to him."
    assert not is_refusal(said.replace("Ann", "[NAME]"), said)
    assert is_refusal(said, TEXTS["a"])
    assert not is_refusal(said + " word" * 200, TEXTS["a"])  # too long for one
    assert not is_refusal(f"He said: {said}", TEXTS["a"])  # which does not begin so


def test_a_run_counts_what_is_unlike_and_keeps_it() -> None:
    texts = {**RELEASED, "b": REFUSALS[0], "c": "[REDACTED]"}
    run = run_of(texts)
    assert [one.unlike for one in run.anonymizations] == [2]
    assert [one.unlike for one in run.references] == [0, 0]
    assert (
        "one: 2 of 4 releases are unlike their originals, 1 as a language model's refusal (b, c): they count like "
        "all others, so read a few; above 5 %, no verdict says met"
    ) in run.notes
    assert len(run.documents) == 4


def test_a_tenth_of_its_words_is_like_its_original() -> None:
    # 18 words that are nowhere in the original and 2 that are, in order: S = 2/20 = 0.1; with one, 1/20.
    strange = " ".join(f"strange{number}" for number in range(18))
    assert found({**TEXTS, "a": f"{strange} apples pears"}).unlike == []
    assert found({**TEXTS, "a": f"{strange} apples apples"}).unlike == ["a"]


@pytest.mark.parametrize("written", [None, "", "***", "[DATE]", "NAME"])
def test_everything_masked_is_unlike_and_no_error(written: str | None) -> None:
    masks = {
        key: [Mask(word.start(), word.end(), written) for word in re.finditer(r"\w+", text)]
        for key, text in TEXTS.items()
    }
    for one in (masks, {key: [Mask(0, len(text), written)] for key, text in TEXTS.items()}):
        assert releases_of(CORPUS, [Anonymization(one, "one")])["one"] == Releases(KEYS, 0, {})


def test_a_text_without_words_is_like_itself() -> None:
    corpus = Corpus([Document("a", "--- 😀 ---")])
    assert releases_of(corpus, [Anonymization({"a": [Mask(0, 3)]}, "one")])["one"].unlike == []


def test_languages_without_spaces_are_counted_by_characters() -> None:
    text = "田中さんは昨日東京駅で新しい本を買いましたがその後すぐに帰りました"
    corpus = Corpus([Document("a", text)])
    assert releases_of(corpus, [Anonymization({"a": [Mask(0, 2, "某氏")]}, "one")])["one"].unlike == []


def test_a_translation_is_no_error_beside_originals_in_its_language() -> None:
    german = (
        "Anna Klein verkaufte Äpfel und Birnen am alten Hafen von Bergen bis ihr Laden im Frühling nach Wochen von "
    )
    german += "Regen überschwemmt wurde und sie in die Stadt ziehen musste um dort zu arbeiten."
    other = (
        "Der Arzt sah den Mann am Montag und gab ihm ein Mittel gegen den Husten der seit Wochen nicht besser wurde "
    )
    other += "und im Frühling nach dem Regen begann."
    corpus = Corpus([*CORPUS.documents, Document("de", other)])
    assert found({**TEXTS, "de": other, "a": german}, corpus).others == {}


def test_trust_that_nobody_needed_is_said() -> None:
    assert release_notices(CORPUS, {"one": Releases()}, "trust") == [
        "one: no release is another document's; --pairing trust was not needed"
    ]
    assert release_notices(CORPUS, {"one": Releases()}, "check") == []
