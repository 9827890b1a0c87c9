"""Author verifiers: are two texts by one author? One module a way to learn it, one table of them."""
