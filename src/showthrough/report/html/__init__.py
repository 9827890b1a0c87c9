"""A run as one HTML file that opens anywhere, without a network."""

from showthrough.report.html._page import html_text

__all__ = ["html_text"]
