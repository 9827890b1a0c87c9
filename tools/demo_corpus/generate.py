"""Makes the files of the demonstration corpus: `python -m demo_corpus.generate FOLDER`."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from demo_corpus import annotators, anonymizations, cast, write
from demo_corpus.write import Written
from showthrough.data.documents import Annotation, Corpus, Document
from showthrough.data.masks import Mask
from showthrough.formats.benchmarks.tab import record
from showthrough.systems import anonymize
from showthrough.systems.rules import Rules

SEED = "showthrough demo 1"


def generate() -> dict[str, bytes]:
    """Every file by name. The same bytes each time."""
    # Each concern has a generator of its own, so that a change to one leaves the draws of the others alone.
    people, others = cast.people(_rng("cast"))
    written = write.documents(_rng("documents"), people)
    background = write.background(_rng("background"), written, others)
    marked = {document.person.id: _annotated(document) for document in written}
    corpus = Corpus([Document(d.person.id, d.text, marked[d.person.id]) for d in written], name="demo")
    masks: dict[str, Mapping[str, Sequence[Mask]]] = {
        "rules": anonymize(corpus, Rules()).masks,
        "ner": {d.person.id: anonymizations.ner(_rng("ner", d), d) for d in written},
        "overmask": {d.person.id: anonymizations.overmask(_rng("overmask", d), d) for d in written},
        "replace": {d.person.id: anonymizations.replaced(_rng("replace", d), d) for d in written},
        "annotator": {
            d.person.id: anonymizations.annotator(_rng("annotator", d), d, marked[d.person.id][0]) for d in written
        },
    }
    return {
        "corpus.json": _list_of(_tab(document, marked[document.person.id]) for document in written),
        "background.json": _object_of(background),
        **{f"{name}.json": _object_of(_tae(by_document)) for name, by_document in masks.items()},
    }


def _rng(concern: str, document: Written | None = None) -> random.Random:
    return random.Random(f"{SEED} {concern} {document.person.id if document else ''}")


def _annotated(document: Written) -> tuple[Annotation, ...]:
    number = int(document.person.id.partition("-")[2])
    return annotators.annotate(_rng("annotators", document), document, annotators.panel(number))


def _tab(document: Written, annotations: Iterable[Annotation]) -> dict[str, object]:
    person = document.person
    name = str(person.facts["full_name"])
    return {
        **record(Document(person.id, document.text, tuple(annotations)), _mention_id),
        "dataset_type": "demo",
        "meta": {"genre": person.genre, "topic": person.topic, "person": name},
        "task": f"Task: Annotate the document to anonymise the following person: {name}",
    }


def _mention_id(document_id: str, annotator: str, number: int) -> str:
    return f"{document_id}_{annotator.replace('annotator', 'a')}_em{number + 1}"


def _tae(masks: Mapping[str, Sequence[Mask]]) -> dict[str, list[list[object]]]:
    return {
        document_id: [
            [mask.start, mask.end] if mask.replacement is None else [mask.start, mask.end, mask.replacement]
            for mask in of_document
        ]
        for document_id, of_document in masks.items()
    }


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# One document a line: a change to one of them is a change to one line.
def _list_of(values: Iterable[object]) -> bytes:
    return ("[\n" + ",\n".join(map(_compact, values)) + "\n]\n").encode()


def _object_of(values: Mapping[str, object]) -> bytes:
    lines = (f"{_compact(key)}:{_compact(value)}" for key, value in values.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m demo_corpus.generate FOLDER", file=sys.stderr)
        return 2
    target = Path(arguments[0])
    target.mkdir(parents=True, exist_ok=True)
    for name, content in generate().items():
        (target / name).write_bytes(content)
        print(f"{target / name}: {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
