"""Author verification and author masking: problems, submissions, ratings, answers of verifiers."""
