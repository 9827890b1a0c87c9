from __future__ import annotations

from typing import Annotated

import typer

from showthrough.models.cache import usual_cache

_UNITS = ("bytes", "kB", "MB", "GB")


def command(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything that is kept.")] = False,
) -> None:
    """Answers of models and finds of anonymizers are stored between runs, by the content of the question.
    SHOWTHROUGH_CACHE names another folder. The folder may take 2 GB, or what SHOWTHROUGH_CACHE_LIMIT allows (20GB);
    the least recently used go first. No text of documents is stored.
    """
    cache = usual_cache()
    count, size = sum(1 for _ in cache.entries()), cache.size()
    summary = f"{count} answers, {amount(size)} of at most {amount(cache.limit)}, in {cache.folder}"
    if clear:
        cache.clear()
        summary = f"removed {summary}"
    typer.echo(summary)


def amount(size: float) -> str:
    """
    >>> amount(512), amount(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[0]}" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"
