"""Clinical metrics on the 750 records of MEDDOCAN, and on a copy that was spoiled in known ways."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from showthrough import (
    Anonymization,
    Corpus,
    Mask,
    Mention,
    TypedMask,
    evaluate,
    read_anonymization,
    read_corpus,
    write_corpus,
)
from showthrough.families.clinical.by_span import sentences
from showthrough.families.clinical.vocabulary import Share, analyse

DIFFERENCES = (Path(__file__).resolve().parents[3] / "docs/differences.md").read_text(encoding="utf-8")
ALL = ["preset:i2b2", "preset:meddocan"]


def test_all_records_are_read(records: Corpus) -> None:
    # A mention whose text is not the one its tag states would have been refused: there is none.
    assert len(records) == 750
    assert records.survey.mentions == 17134
    assert len(records.survey.types) == 22


def test_both_formats_of_the_corpus_are_the_same(meddocan: Path, records: Corpus) -> None:
    brat = {document.id: document for document in read_corpus(meddocan, format="brat")}
    for document in records:
        assert brat[document.id].text == document.text
        assert set(brat[document.id].annotations[0].mentions) == set(document.annotations[0].mentions)


@pytest.mark.parametrize(("format", "folder", "ending"), [("meddocan", "xml", ".xml"), ("brat", "brat", ".ann")])
def test_what_is_written_is_what_was_read_byte_by_byte(
    meddocan: Path, tmp_path: Path, format: str, folder: str, ending: str
) -> None:
    corpus = read_corpus(meddocan / "dev" / folder, format=format)
    for written in write_corpus(corpus, tmp_path / "out", format):
        assert written.read_bytes() == (meddocan / "dev" / folder / written.name).read_bytes()
    assert len(list((tmp_path / "out").glob(f"*{ending}"))) == 250


@pytest.mark.parametrize("format", ["tab", "i2b2-2006", "i2b2-2014", "brat", "conll"])
def test_every_format_keeps_texts_and_marks(records: Corpus, tmp_path: Path, format: str) -> None:
    some = Corpus(records.documents[:200])
    path = tmp_path / ("out.json" if format == "tab" else "out")
    write_corpus(some, path, format)
    again = {document.id: document for document in read_corpus(path, format=format)}
    for one in some:
        two = again[one.id]
        assert one.text == two.text
        marks = [
            sorted(
                (mark.start, mark.end, mark.entity_type, mark.identifier) for mark in document.annotations[0].mentions
            )
            for document in (one, two)
        ]
        assert marks[0] == marks[1]


def test_hospitals_share_words_with_their_records(meddocan: Path) -> None:
    # 93 of the 140 hospitals hold a word, such as "de" or "hospital", that stands in the same record as no PHI. Not one
    # stands there as a whole.
    found = analyse(read_corpus(meddocan / "dev/xml", format="meddocan"), frozenset())
    assert found.instances["HOSPITAL"].ambiguous_in_record == Share(93, 140)
    assert found.instances["HOSPITAL"].ambiguous_in_corpus == Share(135, 140)
    # Numbers are there: most ages are numbers that also stand for something else.
    assert found.instances["EDAD_SUJETO_ASISTENCIA"].ambiguous_in_corpus == Share(518, 521)


def _script(corpus: Corpus, system: Anonymization) -> tuple[float, float]:
    """Precision and recall of MEDDOCAN's merged view as its script counts them."""
    right = extra = missed = 0
    for document in corpus:
        sides = [
            {(one.start, one.end) for one in found}
            for found in (document.annotations[0].mentions, system.of(document.id))
        ]
        gold, said = sides
        merged = [set(_neighbours_joined(document.text, side)) for side in sides]
        common = (gold & said) | (merged[0] & merged[1])

        def outside(span: tuple[int, int], common: set[tuple[int, int]] = common) -> bool:
            return not any(start <= span[0] and span[1] <= end for start, end in common)

        right += len(common)
        extra += sum(map(outside, said - gold))
        missed += sum(map(outside, gold - said))
    return right / (right + extra), right / (right + missed)


def _neighbours_joined(text: str, spans: set[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and not any(map(str.isalnum, text[joined[-1][1] : start])):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _strings_of(train: Corpus, dev: Corpus) -> Anonymization:
    """Masks whatever is marked in other records."""
    known = {document.text[mark.start : mark.end] for document in train for mark in document.annotations[0].mentions}
    longest = sorted((string for string in known if len(string) > 3), key=lambda string: (-len(string), string))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
    return Anonymization({one.id: [Mask(*found.span()) for found in pattern.finditer(one.text)] for one in dev})


@pytest.mark.slow
def test_the_merged_view_differs_from_the_script_as_documented(meddocan: Path) -> None:
    train, dev = (read_corpus(meddocan / part / "xml", format="meddocan") for part in ("train", "dev"))
    spans = {one.id: {(mark.start, mark.end) for mark in one.annotations[0].mentions} for one in dev}
    whole = [(one.id, span) for one in dev for span in _neighbours_joined(one.text, spans[one.id])]
    assert (sum(map(len, spans.values())), len(whole)) == (5801, 4922)
    kept: dict[str, list[Mask]] = {one.id: [] for one in dev}
    for number, (name, span) in enumerate(whole):
        if number % 10:
            kept[name].append(Mask(*span))
    systems = {
        "gold": Anonymization({name: [Mask(*span) for span in found] for name, found in spans.items()}),
        "strings of the training part": _strings_of(train, dev),
        "gold, spoiled at random": Anonymization(Spoiled(dev, 1).masks),
        "gold's merged spans, a tenth dropped": Anonymization(kept),
    }
    run = evaluate(dev, systems, ["phi_merged"], resamples=0)
    for name, system in systems.items():
        cells = [name]
        for part, theirs in zip("PR", _script(dev, system), strict=True):
            difference = (run[name, "phi_merged", part].value or 0) - theirs
            cells += [f"{theirs:.4f}", f"{difference:+.4f}".replace("-", "−") if difference else "0"]
        assert f"| {' | '.join(cells)} |" in DIFFERENCES


def test_sentences(meddocan: Path) -> None:
    # docs/metrics/phi_leak.md tells this number.
    dev = read_corpus(meddocan / "dev/xml", format="meddocan")
    assert sum(sentences(document.text) for document in dev) == 8675


def test_gold_against_itself_is_perfect(meddocan: Path, records: Corpus) -> None:
    gold = read_anonymization(meddocan, records, name="gold", format="i2b2")
    run = evaluate(records, {"gold": gold}, ALL, resamples=0, references=False)
    for score in run.scores:
        assert score.value == (0.0 if score.metric == "phi_leak" else 1.0), (score.metric, score.part)


class Spoiled:
    """A copy of gold in which some instances are dropped, moved, retyped, and some are added; it knows what it did."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        choice = random.Random(seed)
        types = list(corpus.survey.types)
        self.masks: dict[str, list[TypedMask]] = {}
        self.counts: Counter[str] = Counter()
        for document in corpus:
            gold = document.annotations[0].mentions
            free = bytearray(b"\1" * (len(document.text) + 2))
            for mention in gold:
                free[mention.start : mention.end] = bytes(mention.end - mention.start)
            masks = self.masks[document.id] = []
            for mention in gold:
                masks += self._changed(mention, free, choice, types)
            for _ in range(round(len(gold) * 0.05)):
                start = choice.randrange(len(document.text) - 6)
                if all(free[start : start + 6]):
                    free[start : start + 6] = bytes(6)  # nothing else is added there
                    masks.append(TypedMask(start, start + 6, None, choice.choice(types)))
                    self.counts["added"] += 1
            choice.shuffle(masks)

    def _changed(self, mention: Mention, free: bytearray, choice: random.Random, types: list[str]) -> list[TypedMask]:
        start, end, kind = mention.start, mention.end, mention.entity_type
        fate = choice.random()
        if fate < 0.10:
            self.counts["dropped"] += 1
            return []
        if fate < 0.15 and end - start > 1 and free[end] and free[end + 1]:
            self.counts["moved"] += 1
            free[end] = 0
            return [TypedMask(start + 1, end + 1, None, kind)]
        if 0.15 <= fate < 0.20:
            self.counts["retyped"] += 1
            return [TypedMask(start, end, None, choice.choice([one for one in types if one != kind]))]
        self.counts["kept"] += 1
        return [TypedMask(start, end, None, kind)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_spoiled_copy_gives_the_counts_of_its_spoiling(records: Corpus, seed: int) -> None:
    spoiled = Spoiled(records, seed)
    made = spoiled.counts
    assert min(made.values()) > 500  # every kind of fault is there, many times
    run = evaluate(records, {"a": Anonymization(spoiled.masks)}, ALL, resamples=0)
    counts = {name: sum(values) for name, values in run.rows["phi_instance"]["a"].items()}
    assert counts["C"] == made["kept"]
    assert counts["S"] == made["moved"] + made["retyped"]
    assert counts["I"] == made["added"]
    assert counts["D"] == made["dropped"]
    gold, said = 17134, 17134 - made["dropped"] + made["added"]
    assert run["a", "phi_instance", "P"].value == pytest.approx(made["kept"] / said)
    assert run["a", "phi_instance", "R"].value == pytest.approx(made["kept"] / gold)
    assert run["a", "phi_strict", "R"].value == pytest.approx(made["kept"] / gold)
    assert run["a", "phi_span", "R"].value == pytest.approx((made["kept"] + made["retyped"]) / gold)
    sentences = sum(run.rows["phi_leak"]["a"]["sentences"])
    assert run["a", "phi_leak"].value == pytest.approx((gold - made["kept"]) / sentences)


def _most(kinds: list[str], places: list[int]) -> str:
    """The kind that most of these places have."""
    counts = Counter(kinds[place] for place in places if kinds[place])
    return counts.most_common(1)[0][0] if counts else ""


@pytest.mark.slow
def test_tokens_of_a_spoiled_copy(records: Corpus) -> None:
    spoiled = Spoiled(records, 3)
    run = evaluate(records, {"a": Anonymization(spoiled.masks)}, ["phi_token"], resamples=0)
    expected: Counter[str] = Counter()
    for document in records:
        # Painted character by character: 0 nothing, or the number of a type; nothing overlaps here.
        true, taken = [""] * len(document.text), [""] * len(document.text)
        for side, spans in ((true, document.annotations[0].mentions), (taken, spoiled.masks[document.id])):
            for span in spans:
                side[span.start : span.end] = [span.entity_type] * (span.end - span.start)
        for run_ in re.finditer(r"\S+", document.text):
            letters = [place for place in range(*run_.span()) if document.text[place].isalnum()]
            asked = [place for place in letters if true[place]]
            gold = _most(true, asked)
            said = _most(taken, asked or letters)
            if not all(taken[place] for place in asked):
                said = ""
            expected["TP"] += bool(gold and said)
            expected["FP"] += bool(said and not gold)
            expected["FN"] += bool(gold and not said)
            expected[f"TP:{gold}"] += bool(gold and gold == said)
            expected[f"FN:{gold}"] += bool(gold and gold != said)
            expected[f"FP:{said}"] += bool(said and gold != said)
    counts = {name: sum(values) for name, values in run.rows["phi_token"]["a"].items()}
    for name, value in counts.items():
        if name not in ("masks", "typed"):
            assert value == expected[name], name
