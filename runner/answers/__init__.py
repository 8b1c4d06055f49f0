"""Prompts that models are sent, and the way from their replies to files."""
