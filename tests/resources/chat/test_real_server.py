"""A real server that others wrote, with a tiny model of random weights: the protocol, and nothing that it says."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from showthrough.models.chat.base import ChatQuestion
from showthrough.models.chat.model import LanguageModel
from showthrough.models.chat.recordings import Recordings, read_recordings
from showthrough.models.settings import AskingSettings

NEEDED = ("transformers", "torch", "accelerate", "fastapi", "uvicorn", "openai")
MISSING = [name for name in NEEDED if find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING), reason=f"transformers serve needs {', '.join(MISSING)}: pip install 'showthrough[models,serve]'"
    ),
]
TEMPLATE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant:"
PATIENCE = 180  # seconds until it is there


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers whose words are bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("models") / "tiny"
    words = {letter: number for number, letter in enumerate(["<end>", *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    tokenizer = Tokenizer(models.BPE(vocab=words, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>")  # noqa: S106
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 2048}
    ends = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    LlamaForCausalLM(LlamaConfig(vocab_size=len(words), **sizes, **heads, **ends)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def served(model: Path) -> Iterator[str]:
    """Its URL, as long as the server runs."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    asked = ["serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    program = [sys.executable, "-m", "transformers.cli.transformers", *asked]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            with urlopen(url, timeout=5):  # noqa: S310 (this machine)
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    pytest.fail("transformers serve did not start")


def test_a_real_server_is_understood(served: str, model: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    asked = [ChatQuestion("Say something.", text, "any.v1", "d", schema, ("a", text), 8) for text in ("one", "two")]
    chat = LanguageModel(f"llm:{model}@{served}", AskingSettings(concurrency=2), Recordings(answers))
    replies = chat.replies(asked, str)
    assert all(reply is not None and reply.tokens_in and 0 < reply.tokens_out <= 8 for reply in replies)
    assert [one.tries for one in read_recordings(answers)] == [1, 1]
    assert chat.asked().model
    again = LanguageModel(f"llm:{model}@{served}", AskingSettings(), Recordings(tmp_path / "others"))
    assert [reply and reply.content for reply in again.replies(asked, str)] == [
        reply and reply.content for reply in replies
    ]
