"""Failure reports: a run's failures with what explains them, for a person to give each a class."""
