"""Anonymizing a corpus: in batches, in one process or several, checked, with what it cost, in energy too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeVar

import numpy as np
from msgspec import structs

from showthrough.core.errors import InputError, PlanError, Problem, ResourceError, shorten
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.provenance import (
    MILLIONTHS,
    TOKENS_IN,
    TOKENS_OUT,
    UNPRICED,
    Cost,
    Provenance,
    texts_digest,
)
from showthrough.engines.base import LostError
from showthrough.engines.local import Local
from showthrough.models.cache import Cache
from showthrough.models.model_folders import TrainingRecord, TrainingTexts
from showthrough.systems._batches import BatchResult, find_in_batch, find_in_worker, replace_masks, try_loading
from showthrough.systems.base import Anonymizer, BaseAnonymizer, format_spec, get_optional, parameters_of
from showthrough.systems.mask_cache import KeptMasks
from showthrough.systems.outside.answers import Function
from showthrough.systems.replacing import Way
from showthrough.systems.spec import resolve_anonymizer
from showthrough.version import __version__

Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # documents that are done, and all of them
_BATCH = 100_000  # characters; a model fills its own batches with them


@dataclass(frozen=True)
class _Batch:
    """What came of some documents."""

    masks: list[list[Mask]]
    result: BatchResult  # without its masks
    replacing: float  # seconds
    earlier: bool  # whether it was found in an earlier run, when that was measured


@expects(corpus=Corpus)
def anonymize(
    corpus: Corpus,
    anonymizer: Anonymizer | Function | str,
    *,
    name: str | None = None,
    replacement: Way = "label",
    threshold: float | None = None,
    jobs: int | None = None,
    seen: bool = False,
    progress: Progress | None = None,
    cache: Cache | None = None,
) -> Anonymization:
    """What the anonymizer makes of every document of the corpus. Raises InputError for masks that cannot be.

    It is written as on the command line (`presidio+crf/`), or is a value, or a function: of a text or a Document, that
    gives spans, results of Presidio, a spaCy Doc, or the anonymized text.

    With `jobs` the work is done in so many processes of its own. Documents that a model was
    trained on are refused unless they may be `seen`. With a `cache` what it finds is kept, batch by batch.

    >>> from showthrough.systems.rules import Rules
    >>> from showthrough.data.documents import Document
    >>> hidden = anonymize(Corpus([Document("a", "Seen by Dr Ona Rask.")]), Rules())
    >>> hidden.of("a")
    [TypedMask(start=8, end=19, replacement='PERSON', entity_type='PERSON')]
    """
    label, anonymizer = resolve_anonymizer(anonymizer)
    again = refuse_seen(corpus, anonymizer, seen)
    if jobs is not None and _is_single(anonymizer):
        jobs = 1
    parts = _parts(corpus)
    keeping = KeptMasks(anonymizer, cache)
    batches: dict[int, _Batch] = {}
    done = 0
    if progress:
        progress(done, len(corpus))
    counters = read_counters()
    for index, result, earlier in _find_in_parts(anonymizer, parts, keeping, jobs):
        started = perf_counter()
        masks = replace_masks(parts[index], result.masks, replacement, threshold)
        summary = replace(result, masks=[])  # or a large corpus would have its masks in memory twice
        batches[index] = _Batch(masks, summary, perf_counter() - started, earlier)
        done += len(parts[index])
        if progress:
            progress(done, len(corpus))
    ordered = [batches[index] for index in range(len(parts))]
    by_id = dict(zip(corpus.ids, (document_masks for batch in ordered for document_masks in batch.masks), strict=True))
    joules = joules_between(counters, read_counters())
    counts: Counter[str] = Counter()
    for batch in ordered:
        counts.update(batch.result.counts)
    cost = _with_usage(_cost(corpus, anonymizer, ordered, jobs), ordered, counts, joules)
    provenance = _provenance(corpus, anonymizer, replacement, threshold, again, cost)
    provenance = structs.replace(provenance, counts=dict(sorted(counts.items())))
    return Anonymization(by_id, name=name or label, provenance=provenance)


def _parts(corpus: Corpus) -> list[Corpus]:
    return [corpus.part(numbers, lazy=True) for numbers in corpus.chunks(_BATCH)]


def _is_single(anonymizer: Anonymizer) -> bool:
    """Whether only one process at a time may work, since it writes a file."""
    return get_optional(anonymizer, "single", False) or any(map(_is_single, get_optional(anonymizer, "made_of", ())))


def check_ready(
    corpus: Corpus,
    systems: Mapping[str, Anonymizer],
    seen: bool = False,
    cache: Cache | None = None,
    *,
    loading: bool = True,
) -> None:
    """Raises InputError for all that keeps one of them from working: before another has worked for hours.

    One that has something to load does so in a process of its own, which ends then, unless all that it finds is kept;
    without `loading`, only whether what it names is there is looked at.
    """
    problems: list[Problem] = []
    for name, system in systems.items():
        try:
            refuse_seen(corpus, system, seen)
            for fact in ("version", "pinned", "model_bytes"):
                get_optional(system, fact, None)
            if loading and has_to_load(corpus, system, cache):
                _prepared_apart(system)
        except InputError as error:
            problems += error.problems
        except ResourceError as error:  # nothing was done yet: a bad request, and no system that failed
            problems.append(Problem("", f"anonymizer {shorten(name)}", str(error)))
    if problems:
        raise InputError(problems)


def has_to_load(corpus: Corpus, system: Anonymizer, cache: Cache | None = None) -> bool:
    """Whether a system loads something before it works, which takes a while; not where all that it finds is kept."""
    return _loads(system) and not _is_all_cached(corpus, KeptMasks(system, cache))


def _is_all_cached(corpus: Corpus, keeping: KeptMasks) -> bool:
    return all(keeping.get(part) is not None for part in _parts(corpus))


def _loads(anonymizer: Anonymizer) -> bool:
    if parts := get_optional(anonymizer, "made_of", ()):
        return any(map(_loads, parts))
    return getattr(type(anonymizer), "prepare", BaseAnonymizer.prepare) is not BaseAnonymizer.prepare


def _prepared_apart(anonymizer: Anonymizer) -> None:
    with closing(Local(1)) as workers:
        for _ in _raise_if_lost(workers.in_order(try_loading, [(anonymizer,)]), anonymizer):
            pass


def refuse_seen(corpus: Corpus, anonymizer: Anonymizer, allowed: bool = False) -> int:
    """How many documents it was trained on; raises PlanError for one, unless that is allowed."""
    training: TrainingRecord | None = get_optional(anonymizer, "training", None)
    if training is None:
        return 0
    learned = TrainingTexts(training)
    seen = sum(learned.has(document.text) for document in corpus)
    if seen and not allowed:
        reason = f"was trained on {seen} of these {len(corpus)} documents ({training.corpus})"
        fault = f"{reason}, so its numbers would be too good; expected others, or --seen to have them all the same"
        raise PlanError(fault, f"anonymizer {shorten(anonymizer.name)}")
    return seen


def _find_in_parts(
    anonymizer: Anonymizer, parts: Sequence[Corpus], keeping: KeptMasks, jobs: int | None
) -> Iterator[tuple[int, BatchResult, bool]]:
    """What is found in each part, and whether that was earlier: first what is kept, then what is to be done."""
    missing = []
    for index, part in enumerate(parts):
        entry = keeping.get(part)
        if entry is None:
            missing.append(index)
        else:
            yield index, entry, True
    tasks = ((anonymizer, parts[index]) for index in missing)
    with closing(Local(jobs or 1)) as workers, _finish_after(anonymizer):
        results = (
            starmap(find_in_batch, tasks)
            if jobs is None
            else _raise_if_lost(workers.in_order(find_in_worker, tasks), anonymizer)
        )
        for index, result in zip(missing, results, strict=True):
            keeping.put(parts[index], result)
            yield index, result, False


@contextmanager
def _finish_after(anonymizer: Anonymizer) -> Iterator[None]:
    try:
        yield
    finally:
        get_optional(anonymizer, "finish", lambda: None)()


def _raise_if_lost(answers: Iterable[Result], anonymizer: Anonymizer) -> Iterator[Result]:
    """What workers answer; raises ResourceError where one is gone."""
    try:
        yield from answers
    except LostError as error:
        raise ResourceError(f"anonymizer {shorten(anonymizer.name)}: {error}; fewer --jobs need less") from error


def _cost(corpus: Corpus, anonymizer: Anonymizer, batches: Sequence[_Batch], jobs: int | None) -> Cost:
    results = [batch.result for batch in batches]
    peaks = [result.peak_bytes for result in results if result.peak_bytes is not None]
    return Cost(
        seconds=sum(batch.result.seconds + batch.replacing for batch in batches),
        documents=len(corpus),
        characters=int(corpus.survey.lengths.sum()),
        loading=max((result.loading for result in results), default=0.0),
        peak_bytes=max(peaks, default=None) if len(peaks) == len(results) else None,
        model_bytes=get_optional(anonymizer, "model_bytes", None),
        processes=jobs or 1,
        device=", ".join(dict.fromkeys(result.device for result in results)) or "cpu",
        earlier=sum(len(batch.masks) for batch in batches if batch.earlier),
    )


def _with_usage(cost: Cost, batches: Sequence[_Batch], counts: Counter[str], joules: float | None) -> Cost:
    """The cost with times of documents, tokens and energy. What is counted of tokens is taken out of the counts."""
    each = [duration for batch in batches for duration in batch.result.each]
    by_document = len(each) == cost.documents
    if not by_document:
        each = [
            batch.result.seconds / len(batch.masks) for batch in batches if batch.masks for _ in range(len(batch.masks))
        ]
    p50, p95 = (float(np.quantile(each, share)) for share in (0.5, 0.95)) if each else (None, None)
    has_tokens = TOKENS_IN in counts or TOKENS_OUT in counts
    sent, answered, unpriced, millionths = (counts.pop(key, 0) for key in (TOKENS_IN, TOKENS_OUT, UNPRICED, MILLIONTHS))
    if cost.earlier:
        no_joules = "masks were kept from an earlier run"
    elif cost.device != "cpu":
        no_joules = f"only processors are counted, and the model ran on {cost.device}"
    else:
        no_joules = NO_COUNTER if joules is None else ""
    return structs.replace(
        cost,
        p50=p50,
        p95=p95,
        timed=("document" if by_document else "batch") if each else "",
        tokens_in=sent if has_tokens else None,
        tokens_out=answered if has_tokens else None,
        dollars=millionths / 1e6 if has_tokens and not unpriced else None,
        joules=None if no_joules else joules,
        no_joules=no_joules,
    )


def _provenance(
    corpus: Corpus, anonymizer: Anonymizer, way: Way, threshold: float | None, seen: int, cost: Cost
) -> Provenance:
    training: TrainingRecord | None = get_optional(anonymizer, "training", None)
    return Provenance(
        anonymizer=format_spec(anonymizer),
        version=anonymizer.version,
        parameters=parameters_of(anonymizer),
        pinned=dict(get_optional(anonymizer, "pinned", {})),
        replacement=way,
        threshold=threshold,
        texts=texts_digest(corpus),
        trained_on="" if training is None else f"{training.corpus}@{training.digest}",
        seen=seen,
        showthrough=__version__,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        cost=cost,
    )


_POWERCAP = Path("/sys/class/powercap")
_MICRO = 1_000_000
NO_COUNTER = "this machine has no counter of energy that can be read"


class EnergyCounter(NamedTuple):
    """What a counter shows, in millionths of a joule, and where it starts anew."""

    shown: int
    most: int


def read_counters(folder: Path = _POWERCAP) -> dict[str, EnergyCounter]:
    """The counters of whole processors by name; none where there are none, or where only the administrator may look."""
    counters = {}
    for package in sorted(folder.glob("intel-rapl:*")):
        if package.name.count(":") == 1:  # others are parts of it
            try:
                values = [int((package / name).read_text()) for name in ("energy_uj", "max_energy_range_uj")]
            except (OSError, ValueError):
                continue
            counters[package.name] = EnergyCounter(*values)
    return counters


def joules_between(before: Mapping[str, EnergyCounter], after: Mapping[str, EnergyCounter]) -> float | None:
    """What was used; `None` where nothing counts it. A counter that shows less has started anew, once.

    >>> joules_between({"a": EnergyCounter(9_000_000, 10_000_000)}, {"a": EnergyCounter(1_000_000, 10_000_000)})
    2.0
    """
    if not before or before.keys() != after.keys():
        return None
    steps = (after[name].shown - counter.shown for name, counter in before.items())
    return (
        sum(step if step >= 0 else step + after[name].most for name, step in zip(before, steps, strict=True)) / _MICRO
    )
