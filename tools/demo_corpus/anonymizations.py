"""Four anonymizers of different character, played with knowledge of where the marks are.

Each function takes a written document and gives masks as a real file would hold them: sometimes in descending
order, sometimes overlapping. The fifth anonymization of the demonstration comes from the rules anonymizer itself.
"""

from __future__ import annotations

import random
import re
from datetime import timedelta

from demo_corpus import lexicon
from demo_corpus.cast import date_forms
from demo_corpus.compose import Mark
from demo_corpus.write import Written
from showthrough.data.documents import Annotation
from showthrough.data.masks import Mask

_LABELS = {"PERSON": "PERSON", "LOC": "GPE", "ORG": "ORG", "DATETIME": "DATE", "DEM": "NORP", "QUANTITY": "QUANTITY",
           "CODE": "CARDINAL", "MISC": "WORK_OF_ART"}  # fmt: skip
_CAUGHT = {"PERSON": 0.96, "LOC": 0.9, "ORG": 0.85, "DATETIME": 0.93, "QUANTITY": 0.7, "CODE": 0.2, "MISC": 0.35}
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Judge) ")
_MISTAKEN = re.compile(r"\b(?:Registry|Chamber|Agent|President|Government|Bar|ECG|EEG|ST|Signed|Convention|Sundays?)\b")
_WORD = re.compile(r"\w+")


def ner(rng: random.Random, written: Written) -> list[Mask]:
    """A recogniser of named entities: sees names, places and dates, and nothing that is not one of them."""
    masks = []
    for mark in written.marks:
        words = written.text[mark.start : mark.end]
        start, end = mark.start, mark.end
        if mark.entity_type == "PERSON" and (title := _TITLE.match(words)):
            start += title.end()
        if rng.random() >= _chance(mark, words):
            continue
        if mark.entity_type == "PERSON" and " " in written.text[start:end] and rng.random() < 0.1:
            start += written.text[start:end].index(" ") + 1  # only the surname was recognised
        money = mark.entity_type == "QUANTITY" and mark.entity in {"sum", "costs", "award"}
        masks.append(Mask(start, end, "MONEY" if money else _LABELS[mark.entity_type]))
    for word in _MISTAKEN.finditer(written.text):
        if rng.random() < 0.4 and not any(mask.start < word.end() and word.start() < mask.end for mask in masks):
            masks.append(Mask(word.start(), word.end(), "ORG"))
    return sorted(masks, key=lambda mask: mask.start)


def _chance(mark: Mark, words: str) -> float:
    if mark.entity_type == "DEM":
        return 0.9 if mark.entity == "nation" else 0.0
    if mark.entity_type == "MISC" and " " in mark.entity:
        return 0.0  # an event, not a title
    if mark.entity_type == "PERSON" and words.islower():
        return 0.0
    if mark.entity_type == "PERSON" and (words.isupper() or not words.isascii()):
        return 0.6
    return _CAUGHT[mark.entity_type]


def overmask(rng: random.Random, written: Written) -> list[Mask]:
    """Suppresses whatever might matter: all that is marked, all figures and capitals, and many longer words."""
    text = written.text
    spans = [(mark.start, mark.end) for mark in written.marks if rng.random() < 0.95]
    for word in _WORD.finditer(text):
        telling = word[0][0].isupper() or word[0][0].isdigit() or (len(word[0]) >= 5 and rng.random() < 0.6)
        if telling:
            spans.append(word.span())
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip(" "):
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    masks = [Mask(start, end) for start, end in joined]
    # What two passes over a text leave behind: the second one found part of the first one's masks again.
    for start, end in rng.sample(joined, 2):
        masks.append(Mask(start + (end - start) // 2, min(len(text), end + 3)))
    return sorted(masks, key=lambda mask: -mask.start)


def annotator(rng: random.Random, written: Written, annotation: Annotation) -> list[Mask]:
    """What one annotator would hide, last mask first; codes leave nothing, other mentions their type."""
    masks = [
        Mask(mention.start, mention.end, None if mention.entity_type == "CODE" else mention.entity_type)
        for mention in annotation.mentions
        if mention.identifier != "NO_MASK"
    ]
    titled = [mask for mask in masks if _TITLE.match(written.text[mask.start : mask.end])]
    if titled and rng.random() < 0.3:
        first = titled[0]  # marked once with the title and once without it
        masks.append(Mask(written.text.index(" ", first.start) + 1, first.end, "PERSON"))
    return sorted(masks, key=lambda mask: (-mask.start, -mask.end))


def replaced(rng: random.Random, written: Written) -> list[Mask]:
    """Puts something believable in place of what identifies; stories and oddities are left as they are."""
    surrogates = _Surrogates(rng, written)
    masks = []
    for mark in written.marks:
        overlooked = mark.form == "lower" or (mark.identifier == "QUASI" and rng.random() < 0.04)
        if mark.identifier == "NO_MASK" or overlooked:
            continue
        words = written.text[mark.start : mark.end]
        if (replacement := surrogates.of(mark, words)) is not None:
            masks.append(Mask(mark.start, mark.end, replacement))
    return masks


class _Surrogates:
    """What stands for what in one document: the same name always for the same name."""

    def __init__(self, rng: random.Random, written: Written) -> None:
        self._rng = rng
        self._dates = written.person.dates
        self._shift = timedelta(rng.choice((-1, 1)) * rng.randrange(200, 1500))
        facts = written.person.facts
        self._job = facts["job"] if isinstance(facts["job"], str) else facts["job"].form("general")
        self._women = list(lexicon.OTHER_WOMEN)
        self._men = list(lexicon.OTHER_MEN)
        self._surnames = list(lexicon.OTHER_SURNAMES)
        for names in (self._women, self._men, self._surnames):
            rng.shuffle(names)
        self._names: dict[str, str] = {}

    def of(self, mark: Mark, words: str) -> str | None:
        if mark.entity_type == "PERSON":
            return " ".join(self._name(word) for word in words.split(" "))
        if mark.entity in self._dates:
            return date_forms(self._dates[mark.entity] + self._shift)["year" if words.isdigit() else mark.form]
        if mark.entity_type == "LOC":
            towns = {town.name: town.general for town in lexicon.TOWNS}
            return towns.get(words) or _PLACES[mark.entity]
        if mark.entity_type == "ORG":
            return _ORGANISATIONS.get(mark.entity, "organisation")
        if mark.entity == "job":
            return self._job
        if mark.entity == "nation":
            return "overseas" if words[0] in "AEIOU" else "foreign"  # the article before it stays
        if mark.entity == "age":
            return re.sub(r"\d+", lambda age: str(int(age[0]) + self._rng.choice((-3, -2, 2, 3))), words)
        if mark.entity_type == "CODE" and mark.entity in {"email", "site"}:
            return "contact@example.org"
        if mark.entity_type in {"CODE", "QUANTITY"}:
            return self._figures(words)
        return {"work": "“Untitled”", "prize": "regional prize", "boat": "Seagull", "species": "Saxifraga sp."}.get(
            mark.entity
        )

    def _name(self, word: str) -> str:
        bare = word.strip(",.")
        if bare in {"Mr", "Mrs", "Ms", "Dr", "Judge"}:
            return word
        if len(bare) == 1:
            return word.replace(bare, self._rng.choice("ABCDEFGH"))
        key = bare.casefold()
        if key not in self._names:
            women = {name.casefold() for name in (*lexicon.WOMEN, *(u[0] for u in lexicon.UNUSUAL if u[2] == "f"))}
            men = {name.casefold() for name in (*lexicon.MEN, *(u[0] for u in lexicon.UNUSUAL if u[2] == "m"))}
            pool = self._women if key in women else self._men if key in men else self._surnames
            self._names[key] = pool.pop()
        other = self._names[key]
        styled = other.upper() if bare.isupper() else other.lower() if bare.islower() else other
        return word.replace(bare, styled)

    def _figures(self, words: str) -> str:
        """Other figures in the same places. The first of a group stay: they make a number what it is."""
        head = words[: len(words) // 2 + 1]
        tail = re.sub(r"\d", lambda _: str(self._rng.randrange(10)), words[len(head) :])
        return head + tail


_PLACES = {"address": "an address in town", "peak": "local summit", "bridge": "local bridge"}
_ORGANISATIONS = {
    "employer": "local firm",
    "court": "competent court",
    "authority": "competent office",
    "police": "police",
    "hospital": "regional hospital",
    "school": "college",
    "paper": "local paper",
}
