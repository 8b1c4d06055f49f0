"""Type checking: settings and sources."""
