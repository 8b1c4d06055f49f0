"""Readers of replies, one module for each protocol: from events on the wire to `Heard`."""
