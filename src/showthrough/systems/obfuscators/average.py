"""Moves what can be measured of a text's style towards the average of a corpus (Karadzhov et al. 2017; PAN 2016, C)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import ClassVar

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.overlap import GLASGOW
from showthrough.systems.base import BaseAnonymizer
from showthrough.systems.obfuscators._thesaurus import Thesaurus, frequency, thesaurus
from showthrough.systems.obfuscators._tokens import Token, like, masks_of, sentences_of, tokens_of


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Ways to say the same, of which an author prefers some.
_SAME = """
    cannot/can't/can not|will not/won't|let us/let's|although/though|until/till|toward/towards|while/whilst
    among/amongst|maybe/perhaps|therefore/thus/hence|often/frequently|big/large|start/begin|almost/nearly|whole/entire
    for example/for instance|everyone/everybody|someone/somebody|anyone/anybody|no one/nobody|ok/okay
    all right/alright|besides/moreover/furthermore|however/nevertheless|quite/rather/fairly|a lot of/many
    colour/color|favour/favor|favourite/favorite|honour/honor|behaviour/behavior|neighbour/neighbor|realise/realize
    recognise/recognize|grey/gray|centre/center|mum/mom|kids/children|show/demonstrate|buy/purchase|main/chief
    hard/difficult|quick/fast|happy/glad
"""
_NOT = _words("do does did is are was were have has had would should could must")
_SHORT_VERBS = {
    "am": ("'m", "i"), "are": ("'re", "you we they"), "is": ("'s", "it he she that there what"),
    "have": ("'ve", "i you we they"), "will": ("'ll", "i you we he she it they"),
}  # fmt: skip
_THAT = tuple(
    product(_words("think thought know knew believe said say hope feel felt"), _words("i you he she it we they"))
)
_STRENGTHEN = frozenset(_words("""
    very really extremely truly absolutely totally completely actually basically literally simply just definitely
    certainly obviously clearly highly incredibly perfectly entirely
"""))  # fmt: skip
_PERFECT = re.compile(r"been|got|had|become|gone|done|\w+ed")  # behind which 's is `has`
_SUBJECTS = frozenset(_words("i you he she it we they the this that these those there his her my our their a an"))
_JOINING = frozenset(_words("and but so or"))
_COMMA_BEFORE = _JOINING | frozenset(_words("because which although while when"))
_INSTEAD = {
    "!": ".",
    ";": ",",
    ":": ",",
    "—": ",",
    "–": ",",
    "--": ",",
    "…": ".",
    "...": ".",
    "(": ",",
    ")": ",",
    ",": "",
}
_LEAST = 4  # words of each half of a sentence that is split
_WINDOW = 100  # words in which different ones are counted
_CAPITALS = 4  # letters of a word in capitals that is no abbreviation


@lru_cache(maxsize=1)
def _variants() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Every way to say something, by its words, with all ways to say it."""
    groups = [group.split("/") for line in _SAME.strip().split("\n") for group in line.strip().split("|")]
    groups += [[f"{verb} not", f"{verb}n't"] for verb in _NOT]
    groups += [[f"{who} {verb}", who + short] for verb, (short, whom) in _SHORT_VERBS.items() for who in whom.split()]
    groups += [[f"{verb} that {who}", f"{verb} {who}"] for verb, who in _THAT]
    ways: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for group in groups:
        split = tuple(tuple(way.split()) for way in group)
        ways |= {way: split for way in split if way not in ways}
    return ways


@dataclass(frozen=True)
class Style:
    """What is measured: a rate is per word."""

    sentence: float  # words
    signs: dict[str, float]
    capitals: float
    strengthening: float
    variety: float  # different words among a hundred
    ways: Counter[tuple[str, ...]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Style:
        """Of all texts as one, each of them as long as it is."""
        words = sentences = capitals = strengthening = windows = 0
        variety = 0.0
        signs: Counter[str] = Counter()
        ways: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            tokens = tokens_of(text)
            spoken = [token.text for token in tokens if token.is_word]
            words += len(spoken)
            sentences += len(sentences_of(tokens))
            capitals += sum(map(_is_capitals, spoken))
            strengthening += sum(word.lower() in _STRENGTHEN for word in spoken)
            signs.update(token.text for token in tokens if token.text in _INSTEAD)
            parts = _windows(spoken)
            variety, windows = variety + sum(parts), windows + len(parts)
            ways.update(way for way, _ in _find_ways(tokens))
        rate = 1 / max(words, 1)
        return cls(
            words / max(sentences, 1), {sign: signs[sign] * rate for sign in _INSTEAD}, capitals * rate,
            strengthening * rate, variety / max(windows, 1), ways,
        )  # fmt: skip


def _is_capitals(word: str) -> bool:
    return len(word) >= _CAPITALS and word.isupper() and word.isalpha()


def _windows(words: Sequence[str]) -> list[float]:
    folded = [word.lower() for word in words]
    parts = [folded[first : first + _WINDOW] for first in range(0, len(folded) - _WINDOW + 1, _WINDOW)]
    return [len(set(part)) for part in parts]


def _find_ways(tokens: Sequence[Token]) -> list[tuple[tuple[str, ...], tuple[int, int]]]:
    """Each way to say something that stands in a text, and between which tokens; the longest first."""
    ways, longest = _variants(), 3
    result, at = [], 0
    while at < len(tokens):
        step = 1
        for count in range(longest, 0, -1):
            run = tokens[at : at + 2 * count - 1]
            if len(run) < 2 * count - 1 or any(token.text != " " for token in run[1::2]):
                continue
            way = tuple(token.text.lower().replace("’", "'") for token in run[::2])
            if way in ways and not (
                way[-1].endswith("'s") and _PERFECT.fullmatch(_word_after(tokens, at + 2 * count - 1))
            ):
                result.append((way, (at, at + 2 * count - 1)))
                step = 2 * count - 1
                break
        at += step
    return result


def _word_after(tokens: Sequence[Token], at: int) -> str:
    return next((token.text.lower() for token in tokens[at : at + 2] if token.is_word), "")


@dataclass(frozen=True)
class Average(BaseAnonymizer):
    """Writes texts anew so that their style comes nearer to the average of a corpus: who wrote them is harder to tell.

    Rules move the length of sentences, signs, words of grammar (contractions and other ways to say the same), capitals,
    words that only strengthen others, and how many different words there are, with synonyms of WordNet. It hides nobody
    whom a text is about. English only.
    """

    kind: ClassVar[str] = "average"
    needs: ClassVar[str] = "showthrough[authors], WordNet, a corpus"
    version: ClassVar[int] = 2

    corpus: str = parameter("", "texts by many authors, whose average is aimed at: a corpus in any format")

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        style, words = self._style, thesaurus()
        return [_obfuscate(document.text, style, words) for document in documents]

    def prepare(self) -> None:
        _ = self._style
        thesaurus().ready()

    @property
    def pinned(self) -> dict[str, str]:
        return {"corpus": _read(self._path)[1], "wordnet": thesaurus().wordnet.revision}

    @property
    def _path(self) -> str:
        if not self.corpus:
            fault = (
                "does not know what is average; expected a corpus of texts by many authors, as in average:corpus.json"
            )
            raise PlanError(fault, f"anonymizer {self.kind}")
        return self.corpus

    @property
    def _style(self) -> Style:
        return _read(self._path)[0]


@lru_cache(maxsize=4)
def _read(path: str) -> tuple[Style, str]:
    """The style of a corpus, and its digest."""
    from showthrough.formats import read_corpus

    corpus = read_corpus(Path(path))
    author_texts = (document.authorship.known if document.authorship else () for document in corpus)
    texts = dict.fromkeys(
        text for document, others in zip(corpus, author_texts, strict=True) for text in (document.text, *others)
    )
    return Style.of(texts), corpus.digest


def _obfuscate(text: str, style: Style, words: Thesaurus) -> list[Mask]:
    tokens = tokens_of(text)
    _say_alike(tokens, style)
    count = sum(len(token.written.split()) for token in tokens if token.is_word)
    _vary(tokens, style, words)
    _weaken(tokens, style, count)
    _lower(tokens, style, count)
    _cut_sentences(tokens, style, count)
    _punctuate(tokens, style, count)
    return masks_of(tokens)


def spread(items: Sequence[int], count: int) -> list[int]:
    """So many of some items, evenly from beginning to end.

    >>> spread([1, 2, 3, 4, 5, 6], 2), spread([1], 3)
    ([2, 5], [1])
    """
    count = min(max(count, 0), len(items))
    return [items[int((number + 0.5) * len(items) / count)] for number in range(count)]


def _say_alike(tokens: list[Token], style: Style) -> None:
    """Ways to say the same are as frequent as on average; where there is one place, the most frequent way stands."""
    places: dict[tuple[tuple[str, ...], ...], list[tuple[tuple[str, ...], tuple[int, int]]]] = {}
    for way, span in _find_ways(tokens):
        places.setdefault(_variants()[way], []).append((way, span))
    for ways, spans in places.items():
        total = sum(style.ways[way] for way in ways)
        if not total:
            continue
        left = {way: style.ways[way] / total * len(spans) for way in ways}
        for way, (first, last) in spans:
            chosen = max(left, key=lambda item: left[item])
            left[chosen] -= 1
            if chosen != way:
                tokens[first].written = like(" ".join(chosen), tokens[first].text)
                for token in tokens[first + 1 : last]:
                    token.written = ""
    for token in tokens:
        if token.written == "’":
            token.written = "'"


def _vary(tokens: list[Token], style: Style, words: Thesaurus) -> None:
    """With too many different words, rare ones become more frequent ones; with too few, each second one another."""
    spoken = [token.text for token in tokens if token.is_word]
    own = _windows(spoken)
    if not own:
        return
    surplus = (sum(own) / len(own) - style.variety) / _WINDOW * len(spoken)
    candidates = [
        token for token in tokens
        if token.is_word and not token.changed and not token.text[:1].isupper() and words.synonyms(token.text)
    ]  # fmt: skip
    if surplus > 0:
        rare = sorted(candidates, key=lambda token: (frequency(token.text), token.start))
        chosen = [token for token in rare if frequency(words.synonyms(token.text)[0]) > frequency(token.text)]
    else:
        seen: Counter[str] = Counter()
        chosen = []
        for token in candidates:
            seen[token.text] += 1
            if seen[token.text] % 2 == 0:
                chosen.append(token)
    for token in chosen[: round(abs(surplus))]:
        token.written = words.synonyms(token.text)[0]


def _weaken(tokens: list[Token], style: Style, count: int) -> None:
    """Words that only strengthen others go, as far as there are too many."""
    places = [at for at, token in enumerate(tokens) if not token.changed and token.text in _STRENGTHEN]
    places = [at for at in places if at + 2 < len(tokens) and tokens[at + 1].text == " " and tokens[at + 2].is_word]
    for at in spread(places, len(places) - round(style.strengthening * count)):
        tokens[at].written = tokens[at + 1].written = ""


def _lower(tokens: list[Token], style: Style, count: int) -> None:
    """Words in capitals are written small, as far as there are too many and they are no abbreviations.

    Such are words of grammar, and those that the text has in small letters too.
    """
    small = GLASGOW | {token.text for token in tokens}
    places = [at for at, token in enumerate(tokens) if not token.changed and _is_capitals(token.text)]
    places = [at for at in places if tokens[at].text.lower() in small]
    for at in spread(places, len(places) - round(style.capitals * count)):
        tokens[at].written = tokens[at].text.lower()


def _cut_sentences(tokens: list[Token], style: Style, count: int) -> None:
    """Sentences are split, the longest first, or joined, the shortest first, until they are as long as on average."""
    bounds = sentences_of(tokens)
    lengths = [sum(token.is_word for token in tokens[low:high]) for low, high in bounds]
    lacking = round(count / style.sentence) - len(bounds) if style.sentence else 0
    if lacking > 0:
        places = [(-length, at) for (low, high), length in zip(bounds, lengths, strict=True)
                  if (at := _split_index(tokens, low, high))]  # fmt: skip
        for _, at in sorted(places)[:lacking]:
            _split(tokens, at)
        return
    taken: set[int] = set()
    pairs = sorted((lengths[at] + lengths[at + 1], at) for at in range(len(bounds) - 1))
    for _, at in pairs:
        if lacking < 0 and not taken & {at, at + 1} and _join(tokens, bounds[at], bounds[at + 1]):
            taken |= {at, at + 1}
            lacking += 1


def _split_index(tokens: Sequence[Token], low: int, high: int) -> int:
    """The comma or semicolon nearest to the middle behind which another clause begins; 0 where there is none."""
    places = []
    for at in range(low + 1, high - 4):
        joined = tokens[at].text == "," and tokens[at + 2].text in _JOINING and tokens[at + 4].text.lower() in _SUBJECTS
        if (
            (joined or tokens[at].text == ";")
            and tokens[at + 1].text == " "
            and not any(token.changed for token in tokens[at : at + 5])
        ):
            before, behind = (sum(token.is_word for token in part) for part in (tokens[low:at], tokens[at:high]))
            if min(before, behind) >= _LEAST:
                places.append((abs(before - behind), at))
    return min(places)[1] if places else 0


def _split(tokens: list[Token], at: int) -> None:
    tokens[at].written = "."
    first = at + 2
    if tokens[first].text == "and":
        tokens[first].written = tokens[first + 1].written = ""
        first += 2
    tokens[first].written = tokens[first].text[:1].upper() + tokens[first].text[1:]


def _join(tokens: list[Token], left: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether a sentence could be joined to the one before: it ends with a full stop, and words of grammar follow."""
    end, gap = left[1] - 1, other[0]
    if tokens[end].text != "." or tokens[end].changed or tokens[gap].text != " " or gap != left[1]:
        return False
    first = tokens[gap + 1]
    if first.changed or not first.is_word or first.text.lower() not in GLASGOW or first.text.lower() in _JOINING:
        return False
    tokens[end].written, tokens[gap].written = ",", " and "
    if first.text != "I":
        first.written = first.text[:1].lower() + first.text[1:]
    return True


def _punctuate(tokens: list[Token], style: Style, count: int) -> None:
    """Signs that are more frequent than on average become others or go; commas come before words that join."""
    for sign, instead in _INSTEAD.items():
        places = [at for at, token in enumerate(tokens) if token.written == sign and _may_change(tokens, at)]
        for at in spread(places, len(places) - round(style.signs[sign] * count)):
            tokens[at].written = instead
            if instead == "," and sign in "—–--(" and at:
                if tokens[at - 1].written == " ":
                    tokens[at - 1].written = ""
                tokens[at].written = ", " if tokens[at + 1].is_word else ","
    lacking = round(style.signs[","] * count) - sum(token.written.count(",") for token in tokens)
    places = [
        at for at in range(1, len(tokens) - 1)
        if tokens[at].written == " " and tokens[at - 1].is_word and tokens[at + 1].written in _COMMA_BEFORE
        and tokens[at - 1].written
    ]  # fmt: skip
    for at in spread(places, lacking):
        tokens[at].written = ", "


def _may_change(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sign ends a word and is no part of a number, a time or a face."""
    before, behind = (tokens[index].text if 0 <= index < len(tokens) else " " for index in (at - 1, at + 1))
    if tokens[at].text == "(":
        follows = at > 1 and tokens[at - 2].text[-1].isalnum()  # a comma goes behind a word alone
        return before.isspace() and follows and behind[0].isalnum()
    if tokens[at].text in ("—", "–", "--"):
        return not before.isdigit() and at + 1 < len(tokens)
    if tokens[at].text == ":" and "\n" in behind:
        return False
    return (before[-1].isalnum() or before in "\"'”’)") and (behind.isspace() or behind in "\"'”’.,;")
