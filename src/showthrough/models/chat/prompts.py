"""Prompts: text files with a version in their names, known by their digest wherever an answer is told of."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import msgspec

from showthrough.core.patterns import lazy_pattern
from showthrough.models.chat._stream import JsonScanner
from showthrough.models.chat.base import ChatQuestion

T = TypeVar("T")

_THOUGHTS = lazy_pattern(r"\A\s*<think>.*?</think>", re.DOTALL)
_CONTROL = lazy_pattern(r"[\x00-\x1f]")
_FENCED = lazy_pattern(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


class Prompt(NamedTuple):
    """What a model is told before it is given a text."""

    name: str  # such as `subjects.v1`
    text: str
    digest: str

    def about(
        self,
        text: str,
        *,
        schema: Mapping[str, Any] | None = None,
        about: tuple[str, str] = ("", ""),
        tokens: int = 2000,
    ) -> ChatQuestion:
        """The question that a text makes of it; `about` has the anonymization and the document."""
        return ChatQuestion(self.text, text, self.name, self.digest, schema, about, tokens)


@lru_cache(maxsize=64)
def load(package: str, name: str) -> Prompt:
    """The prompt of a name: `load(package, "subjects.v1")` is `prompts/subjects.v1.txt` of the package."""
    return prompt_of(name, files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8"))


def prompt_of(name: str, text: str) -> Prompt:
    """A prompt as a text file has it."""
    text = text.strip()
    return Prompt(name, text, hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest())


def decode_answer(content: str, kind: type[T]) -> T:
    """What it says, as a value of that kind. Raises ValueError for all else.

    >>> decode_answer('Here it is:\\n```json\\n[1, 2]\\n```', list[int])
    [1, 2]
    >>> decode_answer('[1, 2] are the answers.', list[int])
    [1, 2]
    """
    spoken = _THOUGHTS.sub("", content, count=1).strip()
    fenced = _FENCED.findall(spoken)
    try:
        try:
            return msgspec.json.decode((fenced[-1] if fenced else spoken).encode(), type=kind)
        except msgspec.DecodeError:
            if (value := _embedded_json(spoken)) is None:
                raise
            # Models write line ends into strings, where JSON has none; elsewhere they mean nothing.
            return msgspec.json.decode(_CONTROL.sub(" ", value).encode(), type=kind)
    except (UnicodeEncodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _embedded_json(spoken: str) -> str | None:
    """The one JSON value among the words of an answer; of several nobody knows which was meant."""
    start = min((at for at in map(spoken.find, "{[") if at >= 0), default=-1)
    if start < 0:
        return None
    end = JsonScanner().feed(spoken[start:])
    if end is None or not {"{", "["}.isdisjoint(spoken[start + end :]):
        return None
    return spoken[start : start + end]
