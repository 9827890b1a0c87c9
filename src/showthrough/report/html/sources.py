"""What pages are made of: style sheets, scripts and templates; and the policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from showthrough.formats.authorship.rating_folder import LONGEST_COMMENT


def join_sources(names: Iterable[str], ending: str) -> str:
    """Files of `static/`, one after the other: later ones go over earlier ones, or run after them."""
    return "\n".join(_source(f"{name}.{ending}") for name in names)


@cache
def _source(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


def policy(style: str, *scripts: str) -> str:
    """What the page may do: run these scripts and use this style sheet. It may load nothing at all."""
    digests = (hashlib.sha256(content.encode()).digest() for content in (style, *scripts))
    look, *allowed = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    scripted = [f"script-src {' '.join(allowed)}"] if allowed else []
    rest = (f"style-src {look}", "img-src data:", "base-uri 'none'", "form-action 'none'")
    return "; ".join(("default-src 'none'", *scripted, *rest))


@cache
def template(name: str) -> Any:
    """One of `templates/`, which escapes whatever it is given."""
    return _environment().get_template(name)


@cache
def section_template(path: Path) -> Any:
    """The template of a family's section, which escapes the same and may import from `templates/`."""
    return _environment().from_string(path.read_text(encoding="utf-8"))


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["reflow"] = _reflow
    return environment


def _reflow(text: str) -> str:
    """Paragraphs without the line breaks that a docstring has inside them."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


STYLES, SCRIPTS = ("page", "rating"), ("page", "rating")


@cache
def rating_page() -> tuple[str, str]:
    """The page, and the policy that it is to be sent with."""
    style, theme, script = join_sources(STYLES, "css"), join_sources(["theme"], "js"), join_sources(SCRIPTS, "js")
    allowed = f"{policy(style, theme, script)}; connect-src 'self'"
    page = template("rating.html").render(
        title="Rating passages", policy=allowed, style=style, theme=theme, script=script, longest=LONGEST_COMMENT
    )
    return str(page), f"{allowed}; frame-ancestors 'none'"
