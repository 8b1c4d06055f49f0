"""How many requests each provider is sent at once, and whose turn is next."""
