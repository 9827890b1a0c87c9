"""Copies for a second reader as one page: text alone, nothing to run and nothing to load."""

from __future__ import annotations

from html import escape
from itertools import islice

from showthrough.core.errors import printable
from showthrough.report.html.sources import policy
from showthrough.studies.review.copies import Style
from showthrough.studies.review.folder import ReviewCopies

PAGE_FILE = "review.html"
MOST = 200  # documents: a browser has to lay all of them out
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
nav ol { columns: 14rem; padding-left: 1.5rem; overflow-wrap: anywhere; }
article { border-top: 1px solid; margin-top: 2.5rem; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
p.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
mark { background: CanvasText; color: Canvas; border-radius: 2px; padding: 0 .3em; unicode-bidi: isolate; }
u { text-decoration-thickness: 2px; text-underline-offset: 3px; }
small { font-size: .75em; font-weight: 600; border: 1px solid; border-radius: 2px; padding: 0 .25em; }
"""
# Elements cannot cross as marks may: where they do, the end of one names it.
_MARKUP = Style(
    escape,
    lambda written: f"<mark>{escape(written)}</mark>",
    lambda label: f"<u><small>{escape(label)}</small> ",
    lambda label: f"</u>{f'<small>{escape(label)} ends</small>' if label else ''}",
)


def review_page(copies: ReviewCopies) -> str:
    """The copies of the first documents, to read in a browser."""
    annotator = escape(printable(copies.assignment.annotator))
    count = len(copies.assignment.numbers)
    more = f"<p>The first {MOST} of {count} documents; the folder copies has all of them.</p>" if count > MOST else ""
    names, articles = [], []
    for number, (name, text) in enumerate(islice(copies.pieces(_MARKUP), MOST), 1):
        title = escape(printable(name))
        names.append(f'<li><a href="#d{number}">{title}</a></li>')
        articles.append(
            f'<article id="d{number}"><h2>{number}. {title}</h2>\n<p class="text" dir="auto">{text}</p></article>'
        )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(_STYLE)}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Copies for review: {annotator}</title>\n<style>{_STYLE}</style></head>\n<body><main>\n"
        f"<h1>Copies for review: {annotator}</h1>\n"
        "<p>Bars hide what is to be masked. Confidential words that are not masked are underlined, after their "
        "category. Write answers into sheet.csv and findings into findings.csv; questions.md says how.</p>\n"
        f"{more}<nav><ol>{''.join(names)}</ol></nav>\n{chr(10).join(articles)}\n</main></body></html>\n"
    )
