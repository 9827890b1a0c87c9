"""Out-of-vocabulary and ambiguous PHI, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mention,
    PlanError,
    ResourceError,
    TypedMask,
    evaluate,
    parse_metric,
)
from showthrough.clinical.vocabulary import ALL, Share, analyse
from showthrough.resources.dictionary import dictionary_from, digest_of, pinned


def record(name: str, text: str, **marks: str) -> Document:
    """A record in which the words of each mark are of the category that its name begins with."""
    mentions = []
    for kind, words in marks.items():
        start = text.index(words)
        mentions.append(Mention(start, start + len(words), kind.rstrip("_")))
    return Document(name, text, (Annotation("gold", tuple(mentions)),))


WORDS = frozenset(["dr", "brown", "has", "a", "mole", "in", "the", "white", "house", "park", "of", "mr", "on"])
CORPUS = Corpus(
    [
        record("1", "Dr Brown has a brown mole", DOCTOR="Brown"),
        record("2", "Mr Zork in White House on 3/4", PATIENT="Zork", HOSPITAL="White House", DATE="3/4"),
        record("3", "the white house of Park Zork", DOCTOR="Park Zork"),
        record("4", "in the park", LOCATION="park"),
    ],
    name="hand",
)


def test_instances_by_hand() -> None:
    found = analyse(CORPUS, WORDS).instances
    # Instances with words: Brown, Zork, White House, Park Zork, park. The date has none.
    # Out of vocabulary: Zork, and Park Zork for its Zork.
    # Also as no PHI: Brown in its own record; White House in record 3, word by word. Park alone is PHI everywhere.
    assert found[ALL].out_of_vocabulary == Share(2, 5)
    assert found[ALL].ambiguous_in_record == Share(1, 5)
    assert found[ALL].ambiguous_in_corpus == Share(2, 5)
    assert found["HOSPITAL"].ambiguous_in_corpus == Share(1, 1)
    assert found["HOSPITAL"].ambiguous_in_record == Share(0, 1)
    assert found["DATE"].out_of_vocabulary == Share(0, 0)
    assert found["DATE"].out_of_vocabulary.value is None


def test_tokens_by_hand() -> None:
    found = analyse(CORPUS, WORDS).tokens
    # Brown, Zork, White, House, Park, Zork, park: 7 words. Unknown: both Zork. Elsewhere no PHI: Brown, White, House.
    assert found[ALL].out_of_vocabulary == Share(2, 7)
    assert found[ALL].ambiguous_in_record == Share(1, 7)
    assert found[ALL].ambiguous_in_corpus == Share(3, 7)
    assert found["DOCTOR"].out_of_vocabulary == Share(1, 3)


def test_categories_that_share_words() -> None:
    shared = analyse(CORPUS, WORDS).shared
    # Of a doctor's Brown, Park, Zork: park is a location too, zork a patient too.
    assert shared["DOCTOR"]["LOCATION"] == Share(1, 3)
    assert shared["DOCTOR"]["PATIENT"] == Share(1, 3)
    assert shared["PATIENT"]["DOCTOR"] == Share(1, 1)
    assert shared["HOSPITAL"]["DOCTOR"] == Share(0, 2)
    assert "DOCTOR" not in shared["DOCTOR"]


def test_a_map_joins_categories() -> None:
    found = analyse(CORPUS, WORDS, mapping="DOCTOR=NAME,PATIENT=NAME")
    assert found.tokens["NAME"].out_of_vocabulary == Share(2, 4)
    assert "PATIENT" not in found.shared


def test_systems_on_hard_tokens(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(sorted(WORDS)) + "\n")
    masks = {
        "1": [TypedMask(15, 20, None, "DOCTOR")],  # the brown of the mole
        "2": [TypedMask(3, 7, None, "PATIENT"), TypedMask(11, 16, None, "HOSPITAL")],  # Zork, White
        "3": [TypedMask(4, 9, None, "HOSPITAL"), TypedMask(19, 23, None, "DOCTOR")],  # white, Park
        "4": [],
    }
    oov = f'phi_oov(dictionary="{words}")'
    run = evaluate(CORPUS, {"a": Anonymization(masks)}, [oov, "phi_ambiguous", "phi_ambiguous_non_phi"], resamples=0)

    def counts(metric: str) -> tuple[float, ...]:
        return tuple(sum(run.rows[metric]["a"][name]) for name in ("TP", "FP", "FN"))

    assert counts(oov) == (1, 0, 1)  # Zork found in record 2, missed in record 3
    # brown, white, house occur as both. Gold: Brown and House missed, White found. Masked beyond: brown, white.
    assert counts("phi_ambiguous_non_phi") == (1, 2, 2)
    # And between categories: park and zork. Found: Zork, Park; missed: the other Zork, the other park.
    assert counts("phi_ambiguous") == (3, 2, 4)


def test_dictionaries(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_bytes("Haus\r\n  ÉTÉ \n\n".encode())
    assert dictionary_from(str(words)) == {"haus", "été"}
    name = pinned(str(words))
    assert name == f"{words}@{digest_of(words.read_bytes())}"
    assert pinned(name) == name
    assert dictionary_from(name) == {"haus", "été"}
    words.write_bytes(b"other\n")
    with pytest.raises(InputError, match="this is another list"):
        dictionary_from(name)
    words.write_bytes(b"\n")
    with pytest.raises(InputError, match="holds no word"):
        dictionary_from(str(words))
    with pytest.raises(InputError, match="no such file"):
        dictionary_from(str(tmp_path / "none.txt"))


def test_wordfreq() -> None:
    try:
        found = dictionary_from("wordfreq:en")
    except ResourceError as error:
        pytest.skip(str(error))
    assert "house" in found
    assert "zork" not in found
    assert pinned("wordfreq:en") == "wordfreq:en"
    with pytest.raises(PlanError, match="dictionary: found 'xx'; expected one of ar"):
        dictionary_from("wordfreq:xx")


@pytest.mark.parametrize(
    "text", ['phi_oov(dictionary="")', 'phi_ambiguous(dictionary="words.txt")', 'phi_oov(tokens="all")']
)
def test_parameters_that_do_not_go_together(text: str) -> None:
    with pytest.raises(PlanError):
        parse_metric(text)
