"""The modules of the transformer attack (TRI): settings, pretreatment, windows, training, selection, store."""
