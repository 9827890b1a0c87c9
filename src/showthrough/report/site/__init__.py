"""Runs as a site: a page for each corpus and each system, from run files alone and without a word of any document."""

from showthrough.report.site.pages import picture_svg, site_files

__all__ = ["picture_svg", "site_files"]
