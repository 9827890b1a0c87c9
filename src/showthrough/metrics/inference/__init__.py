"""What can be inferred about people from released texts, and what use a judge finds left in them."""
