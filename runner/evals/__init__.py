"""Evals as they lie on disk: found, read and checked for their shape."""
