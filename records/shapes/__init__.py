"""Shapes of records of runs, and the base class of all records."""
