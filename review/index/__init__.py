"""The index of sessions: a file for quick lists and filters, which may be deleted at any time."""
