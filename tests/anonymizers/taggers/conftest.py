"""Small records as wards write them, with what is to be masked in them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from showthrough import Annotation, Corpus, Document, Mention

_GIVEN = ("Ona", "Per", "Ines", "Hugo", "Mara", "Lior", "Tove", "Ravi", "Sina", "Otto", "Edda", "Bela")
_FAMILY = ("Rask", "Holm", "Vidal", "Okafor", "Brandt", "Silva", "Novak", "Lindqvist", "Moreau", "Tanaka", "Kline")
_TOWNS = ("Oslo", "Bergen", "Lund", "Porto", "Graz", "Brno", "Turku", "Split", "Ghent", "Leeds")
_NOTES = (
    "The wound is dry and the patient sleeps well.",
    "Blood pressure was 130/85 and the pulse was regular.",
    "No fever since the operation, and the appetite is good.",
    "The x-ray showed nothing new.",
)

Records = Callable[[int, int], Corpus]


def _record(number: int, choice: random.Random) -> Document:
    patient = f"{choice.choice(_GIVEN)} {choice.choice(_FAMILY)}"
    doctor = choice.choice(_FAMILY)
    day = f"{choice.randint(1, 28):02}/{choice.randint(1, 12):02}/{choice.randint(1990, 2020)}"
    town = choice.choice(_TOWNS)
    pieces: list[str | tuple[str, str]] = [
        "Name: ", (patient, "PATIENT"), "\nBorn: ", (day, "DATE"), "\n",
        choice.choice(_NOTES), " Seen by Dr ", (doctor, "DOCTOR"), " in ", (town, "CITY"), ". ",
        (patient.split()[1], "PATIENT"), " went home. ", choice.choice(_NOTES),
    ]  # fmt: skip
    text, mentions = "", []
    for piece in pieces:
        if isinstance(piece, tuple):
            mentions.append(Mention(len(text), len(text) + len(piece[0]), piece[1]))
        text += piece if isinstance(piece, str) else piece[0]
    return Document(f"r{number}", text, (Annotation("gold", tuple(mentions)),))


@pytest.fixture(scope="session")
def records() -> Records:
    """So many records by a seed; other seeds give other ones."""

    def made(count: int, seed: int) -> Corpus:
        choice = random.Random(seed)
        return Corpus([_record(number + 1000 * seed, choice) for number in range(count)], name=f"ward{seed}")

    return made
