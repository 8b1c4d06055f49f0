"""Runs in the format of Every Eval Ever, schema 0.3.0."""
