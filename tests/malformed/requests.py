"""Families of malformed requests: parameters, options and places, over files that are all right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from malformed import models, sound
from malformed.attempt import OR_FAILED, Attempt
from malformed.mutations import HOSTILE, broken_bytes, broken_text, bytes_of, one_broken

_VALUES = (
    "99999999999999999999", "-1", "0", "1", "2", "3.5", "1e308", "-1e308", "1e-320", "1e999", "True", "None", "[]", "{}", "()", "x",
    '""', '"\\0"', '"a\\0b"', '"\\ud800"', '"\\n"', '"\\x1b[31m"', '"spacy:x"', '"spacy:"', '"spacy:./x"', '"spacy:a\\0b"', '"hf:"', '"hf:x"',
    '"./none"', '"st:x@y"', '"wordfreq:xx"', '"wordfreq:"', '"./corpus.json"', '"/"', '"."', '".."', '"direct,quasi"', '"sentence"', '"tae"',
    '"A=B"', '"A=B,A=C"', '"="', '"A=B,B=A"', '",,,"', '"lexical"', '"lexical,lexical"', '"lexical+"', '"lexical(x=1)"', '"dense"', '"lsa"',
    '"transformer(x=1)"', '"' + "x" * 5000 + '"', "1" * 400, "1" * 5000, "0x10", "1_0", "1j", "b'x'", "f'{x}'", "*x", "lambda: 0", "...", "1+1",
    "-" * 50 + "1", "(" * 50, "2**99", "10**9", "1000000000", "inf", "nan", "__import__('os')", '"words.txt"', '"words.txt@00000000"',
    '"10-5"', '"0-0"', '"9-99999999999999999999"', "False", "0.5",
)  # fmt: skip
_NUMBERS = (
    *("-1", "0", "1", "1.5", "0.5", "99999999999999999999", "1e9", "nan", "inf", "-inf", "x", "", "0x1", "1e-300", "١"),
    *(" 1", "1" * 5000, "1_0", "+2", "1e308"),
)


def _files() -> dict[str, bytes]:
    return {
        "corpus.json": bytes_of(sound.tab()),
        "masks.json": bytes_of(sound.masks()),
        "background.json": bytes_of(sound.background()),
        "words.txt": sound.WORDS.encode(),
        "truth.txt": b"d1 Y\nd2 N\n",
        "answers.txt": b"d1 0.7\nd2 0.4\n",
        "census.csv": sound.CENSUS.encode(),
    }


_FEW = ("--resamples", "20", "-o", "out.json")


def metric_texts(random: Random) -> Attempt:
    from showthrough.metrics import METRICS

    name = random.choice(sorted(METRICS))
    known = list(METRICS[name].parameters) or ["beta"]  # one that has none has not this either
    pairs = [f"{random.choice(known)}={random.choice(_VALUES)}" for _ in range(random.choice((1, 1, 2)))]
    if random.random() < 0.3:  # what needs no model, so that the odd value is used and not only read
        pairs += [f"{key}={value}" for key, value in (("ic", "wordfreq"), ("chunking", "none"), ("similarity", "ngrams"),
                  ("embedding", "lsa")) if key in known and not any(pair.startswith(f"{key}=") for pair in pairs)]  # fmt: skip
    text = f"{name}({', '.join(pairs)})"
    if random.random() < 0.15:
        text = broken_text(random, text).decode("utf-8", "replace")
    given = ("--background", "background.json") if text.startswith("trir") else ()
    command = random.choice(
        (("evaluate", "corpus.json", "a=masks.json", "-m", text, *given, *_FEW), ("list", "metrics", text))
    )
    return Attempt(_files(), command, OR_FAILED)


_QUICK = {  # a training that takes a moment, with what is on the desk
    "base_model_name": '"./model"', "use_additional_pretraining": "False", "anonymize_background_knowledge": "False",
    "use_document_curation": "False", "finetuning_epochs": "1", "tokenization_block_size": "16",
    "finetuning_sliding_window": '"16-4"', "pretraining_sliding_window": '"16-4"', "pretraining_epochs": "1",
}  # fmt: skip


def attack_texts(random: Random) -> Attempt:
    """Attacks with odd settings; one that learns does so in a moment, and now and then from a broken model."""
    from showthrough.families.reidentification.attacks import ATTACKS

    files = _files()
    name = random.choice([one for one in ATTACKS for _ in range(1 + len(fields(ATTACKS[one])) // 3)])
    known = [field.name for field in fields(ATTACKS[name])] or ["x"]
    usual = {"dense": {"embedding": '"lsa"'}, "transformer": _QUICK}.get(name, {}) if random.random() < 0.8 else {}
    if usual is _QUICK:
        whole = models.masked_lm()
        broken = one_broken(random, whole) if random.random() < 0.2 else whole
        files |= {f"model/{file}": content for file, content in broken.items()}
    odd = {random.choice(known): random.choice(_VALUES) for _ in range(random.choice((1, 1, 2)))}
    text = f"{name}({', '.join(f'{key}={value}' for key, value in {**usual, **odd}.items())})"
    text = random.choice((text, text, f"{text}+assignment", f"lexical+{text}", f"{text}, lexical"))
    if random.random() < 0.15:
        text = broken_text(random, text).decode("utf-8", "replace")
    k = ("-k", random.choice(_NUMBERS)) if random.random() < 0.1 else ()
    attack = ("attack", "--background", "background.json", "--corpus", "corpus.json", "a=masks.json", "--attacks", text)
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    metric = ("-m", f'trir(attacks="{inside}")', "--background", "background.json")
    command = random.choice((
        (*attack, *k, "--device", "cpu", "-o", "out.json"),
        ("evaluate", "corpus.json", "a=masks.json", *metric, "--device", "cpu", *_FEW),
    ))  # fmt: skip
    return Attempt(files, command, OR_FAILED)


def word_lists(random: Random) -> Attempt:
    content = broken_bytes(random, sound.WORDS.encode()) if random.random() < 0.6 else broken_text(random, sound.WORDS)
    files = {**_files(), "odd.txt": content}
    name = random.choice(
        ("odd.txt", "odd.txt", "odd.txt@00000000", "odd.txt@x", "none.txt", ".", "wordfreq:", "wordfreq:xx")
    )
    command = random.choice((
        ("corpus", "--vocabulary", "corpus.json", "a=masks.json", "--dictionary", name, "--json", "made.json"),
        ("corpus", "--vocabulary", "corpus.json", "--dictionary", "words.txt", "--medical", name),
        ("evaluate", "corpus.json", "a=masks.json", "-m", f'phi_oov(dictionary="{name}")', *_FEW),
    ))  # fmt: skip
    return Attempt(files, command, OR_FAILED)


_OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("--seed", "--resamples", "--confidence"), _NUMBERS),
    **dict.fromkeys(("--map", "--direct", "--quasi", "--ignore", "--may", "--policy", "--group-by", "--format", "--missing", "--language",
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


SOUND: Mapping[str, tuple[str, ...]] = {  # of every command
    "evaluate": ("corpus.json", "a=masks.json", "--resamples", "20"),
    "compare": ("run.json", "--shuffles", "50"),
    "stress": ("corpus.json", "--with", "rules", "--perturb", "capitals", "--resamples", "20"),
    "check": ("run.json", "--baseline", "run.json"),
    "report": ("run.json",),
    "attack": ("--background", "background.json", "--corpus", "corpus.json", "a=masks.json"),
    "validate": ("corpus.json", "masks.json"),
    "list": ("metrics", "er"),
    "anonymize": ("corpus.json", "--with", "rules", "-o", "made.json"),
    "verifier": ("score", "truth.txt", "answers.txt", "--resamples", "20"),
    "train": ("tagger", "corpus.json", "-o", "made"),
    "rate": ("sample", "corpus.json", "a=masks.json", "-o", "made"),
    "annotate": ("corpus.json", "--with", "rules", "-o", "made.json"),
    "apply": ("corpus.json", "masks.json", "--missing", "unmasked", "-o", "made.json"),
    "cache": (),
    "fetch": ("tab", "--about"),
    "corpus": ("corpus.json",),
    "agreement": ("corpus.json", "--resamples", "20"),
    "errors": ("run.json",),
    "risk": ("run.json", "--population", "census.csv"),
    "review": ("corpus.json", "-o", "made"),
    "convert": ("corpus.json", "--to", "tab", "-o", "made"),
    "adjudicate": ("corpus.json", "--sheet", "made"),
    "split": ("corpus.json", "--shares", "50/50", "-o", "made"),
    "scan": ("corpus.json",),
    "site": (".", "-o", "made"),
    "submit": ("run.json", "-o", "made.json"),
}
_WORDS = (
    *(one for one in HOSTILE if "\0" not in one), "PERSON", "LOC", "PERSON=LOC", "A=B=C", "ann", "tab", "brat", "conll", "masks", "i2b2",
    "lexical", "challenge", "words", "words.txt", "wordfreq:de", "wordfreq:xx", "rules", "es", "er_di", "id:(", "id:^(d)", "cpu", "cuda:99",
    "bf16", "unmasked", "light", "x" * 300,
)  # fmt: skip
# Never one outside of the desk that could be written: these are given to commands as what to write, too.
_PATHS = (
    "", "made", "a/b/made", "../made", "x" * 300, "a\nb", "\x1b[31mred", "é", "😀", "%s", "{x}", "corpus.json", "masks.json", "run.json",
    "words.txt", "background.json", "corpus.json/x", "/dev/null/x", "/proc/x", "none/none", "-", "--force", "a=b",
)  # fmt: skip
_LEFT = frozenset({"--help", "--force", "--jobs", "--html", "--plots"})  # of which a test of its own tells more


_FILES = ("FILE", "FOLDER", "PATH")


@cache
def _switches(command: str) -> tuple[tuple[str, type | None], ...]:
    """Every option of a command: its name, and the kind of value that it takes; `None` for one that takes none."""
    from typer.main import get_command

    import showthrough.cli

    app: Any = showthrough.cli.app
    made = app if hasattr(app, "commands") else get_command(app)  # which a test has made already
    listed = [one for one in made.commands[command].params if one.param_type_name == "option"]
    return tuple(
        (name, None if one.is_flag else Path if one.metavar in _FILES else type(one.default or ""))
        for one in listed
        for name in one.opts
        if not _LEFT & {*one.opts, *one.secondary_opts}
    )


def _value(random: Random, kind: type) -> str:
    """One of the kind that an option takes, or of another; but never a word for a path, which might be one."""
    if kind is Path:
        return random.choice(_PATHS)
    if (kind in (int, float)) == (random.random() < 0.9):
        return random.choice(_NUMBERS)
    return random.choice(_WORDS)


def every_option(random: Random) -> Attempt:
    """Any option of any command, with a value of its kind or of another."""
    from malformed.families import run_of

    command = random.choice(sorted(SOUND))
    extra: list[str] = []
    for name, kind in random.choices(_switches(command) or (("--none", str),), k=random.choice((1, 1, 2, 3))):
        extra += [name, _value(random, kind)] if kind else [name]
    files = {**_files(), "run.json": bytes_of(run_of("whole"))}
    return Attempt(files, (command, *SOUND[command], *extra), OR_FAILED)


_PLACES: Mapping[str, str] = {
    "folder": "folder", "pipe": "pipe", "loop": "loop", "nowhere": "none/none", "pipe.json": "pipe", "loop.xml": "loop", "folder.csv": "folder",
    "up": "..", "itself/self": "../itself", "texts/1.txt": "../pipe", "texts/2.txt": "none", "words.jsonl": "corpus.json", "zero.gz": "/dev/zero",
}  # fmt: skip
_ODD_PLACES = (
    *_PLACES, "itself", "texts", "/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "/proc/self/environ", "corpus.json/", "corpus.json/x",
    "corpus.json/..", "", ".", "x" * 300, "x/" * 3000, "none.json", "none.gz", "~", "~nobody/x", "-", "é", "a\nb", "\x1b[31m",
)  # fmt: skip


def places(random: Random) -> Attempt:
    """Pipes without a writer, devices without an end, links in a circle, and what is not there at all."""
    at = random.choice(_ODD_PLACES)
    files = {**_files(), "itself/1.txt": b"Mr Doe", "texts/3.txt": b"Mr Doe"}
    command: tuple[str, ...] = random.choice((
        ("evaluate", at, "a=masks.json", *_FEW),
        ("evaluate", at),
        ("evaluate", "corpus.json", f"a={at}", *_FEW),
        ("evaluate", "corpus.json", "a=masks.json", "-m", "trir", "--background", at, *_FEW),
        ("evaluate", "corpus.json", "a=masks.json", "-m", f'wp(ic="{at}")', *_FEW),
        ("evaluate", "corpus.json", "a=masks.json", "-m", f'nmi(embedding="./{at}")', *_FEW),
        ("evaluate", "corpus.json", "a=masks.json", "-m", f'recall(function_words="spacy:./{at}")', *_FEW),
        ("evaluate", "corpus.json", "a=masks.json", "-m", f'phi_oov(dictionary="{at}")', *_FEW),
        ("validate", at), ("validate", "corpus.json", at), ("scan", at),
        ("report", at), ("compare", at), ("check", at), ("compare", at, at),
        ("attack", "--background", at), ("attack", "--background", "background.json", f"a={at}"),
        ("convert", at, "--to", "tab", "-o", "made.json"),
        ("convert", at, "--format", random.choice(("i2b2", "brat", "conll")), "--to", "tab", "-o", "made.json"),
        ("apply", "--replace", "surrogate", at, "-o", "made"), ("anonymize", at, "--with", "rules", "-o", "made.json"),
        ("evaluate", at, "--with", "rules"), ("evaluate", "corpus.json", f"a={at}", "--with", "rules", "--background", at),
        ("annotate", at, "--with", "rules", "-o", "made.json"),
        ("verifier", "score", at, "answers.txt"), ("verifier", "score", "truth.txt", at),
        ("train", "verifier", at, "-o", "made"), ("verifier", "answer", "corpus.json", "--verifier", at, "-o", "made.txt"),
        ("corpus", at), ("agreement", at), ("errors", at), ("risk", at), ("risk", "none.json", "--population", at), ("review", at, "-o", "made"),
        ("review", "corpus.json", "--filled", at, "-o", "made.json"),
        ("evaluate", "corpus.json", "a=masks.json", "--ratings", at, *_FEW), ("rate", "sample", at, f"a={at}", "-o", "made"),
        ("rate", "serve", at, "--rater", "r"),
        ("corpus", "--vocabulary", at), ("corpus", "--vocabulary", "corpus.json", "--dictionary", at),
    ))  # fmt: skip
    return Attempt(files, command, OR_FAILED, _PLACES)
