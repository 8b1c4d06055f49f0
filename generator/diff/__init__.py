"""Differences between two runs, or two states of `data/`, in words, JSON and HTML."""
