"""The page that raters see: empty by itself, it asks the server that it came from for passages and tells it answers."""

from __future__ import annotations

from functools import cache

from showthrough.formats.authorship.rating_folder import LONGEST_COMMENT
from showthrough.report.html.sources import join_sources, policy, template

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
