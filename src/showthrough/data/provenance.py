"""How an anonymization was made: by what, of which texts, and what it cost."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec

from showthrough.data.documents import Document
from showthrough.storage.columns.strings import digest_of_all, digest_of_bytes, sorted_digests

Number = TypeVar("Number", int, float)


class Cost(msgspec.Struct, frozen=True):
    """What anonymizing took."""

    seconds: Annotated[float, "that finding and replacing took, all processes together, without loading"]
    documents: Annotated[int, "that were anonymized"]
    characters: Annotated[int, "of their texts"]
    loading: Annotated[float, "seconds until the first document could be read"] = 0.0
    peak_bytes: Annotated[int | None, "of memory, of the largest process; null: it had none of its own"] = None
    model_bytes: Annotated[int | None, "of the model's files; null: not known"] = None
    processes: Annotated[int, "that shared the work"] = 1
    device: Annotated[str, "where the model ran"] = "cpu"
    earlier: Annotated[int, "documents whose masks were kept from an earlier run, when this was measured"] = 0
    p50: Annotated[float | None, "seconds of a document, without loading: half take no longer; null: not measured"] = (
        None
    )
    p95: Annotated[float | None, "likewise, of 95 %"] = None
    timed: Annotated[str, "what was timed: document, or batch, whose time its documents share alike"] = ""
    tokens_in: Annotated[
        int | None, "that language models were sent, of recorded answers too; null: none was asked"
    ] = None
    tokens_out: Annotated[int | None, "that they answered"] = None
    dollars: Annotated[float | None, "what these tokens cost; null: nobody knows, or none was asked"] = None
    joules: Annotated[
        float | None, "of the machine's processors while it worked, with all their other work; null: see why"
    ] = None
    no_joules: Annotated[str, "why the energy is not known"] = ""

    @property
    def rate(self) -> float | None:
        """Documents a second in one process; `None` where the clock did not move."""
        return self.documents / self.seconds if self.seconds > 0 else None


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """What an anonymization says of itself."""

    anonymizer: Annotated[str, "as it is written on the command line"]
    version: Annotated[int, "rises whenever a mask could change"]
    parameters: Annotated[dict[str, Any], "all of them, defaults too"] = {}
    pinned: Annotated[dict[str, str], "the revisions of its models and programs"] = {}
    replacement: Annotated[str, "what is written in place of what is masked"] = "label"
    threshold: Annotated[float | None, "masks with a lower score were left out"] = None
    texts: Annotated[str, "digest of the documents' ids and texts"] = ""
    trained_on: Annotated[str, "the corpus that it was trained on, with its digest"] = ""
    seen: Annotated[int, "documents among them whose text it was trained on"] = 0
    showthrough: Annotated[str, "version of the program"] = ""
    time: Annotated[str, "when it was made"] = ""
    cost: Annotated[Cost | None, "what it took"] = None
    counts: Annotated[dict[str, int], "what a language model's answers came to, such as quotes that were dropped"] = {}


# What is counted of a language model that anonymizes.
QUOTES, INVENTED, UNUSABLE = "quotes", "quotes that are not in the text", "documents without a usable answer"
TOKENS_IN, TOKENS_OUT, UNPRICED = "tokens sent", "tokens answered", "tokens without a price"
MILLIONTHS = "millionths of a dollar"
# What is counted of an attacker that repairs.
REPAIR = "repair"
READ = "documents that the repairing attacker read"
UNANSWERED = "readings that the repairing attacker did not answer"
UNLOCATED = "inferences that the repairing attacker has no words for"
_INFERRED, _ADDED = "inferred after round", "masks added in round"


def inferred_after(number: int) -> str:
    """The name of what an attacker infers after so many rounds of repair; 0 is before the first."""
    return f"{_INFERRED} {number}"


def added_in(number: int) -> str:
    """The name of the masks that a round of repair added."""
    return f"{_ADDED} {number}"


def repairing_attackers(provenance: Provenance) -> list[str]:
    """Those that repaired an anonymization or a part of it, by name."""
    pins = provenance.pinned.items()
    return list(dict.fromkeys(value for key, value in pins if key == REPAIR or key.endswith(f": {REPAIR}")))


def _describe_repair(counts: Mapping[str, int]) -> Iterator[str]:
    rounds = [int(key.rpartition(" ")[2]) for key in counts if key.startswith((_INFERRED, _ADDED))]
    if counts.get(READ, 0) or rounds:
        risks = [f"{counts.get(inferred_after(number), 0):,}" for number in range(max(rounds, default=0) + 1)]
        after = "".join(f", {risk} after round {number}" for number, risk in enumerate(risks[1:], 1))
        added = sum(count for key, count in counts.items() if key.startswith(_ADDED))
        yield f"what the repairing attacker infers: {risks[0]} before repair{after}; masks added: {added:,}"
    if unanswered := counts.get(UNANSWERED, 0):
        yield f"the repairing attacker did not answer {unanswered:,} times, and what it would infer there is not known"
    if unlocated := counts.get(UNLOCATED, 0):
        yield f"{unlocated:,} of its inferences in the end rest on no words that could be masked"


def describe_counts(counts: Mapping[str, int]) -> str:
    """What a reader must know of them.

    >>> describe_counts({QUOTES: 40, INVENTED: 3, UNUSABLE: 0})
    'of 40 quotes, 3 are not in the text and were dropped'
    >>> describe_counts({inferred_after(0): 9, added_in(1): 12, inferred_after(1): 2, added_in(2): 1})
    'what the repairing attacker infers: 9 before repair, 2 after round 1, 0 after round 2; masks added: 13'
    >>> describe_counts({READ: 3})
    'what the repairing attacker infers: 0 before repair; masks added: 0'
    """
    lines = []
    if invented := counts.get(INVENTED, 0):
        lines.append(f"of {counts.get(QUOTES, 0):,} quotes, {invented:,} are not in the text and were dropped")
    if unusable := counts.get(UNUSABLE, 0):
        documents = "1 document has" if unusable == 1 else f"{unusable:,} documents have"
        lines.append(f"{documents} text without a usable answer, which stays as it is")
    return "; ".join([*lines, *_describe_repair(counts)])


def text_digest(text: str) -> str:
    """Of one text, by which a trained model knows a document again."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def texts_digest(documents: Iterable[Document]) -> str:
    """Of ids and texts, in whatever order; annotations have no part in it."""
    digests = bytearray()
    for document in documents:
        digests += digest_of_bytes(msgspec.json.encode((document.id, text_digest(document.text))))
    return digest_of_all(sorted_digests(digests))


def joined_provenance(parts: Sequence[Provenance | None]) -> Provenance | None:
    """How several files of one anonymization were made, where they were made alike; of which texts is not told."""
    known_parts = [part for part in parts if part is not None]
    alike = {msgspec.json.encode(_settings(part)) for part in known_parts}
    if len(known_parts) < len(parts) or len(alike) != 1:
        return None
    costs = [part.cost for part in known_parts]
    cost = _joined_cost([part_cost for part_cost in costs if part_cost is not None]) if all(costs) else None
    counts: Counter[str] = Counter()
    for part in known_parts:
        counts.update(part.counts)
    seen = sum(part.seen for part in known_parts)
    return msgspec.structs.replace(known_parts[-1], texts="", seen=seen, cost=cost, counts=dict(sorted(counts.items())))


def _settings(part: Provenance) -> Provenance:
    return msgspec.structs.replace(part, texts="", seen=0, showthrough="", time="", cost=None, counts={})


def _joined_cost(parts: Sequence[Cost]) -> Cost:
    sizes = [part.peak_bytes for part in parts if part.peak_bytes is not None]
    return msgspec.structs.replace(
        parts[0],
        seconds=sum(part.seconds for part in parts),
        documents=sum(part.documents for part in parts),
        characters=sum(part.characters for part in parts),
        loading=sum(part.loading for part in parts),
        earlier=sum(part.earlier for part in parts),
        peak_bytes=max(sizes, default=None),
        p50=None,  # of files apart nobody can tell what half of all take
        p95=None,
        timed="",
        tokens_in=_sum_numbers([part.tokens_in for part in parts]),
        tokens_out=_sum_numbers([part.tokens_out for part in parts]),
        dollars=_sum_numbers([part.dollars for part in parts]),
        joules=_sum_numbers([part.joules for part in parts]),
        no_joules=next((part.no_joules for part in parts if part.no_joules), ""),
    )


def _sum_numbers(values: Sequence[Number | None]) -> Number | None:
    """The sum of numbers; `None` where one is not known."""
    numbers = [value for value in values if value is not None]
    return sum(numbers[1:], numbers[0]) if numbers and len(numbers) == len(values) else None
