"""Names of persons, replaced by common names of another origin.

All words of an entity become names of one origin, and a word becomes the same name everywhere in a document. The lists
hold names that are common where they come from: the Polish ones lead the national register (PESEL), the Turkish ones
the lists of the Turkish Statistical Institute, and the Chinese family names those of the Ministry of Public Security.
The others were chosen by hand. Nobody's name is guessed to have an origin: any name may become any of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from showthrough.studies.stress.carrying import Edit, Page, Word
from showthrough.systems.surrogates.dates import MONTHS
from showthrough.systems.surrogates.invention import match_capitals
from showthrough.systems.surrogates.wordlists import GIVEN, PARTICLES, TITLES

# By origin: given names, then family names.
_ORIGINS: dict[str, tuple[str, str]] = {
    "Polish": (
        "Anna Piotr Katarzyna Krzysztof Agnieszka Andrzej Małgorzata Tomasz Barbara Stanisław",
        "Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak",
    ),
    "Turkish": (
        "Mehmet Mustafa Ahmet Hüseyin Hasan Fatma Ayşe Emine Hatice Zeynep",
        "Yılmaz Kaya Demir Çelik Şahin Yıldız Yıldırım Öztürk Aydın Özdemir",
    ),
    "Chinese": (
        "Wei Fang Xiuying Min Jing Lei Qiang Juan Jun Yong",
        "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou",
    ),
    "Nigerian": (
        "Chinedu Ngozi Oluwaseun Adaeze Emeka Folake Babatunde Chioma Ifeanyi Temitope",
        "Okafor Adeyemi Okonkwo Adebayo Eze Balogun Nwosu Ogunleye Obi Afolabi",
    ),
    "Indian": (
        "Rajesh Priya Anjali Sanjay Lakshmi Arjun Deepak Sunita Vijay Kavita",
        "Patel Sharma Gupta Reddy Iyer Verma Nair Chatterjee Mehta Rao",
    ),
    "Arabic": (
        "Mohammed Fatima Khadija Yusuf Omar Aisha Khalid Layla Mahmoud Samira",
        "Haddad Khoury Mansour Hassan Ibrahim Nasser Saleh Aziz Hamdan Qasim",
    ),
    "Vietnamese": (
        "Minh Hương Linh Hùng Tuấn Thảo Dũng Hạnh Quang Mai",
        "Nguyễn Trần Phạm Hoàng Phan Vũ Đặng Bùi Đỗ Hồ",
    ),
}  # fmt: skip
_STAY = PARTICLES | TITLES | {*chain(*MONTHS)}  # a person may be called May, and so is a month


@dataclass
class _Person:
    """Words that belong to one name, and what they become."""

    origin: str
    names: dict[str, str] = field(default_factory=dict)


def other_names(page: Page, rate: float) -> Iterator[Edit]:
    """The names of persons where they are marked, and the same words elsewhere."""
    people = _people(page)
    for word in page.words():
        person = people.get(word.text.casefold())
        if person is None or not page.is_drawn(word.text, rate):
            continue
        yield word.edit(match_capitals(person.names[word.text.casefold()], word.text))


def _people(page: Page) -> dict[str, _Person]:
    """By word of a name, whose it is: the first mention that has a word, or shares its entity, decides."""
    by_word: dict[str, _Person] = {}
    by_entity: dict[tuple[str, str], _Person] = {}
    taken: set[str] = set()
    words = page.all_words
    for annotator, mention in sorted(page.marks, key=lambda mark: (mark[1].start, -mark[1].end)):
        own = [word for word in words if mention.start <= word.start and word.end <= mention.end and _is_name(word)]
        keys = [word.text.casefold() for word in own]
        person = next((by_word[key] for key in keys if key in by_word), None) or by_entity.get(
            (annotator, mention.entity_id)
        )
        if person is None and keys:
            person = _Person(page.random(f"origin {keys[0]}").choice(list(_ORIGINS)))
        if person is None:
            continue
        if mention.entity_id:
            by_entity[annotator, mention.entity_id] = person
        for number, key in enumerate(keys):
            if key not in by_word:
                is_given = key in GIVEN or (len(keys) > 1 and number < len(keys) - 1)
                names = _ORIGINS[person.origin][0 if is_given else 1].split()
                random = page.random(key)
                random.shuffle(names)
                free = [name for name in names if name not in taken and name.casefold() != key]
                person.names[key] = (free or names)[0]
                taken.add(person.names[key])
                by_word[key] = person
    return by_word


def _is_name(word: Word) -> bool:
    """Whether a word is a name in Latin letters: no initial, title, particle or month, and with a capital."""
    return (
        len(word.text) > 1
        and word.text.isalpha()
        and word.text[0].isupper()
        and word.text.casefold() not in _STAY
        and ord(word.text[0]) < 0x250
    )
