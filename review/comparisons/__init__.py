"""Comparisons of models on golden sessions: prompts, a metric, pairs that people judge blind."""
