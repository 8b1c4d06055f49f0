"""Failure reports: a run's failures with their evidence, for a person to give each a class."""
