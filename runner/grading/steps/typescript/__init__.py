"""Settings and sources of type checking."""
