"""Families of malformed inputs: each makes, from a source of chance, files and the command that is given them."""

from __future__ import annotations

import gzip
import json
import tomllib
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import zstandard

import inferring
from malformed import models, requests, sound
from malformed.attempt import OR_FAILED, REFUSED, Attempt
from malformed.mutations import (
    HOSTILE,
    broken_bytes,
    broken_gzip,
    broken_text,
    broken_tree,
    bytes_of,
    on_disk,
    one_broken,
    toml_of,
    tree_broken,
)
from showthrough.run.journal import TITLE
from showthrough.storage.append_log import pieces

_FEW = ("--resamples", "20", "-o", "out.json")
_METRICS = (
    (), ("-m", "er", "-m", "recall_per_type"), ("-m", "phi_token", "-m", "phi_leak"), ("-m", "phi_instance"),
    ("-m", "phi_strict", "-m", "phi_merged"), ("--preset", "light"), ("-m", "phi_ambiguous", "-m", "f2"),
    ("-m", "precision(unit=mention, overlaps=each)", "-m", "recall(unit=entity)"), ("-m", "nmi(embedding=lsa)"),
)  # fmt: skip
_VIEWS = ((), (), (), ("--html", "out.html"), ("--csv", "out.csv", "--latex", "out.tex", "--markdown", "out.md"))


def on_corpus(random: Random, name: str, files: Mapping[str, bytes], *format: str) -> Attempt:
    """A broken corpus, for any of the commands that read one."""
    beside = {"masks.json": bytes_of(sound.masks()), **files}
    lenient = ("--missing", "unmasked") if random.random() < 0.5 else ()
    named = ("--format", *format) if format else ()
    chosen = random.choice(_METRICS)
    command = random.choice((
        ("evaluate", name, "a=masks.json", *chosen, *_FEW, *lenient, *named, *random.choice(_VIEWS)),
        ("evaluate", name, "a=masks.json", *chosen, *_FEW, *lenient, *named, "--group-by", "id:^(.)"),
        ("validate", name, "masks.json", *lenient, *named),
        ("convert", name, "--to", random.choice(("tab", "i2b2-2006", "i2b2-2014", "meddocan", "brat", "conll", "masks")),
         "-o", "converted", *(("--format", *format) if format else ())),
        ("apply", "--replace", "surrogate", name, "-o", "made", *named),
        ("corpus", "--vocabulary", name, "a=masks.json", "--json", "vocabulary.json", *named),
        ("anonymize", name, "--with", "rules", "-o", "made.json"), ("scan", name, "--json", "finds.json", *named),
        ("annotate", name, "--with", "rules", "-o", "made.json"),
    ))  # fmt: skip
    statuses = (
        OR_FAILED if {"surrogate", "validate"}.intersection(command) else REFUSED
    )  # an audit that finds something
    return Attempt(beside, command, statuses)


def on_masks(random: Random, name: str, files: Mapping[str, bytes], *format: str) -> Attempt:
    """A broken anonymization of the sound corpus."""
    lenient = ("--missing", "unmasked") if random.random() < 0.5 else ()
    named = ("--format", *format) if format else ()
    beside = {"corpus.json": bytes_of(sound.tab()), "background.json": bytes_of(sound.background()), **files}
    command = random.choice((
        ("evaluate", "corpus.json", f"a={name}", *random.choice(_METRICS), *_FEW, *lenient, *named, *random.choice(_VIEWS)),
        ("evaluate", "corpus.json", f"a={name}", "-m", "trir", "--background", "background.json", *_FEW, *lenient, *named),
        ("validate", "corpus.json", name, *lenient, *named),
        ("corpus", "--vocabulary", "corpus.json", f"a={name}", "--json", "vocabulary.json", *named), ("scan", name, *named),
        ("attack", "--background", "background.json", "--corpus", "corpus.json", f"a={name}", "-o", "out.json"),
    ))  # fmt: skip
    return Attempt(beside, command, OR_FAILED if command[0] == "validate" else REFUSED)


def _lines(trees: list[Any], random: Random) -> bytes:
    """JSON Lines of which one is broken."""
    at = random.randrange(len(trees))
    made = [broken_tree(random, tree) if number == at else bytes_of(tree) for number, tree in enumerate(trees)]
    return b"\n".join(made) + b"\n"


def tab_json(random: Random) -> Attempt:
    return on_corpus(random, "corpus.json", {"corpus.json": broken_tree(random, sound.tab())})


def tab_bytes(random: Random) -> Attempt:
    return on_corpus(random, "corpus.json", {"corpus.json": broken_bytes(random, bytes_of(sound.tab()))})


def tab_lines(random: Random) -> Attempt:
    whole = _lines(sound.tab(), random)
    return on_corpus(random, "c.jsonl", {"c.jsonl": broken_bytes(random, whole) if random.random() < 0.3 else whole})


def texts_by_id(random: Random) -> Attempt:
    broken = broken_tree(random, sound.texts())
    if random.random() < 0.5:
        return on_masks(random, "texts.json", {"texts.json": broken})
    return on_corpus(random, "texts.json", {"texts.json": broken})


def masks(random: Random) -> Attempt:
    made = {"showthrough_masks": 1, "masks": sound.masks(), "provenance": sound.provenance()}
    whole = made if random.random() < 0.3 else sound.masks()
    return on_masks(random, "masks.json", {"masks.json": broken_tree(random, whole)})


def mask_lines(random: Random) -> Attempt:
    kept = random.choice(("masks", "text"))
    values = sound.masks() if kept == "masks" else sound.texts()
    trees: list[Any] = [{"doc_id": name, kept: value} for name, value in values.items()]
    if random.random() < 0.3:
        return on_masks(random, "m.json", {"m.json": broken_tree(random, trees)})
    return on_masks(random, "m.jsonl", {"m.jsonl": _lines(trees, random)})


def answers(random: Random) -> Attempt:
    """Of services: by id, in the order of the corpus, or beside the texts, which makes them a corpus as well."""
    name = random.choice(("presidio", "comprehend", "dlp", "azure", "engine"))
    by_id = sound.answers()[name]
    format = random.choice(((), ("presidio" if name == "engine" else name,)))
    texts = {one.id: one.text for one in sound.CORPUS}
    trees = [{"doc_id": key, "text": texts[key], "results": value} for key, value in by_id.items()]
    match random.randrange(4):
        case 0:
            return on_masks(random, "a.json", {"a.json": broken_tree(random, by_id)}, *format)
        case 1:
            return on_masks(random, "a.json", {"a.json": broken_tree(random, list(by_id.values()))}, *format)
        case 2:
            return random.choice((on_corpus, on_masks))(
                random, "a.json", {"a.json": broken_tree(random, trees)}, *format
            )
    return random.choice((on_corpus, on_masks))(random, "a.jsonl", {"a.jsonl": _lines(trees, random)}, *format)


def tables(random: Random) -> Attempt:
    name = random.choice(("texts.csv", "texts.tsv"))
    files = {name: broken_text(random, sound.table(name.endswith("tsv")))}
    make = random.choice((on_corpus, on_masks))
    made = make(random, name, files)
    if random.random() < 0.2 and "surrogate" not in made.command:
        made = Attempt(
            made.files,
            (*made.command, random.choice(("--id-column", "--text-column")), random.choice(HOSTILE[4:])),
            made.statuses,
        )
    return made


def packed_tables(random: Random) -> Attempt:
    """Excel's and Parquet's, and INCEpTION's XMI, which others' packages read."""
    format, ending = random.choice((("xlsx", ".xlsx"), ("parquet", ".parquet"), ("xmi", "")))
    files = sound.written(format)
    at = random.choice(sorted(files))
    files = {**files, at: broken_bytes(random, files[at])}
    named = random.choice(((), (format,)))
    files = {f"c/{name}" if name else f"c{ending}": content for name, content in files.items()}
    return random.choice((on_corpus, on_masks))(random, f"c{ending}", files, *named)


def folders(random: Random) -> Attempt:
    names = [random.choice((name, name, name, "." + name, name + ".x", "x/" + name)) for name in sound.texts()]
    endings = [random.choice((".txt", ".txt", ".txt", ".TXT", ".txt.gz", ".ann", "")) for _ in names]
    files = {
        f"texts/{name}{ending}": broken_bytes(random, on_disk(text)) if random.random() < 0.5 else on_disk(text)
        for name, ending, text in zip(names, endings, sound.texts().values(), strict=True)
    }
    return random.choice((on_corpus, on_masks))(random, "texts", files)


_PROLOGUES = (
    *(f'<?xml version="1.0" encoding="{name}"?>' for name in (
        "undefined", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "hex", "rot13", "base64", "zlib", "mbcs", "oem",
        "utf-7", "UTF-16", "utf-32", "ascii", "cp037", "utf-8-sig", "big5", "x", "latin-1", "bz2", "uu", "quopri", "palmos",
    )),
    '<!DOCTYPE a [<!ENTITY b "c">]>', '<!DOCTYPE a SYSTEM "file:///etc/passwd">', '<!DOCTYPE a [<!ENTITY % p SYSTEM "x"> %p;]>',
    '<!DOCTYPE a [<!ATTLIST RECORD ID CDATA "d9">]>', "<?x y?>", "<!-- -->", "<a/>", "&b;", "<" * 50,
)  # fmt: skip


def _xml(random: Random, content: bytes) -> bytes:
    if random.random() < 0.35:
        rest = content.split(b"?>", 1)[1]
        return random.choice(_PROLOGUES).encode() + random.choice((b"", b"\n")) + rest
    return broken_text(random, content.decode()) if random.random() < 0.8 else broken_bytes(random, content)


def i2b2_2006(random: Random) -> Attempt:
    files = {"records.xml": _xml(random, sound.written("i2b2-2006")[""])}
    make = random.choice((on_corpus, on_masks))
    return make(random, "records.xml", files, *random.choice(((), ("i2b2",), ("i2b2-2006",), ("conll",))))


def i2b2_2014(random: Random) -> Attempt:
    whole = sound.written(random.choice(("i2b2-2014", "meddocan")))
    at = random.choice(sorted(whole))
    files = {f"records/{name}": _xml(random, content) if name == at else content for name, content in whole.items()}
    return random.choice((on_corpus, on_masks))(random, "records", files, *random.choice(((), ("i2b2-2014",))))


def brat(random: Random) -> Attempt:
    whole = dict(sound.written("brat"))
    at = random.choice(sorted(whole))
    whole[at] = broken_text(random, whole[at].decode()) if random.random() < 0.8 else broken_bytes(random, whole[at])
    if random.random() < 0.2:
        del whole[random.choice(sorted(whole))]
    files = {f"records/{name}": content for name, content in whole.items()}
    return random.choice((on_corpus, on_masks))(random, "records", files, *random.choice(((), ("brat",))))


def conll(random: Random) -> Attempt:
    text = sound.written("conll")[""].decode()
    files = {"c.conll": broken_text(random, text) if random.random() < 0.8 else broken_bytes(random, text.encode())}
    return random.choice((on_corpus, on_masks))(random, "c.conll", files, *random.choice(((), ("conll",))))


_TOOLS = ("label-studio", "label-studio-min", "doccano", "prodigy", "presidio-evaluator", "ai4privacy", "nemotron-pii")


def tools(random: Random) -> Attempt:
    """Annotation tools' and data sets' rows; a list of them is packed."""
    format = random.choice(_TOOLS)
    trees = sound.rows(format)
    if random.random() < 0.5:
        name, content = "c.jsonl", _lines(trees, random)
        content = broken_bytes(random, content) if random.random() < 0.2 else content
    else:
        name, content = "c.json.gz", gzip.compress(broken_tree(random, trees))
    named = random.choice(((), (format,)))
    return random.choice((on_corpus, on_masks))(random, name, {name: content}, *named)


_LINGUISTS = {"conllu": "c.conllu", "spacy-json": "c.jsonl", "spacy-pairs": "c.json", "token-rows": "c.jsonl", "spacy": "c.spacy",
              "webanno": "c/d1.tsv"}  # fmt: skip


def linguists(random: Random) -> Attempt:
    """What linguists have: files of lines, of JSON and of packed arrays."""
    format, name = random.choice(sorted(_LINGUISTS.items()))
    whole = dict(sound.written(format))
    at = random.choice(sorted(whole))
    text = format != "spacy" and random.random() < 0.8
    whole[at] = broken_text(random, whole[at].decode()) if text else broken_bytes(random, whole[at])
    files = {f"c/{one}" if one else name: content for one, content in whole.items()}
    make = random.choice((on_corpus, on_masks))
    return make(random, name.split("/")[0], files, *random.choice(((), (format,))))


def author_problems(random: Random) -> Attempt:
    """PAN's folders and pairs, with the truth of each; one file of them is broken, or gone."""
    if random.random() < 0.5:
        files = sound.problems()
        at = random.choice(sorted(files))
        text = files.pop(at).decode()
        if random.random() < 0.9:
            files[at] = broken_text(random, text) if random.random() < 0.7 else broken_bytes(random, text.encode())
        format, placed = "pan", {f"c/{name}": content for name, content in files.items()}
    else:
        truths = [{"id": one["id"], "same": True, "authors": ["1", "1"]} for one in sound.pairs()]
        format, placed = "pan-pairs", {"c/pairs.jsonl": b"".join(bytes_of(one) + b"\n" for one in sound.pairs())}
        if random.random() < 0.5:
            placed["c/truth.jsonl"] = _lines(truths, random)
        else:
            placed["c/pairs.jsonl"] = _lines(sound.pairs(), random)
    named = random.choice(((), (format,)))
    # Where the corpus reads, soundness is scored, which needs WordNet.
    return replace(on_corpus(random, random.choice(("c", "c", "./c/")), placed, *named), statuses=OR_FAILED)


def people(random: Random) -> Attempt:
    """Who is in texts, in each of the formats that say so."""
    format = random.choice(("spia", "profiles", "jsonl"))
    named = random.choice(((), (format,)))
    make = on_corpus if format == "jsonl" else random.choice((on_corpus, on_corpus, on_masks))
    return make(random, "c.jsonl", {"c.jsonl": _lines(sound.people(format), random)}, *named)


def submissions(random: Random) -> Attempt:
    """What was handed in for PAN's author masking."""
    names = ("d1", "d2", "d3")
    at = random.choice(names)
    files = {}
    for name in names:
        passages = sound.passages(name)
        text = " ".join(one["obfuscation"] for one in passages)
        files[f"a/out/{name}/unknown.txt"] = broken_text(random, text) if name == at else text.encode()
        files[f"a/out/{name}/obfuscation.json"] = broken_tree(random, passages) if name == at else bytes_of(passages)
    if random.random() < 0.1:
        del files[random.choice(sorted(files))]
    return on_masks(random, "a", files, *random.choice(((), ("pan-submission",))))


def backgrounds(random: Random) -> Attempt:
    files = {"corpus.json": bytes_of(sound.tab()), "masks.json": bytes_of(sound.masks())}
    match random.randrange(5):
        case 0:
            name, files["b.json"] = "b.json", broken_tree(random, sound.background())
        case 1:
            name, files["b.json"] = "b.json", broken_tree(random, sound.records())
        case 2:
            name, files["b.jsonl"] = "b.jsonl", _lines(sound.records(), random)
        case 3:
            name, files["b.csv"] = "b.csv", broken_text(random, sound.table())
        case _:
            name = "b"
            files |= {f"b/{key}.txt": broken_bytes(random, on_disk(text)) for key, text in sound.background().items()}
    attacks = random.choice(((), (), ("--attacks", "lexical"), ("--attacks", "lexical+assignment")))
    command = random.choice((
        ("evaluate", "corpus.json", "a=masks.json", "-m", "trir", "--background", name, *_FEW),
        ("attack", "--background", name, "--corpus", "corpus.json", "a=masks.json", "-o", "out.json", *attacks),
        ("attack", "--background", name, *attacks, "--json", "attacks.json"),
    ))  # fmt: skip
    return Attempt(files, command)


def statements(random: Random) -> Attempt:
    """What must be gone and what must be kept, as a table or JSON, and verdicts on it."""
    files = {"corpus.json": bytes_of(sound.tab()), "masks.json": bytes_of(sound.masks())}
    said = [("d1", "He is 46 years old.", "gone", ""), ("d2", "Somebody knows.", "kept", "knows")]
    names = ("doc_id", "statement", "must", "quote")
    table = "\n".join(",".join(row) for row in (names, *said))
    metric = "propositions"
    match random.randrange(4):
        case 0:
            name, files["said.json"] = (
                "said.json",
                broken_tree(random, [dict(zip(names, row, strict=True)) for row in said]),
            )
        case 1:
            name, files["said.csv"] = "said.csv", broken_text(random, table)
        case 2:
            name, files["said.csv"] = "said.csv", broken_bytes(random, table.encode())
        case _:
            name, files["said.csv"] = "said.csv", table.encode()
            lines = [
                {"id": row[0], "anonymization": of, "statements": {row[1]: True}}
                for row in said
                for of in ("original", "a")
            ]
            files["verdicts.json"] = broken_tree(random, lines)
            metric = 'propositions(judge="answers:verdicts.json")'
    return Attempt(files, ("evaluate", "corpus.json", "a=masks.json", "-m", metric, "--statements", name, *_FEW))


def ratings(random: Random) -> Attempt:
    """What people said, in PAN's file or a table, and the folder of passages that they were asked for."""
    files = {"corpus.json": bytes_of(sound.tab()), "masks.json": bytes_of(sound.masks())}
    match random.randrange(4):
        case 0:
            name, files["said_r.json"] = "said_r.json", broken_tree(random, sound.ratings())
        case 1:
            name, files["said.csv"] = "said.csv", broken_text(random, sound.rating_table())
        case 2:
            name, files["said.csv"] = "said.csv", broken_bytes(random, sound.rating_table().encode())
        case _:
            name = "drawn"
            files |= {
                f"drawn/{file}": content for file, content in one_broken(random, dict(sound.rating_folder())).items()
            }
            if random.random() < 0.5:
                return Attempt(files, ("evaluate", "corpus.json", "a=masks.json", "--ratings", name, *_FEW))
    whose = random.choice((name, name, f"a={name}"))
    return Attempt(files, ("evaluate", "corpus.json", "a=masks.json", "-m", "sensibleness", "--ratings", whose, *_FEW))


def shards(random: Random) -> Attempt:
    """A corpus and masks of several files each, of which one is broken, is gone, or holds what another holds."""
    pack = random.choice((bytes, gzip.compress, zstandard.compress))
    ending = {bytes: "", gzip.compress: ".gz"}.get(pack, ".zst")
    trees = {"c": sound.tab(), "m": [{"doc_id": name, "masks": each} for name, each in sound.masks().items()]}
    files = {
        f"{kind}-{number}.jsonl{ending}": bytes_of(tree) + b"\n"
        for kind, listed in trees.items()
        for number, tree in enumerate(listed)
    }
    at, other = random.choice(sorted(files)), random.choice(sorted(files))
    match random.randrange(6):
        case 0:
            files[at] = files[other]
        case 1:
            files[at] += files[other]
        case 2:
            del files[at]
        case _:
            files[at] = broken_bytes(random, files[at])
    made = {name: pack(content) for name, content in files.items()}
    if at in made and random.random() < 0.4:
        made[at] = broken_bytes(random, made[at])
    lenient = ("--missing", "unmasked") if random.random() < 0.5 else ()
    corpus = random.choice((f"c-*.jsonl{ending}", f"c-?.jsonl{ending}", f"c-[0-9].jsonl{ending}"))
    command = random.choice((
        ("evaluate", corpus, f"a=m-*.jsonl{ending}", *_FEW, *lenient),
        ("validate", corpus, f"m-*.jsonl{ending}", *lenient),
        ("convert", corpus, "--to", "tab", "-o", "converted"),
    ))  # fmt: skip
    return Attempt(made, command, OR_FAILED if command[0] == "validate" else REFUSED)


def packed(random: Random) -> Attempt:
    name, content = random.choice((
        ("c.json.gz", bytes_of(sound.tab())), ("c.jsonl.gz", b"\n".join(map(bytes_of, sound.tab()))),
        ("c.csv.gz", sound.table().encode()), ("c.xml.gz", sound.written("i2b2-2006")[""]),
        ("c.conll.gz", sound.written("conll")[""]),
    ))  # fmt: skip
    if random.random() < 0.3:
        return on_masks(random, "m.json.gz", {"m.json.gz": broken_gzip(random, bytes_of(sound.masks()))})
    return on_corpus(random, name, {name: broken_gzip(random, content)})


@cache
def run_of(which: str) -> dict[str, Any]:
    """A run of two systems; of a command that is called here once, to have what it writes."""
    from showthrough import Anonymization, Background, TypedMask, evaluate
    from showthrough.core.errors import Interrupted

    first = Anonymization(
        {"d1": [TypedMask(3, 11, None, "PERSON"), TypedMask(15, 19, "a town", "LOC")], "d2": [], "d3": []}
    )
    second = Anonymization({"d1": [TypedMask(3, 11, None, "PERSON")], "d2": [], "d3": []})
    chosen: list[str] = ["er_di", "recall_per_type", "precision", "phi_token", "trir"]

    def stop(done: int, total: int) -> None:
        if which == "partial":
            raise KeyboardInterrupt

    known = Background(sound.background(), "known")
    try:
        run = evaluate(sound.CORPUS, {"a": first, "b": second}, chosen, resamples=20, background=known, progress=stop)
    except Interrupted as stopped:
        run = stopped.partial
    with TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.json")
        found: dict[str, Any] = json.loads((Path(folder) / "run.json").read_bytes())
    return found


@cache
def run_of_people() -> dict[str, Any]:
    """A run in which something was inferred of people."""
    known = [("0", "AGE", "30", "30", 1.0), ("0", "LOCATION", "Oslo / Norway", "Norway", 0.5)]
    run = inferring.run_of([known, [("0", "SEX", "f", "woman", 1.0)], []], [1, 2, 1], resamples=20)
    with TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.json")
        found: dict[str, Any] = json.loads((Path(folder) / "run.json").read_bytes())
    return found


def populations(random: Random) -> Attempt:
    """A broken table of how many people there are, or a broken run of people beside a sound one."""
    files = {"run.json": bytes_of(run_of_people())}
    keys, *rows = (line.split(",") for line in sound.CENSUS.splitlines())
    match random.randrange(4):
        case 0:
            name, files["census.csv"] = "census.csv", broken_text(random, sound.CENSUS)
        case 1:
            name, files["census.tsv"] = "census.tsv", broken_bytes(random, sound.CENSUS.replace(",", "\t").encode())
        case 2:
            lines = [dict(zip(keys, row, strict=True)) for row in rows]
            name, files["census.jsonl"] = "census.jsonl", _lines(lines, random)
        case _:
            files = {"run.json": broken_tree(random, run_of_people()), "census.csv": sound.CENSUS.encode()}
            name = "census.csv"
    views = random.choice(((), ("--annex", "a.html"), ("--json", "a.json", "--markdown", "a.md", "--latex", "a.tex")))
    return Attempt(files, ("risk", "run.json", "--population", name, *views))


def run_files(random: Random) -> Attempt:
    whole = run_of("whole")
    content = broken_tree(random, whole) if random.random() < 0.9 else broken_bytes(random, bytes_of(whole))
    command = random.choice((
        ("report", "run.json"),
        ("report", "run.json", "--html", "out.html"),
        ("report", "run.json", "--html", "out.html", "--without-text"),
        ("report", "run.json", "--csv", "out.csv", "--markdown", "out.md", "--latex", "out.tex", "--json", "scores.json"),
        ("compare", "run.json", "--shuffles", "50"),
        ("compare", "run.json", "--shuffles", "50", "--parts"),
        ("compare", "run.json", "--shuffles", "50", "--matrix"),
        ("compare", "run.json", "whole.json", "--shuffles", "50", "--json", "diff.json"),
        ("check", "run.json", "--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md"),
        ("check", "run.json", "--baseline", "whole.json", "--min", "er_di=0.5"),
        ("check", "whole.json", "--baseline", "run.json", "--margin", "0.1", "--bound"),
        ("risk", "run.json", "--annex", "out.html", "--json", "risk.json"),
    ))  # fmt: skip
    if random.random() < 0.03:  # seldom, because it takes a second
        command = ("report", "run.json", "--plots", "figures")
    files = {"run.json": content, "whole.json": bytes_of(whole)}
    return Attempt(files, command, REFUSED if command[0] == "compare" else OR_FAILED)


def resumed_runs(random: Random) -> Attempt:
    files = {
        "corpus.json": bytes_of(sound.tab()),
        "masks.json": bytes_of(sound.masks()),
        "out.json": broken_tree(random, run_of("partial")),
    }
    return Attempt(files, ("evaluate", "corpus.json", "a=masks.json", "-m", "er_di", *_FEW, "--resume"))


@cache
def journal() -> tuple[bytes, ...]:
    """The pieces of what an evaluation leaves that was stopped when all documents were done."""
    from showthrough import Plan, evaluate_plan, read_anonymization, read_corpus
    from showthrough.core.errors import Interrupted
    from showthrough.evaluation.checkpoints import Checkpoints
    from showthrough.evaluation.settings import Settings
    from showthrough.metrics import metrics_of

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "corpus.json").write_bytes(bytes_of(sound.tab()))
        (home / "masks.json").write_bytes(bytes_of(sound.masks()))
        systems = (read_anonymization(home / "masks.json", name="a"),)
        plan = Plan(read_corpus(home / "corpus.json"), systems, tuple(metrics_of("er_di")), Settings(resamples=20))
        with suppress(Interrupted):
            evaluate_plan(plan, progress=stop, checkpoints=Checkpoints(home / "part"))
        return tuple(pieces((home / "part").read_bytes(), TITLE))


def resumed_journals(random: Random) -> Attempt:
    """Bytes that are not as they were, which checksums tell; or something else in them, with the checksum of that."""
    whole = list(journal())
    if random.random() < 0.7:
        place = random.randrange(len(whole))
        tree = json.loads(whole[place])
        rows = {"rows": tree.pop("rows")} if "rows" in tree else {}  # believed with their checksum, as in a run file
        broken = tree_broken(random, tree)
        whole[place] = bytes_of(broken | rows if isinstance(broken, dict) else broken).replace(b"\n", b" ")
    content = TITLE + b"\n" + b"".join(b"%08x %s\n" % (zlib.crc32(piece), piece) for piece in whole)
    files = {
        "corpus.json": bytes_of(sound.tab()),
        "masks.json": bytes_of(sound.masks()),
        "out.json.part": content if whole != list(journal()) else broken_bytes(random, content),
    }
    return Attempt(files, ("evaluate", "corpus.json", "a=masks.json", "-m", "er_di", *_FEW, "--resume"), OR_FAILED)


def plans(random: Random) -> Attempt:
    if random.random() < 0.5:
        broken_plan = broken_text(random, sound.PLAN)
    else:
        broken_plan = toml_of(tree_broken(random, tomllib.loads(sound.PLAN)))
    files = {
        "plan.toml": broken_plan,
        "corpus.json": bytes_of(sound.tab()),
        "masks.json": bytes_of(sound.masks()),
        "texts.csv": sound.table().encode(),
    }
    return Attempt(files, (random.choice(("evaluate", "evaluate", "validate")), "plan.toml"), OR_FAILED)


def tae_configurations(random: Random) -> Attempt:
    files = {
        "tae.json": broken_tree(random, sound.tae_configuration()),
        "corpus.json": bytes_of(sound.tab()),
        "masks.json": bytes_of(sound.masks()),
        "background.json": bytes_of(sound.background()),
    }
    return Attempt(
        files, (random.choice(("evaluate", "evaluate", "validate")), "tae.json", "--resamples", "20")[:2], OR_FAILED
    )


def masked_language_models(random: Random) -> Attempt:
    files = {f"model/{name}": content for name, content in one_broken(random, models.masked_lm()).items()}
    metric = random.choice(('wp(ic="./model")', 'tpi(ic="./model", chunking="none", segment_length=16)'))
    return _with_model(files, metric)


def embedding_models(random: Random) -> Attempt:
    files = {f"model/{name}": content for name, content in one_broken(random, models.embedding()).items()}
    metric = random.choice((
        'nmi(embedding="./model", max_k=2, n_clusterings=1, n_tries=1)',
        'nmi(embedding="./model", max_k=2, n_clusterings=1, n_tries=1, long_documents="mean")',
        'tps(ic="wordfreq", chunking="none", similarity="./model")',
    ))  # fmt: skip
    return _with_model(files, metric)


RAN = "ran"  # the file that code in a model makes
_CODE = f"cbuiltins\nopen\n(S'{RAN}'\nS'w'\ntR.".encode()  # a pickle that opens it for writing
_MODULE = f"open({RAN!r}, 'w')\n".encode()
_MAP = {"AutoConfig": "own.C", "AutoModel": "own.M", "AutoModelForMaskedLM": "own.M", "AutoTokenizer": ["own.T", None]}


def carriers(random: Random) -> Attempt:
    """Models that would run code of their own if a library were let read them; none of it may run."""
    whole = dict(random.choice((models.masked_lm, models.embedding))())
    parts = json.loads(whole.get("modules.json", b"[]"))
    place = random.choice(
        ("pytorch_model.bin", "x.bin", "../x.bin", "/x.bin", "model.pt", "a/b.pkl", "", 7, None, ["x.bin"])
    )
    said = json.loads(whole["config.json"])
    weights = random.choice(("kept", "gone", "pickled"))
    if weights != "kept":
        whole |= {"model.safetensors": _CODE} if weights == "pickled" else {}
    if weights == "gone":
        del whole["model.safetensors"]
    match random.randrange(8):
        case 0:
            whole["model.safetensors.index.json"] = bytes_of({"metadata": {}, "weight_map": {"bert.x": place}})
        case 1:
            whole["pytorch_model.bin.index.json"] = bytes_of({"weight_map": {"bert.x": place}})
        case 2:
            whole["config.json"] = bytes_of({**said, "transformers_weights": place})
        case 3:
            whole["config.json"] = bytes_of(
                {**said, "auto_map": random.choice((_MAP, place)), "model_type": random.choice(("bert", "own"))}
            )
        case 4:
            tokens = json.loads(whole["tokenizer_config.json"])
            whole["tokenizer_config.json"] = bytes_of({**tokens, "auto_map": _MAP, "tokenizer_class": "T"})
        case 5:
            whole |= {
                "adapter_config.json": bytes_of({"peft_type": "LORA", "base_model_name_or_path": "."}),
                "adapter_model.bin": _CODE,
            }
        case 6:
            kind = random.choice(
                ("sentence_transformers.models.Dense", "own.M", "os.system", "builtins.open", "", 7, None)
            )
            whole["modules.json"] = bytes_of(
                [
                    *parts,
                    {"idx": 9, "name": "9", "path": random.choice(("9_Dense", "..", "/", "", 7, "a\0b")), "type": kind},
                ]
            )
            whole |= {"9_Dense/config.json": bytes_of({"in_features": 16, "out_features": 4, "activation_function": "own.M"}),
                      "9_Dense/pytorch_model.bin": _CODE}  # fmt: skip
        case _:
            whole["config_sentence_transformers.json"] = bytes_of({"similarity_fn_name": place, "model_type": "own.M"})
    files = {f"model/{name}": content for name, content in whole.items()}
    files |= {f"model/{name}": _CODE for name in ("pytorch_model.bin", "x.bin", "model.pt", "a/b.pkl")}
    files |= {"x.bin": _CODE, "model/own.py": _MODULE, "own.py": _MODULE}
    metric = random.choice((
        'wp(ic="./model")', 'nmi(embedding="./model", max_k=2, n_clusterings=1, n_tries=1)',
        'tps(ic="wordfreq", chunking="none", similarity="./model")',
    ))  # fmt: skip
    return _with_model(files, metric)


def spacy_pipelines(random: Random) -> Attempt:
    whole = models.spacy_pipeline()
    if random.random() < 0.3:  # what decides whose code is loaded
        lang = random.choice(
            ("zz", "xx", "en.x", "../x", "a\\u0000b", "", "os", "spacy", "e" * 3000, "ja", "EN", "en_US", "1")
        )
        said = random.choice((f'"{lang}"', "7", "null", "[]", "{}", "${x.y}"))
        changed = whole["config.cfg"].replace(b'lang = "en"', f"lang = {said}".encode())
        broken = {**whole, "config.cfg": changed, "meta.json": broken_tree(random, json.loads(whole["meta.json"]))}
    else:
        broken = one_broken(random, whole)
    files = {f"pipe/{name}": content for name, content in broken.items()}
    metric = random.choice((
        'recall(function_words="spacy:./pipe")',
        'tpi(ic="wordfreq", chunking="spacy:./pipe")',
        'tpi(ic="wordfreq", chunking="spacy-tokens:./pipe", term_alterning="sentence")',
        'tps(ic="wordfreq", chunking="none", similarity="spacy:./pipe")',
    ))  # fmt: skip
    return _with_model(files, metric)


def _with_model(files: Mapping[str, bytes], metric: str) -> Attempt:
    beside = {"corpus.json": bytes_of(sound.tab()), "masks.json": bytes_of(sound.masks())}
    command = ("evaluate", "corpus.json", "a=masks.json", "-m", metric, "--device", "cpu", *_FEW)
    return Attempt({**beside, **files}, command, OR_FAILED)


FAMILIES: dict[str, tuple[Callable[[Random], Attempt], int]] = {  # and how many of each
    "TAB JSON": (tab_json, 300),
    "TAB JSON, bytes": (tab_bytes, 150),
    "TAB JSON Lines": (tab_lines, 150),
    "texts by id": (texts_by_id, 150),
    "masks": (masks, 200),
    "masks and texts in lines": (mask_lines, 150),
    "answers of services": (answers, 200),
    "tables": (tables, 150),
    "packed tables": (packed_tables, 150),
    "folders of texts": (folders, 100),
    "i2b2 2006": (i2b2_2006, 150),
    "i2b2 2014": (i2b2_2014, 150),
    "brat": (brat, 150),
    "CoNLL": (conll, 150),
    "annotation tools and data sets": (tools, 300),
    "what linguists have": (linguists, 300),
    "problems of author verification": (author_problems, 150),
    "people in texts": (people, 200),
    "submissions of author masking": (submissions, 150),
    "backgrounds": (backgrounds, 150),
    "ratings": (ratings, 150),
    "statements": (statements, 100),
    "populations": (populations, 150),
    "gzip": (packed, 150),
    "several files": (shards, 200),
    "run files": (run_files, 400),
    "resumed runs": (resumed_runs, 100),
    "resumed journals": (resumed_journals, 100),
    "plans": (plans, 200),
    "TAE configurations": (tae_configurations, 150),
    "metric texts": (requests.metric_texts, 300),
    "attack texts": (requests.attack_texts, 200),
    "word lists": (requests.word_lists, 80),
    "options of evaluate": (requests.options, 200),
    "options of every command": (requests.every_option, 300),
    "places": (requests.places, 200),
    "masked language models": (masked_language_models, 120),
    "embedding models": (embedding_models, 100),
    "weights that carry code": (carriers, 80),
    "spaCy pipelines": (spacy_pipelines, 100),
}
