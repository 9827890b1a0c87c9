"""What a corpus holds, where annotators disagree and systems fail: values to look at, before any view of them."""
