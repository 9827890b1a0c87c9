"""Surrogates: what stood there replaced by invented text of the same kind."""
