"""Values of very many documents, column by column: in memory as few bytes as they need, or in files."""
