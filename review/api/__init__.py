"""The HTTP API for other machines, which ask with a key."""
