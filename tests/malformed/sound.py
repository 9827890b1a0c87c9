"""Inputs that are all right: a small corpus in every format, what a system made of it, and what else a command reads."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mask,
    Mention,
    rating_sample,
    write_corpus,
)
from showthrough.formats.authorship.rating_folder import RaterAnswer, read_items
from showthrough.studies.rating.server import RatingJournal

_TEXTS = {
    "d1": "Mr John Doe of Oslo left on 3 May 1996.\nHe was 46 years old.",
    "d2": "😀 Ann Lee (Bergen) knows 山田.",
    "d3": "Nothing to see in Oslo.",
}
_MARKS = {"John Doe": ("PERSON", "DIRECT"), "Ann Lee": ("PERSON", "DIRECT"), "Oslo": ("LOC", "QUASI"),
          "3 May 1996": ("DATE", "QUASI"), "Bergen": ("LOC", "QUASI")}  # fmt: skip


def _document(name: str) -> Document:
    text = _TEXTS[name]
    mentions = tuple(
        Mention(text.index(said), text.index(said) + len(said), kind, identifier, f"{name}-{number}")  # type: ignore[arg-type]
        for number, (said, (kind, identifier)) in enumerate(_MARKS.items())
        if said in text
    )
    return Document(name, text, (Annotation("ann", tuple(sorted(mentions, key=lambda one: one.start))),))


CORPUS = Corpus([_document(name) for name in _TEXTS], "corpus")


@cache
def written(format: str) -> dict[str, bytes]:
    """The corpus as `convert` writes it: by file name, or under the empty name where it is one file."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "x"
        write_corpus(CORPUS, target, format)
        if target.is_file():
            return {"": target.read_bytes()}
        return {file.name: file.read_bytes() for file in sorted(target.iterdir())}


def tab() -> Any:
    return json.loads(written("tab")[""])


def rows(format: str) -> list[Any]:
    """The corpus in a format of JSON objects, one a document: as it is written, or as its files have it."""
    if format == "label-studio-min":
        return [{"id": one.id, "text": one.text, "annotator": 1, "annotation_id": 2,
                 "label": [{"start": a, "end": b, "text": said, "labels": [kind]} for a, b, said, kind in _said(one)]}
                for one in CORPUS]  # fmt: skip
    if format == "ai4privacy":
        return [{"uid": one.id, "source_text": one.text, "masked_text": "",
                 "privacy_mask": [{"start": a, "end": b, "value": said, "label": kind} for a, b, said, kind in _said(one)]}
                for one in CORPUS]  # fmt: skip
    if format == "nemotron-pii":
        return [{"uid": one.id, "text": one.text, "text_tagged": "",
                 "spans": repr([{"start": a, "end": b, "text": said, "label": kind} for a, b, said, kind in _said(one)])}
                for one in CORPUS]  # fmt: skip
    content = written(format)[""]
    found: list[Any] = (
        json.loads(content) if content.startswith(b"[") else [json.loads(one) for one in content.splitlines()]
    )
    return found


def _said(document: Document) -> list[tuple[int, int, str, str]]:
    mentions = document.annotations[0].mentions
    return [(one.start, one.end, document.text[one.start : one.end], one.entity_type) for one in mentions]


def problems() -> dict[str, bytes]:
    """The corpus as PAN's problems of author verification: texts that an author is known to have written beside each."""
    files = {f"{name}/unknown.txt": text for name, text in _TEXTS.items()}
    files |= {f"{name}/known01.txt": f"What {name} wrote.\r\nAnd more." for name in _TEXTS}
    files["d2/known02.txt"] = "\ufeffIt was late, said Ann."
    return {name: text.encode() for name, text in {**files, "truth.txt": "d1 Y\r\nd2 N\nd3 Y"}.items()}


def pairs() -> list[dict[str, Any]]:
    """The same as PAN's pairs."""
    return [{"id": name, "fandoms": ["x", "y"], "pair": [f"What {name} wrote.", text]} for name, text in _TEXTS.items()]


def people(format: str) -> list[dict[str, Any]]:
    """Who is in the texts: as SPIA has it, as profiles of their authors, or beside marks that say whom they are about."""
    said = {"certainty": 5, "hardness": 1}
    if format == "spia":
        subjects = [{"id": 0, "description": "who left", "PIIs": [{"tag": "NAME", "keyword": "John Doe", **said}]},
                    {"id": 1, "PIIs": [{"tag": "AGE", "keyword": "", "certainty": 0, "hardness": 0}]}]  # fmt: skip
        return [{"metadata": {"data_id": name, "number_of_subjects": 2, "annotator": "a"}, "text": text,
                 "subjects": subjects} for name, text in _TEXTS.items()]  # fmt: skip
    if format == "profiles":
        age = {"gold": "46", **said, "guesses": ["45", "50"], "verdicts": [1, 0.5]}
        return [{"profile": name, "text": text, "attributes": {"age": age}, "answer": "Type: age"}
                for name, text in _TEXTS.items()]  # fmt: skip
    stated = [{"id": 7, "description": "who left", "attributes": [{"tag": "AGE", "value": "46", **said}]}]
    trees = [{**tree, "subjects": stated} for tree in tab()]
    for mark in trees[0]["annotations"]["ann"]["entity_mentions"]:
        mark["subject"] = 7
    return trees


def passages(name: str) -> list[dict[str, Any]]:
    """What somebody rewrote in one of these: every word a passage."""
    found = []
    for number, word in enumerate(re.finditer(r"\S+", _TEXTS[name]), 1):
        found.append({
            "original": word[0], "original-start-charpos": word.start(), "original-end-charpos": word.end(),
            "obfuscation": f"w{number}", "obfuscation-id": number,
        })  # fmt: skip
    return found


def masks() -> dict[str, Any]:
    """Of one system: a type said, a replacement, a mask without either; nothing in the third document."""
    return {"d1": [[3, 11, "[PERSON]", "PERSON"], [15, 19, "a town"]], "d2": [[2, 9]], "d3": []}


def provenance() -> dict[str, Any]:
    """How a system says that it made its masks."""
    cost = {"seconds": 0.5, "documents": 3, "characters": 90, "peak_bytes": 50_000_000, "model_bytes": None}
    return {
        "anonymizer": "presidio", "version": 1, "parameters": {"model": "en_core_web_sm", "threshold": 0.0},
        "pinned": {"pipeline": "1a2b"}, "replacement": "label", "trained_on": "", "seen": 0, "cost": cost,
    }  # fmt: skip


def answers() -> dict[str, dict[str, Any]]:
    """What services would say of the texts, by format and id."""
    said: dict[str, dict[str, Any]] = {"presidio": {}, "comprehend": {}, "dlp": {}, "azure": {}, "engine": {}}
    for one in CORPUS:
        spans = [(mark.start, mark.end, mark.entity_type) for mark in one.annotations[0].mentions]
        pieces = [(kind, one.text[start:end], start, end) for start, end, kind in spans]
        said["presidio"][one.id] = [
            {"entity_type": kind, "start": start, "end": end, "score": 0.9} for kind, _, start, end in pieces
        ]
        said["comprehend"][one.id] = {
            "Entities": [{"Type": kind, "BeginOffset": start, "EndOffset": end} for kind, _, start, end in pieces]
        }
        ranges = [(kind, text, {"start": str(start), "end": str(end)}) for kind, text, start, end in pieces]
        said["dlp"][one.id] = {
            "result": {
                "findings": [
                    {"infoType": {"name": kind}, "quote": text, "location": {"codepointRange": span}}
                    for kind, text, span in ranges
                ]
            }
        }
        said["azure"][one.id] = {
            "redactedText": "…",
            "entities": [
                {"text": text, "category": kind, "offset": start, "length": end - start}
                for kind, text, start, end in pieces
            ],
        }
        starred = list(one.text)
        for _, _, start, end in pieces:
            starred[start:end] = "*" * (end - start)
        said["engine"][one.id] = {
            "text": "".join(starred),
            "items": [
                {"start": start, "end": end, "entity_type": kind, "text": "*" * (end - start), "operator": "mask"}
                for kind, _, start, end in pieces
            ],
        }
    return said


def texts() -> dict[str, str]:
    return {**_TEXTS, "d1": _TEXTS["d1"].replace("John Doe", "***")}


def background() -> dict[str, str]:
    return {"d1": "John Doe lives in Oslo.", "d2": "Ann Lee comes from Bergen.", "d3": "Who knows.", "x": "Per Hansen."}


def records() -> list[dict[str, Any]]:
    """TRI's: what is known of everybody, and their documents in two columns."""
    known = background()
    return [
        {"name": name, "public_knowledge": known[name], "original": _TEXTS[name], "masked": texts()[name]}
        for name in _TEXTS
    ]


CENSUS = "AGE,SEX,LOCATION,count\n30,m,Oslo / Norway,1\n30-34,f,Oslo / Norway,10\n90+,,Norway,89\n"


def ratings() -> list[dict[str, Any]]:
    """Of one rater, as PAN has them."""
    return [
        {
            "1_obfuscation": said,
            "2_sensibleness": str(value),
            "3_obfuscation-id": value,
            "problem": name,
            "submission": "a",
        }
        for name, said, value in (("d1", "He was 46 years old.", 2), ("d2", "knows", 1), ("d3", "Nothing", 0))
    ]


def rating_table() -> str:
    rows = [f"{name},a,1,{rater},{value}" for name in _TEXTS for rater, value in (("r", 2), ("s", 1))]
    return "\n".join(["document,anonymization,item,rater,value", *rows]) + "\n"


@cache
def rating_folder() -> dict[str, bytes]:
    """Passages that were drawn, and what one person said of them."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "x"
        system = Anonymization({key: [Mask(*one[:2]) for one in given] for key, given in masks().items()}, "a")
        rating_sample(CORPUS, [system]).write(target)
        _, items = read_items(target)
        journal = RatingJournal(target, "r", items)
        for item in items:
            journal.add(RaterAnswer(item, 1))
        journal.close()
        files = (file for file in sorted(target.rglob("*.json*")))
        return {file.relative_to(target).as_posix(): file.read_bytes() for file in files}


def table(tab_separated: bool = False) -> str:
    sign = "\t" if tab_separated else ","
    rows = [f'{name}{sign}"{text}"{sign}p{number % 2}' for number, (name, text) in enumerate(texts().items())]
    return "\n".join([f"doc_id{sign}text{sign}group", *rows]) + "\n"


WORDS = "mr\nof\nleft\non\nmay\nHe\nwas\nyears\nold\nknows\nnothing\nto\nsee\nin\n"

PLAN = """\
corpus = "corpus.json"
metrics = ["er_di", "recall(unit='mention')", "phi_token"]
missing = "unmasked"
seed = 7
resamples = 20
confidence = 0.9
jobs = 1
output = "out.json"
device = "cpu"
dtype = "fp32"
cache = false
references = false
direct = ["PERSON"]
quasi = ["LOC"]
ignore = ["DATE"]
group_by = "id:^(d)"
language = "en"

[anonymizations]
first = "masks.json"
second = { path = "texts.csv", id_column = "doc_id", text_column = "text" }

[map]
LOC = "PLACE"
"""


def tae_configuration() -> dict[str, Any]:
    return {
        "corpus": "corpus.json",
        "anonymizations": {"first": "masks.json"},
        "results_file_path": "results/out.csv",
        "metrics": {
            "Recall": {"token_level": True, "include_direct": True, "include_quasi": False},
            "RecallPerEntityType": {},
            "Precision": {"token_level": False, "weighting_model_name": None},
            "Precision_2": {"weighting_max_segment_length": 100, "weighting_model_name": None},
            "TPI": {"weighting_model_name": None, "term_alterning": 2, "use_chunking": True},
            "TRIR": {"background_knowledge_file_path": "background.json", "verbose": False},
            "NMI": {"embedding_model_name": "./none", "min_k": 2, "max_k": 4, "n_clusterings": 2,
                    "n_tries_per_clustering": 2, "remove_mask_marks": True, "mask_marks": ["PERSON"]},
        },
    }  # fmt: skip
