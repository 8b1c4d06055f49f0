"""Runs: their plans, execution, resumption and records."""
