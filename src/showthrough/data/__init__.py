"""Documents, annotations, masks, and what is known of people: what every other room speaks of."""
