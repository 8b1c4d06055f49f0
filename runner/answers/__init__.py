"""Prompts to models, and the reading of files from their replies."""
