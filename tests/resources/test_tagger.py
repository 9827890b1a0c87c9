"""Function words by a spaCy pipeline's tags: those of the whole pipeline, as TAB's script has them."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import ResourceError
from showthrough.data.documents import Corpus, Document
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.models import Resources
from showthrough.models.lexicon import ALWAYS, PUNCTUATION
from showthrough.models.pipeline import FREE_TAGS

pytestmark = pytest.mark.skipif(
    find_spec("spacy") is None, reason="spaCy is not installed: pip install 'showthrough[spacy]'"
)


def spacy() -> Any:
    """Not imported before a test needs it: that takes seconds."""
    import spacy

    return spacy


def free(name: str, *texts: str) -> list[str]:
    """The texts with a line in the place of what need not be masked."""
    corpus = Corpus([Document(str(number), text) for number, text in enumerate(texts)])
    ignorable = Resources().function_words(f"spacy:{name}").ignorable(SpanLayout(corpus))
    shown = "".join("-" if free else letter for free, letter in zip(ignorable, "\n".join(texts), strict=True))
    return shown.split("\n") if len(texts) > 1 else [shown]


def by_whole_pipeline(pipeline: Any, text: str) -> str:
    """The same, token by token, with everything in the pipeline at work."""
    shown = ["-" if letter in PUNCTUATION else letter for letter in text]
    for token in pipeline(text):
        if token.pos_ in FREE_TAGS or token.lower_ in ALWAYS:
            shown[token.idx : token.idx + len(token)] = "-" * len(token)
    return "".join(shown)


def test_tags_that_hang_on_the_parse(spacy_small: str) -> None:
    """Without the parser, the attribute ruler takes "each" and "which" for determiners: 0.5 % of all tokens."""
    text = "The two parties each filed a claim, which was late."
    assert free(spacy_small, text) == ["----two-parties-each-filed---claim--which-was-late-"]
    assert free(spacy_small, text) == [by_whole_pipeline(spacy().load(spacy_small), text)]


@pytest.mark.slow
def test_the_tags_of_court_cases(spacy_small: str, data: Path) -> None:
    texts = list(json.loads((data / "tab/test_texts.json").read_text()).values())[:4]
    texts = [text.replace("\n", " ") for text in texts]
    pipeline = spacy().load(spacy_small)
    assert free(spacy_small, *texts) == [by_whole_pipeline(pipeline, text) for text in texts]


def test_whatever_comes_before_the_last_tag_is_run(tmp_path: Path) -> None:
    """A ruler that tags by entities needs the component that finds them; one behind it is of no use."""
    made = spacy().blank("en")
    names = made.add_pipe("entity_ruler")
    names.add_patterns([{"label": "PERSON", "pattern": "Per Lind"}])
    tags = made.add_pipe("attribute_ruler")
    tags.add([[{"LOWER": "per"}]], {"POS": "ADP"})
    tags.add([[{"ENT_TYPE": "PERSON"}]], {"POS": "PROPN"})
    made.add_pipe("entity_ruler", name="more")
    made.to_disk(tmp_path / "mine")
    assert free(str(tmp_path / "mine"), "Per Lind, 3 per day") == ["Per-Lind--3-----day"]


@pytest.mark.parametrize(("language", "expected"), [("en", "---Sol-said---"), ("es", "Mr-Sol-said-no")])
def test_words_that_are_free_whatever_their_tag_are_english(language: str, expected: str, tmp_path: Path) -> None:
    spacy().blank(language).to_disk(tmp_path / "bare")
    assert free(str(tmp_path / "bare"), "Mr Sol said no") == [expected]


@pytest.mark.parametrize("name", [".", "./~", "/"])
def test_a_folder_that_is_no_pipeline_is_not_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be somebody's home, which takes minutes to read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("showthrough.models.pipeline.folder_digest", lambda folder: pytest.fail(f"reads {folder}"))
    (tmp_path / "~").mkdir()
    with pytest.raises(ResourceError, match=r"cannot be loaded: there is no config\.cfg in the folder"):
        _ = Resources().function_words(f"spacy:{name}").ignorable(SpanLayout(Corpus([Document("d", "x")])))
