"""Grading: from one answer to its verdict."""
