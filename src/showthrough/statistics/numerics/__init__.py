"""What NumPy lacks: sparse rows, main directions, best matchings, quantiles; nothing here knows what is measured."""
