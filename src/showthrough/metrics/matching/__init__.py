"""Whether what was marked can still be read in a release: forms of a mention, and where they are found."""
