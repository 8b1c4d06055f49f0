"""Changes of the repository's content: evals, guidelines, models, results."""
