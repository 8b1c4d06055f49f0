"""Evals on disk: discovery, reading, and checks of their shape."""
