"""Comparisons of models on golden sessions: prompts, a metric, and pairs that people judge."""
