"""The steps of grading, a module for each."""
