"""Identifiers planted in the demonstration corpus: nearly all of each kind are found, and nothing is in masked text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from showthrough import Anonymization, Corpus, Document, Mask, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.data.masks import flatten_masks
from showthrough.models.detectors import parse_detector
from showthrough.models.detectors.scanning import scan

NAMES = [
    "Smith",
    "O’Neill-Rask",
    "van der Berg",
    "Ünal",
    "SMITH",
    "J.P. Tornquill",
    "Ona Rask",
    "Łukasz Zielonkur",
    "de la Cruz",
]
TITLES = ["Mr", "Mrs", "Ms", "Miss", "Dr", "Dr.", "Prof.", "Mr.", "Sir", "Judge", "Frau", "Mme"]
CUE = re.compile(rf"(?:{'|'.join(map(re.escape, TITLES))}|no\.|Case No\.|MRN|Ref:) ")
MONTHS = ["January", "March", "May", "July", "Sept.", "October", "Dec"]


def emails(chance: random.Random) -> str:
    local = chance.choice(["ona.rask", "o_rask+1", "rask", "o.rask-2", "öna"])
    domain = chance.choice(["example.org", "mail.example-host.co.uk", "müller.example", "x1.example.museum"])
    return chance.choice([f"{local}@{domain}", f"{local} (at) {domain}", f"{local}[at]{domain}"])


def phones(chance: random.Random) -> str:
    digits = iter(str(chance.randrange(10**14, 10**15)))
    form = chance.choice(
        ["+44 20 #### ####", "020 #### ####", "(555) ###-####", "555-###-####", "06 ## ## ## ##", "+49 (0)30 #######",
         "0171/#######", "+1-555-###-#### ext. ##", "+91 ##### #####", "010-####-####", "+46 70 ### ## ##", "0044 20 #### ####"]
    )  # fmt: skip
    return "".join(next(digits) if sign == "#" else sign for sign in form)


def dates(chance: random.Random) -> str:
    day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.randint(1930, 2024)
    name = chance.choice(MONTHS)
    return chance.choice(
        [f"{day} {name} {year}", f"{name} {day}, {year}", f"{day:02}/{month:02}/{year}", f"{year}-{month:02}-{day:02}",
         f"{day}.{month}.{year}", f"Tuesday, {day} {name} {year}", f"the {day}th of {name} {year}", f"{day:02}-{name[:3]}-{year}",
         f"{year} {name} {day}", f"{month:02}/{day:02}/{year % 100:02}", f"{day}. März {year}", f"{day} de mayo de {year}"]
    )  # fmt: skip


def cases(chance: random.Random) -> str:
    number, year = chance.randint(1000, 99999), chance.randint(10, 99)
    return chance.choice(
        [f"{number}/{year}", f"no. {number}/{year}", f"2:{year}-cv-{number:05}", f"C-{number % 900 + 1}/{year}",
         f"[20{year}] EWHC {number % 4000 + 1} (Admin)", f"1 BvR {number % 3000 + 1}/{year}", f"Case No. {year}-{number}",
         f"MRN 00{number}", f"Ref: AB/{number}/{year}", f"VI ZR {number % 400 + 1}/{year}", f"ECLI:EU:C:20{year}:{number}"]
    )  # fmt: skip


def titled(chance: random.Random) -> str:
    return f"{chance.choice(TITLES)} {chance.choice(NAMES)}"


KINDS = {"EMAIL": emails, "PHONE": phones, "DATE": dates, "CODE": cases, "PERSON": titled}
FRAMES = ["; as {} has it, ", " ({}) ", "\nnote: {}\n", " [{}] ", ", {}, ", "\n{}\n"]


def planted(corpus: Corpus, masks: Anonymization, kind: str) -> Iterator[tuple[Document, list[Mask], int, str]]:
    """Each document with one such thing planted outside of its masks: the document, its masks, the place, the thing."""
    chance = random.Random(f"plant {kind}")
    for document in corpus:
        for _ in range(3):
            hidden = flatten_masks(masks.of(document.id))
            spaces = [
                place
                for place, sign in enumerate(document.text)
                if sign == " " and not any(mask.start <= place <= mask.end for mask in hidden)
            ]
            place, value, frame = chance.choice(spaces), KINDS[kind](chance), chance.choice(FRAMES)
            inserted = frame.format(value)
            text = document.text[:place] + inserted + document.text[place:]
            moved = [
                mask
                if mask.end <= place
                else Mask(mask.start + len(inserted), mask.end + len(inserted), mask.replacement)
                for mask in hidden
            ]
            yield Document(document.id, text), moved, place + inserted.index(value), value


@pytest.fixture(scope="module")
def shipped() -> tuple[Corpus, dict[str, Anonymization]]:
    corpus = read_corpus(demo.corpus_path())
    return corpus, {name: read_anonymization(path, corpus) for name, path in demo.anonymization_paths().items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["overmask", "rules"])
@pytest.mark.parametrize("kind", KINDS)
def test_nearly_all_that_is_planted_is_found(
    shipped: tuple[Corpus, dict[str, Anonymization]], kind: str, name: str
) -> None:
    corpus, masks = shipped[0], shipped[1][name]
    plants = list(planted(corpus, masks, kind))
    documents = [Document(str(number), one[0].text) for number, one in enumerate(plants)]
    hidden = Anonymization({str(number): one[1] for number, one in enumerate(plants)})
    texts = hidden.texts(Corpus(documents))
    seen = {"scan": 0, "residual": 0}
    run = evaluate(Corpus(documents), {"a": hidden}, ["residual"], resamples=0, references=False)
    finds = scan(texts, [parse_detector("patterns")]).sightings
    for number, (_, _, place, value) in enumerate(plants):
        key = str(number)
        cue = CUE.match(value)  # of a titled name the title, of a case number what announces it
        core = value[cue.end() :] if cue else value
        here = {one.text for one in finds if one.document == key and one.entity_type == kind}
        seen["scan"] += any(core in text for text in here)
        evidence = run.evidence["residual"]["a"].get(key)
        places = evidence.places if evidence else []
        end = place + len(value)
        low = end - len(core)
        seen["residual"] += any(
            one.entity_type == kind and one.original[0] <= low and one.original[1] >= end for one in places
        )
    shares = {by: count / len(plants) for by, count in seen.items()}
    print(f"{kind} in {name}: " + ", ".join(f"{by} {share:.1%}" for by, share in shares.items()))
    assert min(shares.values()) >= 0.95


@pytest.mark.parametrize("mark", ["[{}]", "<{}_1>", "{}", "***", "XXXX", ""])
def test_nothing_is_found_where_all_that_is_found_is_masked(
    shipped: tuple[Corpus, dict[str, Anonymization]], mark: str
) -> None:
    """Everything marked or found is replaced, title or not: what is left and what was written give no find."""
    corpus, masks = shipped[0], {}
    for document in corpus:
        (finds,) = parse_detector("patterns").find([document.text])
        marks = [mention for annotation in document.annotations for mention in annotation.mentions]
        spans = [(*find.telling, find.entity_type) for find in finds]
        spans += [(mention.start, mention.end, mention.entity_type) for mention in marks]
        masks[document.id] = [Mask(start, end, mark.format(kind)) for start, end, kind in spans]
    hidden = Anonymization(masks)
    assert [
        (one.document, one.text) for one in scan(hidden.texts(corpus), [parse_detector("patterns")]).sightings
    ] == []
    run = evaluate(corpus, {"a": hidden}, ["residual"], resamples=0)
    assert run["a", "residual"].value == 0
    assert run["nothing masked", "residual"].value > 20  # type: ignore[operator]
