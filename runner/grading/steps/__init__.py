"""The steps of grading, each in its module, and their helpers."""
