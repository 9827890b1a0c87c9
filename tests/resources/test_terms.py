"""Terms: entities, then noun chunks that do not overlap them, then what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import ResourceError
from showthrough.data.documents import Corpus, Document
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.metrics.chunk import Chunk, HidingRule
from showthrough.models import Resources

Slow = Callable[[str, str], list[tuple[int, int]]]
TEXT = "Mr John Doe left the old house in Oslo on 3 May 1996.  His sister\nstayed there."


def found(name: str, *texts: str, sentences: bool = False) -> list[list[str]]:
    axis = SpanLayout(Corpus([Document(str(number), text) for number, text in enumerate(texts)]))
    terms = Resources().terms(name).terms(axis, sentences=sentences)
    return [
        [text[a:b] for a, b in zip(each.start.tolist(), each.end.tolist(), strict=True)]
        for text, each in zip(texts, terms, strict=True)
    ]


def test_words_alone() -> None:
    assert found("none", "Mr Doe-Lee (東京).", "", "…") == [["Mr", "Doe", "Lee", "東", "京"], [], []]


def test_entities_chunks_and_the_rest(spacy_small: str, slow_terms: Slow) -> None:
    (terms,) = found(f"spacy:{spacy_small}", TEXT)
    assert terms == [TEXT[a:b] for a, b in slow_terms(spacy_small, TEXT)]
    assert {"John Doe", "the old house", "Oslo", "3 May 1996", "left", "."} <= set(terms)
    assert not any(term.isspace() for term in terms)


def test_tokens_alone(spacy_small: str) -> None:
    (terms,) = found(f"spacy-tokens:{spacy_small}", TEXT)
    assert terms == TEXT.replace(".", " .").split()


def test_as_the_slow_one_on_court_cases(spacy_small: str, slow_terms: Slow, data: Path) -> None:
    import json

    texts = list(json.loads((data / "tab/test_texts.json").read_text()).values())[:2]
    expected = [[text[a:b] for a, b in slow_terms(spacy_small, text)] for text in texts]
    assert found(f"spacy:{spacy_small}", *texts) == expected


@pytest.mark.parametrize("kind", ["spacy", "spacy-tokens"])
def test_sentences(kind: str, spacy_small: str) -> None:
    axis = SpanLayout(Corpus([Document("d", TEXT), Document("e", " ")]))
    first, second = Resources().terms(f"{kind}:{spacy_small}").terms(axis, sentences=True)
    assert [TEXT[a:b].strip() for a, b in first.sentences.tolist()] == [TEXT[:53], TEXT[55:]]
    assert len(second.start) == 0


def test_a_text_is_read_once(spacy_small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(f"spacy:{spacy_small}", TEXT, "Oslo")

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("the pipeline was loaded")

    monkeypatch.setattr("spacy.load", fail)
    assert found(f"spacy:{spacy_small}", "Oslo", TEXT) == first[::-1]
    with pytest.raises(ResourceError, match="the pipeline was loaded"):
        found(f"spacy-tokens:{spacy_small}", TEXT)  # other terms, another question


def test_function_words_are_kept_too(spacy_small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def ignorable() -> Sequence[int]:
        return Chunk(Corpus([Document("d", TEXT)])).span_index(HidingRule(f"spacy:{spacy_small}")).before.tolist()  # type: ignore[no-any-return]

    first = ignorable()
    monkeypatch.delattr("spacy.load")
    assert ignorable() == first


def test_a_pipeline_in_a_folder(spacy_small: str, tmp_path: Path) -> None:
    import spacy

    spacy.load(spacy_small).to_disk(tmp_path / "mine")
    assert found(str(tmp_path / "mine"), TEXT) == found(f"spacy:{spacy_small}", TEXT)


def test_a_folder_that_happens_to_bear_its_name(
    spacy_small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is loaded is the package, so its content is what tells its answers apart."""
    name = f"spacy:{spacy_small}"
    revisions = Resources().revisions({"chunking": name, "function_words": name})
    assert len(revisions[name]) > 32
    (tmp_path / spacy_small).mkdir()
    (tmp_path / spacy_small / "README").write_text("something else")
    monkeypatch.chdir(tmp_path)
    assert Resources().revisions({"chunking": name}) == revisions


@pytest.mark.parametrize("said", ['"zz"', '"../x"', '"a\\u0000b"', '""', "7", "null", "[]", "${x.y}"])
def test_a_pipeline_of_a_language_that_is_none(said: str, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'showthrough[spacy]'")
    spacy.blank("en").to_disk(tmp_path / "odd")
    config = tmp_path / "odd/config.cfg"
    config.write_text(config.read_text().replace('lang = "en"', f"lang = {said}"))
    with pytest.raises(ResourceError, match=r'cannot be loaded: .*; or choose chunking="none"') as caught:
        found(str(tmp_path / "odd"), TEXT)
    assert "\n" not in str(caught.value)


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'showthrough[spacy]'")
    with pytest.raises(ResourceError, match=r'is not installed: python -m spacy download none_such; .*chunking="none"'):
        found("spacy:none_such", TEXT)
    with pytest.raises(ResourceError, match="there is no folder"):
        found(str(tmp_path / "none"), TEXT)
    with pytest.raises(ResourceError, match="'numpy' cannot be loaded"):
        found("spacy:numpy", TEXT)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResourceError, match="cannot be loaded"):
        found(str(tmp_path / "empty"), TEXT)
    spacy.blank("xx").to_disk(tmp_path / "bare")
    with pytest.raises(ResourceError, match='finds no noun chunks: choose chunking="spacy-tokens:'):
        found(str(tmp_path / "bare"), TEXT)
    import sys

    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ResourceError, match=r"needs spaCy: pip install 'showthrough\[spacy\]'; or choose chunking"):
        found(str(tmp_path / "bare"), "another text")
