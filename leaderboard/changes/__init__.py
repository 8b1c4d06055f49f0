"""The description of changes between two revisions: evals, guidelines, models, results."""
