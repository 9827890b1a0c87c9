"""The dense attack, with the embedding that ships; and fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from showthrough.core.errors import ResourceError
from showthrough.families.reidentification.attacks.dense import Dense, cut_windows
from showthrough.families.reidentification.attacks.lexical import Lexical
from showthrough.families.reidentification.attacks.suite import fuse
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings

LSA = Dense("lsa", window=6, step=3)
BACKGROUND = {
    "ann": "the surgeon cut and sewed all night in the theatre and the patient lived on",
    "bob": "bread rises in the oven while the baker sleeps and flour lies on the floor",
    "cem": "the judge read the sentence and the court fell silent when the robe moved",
}


class Letters:
    """An embedding by hand: how often a, b and c occur."""

    def fitted(self, originals: Sequence[str], long_texts: str) -> Callable[[Sequence[str]], np.ndarray]:
        return lambda texts: np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)


def test_windows_by_hand() -> None:
    found, owner = cut_windows(["a b c d e", "", "f, g"], window=3, step=2)
    assert found == ["a b c", "c d e", "f, g"]  # a window that adds no word is not made
    assert owner.tolist() == [0, 0, 2]
    assert cut_windows(["a b c d"], 3, 2)[0] == ["a b c", "c d"]
    assert cut_windows(["", " "], 3, 2)[0] == []


def test_every_window_takes_the_best_window_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    resources = Resources()
    monkeypatch.setattr(resources, "embedder", lambda name: Letters())
    fitted = Dense("lsa", window=1, step=1).fit({"one": "aaa b", "two": "c"}, resources)
    # The document's windows a and b each find themselves with the first individual: (1 + 1)/2; with the second 0.
    fit = np.zeros((1, 2))
    fit[0] = fitted._best(np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32)).mean(axis=0)
    assert fit.tolist() == [[1.0, 0.0]]
    assert fitted.scores(["a b", "c"]).score.argmax(axis=1).tolist() == [0, 1]


def test_people_are_found_by_passages() -> None:
    fitted = LSA.fit(BACKGROUND, Resources())
    found = fitted.scores(["PERSON cut and sewed", "PERSON sleeps, bread rises", "the court fell silent", ""])
    assert found.heard.tolist() == [True, True, True, False]
    assert found.score[:3].argmax(axis=1).tolist() == [0, 1, 2]


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = LSA.fit(BACKGROUND, Resources())
    texts = ["PERSON cut and sewed all night in the theatre", "bread rises"]
    whole = fitted.scores(texts).score
    monkeypatch.setattr("showthrough.families.reidentification.attacks.dense._CELLS", 1)
    assert fitted.scores(texts).score == pytest.approx(whole)


def test_without_its_model_it_says_what_to_do() -> None:
    resources = Resources(ModelSettings(cache=False))
    with pytest.raises(ResourceError, match="lsa"):
        Dense("/no/such/folder").fit(BACKGROUND, resources)


def test_fusion_hears_whoever_one_of_them_hears() -> None:
    lexical = Lexical().fit(BACKGROUND).scores(["surgeon", "bread", ""])
    dense = LSA.fit(BACKGROUND, Resources()).scores(["surgeon", "bread", ""])
    both = fuse([lexical, dense])
    assert both.heard.tolist() == [True, True, False]
    assert both.score[:2].argmax(axis=1).tolist() == [0, 1]
    assert both.explain is not None


def test_fusion_of_one_keeps_the_order() -> None:
    found = Lexical().fit(BACKGROUND).scores(["surgeon robe", "bread", "judge"])
    assert fuse([found]).score.argmax(axis=1).tolist() == found.score.argmax(axis=1).tolist()
