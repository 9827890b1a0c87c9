"""CoNLL-U: one token a line in ten columns, with named entities in the last, MISC.

Read are tags (`NER=B-PER`; also `NE=` and `name=`), or else the brackets of CorefUD, which also say what is the same
entity (`Entity=(e1-person-1(e2-place-1)`). What stands between tokens is said by `# text`, `SpaceAfter=No` and, in the
manner of UDPipe, `SpacesAfter` and `SpacesBefore`. See https://universaldependencies.org/format.html and
https://ufal.mff.cuni.cz/corefud.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from showthrough.core.errors import InputError, quote_value, shorten
from showthrough.data.documents import Document, Mention
from showthrough.data.levels import by_type
from showthrough.formats.annotation_tools._conllu_records import (
    TAG_KEYS,
    ConlluRecord,
    ConlluSentence,
    Slice,
    TokenLines,
    pairs,
    record_of,
    slices_of,
)
from showthrough.formats.annotation_tools._tags import EXPECTED, Token, locate_tokens, parse_tag, runs, tag_tokens
from showthrough.formats.base import Files, Format, Input, unlike, unwritable
from showthrough.formats.clinical.phi import build_document, fit, masks_from
from showthrough.storage.reading import collect_results, fail

ENDINGS = (".conllu",)
_KEYS = {*TAG_KEYS, "Entity"}
_BRACKET = re.compile(r"\(([^()]*)(\)?)|([^()]+)\)")
_PIECE = re.compile(r"\[\d+/\d+\]")  # of a mention in several pieces: which of them
_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_ESCAPED = re.compile(r"\\([strnp\\])")
_ESCAPING = str.maketrans({written: f"\\{sign}" for sign, written in _ESCAPES.items()})
_BREAK = re.compile(r"[\r\n\t]")
_JOINED = "what stood between its sentences is not in the file: a line feed was taken"

Places = list[tuple[int, int]]


def read(file: Input) -> list[Document]:
    """All records of a file or of a folder's files; a system's output need not say what is between tokens."""
    files = file.head.files(ENDINGS)
    if not files:
        raise fail(file.path, f"holds no file that ends in {', '.join(ENDINGS)}")
    misc_values: set[str] = set()
    slices = [cut for cuts in collect_results(files, lambda path: slices_of(path, misc_values)) for cut in cuts]
    reader = _Reader(file, _locate_marks(slices, misc_values))
    documents = collect_results(slices, lambda cut: reader.document(record_of(cut)))
    file.remarks.others += reader.notes
    return documents


@dataclass(frozen=True)
class _Marks:
    """Where the marks of a file are."""

    tags: str  # their key; empty where there are none
    explicit: bool  # whether O is written: then a document without any tag is one that nobody looked at
    brackets: bool
    aside: list[str]  # keys of others that are not read


def _locate_marks(slices: Sequence[Slice], misc_values: Iterable[str]) -> _Marks:
    """Told by what is said in the last columns, whatever the line."""
    values: dict[str, set[str]] = {}
    for misc in map(pairs, misc_values):
        for key in misc.keys() & _KEYS:
            values.setdefault(key, set()).add(misc[key])
    # A name may be anything: it is a tag only where all are.
    tag_keys = [key for key in TAG_KEYS if key in values and (key != "NAME" or all(map(parse_tag, values[key])))]
    brackets = "Entity" in values
    tags = tag_keys[0] if tag_keys else ""
    aside = [*tag_keys[1:], *(["Entity"] if brackets and tags else [])]
    return _Marks(tags, "O" in values.get(tags, ()), brackets or any(cut.order for cut in slices), aside)


@dataclass
class _Reader:
    """Documents of records."""

    file: Input
    marks: _Marks
    joined: bool = False
    unwritten: int = 0  # marks of words that are not written

    @property
    def notes(self) -> Iterator[str]:
        if self.joined:
            yield _JOINED
        if self.marks.aside:
            aside = ", ".join(f"{key}=" for key in self.marks.aside)
            yield f"its tags ({self.marks.tags}=) are the marks; left aside: {aside}"
        if self.unwritten:
            yield f"marks of words that are not written (empty nodes) are left aside: {self.unwritten}"

    def document(self, record: ConlluRecord) -> Document:
        original = self.file.originals.get(record.id)
        text, positions = (
            self._lay_out_record(record) if original is None else (original, _place_in_original(record, original))
        )
        marks = self.marks
        if not (marks.tags or marks.brackets) or (marks.explicit and not record.has(marks.tags)):
            return Document(record.id, text)
        everywhere = _add_unwritten(record, positions)
        return build_document(
            record.id, text, (self._tagged_mentions if marks.tags else self._bracketed_mentions)(record, everywhere)
        )

    def _lay_out_record(self, record: ConlluRecord) -> tuple[str, Places]:
        """The text of a record as the file has it, and where its tokens stand."""
        text = ""
        positions: Places = []
        for sentence in record.sentences:
            final = sentence is record.sentences[-1]
            sentence_text, token_positions = self._lay_out_sentence(record, sentence, "" if final else "\n")
            positions += [(len(text) + start, len(text) + end) for start, end in token_positions]
            text += sentence_text
        return text, positions

    def _lay_out_sentence(self, record: ConlluRecord, sentence: ConlluSentence, usual: str) -> tuple[str, Places]:
        """A sentence with what follows it, and where its tokens stand in that."""
        tokens = sentence.written_tokens
        exact = any("SpacesAfter" in token.misc or "SpacesBefore" in token.misc for token in tokens)
        if sentence.text is not None and not exact:
            text_positions = _place_tokens(record, tokens, sentence.text, "# text")
            return sentence.text + (self._spaces_after(tokens[-1], usual) if tokens else ""), text_positions
        pieces: list[str] = []
        positions: Places = []
        length = 0
        for token in tokens:
            before = _unescape(token.misc["SpacesBefore"]) if "SpacesBefore" in token.misc else ""
            after = self._spaces_after(token, usual if token is tokens[-1] else " ")
            positions.append((length + len(before), length + len(before) + len(token.form)))
            pieces += (before, token.form, after)
            length = positions[-1][1] + len(after)
        joined_tokens = "".join(pieces)
        if sentence.text is not None and "".join(joined_tokens.split()) != "".join(sentence.text.split()):
            raise record.fault(sentence.line, unlike("of the tokens", joined_tokens, "# text is", sentence.text))
        return joined_tokens, positions

    def _spaces_after(self, token: TokenLines, usual: str) -> str:
        if "SpacesAfter" in token.misc:
            return _unescape(token.misc["SpacesAfter"])
        if token.misc.get("SpaceAfter") == "No":
            return ""
        self.joined |= usual == "\n"
        return usual

    def _tagged_mentions(self, record: ConlluRecord, positions: Places) -> Iterator[Mention]:
        before = 0
        for sentence in record.sentences:
            tags: list[tuple[int, str, int]] = []  # line, tag, and the number of the token
            for number, token in enumerate(sentence.tokens, before):
                line, tag = token.line, token.misc.get(self.marks.tags, "O")
                if token.words:
                    line, tag = next(
                        (value for value in token.of(self.marks.tags) if value[1] != "O"), (token.line, "O")
                    )
                if token.form:
                    tags.append((line, tag, number))
                else:
                    self.unwritten += tag != "O"
            before += len(sentence.tokens)

            def wrong(number: int, tags: list[tuple[int, str, int]] = tags) -> InputError:
                line, tag, _ = tags[number]
                return record.fault(line, f"found {self.marks.tags}={shorten(tag)}; expected {EXPECTED}")

            for first, after, entity_type in runs([tag for _, tag, _ in tags], wrong):
                yield by_type(positions[tags[first][2]][0], positions[tags[after - 1][2]][1], entity_type)

    def _bracketed_mentions(self, record: ConlluRecord, positions: Places) -> list[Mention]:
        open_: dict[str, list[tuple[int, int, str]]] = {}  # by name: line, start and type
        mentions = []
        tokens = chain.from_iterable(sentence.tokens for sentence in record.sentences)
        for token, (start, end) in zip(tokens, positions, strict=True):
            for line, brackets in token.of("Entity"):
                for inside, alone, closed in _BRACKET.findall(brackets):
                    name = closed.partition("-")[0]
                    if not closed:
                        name, entity_type = _parse_bracket(record, inside)
                        open_.setdefault(name, []).append((line, start, entity_type))
                    if not (alone or closed):
                        continue
                    if not open_.get(name):
                        raise record.fault(line, f"closes {quote_value(name)}, which is not open")
                    _, first, entity_type = open_[name].pop()
                    if first < end:
                        mentions.append(by_type(first, end, entity_type, _PIECE.sub("", name)))
                    else:
                        self.unwritten += 1
        for name, (line, _, _) in ((name, opening) for name, openings in open_.items() for opening in openings):
            raise record.fault(line, f"opens {quote_value(name)}, which nothing closes")
        return sorted(mentions, key=lambda opening: (opening.start, opening.end))


def _parse_bracket(record: ConlluRecord, inside: str) -> tuple[str, str]:
    """The name of what a bracket opens, and its type."""
    values = inside.split("-")
    type_index = record.order.index("etype") if "etype" in record.order else 1
    return values[0], values[type_index] if type_index < len(values) else ""


def _place_tokens(record: ConlluRecord, tokens: Sequence[TokenLines], text: str, where: str) -> Places:
    def wrong(number: int, at: int) -> InputError:
        token = tokens[number]
        covered = text[at : at + len(token.form)]
        return record.fault(token.line, unlike(f"({where}) at {at}", covered, "the token is", token.form))

    return locate_tokens([token.form for token in tokens], text, wrong)


def _place_in_original(record: ConlluRecord, text: str) -> Places:
    return _place_tokens(
        record, [token for sentence in record.sentences for token in sentence.written_tokens], text, "the corpus's"
    )


def _add_unwritten(record: ConlluRecord, positions: Places) -> Places:
    """The places of all tokens. One that is not written starts where the next starts and ends where the last ended, so
    that marks that begin or end with it have what is written of them.
    """
    written = [bool(token.form) for sentence in record.sentences for token in sentence.tokens]
    if all(written):
        return positions
    remaining = iter(positions)
    all_positions = [next(remaining) if is_written else (-1, -1) for is_written in written]
    end = 0
    for number, (_, stop) in enumerate(all_positions):
        end = stop if written[number] else end
        all_positions[number] = all_positions[number] if written[number] else (-1, end)
    start = positions[-1][1] if positions else 0
    for number in reversed(range(len(all_positions))):
        start = all_positions[number][0] if written[number] else start
        all_positions[number] = start, all_positions[number][1]
    return all_positions


def _unescape(value: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES[match[1]], value)


def write(documents: Iterable[Document]) -> Files:
    """All records as one file, with tags under NER."""
    return {"": "".join(f"{line}\n" for document in documents for line in _format_lines(document)).encode()}


def _format_lines(document: Document) -> Iterator[str]:
    text, tokens = document.text, list(tag_tokens(document))
    if not tokens:
        raise unwritable(document, "has no word, and this format holds nothing else")
    if document.id != document.id.strip() or re.search(r"[\r\n]", document.id):
        raise unwritable(document, f"its id {quote_value(document.id)} has a line end or a space at an end")
    yield f"# newdoc id = {document.id}"
    starts = [0]
    for number, token in enumerate(tokens[1:], 1):
        if "\n" in text[tokens[number - 1].end : token.start] and not token.tag.startswith("I"):
            starts.append(number)
    for sentence, (low, high) in enumerate(zip(starts, [*starts[1:], len(tokens)], strict=True), 1):
        sentence_text = _BREAK.sub(" ", text[tokens[low].start : tokens[high - 1].end])
        yield f"# sent_id = {sentence}"
        yield f"# text = {sentence_text}"
        for number in range(low, high):
            token = tokens[number]
            after = text[token.end : tokens[number + 1].start] if number + 1 < len(tokens) else text[token.end :]
            misc = "|".join(
                _misc_values(document, token, text[: token.start] if number == 0 else "", after, number < high - 1)
            )
            yield "\t".join([str(number - low + 1), text[token.start : token.end], *["_"] * 7, misc or "_"])
        yield ""


def _misc_values(document: Document, token: Token, before: str, after: str, within: bool) -> Iterator[str]:
    """What the last column says: the tag, and what stands around the token; `within` a sentence a space is usual."""
    if re.search(r"[\s|]", token.tag):
        raise unwritable(
            document, f"the type {quote_value(token.tag[2:])} has a space or |, which a tag here cannot have"
        )
    if document.annotations:
        yield f"NER={token.tag}"
    if before:
        yield f"SpacesBefore={before.translate(_ESCAPING)}"
    if not after:
        yield "SpaceAfter=No"
    elif after != " " or not within:
        yield f"SpacesAfter={after.translate(_ESCAPING)}"


FORMAT = Format(
    "CoNLL-U: a token a line, tags (NER=) or brackets (Entity=) in MISC",
    *(ENDINGS, lambda head: fit(head, *ENDINGS), read, masks_from(read), write),
    in_folders=True,
)
