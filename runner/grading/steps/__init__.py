"""The steps of grading, one module each."""
