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
from showthrough.families.clinical.vocabulary import ALL, NON_PHI, Share, analyse
from showthrough.models.dictionary import dictionary_from, digest_of, pin_dictionary


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
    # Brown, Zork, White House, 3/4, Park Zork, park: 6.
    # Out of vocabulary: Zork, Park Zork for its Zork, and 3/4.
    # With a word that is also no PHI: Brown in its own record; White House in record 3. Park alone is PHI everywhere.
    assert found[ALL].out_of_vocabulary == Share(3, 6)
    assert found[ALL].ambiguous_in_record == Share(1, 6)
    assert found[ALL].ambiguous_in_corpus == Share(2, 6)
    assert found["HOSPITAL"].ambiguous_in_corpus == Share(1, 1)
    assert found["HOSPITAL"].ambiguous_in_record == Share(0, 1)
    assert found["DATE"].out_of_vocabulary == Share(1, 1)


def test_one_ambiguous_token_makes_an_instance_ambiguous() -> None:
    # The whole name does not recur; its first word does, in the first record alone.
    name = "Hospital General de Lund"
    corpus = Corpus(
        [
            record("1", f"The hospital: {name}.", HOSPITAL=name),
            record("2", f"Seen at {name}.", HOSPITAL=name),
        ]
    )
    found = analyse(corpus, WORDS)
    assert found.instances["HOSPITAL"].ambiguous_in_record == Share(1, 2)
    assert found.instances["HOSPITAL"].ambiguous_in_corpus == Share(2, 2)
    assert found.tokens["HOSPITAL"].ambiguous_in_record == Share(1, 8)  # Hospital, of four words in two records
    assert found.tokens["HOSPITAL"].ambiguous_in_corpus == Share(2, 8)


def test_numbers_count() -> None:
    # 91 is an age here and a dose there; 10/29 is one token, which no dictionary has; 40 is a word of this one.
    text = "Aged 91, seen 10/29 in room 40; 91 mg."
    corpus = Corpus([record("1", text, AGE="91", DATE="10/29", ID="40")])
    found = analyse(corpus, WORDS | {"40"})
    assert found.tokens[ALL].out_of_vocabulary == Share(2, 3)
    assert found.tokens["AGE"].ambiguous_in_record == Share(1, 1)
    assert found.instances["AGE"].ambiguous_in_record == Share(1, 1)
    assert found.tokens["DATE"].ambiguous_in_corpus == Share(0, 1)
    assert analyse(corpus, WORDS, tokens="words").tokens["DATE"].out_of_vocabulary == Share(2, 2)  # 10, 29


def test_medical_terms() -> None:
    # Ambiguous: Brown, White, House (tokens); Brown, White House (instances). Zork is a term, but nowhere no PHI.
    found = analyse(CORPUS, WORDS, medical={"brown", "house", "zork"}, medical_name="terms.txt")
    assert found.medical == "terms.txt"
    assert found.tokens[ALL].medical == Share(2, 3)
    assert found.tokens["HOSPITAL"].medical == Share(1, 2)
    assert found.instances[ALL].medical == Share(2, 2)
    assert found.instances["PATIENT"].medical == Share(0, 0)
    assert analyse(CORPUS, WORDS).tokens[ALL].medical is None  # without a list there is nothing to tell


def test_what_is_marked_twice_counts_once() -> None:
    mark = Mention(3, 8, "DOCTOR")
    corpus = Corpus([Document("1", "Dr Brown", (Annotation("gold", (mark, mark)),))])
    assert analyse(corpus, WORDS).instances["DOCTOR"].out_of_vocabulary == Share(0, 1)


def test_tokens_by_hand() -> None:
    found = analyse(CORPUS, WORDS).tokens
    # Brown, Zork, White, House, 3/4, Park, Zork, park: 8. Unknown: both Zork, and 3/4.
    # Elsewhere no PHI: Brown, White, House.
    assert found[ALL].out_of_vocabulary == Share(3, 8)
    assert found[ALL].ambiguous_in_record == Share(1, 8)
    assert found[ALL].ambiguous_in_corpus == Share(3, 8)
    assert found["DOCTOR"].out_of_vocabulary == Share(1, 3)


def test_categories_that_share_words() -> None:
    shared = analyse(CORPUS, WORDS).shared
    # Of a doctor's Brown, Park, Zork: park is a location too, zork a patient too, brown a colour.
    assert shared["DOCTOR"]["LOCATION"] == Share(1, 3)
    assert shared["DOCTOR"]["PATIENT"] == Share(1, 3)
    assert shared["DOCTOR"][NON_PHI] == Share(1, 3)
    assert shared["PATIENT"]["DOCTOR"] == Share(1, 1)
    assert shared["HOSPITAL"]["DOCTOR"] == Share(0, 2)
    assert "DOCTOR" not in shared["DOCTOR"]
    # No PHI: Dr has a brown mole, Mr in on, the white house of, in the: 14 tokens. Brown is a doctor, white and
    # house are a hospital.
    assert shared[NON_PHI]["DOCTOR"] == Share(1, 14)
    assert shared[NON_PHI]["HOSPITAL"] == Share(2, 14)
    assert shared[NON_PHI]["LOCATION"] == Share(0, 14)
    assert list(shared) == ["DATE", "DOCTOR", "HOSPITAL", "LOCATION", "PATIENT", NON_PHI]


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

    assert counts(oov) == (1, 0, 2)  # Zork found in record 2, missed in record 3; 3/4 missed
    # brown, white, house occur as both. Gold: Brown and House missed, White found. Masked beyond: brown, white.
    assert counts("phi_ambiguous_non_phi") == (1, 2, 2)
    # And between categories: park and zork. Found: Zork, Park; missed: the other Zork, the other park.
    assert counts("phi_ambiguous") == (3, 2, 4)


def test_dictionaries(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_bytes("Haus\r\n  ÉTÉ \n\n".encode())
    assert dictionary_from(str(words)) == {"haus", "été"}
    name = pin_dictionary(str(words))
    assert name == f"{words}@{digest_of(words.read_bytes())}"
    assert pin_dictionary(name) == name
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
    assert pin_dictionary("wordfreq:en") == "wordfreq:en"
    with pytest.raises(PlanError, match="dictionary: found 'xx'; expected one of ar"):
        dictionary_from("wordfreq:xx")


@pytest.mark.parametrize(
    "text",
    ['phi_oov(dictionary="")', 'phi_ambiguous(dictionary="words.txt")', 'phi_oov(hard="all")', 'phi_oov(tokens="all")'],
)
def test_parameters_that_do_not_go_together(text: str) -> None:
    with pytest.raises(PlanError):
        parse_metric(text)
