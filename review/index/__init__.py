"""The index of sessions: lists and filters answered at once, from a file that may be deleted."""
