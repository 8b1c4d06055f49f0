"""Evals on disk: their discovery, their reading, and checks of their files."""
