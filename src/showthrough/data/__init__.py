"""Documents, annotations, masks, and facts about people: the data types of all other packages."""
