"""Prompts to models, and the way from their replies to files."""
