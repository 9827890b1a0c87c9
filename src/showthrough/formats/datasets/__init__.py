"""Published corpora: where they are to be had, by which digest they are known, and on which terms."""
