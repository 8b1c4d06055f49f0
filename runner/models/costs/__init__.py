"""Prices of tokens, and the budget that limits requests."""
