"""How entries of tables are written: `name(key=value, …)`, a name from a table and what differs from that entry.

Metrics, attacks, detectors and anonymizers are frozen dataclasses whose fields are their parameters. What is typed,
what a run file holds and what a list prints all come from these fields.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from showthrough.core.errors import PlanError, kind_of, printable, quote_value, shorten
from showthrough.core.patterns import lazy_pattern

Value = TypeVar("Value")

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what text raises that is no call
_DESCRIPTION = "description"
_BEFORE_TEXT = frozenset("=(, \t")  # a quotation mark after one of these opens a text; another is an apostrophe
_NO_TEXT = lazy_pattern("[\0\ud800-\udfff]")  # what neither a path nor a run file can hold


def parameter(default: Value, description: str) -> Value:
    """A parameter of a metric or another entry, with what `showthrough list metrics NAME` says of it."""
    return field(default=default, metadata={_DESCRIPTION: description})


def parameters(value: Any) -> dict[str, Any]:
    return {parameter_field.name: getattr(value, parameter_field.name) for parameter_field in fields(value)}


def descriptions(value: Any) -> dict[str, str]:
    """What each parameter says; empty for one that does not tell."""
    return {parameter_field.name: parameter_field.metadata.get(_DESCRIPTION, "") for parameter_field in fields(value)}


@lru_cache
def choices(cls: type[Any]) -> dict[str, tuple[Any, ...]]:
    """The values of parameters that take some words alone; nothing of a class whose annotations cannot be read."""
    try:
        hints = get_type_hints(cls)
    except NameError:  # they name what only a function knows
        return {}
    literals = [
        parameter_field.name for parameter_field in fields(cls) if get_origin(hints[parameter_field.name]) is Literal
    ]
    return {name: get_args(hints[name]) for name in literals}


def check_choices(value: Any) -> None:
    """Raises PlanError when a parameter has none of the words that it takes."""
    for name, allowed in choices(value.__class__).items():
        chosen = getattr(value, name)
        if chosen not in allowed:
            fault = f"{name}={quote_value(chosen)} is not known; expected one of {', '.join(map(repr, allowed))}"
            raise PlanError(fault, type(value).__name__)


def call_text(name: str, value: Any, usual: Any) -> str:
    """A value as it is written: the name of an entry, and whatever differs from it."""
    changed = [f"{key}={literal(changed_value)}" for key, changed_value in difference(value, usual).items()]
    return f"{name}({', '.join(changed)})" if changed else name


def difference(value: Any, usual: Any) -> dict[str, Any]:
    """The parameters in which a value differs from another of its class; all where there is none."""
    return {
        key: own_value
        for key, own_value in parameters(value).items()
        if usual is None or own_value != getattr(usual, key)
    }


def literal(value: object) -> str:
    if isinstance(value, str):
        return printable('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"')  # read back, the same
    return repr(value)


def parsed_call(tree: ast.expr) -> tuple[str, dict[str, Any]]:
    """The name and the parameters that a call gives. Raises one of UNREADABLE for what is neither name nor call.

    A bare word is taken as text, since shells eat quotes.

    >>> parsed_call(ast.parse("recall(unit=mention)", mode="eval").body)
    ('recall', {'unit': 'mention'})
    """
    name, keywords = (tree.func, tree.keywords) if isinstance(tree, ast.Call) and not tree.args else (tree, [])
    arguments = {
        str(keyword.arg): _word(keyword.value.id)
        if isinstance(keyword.value, ast.Name)
        else ast.literal_eval(keyword.value)
        for keyword in keywords
    }
    if (
        not isinstance(name, ast.Name)
        or len(arguments) < len(keywords)
        or any(keyword.arg is None for keyword in keywords)
    ):
        raise ValueError
    return name.id, arguments


def _word(word: str) -> str | bool:
    """A bare word: yes and no as TOML writes them, and text as it is."""
    return {"true": True, "false": False}.get(word, word)


def read_call(text: str, kind: str, example: str) -> tuple[str, dict[str, Any]]:
    """The same from a text; raises PlanError."""
    try:
        return parsed_call(ast.parse(text.strip(), mode="eval").body)
    except UNREADABLE:
        raise PlanError(f"found {quote_value(text)}; expected a name, or a call such as {example}", kind) from None


def outside_texts(text: str) -> Iterator[tuple[int, str, int]]:
    """Each character that is in no quotation marks, with its place and how many brackets are open around it."""
    depth, closing, escaped = 0, "", False
    for position, letter in enumerate(text):
        if closing:
            closing = "" if letter == closing and not escaped else closing
            escaped = letter == "\\" and not escaped
        elif letter in "\"'" and depth and text[position - 1] in _BEFORE_TEXT:
            closing = letter
        else:
            depth = max(depth - (letter == ")"), 0)
            yield position, letter, depth
            depth += letter == "("


def placed_call(text: str, kind: str, example: str) -> tuple[str, dict[str, Any]]:
    """What comes before the last brackets, such as `spacy:en_core_web_md`, and the parameters in them.

    Raises PlanError.

    >>> placed_call("presidio:en_core_web_md(org=true)", "anonymizer", "rules")
    ('presidio:en_core_web_md', {'org': True})
    """
    if not text.endswith(")"):
        return text, {}
    opens = [position for position, letter, depth in outside_texts(text) if letter == "(" and not depth]
    try:
        # Without the name before it: that may have dashes and slashes, which no call has.
        return text[: opens[-1]].strip(), parsed_call(ast.parse(f"name{text[opens[-1] :]}", mode="eval").body)[1]
    except (IndexError, *UNREADABLE):
        raise PlanError(f"found {quote_value(text)}; expected a name, or a call such as {example}", kind) from None


def with_place(where: str, name: str, usual: Value, argument: str | None, overrides: Mapping[str, Any]) -> Value:
    """An entry with its first parameter, where that follows a colon, and others; PlanErrors name `where`."""
    if argument is None and not overrides:
        return usual
    keys: list[str] = [parameter_field.name for parameter_field in fields(usual)] if is_dataclass(usual) else []
    if not keys:
        raise PlanError("takes no parameters", where)
    if argument is not None:
        if not argument.strip():
            raise PlanError(f"found nothing after {name}:; expected the {keys[0]}", where)
        if keys[0] in overrides:
            raise PlanError(f"is there twice, after {name}: and in brackets", f"{where}: {keys[0]}")
        overrides = {keys[0]: argument.strip(), **overrides}
    return apply_overrides(where, usual, overrides)


def apply_overrides(location: str, usual: Value, overrides: Mapping[str, Any]) -> Value:
    """An entry with other parameters. Raises PlanError, which names `location`, for those that it does not take."""
    names = parameters(usual)
    for key in overrides:
        if key not in names:
            expected = f"one of {', '.join(names)}" if names else "none"
            raise PlanError(f"unknown parameter; expected {expected}", f"{location}: {shorten(key)}")
    check_kinds(location, usual, overrides)
    try:
        changed: Any = replace(usual, **overrides)  # type: ignore[type-var]
    except PlanError as error:
        fault = error.problems[0]  # a PlanError has one
        # Who typed `f1(unit="x")` knows neither the class FScore nor the Recall inside it.
        of_class = not fault.place or fault.place[0].isupper()
        raise PlanError(fault.message, location if of_class else f"{location}: {fault.place}", fault.file) from None
    return changed  # type: ignore[no-any-return]


def check_kinds(location: str, usual: Any, overrides: Mapping[str, Any]) -> None:
    """Raises PlanError when a value is of another kind than its parameter takes."""
    types = {parameter_field.name: str(parameter_field.type).split(" | ") for parameter_field in fields(usual)}
    for key, value in overrides.items():
        default = getattr(usual, key)
        where = f"{location}: {key}"
        if isinstance(value, str) and _NO_TEXT.search(value):
            raise PlanError(f"found {value!r}; expected text without zero bytes and halves of characters", where)
        fits = isinstance(value, type(default)) or (isinstance(default, float) and type(value) is int)
        fits = fits or type(value).__name__ in types[key]  # one that takes numbers and words
        if not fits or (isinstance(value, bool) and not isinstance(default, bool)):
            also = " or text" if "str" in types[key] and not isinstance(default, str) else ""
            expected = f"{kind_of(default)}{also}, such as {literal(default)}"
            raise PlanError(f"found {quote_value(value)}; expected {expected}", where)
