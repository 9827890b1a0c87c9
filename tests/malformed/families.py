"""Families of malformed inputs: each makes, from a source of chance, files and the command that is given them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from malformed import models, sound
from malformed.mutations import HOSTILE, ODD, broken_bytes, broken_gzip, broken_text, broken_tree, bytes_of, on_disk

REFUSED = frozenset({0, 2})
OR_FAILED = frozenset({0, 1, 2})  # where a metric's model may fail, and the others stand


@dataclass(frozen=True)
class Attempt:
    """Files, a command, and with which statuses it may end; 0 is a right answer."""

    files: Mapping[str, bytes]
    command: tuple[str, ...]
    statuses: frozenset[int] = REFUSED


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
         "-o", "converted", *(("--from", *format) if format else ())),
        ("surrogate", name, "-o", "made", *named),
        ("vocabulary", name, "a=masks.json", "--json", "vocabulary.json", *named),
        ("anonymize", name, "--with", "rules", "-o", "made.json"),
    ))  # fmt: skip
    statuses = OR_FAILED if command[0] in ("surrogate", "validate") else REFUSED  # an audit that finds something
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
        ("vocabulary", "corpus.json", f"a={name}", "--json", "vocabulary.json", *named),
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
    return on_masks(random, "masks.json", {"masks.json": broken_tree(random, sound.masks())})


def mask_lines(random: Random) -> Attempt:
    kept = random.choice(("masks", "text"))
    values = sound.masks() if kept == "masks" else sound.texts()
    trees: list[Any] = [{"doc_id": name, kept: value} for name, value in values.items()]
    if random.random() < 0.3:
        return on_masks(random, "m.json", {"m.json": broken_tree(random, trees)})
    return on_masks(random, "m.jsonl", {"m.jsonl": _lines(trees, random)})


def tables(random: Random) -> Attempt:
    name = random.choice(("texts.csv", "texts.tsv"))
    files = {name: broken_text(random, sound.table(name.endswith("tsv")))}
    make = random.choice((on_corpus, on_masks))
    made = make(random, name, files)
    if random.random() < 0.2 and made.command[0] != "surrogate":
        made = Attempt(
            made.files,
            (*made.command, random.choice(("--id-column", "--text-column")), random.choice(HOSTILE[4:])),
            made.statuses,
        )
    return made


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
def _run(which: str) -> dict[str, Any]:
    """A run of two systems; of a command that is called here once, to have what it writes."""
    from showthrough import Anonymization, Background, TypedMask, evaluate
    from showthrough.errors import Interrupted

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


def run_files(random: Random) -> Attempt:
    whole = _run("whole")
    content = broken_tree(random, whole) if random.random() < 0.9 else broken_bytes(random, bytes_of(whole))
    command = random.choice((
        ("report", "run.json"),
        ("report", "run.json", "--html", "out.html"),
        ("report", "run.json", "--html", "out.html", "--without-text"),
        ("report", "run.json", "--csv", "out.csv", "--markdown", "out.md", "--latex", "out.tex", "--json", "scores.json"),
        ("compare", "run.json", "--shuffles", "50"),
        ("compare", "run.json", "--shuffles", "50", "--parts"),
        ("compare", "run.json", "--shuffles", "50", "--matrix"),
    ))  # fmt: skip
    return Attempt({"run.json": content}, command, OR_FAILED if command[0] == "report" else REFUSED)


def resumed_runs(random: Random) -> Attempt:
    files = {
        "corpus.json": bytes_of(sound.tab()),
        "masks.json": bytes_of(sound.masks()),
        "out.json": broken_tree(random, _run("partial")),
    }
    return Attempt(files, ("evaluate", "corpus.json", "a=masks.json", "-m", "er_di", *_FEW, "--resume"))


_PLANNED = ("plan.toml", "corpus.json", "masks.json", "texts.csv")


def plans(random: Random) -> Attempt:
    files = {
        "plan.toml": broken_text(random, sound.PLAN),
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


_VALUES = (
    "99999999999999999999", "-1", "0", "1", "2", "3.5", "1e308", "-1e308", "1e-320", "1e999", "True", "None", "[]", "{}", "()", "x",
    '""', '"\\0"', '"a\\0b"', '"\\ud800"', '"\\n"', '"\\x1b[31m"', '"spacy:x"', '"spacy:"', '"spacy:./x"', '"spacy:a\\0b"', '"hf:"', '"hf:x"',
    '"./none"', '"st:x@y"', '"wordfreq:xx"', '"wordfreq:"', '"./corpus.json"', '"/"', '"."', '".."', '"direct,quasi"', '"sentence"', '"tae"',
    '"A=B"', '"A=B,A=C"', '"="', '"A=B,B=A"', '",,,"', '"lexical"', '"lexical,lexical"', '"lexical+"', '"lexical(x=1)"', '"dense"', '"lsa"',
    '"transformer(x=1)"', '"' + "x" * 5000 + '"', "1" * 400, "1" * 5000, "0x10", "1_000", "1j", "b'x'", "f'{x}'", "*x", "lambda: 0", "...", "1+1",
    "-" * 50 + "1", "(" * 50, "2**99", "10**9", "1000000000", "inf", "nan", "__import__('os')",
)  # fmt: skip


def metric_texts(random: Random) -> Attempt:
    from showthrough.metrics import METRICS

    name = random.choice(sorted(METRICS))
    known = list(METRICS[name].parameters)
    pairs = [f"{random.choice(known)}={random.choice(_VALUES)}" for _ in range(random.choice((1, 1, 2)))]
    if random.random() < 0.3:  # what needs no model, so that the odd value is used and not only read
        pairs += [f"{key}={value}" for key, value in (("ic", "wordfreq"), ("chunking", "none"), ("similarity", "ngrams"),
                  ("embedding", "lsa")) if key in known and not any(pair.startswith(f"{key}=") for pair in pairs)]  # fmt: skip
    text = f"{name}({', '.join(pairs)})"
    if random.random() < 0.15:
        text = broken_text(random, text).decode("utf-8", "replace")
    files = {
        "corpus.json": bytes_of(sound.tab()), "masks.json": bytes_of(sound.masks()),
        "background.json": bytes_of(sound.background()),
    }  # fmt: skip
    given = ("--background", "background.json") if text.startswith("trir") else ()
    command = random.choice((("evaluate", "corpus.json", "a=masks.json", "-m", text, *given, *_FEW), ("metrics", text)))
    return Attempt(files, command, OR_FAILED)


_NUMBERS = (
    "-1",
    "0",
    "1",
    "1.5",
    "99999999999999999999",
    "1e9",
    "nan",
    "inf",
    "-inf",
    "x",
    "",
    "0x1",
    "1e-300",
    "١",
    " 1",
    "1" * 5000,
)
_OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("--seed", "--resamples", "--confidence"), _NUMBERS),
    **dict.fromkeys(("--map", "--direct", "--quasi", "--ignore", "--group-by", "--format", "--missing", "--language",
                     "--function-words", "--device", "--dtype", "--preset", "--background", "-o", "--csv", "--html",
                     "--id-column", "--text-column", "--metric"),
                    (*(one for one in HOSTILE if "\0" not in one), "PERSON=LOC", "LOC=", "=LOC", "A=B=C", "id:(", "id:^(d)", "id:.*",
                     "id:" + "(a*)*" * 5, "cuda:99", "cuda:x", "cpu", "mps", "bf16", "es", "spacy:x", ".", "..", "/", "corpus.json/x",
                     "/dev/null/x", "x" * 300)),
    "--no-such-option": ("", "x"), "-j": ("-1", "0", "x", "1.5"),
}  # fmt: skip


def options(random: Random) -> Attempt:
    files = {"corpus.json": bytes_of(sound.tab()), "masks.json": bytes_of(sound.masks())}
    extra = []
    for _ in range(random.choice((1, 1, 2))):
        name = random.choice(sorted(_OPTIONS))
        extra += [name, random.choice(_OPTIONS[name])]
    first = random.choice(
        ("a=masks.json",) * 6 + ("=", "a=", "=masks.json", "a=a=masks.json", "masks.json", "\x1b[31m=masks.json")
    )
    return Attempt(files, ("evaluate", "corpus.json", first, *_FEW[:2], *extra), OR_FAILED)


def masked_language_models(random: Random) -> Attempt:
    files = {f"model/{name}": content for name, content in _one_broken(random, models.masked_lm()).items()}
    metric = random.choice(('wp(ic="./model")', 'tpi(ic="./model", chunking="none", segment_length=16)'))
    return _with_model(files, metric)


def embedding_models(random: Random) -> Attempt:
    files = {f"model/{name}": content for name, content in _one_broken(random, models.embedding()).items()}
    metric = random.choice((
        'nmi(embedding="./model", max_k=2, n_clusterings=1, n_tries=1)',
        'nmi(embedding="./model", max_k=2, n_clusterings=1, n_tries=1, long_documents="mean")',
        'tps(ic="wordfreq", chunking="none", similarity="./model")',
    ))  # fmt: skip
    return _with_model(files, metric)


def spacy_pipelines(random: Random) -> Attempt:
    files = {f"pipe/{name}": content for name, content in _one_broken(random, models.spacy_pipeline()).items()}
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


def _one_broken(random: Random, whole: Mapping[str, bytes]) -> dict[str, bytes]:
    """A model's files, one of them broken or gone; those that people edit more often than its weights."""
    at = random.choice([name for name in sorted(whole) for _ in range(4 if name.endswith((".json", ".cfg")) else 1)])
    if random.random() < 0.05:
        return {name: content for name, content in whole.items() if name != at}
    content = whole[at]
    if at.endswith(".json") and random.random() < 0.9:
        content = broken_tree(random, json.loads(content))
    elif at.endswith((".cfg", ".txt")) and random.random() < 0.8:
        content = broken_text(random, content.decode())
    else:
        content = broken_bytes(random, content)
    return {**whole, at: content}


FAMILIES: dict[str, tuple[Callable[[Random], Attempt], int]] = {  # and how many of 3,000 or so
    "TAB JSON": (tab_json, 300),
    "TAB JSON, bytes": (tab_bytes, 150),
    "TAB JSON Lines": (tab_lines, 150),
    "texts by id": (texts_by_id, 150),
    "masks": (masks, 200),
    "masks and texts in lines": (mask_lines, 150),
    "tables": (tables, 150),
    "folders of texts": (folders, 100),
    "i2b2 2006": (i2b2_2006, 150),
    "i2b2 2014": (i2b2_2014, 150),
    "brat": (brat, 150),
    "CoNLL": (conll, 150),
    "backgrounds": (backgrounds, 150),
    "gzip": (packed, 150),
    "run files": (run_files, 400),
    "resumed runs": (resumed_runs, 100),
    "plans": (plans, 200),
    "TAE configurations": (tae_configurations, 150),
    "metric texts": (metric_texts, 300),
    "options": (options, 200),
    "masked language models": (masked_language_models, 120),
    "embedding models": (embedding_models, 100),
    "spaCy pipelines": (spacy_pipelines, 80),
}
