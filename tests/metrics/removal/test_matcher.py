"""The matcher: offsets lead back to the text, and what was marked is found where it stands, in every document."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as some

import showthrough as st
from showthrough.data.reading_form import cased_form, fold_case, locate
from showthrough.data.text_views import TextReading
from showthrough.metrics.matching.forms import form_of, person_form, vocabulary_of
from showthrough.metrics.matching.search import Capitals, Release
from showthrough.metrics.matching.strings import FormIndex
from showthrough.systems.replacing import WAYS, rewritten

# Of many scripts, with what joins, what nobody sees, what looks alike, and what is encoded.
ALPHABET = (
    "abzABZ 09.-'\n\t@&%;*_"
    "éÉßŁøÆİıñ\u0301\u0308\u00ad\u200b\ufeff"
    "аеоСРΑΒσςШж"
    "אבגשׁ\u05bcابت\u064eدी"
    "田中太タナカガ\u3099김\u1100\u1161\u11a8สมชาย"
    "ﬁ①²Ⅷ𝐉𝟗٣٤१२"
)
TEXTS = some.text(some.sampled_from(ALPHABET), max_size=40) | some.text(max_size=30)
ENGLISH, SPANISH = "wordfreq:en", "wordfreq:es"


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_a_located_form_is_the_form(text: str) -> None:
    located, cased = locate(text), cased_form(text)
    assert (located.cased, located.form) == (cased, fold_case(cased))
    assert len(located.form) == len(located.cased) == len(located.starts) == len(located.ends)
    assert all(0 <= start <= end <= len(text) for start, end in zip(located.starts, located.ends, strict=True))
    assert list(located.starts) == sorted(located.starts)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_word_of_every_view_stands_in_the_text(text: str) -> None:
    reading = TextReading(text)
    for view in reading.views:
        position = 0
        for word in view.form.split():
            start = view.form.index(word, position)
            position = start + len(word)
            spans = reading.spans(view, start, position)
            assert spans
            assert all(0 <= low < high <= len(text) for low, high in spans)
            if view is reading.plain:
                ((low, high),) = spans
                assert word in fold_case(cased_form(text[low:high])).replace(" ", "") or "\n" in text or len(word) == 1


def _release(text: str, dictionary: str) -> Release:
    vocabulary = vocabulary_of(dictionary)
    return Release(text, Capitals(text, vocabulary), vocabulary)


def _unfound(corpus: st.Corpus, dictionary: str) -> tuple[int, list[str]]:
    """How many mentions are looked for, and those that are not found where they were marked."""
    vocabulary, asked, lost = vocabulary_of(dictionary), 0, []
    for document in corpus:
        text, release = document.text, _release(document.text, dictionary)
        found: dict[Any, list[tuple[int, int]]] = {}
        for annotation in document.annotations:
            for mention in annotation.mentions:
                if mention.identifier not in ("DIRECT", "QUASI"):
                    continue
                marked = text[mention.start : mention.end]
                form = form_of(marked, mention.entity_type, mention.identifier == "DIRECT", vocabulary)
                cut = any(text[at - 1 : at + 1].isalnum() and 0 < at < len(text) for at in (mention.start, mention.end))
                if not form.is_searchable or cut:
                    continue
                asked += 1
                if form not in found:
                    hits = release.hits(form)
                    found[form] = [span for hit in hits for span in release.reading.spans(hit.view, hit.start, hit.end)]
                if not any(low < mention.end and mention.start < high for low, high in found[form]):
                    lost.append(f"{document.id}: {marked}")
    return asked, lost


def test_what_was_marked_is_found_where_it_stands_in_court_cases(data: Path) -> None:
    asked, lost = _unfound(st.read_corpus(data / "tab/train_100.json"), ENGLISH)
    assert (asked > 3_000, lost) == (True, [])


def test_what_was_marked_is_found_where_it_stands_in_records(records: st.Corpus) -> None:
    asked, lost = _unfound(records, SPANISH)
    assert (asked > 10_000, lost) == (True, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Fernandez de la Torre", "Apellidos: Fernandez de la Torre."),  # two ordinary words, and what is between
        ("Gonzalez Gonzalez", "Apellidos: Gonzalez Gonzalez."),
        ("Guillermo", "En la exploración Guillermo estaba bien."),
        ("Παπαδόπουλος", "Ο ΠΑΠΑΔΟΠΟΥΛΟΣ ήρθε."),  # sigma has three letters
        ("Kowal-\nska", "Ms Kowalska left."),
        ("Anna Kowalska", "Ms Kowal-\nska left."),
        ("Will Smith", "It was Smith, Will who left."),
        ("J. K. Rowlandson", "Ask Rowlandson, who left."),
        ("Anna Kowalska", f"See {base64.b64encode(b'Anna Kowalska').decode()} there."),
        ("Anna Kowalska", "See anna%20kowalska there, please."),
        ("Anna Kowalska", "See K&#111;walska there, please."),
        ("Anna Kowalska", "See #AnnaKowalska there, please."),
        ("Anna Kowalska", "See k o w a l s k a there, please."),
    ],
)
def test_a_name_can_be_read(name: str, text: str) -> None:
    release = _release(text, SPANISH if "Apellidos" in text or "En la" in text else ENGLISH)
    hits = list(release.hits(person_form(name)))
    assert hits
    assert all(release.reading.spans(hit.view, hit.start, hit.end) for hit in hits)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Will Smith", "He saw the smith, as Smith will."),  # an ordinary word alone; and `will` is no name there
        ("J. K. Rowlandson", "Ask J. K. Simmons, who left."),  # two initials are many people's
        ("Brown", "Brown bread is brown."),
        ("Anna Berg", "The berg was cold, and Annas and Bergen too."),
    ],
)
def test_a_name_cannot_be_read(name: str, text: str) -> None:
    assert list(_release(text, ENGLISH).hits(person_form(name))) == []


def test_an_index_finds_what_a_search_one_by_one_finds(data: Path) -> None:
    """Forms of 20 cases in the releases of all: the same as each of them looked for in each release."""
    corpus, vocabulary = st.read_corpus(data / "tab/train_100.json"), vocabulary_of(ENGLISH)
    documents = list(corpus)[:20]
    forms = {
        form_of(document.text[mention.start : mention.end], mention.entity_type, True, vocabulary): None
        for document in documents[:10]
        for annotation in document.annotations
        for mention in annotation.mentions
    }
    sought = [form for form in forms if form.is_searchable]
    index = FormIndex()
    for number, form in enumerate(sought):
        index.add(number, form)
    for document in documents[10:]:
        release = _release(document.text, ENGLISH)
        found = {number for number, _ in index.search(release, lambda hit, form: True)}
        slow = {number for number, form in enumerate(sought) if release.reads(form)}
        assert found <= slow
        assert slow <= found | index.found  # what an earlier release had is not looked for again


def _gold_masks(corpus: st.Corpus) -> dict[str, list[st.Mask]]:
    return {
        document.id: [
            st.TypedMask(*span, None, kind)
            for span, kind in {
                (mention.start, mention.end): mention.entity_type
                for annotation in document.annotations
                for mention in annotation.mentions
                if mention.identifier in ("DIRECT", "QUASI")
            }.items()
        ]
        for document in corpus
    }


STRICT = 'removed_qi(generalized="left")'


def test_removed_is_below_recall_and_rises_with_masks(data: Path) -> None:
    """Document by document; nothing masked gives 0, everything 1, and a mask more never lowers a number."""
    corpus = st.Corpus(list(st.read_corpus(data / "tab/train_100.json"))[:30])
    gold, draw = _gold_masks(corpus), random.Random(7)
    order = {key: draw.sample(masks, len(masks)) for key, masks in gold.items()}
    systems = {
        f"{share}": st.Anonymization({key: masks[: len(masks) * share // 4] for key, masks in order.items()})
        for share in range(5)
    }
    systems["all"] = st.Anonymization({one.id: [st.Mask(0, len(one.text))] for one in corpus})
    run = st.evaluate(corpus, systems, ["removed_di", STRICT, "er_di", "er_qi"], resamples=0, references=False)
    for removed, recall in (("removed_di", "er_di"), (STRICT, "er_qi")):
        rows = {name: run.rows[run[name, removed].metric][name]["removed"] for name in systems}
        covered = {name: run.rows[recall][name]["hidden"] for name in systems}
        assert all(few <= many for name in systems for few, many in zip(rows[name], covered[name], strict=True))
        for fewer, more in zip("0123", "1234", strict=True):
            assert all(low <= high for low, high in zip(rows[fewer], rows[more], strict=True)), (removed, more)
        assert run["0", removed].value == 0.0
        assert run["all", removed].value == 1.0


@pytest.mark.slow
def test_by_chance_few_direct_identifiers_can_be_read(data: Path, records: st.Corpus) -> None:
    """Everything that was marked is replaced, in each of the ways there are: in courts and in Spanish records."""
    cases = st.read_corpus(data / "tab/train_100.json")
    spanish = f'removed_di(dictionary="{SPANISH}", function_words="lexicon-es.1")'
    for corpus, metric in ((cases, "removed_di"), (records, spanish)):
        gold = st.Anonymization(_gold_masks(corpus))
        run = st.evaluate(
            corpus, {way: rewritten(corpus, gold, way) for way in WAYS}, [metric], resamples=0, references=False
        )
        for way in WAYS:
            chance, removed = run[way, metric, "chance"].value, run[way, metric].value
            assert chance is not None
            assert chance < 0.001, way
            assert removed is not None
            assert removed > 0.999, way  # annotators overlooked three: 786946231, Sheila and Iria
