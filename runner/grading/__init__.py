"""Grading: from an answer to its verdict."""
