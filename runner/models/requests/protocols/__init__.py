"""Readers of replies, one module for each protocol, which turn events into `Heard`."""
