from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.data import documents
from showthrough.data.documents import Corpus, Document, chunk_ranges


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 60), st.sampled_from([1, 2, 4096]), st.data()
)
def test_chunks_end_where_all_lengths_together_say(
    lengths: list[int], characters: int, ahead: int, data: st.DataObject
) -> None:
    """However few documents are looked at to find the end of the next chunk."""
    corpus = Corpus([Document(str(number), "x" * length) for number, length in enumerate(lengths)])
    start = data.draw(st.integers(0, len(lengths) - 1))
    left = chunk_ranges(np.array(lengths[start:], dtype=np.int64), characters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "_AHEAD", ahead)
        found = list(corpus.chunks(characters, start))
    assert found == [range(start + part.start, start + part.stop) for part in left]
