"""Prices of tokens, and the budget that requests are held to."""
