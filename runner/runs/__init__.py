"""Runs: planned, executed, resumed, recorded."""
